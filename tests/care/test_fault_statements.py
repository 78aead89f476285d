"""An error of SQLite at any statement of any public write: a typed error, and the file as it was before."""

import sqlite3

import pytest

import fgraph
from tests.care.actions import ACTIONS, opened
from tests.portable.making import rows


class Failing:
    """A connection that fails at its n-th statement, before SQLite gets to see it."""

    def __init__(self, connection: sqlite3.Connection, failing: int) -> None:
        self._connection = connection
        self.failing = failing
        self.count = 0

    def __getattr__(self, name: str) -> object:
        return getattr(self._connection, name)

    def execute(self, *arguments: object) -> object:
        self._step(arguments[0])
        return self._connection.execute(*arguments)

    def executemany(self, *arguments: object) -> object:
        self._step(arguments[0])
        return self._connection.executemany(*arguments)

    def _step(self, sql: str) -> None:
        self.count += 1
        if self.count == self.failing:
            raise sqlite3.OperationalError(f"injected into {sql.split()[0]}")


def under_fault(db: fgraph.Db, action, failing: int) -> bool:
    """Run an action with a fault at one statement; whether it got that far. Any error must be a typed one."""
    store = db._store
    real = store.connection
    faulty = Failing(real, failing)
    store.connection = store.registry._connection = faulty
    try:
        action(db)
    except fgraph.FGraphError as fault:
        assert "injected" in str(fault)
    finally:
        store.connection = store.registry._connection = real
    return faulty.count >= failing


@pytest.mark.parametrize("name", ACTIONS)
def test_every_statement_may_fail(tmp_path, name):
    """17 writes, about 1,200 statements in all; each fails once."""
    prepare, action = ACTIONS[name]
    path, other = tmp_path / "f.db", tmp_path / "unharmed.db"
    prepare(path)
    prepare(other)
    unharmed = opened(other)
    before = rows(path)
    action(unharmed)
    after = rows(other)
    db = opened(path)
    failing = 1
    while under_fault(db, action, failing):
        now = rows(path)
        if now != before:
            # A failure after the commit (emptying the log) leaves the finished write.
            assert comparable(now) == comparable(after)
            break
        failing += 1
    assert failing > 2
    if rows(path) == before != after:
        action(db)
    assert comparable(rows(path)) == comparable(after)
    db.doctor(repair=True)
    assert db.doctor()["ok"]


def comparable(tables: dict) -> dict:
    """Rows without what depends on how often the event factory was asked."""
    return {
        "ids": [row[:2] for row in tables["fgraph_ids"]],
        "facts": tables["fgraph_facts"],
        "texts": tables["fgraph_fts"],
        "blobs": tables["fgraph_blobs"],
    }
