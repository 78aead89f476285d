"""How one pattern joins the fact table: which index, what it seeks by, and when a unit of work is counted."""

from typing import NamedTuple

from fgraph.datalog import canonical, predicates
from fgraph.datalog.clauses import ANY, NOTHING, Pattern, Variable
from fgraph.datalog.planner import Narrow
from fgraph.datalog.sql import Block, Cell, Statement, same, typed_cell
from fgraph.datalog.statistics import ALL_TAGS, Statistics
from fgraph.file.reader import Reader
from fgraph.read import sides
from fgraph.values.logical import BOOL, REF, Stored

REFERENCE = frozenset((REF,))
LIVE_INDEXES = ("fgraph_eavt", "fgraph_vaet")


class Positions(NamedTuple):
    """The cells of the positions that are known before the pattern runs; None for the others."""

    e: Cell | None
    a: Cell | None
    v: Cell | None
    tx: Cell | None
    added: Cell | None


class Access(NamedTuple):
    """One way to find the facts of a pattern: the index, and the positions that it seeks by."""

    index: str | None
    seeks: frozenset[str]


class Place(NamedTuple):
    """The names of one use of the fact table: its alias, that of the sides joined to it, and the transaction."""

    alias: str
    side: str | None
    tx: str


class Conditions(NamedTuple):
    """What an index seeks by, what is tested before a unit is counted, and what after that."""

    terms: list[str]
    guards: list[str]
    residual: list[str]


BY_ATTRIBUTE = Access("fgraph_avet", frozenset("a"))


class Patterns:
    """Adds patterns to blocks, for one reader and one source."""

    def __init__(
        self,
        reader: Reader,
        statement: Statement,
        statistics: Statistics,
        history: bool,
        indexes: dict[int, str | None],
    ) -> None:
        self._reader = reader
        self._statement = statement
        self._statistics = statistics
        self._history = history
        self._indexes = indexes

    def add(self, block: Block, pattern: Pattern, narrow: Narrow, ordered: bool) -> None:
        """Join a pattern to a block and bind its variables; `ordered` says that its key column is wanted."""
        known = self._known(block, pattern)
        fresh = [term for term in pattern.terms if isinstance(term, Variable) and term not in block.cells]
        if NOTHING in pattern.terms or self._excluded(pattern, narrow):
            block.never(fresh)
        elif fresh or ordered or not self.may_repeat(pattern):
            self._join(block, pattern, known, narrow)
            if ordered or fresh:
                block.duplicates = block.duplicates or self.may_repeat(pattern)
        else:
            inner = Block(block.cells)
            self._join(inner, pattern, known, narrow)
            block.require(f"EXISTS ({inner.select(['1'])})")

    def may_repeat(self, pattern: Pattern) -> bool:
        """Whether several facts can give the same variables the same values."""
        if self._history or pattern.e is ANY or pattern.a is ANY:
            return True
        if pattern.v is not ANY:
            return False
        return not (isinstance(pattern.a, Stored) and self._statistics.single(pattern.a.value))

    def access(self, pattern: Pattern, known: Positions) -> Access:
        """The index by which the facts of a pattern are found."""
        live = self._reader.live and not self._history
        if known.e is not None:
            if not live:
                return Access("fgraph_hist", frozenset("ea") if known.a else frozenset("e"))
            exact = frozenset("eav") if known.v else frozenset("ea")
            return Access("fgraph_eavt", exact if known.a else frozenset("e"))
        if known.v is not None and known.v.tags == REFERENCE and live:
            return Access("fgraph_vaet", frozenset("va") if known.a else frozenset("v"))
        if known.a is not None:
            return Access("fgraph_avet", frozenset("av") if known.v else frozenset("a"))
        if known.tx is not None and not self._both_sides(pattern):
            return Access("fgraph_txout" if self._retracted(pattern) else "fgraph_txin", frozenset(("tx",)))
        return Access(None, frozenset())

    # -- the join -----------------------------------------------------------------------------------------------------

    def _known(self, block: Block, pattern: Pattern) -> Positions:
        def cell(term: object) -> Cell | None:
            if isinstance(term, Variable):
                return block.cells.get(term)
            return self._statement.constant(term) if isinstance(term, Stored) else None

        return Positions(*map(cell, pattern.terms))

    def _join(self, block: Block, pattern: Pattern, known: Positions, narrow: Narrow) -> None:
        place = self._place(pattern)
        access = self.access(pattern, known)
        self._indexes[pattern.uid] = access.index
        where = Conditions([], [], [])
        self._see(place, pattern, access, where)
        self._seek(place, pattern, known, access, where)
        self._narrow(place, pattern, access, narrow, where)
        where.residual.extend(self._bind(block, pattern, self._cells(place, pattern)))
        self._put(block, pattern, place, access, where)

    def _place(self, pattern: Pattern) -> Place:
        alias = self._statement.name("f")
        if self._both_sides(pattern):
            side = self._statement.name("d")
            return Place(alias, side, sides.transaction(alias, side))
        return Place(alias, None, f"{alias}.{'rx' if self._retracted(pattern) else 'tx'}")

    def _put(self, block: Block, pattern: Pattern, place: Place, access: Access, where: Conditions) -> None:
        """Add the table, and the table of sides where there is one, with their conditions."""
        alias, side, _ = place
        table = f"fgraph_facts {alias} {f'INDEXED BY {access.index}' if access.index else 'NOT INDEXED'}"
        anchor = f"{side}.added NOT NULL" if side else f"{alias}.id"
        # Without a word about this table the condition would be evaluated, and counted, for an earlier one. What is
        # said of a column that equals a constant is no such word: SQLite puts the constant in its place.
        guards = where.guards if self._names_table(access) else [anchor, *where.guards]
        conditions = [" AND ".join(guards), self._statement.tick(pattern.uid), *where.residual]
        if side is None:
            block.table(table, anchor, where.terms, conditions)
        else:
            block.table(table, f"{alias}.id", where.terms)
            block.table(f"{sides.TABLE} {side}", anchor, (), conditions)
            block.keys[canonical.datom_key(pattern.uid)] = f"1 - {side}.added"
        block.keys[canonical.fact_key(pattern.uid)] = f"{alias}.id"

    def _names_table(self, access: Access) -> bool:
        """Whether the end of the fact is looked at, rather than implied by a live index."""
        return not self._history and not (self._reader.live and access.index in LIVE_INDEXES)

    def _see(self, place: Place, pattern: Pattern, access: Access, where: Conditions) -> None:
        """Let only facts, or their assertions or retractions, pass that lie within the reader's view."""
        reader, alias = self._reader, place.alias
        if self._history:
            where.guards.append(self._seen_in_history(place, pattern))
            if access.index == "fgraph_txout":
                where.terms.append(f"{alias}.rx IS NOT NULL")
        elif reader.live and access.index in LIVE_INDEXES:
            where.terms.append(f"{alias}.rx IS NULL")
            if access.index == "fgraph_vaet":
                where.terms.append(f"{alias}.t = 0")
            if reader.since:
                where.guards.append(f"{alias}.tx > {reader.since}")
        else:
            where.guards.append(reader.shown(alias))

    def _seen_in_history(self, place: Place, pattern: Pattern) -> str:
        reader, alias = self._reader, place.alias
        if place.side is not None:
            return sides.seen(reader, alias, place.side)
        if isinstance(pattern.added, Stored):
            return (sides.retracted if self._retracted(pattern) else sides.asserted)(reader, alias)
        return sides.touched(reader, alias)

    def _seek(self, place: Place, pattern: Pattern, known: Positions, access: Access, where: Conditions) -> None:
        """Put what is known where it belongs: into the index's terms, before the unit is counted, or after it."""
        for name, column, cell in (
            ("e", f"{place.alias}.e", known.e),
            ("a", f"{place.alias}.a", known.a),
            ("tx", place.tx, known.tx),
        ):
            if cell is not None:
                where.guards.extend(cell.must_be(REF))
                (where.terms if name in access.seeks else where.guards).append(f"{column} = {cell.value}")
        if known.added is not None and isinstance(pattern.added, Variable):
            shown = "1" if place.side is None else f"{place.side}.added"
            where.guards.extend([*known.added.must_be(BOOL), f"{known.added.value} = {shown}"])
        if known.v is not None:
            late = where.guards if known.a is not None else where.residual
            (where.terms if "v" in access.seeks else late).extend(
                (f"{place.alias}.t = {known.v.tag}", f"{place.alias}.v = {known.v.value}")
            )

    def _narrow(self, place: Place, pattern: Pattern, access: Access, narrow: Narrow, where: Conditions) -> None:
        """Let the index seek a range of values, or at least the one type that all values have."""
        conditions = []
        for op, stored in narrow:
            present = self._comparable(pattern, op, stored)
            listed = ", ".join(map(str, sorted(present)))
            conditions.append(f"{place.alias}.t IN ({listed})" if len(present) != 1 else f"{place.alias}.t = {listed}")
            conditions.append(f"{place.alias}.v {op} {self._statement.bind(stored.value)}")
        where.terms.extend(conditions)
        where.guards.extend(conditions)
        if access == BY_ATTRIBUTE and not narrow and isinstance(pattern.a, Stored):
            tags = self._statistics.tags(pattern.a.value)
            # Where all values have one type, saying so brings the facts in the order of their values.
            where.terms.extend(f"{place.alias}.t = {tag}" for tag in tags if len(tags) == 1)

    @staticmethod
    def _retracted(pattern: Pattern) -> bool:
        """Whether the pattern asks for retractions only."""
        return isinstance(pattern.added, Stored) and not pattern.added.value

    def _both_sides(self, pattern: Pattern) -> bool:
        """Whether assertions and retractions have to be told apart row by row."""
        if not self._history or isinstance(pattern.added, Stored):
            return False
        return pattern.tx is not ANY or pattern.added is not ANY

    def _comparable(self, pattern: Pattern, op: str, stored: Stored) -> frozenset[int]:
        """The tags of an attribute's values that can meet a comparison with a constant."""
        alike = predicates.comparison_class(stored.tag)
        if op == "=" and not alike <= predicates.NUMBERS:
            alike = frozenset((stored.tag,))
        return alike & self._statistics.tags(pattern.a.value)

    def _excluded(self, pattern: Pattern, narrow: Narrow) -> bool:
        """Whether no value of the attribute is of a type that a comparison could be true of."""
        return any(not self._comparable(pattern, op, stored) for op, stored in narrow)

    def _cells(self, place: Place, pattern: Pattern) -> tuple[Cell, ...]:
        """The cells of the five positions. The sign keeps the affinity of integer columns out of comparisons."""
        alias, side, tx = place
        tags = self._statistics.tags(pattern.a.value) if isinstance(pattern.a, Stored) else ALL_TAGS
        added = f"{side}.added" if side is not None else str(int(not self._retracted(pattern)))
        return (
            Cell(f"+{alias}.e", "0", REFERENCE),
            Cell(f"+{alias}.a", "0", REFERENCE),
            typed_cell(f"{alias}.v", f"{alias}.t", tags),
            Cell(f"+{tx}" if side is None else tx, "0", REFERENCE),
            Cell(added, "1", frozenset((BOOL,))),
        )

    @staticmethod
    def _bind(block: Block, pattern: Pattern, cells: tuple[Cell, ...]) -> list[str]:
        """Bind the free variables; the conditions that a variable standing twice is the same in both places."""
        conditions: list[str] = []
        fresh: set[Variable] = set()
        for term, cell in zip(pattern.terms, cells, strict=True):
            if not isinstance(term, Variable):
                continue
            if term in fresh:
                conditions += same(block.cells[term], cell)
            elif term not in block.cells:
                block.cells[term] = cell
                fresh.add(term)
        return conditions
