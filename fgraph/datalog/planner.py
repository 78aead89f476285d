"""The order in which clauses are executed: cheapest next, by counts from the file, within what safety allows."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from fgraph.datalog import canonical, predicates
from fgraph.datalog.clauses import (
    NOTHING,
    Arithmetic,
    Arm,
    Call,
    Definition,
    Given,
    Not,
    Or,
    Pattern,
    Predicate,
    Unify,
    Union,
    Variable,
    outward,
    variables_of,
)
from fgraph.datalog.statistics import ALL_TAGS, Statistics
from fgraph.values.logical import BOOL, REF, Stored

# Rows that one row leads to where the file is not asked.
FILTERED = 0.5
ENTITY_FACTS = 10.0
VALUE_FACTS = 20.0
CALL_TUPLES = 30.0
RANGE_SHARE = 3.0
ESTIMATED_DEPTH = 2  # unions inside unions that are looked into for an estimate
APART = 2.0  # how much rather a clause is taken that shares a variable with those before it

Types = dict[Variable, frozenset[int]]
Narrow = tuple[tuple[str, Stored], ...]


class Step(NamedTuple):
    """One clause in execution order. `narrow` holds comparisons of a pattern's value that its index seeks by."""

    clause: object
    estimate: float
    narrow: Narrow = ()


class Waiting(NamedTuple):
    """A clause that is not planned yet: the variables that must be bound before it runs, and all that it names."""

    clause: object
    needs: set[Variable]
    variables: set[Variable]

    def is_bound(self, bound: Collection[Variable]) -> bool:
        """Whether the clause has all it needs."""
        if isinstance(self.clause, Unify):
            return any(canonical.is_fixed(term, bound) for term in (self.clause.left, self.clause.right))
        return self.needs.issubset(bound)


class Planner:
    """Orders conjunctions. `own` is False for the order of the text, with patterns by rank only."""

    def __init__(
        self,
        statistics: Statistics,
        own: bool = True,
        hints: Mapping[int, float] | None = None,
        rules: Mapping[str, Sequence[frozenset[int]]] | None = None,
    ) -> None:
        self._statistics = statistics
        self._own = own
        self._hints = hints or {}
        self._rules = rules or {}  # by rule, the type tags each argument can have
        self._inside = 0  # unions around the clause that is being estimated

    def hinted(self, hints: Mapping[int, float]) -> "Planner":
        """The same planner, told how many rows some calls lead to."""
        return Planner(self._statistics, self._own, hints, self._rules)

    def plan(self, clauses: tuple, bound: Collection[Variable], types: Types) -> list[Step]:
        """Every clause once; a clause that may fail on some row stays behind what stands before it."""
        if len(clauses) == 1:
            return [Step(clauses[0], self.estimate(clauses[0], bound, types))]
        if not self._own:
            return [Step(clauses[place], 1.0) for place, _ in canonical.sequence(clauses, bound)]
        steps: list[Step] = []
        bound = set(bound)
        written = dict(types)  # what is known of the types at this place of the text
        types = dict(types)  # and behind the steps planned so far
        segment: list = []
        for clause in clauses:
            if self.may_fail(clause, written):
                steps += self._segment(segment, bound, types)
                steps.append(Step(clause, 1.0))
                bound |= outward(clause)
                self.learn(clause, types)
                segment = []
            else:
                segment.append(clause)
            self.learn(clause, written)
        return steps + self._segment(segment, bound, types)

    # -- what can fail ------------------------------------------------------------------------------------------------

    def may_fail(self, clause: object, types: Types) -> bool:
        """Whether evaluating the clause on some row could raise an error."""
        if isinstance(clause, Arithmetic):
            return True
        if isinstance(clause, Predicate):
            return not predicates.cannot_fail(clause.op, tags_of(clause.left, types), tags_of(clause.right, types))
        if isinstance(clause, Not):
            return self.body_may_fail(clause.body, types)
        return isinstance(clause, Union) and any(self.body_may_fail(arm.clauses, types) for arm in clause.arms)

    def body_may_fail(self, clauses: tuple, types: Types) -> bool:
        types = dict(types)
        for clause in clauses:
            if self.may_fail(clause, types):
                return True
            self.learn(clause, types)
        return False

    def learn(self, clause: object, types: Types) -> None:
        """Narrow the type tags each variable can have, by what one clause binds it to."""
        if isinstance(clause, Pattern):
            for term in (clause.e, clause.a, clause.tx):
                _meet(types, term, frozenset((REF,)))
            _meet(types, clause.added, frozenset((BOOL,)))
            if isinstance(clause.a, Stored):
                _meet(types, clause.v, self._statistics.tags(clause.a.value))
        elif isinstance(clause, Given):
            for place, variable in enumerate(clause.variables):
                _meet(types, variable, frozenset(row[place].tag for row in clause.rows))
        elif isinstance(clause, Union):
            self._learn_union([arm.clauses for arm in clause.arms], clause.exports, types)
        elif isinstance(clause, Or):
            self._learn_union(clause.branches, outward(clause), types)
        elif isinstance(clause, Call):
            for term, tags in zip(clause.args, self._rules.get(clause.name, ()), strict=False):
                _meet(types, term, tags)

    def _learn_union(self, arms: Iterable[tuple], exports: Iterable[Variable], types: Types) -> None:
        seen: list[Types] = []
        for clauses in arms:
            inner = dict(types)
            for clause in clauses:
                self.learn(clause, inner)
            seen.append(inner)
        for variable in exports:
            tags = frozenset().union(*(inner.get(variable, ALL_TAGS) for inner in seen))
            _meet(types, variable, tags)

    # -- one segment --------------------------------------------------------------------------------------------------

    def _segment(self, clauses: list, bound: set[Variable], types: Types) -> list[Step]:
        """Order clauses that cannot fail where they stand; `bound` and `types` grow.

        A clause that only what stands before it keeps from failing waits for that.
        """
        steps: list[Step] = []
        reachable = bound.union(*map(outward, clauses))
        waiting = [Waiting(clause, requires(clause, reachable), variables_of(clause)) for clause in clauses]
        while waiting:
            ready = [one for one in waiting if one.is_bound(bound) and not self.may_fail(one.clause, types)]
            chosen = next((one for one in ready if not is_generator(one.clause)), None)
            if chosen is not None:
                steps.append(Step(chosen.clause, FILTERED))
            else:
                steps.append(self._cheapest(ready, bound, waiting, types))
            clause = steps[-1].clause
            bound |= outward(clause)
            self.learn(clause, types)
            waiting = [one for one in waiting if one.clause is not clause and not _pushed(one.clause, steps[-1])]
        return steps

    def _cheapest(self, ready: list[Waiting], bound: set[Variable], waiting: list[Waiting], types: Types) -> Step:
        best: Step | None = None
        for one in ready:
            narrow = self._narrow(one.clause, bound, waiting)
            estimate = self.estimate(one.clause, bound, types, narrow)
            if bound and one.variables.isdisjoint(bound):
                estimate *= APART
            if best is None or estimate < best.estimate:
                best = Step(one.clause, estimate, narrow)
        assert best is not None, "safety leaves at least one clause that can run"
        return best

    def _narrow(self, clause: object, bound: set[Variable], waiting: list[Waiting]) -> Narrow:
        """The comparisons with constants, still waiting, that an unbound value of this pattern can be sought by."""
        if not (isinstance(clause, Pattern) and isinstance(clause.a, Stored) and isinstance(clause.v, Variable)):
            return ()
        if clause.v in bound or clause.v in (clause.e, clause.tx, clause.added):
            return ()
        tags = self._statistics.tags(clause.a.value)
        found = []
        for other in waiting:
            comparison = comparison_of(other.clause, clause.v) if isinstance(other.clause, Predicate) else None
            if comparison is not None and predicates.runs_in_sql(comparison[0], tags, frozenset((comparison[1].tag,))):
                found.append(comparison)
        return tuple(found)

    # -- estimates ----------------------------------------------------------------------------------------------------

    def estimate(self, clause: object, bound: Collection[Variable], types: Types, narrow: Narrow = ()) -> float:
        """The rows that one row leads to through a clause, about."""
        if isinstance(clause, Pattern):
            return self._pattern_rows(clause, bound, narrow)
        if isinstance(clause, Given):
            return FILTERED if set(clause.variables) <= set(bound) else len(clause.rows)
        if isinstance(clause, Union):
            return self._union_rows(clause, bound, types)
        if isinstance(clause, Call) and clause.uid in self._hints:
            return self._hints[clause.uid]
        if isinstance(clause, Call):
            fixed = sum(canonical.is_fixed(term, bound) for term in clause.args)
            return CALL_TUPLES / fixed if fixed else max(self._statistics.total(), CALL_TUPLES)
        return FILTERED

    def _union_rows(self, union: Union, bound: Collection[Variable], types: Types) -> float:
        if self._inside >= ESTIMATED_DEPTH:
            return CALL_TUPLES
        self._inside += 1
        rows = sum(self.cost(arm, bound, types) for arm in union.arms)
        self._inside -= 1
        return rows

    def cost(self, arm: Arm, bound: Collection[Variable], types: Types) -> float:
        """The rows that pass through all steps of a conjunction started from one row, about."""
        rows, total = 1.0, 0.0
        for step in self.plan(arm.clauses, bound, types):
            rows *= step.estimate
            total += rows
        return max(total, FILTERED)

    def _pattern_rows(self, pattern: Pattern, bound: Collection[Variable], narrow: Narrow) -> float:
        if NOTHING in pattern.terms:
            return 0.0
        e, v, tx = (canonical.is_fixed(term, bound) for term in (pattern.e, pattern.v, pattern.tx))
        statistics = self._statistics
        if not isinstance(pattern.a, Stored):
            rows = ENTITY_FACTS if e else VALUE_FACTS if v or tx else max(statistics.total(), VALUE_FACTS)
            return min(rows, FILTERED * 2) if e and v else rows
        attribute = pattern.a.value
        if isinstance(pattern.v, Stored):
            return FILTERED if e else statistics.matching(attribute, pattern.v)
        if e:
            return FILTERED if v or narrow else statistics.spread(attribute).per_entity
        if v:
            return statistics.spread(attribute).per_value
        return self._narrowed(attribute, narrow)

    def _narrowed(self, attribute: int, narrow: Narrow) -> float:
        rows = float(self._statistics.spread(attribute).count)
        for op, cell in narrow:
            rows = min(rows, self._statistics.matching(attribute, cell)) if op == "=" else rows / RANGE_SHARE
        return rows


def rule_tags(rules: Mapping[str, list[Definition]], statistics: Statistics) -> dict[str, list[frozenset[int]]]:
    """The type tags that each argument of each rule can have: the least that fit all definitions."""
    found = {name: [frozenset()] * len(known[0].head) for name, known in rules.items()}
    changed = True
    while changed:
        changed = False
        planner = Planner(statistics, rules=found)
        for name, known in rules.items():
            for definition in known:
                types: Types = {}
                for clause in definition.body:
                    planner.learn(clause, types)
                wider = [
                    tags | types.get(term, ALL_TAGS) for tags, term in zip(found[name], definition.head, strict=True)
                ]
                changed = changed or wider != found[name]
                found[name] = wider
    return found


def tags_of(term: object, types: Types) -> frozenset[int]:
    """The type tags a term can have."""
    if isinstance(term, Variable):
        return types.get(term, ALL_TAGS)
    return frozenset((term.tag,))


def comparison_of(predicate: Predicate, variable: Variable) -> tuple[str, Stored] | None:
    """`(op, constant)` when the predicate compares just this variable with a constant in a way an index can seek."""
    if predicate.op not in predicates.SEEKABLE:
        return None
    if predicate.left == variable and isinstance(predicate.right, Stored):
        return predicate.op, predicate.right
    if predicate.right == variable and isinstance(predicate.left, Stored):
        return MIRRORED[predicate.op], predicate.left
    return None


MIRRORED = {"=": "=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


GENERATORS = frozenset((Pattern, Union, Call, Given))


def is_generator(clause: object) -> bool:
    """Whether a clause can add rows; the others are done as soon as they can be."""
    return type(clause) in GENERATORS


def requires(clause: object, reachable: Collection[Variable]) -> set[Variable]:
    """The variables that must be bound before a clause runs; `reachable` are those bound anywhere around it."""
    if isinstance(clause, Predicate):
        return variables_of(clause)
    if isinstance(clause, Arithmetic):
        return {term for term in (clause.left, clause.right) if isinstance(term, Variable)}
    if isinstance(clause, Not):
        return variables_of(clause) & set(reachable)
    if isinstance(clause, Union):
        return set().union(*(_arm_requires(arm.clauses, clause.exports, reachable) for arm in clause.arms), ())
    return set()


def _arm_requires(clauses: tuple, exports: tuple[Variable, ...], reachable: Collection[Variable]) -> set[Variable]:
    around = set(reachable).union(*map(outward, clauses))
    needed = [requires(clause, around) for clause in clauses]
    provided = set().union(*(outward(clause) - its for clause, its in zip(clauses, needed, strict=True)), ())
    return set(exports).union(*needed) - provided


def _meet(types: Types, term: object, tags: frozenset[int]) -> None:
    if isinstance(term, Variable):
        types[term] = types[term] & tags if term in types else tags


def _pushed(clause: object, step: Step) -> bool:
    """Whether a predicate is already part of a step."""
    return bool(step.narrow) and isinstance(clause, Predicate) and comparison_of(clause, step.clause.v) in step.narrow
