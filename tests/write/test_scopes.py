"""All or nothing: rollback on any exception, speculation, the writer lock, threads and other processes."""

import threading

import pytest

import fgraph
from tests.file.making import start
from tests.write.support import GENESIS, live, outcome, refused, tables


class Stop(BaseException):
    """Neither a typed error nor an ordinary exception."""


@pytest.mark.parametrize("exception", [KeyboardInterrupt, Stop, RuntimeError, fgraph.Conflict("no"), MemoryError])
@pytest.mark.parametrize(
    "write",
    [
        lambda db: db.transact({"id": "new", "v/v": "text " * 100, "e/v": {"vector": [1]}}, operation_id="op"),
        lambda db: db.declare("a/b", type="int", unique=True, operation_id="op"),
        lambda db: db.undo(67, operation_id="op"),
        lambda db: db.excise("c", operation_id="op"),
        lambda db: db.apply_schema_manifest({"fgraph": "schema/1"}, operation_id="op"),
    ],
    ids=["transact", "declare", "undo", "excise", "manifest"],
)
def test_whatever_is_raised_before_the_commit_rolls_everything_back(db, exception, write):
    db.transact({"id": "c", "v/v": "secret"})
    before, schema = tables(db), db.schema()

    def stop(report):
        assert report["tx"] == 68 + (len(tables(db)["fgraph_ids"]) - len(before["fgraph_ids"]) - 1)
        raise exception

    db._store.before_commit = stop
    with pytest.raises(exception if isinstance(exception, type) else type(exception)):
        write(db)
    db._store.before_commit = None
    assert tables(db) == before and db.schema() == schema
    assert not db._store.connection.in_transaction
    assert write(db)["status"] == "applied"


def test_a_retry_does_not_reach_the_hook(db):
    db.transact({"id": "c", "v/v": 1}, operation_id="op")
    seen = []
    db._store.before_commit = seen.append
    db.transact({"id": "c", "v/v": 1}, operation_id="op")
    assert seen == []


def test_a_failed_write_forgets_the_names_it_made_up(db):
    refused(db, db.transact, [{"id": "ghost", "ghost/attribute": 1}, {"id": None, "v/v": 1}])
    assert type(refused(db, db.entity, "ghost")).__name__ == "NotFound"
    assert db.transact({"id": "other"})["ids"] == {"other": 65}
    assert type(refused(db, db.entity, "ghost")).__name__ == "NotFound"


# -- speculation -----------------------------------------------------------------------------------------------------


def test_speculation_shows_its_own_writes_and_leaves_nothing(db):
    db.transact({"id": "c", "v/v": 1})
    before = tables(db)
    with db.speculate() as same:
        assert same is db
        first = db.transact({"id": "new", "v/v": 2, "e/v": {"vector": [1]}})
        assert db.entity("new")["v/v"] == 2 and db.stats()["transactions"] == 3
        assert db.declare("v/v", type="int")["basis_tx"] == first["tx"]
        assert outcome(db.transact, {"id": "new", "v/v": "x"}) == "TypeError"
        assert db.undo(first["tx"])["status"] == "applied"
        assert db.excise("c")["status"] == "applied"
        assert outcome(db.transact, {"id": "new", "v/v": 3}, operation_id="op") == "applied"
        assert outcome(db.transact, {"id": "new", "v/v": 3}, operation_id="op") == "already_applied"
    assert tables(db) == before
    assert type(refused(db, db.entity, "new")).__name__ == "NotFound"
    assert db.schema("v/")["attributes"][0]["declared"] == {}
    assert db.transact({"id": "new", "v/v": "text"}, operation_id="op")["ids"] == {"new": 68}


def test_an_exception_leaves_a_speculation_and_rolls_it_back(db):
    before = tables(db)
    for exception in (KeyboardInterrupt, ValueError, fgraph.NotFound):
        with pytest.raises(exception), db.speculate():
            db.transact({"id": "new"})
            raise exception("x")
        assert tables(db) == before and not db._store.connection.in_transaction


def test_an_error_inside_a_speculation_takes_back_its_own_write_only(db):
    with db.speculate():
        db.transact({"id": "a", "v/v": 1})
        with pytest.raises(fgraph.FGraphError):
            db.transact([{"id": "b", "v/v": 2}, {"id": None, "v/v": 1}])
        assert live(db) == {("a", "v/v", 1)}
        assert db.transact({"id": "b", "v/v": 3})["ids"].keys() == {"b"}


def test_speculations_do_not_nest(db):
    with db.speculate():
        with pytest.raises(fgraph.Unsupported), db.speculate():
            pass
        db.transact({"id": "a"})
    assert type(refused(db, db.entity, "a")).__name__ == "NotFound"


def test_a_handle_closed_inside_a_speculation_stays_closed_and_has_written_nothing(tmp_path):
    db = fgraph.connect(tmp_path / "facts.db", clock=GENESIS)
    with db.speculate():
        db.transact({"id": "a"})
        db.close()
    assert outcome(db.transact, {"id": "b"}) == "FormatError"
    with fgraph.connect(tmp_path / "facts.db") as again:
        assert again.stats()["transactions"] == 1


# -- handles, threads and processes ----------------------------------------------------------------------------------


def test_another_thread_is_a_format_error(db):
    found = []
    calls = [
        lambda: db.transact({"id": "a"}),
        lambda: db.undo(65),
        lambda: db.excise("a"),
        lambda: db.declare("a/b", type="int"),
        lambda: db.speculate().__enter__(),
        lambda: db.schema(),
    ]

    def use() -> None:
        for call in calls:
            try:
                call()
            except fgraph.FormatError as fault:
                found.append(str(fault))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert len(found) == len(calls) and all("thread" in text for text in found)


def test_a_writer_that_stays_busy_is_a_conflict_that_may_be_repeated(tmp_path):
    path = tmp_path / "facts.db"
    with fgraph.connect(path) as first, fgraph.connect(path) as second:
        second._store.writer_wait = 0.05
        with first.speculate():
            for write in (lambda: second.transact({"id": "a"}), lambda: second.undo(999), lambda: second.excise("a")):
                with pytest.raises(fgraph.Conflict) as caught:
                    write()
                assert caught.value.code == "writer_busy" and "again" in str(caught.value)
        assert second.transact({"id": "a"})["status"] == "applied"


WRITER = """
import sys, fgraph
path, name = sys.argv[1:]
with fgraph.connect(path) as db:
    for number in range(20):
        record = {"id": f"{name}{number}", "v/v": number, "v/" + name: {"ref": "shared"}}
        db.transact(record, operation_id=f"{name}:{number}")
"""


def test_writers_in_two_processes_take_turns(tmp_path):
    path = tmp_path / "facts.db"
    with fgraph.connect(path) as db:
        running = [start(WRITER, path, name) for name in ("p", "q")]
        for number in range(20):
            db.transact({"id": f"r{number}", "v/v": number})
        for process in running:
            process.communicate(timeout=30)
            assert process.returncode == 0
        assert db.transact({"id": "p3", "v/v": 3})["status"] == "noop"
        assert len({e for e, a, _ in live(db) if a == "v/v"}) == 60
        assert db.doctor()["ok"]


def test_a_schema_that_another_process_declared_is_obeyed_at_once(tmp_path):
    path = tmp_path / "facts.db"
    with fgraph.connect(path) as first, fgraph.connect(path) as second:
        first.transact({"id": "a", "v/v": 1})
        assert outcome(second.transact, {"id": "b", "v/v": "text"}) == "applied"
        second.transact(["retract", "b"])
        second.declare("v/v", type="int", unique=True)
        assert outcome(first.transact, {"id": "c", "v/v": "text"}) == "TypeError"
        first.transact({"v/v": 1, "w/w": 5})
        assert ("a", "w/w", 5) in live(second)
