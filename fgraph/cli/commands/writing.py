"""Commands that write one transaction: retract, undo, excise."""

from collections.abc import Mapping

from fgraph import errors
from fgraph.cli import place
from fgraph.cli.call import Call, Outcome, view
from fgraph.cli.refs import existing
from fgraph.cli.source import json_word, plain

GUARDS = ("operation_id", "if_basis_tx")


def retract(call: Call) -> Outcome:
    options = signed(call)
    value = {} if call["value"] is None else {"value": _value(call["value"])}
    with place.writing(call, create=False) as db:
        ref = existing(db, call["ref"])
        return written(call, db.retract(ref, call["attr"], **value, **options))


def _value(word: str) -> object:
    value = json_word(word, "VALUE")
    if value is None:
        raise errors.TypeError("VALUE is null", param="value", hint='write {"json": null}, or leave VALUE out for all')
    return value


def undo(call: Call) -> Outcome:
    options = signed(call)
    strict = {"strict": True} if call["strict"] else {}
    with place.writing(call, create=False) as db:
        return written(call, db.undo(call["tx"], **options, **strict))


def excise(call: Call) -> Outcome:
    with place.writing(call, create=False) as db:
        return written(call, db.excise(existing(db, call["ref"]), **call.given(*GUARDS)))


def signed(call: Call) -> dict[str, object]:
    """The guards and the signature of a write, as far as they were given."""
    options = call.given(*GUARDS, "by", "source")
    if call["meta"] is not None:
        options["meta"] = json_word(call["meta"], "--meta")
    for field in ("operation_id", "by", "source"):
        if field in options:
            plain(options[field], f"--{field.replace('_', '-')}")
    return options


def written(call: Call, report: Mapping[str, object], shown: str = "show.report") -> Outcome:
    """The outcome of one write, and how people see it; from here on an interruption cannot take it back."""
    call.changed = f"transaction {report['tx']} committed" if report["tx"] else "nothing was changed"
    result = dict(report)
    return Outcome(result, view(shown, result))
