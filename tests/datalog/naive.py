"""A naive evaluator for the tests: nested loops over a list of datoms, clause by clause, as the language is defined."""

import json
from collections.abc import Callable, Iterator
from typing import NamedTuple

from fgraph.values import instants

REF, BOOL, INT, FLOAT, TEXT, INSTANT = 0, 1, 2, 3, 4, 5
OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "contains", "starts-with")


class Refused(Exception):
    """The query fails on some row."""


class Datom(NamedTuple):
    e: tuple
    a: tuple
    v: tuple
    tx: tuple
    added: tuple


class Naive:
    """Answers queries over rows (id, e, a, v, t, tx, rx) at a basis; `names` maps ids to names."""

    def __init__(self, rows: list[tuple], names: dict[int, str], basis: int, since: int = 0) -> None:
        self.names = names
        self.ids = {name: number for number, name in names.items()}
        self.current = [
            datom(row, row[5], 1)
            for row in sorted(rows)
            if since < row[5] <= basis and (row[6] is None or row[6] > basis)
        ]
        self.history = []
        for row in sorted(rows):
            for tx, added in ((row[5], 1), (row[6], 0)):
                if tx is not None and since < tx <= basis:
                    self.history.append(datom(row, tx, added))

    def answer(self, query: dict) -> list[list]:
        self.datoms = self.history if query.get("source") == "history" else self.current
        self.rules = derive(self, query.get("rules", []))
        rows = self.clauses(query.get("where", []), [{}])
        rendered = self.find(query["find"], rows)
        columns = [column(item) for item in query["find"]]
        for name, direction in reversed(query.get("order", [])):
            rendered.sort(key=lambda pair: self.order_key(name, columns, *pair), reverse=direction == "desc")
        kept = [row for row, _ in rendered][query.get("offset", 0) :]
        return kept if query.get("limit") is None else kept[: query["limit"]]

    # -- clauses ------------------------------------------------------------------------------------------------------

    def clauses(self, clauses: list, rows: list[dict]) -> list[dict]:
        for clause in planned(clauses, set(rows[0]) if rows else set()):
            rows = distinct(self.clause(clause, rows))
        return rows

    def clause(self, clause: object, rows: list[dict]) -> list[dict]:
        if isinstance(clause, list) and clause[0] in OPERATORS:
            return [row for row in rows if self.holds(clause, row)]
        if isinstance(clause, list):
            under = self.under(clause[1])
            return [found for row in rows for datom in under for found in self.match(clause, datom, row)]
        if "not" in clause:
            return [row for row in rows if not self.clauses(clause["not"], [row])]
        if "or" in clause:
            return [found for branch in clause["or"] for found in (self.clauses(branch, rows) if rows else [])]
        name, *args = clause["rule"]
        return [found for row in rows for tuple_ in self.rules[name] for found in self.unify(args, tuple_, row)]

    def under(self, attribute: str) -> list[Datom]:
        """The datoms of a constant attribute; all of them where it is a variable or open."""
        if attribute == "_" or attribute.startswith("?"):
            return self.datoms
        wanted = self.entity(attribute)
        return [datom for datom in self.datoms if datom.a == wanted]

    def match(self, pattern: list, datom: Datom, row: dict) -> Iterator[dict]:
        bound = dict(row)
        readers: tuple[Callable, ...] = (self.entity, self.entity, self.value, self.entity, self.value)
        for term, cell, read in zip(pattern, datom, readers, strict=False):
            if isinstance(term, str) and term.startswith("?"):
                if bound.setdefault(term, cell) != cell:
                    return
            elif term != "_" and read(term) != cell:
                return
        yield bound

    def unify(self, args: list, tuple_: tuple, row: dict) -> Iterator[dict]:
        bound = dict(row)
        for term, cell in zip(args, tuple_, strict=True):
            if isinstance(term, str) and term.startswith("?"):
                if bound.setdefault(term, cell) != cell:
                    return
            elif term != "_" and (self.entity(term) if cell[0] == REF else self.value(term)) != cell:
                return
        yield bound

    def entity(self, term: object) -> tuple | None:
        term = term["ref"] if isinstance(term, dict) else term
        number = self.ids.get(term) if isinstance(term, str) else term
        return (REF, number) if isinstance(number, int) else None

    def value(self, term: object) -> tuple | None:
        if isinstance(term, dict):
            return self.entity(term)
        kinds = {bool: BOOL, int: INT, float: FLOAT, str: TEXT}
        return kinds[type(term)], int(term) if isinstance(term, bool) else term

    def holds(self, predicate: list, row: dict) -> bool:
        op, *operands = predicate
        left, right = (
            row[term] if isinstance(term, str) and term[0:1] == "?" else self.value(term) for term in operands
        )
        numeric = {left[0], right[0]} <= {INT, FLOAT}
        if op in ("=", "!="):
            return ((left[0] == right[0] or numeric) and left[1] == right[1]) == (op == "=")
        if op in ("contains", "starts-with"):
            if left[0] != TEXT or right[0] != TEXT:
                raise Refused
            return right[1] in left[1] if op == "contains" else left[1].startswith(right[1])
        if left[0] != right[0] and not numeric:
            raise Refused
        compared = (left[1] > right[1]) - (left[1] < right[1])
        return {"<": compared < 0, "<=": compared <= 0, ">": compared > 0, ">=": compared >= 0}[op]

    # -- results ------------------------------------------------------------------------------------------------------

    def find(self, items: list, rows: list[dict]) -> list[tuple[list, dict]]:
        if not any(isinstance(item, list) for item in items):
            return merged([([self.render(row[item]) for item in items], row) for row in rows])
        plain = [item for item in items if isinstance(item, str)]
        groups: dict[tuple, list[dict]] = {} if plain else {(): []}
        for row in rows:
            groups.setdefault(tuple(row[item] for item in plain), []).append(row)
        return merged([(self.group(items, members), members[0] if members else {}) for members in groups.values()])

    def group(self, items: list, members: list[dict]) -> list:
        return [
            self.render(members[0][item])
            if isinstance(item, str)
            else aggregate(item[0], [row[item[1]] for row in members])
            for item in items
        ]

    def render(self, cell: tuple) -> object:
        tag, value = cell
        if tag == REF:
            return {"ref": self.names.get(value, value)}
        if tag == INSTANT:
            return {"instant": instants.format_instant(value)}
        return value == 1 if tag == BOOL else value

    def order_key(self, name: str, columns: list[str], row: list, bindings: dict) -> tuple:
        value = row[columns.index(name)] if name in columns else self.render(bindings[name])
        if isinstance(value, bool):
            return (0, value)
        if isinstance(value, int | float):
            return (1, value)
        if isinstance(value, str):
            return (2, value)
        if value is None:
            return (3, "null")
        return (3, json.dumps(value, separators=(",", ":")))


def datom(row: tuple, tx: int, added: int) -> Datom:
    return Datom((REF, row[1]), (REF, row[2]), (row[4], row[3]), (REF, tx), (BOOL, added))


def planned(clauses: list, bound: set[str]) -> Iterator[object]:
    """Each run of adjacent patterns by what is known of them; everything else in its place."""
    run: list = []
    for clause in [*clauses, None]:
        if isinstance(clause, list) and clause[0] not in OPERATORS:
            run.append(clause)
            continue
        while run:
            best = min(run, key=lambda pattern: rank(pattern, bound))
            run.remove(best)
            bound |= variables(best)
            yield best
        if clause is not None:
            bound |= variables(clause) if isinstance(clause, dict) and "not" not in clause else set()
            yield clause


def rank(pattern: list, bound: set[str]) -> int:
    e, a, v = (term in bound if str(term).startswith("?") else term != "_" for term in pattern[:3])
    return [e and a, a and v, e, a, v, True].index(True)


def variables(item: object) -> set[str]:
    if isinstance(item, dict):
        return set() if "not" in item else variables(list(item.values()))
    if isinstance(item, list):
        return set().union(*map(variables, item), set())
    return {item} if isinstance(item, str) and item.startswith("?") else set()


def distinct(rows: list[dict]) -> list[dict]:
    first: dict[tuple, dict] = {}
    for row in rows:
        first.setdefault(tuple(sorted(row.items())), row)
    return list(first.values())


def merged(rows: list[tuple[list, dict]]) -> list[tuple[list, dict]]:
    """Rows that print differently; JSON prints 1.0 as 1."""
    first: dict[str, tuple[list, dict]] = {}
    for row, bindings in rows:
        shown = repr([int(value) if isinstance(value, float) and value.is_integer() else value for value in row])
        first.setdefault(shown, (row, bindings))
    return list(first.values())


def column(item: object) -> str:
    return item if isinstance(item, str) else f"{item[0]}({item[1]})"


def aggregate(function: str, cells: list[tuple]) -> object:
    if function == "count":
        return len(cells)
    if function == "count-distinct":
        return len(set(cells))
    if any(tag not in (INT, FLOAT) for tag, _ in cells):
        raise Refused
    values = [value for _, value in cells]
    if not values:
        return None
    if function in ("min", "max"):
        return min(values) if function == "min" else max(values)
    total = 0.0
    for value in values:
        total += float(value)
    if function == "avg":
        return total / len(values)
    return total if any(tag == FLOAT for tag, _ in cells) else sum(values)


def derive(naive: Naive, rules: list[dict]) -> dict[str, list[tuple]]:
    """All tuples of all rules, in rounds: every definition over what there is, until a round adds nothing.

    Rules come in the order of their names, and what a rule negates or calls has a name before its own.
    """
    tuples: dict[str, list[tuple]] = {rule["head"][0]: [] for rule in rules}
    naive.rules = tuples
    for name in sorted(tuples):
        grew = True
        while grew:
            grew = False
            for rule in rules:
                if rule["head"][0] != name:
                    continue
                for row in naive.clauses(rule["body"], [{}]):
                    found = tuple(row[variable] for variable in rule["head"][1:])
                    if found not in tuples[name]:
                        tuples[name].append(found)
                        grew = True
    return tuples
