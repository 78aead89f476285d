"""Semantic search: exact cosine, and what is kept between searches."""

import math
import random
import sqlite3
import struct

import pytest

import fgraph
from fgraph import limits
from fgraph.search import vectors
from tests.search.benches import hits


def rounded(vector: list[float]) -> list[float]:
    return list(struct.unpack(f"{len(vector)}f", struct.pack(f"{len(vector)}f", *vector)))


def cosine(one: list[float], other: list[float]) -> float:
    return math.fsum(a * b for a, b in zip(one, other, strict=True)) / (math.hypot(*one) * math.hypot(*other))


def filled(drawn: list[list[float]]) -> fgraph.Db:
    db = fgraph.connect(":memory:")
    db.declare("p/emb", type="vector", dims=len(drawn[0]))
    db.transact([{"id": f"e{number:03}", "p/emb": {"vector": vector}} for number, vector in enumerate(drawn)])
    return db


def nearest(db: fgraph.Db, vector: list[float], k: int = 10, **further) -> list:
    return hits(db.search(vector=vector, vector_attribute="p/emb", k=k, **further))


@pytest.mark.parametrize("stretch", [lambda n: 1.0, lambda n: 10.0 ** (n % 9 - 4), lambda n: 1e-30 * 10.0 ** (n % 60)])
def test_the_order_is_that_of_the_cosine_whatever_the_lengths(stretch):
    chance = random.Random(3)
    drawn = [[chance.gauss(0, 1) * stretch(n) for _ in range(7)] for n in range(80)]
    query = [chance.gauss(0, 1) for _ in range(7)]
    exact = sorted(range(80), key=lambda n: -cosine(rounded(query), rounded(drawn[n])))
    with filled(drawn) as db:
        assert nearest(db, query, k=80) == [f"e{n:03}" for n in exact]


def test_equal_cosines_are_ordered_by_fact():
    with filled([[2, 2], [0, 1], [1, 1], [4, 4], [1, 0]]) as db:
        assert nearest(db, [8, 8]) == ["e000", "e002", "e003", "e001", "e004"]


def test_parallel_vectors_are_ties_whatever_was_met_first():
    """Multiples of one vector, after a first one so short that the others are kept scaled to its length."""
    chance = random.Random(11)
    for _ in range(40):
        base = [chance.randint(-9, 9) or 1 for _ in range(7)]
        drawn = [[factor * element for element in base] for factor in chance.sample(range(1, 2_000), 5)]
        with filled([[1e-6, 0, 0, 0, 0, 0, 0], *drawn]) as db:
            query = [chance.gauss(0, 1) + element for element in base]
            nearest(db, query)
            db.retract("e000")
            assert nearest(db, query) == ["e001", "e002", "e003", "e004", "e005"]


def test_an_entity_counts_with_its_best_vector():
    with fgraph.connect(":memory:") as db:
        db.declare("p/emb", type="vector", dims=2, many=True)
        db.transact({"id": "a", "p/emb": [{"vector": [0, 1]}, {"vector": [1, 0.1]}]})
        db.transact({"id": "b", "p/emb": {"vector": [1, 0.5]}})
        result = db.search(vector=[1, 0], vector_attribute="p/emb")
        assert hits(result) == ["a", "b"]
        assert result.work_used == 3
        assert result.hits[0]["matched"][0]["v"] == {"vector_dims": 2}


def test_zero_vectors_are_skipped_but_counted():
    with filled([[1, 0], [0, 0]]) as db:
        result = db.search(vector=[1, 1], vector_attribute="p/emb")
        assert (hits(result), result.work_used) == (["e000"], 2)


def test_filtered_vectors_are_counted_but_take_no_places():
    with filled([[1, 0], [1, 0.1], [1, 0.2]]) as db:
        db.transact({"id": "e002", "p/kind": "k"})
        result = db.search(vector=[1, 0], vector_attribute="p/emb", filters=[["p/kind", "k"]])
        assert (hits(result), result.work_used) == (["e002"], 4)


def test_more_entities_than_the_cap_are_marked_as_truncated():
    with filled([[1, n / 100] for n in range(51)]) as db:
        result = db.search(vector=[1, 0], vector_attribute="p/emb", k=10)
        assert (result.truncated, result.work_used) == (True, 51)
        assert not db.search(vector=[1, 0], vector_attribute="p/emb", k=11).truncated


def test_later_writes_of_this_handle_are_seen():
    with filled([[1, 0], [0, 1]]) as db:
        assert nearest(db, [1, 0]) == ["e000", "e001"]
        db.transact({"id": "new", "p/emb": {"vector": [1, 0.01]}})
        db.retract("e000")
        assert nearest(db, [1, 0]) == ["new", "e001"]
        with db.speculate():
            db.retract("new")
            assert nearest(db, [1, 0]) == ["e001"]
        assert nearest(db, [1, 0]) == ["new", "e001"]


def test_writes_of_another_handle_are_seen(tmp_path):
    with fgraph.connect(tmp_path / "a.db") as one, fgraph.connect(tmp_path / "a.db") as other:
        one.declare("p/emb", type="vector", dims=2)
        one.transact({"id": "a", "p/emb": {"vector": [1, 0]}})
        assert nearest(other, [1, 0]) == ["a"]
        one.transact({"id": "b", "p/emb": {"vector": [1, 0.1]}})
        assert nearest(other, [1, 0]) == ["a", "b"]


def test_a_vector_is_read_once_whoever_writes_in_between(tmp_path):
    """Damage that came after it was read is not met by the next search, which shows another vector."""
    with fgraph.connect(tmp_path / "a.db") as one, fgraph.connect(tmp_path / "a.db") as other:
        one.declare("p/emb", type="vector", dims=2)
        one.transact([{"id": "a", "p/emb": {"vector": [1, 0]}}, {"id": "b", "p/emb": {"vector": [0, 1]}}])
        assert nearest(other, [1, 0]) == ["a", "b"]
        one.transact({"id": "c", "p/emb": {"vector": [1, 0.1]}})
        with sqlite3.connect(tmp_path / "a.db") as raw:
            raw.execute("UPDATE fgraph_blobs SET data = zeroblob(8) WHERE data = ?", (struct.pack("<2f", 0, 1),))
        raw.close()
        assert nearest(other, [1, 0], k=2) == ["a", "c"]
        with fgraph.connect(tmp_path / "a.db") as fresh, pytest.raises(fgraph.FormatError):
            nearest(fresh, [1, 0], k=2)


def test_what_no_live_fact_has_is_not_kept():
    with filled([[1, 0], [0, 1]]) as db:
        nearest(db, [1, 0])
        kept = db._store.lasting(vectors.CONTENTS, None)
        assert sorted(kept.vectors.values()) == [(0, 1), (1, 0)]
        db.retract("e001")
        nearest(db, [1, 0])
        assert list(kept.vectors.values()) == [(1, 0)]


def test_two_attributes_may_be_asked_in_turn():
    with filled([[1, 0], [0, 1]]) as db:
        db.transact({"id": "x", "q/emb": {"vector": [1, 2, 3]}})
        for _ in range(2):
            assert nearest(db, [0, 1]) == ["e001", "e000"]
            assert hits(db.search(vector=[1, 1, 1], vector_attribute="q/emb")) == ["x"]


def test_vectors_beyond_the_kept_ones_are_found_as_well(monkeypatch):
    chance = random.Random(5)
    drawn = [[chance.gauss(0, 1) for _ in range(4)] for _ in range(30)] + [[1, 1, 1, 1], [2, 2, 2, 2]]
    with filled(drawn) as db:
        whole = nearest(db, [1, 1, 1, 1], k=32)
        assert whole[:2] == ["e030", "e031"]
    monkeypatch.setattr(limits, "SEARCH_KEPT_ELEMENTS", 40)
    with filled(drawn) as db:
        assert nearest(db, [1, 1, 1, 1], k=32) == whole
        assert nearest(db, [1, 1, 1, 1], k=32) == whole


def test_more_vectors_than_the_budget_are_refused_with_advice(tmp_path):
    with fgraph.connect(tmp_path / "a.db", query_budget=5) as db:
        db.transact([{"id": f"e{n}", "p/emb": {"vector": [1, n]}} for n in range(6)])
        with pytest.raises(fgraph.TooLarge) as caught:
            db.search(vector=[1, 0], vector_attribute="p/emb")
        assert caught.value.code == "work_budget"
        assert "budget" in str(caught.value)


def test_a_damaged_vector_is_reported(tmp_path):
    path = tmp_path / "a.db"
    with fgraph.connect(path) as db:
        db.transact({"id": "a", "p/emb": {"vector": [1, 0]}})
    with sqlite3.connect(path) as raw:
        raw.execute("UPDATE fgraph_blobs SET data = x'0000803f0000803f'")
    raw.close()
    with fgraph.connect(path) as db, pytest.raises(fgraph.FormatError):
        db.search(vector=[1, 0], vector_attribute="p/emb")
