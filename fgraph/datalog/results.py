"""What leaves a query: the `Result`, and the way from fetched cells to its rows."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.datalog.clauses import FindItem, Query, Variable
from fgraph.datalog.sql import Cell
from fgraph.datalog.syntax import refuse
from fgraph.file.reader import Reader
from fgraph.values import canonical, logical
from fgraph.values.logical import FLOAT, INDIRECT, INSTANT, INT, REF, TEXT


class Result(Mapping):
    """The answer of a query, immutable: a mapping of `columns` (texts) and `rows` (lists), in that order."""

    __slots__ = ("_columns", "_rows")

    def __init__(self, columns: Iterable[str], rows: Iterable[list]) -> None:
        object.__setattr__(self, "_columns", list(columns))
        object.__setattr__(self, "_rows", list(rows))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Result cannot be changed")

    @property
    def columns(self) -> list[str]:
        """The column names, one for each item of `find`."""
        return list(self._columns)

    @property
    def rows(self) -> list[list]:
        """The rows, each as long as `columns`."""
        return [list(row) for row in self._rows]

    def to_dict(self) -> dict:
        """The plain dict `{"columns": [..], "rows": [[..]]}`."""
        return {"columns": self.columns, "rows": self.rows}

    def __getitem__(self, key: str) -> list:
        if key == "columns":
            return self.columns
        if key == "rows":
            return self.rows
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("columns", "rows"))

    def __len__(self) -> int:
        return 2

    def __repr__(self) -> str:
        return f"Result(columns={self._columns!r}, rows={self._rows!r})"


class Slot(NamedTuple):
    """Where a variable stands in the fetched rows: its value, its tag (or the one tag it always has), its payload."""

    value: int
    tag: int | None
    always: int | None
    payload: int | None


class Layout:
    """The columns of the final SELECT: each variable's value, and its tag and payload where they are needed."""

    def __init__(self, variables: Iterable[Variable], cells: Mapping[Variable, Cell]) -> None:
        self.texts: list[str] = []
        self.slots: dict[Variable, Slot] = {}
        for variable in variables:
            cell = cells[variable]
            always = next(iter(cell.tags)) if len(cell.tags) == 1 else None
            value = self._add(cell.value)
            tag = self._add(cell.tag) if always is None else None
            payload = self._add(cell.whole()) if not cell.tags.isdisjoint(INDIRECT) else None
            self.slots[variable] = Slot(value, tag, always, payload)

    def _add(self, text: str) -> int:
        self.texts.append(text)
        return len(self.texts) - 1


# How Python holds the values that are rendered as they are.
BARE = {INT: int, FLOAT: float, TEXT: str}


class Renderer:
    """Turns fetched cells into wire values, with the names of all entities loaded in few statements."""

    def __init__(self, reader: Reader, check: Callable[[], None]) -> None:
        self._reader = reader
        self._check = check
        self._labels: dict[int, str | int] = {}

    def column(self, rows: list[tuple], slot: Slot) -> list:
        """The wire values of one variable in all rows."""
        self._check()
        place = slot.value
        if slot.always == REF:
            self._load({row[place] for row in rows})
            labels = self._labels
            return [{"ref": labels[row[place]]} for row in rows]
        if slot.always in BARE:
            values = [row[place] for row in rows]
            if set(map(type, values)) <= {BARE[slot.always]} and slot.always != FLOAT:
                return values
        elif slot.tag is not None:
            self._load({row[place] for row in rows if row[slot.tag] == REF})
        return [self._value(row, slot) for row in rows]

    def _value(self, row: tuple, slot: Slot) -> object:
        tag = slot.always if slot.tag is None else row[slot.tag]
        if tag == REF and row[slot.value] in self._labels:
            return {"ref": self._labels[row[slot.value]]}
        blob = None if slot.payload is None else row[slot.payload]
        return logical.render(tag, row[slot.value], blob, self._reader.label)

    def _load(self, numbers: set) -> None:
        # What is no identity at all is left to `logical.render`, which knows what a sound file holds.
        missing = [number for number in numbers - self._labels.keys() if isinstance(number, int)]
        self._reader.warm(missing)
        label = self._reader.label
        self._labels.update((number, label(number)) for number in missing)


def cell_key(row: tuple, slot: Slot) -> tuple:
    """What tells one cell from another when rows are merged: an integer and a float of one value print alike."""
    tag = slot.always if slot.tag is None else row[slot.tag]
    return (INT if tag == FLOAT else tag, row[slot.value])


def exact_key(row: tuple, slot: Slot) -> tuple:
    """What tells one cell from another within groups and counts."""
    return (slot.always if slot.tag is None else row[slot.tag], row[slot.value])


def sort_key(value: object) -> tuple:
    """Where a rendered value sorts: booleans, numbers, text, then everything else by canonical text."""
    if isinstance(value, bool):
        return (0, value)
    if isinstance(value, int | float):
        return (1, value)
    if isinstance(value, str):
        return (2, value)
    return (3, canonical.canonical(value))


def sort_rows(rows: list[list], keys: list[tuple[list, bool]]) -> list[list]:
    """Rows by several key columns, each ascending or descending, ties in the order they came."""
    places = list(range(len(rows)))
    for column, descending in reversed(keys):
        sortable = [sort_key(value) for value in column]
        places.sort(key=sortable.__getitem__, reverse=descending)
    return [rows[place] for place in places]


def cut(rows: list, query: Query) -> list:
    """The rows that `offset` and `limit` keep."""
    end = None if query.limit is None else query.offset + query.limit
    return rows[query.offset : end]


def aggregate(item: FindItem, cells: list[tuple[int, object]]) -> object:
    """The value of an aggregate over the (tag, value) cells of a group; None over no rows, 0 for counts."""
    if item.function == "count":
        return len(cells)
    if item.function == "count-distinct":
        return len(set(cells))
    for tag, value in cells:
        if tag not in (INT, FLOAT, INSTANT):
            raise refuse(
                f"{item.column} is not defined for {logical.type_of(tag)}", "find", "aggregate numbers, or use count"
            )
        logical.check_storage(tag, value)
    values = [value for _, value in cells]
    if not values:
        return None
    if item.function in ("min", "max"):
        return min(values) if item.function == "min" else max(values)
    if item.function == "avg":
        return finite(_added(values) / len(values), item)
    if any(tag == FLOAT for tag, _ in cells):
        return finite(_added(values), item)
    return within(sum(values), item)


def _added(values: list[int | float]) -> float:
    """Doubles added one by one: the built-in `sum` rounds differently from one Python to the next."""
    total = 0.0
    for value in values:
        total += float(value)
    return total


def finite(value: float, item: FindItem) -> float:
    """The value itself, unless it left the range of a float."""
    if float("-inf") < value < float("inf"):
        return value
    raise refuse(f"{item.column} leaves the range of a float", "find", "aggregate fewer or smaller values")


def within(value: int, item: FindItem) -> int:
    """The value itself, unless it left 64 bits."""
    if limits.INT_MIN <= value <= limits.INT_MAX:
        return value
    raise refuse(f"{item.column} leaves 64 bits", "find", "aggregate fewer or smaller values")


def missing_in_order(name: str) -> errors.QueryError:
    """The error for an order variable that an aggregate over no rows has no value for."""
    return refuse(f"order names {name}, which has no value over no rows", "order", "order by a column")
