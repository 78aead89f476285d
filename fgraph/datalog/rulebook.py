"""The rules of one query: their definitions by name, who calls whom, and what a caller has to bind."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from fgraph import errors
from fgraph.datalog.clauses import Call, Definition, Not, Or
from fgraph.datalog.syntax import refuse


class Use(NamedTuple):
    """One rule named in a body, and whether a `not` stands around it."""

    name: str
    negated: bool


class RuleBook:
    """Definitions and their dependencies. `needs` holds, by rule, the head positions that every call must bind."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.definitions: dict[str, list[Definition]] = {}
        for definition in definitions:
            known = self.definitions.setdefault(definition.name, [])
            if known and len(known[0].head) != len(definition.head):
                raise refuse(
                    f"rule {errors.quote(definition.name)} is defined with {len(known[0].head)} and with "
                    f"{len(definition.head)} arguments",
                    "rules",
                    "every definition of a rule takes the same number",
                )
            known.append(definition)
        self.needs: dict[str, frozenset[int]] = dict.fromkeys(self.definitions, frozenset())
        self._uses = {
            name: {use for definition in known for use in uses(definition.body)}
            for name, known in self.definitions.items()
        }

    def arity(self, name: str) -> int:
        return len(self.definitions[name][0].head)

    @cached_property
    def components(self) -> list[tuple[str, ...]]:
        """Rules that call each other, grouped, what they call first (Tarjan's algorithm, without recursion)."""
        order: list[tuple[str, ...]] = []
        index: dict[str, int] = {}
        low: dict[str, int] = {}
        stack: list[str] = []
        for root in sorted(self.definitions):
            if root in index:
                continue
            work = [(root, iter(self._called(root)))]
            index[root] = low[root] = len(index)
            stack.append(root)
            while work:
                name, called = work[-1]
                fresh = next((other for other in called if self._visit(other, name, index, low, stack)), None)
                if fresh is not None:
                    index[fresh] = low[fresh] = len(index)
                    stack.append(fresh)
                    work.append((fresh, iter(self._called(fresh))))
                    continue
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[name])
                if low[name] == index[name]:
                    cut = stack.index(name)
                    order.append(tuple(sorted(stack[cut:])))
                    del stack[cut:]
        return order

    def _visit(self, other: str, caller: str, index: dict, low: dict, stack: list) -> bool:
        """Whether `other` is still to be entered; otherwise note how far back the caller reaches."""
        if other not in index:
            return True
        if other in stack:
            low[caller] = min(low[caller], index[other])
        return False

    def _called(self, name: str) -> list[str]:
        return sorted({use.name for use in self._uses[name] if use.name in self.definitions})

    def is_recursive(self, component: tuple[str, ...]) -> bool:
        """Whether the rules of a component reach themselves."""
        return len(component) > 1 or component[0] in self._called(component[0])

    @cached_property
    def recursive(self) -> dict[str, tuple[str, ...]]:
        """The component of every rule that reaches itself."""
        return {name: group for group in self.components if self.is_recursive(group) for name in group}

    def check_strata(self) -> None:
        """`QueryError` when a rule depends on its own negation."""
        for component in self.components:
            for name in component:
                for use in sorted(self._uses[name]):
                    if use.negated and use.name in component:
                        raise refuse(
                            f"inside rule {errors.quote(name)}: it depends on its own negation "
                            f"through {errors.quote(use.name)}",
                            "rules",
                            "a rule may negate only rules that do not lead back to it",
                        )


def uses(clauses: tuple, negated: bool = False) -> Iterator[Use]:
    """Every rule named in these clauses, at any depth."""
    for clause in clauses:
        if isinstance(clause, Call):
            yield Use(clause.name, negated)
        elif isinstance(clause, Not):
            yield from uses(clause.body, True)
        elif isinstance(clause, Or):
            for branch in clause.branches:
                yield from uses(branch, negated)
