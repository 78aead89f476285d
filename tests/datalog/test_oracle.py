"""The engine against the naive evaluator, on random queries over random files, current, historical and as of."""

import random
import re
from functools import cache, partial

import pytest

import fgraph
from fgraph import errors
from tests.datalog.naive import Naive, Refused
from tests.datalog.random_queries import QueryMaker, random_file

FILES = 21
QUERIES_EACH = 100


def naive_of(db: fgraph.Db, basis: int) -> Naive:
    connection = db._store.connection
    rows = connection.execute("SELECT id, e, a, v, t, tx, rx FROM fgraph_facts").fetchall()
    names = dict(connection.execute("SELECT id, name FROM fgraph_ids WHERE name IS NOT NULL"))
    return Naive(rows, names, basis)


def outcome(answer: object) -> object:
    """Rows, or the fact that the query was refused, or that it needs more than its budget."""
    try:
        return answer()
    except (errors.QueryError, Refused):
        return "refused"
    except errors.TooLarge:
        return "too large"


def falls_apart(where: list) -> bool:
    """Whether the clauses make two groups or more that share no variable."""
    groups: list[set[str]] = []
    for clause in where:
        mine = set(re.findall(r"\?\w+", repr(clause)))
        if mine:
            apart = [group for group in groups if not group & mine]
            groups = [*apart, mine.union(*(group for group in groups if group & mine))]
    return len(groups) > 1


def comparable(rows: object, exact: bool) -> object:
    return rows if exact or rows == "refused" else sorted(map(repr, rows))


@pytest.mark.parametrize("seed", range(FILES))
def test_answers_equal_those_of_the_naive_evaluator(seed: int) -> None:
    rng = random.Random(seed)
    db = random_file(rng)
    naive = cache(partial(naive_of, db))
    transactions = [row[0] for row in db._store.connection.execute("SELECT tx FROM fgraph_events ORDER BY tx")]
    compared = 0
    while compared < QUERIES_EACH:
        query = QueryMaker(rng).query()
        basis = rng.choice(transactions) if rng.random() < 0.3 else transactions[-1]
        view = db if basis == transactions[-1] else db.at(basis)
        found = outcome(lambda view=view, query=query: view.q(query).rows)
        if found == "too large":
            # Only a cross product comes near the budget, and the naive evaluator would not end on it either.
            assert falls_apart(query["where"]), query
            continue
        expected = outcome(partial(naive(basis).answer, query))
        exact = query.get("limit") is not None or query.get("offset", 0) > 0
        assert comparable(found, exact) == comparable(expected, exact), query
        compared += 1
