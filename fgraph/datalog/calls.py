"""How the calls of a query's recursive rules are answered: by a recursive CTE, or by rounds over tables."""

from collections.abc import Mapping
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.datalog import columns, magic
from fgraph.datalog.clauses import ANY, Call, Variable
from fgraph.datalog.compiler import Compiler
from fgraph.datalog.fixpoint import Fixpoint, table_of
from fgraph.datalog.linear import is_bound, linear
from fgraph.datalog.lower import Lowering, readings
from fgraph.datalog.meter import Meter
from fgraph.datalog.patterns import Patterns
from fgraph.datalog.planner import Planner
from fgraph.datalog.recursion import LinearCalls, sources
from fgraph.datalog.relations import Relation, Scope
from fgraph.datalog.rulebook import RuleBook
from fgraph.datalog.sql import Block, Statement, with_clause
from fgraph.datalog.statistics import Statistics
from fgraph.datalog.syntax import refuse
from fgraph.datalog.tables import Tables
from fgraph.file.reader import Reader


class Context(NamedTuple):
    """What compiling needs to know of the query around it."""

    reader: Reader
    statistics: Statistics
    planner: Planner
    history: bool
    tables: Tables
    meter: Meter
    indexes: dict[int, str | None]  # filled while compiling: the index of each pattern

    def compiler(self, statement: Statement, calls: object, hints: Mapping[int, float]) -> Compiler:
        """A compiler of one more statement; `hints` are the rows that some calls lead to."""
        patterns = Patterns(self.reader, statement, self.statistics, self.history, self.indexes)
        return Compiler(statement, self.planner.hinted(hints), patterns, calls, self.tables)


class RuleCalls:
    """Answers the calls that are left after unfolding."""

    def __init__(self, context: Context, lowering: Lowering, book: RuleBook) -> None:
        self._context = context
        self._lowering = lowering
        self._book = book
        self._components = book.recursive
        self._linear: dict[str, LinearCalls | None] = {}
        self._whole: dict[bool, Fixpoint] = {}
        self.entered: dict[int, str] = {}

    def join(self, compiler: Compiler, block: Block, call: Call, scope: Scope) -> Block:
        """The block extended by the tuples that match a call."""
        before = self._context.meter.spent
        try:
            return self._join(compiler, block, call, scope)
        finally:
            # Rounds run while the statement is compiled; their work is the call's.
            self._context.meter.note(call.uid, self._context.meter.spent - before)

    def _join(self, compiler: Compiler, block: Block, call: Call, scope: Scope) -> Block:
        # Where one call leads to many others, their tuples are better derived once than spelled out for each.
        if not scope.ordered and call.name in self._components and len(scope.ctes) < limits.QUERY_ARMS:
            form = self._linear_form(call.name)
            joined = None if form is None else form.join(compiler, block, call, scope)
            if joined is not None:
                self.entered[call.uid] = "recursive statement"
                return joined
        return self._by_rounds(compiler, block, call, scope)

    def _linear_form(self, name: str) -> LinearCalls | None:
        if name not in self._linear:
            rule = linear(self._lowering, name) if len(self._components[name]) == 1 else None
            needs = self._book.needs[name]
            self._linear[name] = rule and LinearCalls(self._lowering, rule, needs, self._context.planner)
        return self._linear[name]

    # -- rounds -------------------------------------------------------------------------------------------------------

    def _by_rounds(self, compiler: Compiler, block: Block, call: Call, scope: Scope) -> Block:
        may_look = scope.outermost and not scope.flat
        places = tuple(place for place, term in enumerate(call.args) if is_bound(term, block, fixed_only=not may_look))
        if not self._book.needs[call.name] <= set(places):
            raise refuse(
                f"rule {errors.quote(call.name)} needs an argument from a row outside this not",
                "where",
                "bind the argument inside",
            )
        if places and call.name in self._components:
            if any(isinstance(call.args[place], Variable) for place in places):
                block = compiler.relations.stage(block, scope, kept=True)
            relation = self._asked(compiler, block, call, places, scope)
            self.entered[call.uid] = "rounds from the bound arguments"
        else:
            relation = self._all(scope.ordered).relation(call.name)
            self.entered[call.uid] = "rounds over everything"
        compiler.relations.join(block, call, relation, call.args, "pos")
        block.duplicates = block.duplicates or ANY in call.args
        return block

    def _fixpoint(self, rules: dict, given: dict[str, Relation], ordered: bool) -> Fixpoint:
        return Fixpoint(rules, given, self._context.tables, self._context.compiler, ordered)

    def _all(self, ordered: bool) -> Fixpoint:
        if ordered not in self._whole:
            self._whole[ordered] = self._fixpoint(self._lowering.rules, {}, ordered)
        return self._whole[ordered]

    def _asked(self, compiler: Compiler, block: Block, call: Call, places: tuple[int, ...], scope: Scope) -> Relation:
        """The tuples of a rule for the bound arguments of a call; where order matters, in the order of all tuples."""
        fixed = not any(isinstance(call.args[place], Variable) for place in places)
        if scope.ordered and fixed and len(list(readings(self._lowering.references, call, places))) == 1:
            followed = magic.follow(self._lowering.rules, call.name, places)
            if followed is not None:
                seeds = self._seeds(compiler, block, call, places, scope)
                fixpoint = self._fixpoint(followed.rules, {followed.seeds: seeds}, ordered=True)
                return fixpoint.relation(followed.answer)
        rewritten = magic.rewrite(self._lowering.rules, self._components[call.name], call.name, places)
        seeds = self._seeds(compiler, block, call, places, scope)
        fixpoint = self._fixpoint(rewritten.rules, {rewritten.seeds: seeds}, ordered=False)
        found = fixpoint.relation(rewritten.answer)
        if not scope.ordered or any(self._book.needs[name] for name in self._components[call.name]):
            return found  # a rule that needs its caller has no tuples, and no order, by itself
        if not rewritten.alike:
            return self._all(True).relation(call.name)
        # Once more as the rule was written, for just what was asked for: its tuples keep the order they have in all.
        rules = magic.restrict(self._lowering.rules, rewritten, call.name)
        again = self._fixpoint(rules, {rewritten.asked: fixpoint.relation(rewritten.asked)}, ordered=True)
        return again.relation(rewritten.answer)

    def _seeds(self, compiler: Compiler, block: Block, call: Call, places: tuple[int, ...], scope: Scope) -> Relation:
        """A table of the distinct values of the bound arguments."""
        relation = table_of(self._context.tables, len(places))
        before = with_clause(scope.ctes, recursive=True)
        for source, cells in sources(compiler, block, call, places, self._lowering.references):
            text = source.select(columns.spelled(cells, relation.tags))
            listed = columns.names(relation.tags)
            self._context.tables.insert(relation.name, listed, text, compiler.statement.parameters, before)
        return relation
