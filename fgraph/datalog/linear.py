"""The form of a rule whose bodies call it at most once each, and the ways into it that bound arguments open."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fgraph import limits
from fgraph.datalog.clauses import ANY, Arm, Call, Union, Variable, outward, variables_of
from fgraph.datalog.lower import Lowering
from fgraph.datalog.planner import Planner, is_generator
from fgraph.datalog.sql import Block
from fgraph.datalog.statistics import ALL_TAGS
from fgraph.values.logical import REF

REFERENCE = frozenset((REF,))
SEEDS = 10.0  # values that a bound variable has, where nothing is known about it


class Step(NamedTuple):
    """A body with its one call of the rule taken out."""

    clauses: tuple
    call: Call


class Linear(NamedTuple):
    """A rule whose bodies call it at most once each."""

    name: str
    head: tuple[Variable, ...]
    tags: tuple[frozenset[int], ...]
    exits: tuple[tuple, ...]
    steps: tuple[Step, ...]

    def invariant(self, places: Iterable[int]) -> bool:
        """Whether every step hands these arguments on unchanged: then only tuples with the bound values are made."""
        return all(step.call.args[place] == self.head[place] for step in self.steps for place in places)

    def passes_rest(self, places: Iterable[int]) -> bool:
        """Whether every step takes all other arguments as they come out of its call.

        Then the bound arguments can be followed by themselves, and the bodies without a call give the answers.
        """
        places = set(places)
        rest = [place for place in range(len(self.head)) if place not in places]
        return all(
            self._leads(step, places) and all(self._passes(step, place) for place in rest) for step in self.steps
        )

    def _leads(self, step: Step, places: set[int]) -> bool:
        """Whether the step itself, without its call, gives the bound arguments of the call."""
        known = {self.head[place] for place in places}.union(*map(outward, step.clauses))
        terms = [step.call.args[place] for place in places]
        return all(term in known if isinstance(term, Variable) else term is not ANY for term in terms)

    def _passes(self, step: Step, place: int) -> bool:
        variable = self.head[place]
        return (
            step.call.args[place] == variable
            and step.call.args.count(variable) == 1
            and all(variable not in variables_of(clause) for clause in step.clauses)
        )


def linear(lowering: Lowering, name: str) -> Linear | None:
    """The rule in this form; None when some body calls it twice, or with more patterns than one SELECT can join."""
    known = lowering.rules[name]
    head = tuple(Variable(f"?{place}#{name}") for place in range(len(known[0].head)))
    exits: list[tuple] = []
    steps: list[Step] = []
    for definition in known:
        for clauses in spread(lowering.definition(definition, head).clauses):
            calls = [clause for clause in clauses if isinstance(clause, Call) and clause.name == name]
            if len(calls) > 1 or len(exits) + len(steps) >= limits.QUERY_ARMS:
                return None
            if sum(map(is_generator, clauses)) > limits.QUERY_RECURSIVE_PATTERNS:
                return None
            if calls:
                steps.append(Step(tuple(clause for clause in clauses if clause is not calls[0]), calls[0]))
            else:
                exits.append(clauses)
    tags = tuple(REFERENCE if lowering.references.only(name, place) else ALL_TAGS for place in range(len(head)))
    return Linear(name, head, tags, tuple(exits), tuple(steps))


def spread(clauses: tuple) -> Iterator[tuple]:
    """The conjunctions that the clauses are the union of, with no union left in them."""
    for place, clause in enumerate(clauses):
        if isinstance(clause, Union):
            for arm in clause.arms:
                yield from spread((*clauses[:place], *arm.clauses, *clauses[place + 1 :]))
            return
    yield clauses


class Entry(NamedTuple):
    """How a call enters a rule: the argument positions it starts from, and whether they are followed by themselves."""

    places: tuple[int, ...]
    follows: bool


class Entries:
    """The ways into one rule, judged once for all calls that have values in the same places."""

    def __init__(self, rule: Linear, needs: frozenset[int], planner: Planner) -> None:
        self._rule = rule
        self._needs = needs
        self._planner = planner
        self._cheapest: dict[tuple[type | None, ...], Entry | None] = {}

    def cheapest(self, call: Call, block: Block, fixed_only: bool) -> Entry | None:
        """Fewest seeds, then the direction in which one step leads to the fewest rows.

        None when no way in binds what the bodies leave to the caller.
        """
        bound = tuple(type(term) if is_bound(term, block, fixed_only) else None for term in call.args)
        if bound not in self._cheapest:
            self._cheapest[bound] = self._choose(bound)
        return self._cheapest[bound]

    def _choose(self, bound: tuple[type | None, ...]) -> Entry | None:
        best = None if self._needs else Entry((), False)
        best_cost = float("inf")
        for places in _candidates(bound):
            follows = not self._rule.invariant(places)
            if not self._needs <= set(places) or (follows and not self._rule.passes_rest(places)):
                continue
            cost = sum(self._step_rows(step, places, follows) for step in self._rule.steps)
            cost *= SEEDS if any(bound[place] is Variable for place in places) else 1.0
            if cost < best_cost:
                best, best_cost = Entry(places, follows), cost
        return best

    def _step_rows(self, step: Step, places: tuple[int, ...], follows: bool) -> float:
        if follows:
            known = {self._rule.head[place] for place in places}
        else:
            known = {term for term in step.call.args if isinstance(term, Variable)}
        return self._planner.cost(Arm(step.clauses, ()), known, {})


def _candidates(bound: tuple[type | None, ...]) -> Iterable[tuple[int, ...]]:
    """Sets of bound arguments worth a look: each by itself, the constants together, all together."""
    everything = tuple(place for place, kind in enumerate(bound) if kind is not None)
    constants = tuple(place for place in everything if bound[place] is not Variable)
    found = [(place,) for place in everything] + [constants, everything]
    return dict.fromkeys(places for places in found if places)


def is_bound(term: object, block: Block, fixed_only: bool) -> bool:
    """Whether an argument of a call has a value before it; `fixed_only` counts constants only."""
    if isinstance(term, Variable):
        return not fixed_only and term in block.cells
    return term is not ANY
