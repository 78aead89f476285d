"""Seeded random files and random safe queries over them."""

import random

import fgraph

NAMES = ["ann", "bob", "cas", "dot", "eve"]
TEXTS = ["red", "reed", "green", "e"]
REFS, NUMBERS, WORDS = ["r/link", "r/boss"], ["r/num", "r/age"], ["r/tag", "r/word"]
ATTRIBUTES = REFS + NUMBERS + WORDS


def random_file(rng: random.Random) -> fgraph.Db:
    """A store in memory with a dozen transactions: several values, superseded and retracted ones."""
    db = fgraph.connect(":memory:", clock=1_767_225_600_000_000)
    db.declare("r/link", ref=True, many=True)
    db.declare("r/boss", ref=True)
    db.declare("r/tag", many=True)
    db.declare("r/age", type="int")
    for _ in range(rng.randint(4, 9)):
        if rng.random() < 0.3:
            db.retract(rng.choice(NAMES), rng.choice(["r/boss", "r/num", "r/word"]))
        else:
            db.transact([random_record(rng, name) for name in rng.sample(NAMES, rng.randint(1, 3))])
    return db


def random_record(rng: random.Random, name: str) -> dict:
    record: dict = {"id": name}
    if rng.random() < 0.6:
        record["r/link"] = [{"ref": name} for name in rng.sample(NAMES, rng.randint(1, 2))]
    if rng.random() < 0.5:
        record["r/boss"] = {"ref": rng.choice(NAMES)}
    if rng.random() < 0.5:
        record["r/num"] = rng.choice([1, 2, 1.0, 2.5, True, "red", 3])
    if rng.random() < 0.5:
        record["r/age"] = rng.randint(1, 4)
    if rng.random() < 0.5:
        record["r/tag"] = rng.sample(TEXTS, rng.randint(1, 2))
    if rng.random() < 0.5:
        record["r/word"] = rng.choice(TEXTS)
    return record


class QueryMaker:
    """Makes one query; variables are bound before they are used, as safety demands."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.in_rule = False
        self.arities: dict[str, int] = {}

    def query(self) -> dict:
        rng = self.rng
        query: dict = {}
        if rng.random() < 0.35:
            query["rules"] = self.rules()
        if rng.random() < 0.3:
            query["source"] = "history"
        where, bound = self.clauses(rng.randint(1, 4), set(), 0)
        while not bound:
            where, bound = self.clauses(rng.randint(1, 4), set(), 0)
        query["where"] = where
        query["find"] = self.find(sorted(bound))
        self.order(query, sorted(bound))
        return query

    def find(self, bound: list[str]) -> list:
        rng = self.rng
        items: list = rng.sample(bound, min(len(bound), rng.randint(1, 3)))
        if rng.random() < 0.3:
            functions = ["count", "count-distinct", "sum", "avg", "min", "max"]
            items = items[: rng.randint(0, 1)] + [[rng.choice(functions), rng.choice(bound)]]
        return items

    def order(self, query: dict, bound: list[str]) -> None:
        rng = self.rng
        if rng.random() < 0.4:
            columns = [item if isinstance(item, str) else f"{item[0]}({item[1]})" for item in query["find"]]
            plain = all(isinstance(item, str) for item in query["find"])
            names = columns + (bound if plain else [])
            query["order"] = [[rng.choice(names), rng.choice(["asc", "desc"])] for _ in range(rng.randint(1, 2))]
        if rng.random() < 0.3:
            query["limit"] = rng.randint(0, 5)
        if rng.random() < 0.15:
            query["offset"] = rng.randint(0, 3)

    def rules(self) -> list[dict]:
        """Rules whose names come after those of the rules they call; some call themselves."""
        rng = self.rng
        rules = []
        for name in ["p", "q"][: rng.randint(1, 2)]:
            arity = rng.randint(1, 2)
            head = ["?x", "?y"][:arity]
            for number in range(rng.randint(1, 2)):
                recursive = number == 1 and rng.random() < 0.6
                rules.append({"head": [name, *head], "body": self.body(name, head, recursive)})
            self.arities[name] = arity
        return rules

    def body(self, name: str, head: list[str], recursive: bool) -> list:
        if recursive and len(head) == 2:
            edge = self.rng.choice(REFS)
            left = [{"rule": [name, "?x", "?z"]}, ["?z", edge, "?y"]]
            right = [["?x", edge, "?z"], {"rule": [name, "?z", "?y"]}]
            both = [{"rule": [name, "?x", "?z"]}, {"rule": [name, "?z", "?y"]}]
            return self.rng.choice([left, right, right[::-1], both])
        if recursive:
            return [{"rule": [name, "?z"]}, ["?z", self.rng.choice(REFS), "?x"]]
        while True:
            self.in_rule = True
            body, bound = self.clauses(self.rng.randint(1, 2), set(), 1)
            self.in_rule = False
            if bound >= set(head):
                return body

    def clauses(self, count: int, bound: set[str], depth: int) -> tuple[list, set[str]]:
        clauses = []
        bound = set(bound)
        for _ in range(count):
            clause, bound = self.clause(bound, depth)
            clauses.append(clause)
        return clauses, bound

    def clause(self, bound: set[str], depth: int) -> tuple[object, set[str]]:
        rng = self.rng
        kind = rng.random()
        if bound and kind < 0.15:
            return self.predicate(sorted(bound)), bound
        if bound and depth < 2 and kind < 0.3:
            return self.negation(bound, depth), bound
        if depth < 2 and kind < 0.42:
            return self.disjunction(bound, depth)
        if self.arities and kind < 0.6:
            name = rng.choice(sorted(self.arities))
            args = [rng.choice(["?x", "?y", "?z", "_", "ann", "red", 2]) for _ in range(self.arities[name])]
            return {"rule": [name, *args]}, bound | {arg for arg in args if str(arg).startswith("?")}
        pattern = self.pattern()
        return pattern, bound | {term for term in pattern if str(term).startswith("?")}

    def pattern(self) -> list:
        rng = self.rng
        attribute = rng.choice(ATTRIBUTES)
        entity = rng.choice(["?x", "?y", "?z", "?x", "_", rng.choice(NAMES)])
        values = {True: [{"ref": rng.choice(NAMES)}, "?x", "?y"], False: [rng.choice([1, 2.5, "red", 2])]}
        value = rng.choice(["?v", "?w", "?y", "_", *values[attribute in REFS]])
        if rng.random() < 0.08:
            attribute = rng.choice(["?a", "_"])
        pattern = [entity, attribute, value]
        if rng.random() < 0.2:
            pattern.append(rng.choice(["?t", "_", "?u"]))
            if rng.random() < 0.5:
                pattern.append(rng.choice([True, False, "?d", "_"]))
        return pattern

    def predicate(self, bound: list[str]) -> list:
        rng = self.rng
        # Rules are evaluated from the bound side, so whether a row of a whole rule would fail is left open: none does.
        able_to_fail = [] if self.in_rule else ["<", "<=", ">", ">=", "contains", "starts-with"]
        op = rng.choice(["=", "!=", *able_to_fail])
        other = rng.choice([rng.choice(bound), 1, 2, 2.0, "re", "red"])
        operands = [rng.choice(bound), other]
        if op not in ("contains", "starts-with"):
            rng.shuffle(operands)
        return [op, *operands]

    def negation(self, bound: set[str], depth: int) -> dict:
        while True:
            inside, names = self.clauses(self.rng.randint(1, 2), bound, depth + 1)
            mentioned = {
                term
                for clause in inside
                if isinstance(clause, list)
                for term in clause
                if isinstance(term, str) and term in bound
            }
            if mentioned:
                return {"not": inside}

    def disjunction(self, bound: set[str], depth: int) -> tuple[dict, set[str]]:
        """Two branches that bind the same: made apart where that comes about soon, else the first with a variation."""
        clauses, names = self.clauses(self.rng.randint(1, 2), bound, depth + 1)
        for _ in range(5):
            other, others = self.clauses(self.rng.randint(1, 2), bound, depth + 1)
            if others == names:
                return {"or": [clauses, other]}, names
        return {"or": [clauses, list(map(self.varied, clauses))]}, names

    def varied(self, clause: object) -> object:
        """A pattern under another attribute of its kind; other clauses as they are."""
        kinds = [kind for kind in (REFS, NUMBERS, WORDS) if isinstance(clause, list) and clause[1] in kind]
        return [clause[0], self.rng.choice(kinds[0]), *clause[2:]] if kinds else clause
