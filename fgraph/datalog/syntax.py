"""JSON query to checked clauses: the grammar, without a look at the file."""

from collections.abc import Iterator, Mapping
from itertools import count

from fgraph import errors, limits
from fgraph.datalog.clauses import (
    ANY,
    Arithmetic,
    Call,
    Constant,
    Definition,
    FindItem,
    InputForm,
    Not,
    Or,
    Pattern,
    Predicate,
    Query,
    Term,
    Variable,
)
from fgraph.read import selectors

KEYS = ("find", "where", "in", "rules", "source", "order", "limit", "offset")
SOURCES = ("current", "history")
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=")
OPERATORS = (*COMPARISONS, "contains", "starts-with")
ARITHMETIC = ("+", "-", "*", "/", "%")
AGGREGATES = ("count", "count-distinct", "sum", "avg", "min", "max")
# Words that people write for operators this language does not have.
LOOKALIKES = frozenset("like ilike in not-in matches regex ends-with between and or not".split())
SYMBOLS = frozenset("=<>!~&|")


def refuse(message: str, param: str, hint: str | None = None, code: str = "query_invalid") -> errors.QueryError:
    """The error for a query of the wrong form; `param` is the part at fault."""
    return errors.QueryError(message, code=code, param=param, hint=hint)


def parse(query: object) -> Query:
    """The clauses of a query; `QueryError` names the part that is wrong."""
    if not isinstance(query, Mapping):
        raise refuse(
            f"the query is {errors.quote(query)}, not an object", "query", 'write {"find": [..], "where": [..]}'
        )
    for key in query:
        if key not in KEYS:
            raise refuse(
                f"the query has the unknown key {errors.quote(key)}", "query", f"the keys are {', '.join(KEYS)}"
            )
    parser = Parser()
    return Query(
        find=parser.find(query.get("find")),
        where=parser.clauses(query.get("where", []), "where"),
        inputs=tuple(_inputs(query.get("in", []))),
        rules=parser.rules(query.get("rules")),
        source=_source(query.get("source", "current")),
        order=tuple(_order(query.get("order", []))),
        limit=_count(query.get("limit"), "limit", optional=True),
        offset=_count(query.get("offset", 0), "offset") or 0,
    )


class Parser:
    """Reads clauses, numbering each of them."""

    def __init__(self) -> None:
        self._uids = count()

    # -- find and rules -----------------------------------------------------------------------------------------------

    def find(self, items: object) -> tuple[FindItem, ...]:
        if not isinstance(items, list) or not items:
            raise refuse(f"find is {errors.quote(items)}, not a list of at least one item", "find", FIND_FORMS)
        return tuple(_find_item(item, f"find[{place}]") for place, item in enumerate(items))

    def rules(self, rules: object) -> tuple[Definition, ...]:
        if rules is None:
            return ()
        if not isinstance(rules, list):
            raise refuse(f"rules is {errors.quote(rules)}, not a list", "rules", RULE_FORM)
        return tuple(self._definition(rule, f"rules[{place}]") for place, rule in enumerate(rules))

    def _definition(self, rule: object, where: str) -> Definition:
        if not isinstance(rule, Mapping) or set(rule) != {"head", "body"}:
            raise refuse(f"{where} is {errors.quote(rule)}", where, RULE_FORM)
        head = rule["head"]
        if not isinstance(head, list) or not head or not isinstance(head[0], str):
            raise refuse(f"{where}.head is {errors.quote(head)}", where, RULE_FORM)
        for argument in head[1:]:
            if not is_variable(argument):
                raise refuse(
                    f"inside rule {errors.quote(head[0])}: the head has {errors.quote(argument)}, which is no variable",
                    f"{where}.head",
                    "only variables may stand in a head; compare them in the body",
                )
        context = f"inside rule {errors.quote(head[0])}: {where}.body"
        return Definition(head[0], tuple(map(Variable, head[1:])), self.clauses(rule["body"], context))

    # -- clauses ------------------------------------------------------------------------------------------------------

    def clauses(self, clauses: object, where: str, depth: int = 0) -> tuple:
        if not isinstance(clauses, list):
            raise refuse(f"{where} is {errors.quote(clauses)}, not a list of clauses", where, "write [clause, ..]")
        if depth > limits.QUERY_DEPTH:
            raise refuse(f"{where}: clauses are nested more than {limits.QUERY_DEPTH} deep", where, "flatten the query")
        return tuple(self._clause(clause, f"{where}[{place}]", depth) for place, clause in enumerate(clauses))

    def _clause(self, clause: object, where: str, depth: int) -> object:
        if isinstance(clause, list | tuple):
            return self._list_clause(clause, where)
        if not isinstance(clause, Mapping) or len(clause) != 1:
            raise refuse(f"{where} is {errors.quote(clause)}", where, CLAUSE_FORMS)
        ((kind, content),) = clause.items()
        if kind == "not":
            return Not(next(self._uids), self.clauses(content, f"{where}.not", depth + 1))
        if kind == "or":
            return self._or(content, f"{where}.or", depth)
        if kind == "rule":
            return self._call(content, f"{where}.rule")
        raise refuse(f"{where} has the unknown kind {errors.quote(kind)}", where, CLAUSE_FORMS)

    def _or(self, branches: object, where: str, depth: int) -> Or:
        if not isinstance(branches, list) or not branches:
            raise refuse(f"{where} is {errors.quote(branches)}", where, 'write {"or": [[clause, ..], [clause, ..]]}')
        if len(branches) > limits.QUERY_BRANCHES:
            hint = f"use at most {limits.QUERY_BRANCHES}, or a collection input"
            raise refuse(f"{where} has {len(branches)} branches", where, hint, "out_of_range")
        uid = next(self._uids)
        parsed = [self.clauses(branch, f"{where}[{place}]", depth + 1) for place, branch in enumerate(branches)]
        return Or(uid, tuple(parsed))

    def _call(self, content: object, where: str) -> Call:
        if not isinstance(content, list) or not content or not isinstance(content[0], str):
            raise refuse(f"{where} is {errors.quote(content)}", where, 'write {"rule": ["name", argument, ..]}')
        return Call(next(self._uids), content[0], tuple(_term(argument) for argument in content[1:]))

    def _list_clause(self, clause: list | tuple, where: str) -> object:
        first = clause[0] if clause else None
        if isinstance(first, str) and first in OPERATORS:
            if len(clause) != 3:
                raise refuse(f"{where} has {len(clause)} items", where, f'a predicate is ["{first}", operand, operand]')
            return Predicate(next(self._uids), first, _operand(clause[1]), _operand(clause[2]))
        if isinstance(first, str) and first in ARITHMETIC:
            if len(clause) != 4:
                hint = f'arithmetic is ["{first}", operand, operand, "?result"]'
                raise refuse(f"{where} has {len(clause)} items", where, hint)
            return Arithmetic(next(self._uids), first, *map(_operand, clause[1:]))
        if not 3 <= len(clause) <= 5:
            raise refuse(f"{where} {errors.quote(clause)} has {len(clause)} items", where, CLAUSE_FORMS)
        return self._pattern(clause, where)

    def _pattern(self, clause: list | tuple, where: str) -> Pattern:
        e, a, v, tx, added = (*clause, *("_",) * (5 - len(clause)))
        attribute = _term(a)
        if isinstance(attribute, Constant):
            selectors.check_attribute(a, where, "write namespace/name, or a variable")
        added_term = _term(added)
        if isinstance(added_term, Constant) and not isinstance(added, bool):
            raise refuse(f"{where}: added is {errors.quote(added)}", where, "use true, false or a variable")
        return Pattern(next(self._uids), _term(e), attribute, _term(v), _term(tx), added_term, len(clause))


FIND_FORMS = 'find takes "?x", ["count", "?x"] (or count-distinct, sum, avg, min, max) and ["pull", "?x", [..]]'
RULE_FORM = 'a rule is {"head": ["name", "?x", ..], "body": [clause, ..]}'
CLAUSE_FORMS = (
    'a clause is [entity, attribute, value], [operator, operand, operand], [arithmetic, operand, operand, "?result"], '
    '{"not": [clause, ..]}, {"or": [[clause, ..], ..]} or {"rule": ["name", argument, ..]}'
)


def is_variable(item: object) -> bool:
    """Whether a JSON item is written as a variable."""
    return isinstance(item, str) and item.startswith("?")


def is_lookalike(first: object) -> bool:
    """Whether the first item of a pattern was probably meant as an operator that does not exist."""
    return isinstance(first, str) and bool(first) and (first in LOOKALIKES or SYMBOLS.issuperset(first))


def no_operator(first: str, where: str) -> errors.QueryError:
    """The error for a pattern that starts with such an item."""
    return refuse(f"{where}: {errors.quote(first)} is no operator", where, f"the operators are {' '.join(OPERATORS)}")


def _term(item: object) -> Term:
    if is_variable(item):
        return Variable(item)
    return ANY if isinstance(item, str) and item == "_" else Constant(item)


def _operand(item: object) -> Term:
    return Variable(item) if is_variable(item) else Constant(item)


def _find_item(item: object, where: str) -> FindItem:
    if is_variable(item):
        return FindItem(item, Variable(item))
    if isinstance(item, list) and len(item) == 2 and item[0] in AGGREGATES and is_variable(item[1]):
        return FindItem(f"{item[0]}({item[1]})", Variable(item[1]), item[0])
    if isinstance(item, list) and len(item) == 3 and item[0] == "pull" and is_variable(item[1]):
        return FindItem(f"pull({item[1]})", Variable(item[1]), "pull", item[2])
    raise refuse(f"{where} is {errors.quote(item)}", where, FIND_FORMS)


def _inputs(items: object) -> Iterator[InputForm]:
    if not isinstance(items, list) or len(items) > limits.QUERY_CLAUSES:
        raise refuse(f"in is {errors.quote(items)}, not a list of up to {limits.QUERY_CLAUSES}", "in", INPUT_FORMS)
    seen: set[str] = set()
    for place, item in enumerate(items):
        form = _input_form(item, f"in[{place}]")
        for variable in form.variables:
            if variable in seen:
                raise refuse(f"in[{place}] binds {variable} a second time", "in", "name each input once")
            seen.add(variable)
        yield form


INPUT_FORMS = 'an input is "?x", a collection ["?x", "..."], a tuple ["?x", "?y"] or a relation [["?x", "?y"]]'


def _input_form(item: object, where: str) -> InputForm:
    if is_variable(item):
        return InputForm(item, "scalar", (Variable(item),))
    if isinstance(item, list) and len(item) == 2 and is_variable(item[0]) and item[1] == "...":
        return InputForm(item[0], "collection", (Variable(item[0]),))
    kind, names = ("relation", item[0]) if isinstance(item, list) and len(item) == 1 else ("tuple", item)
    if isinstance(names, list) and names and all(is_variable(name) for name in names):
        return InputForm(" ".join(names), kind, tuple(map(Variable, names)))
    raise refuse(f"{where} is {errors.quote(item)}", where, INPUT_FORMS)


def _source(source: object) -> str:
    if isinstance(source, str) and source in SOURCES:
        return source
    raise refuse(f"source is {errors.quote(source)}", "source", 'use "current" or "history"')


def _order(items: object) -> Iterator[tuple[str, bool]]:
    if not isinstance(items, list):
        raise refuse(f"order is {errors.quote(items)}, not a list", "order", 'write [["?x", "asc"]]')
    for place, item in enumerate(items):
        name = item if isinstance(item, str) else item[0] if isinstance(item, list) and item else "?x"
        if not (isinstance(item, list) and len(item) == 2 and isinstance(name, str) and item[1] in ("asc", "desc")):
            shown = name if isinstance(name, str) else "?x"
            raise refuse(
                f"order[{place}] is {errors.quote(item)}", "order", f'write [{errors.quote(shown)}, "asc"] or "desc"'
            )
        yield name, item[1] == "desc"


def _count(value: object, param: str, optional: bool = False) -> int | None:
    if value is None and optional:
        return None
    if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
        return value
    raise refuse(f"{param} is {errors.quote(value)}", param, "use an integer of 0 or more", "out_of_range")
