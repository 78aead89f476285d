"""One entity as a map of its attributes, with references expanded to a depth (docs/python-api.md)."""

from fgraph import errors, limits
from fgraph.file.reader import Reader
from fgraph.read import render, selectors
from fgraph.schema.declarations import Declarations, declarations
from fgraph.values.logical import REF


def entity(reader: Reader, selector: object, depth: object = 1) -> dict:
    """Attribute name to value (a list where the attribute is many-valued) of all facts visible at the basis.

    With `depth` n of 2 or more a reference becomes the target's own map at depth n - 1, unless the target stands on
    the path from the root. Raises `NotFound` for an unknown entity, `QueryError` for a negative depth, `TooLarge`
    beyond 100,000 facts.
    """
    if isinstance(depth, bool) or not isinstance(depth, int):
        raise errors.TypeError(f"depth is {errors.quote(depth)}", param="depth", hint="give an integer, 0 or more")
    if depth < 0:
        raise errors.QueryError(f"depth is {depth}", param="depth", code="out_of_range", hint="use 0 or more")
    return EntityMap(reader).build(selectors.resolve(reader, selector), depth)


class EntityMap:
    """Builds nested maps with an explicit stack, so that depth is bounded by facts and not by the interpreter."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._declared = declarations(reader)
        self._room = limits.ENTITY_FACTS

    def build(self, root: int, depth: int) -> dict:
        top: dict = {}
        path: set[int] = set()  # the entities from the root down to the one whose map is being filled
        # (entity, map to fill, remaining depth); without a map: all below this entity is done, and it leaves the path
        pending: list[tuple[int, dict | None, int]] = [(root, top, depth)]
        while pending:
            number, target, left = pending.pop()
            if target is None:
                path.remove(number)
                continue
            path.add(number)
            pending.append((number, None, 0))
            for row in self._facts(number):
                value = render.render_value(self._reader, row[4], row[3], row[7])
                if row[4] == REF and left >= 2 and row[3] not in path:
                    value = {}
                    pending.append((row[3], value, left - 1))
                add_value(self._reader, self._declared, target, row[2], value)
        return top

    def _facts(self, number: int) -> list[tuple]:
        self._reader.store.check_cancelled()
        rows = facts_of(self._reader, number)
        self._room -= len(rows)
        if self._room < 0:
            raise errors.TooLarge(
                f"the answer holds more than {limits.ENTITY_FACTS} facts", param="depth", hint="ask for less depth"
            )
        return rows


def add_value(reader: Reader, declared: Declarations, target: dict, attribute: int, value: object) -> None:
    """Put one value into an entity map, as the cardinality at the basis says."""
    name = reader.label(attribute)
    if declared.many(attribute):
        target.setdefault(name, []).append(value)
    else:
        target[name] = value


def facts_of(
    reader: Reader, number: int, attribute: int | None = None, offset: int = 0, limit: int | None = None
) -> list[tuple]:
    """The visible facts of one entity as rows of FACT_COLUMNS, by attribute id, transaction and fact id."""
    only = "" if attribute is None else f"AND f.a = {attribute}"
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM fgraph_facts f INDEXED BY {"fgraph_eavt" if reader.live else "fgraph_hist"}
        {render.BLOB_JOIN}
        WHERE f.e = ? {only} AND {reader.shown("f")}
        ORDER BY f.a, f.tx, f.id
        LIMIT ? OFFSET ?
    """
    rows = reader.fetch(sql, (number, -1 if limit is None else limit, offset))
    render.warm_rows(reader, rows)
    return rows
