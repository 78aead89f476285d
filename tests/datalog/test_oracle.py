"""The engine against the naive evaluator, on random queries over random files, current, historical and as of."""

import random
from functools import partial

import pytest

from fgraph import errors
from tests.datalog.naive import Naive, Refused
from tests.datalog.random_queries import QueryMaker, random_file

FILES = 21
QUERIES_EACH = 100


def naive_of(db: object, basis: int) -> Naive:
    connection = db._store.connection
    rows = connection.execute("SELECT id, e, a, v, t, tx, rx FROM fgraph_facts").fetchall()
    names = dict(connection.execute("SELECT id, name FROM fgraph_ids WHERE name IS NOT NULL"))
    return Naive(rows, names, basis)


def outcome(answer: object) -> object:
    """Rows, or the fact that the query was refused."""
    try:
        return answer()
    except (errors.QueryError, Refused):
        return "refused"


def comparable(rows: object, exact: bool) -> object:
    return rows if exact or rows == "refused" else sorted(map(repr, rows))


@pytest.mark.parametrize("seed", range(FILES))
def test_answers_equal_those_of_the_naive_evaluator(seed: int) -> None:
    rng = random.Random(seed)
    db = random_file(rng)
    transactions = [row[0] for row in db._store.connection.execute("SELECT tx FROM fgraph_events ORDER BY tx")]
    for _ in range(QUERIES_EACH):
        query = QueryMaker(rng).query()
        basis = rng.choice(transactions) if rng.random() < 0.3 else transactions[-1]
        view = db if basis == transactions[-1] else db.at(basis)
        expected = outcome(partial(naive_of(db, basis).answer, query))
        found = outcome(lambda view=view, query=query: view.q(query).rows)
        exact = query.get("limit") is not None or query.get("offset", 0) > 0
        assert comparable(found, exact) == comparable(expected, exact), query
