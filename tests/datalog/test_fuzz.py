"""Whatever is sent as a query, the answer is a result or a typed error about the query."""

import random

import pytest

import fgraph
from tests.datalog.workshop import workshop

ATOMS = [
    "?e", "?x", "?f", "_", "lathe", "m/name", "m/uses", "fgraph/at", "fgraph/new", "=", "<", "+", "==", "like", "", "r",
    40, 1.5, True, None, -1, 10**30, float("nan"), b"x", "...", {"not": []}, [], {}, ["m/name", "Lathe"],
    {"ref": "motor"}, {"ref": "?odd"}, {"ref": None}, {"eid": "x"}, {"instant": 5}, {"json": [1]}, {"bytes": "AA=="},
    {"vector": [1, 2]},
]  # fmt: skip


class Junk:
    """Queries that are right in most places and wrong in some."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def clause(self, depth: int = 0) -> object:
        rng, kind = self.rng, self.rng.random()
        if kind < 0.45:
            entity, value = rng.choice(["?e", "?x", "?f"]), rng.choice(["?x", "?f", "?v", "_"])
            return [entity, rng.choice(["m/uses", "m/watts", "?a"]), value if rng.random() < 0.6 else rng.choice(ATOMS)]
        if kind < 0.6:
            return [rng.choice(["=", "!=", "<", "contains"]), rng.choice(["?e", "?x", "?v"]), rng.choice(ATOMS)]
        if kind < 0.68:
            return [rng.choice("+-*/%"), rng.choice(["?x", "?f", 3]), rng.choice(ATOMS), rng.choice(["?z", 5])]
        if kind < 0.78 and depth < 3:
            return {"not": [self.clause(depth + 1) for _ in range(rng.randint(0, 2))]}
        if kind < 0.88 and depth < 3:
            return {"or": [[self.clause(depth + 1)] for _ in range(rng.randint(1, 3))]}
        if kind < 0.97:
            return {"rule": ["r", rng.choice(ATOMS), rng.choice(["?x", "?f"])]}
        return rng.choice(ATOMS)

    def query(self) -> dict:
        rng = self.rng
        start = [["?e", "m/name", "?v"], ["?e", "m/uses", "?x"], ["?x", rng.choice(["?a", "m/watts"]), "?f"]]
        query: dict = {"find": [rng.choice(["?e", ["count", "?x"], ["sum", "?f"], ["pull", "?e", ["*"]]])]}
        query["where"] = start + [self.clause() for _ in range(rng.randint(0, 3))]
        body = [["?x", "m/uses", "?y"]] if rng.random() < 0.8 else []
        head = ["r", "?x", "?y"]
        query["rules"] = [
            {"head": head, "body": [["?x", "m/uses", "?y"]]},
            {"head": head, "body": [self.clause() for _ in range(rng.randint(1, 2))] + body},
        ]
        for key, choices in (("source", ["history", 5]), ("limit", [1, "x"]), ("order", [[["?e", "asc"]], ["?e"]])):
            if rng.random() < 0.2:
                query[key] = rng.choice(choices)
        if rng.random() < 0.05:
            query[rng.choice(["find", "where", "rules", "in"])] = rng.choice(ATOMS)
        return query


@pytest.mark.parametrize("seed", range(6))
def test_no_other_exception_gets_out(seed: int) -> None:
    db = workshop(query_budget=20_000)
    junk = Junk(seed)
    answered = 0
    for _ in range(100):
        query = junk.query()
        for ask in (db.q, db.at(74).q, db.explain):
            try:
                ask(query)
                answered += 1
            except (fgraph.QueryError, fgraph.TooLarge):
                pass
    assert answered > 20
