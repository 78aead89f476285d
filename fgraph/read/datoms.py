"""Pages of raw datoms in the order of an index, current or with all history."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file import identities
from fgraph.file.reader import Reader
from fgraph.file.rows import DISTINCT_ATTRIBUTES, TAGS_IN_USE, newest_excision
from fgraph.read import cursor as cursors
from fgraph.read import render, selectors, sides
from fgraph.schema.declarations import declarations
from fgraph.values import logical
from fgraph.values.logical import REF, Stored

POSITIONS = {
    "eavt": ("e", "a", "v", "tx", "added"),
    "avet": ("a", "v", "e", "tx", "added"),
    "vaet": ("v", "a", "e", "tx", "added"),
}
SOURCES = ("current", "history")


class Scan(NamedTuple):
    """What a page asks for: fixed positions, and the datom after which it begins."""

    reader: Reader
    index: str
    history: bool
    fixed: dict[str, object]
    after: tuple | None

    @property
    def tx(self) -> str:
        return sides.transaction("f", "d") if self.history else "f.tx"

    @property
    def added(self) -> str:
        return "d.added" if self.history else "1"

    @property
    def order(self) -> tuple[str, ...]:
        """The columns of the total order of the index."""
        first = {"eavt": ("f.e", "f.a", "f.v"), "avet": ("f.a", "f.v", "f.e"), "vaet": ("f.v", "f.a", "f.e")}
        return (*first[self.index], "f.t", self.tx, self.added, "f.id")


def datoms(
    reader: Reader,
    index: object = "eavt",
    components: object = (),
    source: object = "current",
    limit: object = limits.DATOMS_SHOWN,
    cursor: object = None,
) -> dict:
    """One page `{"basis_tx", "items", "next_cursor"}` (docs/queries.md).

    Raises `QueryError` for a bad index, source, limit or cursor, and the errors of selectors and values for components.
    """
    _check(index, components, source, limit)
    request = cursors.request_digest(index, source, components)
    after = None
    if cursor is not None:
        position = cursors.decode(cursor, request)
        cursors.check_state(reader, position)
        reader = _pinned(reader, position)
        after = position
    fixed = _fixed(reader, index, components, source)
    rows: list[tuple] = []
    if fixed is not None:
        scan = Scan(reader, index, source == "history", fixed, None)
        if after is not None:
            scan = scan._replace(after=_seek(scan, after))
        rows = list(islice(_rows(scan, limit + 1), limit + 1))
    more = len(rows) > limit
    rows = rows[:limit]
    next_cursor = _cursor(reader, request, rows[-1]) if more else None
    return {"basis_tx": reader.basis, "items": _items(reader, rows), "next_cursor": next_cursor}


def _check(index: object, components: object, source: object, limit: object) -> None:
    if not isinstance(index, str) or index not in POSITIONS:
        raise _refuse("index", index, f"use one of {', '.join(POSITIONS)}")
    if not isinstance(source, str) or source not in SOURCES:
        raise _refuse("source", source, "use current or history")
    if not isinstance(components, list | tuple) or len(components) > limits.DATOMS_COMPONENTS:
        raise _refuse("components", components, f"give a list of up to {limits.DATOMS_COMPONENTS} leading components")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= limits.DATOMS_PAGE:
        raise _refuse("limit", limit, f"use 1 to {limits.DATOMS_PAGE}")


def _refuse(param: str, value: object, hint: str) -> errors.QueryError:
    return errors.QueryError(f"{param} is {errors.quote(value)}", param=param, hint=hint)


# -- components -------------------------------------------------------------------------------------------------------


def _fixed(reader: Reader, index: str, components: list | tuple, source: str) -> dict[str, object] | None:
    """The fixed positions; None when one of them names nothing, so that no datom can match."""
    fixed: dict[str, object] = {}
    for name, wire in zip(POSITIONS[index], components, strict=False):
        found = _component(reader, index, name, wire, fixed)
        if found is None:
            return None
        fixed[name] = found
    return None if source == "current" and fixed.get("added") == 0 else fixed


def _component(reader: Reader, index: str, name: str, wire: object, fixed: dict[str, object]) -> object:
    param = "components"
    if name == "added":
        if not isinstance(wire, bool):
            raise _refuse("components", wire, "added is true or false")
        return int(wire)
    if name == "a" and isinstance(wire, str):
        return reader.id_of(wire) if identities.is_attribute(wire) else None
    if name != "v":
        return selectors.find(reader, wire, param)
    if index == "vaet":
        inner = wire["ref"] if logical.is_single(wire, "ref") else wire
        return Stored(REF, selectors.resolve(reader, inner, param))
    value = logical.encode_value(wire, lambda inner: selectors.resolve(reader, inner, param), param)
    if "a" in fixed:
        attribute = fixed["a"]
        selectors.check_type(str(reader.label(attribute)), declarations(reader).type_of(attribute), value, param)
    return value


# -- rows -------------------------------------------------------------------------------------------------------------


def _rows(scan: Scan, limit: int) -> Iterator[tuple]:
    """(id, e, a, v, t, tx, added, blob) in the order of the index, at least `limit` of them where there are so many."""
    live = scan.reader.live and not scan.history
    if scan.index == "eavt":
        yield from _select(scan, f"fgraph_facts f INDEXED BY {'fgraph_eavt' if live else 'fgraph_hist'}", limit)
    elif scan.index == "vaet" and live:
        yield from _select(scan, "fgraph_facts f INDEXED BY fgraph_vaet", limit, "f.t = 0")
    elif scan.index == "vaet":
        attributes = "" if "a" in scan.fixed else f"({DISTINCT_ATTRIBUTES}) attributes CROSS JOIN "
        joined = "" if "a" in scan.fixed else "f.a = attributes.a AND "
        yield from _select(scan, f"{attributes}fgraph_facts f INDEXED BY fgraph_avet", limit, f"{joined}f.t = 0")
    else:
        for attribute in _attributes(scan):
            scan.reader.store.check_cancelled()
            after = scan.after if scan.after and scan.after[0] == attribute else None
            yield from _by_value(scan._replace(fixed={**scan.fixed, "a": attribute}, after=after), limit)


def _attributes(scan: Scan) -> list[int]:
    """The attributes to walk: the one that is fixed, else those from the cursor's on."""
    if "a" in scan.fixed:
        return [scan.fixed["a"]]
    first = 0 if scan.after is None else scan.after[0]
    return [row[0] for row in scan.reader.fetch(DISTINCT_ATTRIBUTES) if row[0] >= first]


def _by_value(scan: Scan, limit: int) -> list[tuple]:
    """The datoms of one attribute: the index holds them by type tag, so the streams of all tags are merged."""
    parameters: list[object] = []
    streams = []
    for tag in _tags(scan):
        sql, bound = _statement(scan, "fgraph_facts f INDEXED BY fgraph_avet", limit, f"f.t = {tag}")
        streams.append(f"SELECT * FROM ({sql})")
        parameters += bound
    if not streams:
        return []
    merged = f"{' UNION ALL '.join(streams)} ORDER BY a, v, e, t, tx, added, id LIMIT {limit}"
    return _with_blobs(scan.reader, merged, parameters)


def _tags(scan: Scan) -> list[int]:
    """The type tags to walk: the one that is fixed, else those in use under the attribute."""
    if "v" in scan.fixed:
        return [scan.fixed["v"].tag]
    attribute = scan.fixed["a"]
    return [row[0] for row in scan.reader.fetch(TAGS_IN_USE, (attribute, attribute))]


def _select(scan: Scan, table: str, limit: int, condition: str = "") -> list[tuple]:
    return _with_blobs(scan.reader, *_statement(scan, table, limit, condition))


def _with_blobs(reader: Reader, sql: str, parameters: list) -> list[tuple]:
    blob = "CASE WHEN t IN (7, 8, 9) THEN (SELECT data FROM fgraph_blobs WHERE hash = v) END"
    return reader.fetch(f"SELECT id, e, a, v, t, tx, added, {blob} FROM ({sql})", parameters)


def _statement(scan: Scan, table: str, limit: int, condition: str = "") -> tuple[str, list[object]]:
    """The SELECT of one stream, and its parameters."""
    parameters: list[object] = []
    conditions = [condition] if condition else []
    for name, value in scan.fixed.items():
        if isinstance(value, Stored):
            conditions.append("f.t = ? AND f.v = ?")
            parameters += [value.tag, value.value]
        else:
            column = {"tx": scan.tx, "added": scan.added}.get(name, f"f.{name}")
            conditions.append(f"{column} = ?")
            parameters.append(value)
    if scan.after is not None:
        places = ", ".join("?" * len(scan.order))
        conditions.append(f"({', '.join(scan.order)}) > ({places})")
        parameters += scan.after
        conditions += _starts(scan, parameters)
    conditions.append(sides.seen(scan.reader, "f", "d") if scan.history else scan.reader.shown("f"))
    sql = f"""
        SELECT f.id AS id, f.e AS e, f.a AS a, f.v AS v, f.t AS t, {scan.tx} AS tx, {scan.added} AS added
        FROM {table} {f"CROSS JOIN {sides.TABLE} d" if scan.history else ""}
        WHERE {" AND ".join(conditions)}
        ORDER BY {", ".join(column for column in scan.order if column != "1")}
        LIMIT {limit}
    """
    return sql, parameters


def _starts(scan: Scan, parameters: list[object]) -> list[str]:
    """Where an index scan may begin: the leading column that is not fixed lies at or after that of the cursor."""
    for column, value in zip(scan.order[:3], scan.after or (), strict=False):
        if column[2:] not in scan.fixed:
            parameters.append(value)
            return [f"{column} >= ?"]
    return []


def _items(reader: Reader, rows: list[tuple]) -> list[dict]:
    render.warm_rows(reader, rows)
    return [
        {
            "e": reader.label(entity),
            "a": reader.label(attribute),
            "v": render.render_value(reader, tag, value, blob),
            "tx": tx,
            "added": added == 1,
            "fact_id": number,
        }
        for number, entity, attribute, value, tag, tx, added, blob in rows
    ]


# -- cursors ----------------------------------------------------------------------------------------------------------


def _cursor(reader: Reader, request: str, row: tuple) -> str:
    number, _, _, _, _, tx, added, _ = row
    excised = newest_excision(reader.connection)
    return cursors.encode(cursors.Position(request, reader.basis, reader.since, excised, number, tx, added == 1))


def _pinned(reader: Reader, position: cursors.Position) -> Reader:
    """The reader at the basis of the first page."""
    if reader.live and reader.basis == position.basis and reader.since == position.since:
        return reader
    return Reader(reader.store, position.basis, live=False, since=position.since)


def _seek(scan: Scan, position: cursors.Position) -> tuple:
    """The order columns of the datom that the cursor names; `QueryError` when it is gone."""
    rows = scan.reader.fetch("SELECT e, a, v, t, tx, rx FROM fgraph_facts WHERE id = ?", (position.fact,))
    if not rows or position.tx != rows[0][4 if position.added else 5]:
        raise cursors.refused("the datom at which it stopped is gone")
    entity, attribute, value, tag, _, _ = rows[0]
    places = {"e": entity, "a": attribute, "v": value}
    return (*(places[name] for name in scan.index[:3]), tag, position.tx, int(position.added), position.fact)
