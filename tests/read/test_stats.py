"""`stats`: nine figures about the file at a basis."""

import os

import pytest

import fgraph
from tests.read.workshop import AT

KEYS = ["application_id", "format_version", "entities", "attributes", "facts", "live_facts", "transactions", "blobs",
        "size"]  # fmt: skip


@pytest.fixture
def db(tmp_path):
    with fgraph.connect(tmp_path / "facts.db", clock=AT) as db:
        yield db


def figures(view: fgraph.Db) -> tuple:
    return tuple(view.stats()[key] for key in KEYS[2:8])


def test_the_figures_of_a_small_store(db):
    assert db.transact({"id": "ada", "p/bio": "b" * 300, "p/n": 1}).tx == 68
    db.transact([{"id": "ada", "p/n": 2}, {"id": {"tmp": "x"}, "p/n": 5}])
    db.retract("ada", "p/bio")
    assert figures(db) == (22, 20, 46, 44, 4, 1)
    assert figures(db.at(68)) == (21, 20, 42, 42, 2, 1)
    assert figures(db.at(64)) == (18, 18, 39, 39, 1, 0)
    assert list(db.stats()) == KEYS
    assert (db.stats()["application_id"], db.stats()["format_version"]) == (1718055521, 2)


def test_a_name_that_looks_like_an_attribute_counts_as_one(db):
    db.transact([{"id": "task/1"}, {"id": "Task/2"}, {"id": "a/b/c"}])
    assert db.stats()["attributes"] == 19


def test_equal_long_values_are_one_blob_for_each_type(db):
    db.transact({"id": "ada", "p/a": "x" * 300, "p/b": "x" * 300, "p/c": b"x" * 300, "p/d": {"vector": [1]}})
    assert db.stats()["blobs"] == 3


def test_the_size_is_that_of_the_main_file(db):
    assert db.stats()["size"] == 4096 == os.path.getsize(db.path), "the rest is still in the log"
    db.close()
    with fgraph.connect(db.path, read_only=True) as again:
        assert again.stats()["size"] == os.path.getsize(db.path) > 4096


def test_a_speculation_counts_while_it_lasts(db):
    with db.speculate():
        db.transact({"id": "ada", "p/n": 1})
        assert db.stats()["transactions"] == 2
    assert db.stats()["transactions"] == 1
