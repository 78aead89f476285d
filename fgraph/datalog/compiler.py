"""Planned clauses to SQL: a conjunction is one SELECT, its parts that need a set of their own are CTEs of it."""

import re
from typing import NamedTuple, Protocol

from fgraph import limits
from fgraph.datalog import canonical, predicates
from fgraph.datalog.clauses import (
    ANY,
    Arithmetic,
    Arm,
    Call,
    Given,
    Not,
    Pattern,
    Predicate,
    Readings,
    Unify,
    Union,
    Variable,
    outward,
    variables_of,
)
from fgraph.datalog.patterns import Patterns
from fgraph.datalog.planner import Planner, Step, Types, is_generator
from fgraph.datalog.sql import NEVER, Block, Cell, Statement, same, typed_cell, with_clause
from fgraph.datalog.tables import TABLE_PREFIX, Tables
from fgraph.values.logical import INSTANT, Stored

RELATION_NAME = re.compile(r"\br[0-9]+\b")
CALCULATED = predicates.NUMBERS | {INSTANT}


class Relation(NamedTuple):
    """A named set of rows: for each variable its column number and the tags it can have, and its key columns."""

    name: str
    columns: dict[Variable, tuple[int, frozenset[int]]]
    keys: tuple[str, ...] = ()


class Scope(NamedTuple):
    """Where a conjunction is compiled: the CTEs it may add to, whether row order matters, and the key columns."""

    ctes: list[tuple[str, str]]
    ordered: bool
    keys: tuple[str, ...]
    flat: bool = False  # inside a recursive CTE: nothing may be computed apart
    outermost: bool = True  # not inside a subquery that looks at the row around it

    def inside(self, arm: Arm) -> "Scope":
        """The scope of an arm: its keys come after those of the rows before it."""
        return self._replace(keys=(*self.keys, *arm.keys))


class Calls(Protocol):
    """How the compiler asks for the tuples of a rule that is not unfolded."""

    def join(self, compiler: "Compiler", block: Block, call: Call, scope: Scope) -> Block: ...


class Compiler:
    """Compiles lowered clauses for one statement."""

    def __init__(
        self, statement: Statement, planner: Planner, patterns: Patterns, calls: Calls, tables: Tables
    ) -> None:
        self.statement = statement
        self.planner = planner
        self.tables = tables
        self._weights: dict[str, int] = {}
        self._patterns = patterns
        self._calls = calls

    def conjunction(self, clauses: tuple, block: Block, scope: Scope, types: Types | None = None) -> Block:
        """Extend a block by clauses, in the planner's order."""
        steps = self.planner.plan(clauses, block.cells.keys(), types or types_of(block))
        for place, step in enumerate(steps):
            block = self._owned_step(step, block, scope)
            more = any(is_generator(later.clause) for later in steps[place + 1 :]) and not scope.flat
            if more and (block.duplicates or block.width >= limits.QUERY_ALIASES):
                block = self.stage(block, scope)
        return block

    def _owned_step(self, step: Step, block: Block, scope: Scope) -> Block:
        """A step; the work of all that is inside counts for it, if it is one of the query's own."""
        if self.statement.owner is not None:
            return self._step(step, block, scope)
        self.statement.owner = step.clause.uid
        block = self._step(step, block, scope)
        block.require(*self.statement.passed(step.clause.uid))
        self.statement.owner = None
        return block

    def _step(self, step: Step, block: Block, scope: Scope) -> Block:
        clause = step.clause
        if isinstance(clause, Pattern):
            self._patterns.add(
                block, clause, step.narrow, scope.ordered and canonical.fact_key(clause.uid) in scope.keys
            )
        elif isinstance(clause, Predicate):
            block.require(*self._predicate(clause, block))
        elif isinstance(clause, Arithmetic):
            return self._arithmetic(clause, block, scope)
        elif isinstance(clause, Not):
            if not scope.flat and depth(clause) > limits.QUERY_SUBQUERIES:
                return self._not_apart(clause, block, scope)
            block.require(self._not(clause, block))
        elif isinstance(clause, Unify):
            self._unify(clause, block)
        elif isinstance(clause, Given):
            self._given(clause, block, scope)
        elif isinstance(clause, Union):
            return self._union(clause, block, scope)
        else:
            return self._calls.join(self, block, clause, scope)
        return block

    # -- relations ----------------------------------------------------------------------------------------------------

    def stage(self, block: Block, scope: Scope, kept: bool = False) -> Block:
        """A block that starts from the rows of this one, each set of bindings once, with its least key.

        `kept` has them in a table, for other statements to read.
        """
        if isinstance(block.relation, Relation) and (not kept or block.relation.name.startswith(TABLE_PREFIX)):
            return block
        return self.start(self.materialise(block, scope, kept))

    def materialise(self, block: Block, scope: Scope, kept: bool = False) -> Relation:
        """The rows of a block as a relation."""
        order = [name for name in scope.keys if name in block.keys] if scope.ordered else []
        columns, cells = _columns(block.cells)
        texts = [*cells, *(f"{block.keys[name]} AS {name}" for name in order)] or ["1"]
        text = block.select(texts, distinct=block.duplicates and not order)
        if block.duplicates and order:
            text = first_of_each(text, columns, order)
        return (self.keep if kept else self.relation)(text, columns, tuple(order), scope)

    def relation(self, text: str, columns: dict, keys: tuple[str, ...], scope: Scope) -> Relation:
        """A SELECT as a relation that is computed once."""
        # SQLite reads the text of a CTE anew for each time it is named, and those named in it.
        weight = 1 + sum(self._weights.get(name, 0) for name in RELATION_NAME.findall(text))
        if weight > limits.QUERY_REFERENCES and scope.outermost:
            return self.keep(text, columns, keys, scope)
        name = self.statement.name("r")
        self._weights[name] = weight
        scope.ctes.append((name, f"MATERIALIZED (\n{text}\n)"))
        return Relation(name, columns, keys)

    def keep(self, text: str, columns: dict, keys: tuple[str, ...], scope: Scope) -> Relation:
        """A SELECT as a temporary table, filled at once."""
        names = [*_names(columns), *keys] or ["v0"]
        name = self.tables.create(names)
        self.tables.insert(name, names, text, self.statement.parameters, with_clause(scope.ctes, recursive=True))
        return Relation(name, columns, keys)

    def start(self, relation: Relation) -> Block:
        """A block that reads a relation."""
        block = Block()
        alias = self.statement.name("s")
        block.table(f"{relation.name} {alias}", anchor_of(alias, relation))
        for variable, (number, tags) in relation.columns.items():
            block.cells[variable] = column_cell(alias, number, tags)
        block.keys = {name: f"{alias}.{name}" for name in relation.keys}
        block.relation = relation
        return block

    def join(
        self,
        block: Block,
        clause: Call | Given,
        relation: Relation,
        terms: tuple,
        key: str | None,
        window: tuple[str, ...] = (),
    ) -> None:
        """Join a relation whose columns stand for `terms`, one unit of work for each tuple that matches.

        `key` is the column that orders the tuples; `window` are conditions on the relation's own columns.
        """
        alias = self.statement.name("s")
        conditions = [f"{alias}.{condition}" for condition in window]
        for term, (number, tags) in zip(terms, relation.columns.values(), strict=True):
            cell = column_cell(alias, number, tags)
            if isinstance(term, Variable) and term not in block.cells:
                block.cells[term] = cell
            elif term is not ANY:
                conditions.append(self.matches(term, block, cell))
        anchor = anchor_of(alias, relation)
        # The condition before the count names the table even where nothing is compared, or it would run only once.
        guard = " AND ".join(conditions) or anchor
        # IS, because SQLite puts a constant in the place of a column that equals it, in the condition of the count too.
        terms = [condition.replace(" = ", " IS ") for condition in conditions]
        block.table(f"{relation.name} {alias}", anchor, terms, [guard, self.statement.tick(clause.uid)])
        if key is not None:
            block.keys[canonical.fact_key(clause.uid)] = f"{alias}.{key}"

    # -- clauses ------------------------------------------------------------------------------------------------------

    def cell(self, term: Variable | Stored, block: Block) -> Cell:
        """The cell of a bound variable or a constant."""
        return block.cells[term] if isinstance(term, Variable) else self.statement.constant(term)

    def matches(self, term: Variable | Stored | Readings, block: Block, cell: Cell) -> str:
        """The condition that a column holds the value of a term: as an entity or as a value, whichever it holds."""
        if not isinstance(term, Readings):
            return " AND ".join(same(self.cell(term, block), cell))
        options = dict.fromkeys(reading for reading in term if isinstance(reading, Stored) and reading.tag in cell.tags)
        either = [" AND ".join(same(self.statement.constant(reading), cell)) for reading in options]
        return f"({' OR '.join(either)})" if either else NEVER

    def _predicate(self, clause: Predicate, block: Block) -> list[str]:
        left, right = self.cell(clause.left, block), self.cell(clause.right, block)
        if not predicates.runs_in_sql(clause.op, left.tags, right.tags):
            sides = ", ".join(f"{cell.tag}, {cell.value}, {cell.whole()}" for cell in (left, right))
            return [f"fgraph_test('{clause.op}', {sides})"]
        if clause.op == "contains":
            return [f"instr({left.value}, {right.value}) > 0"]
        if clause.op == "starts-with":
            return [f"instr({left.value}, {right.value}) = 1"]
        if clause.op in ("=", "!="):
            equal = equality(left, right)
            return [equal if clause.op == "=" else f"NOT ({equal})"]
        return [f"{left.value} {clause.op} {right.value}"]

    def _arithmetic(self, clause: Arithmetic, block: Block, scope: Scope) -> Block:
        left, right = self.cell(clause.left, block), self.cell(clause.right, block)
        operands = f"'{clause.op}', {left.tag}, {left.value}, {right.tag}, {right.value}"
        result = Cell(f"fgraph_calc({operands})", f"fgraph_kind({operands})", CALCULATED)
        if isinstance(clause.result, Variable) and clause.result not in block.cells:
            block.cells[clause.result] = result
            block.relation = None
            return (
                block if scope.flat else self.stage(block, scope)
            )  # computes the value once, for just the rows that come here
        block.require(equality(result, self.cell(clause.result, block)))
        return block

    def _not(self, clause: Not, block: Block) -> str:
        inner = Scope([], False, (), outermost=False)
        body = self.conjunction(clause.body, Block(block.cells), inner, types_of(block))
        if self.planner.body_may_fail(clause.body, types_of(block)):
            # A failing row behind the first witness has to be met, so all are looked at.
            return f"(\n{with_clause(inner.ctes, recursive=True)}{body.select(['count(*)'])}\n) = 0"
        return f"NOT EXISTS (\n{with_clause(inner.ctes, recursive=True)}{body.select(['1'])}\n)"

    def _not_apart(self, clause: Not, block: Block, scope: Scope) -> Block:
        """A `not` too deep for SQLite's parser as a subquery: what its body finds is computed for all rows at once."""
        block = self.stage(block, scope)
        shared = [variable for variable in block.cells if variable in variables_of(clause)]
        inner = self.conjunction(clause.body, self.start(block.relation), scope._replace(ordered=False, keys=()))
        columns = _columns({variable: block.cells[variable] for variable in shared})[0]
        found = self.relation(inner.select(texts_of(inner, shared) or ["1"], distinct=True), columns, (), scope)
        outside = ", ".join(text.partition(" AS ")[0] for text in texts_of(block, shared))
        if shared:
            block.require(f"({outside}) NOT IN (SELECT {', '.join(_names(columns))} FROM {found.name})")
        else:
            block.require(f"NOT EXISTS (SELECT 1 FROM {found.name})")
        return block

    def _unify(self, clause: Unify, block: Block) -> None:
        left, right = clause.left, clause.right
        if isinstance(left, Variable) and left not in block.cells:
            left, right = right, left
        if isinstance(right, Variable) and right not in block.cells:
            block.cells[right] = self.cell(left, block)
            block.relation = None
        else:
            block.require(*same(self.cell(left, block), self.cell(right, block)))

    def _given(self, clause: Given, block: Block, scope: Scope) -> None:
        if not clause.rows:
            block.never(clause.variables)
            return
        bind = self.statement.bind
        rows = [
            ", ".join([str(place), *(f"{cell.tag}, {bind(cell.value)}" for cell in row)])
            for place, row in enumerate(clause.rows)
        ]
        columns = {
            variable: (number, frozenset(row[number].tag for row in clause.rows))
            for number, variable in enumerate(clause.variables)
        }
        name = self.statement.name("i")
        head = ", ".join(["k", *(f"t{number}, v{number}" for number in range(len(clause.variables)))])
        listed = ",\n".join(f"({row})" for row in rows)
        scope.ctes.append((f"{name} ({head})", f"MATERIALIZED (\nVALUES\n{listed}\n)"))
        self.join(block, clause, Relation(name, columns), clause.variables, "k")

    def _union(self, union: Union, block: Block, scope: Scope) -> Block:
        fresh = [variable for variable in union.exports if variable not in block.cells]
        if not union.arms:
            block.never(fresh)
            return block
        if len(union.arms) == 1 and set().union(*map(outward, union.arms[0].clauses), ()) <= {*block.cells, *fresh}:
            return self._only_arm(union, block, scope)
        prefix = None if block.is_empty and not block.cells else self.stage(block, scope).relation
        arms = [self._arm(union, number, prefix, scope) for number in range(len(union.arms))]
        columns = _merged(arms, [*(prefix.columns if prefix else ()), *fresh])
        keys = [name for name in self._union_keys(union, prefix) if scope.ordered]
        texts = [_arm_text(union, number, arm, columns, keys) for number, arm in enumerate(arms)]
        if scope.ordered:
            text = first_of_each("\nUNION ALL\n".join(texts), columns, keys)
        else:
            text = "\nUNION\n".join(texts)
        return self.start(self.relation(text, columns, tuple(keys), scope))

    def _only_arm(self, union: Union, block: Block, scope: Scope) -> Block:
        """The single arm of a union without locals is a part of the conjunction around it."""
        arm = union.arms[0]
        block = self.conjunction(arm.clauses, block, scope.inside(arm))
        for column, name in zip(canonical.arm_columns(union), arm.keys, strict=True):
            if name in block.keys:
                block.keys[column] = block.keys[name]
        return block

    def _arm(self, union: Union, number: int, prefix: Relation | None, scope: Scope) -> Block:
        arm = union.arms[number]
        return self.conjunction(arm.clauses, self.start(prefix) if prefix else Block(), scope.inside(arm))

    @staticmethod
    def _union_keys(union: Union, prefix: Relation | None) -> list[str]:
        before = prefix.keys if prefix else ()
        branch = canonical.branch_key(union.uid)
        return [*before, branch, *canonical.arm_columns(union)]


def anchor_of(alias: str, relation: Relation) -> str:
    """A condition that is true of every row of a relation."""
    return f"{alias}.v0 NOT NULL" if relation.columns else "1"


def types_of(block: Block) -> Types:
    """The tags each bound variable can have."""
    return {variable: cell.tags for variable, cell in block.cells.items()}


def column_cell(alias: str, number: int, tags: frozenset[int]) -> Cell:
    """The cell of one column of a relation."""
    return typed_cell(f"{alias}.v{number}", f"{alias}.t{number}", tags)


def equality(left: Cell, right: Cell) -> str:
    """The condition of `=`: one type and one value, integers and floats compared as numbers."""
    numeric = left.tags & predicates.NUMBERS and right.tags & predicates.NUMBERS
    if not numeric or (len(left.tags) == 1 and left.tags == right.tags):
        return " AND ".join(same(left, right))
    if left.tags | right.tags <= predicates.NUMBERS:
        return f"{left.value} = {right.value}"
    either = f"{left.tag} = {right.tag} OR {left.tag} IN (2, 3) AND {right.tag} IN (2, 3)"
    return f"({left.value} = {right.value} AND ({either}))"


def first_of_each(text: str, columns: dict, keys: list[str]) -> str:
    """Each distinct row of a SELECT once, with the least of its keys."""
    names = _names(columns)
    order = ", ".join(keys)
    partition = f"PARTITION BY {', '.join(names)} " if names else ""
    return (
        f"SELECT {', '.join([*names, *keys])}\n"
        f"FROM (\nSELECT *, row_number() OVER ({partition}ORDER BY {order}) AS nth\nFROM (\n{text}\n)\n)\nWHERE nth = 1"
    )


def texts_of(block: Block, variables: list[Variable]) -> list[str]:
    """The columns of some variables of a block."""
    return _columns({variable: block.cells[variable] for variable in variables})[1]


def depth(clause: object) -> int:
    """How many `not`s and unions are nested in a clause, itself counted."""
    if isinstance(clause, Not):
        return 1 + max(map(depth, clause.body), default=0)
    if isinstance(clause, Union):
        return 1 + max((depth(inner) for arm in clause.arms for inner in arm.clauses), default=0)
    return 0


def _columns(cells: dict[Variable, Cell]) -> tuple[dict, list[str]]:
    """Column numbers for cells, and their SQL; a tag that is always the same needs no column."""
    columns = {variable: (number, cell.tags) for number, (variable, cell) in enumerate(cells.items())}
    texts = []
    for number, cell in enumerate(cells.values()):
        texts.append(f"{cell.value} AS v{number}")
        if len(cell.tags) != 1:
            texts.append(f"{cell.tag} AS t{number}")
    return columns, texts


def _names(columns: dict) -> list[str]:
    names = []
    for number, tags in columns.values():
        names.append(f"v{number}")
        if len(tags) != 1:
            names.append(f"t{number}")
    return names


def _merged(arms: list[Block], variables: list[Variable]) -> dict:
    """The columns of a union: each variable with all tags it has in any arm."""
    return {
        variable: (number, frozenset().union(*(arm.cells[variable].tags for arm in arms)))
        for number, variable in enumerate(variables)
    }


def _arm_text(union: Union, number: int, arm: Block, columns: dict, keys: list[str]) -> str:
    texts = []
    for variable, (column, tags) in columns.items():
        cell = arm.cells[variable]
        texts.append(f"{cell.value} AS v{column}")
        if len(tags) != 1:
            texts.append(f"{cell.tag} AS t{column}")
    own = dict(zip(canonical.arm_columns(union), union.arms[number].keys, strict=False))
    for name in keys:
        value = str(number) if name == canonical.branch_key(union.uid) else arm.keys.get(own.get(name, name), "NULL")
        texts.append(f"{value} AS {name}")
    return arm.select(texts or ["1"], distinct=len(union.arms) == 1 and not keys)
