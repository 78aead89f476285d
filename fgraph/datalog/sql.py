"""Pieces of SQL that every part of the compiler uses: parameters, cells, and one SELECT under construction."""

from collections.abc import Iterable
from typing import NamedTuple

from fgraph.datalog.clauses import Readings, Variable
from fgraph.datalog.statistics import ALL_TAGS
from fgraph.values.logical import INDIRECT, Stored

# A condition that is never true. As a parameter, because SQLite draws conclusions from a literal 0: it would leave out
# the evaluation of what stands before it, and refuse the indexes that the tables name.
NEVER = ":never"


class Cell(NamedTuple):
    """A typed value as two SQL expressions; `tags` are the type tags it can have, `payload` that of a constant."""

    value: str
    tag: str
    tags: frozenset[int] = ALL_TAGS
    payload: str = ""

    def must_be(self, tag: int) -> list[str]:
        """The condition that the cell has this tag: none when it always has, a false one when it never has."""
        if self.tags == {tag}:
            return []
        return [f"{self.tag} = {tag}"] if tag in self.tags else [NEVER]

    def whole(self) -> str:
        """The payload of an indirect value, NULL for the others."""
        if self.payload:
            return self.payload
        if not self.tags & set(INDIRECT):
            return "NULL"
        return f"CASE WHEN {self.tag} IN (7, 8, 9) THEN (SELECT data FROM fgraph_blobs WHERE hash = {self.value}) END"


NOWHERE = Cell("NULL", "NULL", frozenset())


def typed_cell(value: str, tag: str, tags: frozenset[int]) -> Cell:
    """A cell whose tag is spelled as a literal where it can only be one."""
    return Cell(value, str(next(iter(tags))) if len(tags) == 1 else tag, tags)


def same(left: Cell, right: Cell) -> list[str]:
    """The conditions that two cells hold the same value of the same type."""
    common = left.tags & right.tags
    if not common:
        return [NEVER]
    tags = [] if len(left.tags) == len(right.tags) == 1 else [f"{left.tag} = {right.tag}"]
    return [*tags, f"{left.value} = {right.value}"]


class Statement:
    """What all parts of one SQL statement share: its parameters and its names."""

    def __init__(self, analyzed: bool = False) -> None:
        self.parameters: dict[str, object] = {"never": 0}  # by name, so that one that no text came to use does no harm
        self.owner: int | None = None  # the clause of the query whose work is being compiled
        self._numbers: dict[str, int] = {}
        self._analyzed = analyzed

    def bind(self, value: object) -> str:
        """The placeholder of one more parameter."""
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f":{name}"

    def constant(self, stored: Stored) -> Cell:
        """The cell of a constant."""
        payload = "" if stored.payload is None else self.bind(stored.payload)
        return Cell(self.bind(stored.value), str(stored.tag), frozenset((stored.tag,)), payload)

    def cell(self, term: Variable | Stored, block: "Block") -> Cell:
        """The cell of a bound variable or a constant."""
        return block.cells[term] if isinstance(term, Variable) else self.constant(term)

    def matches(self, term: Variable | Stored | Readings, block: "Block", cell: Cell) -> str:
        """The condition that a column holds the value of a term: as an entity or as a value, whichever it holds."""
        if not isinstance(term, Readings):
            return " AND ".join(same(self.cell(term, block), cell))
        options = dict.fromkeys(reading for reading in term if isinstance(reading, Stored) and reading.tag in cell.tags)
        either = [" AND ".join(same(self.constant(reading), cell)) for reading in options]
        return f"({' OR '.join(either)})" if either else NEVER

    def name(self, prefix: str) -> str:
        """A table name that is not used yet."""
        number = self._numbers.get(prefix, 0)
        self._numbers[prefix] = number + 1
        return f"{prefix}{number}"

    @property
    def counts_for(self) -> int | None:
        """The clause that the work of what is compiled now is put down to; None where it is not told apart."""
        return self.owner if self._analyzed else None

    def tick(self, uid: int) -> str:
        """The condition that counts one unit of work and is true."""
        return f"fgraph_tick_of({uid if self.owner is None else self.owner})" if self._analyzed else "fgraph_tick()"

    def passed(self, uid: int) -> list[str]:
        """The condition that counts one row of a step, where that is asked for."""
        return [f"fgraph_row_of({uid})"] if self._analyzed else []


class Block:
    """One SELECT: tables joined in a fixed order, each with its conditions.

    The conditions of a table are the branches of one CASE, so that they are evaluated in the order in which they are
    given, units of work between them, whatever SQLite thinks of it. `cells` are the variables bound so far, and `keys`
    the key columns.
    """

    def __init__(self, cells: dict[Variable, Cell] | None = None) -> None:
        self.cells = dict(cells or {})
        self.keys: dict[str, str] = {}
        self.duplicates = False
        self.relation: object = None  # the relation the block starts from, while nothing else was added to it
        self._tables: list[str] = []
        self._terms: list[str] = []
        self._chains: list[list[str]] = [[]]
        self._anchor = "1"  # a condition that is true of every row of the last table

    @property
    def width(self) -> int:
        """How many tables are joined."""
        return len(self._tables)

    @property
    def is_empty(self) -> bool:
        """Whether the block stands for the one row with nothing bound."""
        return not self._tables and not self._chains[0]

    def table(self, text: str, anchor: str, terms: Iterable[str] = (), conditions: Iterable[str] = ()) -> None:
        """Join one more table. `terms` are what its index seeks by; `conditions` are evaluated after one another.

        `anchor` is a condition that names the table and is true of all its rows.
        """
        if not self._tables and self._chains[0]:
            # Conditions that stand before all tables are decided once; LIMIT keeps SQLite from moving them inwards.
            self._tables.append(f"(SELECT 1\nWHERE {in_order(self._chains[0])}\nLIMIT 1)")
            self._chains[0] = []
        self._tables.append(text)
        self._anchor = anchor
        self._terms += terms
        self._chains.append(list(conditions))
        self.relation = None

    def require(self, *conditions: str) -> None:
        """Let only rows pass for which the conditions hold, evaluated after everything that was added before."""
        if NEVER in conditions:
            # Not decided before the tables are read: a row up to here may fail, and has to.
            conditions = (self._anchor, *conditions)
        if conditions:
            self._chains[-1] += conditions
            self.relation = None

    def never(self, variables: Iterable[Variable]) -> None:
        """Let no row pass; the variables count as bound."""
        self.require(NEVER)
        self.cells.update((variable, NOWHERE) for variable in variables if variable not in self.cells)

    def select(self, columns: Iterable[str], distinct: bool = False) -> str:
        """The statement text."""
        lines = [f"SELECT {'DISTINCT ' if distinct else ''}{', '.join(columns)}"]
        if self._tables:
            lines.append("FROM " + "\nCROSS JOIN ".join(self._tables))
        conditions = [*self._terms, *(in_order(chain) for chain in self._chains if chain)]
        if conditions:
            lines.append("WHERE " + "\nAND ".join(conditions))
        return "\n".join(lines)

    def order(self, names: Iterable[str]) -> list[str]:
        """The expressions of those key columns that the block has."""
        return [self.keys[name] for name in names if name in self.keys]


def in_order(conditions: list[str]) -> str:
    """A condition that evaluates others from left to right and stops at the first that does not hold."""
    if len(conditions) == 1:
        # A bare EXISTS among the terms of WHERE may be made a join by newer versions of SQLite, and counted otherwise.
        return f"({conditions[0]}) IS TRUE" if "EXISTS (" in conditions[0] else conditions[0]
    stops = " ".join(f"WHEN ({condition}) IS NOT TRUE THEN 0" for condition in conditions[:-1])
    return f"CASE {stops} ELSE {conditions[-1]} END"


def with_clause(ctes: list[tuple[str, str]], recursive: bool = False) -> str:
    """The WITH clause of a statement, or nothing."""
    if not ctes:
        return ""
    return f"WITH {'RECURSIVE ' if recursive else ''}" + ",\n".join(f"{head} AS {text}" for head, text in ctes) + "\n"
