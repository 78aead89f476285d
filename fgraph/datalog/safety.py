"""Static safety: every variable is bound before it is needed, checked before any data is looked at."""

from itertools import count

from fgraph import errors, limits
from fgraph.datalog.clauses import (
    ANY,
    Arithmetic,
    Call,
    Definition,
    FindItem,
    Not,
    Or,
    Predicate,
    Query,
    Variable,
    outward,
    variables_of,
)
from fgraph.datalog.rulebook import RuleBook, uses
from fgraph.datalog.syntax import refuse


class Checked:
    """A query that is safe, with variables local to a `not` renamed apart."""

    __slots__ = ("query", "where", "book", "inputs")

    def __init__(self, query: Query, where: tuple, book: RuleBook, inputs: frozenset[Variable]) -> None:
        self.query = query
        self.where = where
        self.book = book
        self.inputs = inputs


def check(query: Query) -> Checked:
    """`QueryError` for any unbound variable, wrong rule call or unsafe rule; otherwise the query, scoped."""
    book = RuleBook(query.rules)
    inputs = frozenset(variable for form in query.inputs for variable in form.variables)
    _check_size(query)
    _check_rules(book, query.where)
    bound = Scan(book, "").clauses(query.where, set(inputs))
    _check_find(query.find, bound)
    _check_order(query, bound)
    book.check_strata()
    scoper = Scoper()
    for known in book.definitions.values():
        for place, definition in enumerate(known):
            given = {definition.head[position] for position in book.needs[definition.name]}
            known[place] = definition._replace(body=scoper.clauses(definition.body, given))
    return Checked(query, scoper.clauses(query.where, set(inputs)), book, inputs)


class Scan:
    """Walks clauses in text order. `flexible` variables (of a rule head) may be left for the caller to bind."""

    def __init__(self, book: RuleBook, rule: str, flexible: frozenset[Variable] = frozenset()) -> None:
        self._book = book
        self._inside = f"inside rule {errors.quote(rule)}: " if rule else ""
        self._flexible = flexible
        self.assumed: set[Variable] = set()

    def clauses(self, clauses: tuple, bound: set[Variable]) -> set[Variable]:
        """The variables bound after the clauses."""
        for clause in clauses:
            bound = self._clause(clause, bound) | self.assumed
        return bound

    def _clause(self, clause: object, bound: set[Variable]) -> set[Variable]:
        if isinstance(clause, Predicate):
            self._need(variables_of(clause), bound, f"the predicate {clause.op}")
            return bound
        if isinstance(clause, Arithmetic):
            operands = {term for term in (clause.left, clause.right) if isinstance(term, Variable)}
            self._need(operands, bound, f"the arithmetic {clause.op}")
        elif isinstance(clause, Not):
            self._not(clause, bound)
        elif isinstance(clause, Or):
            return self._or(clause, bound)
        elif isinstance(clause, Call):
            self._call(clause, bound)
        return bound | outward(clause)

    def _need(self, variables: set[Variable], bound: set[Variable], who: str) -> None:
        for variable in sorted(variables - bound):
            if variable not in self._flexible:
                raise self._refuse(f"{who} uses {variable}, which no clause before it binds", "bind it first")
            self.assumed.add(variable)

    def _not(self, clause: Not, bound: set[Variable]) -> None:
        inside = variables_of(clause)
        if not inside & bound:
            self.assumed |= inside & self._flexible
            if not inside & self.assumed:
                raise self._refuse(
                    "a not shares no variable with the clauses before it",
                    "put it after the clause that binds one of its variables",
                )
        self.clauses(clause.body, set(bound) | self.assumed)

    def _or(self, clause: Or, bound: set[Variable]) -> set[Variable]:
        after = [self.clauses(branch, set(bound)) for branch in clause.branches]
        fresh = [names - bound - self.assumed for names in after]
        for place, names in enumerate(fresh):
            differ = sorted(names ^ fresh[0])
            if differ:
                binds = place if differ[0] in names else 0
                raise self._refuse(
                    f"branch {binds} of an or binds {differ[0]}, and branch {place - binds} does not",
                    "every branch must bind the same new variables",
                )
        return bound | fresh[0]

    def _call(self, clause: Call, bound: set[Variable]) -> None:
        shown = errors.quote(clause.name)
        if clause.name not in self._book.definitions:
            raise self._refuse(f"rule {shown} is not defined", "define it in rules")
        if len(clause.args) != self._book.arity(clause.name):
            raise self._refuse(
                f"rule {shown} is called with {len(clause.args)} arguments, and takes {self._book.arity(clause.name)}",
                "give one for each variable of its head; _ leaves it open",
            )
        for position in sorted(self._book.needs[clause.name]):
            argument = clause.args[position]
            who = f"the call of rule {shown}, whose body does not bind argument {position + 1},"
            if argument is ANY:
                raise self._refuse(f"{who} leaves it open with _", "give it a bound variable or a constant")
            if isinstance(argument, Variable):
                self._need({argument}, bound, who)

    def _refuse(self, message: str, hint: str | None = None) -> errors.QueryError:
        return refuse(self._inside + message, "rules" if self._inside else "where", hint)


def _check_rules(book: RuleBook, where: tuple) -> None:
    """Find what each rule needs from its callers; needs only grow, so this ends."""
    changed = True
    while changed:
        changed = False
        for name, known in book.definitions.items():
            needed = book.needs[name].union(*(_needed(book, definition) for definition in known))
            if needed != book.needs[name]:
                book.needs[name] = needed
                changed = True
    called = {use.name for use in uses(where)}
    called |= {use.name for known in book.definitions.values() for definition in known for use in uses(definition.body)}
    for name, known in book.definitions.items():
        if book.needs[name] and name not in called:
            variable = known[0].head[min(book.needs[name])]
            raise refuse(
                f"inside rule {errors.quote(name)}: the body does not bind {variable} of the head, and no call does",
                "rules",
                "bind it in the body, or call the rule with a value for it",
            )


def _needed(book: RuleBook, definition: Definition) -> set[int]:
    head = frozenset(definition.head)
    scan = Scan(book, definition.name, head)
    already = {definition.head[position] for position in book.needs[definition.name]}
    bound = scan.clauses(definition.body, already)
    missing = (head - bound) | scan.assumed
    return {position for position, variable in enumerate(definition.head) if variable in missing}


def _check_size(query: Query) -> None:
    pending = [query.where, *(definition.body for definition in query.rules)]
    total = 0
    while pending:
        clauses = pending.pop()
        total += len(clauses)
        for clause in clauses:
            if isinstance(clause, Not):
                pending.append(clause.body)
            elif isinstance(clause, Or):
                pending.extend(clause.branches)
    if total > limits.QUERY_CLAUSES:
        raise refuse(f"the query has {total} clauses", "where", f"use at most {limits.QUERY_CLAUSES}", "out_of_range")


def _check_find(items: tuple[FindItem, ...], bound: set[Variable]) -> None:
    for item in items:
        if item.variable not in bound:
            raise refuse(
                f"find names {item.variable}, which no clause binds", "find", "bind it in where, outside any not"
            )
    functions = {item.function for item in items} - {None}
    if "pull" in functions and len(functions) > 1:
        raise refuse("find mixes pull with an aggregate", "find", "ask for them in two queries")


def _check_order(query: Query, bound: set[Variable]) -> None:
    columns = [item.column for item in query.find]
    for name, _ in query.order:
        if name not in columns and name not in bound:
            raise refuse(
                f"order names {errors.quote(name)}, which is neither a column nor a bound variable",
                "order",
                f"the columns are {', '.join(columns)}",
            )


class Scoper:
    """Gives the variables local to a `not` names of their own, so that clauses may be moved freely afterwards."""

    def __init__(self) -> None:
        self._numbers = count()

    def clauses(self, clauses: tuple, bound: set[Variable]) -> tuple:
        bound = set(bound)
        scoped = []
        for clause in clauses:
            if isinstance(clause, Not):
                fresh = {
                    name: Variable(f"{name}~{next(self._numbers)}") for name in sorted(variables_of(clause) - bound)
                }
                body = tuple(rename(inner, fresh) for inner in clause.body)
                clause = clause._replace(body=self.clauses(body, bound))
            elif isinstance(clause, Or):
                clause = clause._replace(branches=tuple(self.clauses(branch, bound) for branch in clause.branches))
            bound |= outward(clause)
            scoped.append(clause)
        return tuple(scoped)


def rename(clause: object, names: dict) -> object:
    """The clause with terms replaced: variables by what `names` says."""
    if isinstance(clause, Not):
        return clause._replace(body=tuple(rename(inner, names) for inner in clause.body))
    if isinstance(clause, Or):
        branches = tuple(tuple(rename(inner, names) for inner in branch) for branch in clause.branches)
        return clause._replace(branches=branches)
    if isinstance(clause, Call):
        return clause._replace(args=tuple(_renamed(term, names) for term in clause.args))
    return clause._replace(
        **{field: _renamed(getattr(clause, field), names) for field in clause._fields if field in TERM_FIELDS}
    )


TERM_FIELDS = frozenset(("e", "a", "v", "tx", "added", "left", "right", "result"))


def _renamed(term: object, names: dict) -> object:
    return names.get(term, term) if isinstance(term, Variable) else term
