"""Completion of the variables in resource addresses, from the names and transactions of the file."""

from __future__ import annotations

from fgraph import limits
from fgraph.file import genesis
from fgraph.mcp import uris
from fgraph.schema import snapshot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fgraph.file.reader import Reader
    from fgraph.mcp.host import Host

_LOOK_AT = limits.MCP_COMPLETIONS + 1
_AFTER_ALL = "\U0010ffff"  # sorts after every continuation of a prefix


def complete(host: Host, template: str, variable: str, typed: str) -> dict:
    """The result of `completion/complete`: at most 100 values that begin with what was typed."""
    kind = template.removeprefix(uris.SCHEME).partition("{")[0].rstrip("/")
    values = _VALUES.get((kind, variable))
    with host.reading() as (_, reader):
        found = [] if values is None else values(reader, typed)
    shown = found[: limits.MCP_COMPLETIONS]
    completion: dict = {"values": shown, "hasMore": len(found) > len(shown)}
    if not completion["hasMore"]:
        completion["total"] = len(shown)
    return {"completion": completion}


def _prefixes(reader: Reader, typed: str) -> list[str]:
    """Namespaces while none is complete, then the attributes that are declared or in use."""
    names = snapshot.attribute_names(reader, typed)
    used = snapshot.observations(reader, list(names.values()))
    declared = {fact[0] for fact in reader.fetch(_declared_sql(reader))}
    living = [name for name, number in names.items() if number in used or number in declared]
    if "/" not in typed:
        living = sorted({name.partition("/")[0] + "/" for name in living})
    return living[:_LOOK_AT]


def _declared_sql(reader: Reader) -> str:
    fields = ",".join(map(str, genesis.DECLARATIONS))
    return f"""
        SELECT DISTINCT e FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a IN ({fields}) AND {reader.visible()}
    """


def _selectors(reader: Reader, typed: str) -> list[str]:
    """Entity names, without those that an address would read as something else."""
    return [name for _, name in zip(range(_LOOK_AT), _addressable(reader, typed), strict=False)]


def _addressable(reader: Reader, typed: str) -> Iterator[str]:
    sql = "SELECT name FROM fgraph_ids WHERE name >= ? AND name < ? ORDER BY name"
    for (name,) in reader.connection.execute(sql, (typed, typed + _AFTER_ALL)):
        if not (name.startswith(genesis.PREFIX) or uris.is_number(name) or uris.is_uuid(name)):
            yield name


def _transactions(reader: Reader, typed: str) -> list[str]:
    """The newest transactions whose number begins with the digits typed."""
    if typed and not (typed.isascii() and typed.isdigit()):
        return []
    sql = "SELECT tx FROM fgraph_events WHERE tx LIKE ? ORDER BY tx DESC LIMIT ?"
    return [str(tx) for (tx,) in reader.fetch(sql, (f"{typed}%", limits.MCP_COMPLETED_TX))]


def _starting_points(reader: Reader, typed: str) -> list[str]:
    first = str(limits.GENESIS_TX)
    found = _transactions(reader, typed)
    return found if first in found or not first.startswith(typed) else [*found, first]


def _head(reader: Reader, typed: str) -> list[str]:
    newest = str(reader.basis)
    return [newest] if newest.startswith(typed) else []


_VALUES: dict[tuple[str, str], Callable[[Reader, str], list[str]]] = {
    ("schema", "prefix"): _prefixes,
    ("entity", "selector"): _selectors,
    ("entity", "at"): _transactions,
    ("tx", "tx"): _transactions,
    ("changes", "since"): _starting_points,
    ("event", "basis"): _head,
}
