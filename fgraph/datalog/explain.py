"""`explain`: the plan of a query in stable words and, analyzed, the steps as they ran."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from fgraph.datalog import canonical, engine
from fgraph.datalog.clauses import (
    Arithmetic,
    Call,
    Given,
    Not,
    Or,
    Pattern,
    Predicate,
    Query,
    Union,
    Variable,
    outward,
)
from fgraph.datalog.engine import Execution, Prepared
from fgraph.datalog.planner import Step
from fgraph.file.reader import Reader
from fgraph.values.logical import REF

LABELS = ("eavt/ea", "avet", "eavt/e", "avet/a", "value-scan", "scan")  # by rank


def explain(reader: Reader, query: object, args: object = None, analyze: bool = False) -> dict:
    """`{"basis_tx", "source", "work_limit", "clauses", "warnings"}` of a query that is checked as `q` checks it.

    With `analyze` the query is run within its budget; then `rows` and `work` of the answer, the `sql` and `steps` in
    the order in which they ran come along (docs/queries.md).
    """
    prepared = engine.prepare(reader, query, args)
    plan = {
        "basis_tx": reader.basis,
        "source": prepared.query.source,
        "work_limit": reader.store.budget,
        "clauses": list(_clauses(prepared)),
        "warnings": list(_warnings(prepared)),
    }
    if analyze:
        result, execution = engine.attempt(prepared, engine.Run(analyzed=True))
        plan |= {
            "rows": len(result.rows),
            "work": execution.meter.spent,
            "sql": execution.sql,
            "steps": list(_steps(prepared, execution)),
        }
    return plan


class Description(NamedTuple):
    """What a clause is and how it is reached."""

    kind: str
    access: str


def describe(clause: object, bound: Collection[Variable]) -> Description:
    """The stable words for a clause that runs when these variables are bound."""
    if isinstance(clause, Pattern):
        return Description("pattern", label(clause, bound))
    if isinstance(clause, Predicate | Arithmetic):
        return Description("predicate" if isinstance(clause, Predicate) else "arithmetic", "filter")
    if isinstance(clause, Given):
        return Description("input", "rows")
    if isinstance(clause, Union):
        return Description("or" if clause.leading else "rule", "barrier")
    return Description("not" if isinstance(clause, Not) else "or" if isinstance(clause, Or) else "rule", "barrier")


def label(pattern: Pattern, bound: Collection[Variable]) -> str:
    """How the facts of a pattern are reached."""
    place = canonical.rank(pattern, bound)
    if place > 0:
        return LABELS[place]
    if canonical.is_fixed(pattern.v, bound):
        return "eavt/exact"
    return "eavt/batch" if isinstance(pattern.e, Variable) and pattern.width == 3 else LABELS[0]


def _clauses(prepared: Prepared) -> Iterator[dict]:
    where = prepared.query.where
    for place, bound in canonical.sequence(where, prepared.checked.inputs):
        kind, access = describe(where[place], bound)
        yield {"ordinal": place, "kind": kind, "access": access, "bound": sorted(bound)}


def _warnings(prepared: Prepared) -> Iterator[str]:
    for clause in _clauses(prepared):
        if clause["access"] in ("value-scan", "scan"):
            what = "no entity and no attribute" if clause["access"] == "value-scan" else "nothing"
            yield f"clause {clause['ordinal']} has {what} to seek by: every fact is looked at ({clause['access']})"
    if prepared.query.source == "history":
        yield "source history looks at ended facts as well"
    for variable, stored in prepared.resolved.scalars.items():
        if stored.tag != REF and _stands_for_entity(prepared.query, variable):
            yield f'{variable} is given as {stored.type} and stands for an entity; give {{"ref": name}}'


def _stands_for_entity(query: Query, variable: Variable) -> bool:
    pending = list(query.where)
    while pending:
        clause = pending.pop()
        if isinstance(clause, Pattern) and variable in (clause.e, clause.a, clause.tx):
            return True
        if isinstance(clause, Not):
            pending += clause.body
        elif isinstance(clause, Or):
            pending += [inner for branch in clause.branches for inner in branch]
    return False


# -- analyzed ---------------------------------------------------------------------------------------------------------


def _steps(prepared: Prepared, execution: Execution) -> Iterator[dict]:
    ordinals = {clause.uid: place for place, clause in enumerate(prepared.query.where)}
    bound: set[Variable] = set()
    for step in execution.planner.plan(prepared.where.clauses, (), {}):
        yield _step(step, bound, ordinals, execution)
        bound |= outward(step.clause)


def _step(step: Step, bound: set[Variable], ordinals: dict[int, int], execution: Execution) -> dict:
    clause = step.clause
    kind, access = describe(clause, bound)
    shown = {
        "ordinal": ordinals.get(clause.uid),
        "kind": kind,
        "access": access,
        "bound": sorted(bound),
        "estimated_rows": round(step.estimate, 2),
        "rows": execution.meter.rows_of.get(clause.uid, 0),
        "work": execution.meter.work_of.get(clause.uid, 0),
    }
    if isinstance(clause, Pattern):
        shown["index"] = execution.indexes.get(clause.uid)
    if step.narrow:
        shown["seeks"] = [f"{clause.v} {op}" for op, _ in step.narrow]
    if isinstance(clause, Call):
        shown["entered"] = execution.calls.entered.get(clause.uid)
    return shown
