"""From the last block of a query to its rows: projection, aggregates, merging, order, limits, pulls."""

from collections.abc import Mapping
from typing import NamedTuple

from fgraph.datalog import results
from fgraph.datalog.clauses import FindItem, Query, Variable
from fgraph.datalog.meter import Meter
from fgraph.datalog.planner import Types
from fgraph.datalog.relations import Scope
from fgraph.datalog.results import Layout, Renderer, Result, Slot
from fgraph.datalog.sql import Block, Statement, with_clause
from fgraph.datalog.statistics import ALL_TAGS
from fgraph.datalog.syntax import refuse
from fgraph.file.reader import Reader
from fgraph.read import pull
from fgraph.values import canonical, logical
from fgraph.values.logical import FLOAT, INSTANT, INT, REF

WHOLE_NUMBERS = frozenset((INT, INSTANT))
EXACT_DOUBLE = 1 << 53  # sums of integers below this are the same in doubles, in any order


def needs_order(query: Query, types: Types) -> bool:
    """Whether the canonical order of rows decides anything in the answer that a caller can count on."""
    columns = {item.column for item in query.find}
    if query.limit is not None or query.offset or any(name not in columns for name, _ in query.order):
        return True
    tags = [types.get(item.variable, ALL_TAGS) for item in query.find]
    if any(item.function in ("sum", "avg") and FLOAT in held for item, held in zip(query.find, tags, strict=True)):
        return True
    return any({INT, FLOAT} <= held for held in tags)  # of rows that print alike, the first stays


def is_aggregated(query: Query) -> bool:
    """Whether find has an aggregate."""
    return any(item.function not in (None, "pull") for item in query.find)


def sums_in_sql(query: Query, types: Types) -> bool:
    """Whether SQLite can compute every aggregate exactly."""
    for item in query.find:
        tags = types.get(item.variable, ALL_TAGS)
        if item.function == "count-distinct" and len(tags) != 1:
            return False
        if item.function in ("sum", "avg", "min", "max") and not tags <= WHOLE_NUMBERS:
            return False
    return is_aggregated(query)


class Final(NamedTuple):
    """The statement that gives a query's rows, and where in them everything stands.

    `starts` are the first columns of each item of find where SQLite makes the groups.
    """

    sql: str
    parameters: Mapping[str, object]
    layout: Layout
    outside: tuple[Variable, ...]
    starts: tuple[int, ...] | None


def final_rows(query: Query, statement: Statement, block: Block, scope: Scope) -> Final:
    """The statement that fetches row by row. In `block` each set of bindings stands once where that counts."""
    columns = {item.column for item in query.find}
    outside = tuple(Variable(name) for name, _ in query.order if name not in columns)
    layout = Layout(dict.fromkeys([*(item.variable for item in query.find), *outside]), block.cells)
    order = block.order(scope.keys) if scope.ordered else []
    tail = f"\nORDER BY {', '.join(order)}" if order else ""
    sql = with_clause(scope.ctes, recursive=True) + block.select(layout.texts) + tail
    return Final(sql, statement.parameters, layout, outside, None)


def final_groups(query: Query, statement: Statement, block: Block, scope: Scope) -> Final:
    """The statement that lets SQLite make the groups."""
    plain = dict.fromkeys(item.variable for item in query.find if item.function is None)
    layout = Layout(plain, block.cells)
    places = [place for slot in layout.slots.values() for place in (slot.value, slot.tag) if place is not None]
    tail = f"\nGROUP BY {', '.join(layout.texts[place] for place in places)}" if plain else ""
    starts: list[int] = []
    texts = list(layout.texts)
    for item in query.find:
        starts.append(len(texts))
        texts += _aggregate_columns(item, block.cells[item.variable].value)
    sql = with_clause(scope.ctes, recursive=True) + block.select(texts) + tail
    return Final(sql, statement.parameters, layout, (), tuple(starts))


class Answer:
    """Fetches and shapes the rows of one query."""

    def __init__(self, reader: Reader, query: Query, meter: Meter, shapes: Mapping[int, pull.Shape]) -> None:
        self._reader = reader
        self._query = query
        self._meter = meter
        self._shapes = shapes
        self._renderer = Renderer(reader, meter.check_cancelled)

    def result(self, final: Final) -> Result | None:
        """The answer; None when a sum made by SQLite could differ from the one added up in canonical order."""
        fetched = self._meter.execute(final.sql, final.parameters)
        if final.starts is not None:
            return self._grouped(fetched, final.layout, final.starts)
        if is_aggregated(self._query):
            return self._aggregated(fetched, final.layout, final.outside)
        return self._projected(fetched, final.layout, final.outside)

    def _grouped(self, fetched: list[tuple], layout: Layout, starts: tuple[int, ...]) -> Result | None:
        columns = []
        for item, start in zip(self._query.find, starts, strict=True):
            if item.function is None:
                columns.append(self._renderer.column(fetched, layout.slots[item.variable]))
            elif item.function in ("sum", "avg") and any(_inexact(row, start) for row in fetched):
                return None
            else:
                columns.append([_from_sqlite(item, row, start) for row in fetched])
        return self._ordered(_merged(_transposed(columns)), {})

    # -- plain rows ---------------------------------------------------------------------------------------------------

    def _projected(self, fetched: list[tuple], layout: Layout, outside: tuple[Variable, ...]) -> Result:
        pulled = {place for place, item in enumerate(self._query.find) if item.function == "pull"}
        plain = {item.variable for item in self._query.find if item.function is None}
        late = all(self._query.find[place].variable in plain for place in pulled) and not self._orders_by_pull()
        fetched = self._distinct(fetched, layout, outside)
        columns = []
        for place, item in enumerate(self._query.find):
            slot = layout.slots[item.variable]
            if place in pulled:
                columns.append(_references(item, fetched, slot))
                if not late:
                    columns[-1] = self._pulled(place, columns[-1])
            else:
                columns.append(self._renderer.column(fetched, slot))
        extra = {name: self._renderer.column(fetched, layout.slots[name]) for name in outside}
        rows = _transposed(columns)
        if pulled and not late:
            rows, extra = _merged_with(rows, extra)
        result = self._ordered(rows, extra)
        return self._pull_late(result, pulled) if pulled and late else result

    def _distinct(self, fetched: list[tuple], layout: Layout, outside: tuple[Variable, ...]) -> list[tuple]:
        """The rows that differ in the columns of find, the first of each."""
        slots = [layout.slots[item.variable] for item in self._query.find]
        mixed = any(slot.always is None for slot in slots)
        if not mixed and not outside:
            return list(dict.fromkeys(fetched))
        first: dict[tuple, tuple] = {}
        for row in fetched:
            first.setdefault(tuple(results.cell_key(row, slot) for slot in slots), row)
        return list(first.values())

    def _orders_by_pull(self) -> bool:
        pulled = {item.column for item in self._query.find if item.function == "pull"}
        return any(name in pulled for name, _ in self._query.order)

    def _pulled(self, place: int, numbers: list[int]) -> list[dict]:
        maps = pull.maps(self._reader, self._shapes[place], numbers, self._meter.charge)
        return [maps[number] for number in numbers]

    def _pull_late(self, result: Result, pulled: set[int]) -> Result:
        """Pull only for the rows that are left."""
        rows = result.rows
        for place in pulled:
            for row, value in zip(rows, self._pulled(place, [row[place] for row in rows]), strict=True):
                row[place] = value
        return Result(result.columns, rows)

    # -- aggregates ---------------------------------------------------------------------------------------------------

    def _aggregated(self, fetched: list[tuple], layout: Layout, outside: tuple[Variable, ...]) -> Result:
        plain = [layout.slots[item.variable] for item in self._query.find if item.function is None]
        groups: dict[tuple, list[tuple]] = {} if plain else {(): []}
        for row in fetched:
            groups.setdefault(tuple(results.exact_key(row, slot) for slot in plain), []).append(row)
        first = [members[0] for members in groups.values() if members]
        if outside and len(first) < len(groups):
            raise results.missing_in_order(outside[0])
        columns = []
        for item in self._query.find:
            slot = layout.slots[item.variable]
            if item.function is None:
                columns.append(self._renderer.column(first, slot))
            else:
                cells = ([results.exact_key(row, slot) for row in members] for members in groups.values())
                columns.append([results.aggregate(item, group) for group in cells])
        extra = {name: self._renderer.column(first, layout.slots[name]) for name in outside}
        return self._ordered(*_merged_with(_transposed(columns), extra))

    # -- order --------------------------------------------------------------------------------------------------------

    def _ordered(self, rows: list[list], extra: Mapping[str, list]) -> Result:
        columns = [item.column for item in self._query.find]
        keys = []
        for name, descending in self._query.order:
            values = [row[columns.index(name)] for row in rows] if name in columns else extra[name]
            keys.append((values, descending))
        self._meter.check_cancelled()
        return Result(columns, results.cut(results.sort_rows(rows, keys) if keys else rows, self._query))


def _transposed(columns: list[list]) -> list[list]:
    return list(map(list, zip(*columns, strict=True)))


def _merged(rows: list[list]) -> list[list]:
    return _merged_with(rows, {})[0]


def _merged_with(rows: list[list], extra: Mapping[str, list]) -> tuple[list[list], dict[str, list]]:
    """Rows that print differently, the first of each, with what belongs to them."""
    first: dict[str, int] = {}
    for place, row in enumerate(rows):
        first.setdefault(canonical.canonical(row), place)
    kept = list(first.values())
    return [rows[place] for place in kept], {name: [values[place] for place in kept] for name, values in extra.items()}


def _references(item: FindItem, rows: list[tuple], slot: Slot) -> list[int]:
    for row in rows:
        if results.exact_key(row, slot)[0] != REF:
            raise refuse(f"{item.column}: {item.variable} holds a value that is no reference", "find", "pull an entity")
    return [row[slot.value] for row in rows]


def _aggregate_columns(item: FindItem, value: str) -> list[str]:
    """What SQLite computes for one item of find."""
    if item.function is None:
        return []
    if item.function == "count":
        return ["count(*)"]
    if item.function == "count-distinct":
        return [f"count(DISTINCT {value})"]
    if item.function in ("min", "max"):
        return [f"{item.function}({value})"]
    return ["count(*)", f"min({value})", f"max({value})", f"total({value})"]


def _inexact(row: tuple, start: int) -> bool:
    """Whether some sum of the group's values could leave the integers that doubles hold."""
    count, least, greatest = row[start : start + 3]
    _check_whole(least, greatest)
    return bool(count) and count * max(abs(least), abs(greatest)) >= EXACT_DOUBLE


def _check_whole(*ends: object) -> None:
    """`FormatError` where the least or greatest of stored integers is none; of no values both are None."""
    for value in ends:
        if value is not None:
            logical.check_storage(INT, value)


def _from_sqlite(item: FindItem, row: tuple, start: int) -> object:
    if item.function in ("min", "max"):
        _check_whole(row[start])
    if item.function not in ("sum", "avg"):
        return row[start]
    count, _, _, total = row[start : start + 4]
    if not count:
        return None
    return total / count if item.function == "avg" else int(total)
