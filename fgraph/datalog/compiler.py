"""Planned clauses to SQL: a conjunction is one SELECT, to which each kind of clause adds its part."""

from collections.abc import Callable
from typing import Protocol

from fgraph import limits
from fgraph.datalog import canonical, columns, predicates, unions
from fgraph.datalog.clauses import (
    Arithmetic,
    Call,
    Given,
    Not,
    Pattern,
    Predicate,
    Unify,
    Union,
    Variable,
    variables_of,
)
from fgraph.datalog.patterns import Patterns
from fgraph.datalog.planner import Planner, Step, Types, is_generator
from fgraph.datalog.relations import Relations, Scope
from fgraph.datalog.sql import Block, Statement, same, with_clause
from fgraph.datalog.tables import Tables


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
        self.relations = Relations(statement, tables)
        self._patterns = patterns
        self._calls = calls

    def conjunction(self, clauses: tuple, block: Block, scope: Scope, types: Types | None = None) -> Block:
        """Extend a block by clauses, in the planner's order."""
        steps = self.planner.plan(clauses, block.cells.keys(), types or types_of(block))
        for place, step in enumerate(steps):
            block = self._owned_step(step, block, scope)
            crowded = block.duplicates or block.width >= limits.QUERY_ALIASES
            if crowded and not scope.flat and any(is_generator(later.clause) for later in steps[place + 1 :]):
                block = self.relations.stage(block, scope)
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
        return KINDS[type(step.clause)](self, step, block, scope)

    # -- one kind of clause each --------------------------------------------------------------------------------------

    def _pattern(self, step: Step, block: Block, scope: Scope) -> Block:
        key = canonical.fact_key(step.clause.uid)
        self._patterns.add(block, step.clause, step.narrow, scope.ordered and key in scope.keys)
        return block

    def _predicate(self, step: Step, block: Block, scope: Scope) -> Block:
        clause = step.clause
        left, right = self.statement.cell(clause.left, block), self.statement.cell(clause.right, block)
        block.require(predicates.condition(clause.op, left, right))
        return block

    def _arithmetic(self, step: Step, block: Block, scope: Scope) -> Block:
        clause = step.clause
        left, right = self.statement.cell(clause.left, block), self.statement.cell(clause.right, block)
        result = predicates.calculated(clause.op, left, right)
        if isinstance(clause.result, Variable) and clause.result not in block.cells:
            block.cells[clause.result] = result
            block.relation = None
            # Apart, the value is computed once, and for just the rows that come here.
            return block if scope.flat else self.relations.stage(block, scope)
        block.require(predicates.equality(result, self.statement.cell(clause.result, block)))
        return block

    def _unify(self, step: Step, block: Block, scope: Scope) -> Block:
        left, right = step.clause.left, step.clause.right
        if isinstance(left, Variable) and left not in block.cells:
            left, right = right, left
        if isinstance(right, Variable) and right not in block.cells:
            block.cells[right] = self.statement.cell(left, block)
            block.relation = None
        else:
            block.require(*same(self.statement.cell(left, block), self.statement.cell(right, block)))
        return block

    def _given(self, step: Step, block: Block, scope: Scope) -> Block:
        given = step.clause
        if given.rows:
            self.relations.join(block, given, self.relations.listed(given, scope), given.variables, "k")
        else:
            block.never(given.variables)
        return block

    def _call(self, step: Step, block: Block, scope: Scope) -> Block:
        return self._calls.join(self, block, step.clause, scope)

    def _not(self, step: Step, block: Block, scope: Scope) -> Block:
        clause = step.clause
        if not scope.flat and depth(clause) > limits.QUERY_SUBQUERIES:
            return self._not_apart(clause, block, scope)
        inner = Scope([], False, (), outermost=False)
        body = self.conjunction(clause.body, Block(block.cells), inner, types_of(block))
        before = with_clause(inner.ctes, recursive=True)
        if self.planner.body_may_fail(clause.body, types_of(block)):
            # A failing row behind the first witness has to be met, so all are looked at.
            block.require(f"(\n{before}{body.select(['count(*)'])}\n) = 0")
        else:
            block.require(f"NOT EXISTS (\n{before}{body.select(['1'])}\n)")
        return block

    def _not_apart(self, clause: Not, block: Block, scope: Scope) -> Block:
        """A `not` too deep for SQLite's parser as a subquery: what its body finds is computed for all rows at once."""
        block = self.relations.stage(block, scope)
        shared = {variable: cell.tags for variable, cell in block.cells.items() if variable in variables_of(clause)}
        start = self.relations.start(block.relation)
        body = self.conjunction(clause.body, start, scope._replace(ordered=False, keys=()))
        texts = columns.spelled((body.cells[variable] for variable in shared), shared.values())
        found = self.relations.computed(body.select(texts, distinct=True), shared, (), scope)
        row = ", ".join(columns.expressions((block.cells[variable] for variable in shared), shared.values()))
        block.require(f"({row}) NOT IN (SELECT {', '.join(columns.names(shared.values()))} FROM {found.name})")
        return block

    def _union(self, step: Step, block: Block, scope: Scope) -> Block:
        union = step.clause
        fresh = [variable for variable in union.exports if variable not in block.cells]
        if not union.arms:
            block.never(fresh)
            return block
        if unions.is_part(union, block.cells):
            return self._only_arm(union, block, scope)
        prefix = None if block.is_empty and not block.cells else self.relations.stage(block, scope).relation
        starts = (self.relations.start(prefix) if prefix else Block() for _ in union.arms)
        arms = [
            self.conjunction(arm.clauses, start, scope.inside(arm))
            for arm, start in zip(union.arms, starts, strict=True)
        ]
        shown = unions.variables(arms, [*(prefix.variables if prefix else ()), *fresh])
        keys = unions.keys(union, prefix.keys if prefix else ()) if scope.ordered else ()
        text = unions.select(union, arms, shown, keys)
        return self.relations.start(self.relations.computed(text, shown, keys, scope))

    def _only_arm(self, union: Union, block: Block, scope: Scope) -> Block:
        """The single arm of a union without locals is a part of the conjunction around it."""
        arm = union.arms[0]
        block = self.conjunction(arm.clauses, block, scope.inside(arm))
        for column, name in zip(canonical.arm_columns(union), arm.keys, strict=True):
            if name in block.keys:
                block.keys[column] = block.keys[name]
        return block


KINDS: dict[type, Callable[[Compiler, Step, Block, Scope], Block]] = {
    Pattern: Compiler._pattern,
    Predicate: Compiler._predicate,
    Arithmetic: Compiler._arithmetic,
    Unify: Compiler._unify,
    Given: Compiler._given,
    Call: Compiler._call,
    Not: Compiler._not,
    Union: Compiler._union,
}


def types_of(block: Block) -> Types:
    """The tags each bound variable can have."""
    return {variable: cell.tags for variable, cell in block.cells.items()}


def depth(clause: object) -> int:
    """How many `not`s and unions are nested in a clause, itself counted."""
    if isinstance(clause, Not):
        return 1 + max(map(depth, clause.body), default=0)
    if isinstance(clause, Union):
        return 1 + max((depth(inner) for arm in clause.arms for inner in arm.clauses), default=0)
    return 0
