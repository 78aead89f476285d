"""Rules rewritten so that only what a call asks for is derived (the magic sets transformation).

A rule called with some arguments bound becomes a rule of another name, such as `reach/bf` for the first of two bound,
whose bodies begin with a call of `reach/bf?`: the set of argument values that are asked for. Bodies also feed these
sets, for the calls inside them.
"""

from typing import NamedTuple

from fgraph.datalog.clauses import ANY, Call, Definition, Or, Pattern, Variable, outward, variables_of
from fgraph.datalog.planner import is_generator

Rules = dict[str, list[Definition]]


class Rewritten(NamedTuple):
    """The new rules, the names of the answer and of the set it asks for, and of the table of the caller's values.

    `alike` says that all calls inside have the same arguments bound as the call itself.
    """

    rules: Rules
    answer: str
    asked: str
    seeds: str
    alike: bool


def rewrite(rules: Rules, component: tuple[str, ...], name: str, places: tuple[int, ...]) -> Rewritten:
    """The rules for a call of `name` with the arguments at `places` bound. Others keep their names and meanings."""
    return _Rewriter(rules, component).run(name, places)


def restrict(rules: Rules, rewritten: Rewritten, name: str) -> Rules:
    """The definitions of a rule as they were written, their tuples kept only where they are asked for."""
    kept = []
    places = [place for place, letter in enumerate(rewritten.answer.rpartition("/")[2]) if letter == "b"]
    for definition in rules[name]:
        body = [
            clause._replace(name=rewritten.answer) if isinstance(clause, Call) and clause.name == name else clause
            for clause in definition.body
        ]
        guard = Call(-1, rewritten.asked, tuple(definition.head[place] for place in places))
        kept.append(Definition(rewritten.answer, definition.head, (*body, guard)))
    return {**rules, rewritten.answer: kept}


def follow(rules: Rules, name: str, places: tuple[int, ...]) -> Rewritten | None:
    """The rules for a call with one value at each of `places`, of a rule that hands on all other arguments at the end.

    `reach(x, y) :- edge(x, y)` and `reach(x, y) :- edge(x, z), reach(z, y)` from one x: the values that x leads to are
    followed level by level, and the first definition is asked for each of them in turn. That finds the tuples in the
    order in which the rule itself derives them. None for rules of any other form.
    """
    if len(rules[name]) != 2:
        return None
    end, step = rules[name]
    call = step.body[-1] if step.body else None
    if not isinstance(call, Call) or call.name != name or not _one_generator(end.body + step.body[:-1], end, step):
        return None
    rest = [place for place in range(len(step.head)) if place not in places]
    inside = set().union(*map(variables_of, step.body[:-1]))
    handed_on = all(call.args[place] == step.head[place] not in inside for place in rest)
    values = tuple(call.args[place] for place in places)
    if not handed_on or len({*step.head}) < len(step.head) or not {*values} <= inside:
        return None
    followed, seeds = asked_of(name), asked_of(asked_of(name))
    first = tuple(Variable(f"?{number}") for number in range(len(places)))
    asking = (Call(-1, followed, tuple(step.head[place] for place in places)), *step.body[:-1])
    answer = f"{name}/followed"
    ending = (Call(-4, seeds, first), Call(-2, followed, tuple(end.head[place] for place in places)), *end.body)
    head = tuple(first[places.index(place)] if place in places else term for place, term in enumerate(end.head))
    new = {
        followed: [Definition(followed, first, (Call(-3, seeds, first),)), Definition(followed, values, asking)],
        answer: [Definition(answer, head, ending)],
    }
    return Rewritten({**rules, **new}, answer, followed, seeds, alike=True)


def _one_generator(clauses: tuple, *definitions: Definition) -> bool:
    """Whether each body has a single pattern beside filters, and none calls a rule but by its last clause."""
    if any(not isinstance(clause, Pattern) and is_generator(clause) for clause in clauses):
        return False
    if any(isinstance(clause, Or) for clause in clauses):
        return False
    return all(sum(isinstance(clause, Pattern) for clause in definition.body) == 1 for definition in definitions)


class _Rewriter:
    def __init__(self, rules: Rules, component: tuple[str, ...]) -> None:
        self._rules = rules
        self._component = component
        self._new: Rules = {}
        self._pending: list[tuple[str, tuple[int, ...]]] = []
        self._seen: dict[str, None] = {}
        self._whole = False
        self._uid = -1

    def run(self, name: str, places: tuple[int, ...]) -> Rewritten:
        answer = self._ask(name, places)
        asked, seeds = asked_of(answer), asked_of(asked_of(answer))
        values = tuple(Variable(f"?{number}") for number in range(len(places)))
        self._new[asked] = [Definition(asked, values, (Call(self._next(), seeds, values),))]
        while self._pending:
            self._adorn(*self._pending.pop())
        rules = {**self._rules, **self._new}
        return Rewritten(rules, answer, asked, seeds, len(self._seen) == 1 and not self._whole)

    def _ask(self, name: str, places: tuple[int, ...]) -> str:
        """The name under which a call with these arguments bound goes on; note that it has to be made."""
        arity = len(self._rules[name][0].head)
        adorned = f"{name}/{''.join('b' if place in places else 'f' for place in range(arity))}"
        if adorned not in self._seen:
            self._seen[adorned] = None
            self._pending.append((name, places))
        return adorned

    def _adorn(self, name: str, places: tuple[int, ...]) -> None:
        adorned = self._ask(name, places)
        asked = asked_of(adorned)
        for definition in self._rules[name]:
            values = tuple(definition.head[place] for place in places)
            guard = Call(self._next(), asked, values)
            body = self._body(definition, guard, set(values))
            self._new.setdefault(adorned, []).append(Definition(adorned, definition.head, body))

    def _body(self, definition: Definition, guard: Call, bound: set[Variable]) -> tuple:
        """The clauses in an order in which bound values lead on, each call asking with what is bound by then."""
        ordered: list[object] = [guard]
        waiting = list(definition.body)
        while waiting:
            clause = next((clause for clause in waiting if self._leads_on(clause, bound)), None)
            if clause is None:
                clause = next((clause for clause in waiting if self._is_own(clause)), waiting[0])
            waiting.remove(clause)
            if self._is_own(clause):
                clause = self._call(clause, ordered, bound)
            ordered.append(clause)
            bound |= outward(clause)
        return tuple(ordered)

    def _leads_on(self, clause: object, bound: set[Variable]) -> bool:
        if self._is_own(clause):
            return False
        if isinstance(clause, Pattern):
            return any(
                term in bound if isinstance(term, Variable) else term is not ANY for term in (clause.e, clause.v)
            )
        return is_generator(clause) and bool(variables_of(clause) & bound) or variables_of(clause) <= bound

    def _is_own(self, clause: object) -> bool:
        return isinstance(clause, Call) and clause.name in self._component

    def _call(self, call: Call, before: list, bound: set[Variable]) -> Call:
        variables = tuple(place for place, term in enumerate(call.args) if isinstance(term, Variable) and term in bound)
        if not variables:
            self._whole = True
            return call
        adorned = self._ask(call.name, variables)
        values = tuple(call.args[place] for place in variables)
        # Heads hold each variable once here: a value that stands twice in the call is asked for twice.
        asking = Definition(asked_of(adorned), values, tuple(clause._replace(uid=self._next()) for clause in before))
        self._new.setdefault(asked_of(adorned), []).append(asking)
        return call._replace(name=adorned)

    def _next(self) -> int:
        self._uid -= 1
        return self._uid


def asked_of(adorned: str) -> str:
    """The name of the set of values asked for."""
    return f"{adorned}?"
