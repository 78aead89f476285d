"""Winning back space, beside readers and writers."""

import sqlite3

import pytest

import fgraph
from tests.portable.making import connect, story


def bulky(path) -> fgraph.Db:
    """A file in which most pages are free: many texts were written and their history deleted."""
    db = connect(path)
    db.declare("cache/page", nohistory=True)
    for number in range(6):
        db.transact([{"id": f"e{item}", "cache/page": f"{number} " + "text " * 400} for item in range(60)])
    db.transact([["retract", f"e{item}", "cache/page"] for item in range(60)])
    return db


def test_free_pages_are_won_back_and_nothing_else_changes(tmp_path):
    db = bulky(tmp_path / "b.db")
    before = db.snapshot()
    result = db.compact()
    assert result.keys() == {"bytes_before", "bytes_after", "bytes_won", "log_emptied"}
    assert result["bytes_won"] == result["bytes_before"] - result["bytes_after"] > 100_000
    assert result["log_emptied"] is True
    assert (tmp_path / "b.db").stat().st_size == result["bytes_after"] == db.stats()["size"]
    assert (tmp_path / "b.db-wal").stat().st_size == 0
    assert db.snapshot() == before
    assert db.doctor()["ok"]
    assert db.search("fgraph").to_dict() is not None


def test_in_memory_too():
    assert bulky(":memory:").compact()["bytes_won"] > 0


def test_a_reader_keeps_what_it_sees(tmp_path):
    db = bulky(tmp_path / "b.db")
    reader = connect(tmp_path / "b.db", read_only=True)
    expected = db.snapshot()
    with reader.reading():
        reader.stats()
        result = db.compact()
        assert reader.snapshot() == expected
    assert result["log_emptied"] is False
    assert reader.snapshot() == db.snapshot() == expected


def test_a_writer_is_left_alone(tmp_path):
    db = story(connect(tmp_path / "b.db"))
    db._store.writer_wait = 0.05
    writer = sqlite3.connect(tmp_path / "b.db", isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(fgraph.Conflict) as caught:
        db.compact()
    assert caught.value.code == "writer_busy"
    writer.execute("ROLLBACK")
    assert db.compact()["log_emptied"]


def test_not_through_a_read_only_handle_a_view_or_a_speculation(tmp_path):
    db = connect(tmp_path / "b.db")
    for handle in (connect(tmp_path / "b.db", read_only=True), db.at(64)):
        with pytest.raises(fgraph.ReadOnly):
            handle.compact()
    with db.speculate() as trial, pytest.raises(fgraph.Unsupported):
        trial.compact()
