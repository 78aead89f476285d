"""A handle: whose it is, how long it lives, and what an interruption leaves behind."""

import gc
import os
import random
import sqlite3
import threading

import pytest

import fgraph
from fgraph import errors
from tests.file.making import GENESIS_AT, rows, run, start

CALLS = {
    "entity": lambda db: db.entity(64),
    "history": lambda db: db.history(64),
    "why": lambda db: db.why(64),
    "diff": lambda db: db.diff(64, 64),
    "receipt": lambda db: db.receipt(64),
    "stats": lambda db: db.stats(),
    "schema": lambda db: db.schema(),
    "at": lambda db: db.at(64),
    "transact": lambda db: db.transact({"id": "x", "p/n": 1}),
    "retract": lambda db: db.retract("x"),
    "undo": lambda db: db.undo(64),
    "speculate": lambda db: db.speculate().__enter__(),
    "reading": lambda db: db.reading().__enter__(),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_closed_handle_and_the_views_of_it_answer_nothing(call):
    db = fgraph.connect(":memory:")
    view = db.at(64)
    db.close()
    db.close()
    for handle in (db, view):
        with pytest.raises(errors.FormatError, match="closed"):
            call(handle)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_a_handle_of_another_thread_answers_nothing(call):
    caught: list[BaseException] = []

    def use() -> None:
        try:
            call(db)
        except BaseException as error:
            caught.append(error)

    with fgraph.connect(":memory:") as db:
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        assert [type(error) for error in caught] == [errors.FormatError]
        assert db.entity(1), "its own thread goes on"


def test_closing_a_view_leaves_its_owner_open():
    with fgraph.connect(":memory:") as db:
        with db.at(64) as view:
            assert view.stats()["facts"] == 39
        with pytest.raises(errors.FormatError, match="view is closed"):
            view.stats()
        assert db.stats()["facts"] == 39


def test_a_child_process_cannot_use_the_handle_of_its_parent(path):
    with fgraph.connect(path) as db:
        receiver, sender = os.pipe()
        child = os.fork()
        if child == 0:
            answers = []
            for call in (lambda: db.stats(), lambda: db.transact({"id": "x"}), lambda: db.close()):
                try:
                    call()
                    answers.append("answered")
                except errors.FormatError as error:
                    answers.append(error.message)
            os.write(sender, "|".join(answers).encode())
            os._exit(0)
        os.close(sender)
        answers = os.read(receiver, 10_000).decode().split("|")
        os.waitpid(child, 0)
        os.close(receiver)
        assert answers == ["the handle belongs to another process"] * 3
        assert db.transact({"id": "x", "p/n": 1}).status == "applied"
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


CLOSE_ONE_OF_TWO = """
import sqlite3, sys, fgraph
db = fgraph.connect(sys.argv[1], clock=5)
db.transact({"id": "x", "p/n": 1})
fgraph.connect(sys.argv[1]).close()
fgraph.connect(sys.argv[1], read_only=True).close()
try:
    fgraph.connect(sys.argv[2])
except fgraph.FormatError:
    pass
print("ready", flush=True)
sys.stdin.readline()
print(db.transact({"id": "x", "p/n": 2}).status)
"""


def test_closing_one_handle_keeps_the_locks_of_another_in_the_same_process(path, tmp_path):
    """Were they lost, the second process would take itself for the last user and take the log away on closing."""
    foreign = tmp_path / "foreign.db"
    foreign.write_bytes(b"no database at all")
    process = start(CLOSE_ONE_OF_TWO, path, foreign)
    assert process.stdout.readline() == "ready\n"
    with fgraph.connect(path) as db:
        assert db.entity("x") == {"p/n": 1}
    assert path.with_name("facts.db-wal").exists()
    output, _ = process.communicate("\n", timeout=20)
    assert output == "applied\n"
    with fgraph.connect(path, read_only=True) as db:
        assert db.entity("x") == {"p/n": 2}


def test_a_handle_closed_inside_a_scope_ends_it():
    with pytest.raises(errors.FormatError, match="closed"):
        with fgraph.connect(":memory:") as db, db.reading():
            db.close()
            db.stats()


def test_a_handle_closed_inside_a_speculation_ends_it(path):
    db = fgraph.connect(path)
    with db.speculate():
        db.transact({"id": "x", "p/n": 1})
        db.close()
    assert rows(path, "SELECT count(*) FROM fgraph_ids WHERE name = 'x'") == [(0,)]


def test_a_forgotten_handle_is_closed_by_the_interpreter(path):
    db = fgraph.connect(path)
    db.transact({"id": "x", "p/n": 1})
    del db
    gc.collect()
    assert not path.with_name("facts.db-wal").exists()


# -- transactions -----------------------------------------------------------------------------------------------------

STATE = ["fgraph_ids", "fgraph_facts", "fgraph_events", "fgraph_blobs", "fgraph_meta", "fgraph_fts"]


def state(db: fgraph.Db) -> list:
    connection = db._store.connection
    return [connection.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid").fetchall() for table in STATE]


BAD_WRITES = {
    "a bad value after good ones": [{"id": "a", "p/t": "x" * 300}, {"id": "b", "p/t": None}],
    "a bad attribute": [{"id": "a", "p/t": "x"}, {"id": "b", "P": 1}],
    "a cas that does not hold": [{"id": "a", "p/t": "x"}, ["cas", "ada", "p/n", 5, 6]],
    "a type that does not hold": [{"id": "a", "p/n": "text"}],
    "an unknown id": [{"id": "a", "p/t": "x"}, {"id": 99999, "p/t": "x"}],
}


@pytest.mark.parametrize("data", BAD_WRITES.values(), ids=BAD_WRITES.keys())
def test_a_refused_write_leaves_every_row_as_it_was(data):
    with fgraph.connect(":memory:", clock=GENESIS_AT) as db:
        db.declare("p/n", type="int")
        db.transact({"id": "ada", "p/n": 1, "p/t": "words"})
        before = state(db)
        with pytest.raises(errors.FGraphError):
            db.transact(data)
        assert state(db) == before
        assert db.transact({"id": "eve", "p/n": 2}).tx == 71, "69 was the last one taken"


def test_an_error_in_the_last_hook_before_commit_undoes_everything():
    with fgraph.connect(":memory:") as db:
        before = state(db)

        def refuse(report: object) -> None:
            raise errors.Conflict("no room for the answer")

        db._store.before_commit = refuse
        with pytest.raises(errors.Conflict, match="room"):
            db.transact({"id": "ada", "p/n": 1})
        db._store.before_commit = None
        assert state(db) == before
        with pytest.raises(errors.NotFound):
            db.entity("ada")


def test_what_a_rolled_back_write_taught_is_forgotten():
    with fgraph.connect(":memory:") as db:
        with db.speculate():
            db.declare("p/tags", many=True)
            db.transact({"id": "ada", "p/tags": ["a", "b"]})
            assert db.entity("ada") == {"p/tags": ["a", "b"]}
        with pytest.raises(errors.NotFound):
            db.entity("ada")
        db.transact([{"id": "eve"}, {"id": "ada", "p/tags": "one"}])
        assert db.entity("ada") == {"p/tags": "one"}


def test_reads_change_nothing(path):
    before = path.read_bytes()
    with fgraph.connect(path, read_only=True) as db:
        for call in ("entity", "history", "why", "validate"):
            getattr(db, call)("fgraph/at")
        db.stats()
        db.schema(include_system=True)
        with pytest.raises(errors.ReadOnly):
            db.transact({"id": "x", "p/n": 1})
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            db._store.connection.execute("DELETE FROM fgraph_meta")
    assert path.read_bytes() == before


# -- interruption -----------------------------------------------------------------------------------------------------

INTERRUPTED_AT_RANDOM = """
import signal, random, sys, time, fgraph
generator = random.Random(1)
signal.signal(signal.SIGALRM, signal.default_int_handler)
db = fgraph.connect(sys.argv[1])
db.transact({"id": "first", "p/n": 0, "p/bio": "first"})
start = time.perf_counter()
db.transact({"id": "first", "p/n": 1, "p/bio": "again"})
usual = 1.2 * (time.perf_counter() - start)
done = interrupted = 0
for turn in range(150):
    name = f"e{turn}"
    report = None
    try:
        signal.setitimer(signal.ITIMER_REAL, generator.uniform(usual / 50, usual))
        report = db.transact({"id": name, "p/n": turn, "p/bio": name * 100})
        db.entity(name)
        with db.reading():
            db.why(name)
    except KeyboardInterrupt:
        interrupted += 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    assert not db._store.connection.in_transaction
    if report is not None:
        done += 1
        assert db.entity(name)["p/n"] == turn
    else:
        try:
            assert db.entity(name) == {"p/n": turn, "p/bio": name * 100}
        except fgraph.NotFound:
            pass
assert interrupted, "nothing was interrupted"
assert done, "nothing was done"
db.close()
"""


def test_ctrl_c_at_any_moment_leaves_a_usable_handle_and_whole_transactions(path):
    run(INTERRUPTED_AT_RANDOM, path)
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    entities = rows(path, "SELECT count(*) FROM fgraph_ids WHERE name GLOB 'e[0-9]*'")
    facts = rows(path, "SELECT count(*) FROM fgraph_facts WHERE a > 64")
    assert facts == [(2 * entities[0][0] + 4,)]


def test_a_read_that_is_asked_to_stop_ends_with_a_query_error(tmp_path):
    with fgraph.connect(":memory:") as db:
        db.transact([{"id": f"n{number}", "p/n": number} for number in range(3_000)])
        db._store.cancel_requested = lambda: True
        with pytest.raises(errors.QueryError) as caught:
            db.stats()
        assert caught.value.code == "cancelled"
        db._store.cancel_requested = None
        assert db.stats()["entities"] == 3_019


def test_interrupting_an_idle_or_a_closed_handle_does_nothing():
    with fgraph.connect(":memory:") as db:
        db.interrupt()
        assert db.stats()["facts"] == 39
    db.interrupt()


@pytest.mark.parametrize("scope", ["reading", "writing"])
def test_ctrl_c_while_a_scope_is_left_leaves_no_transaction_open(monkeypatch, scope):
    with fgraph.connect(":memory:") as db:
        store = db._store

        def interrupted(sql: str) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(store, "_leave", interrupted)
            with pytest.raises(KeyboardInterrupt), getattr(store, scope)() as reader:
                reader.fetch("SELECT 1")
                raise KeyboardInterrupt
        assert not store.connection.in_transaction
        assert db.transact({"id": "ada", "p/n": 1}).status == "applied"


def test_an_interrupt_from_another_thread_stops_a_long_write():
    generator = random.Random(10)
    data = [{"id": f"n{number}", "p/t": str(generator.random()) * 3} for number in range(20_000)]
    with fgraph.connect(":memory:") as db:
        stopped = threading.Event()

        def interrupt() -> None:
            while not stopped.wait(0.02):
                db.interrupt()

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(errors.QueryError, match="cancelled"):
            db.transact(data)
        stopped.set()
        thread.join()
        assert db._store.connection.in_transaction is False
        assert db.stats()["transactions"] == 1


CTRL_C_IN_SQLITE = """
import signal, fgraph
signal.signal(signal.SIGALRM, signal.default_int_handler)
db = fgraph.connect(":memory:")
db.transact([{"id": f"n{number}", "p/n": number} for number in range(2_000)])
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    with db.reading():
        db._store.connection.execute("SELECT count(*) FROM fgraph_facts a, fgraph_facts b, fgraph_facts c").fetchall()
except KeyboardInterrupt:
    print(db.stats()["entities"])
"""


def test_ctrl_c_inside_a_long_statement_is_ctrl_c():
    """sqlite3 swallows what is raised while it asks whether to go on."""
    assert run(CTRL_C_IN_SQLITE) == "2019\n"
