"""Resolved clauses lowered to what is planned: unions in place of `or` and of rules that are not recursive."""

from collections.abc import Iterable, Iterator
from itertools import count, product

from fgraph import limits
from fgraph.datalog import canonical
from fgraph.datalog.clauses import (
    ANY,
    Arm,
    Call,
    Definition,
    Not,
    Or,
    Pattern,
    Readings,
    Unify,
    Union,
    Variable,
    outward,
    variables_of,
)
from fgraph.datalog.safety import rename
from fgraph.datalog.syntax import refuse
from fgraph.values.logical import Stored

Definitions = dict[str, list[Definition]]


class References:
    """Which head positions of rules can hold references only: there a constant is read as an entity."""

    def __init__(self, rules: Definitions) -> None:
        self._only = {(name, place) for name, known in rules.items() for place in range(len(known[0].head))}
        changed = True
        while changed:
            kept = {
                (name, place)
                for name, place in self._only
                if all(self._holds(definition.body, definition.head[place]) for definition in rules[name])
            }
            changed = kept != self._only
            self._only = kept

    def only(self, name: str, place: int) -> bool:
        return (name, place) in self._only

    def _holds(self, body: tuple, variable: Variable) -> bool:
        return any(self._clause_holds(clause, variable) for clause in body)

    def _clause_holds(self, clause: object, variable: Variable) -> bool:
        if isinstance(clause, Pattern):
            return variable in (clause.e, clause.a, clause.tx)
        if isinstance(clause, Call):
            return any((clause.name, place) in self._only for place, arg in enumerate(clause.args) if arg == variable)
        return isinstance(clause, Or) and all(self._holds(branch, variable) for branch in clause.branches)

    def cells(self, name: str, place: int, readings: Readings) -> list[Stored]:
        """The cells a constant argument may stand for; none when it names nothing."""
        if self.only(name, place):
            if readings.entity is None:
                raise refuse(
                    f"rule {name} takes an entity as argument {place + 1}", "where", "give a name, an id or a lookup"
                )
            options = [readings.entity]
        else:
            options = [readings.entity, readings.value]
        return list(dict.fromkeys(cell for cell in options if isinstance(cell, Stored)))


class Lowering:
    """Brings clauses into the form that is planned: `or` and rules that are not recursive become unions.

    What stays a `Call` goes to the fixpoint.
    """

    def __init__(self, rules: Definitions, recursive: Iterable[str]) -> None:
        self.rules = rules
        self._recursive = frozenset(recursive)
        self._uids = count(2 * limits.QUERY_CLAUSES)  # behind those of the text and of its inputs
        self._numbers = count()
        self._room = limits.QUERY_ARMS
        self.references = References(rules)

    def where(self, clauses: tuple) -> Arm:
        """The clauses of the query itself."""
        return self._arm(clauses, None, set(), [])

    def _arm(self, clauses: tuple, names: dict | None, bound: set[Variable], before: list) -> Arm:
        """Lower a conjunction, its variables replaced by what `names` says, behind the clauses `before`."""
        lowered = []
        known = set(bound)
        for clause in clauses:
            lowered.append(self._clause(clause, names, known))
            known |= outward(clause)
        return Arm((*before, *lowered), canonical.keys(clauses, tuple(lowered), bound))

    def _clause(self, clause: object, names: dict | None, bound: set[Variable]) -> object:
        uid = clause.uid if names is None else next(self._uids)
        if isinstance(clause, Not):
            return Not(uid, self._arm(clause.body, names, bound, []).clauses)
        if isinstance(clause, Or):
            exports = {(names or {}).get(variable, variable) for variable in outward(clause)}
            arms = tuple(self._arm(branch, names, bound, []) for branch in clause.branches)
            return Union(uid, arms, tuple(sorted(filter(is_variable, exports))), leading=True)
        renamed = (rename(clause, names) if names else clause)._replace(uid=uid)
        if isinstance(renamed, Call) and renamed.name not in self._recursive:
            self._room -= len(self.rules[renamed.name])
            if self._room >= 0:
                return self._unfold(renamed)
        return renamed

    def _unfold(self, call: Call) -> Union:
        exports = tuple(dict.fromkeys(filter(is_variable, call.args)))
        arms = [
            self.definition(definition, args)
            for definition in self.rules[call.name]
            for args in readings(self.references, call, range(len(call.args)))
        ]
        return Union(call.uid, tuple(arms), exports, leading=False)

    def definition(self, definition: Definition, args: tuple) -> Arm:
        """The body of a definition with arguments in the place of its head, and its other variables made fresh."""
        names: dict[Variable, object] = {}
        same: list[object] = []
        for variable, term in zip(definition.head, args, strict=True):
            term = self._fresh(variable) if term is ANY else term
            if variable in names:
                same.append(Unify(next(self._uids), names[variable], term))
            else:
                names[variable] = term
        for clause in definition.body:
            for local in sorted(variables_of(clause) - names.keys()):
                names[local] = self._fresh(local)
        return self._arm(definition.body, names, set(), same)

    def _fresh(self, variable: Variable) -> Variable:
        return Variable(f"{variable}^{next(self._numbers)}")


def readings(references: References, call: Call, places: Iterable[int]) -> Iterator[tuple]:
    """What the arguments at these places stand for: a constant that may be an entity or a value gives both."""
    choices = []
    for place in places:
        term = call.args[place]
        choices.append(references.cells(call.name, place, term) if isinstance(term, Readings) else [term])
    return product(*choices)


def is_variable(term: object) -> bool:
    return isinstance(term, Variable)
