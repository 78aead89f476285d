"""The report of a write as an answer: always one that fits, because the write has been or will be committed."""

from __future__ import annotations

from fgraph import limits
from fgraph.mcp import answers, uris
from fgraph.mcp.answers import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.report import TxReport

_LISTS = ("asserted", "retracted")


def answer(report: TxReport) -> Answer:
    """The report, shortened where it is long: first values, then facts, at the very end the new names."""
    data = dict(report)
    basis = data["basis_tx"] if data["tx"] is None else data["tx"]
    data.update({name: [_plain(fact) for fact in data[name]] for name in _LISTS})
    if answers.size(data) <= limits.MCP_DEFAULT_CHARS - limits.MCP_FRAME_CHARS:
        return Answer(basis, data)
    for name in _LISTS:
        data[name] = [answers.cut_fact(fact, limits.MCP_EXCERPT_BYTES) for fact in data[name]]
    if answers.size(data) > limits.MCP_DEFAULT_CHARS - limits.MCP_FRAME_CHARS:
        data = _fewer_facts(data)
    if not answers.fits_cap(basis, data):
        data = {**data, "ids": {}, "truncated": True}
    link = {"uri": uris.build("tx", data["tx"]), "name": "transaction"} if data["tx"] is not None else None
    return Answer(basis, data, link)


def _plain(fact: dict) -> dict:
    return {**fact, "v": answers.without_vectors(fact["v"])}


def _fewer_facts(data: dict) -> dict:
    """The leading facts that fit a short answer beside everything else."""
    frame = {**data, "asserted": [], "retracted": [], "truncated": True}
    room = limits.MCP_DEFAULT_CHARS - answers.size(frame) - limits.MCP_FRAME_CHARS
    kept = {}
    for name in _LISTS:
        kept[name] = data[name][: answers.leading(data[name], room)]
        room -= answers.size(kept[name])
    return {**frame, **kept}
