"""`q`: one query from its JSON form to its result, each stage handing on to the next."""

import marshal
from collections.abc import Mapping
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.datalog import answer, meter, safety, syntax
from fgraph.datalog.answer import Answer, Final
from fgraph.datalog.calls import Context, RuleCalls
from fgraph.datalog.clauses import Arm, Call, Query, Union
from fgraph.datalog.lower import Lowering
from fgraph.datalog.planner import Planner, Types, rule_tags
from fgraph.datalog.relations import Scope
from fgraph.datalog.resolve import Resolved, resolve
from fgraph.datalog.results import Result
from fgraph.datalog.safety import Checked
from fgraph.datalog.sql import Block, Statement
from fgraph.datalog.statistics import Statistics
from fgraph.datalog.tables import Tables
from fgraph.file.reader import Reader
from fgraph.read import pull


class Prepared(NamedTuple):
    """A query that is ready to be planned: checked, resolved at the reader's basis and lowered."""

    reader: Reader
    checked: Checked
    resolved: Resolved
    lowering: Lowering
    where: Arm
    shapes: Mapping[int, pull.Shape]
    statistics: Statistics

    @property
    def query(self) -> Query:
        return self.checked.query


class Run(NamedTuple):
    """One way to run a query: whether in the planner's own order, with rows in canonical order, with figures kept."""

    own: bool = True
    ordered: bool | None = None  # None: where the answer depends on it
    analyzed: bool = False


def run(reader: Reader, query: object, args: object = None) -> Result:
    """The answer of a query at the reader's basis (docs/queries.md).

    Raises `QueryError` for anything wrong with the query, before any data is looked at where that can be seen, and
    `TooLarge` beyond the budget of work.
    """
    plans, key = _known_plans(reader), _plan_key(query, args)
    result = plans[key].again(reader) if key in plans else None
    if result is not None:
        return result
    result, execution = attempt(prepare(reader, query, args), Run())
    if key is not None and execution.plan is not None:
        if len(plans) >= limits.QUERY_PLANS:
            plans.clear()
        plans[key] = execution.plan
    return result


class Plan(NamedTuple):
    """A compiled query, good for as long as the basis is the same."""

    query: Query
    shapes: Mapping[int, pull.Shape]
    final: Final

    def again(self, reader: Reader) -> Result | None:
        """The answer, or None when another way to run the query has to be found."""
        try:
            return Answer(reader, self.query, meter.started(reader), self.shapes).result(self.final)
        except errors.TooLarge:
            return None


def _known_plans(reader: Reader) -> dict[bytes, Plan]:
    """The plans of the present basis. Those of an older one go: the file has other counts, and perhaps other names."""
    state = (reader.basis, reader.live, reader.since)
    kept = reader.store.memo("query-plans", dict)
    if state not in kept:
        kept.clear()
        kept[state] = {}
    return kept[state]


def _plan_key(query: object, args: object) -> bytes | None:
    """What tells one query from another, types included; None where it holds more than plain JSON types."""
    try:
        return marshal.dumps((query, args), 2)
    except ValueError:
        return None


def prepare(reader: Reader, query: object, args: object = None) -> Prepared:
    """Check a query and look up its constants."""
    checked = safety.check(syntax.parse(query))
    shapes = {
        place: pull.parse(reader, item.pattern, f"find[{place}]")
        for place, item in enumerate(checked.query.find)
        if item.function == "pull"
    }
    resolved = resolve(reader, checked, args or {})
    lowering = Lowering(resolved.rules, checked.book.recursive)
    where = lowering.where(resolved.where)
    return Prepared(reader, checked, resolved, lowering, where, shapes, Statistics(reader))


def attempt(prepared: Prepared, how: Run) -> tuple[Result, "Execution"]:
    """Run a query in the planner's own order; should that exceed the budget, once more in the order of the text."""
    ways = [how, how._replace(own=False)]
    if prepared.checked.book.definitions:
        # The canonical order of a rule's tuples can cost more than the tuples. Beyond the budget it is given up.
        ways.append(how._replace(ordered=False))
    for way in ways[:-1]:
        try:
            execution = Execution(prepared, way)
            return execution.result(), execution
        except errors.TooLarge:
            pass
    execution = Execution(prepared, ways[-1])
    return execution.result(), execution


class Execution:
    """One run of a prepared query."""

    def __init__(self, prepared: Prepared, how: Run) -> None:
        self.prepared = prepared
        self.how = how
        self.meter = meter.started(prepared.reader)
        rules = rule_tags(prepared.resolved.rules, prepared.statistics)
        self.planner = Planner(prepared.statistics, how.own, rules=rules)
        self.types = self._types()
        self.calls: RuleCalls | None = None
        self.indexes: dict[int, str | None] = {}
        self.sql = ""
        self.plan: Plan | None = None

    def result(self) -> Result:
        """The answer of the query."""
        query = self.prepared.query
        ordered = answer.needs_order(query, self.types) if self.how.ordered is None else self.how.ordered
        if not ordered and answer.sums_in_sql(query, self.types):
            grouped = self._answer(ordered=False, grouped=True)
            if grouped is not None:
                return grouped
        # Elsewhere the order costs little, and is kept for the eye; that of a recursive rule's tuples costs much.
        return self._answer(ordered or not calls_rule(self.prepared.where.clauses), grouped=False)

    def _answer(self, ordered: bool, grouped: bool) -> Result | None:
        prepared = self.prepared
        tables = Tables(prepared.reader, self.meter)
        try:
            final = self._compiled(ordered, grouped, tables)
            self.sql = final.sql
            self.plan = None if tables.used else Plan(prepared.query, prepared.shapes, final)
            return Answer(prepared.reader, prepared.query, self.meter, prepared.shapes).result(final)
        finally:
            tables.drop()

    def _compiled(self, ordered: bool, grouped: bool, tables: Tables) -> Final:
        prepared = self.prepared
        history = prepared.query.source == "history"
        context = Context(prepared.reader, prepared.statistics, self.planner, history, tables, self.meter, self.indexes)
        self.calls = RuleCalls(context, prepared.lowering, prepared.checked.book)
        statement = Statement(self.how.analyzed)
        compiler = context.compiler(statement, self.calls, {})
        scope = Scope([], ordered, prepared.where.keys)
        block = compiler.conjunction(prepared.where.clauses, Block(), scope)
        if block.duplicates and answer.is_aggregated(prepared.query):
            block = compiler.relations.stage(block, scope)
        for variable, stored in prepared.resolved.scalars.items():
            block.cells[variable] = statement.constant(stored)
        return (answer.final_groups if grouped else answer.final_rows)(prepared.query, statement, block, scope)

    def _types(self) -> Types:
        types: Types = {variable: frozenset((cell.tag,)) for variable, cell in self.prepared.resolved.scalars.items()}
        for clause in self.prepared.where.clauses:
            self.planner.learn(clause, types)
        return types


def calls_rule(clauses: tuple) -> bool:
    """Whether the rows come, in part, from a rule that was not unfolded."""
    return any(
        isinstance(clause, Call) or isinstance(clause, Union) and any(calls_rule(arm.clauses) for arm in clause.arms)
        for clause in clauses
    )
