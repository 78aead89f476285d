"""Two processes on one file: one writer at a time, readers that never wait, and caches that never lie."""

import json

import pytest

import fgraph
from fgraph import errors, limits
from tests.file.making import change, rows, start

RACE = """
import sys, fgraph
sys.stdin.readline()
with fgraph.connect(sys.argv[1]) as db:
    print(db.transact({"id": sys.argv[2], "p/n": 1}).status)
"""


def test_processes_racing_to_create_a_file_all_succeed(tmp_path):
    path = tmp_path / "new.db"
    processes = [start(RACE, path, f"p{number}") for number in range(4)]
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    assert [process.communicate(timeout=30)[0] for process in processes] == ["applied\n"] * 4
    assert rows(path, "SELECT count(*) FROM fgraph_events") == [(5,)]
    assert rows(path, "SELECT count(*) FROM fgraph_events WHERE tx = 64") == [(1,)]
    assert rows(path, "SELECT name FROM fgraph_ids WHERE name GLOB 'p?' ORDER BY name") == [
        ("p0",), ("p1",), ("p2",), ("p3",)
    ]  # fmt: skip


def test_a_file_replaced_by_a_foreign_one_while_it_is_created_is_refused(tmp_path, monkeypatch):
    """The layout is looked at again through the connection that writes, before anything is set."""
    from fgraph.file import paths

    path = tmp_path / "new.db"
    create = paths.create

    def lose_the_race(name: str) -> None:
        change(name, "CREATE TABLE notes (x)")
        create(name)

    monkeypatch.setattr(paths, "create", lose_the_race)
    with pytest.raises(errors.FormatError):
        fgraph.connect(path)
    assert rows(path, "PRAGMA journal_mode") == [("delete",)]


HOLD_THE_LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
print("locked", flush=True)
sys.stdin.readline()
connection.execute("COMMIT")
"""


def hold(path, sql: str):
    process = start(HOLD_THE_LOCK, path, sql)
    assert process.stdout.readline() == "locked\n"
    return process


def test_a_second_writer_gets_a_conflict_and_readers_never_wait(path):
    with fgraph.connect(path) as db, fgraph.connect(path, read_only=True) as reader:
        assert db._store.writer_wait == limits.BUSY_SECONDS == 5.0
        db._store.writer_wait = 0.1
        reader._store.writer_wait = 0
        process = hold(path, "BEGIN IMMEDIATE")
        with pytest.raises(errors.Conflict) as caught:
            db.transact({"id": "x", "p/n": 1})
        assert caught.value.code == "writer_busy"
        assert str(path) in caught.value.message
        assert db.stats() == reader.stats()
        process.communicate("\n", timeout=10)
        assert db.transact({"id": "x", "p/n": 1}).tx == 67, "the conflict took no identity"


def test_a_writer_waits_for_its_turn(path):
    with fgraph.connect(path) as db:
        process = hold(path, "BEGIN IMMEDIATE")
        process.stdin.write("\n")
        process.stdin.flush()
        assert db.transact({"id": "x", "p/n": 1}).status == "applied"
        process.communicate(timeout=10)


def test_a_file_that_stays_locked_while_it_is_opened_is_a_conflict(path, monkeypatch):
    monkeypatch.setattr(limits, "BUSY_SECONDS", 0.1)
    change(path, "PRAGMA journal_mode = DELETE")
    process = hold(path, "BEGIN EXCLUSIVE")
    for read_only in (False, True):
        with pytest.raises(errors.Conflict, match="lock"):
            fgraph.connect(path, read_only=read_only)
    process.communicate("\n", timeout=10)
    fgraph.connect(path).close()


def test_an_empty_file_that_another_program_fills_is_left_to_it(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "BUSY_SECONDS", 0.1)
    path = tmp_path / "empty.db"
    path.touch()
    process = hold(path, "BEGIN EXCLUSIVE")
    with pytest.raises(errors.Conflict):
        fgraph.connect(path)
    assert path.read_bytes() == b""
    process.communicate("\n", timeout=10)


WRITER = """
import json, sys, fgraph
with fgraph.connect(sys.argv[1]) as db:
    for line in sys.stdin:
        name, arguments = json.loads(line)
        getattr(db, name)(*arguments.get("args", []), **arguments.get("options", {}))
        print("done", flush=True)
"""


class Other:
    """A second process that does what it is told."""

    def __init__(self, path: object) -> None:
        self._process = start(WRITER, path)

    def __enter__(self) -> "Other":
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate(timeout=10)

    def call(self, name: str, *args: object, **options: object) -> None:
        self._process.stdin.write(json.dumps([name, {"args": args, "options": options}]) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"


@pytest.mark.parametrize("read_only", [False, True])
def test_names_schema_and_data_of_another_process_are_seen_at_the_next_call(path, read_only):
    with Other(path) as other, fgraph.connect(path, read_only=read_only) as db:
        with pytest.raises(errors.NotFound):
            db.entity("ada")
        other.call("transact", {"id": "ada", "p/tags": "one"})
        assert db.entity("ada") == {"p/tags": "one"}
        other.call("declare", "p/tags", many=True)
        assert db.entity("ada") == {"p/tags": ["one"]}
        other.call("transact", {"id": "ada", "p/tags": ["two"]})
        assert db.entity("ada") == {"p/tags": ["one", "two"]}
        other.call("excise", "ada")
        assert db.stats()["transactions"] == 5


def test_a_name_changed_by_hand_is_seen_at_the_next_call(path):
    with fgraph.connect(path) as db:
        db.transact({"id": "ada", "p/n": 1})
        assert db.history("ada")[0]["e"] == "ada"
        change(path, "UPDATE fgraph_ids SET name = 'eve' WHERE name = 'ada'")
        assert db.history("eve")[0]["e"] == "eve"


def test_a_block_of_reads_sees_one_state(path):
    with Other(path) as other, fgraph.connect(path) as db:
        other.call("transact", {"id": "ada", "p/n": 1})
        with db.reading() as basis:
            assert db.entity("ada") == {"p/n": 1}
            other.call("transact", {"id": "ada", "p/n": 2})
            other.call("declare", "p/n", many=True)
            assert db.entity("ada") == {"p/n": 1}
            assert db.receipt(basis)["read_basis_tx"] == basis
        assert db.entity("ada") == {"p/n": [2]}


def test_writing_from_a_stale_block_of_reads_is_a_conflict(path):
    with Other(path) as other, fgraph.connect(path) as db:
        with db.reading():
            db.stats()
            other.call("transact", {"id": "ada", "p/n": 1})
            with pytest.raises(errors.Conflict) as caught:
                db.transact({"id": "eve", "p/n": 1})
            assert caught.value.code == "stale_basis"
        assert db.transact({"id": "eve", "p/n": 1}).status == "applied"
        assert db.entity("ada") == {"p/n": 1}


def test_two_handles_of_one_process_see_each_other(path):
    with fgraph.connect(path) as one, fgraph.connect(path) as two:
        for turn in range(3):
            one.transact({"id": f"a{turn}", f"p/n{turn}": turn})
            assert two.entity(f"a{turn}") == {f"p/n{turn}": turn}
            two.declare(f"p/n{turn}", many=True)
            assert one.entity(f"a{turn}") == {f"p/n{turn}": [turn]}


CHANGED_BY_HAND = {
    "an extra trigger": "CREATE TRIGGER t AFTER INSERT ON fgraph_facts BEGIN SELECT 1; END",
    "an extra table": "CREATE TABLE notes (x)",
    "a missing view": "DROP VIEW fgraph_now",
    "a missing index": "DROP INDEX fgraph_avet",
    "an added column": "ALTER TABLE fgraph_facts ADD COLUMN x TEXT",
}


@pytest.mark.parametrize("sql", CHANGED_BY_HAND.values(), ids=CHANGED_BY_HAND.keys())
def test_a_layout_changed_under_an_open_handle_is_noticed(path, sql):
    with fgraph.connect(path) as db:
        db.transact({"id": "ada", "p/n": 1})
        change(path, sql)
        for call in (lambda: db.entity("ada"), lambda: db.transact({"id": "eve", "p/n": 1})):
            with pytest.raises(errors.FormatError, match="layout"):
                call()
    assert rows(path, "SELECT count(*) FROM fgraph_ids WHERE name = 'eve'") == [(0,)]


@pytest.mark.parametrize("sql", ["ANALYZE", "REINDEX", "INSERT INTO fgraph_fts (fgraph_fts) VALUES ('optimize')"])
def test_care_by_another_program_under_an_open_handle_does_no_harm(path, sql):
    with fgraph.connect(path) as db:
        db.transact({"id": "ada", "p/n": 1})
        change(path, sql)
        assert db.transact({"id": "ada", "p/n": 2}).status == "applied"
        assert db.entity("ada") == {"p/n": 2}


def test_a_file_taken_away_under_an_open_handle(path):
    with fgraph.connect(path, read_only=True) as db:
        path.unlink()
        with pytest.raises(errors.NotFound) as caught:
            db.stats()
        assert caught.value.code == "missing_file"


def test_the_log_is_cut_back_by_the_last_writer(path):
    with fgraph.connect(path) as db:
        for turn in range(3):
            db.transact([{"id": f"n{turn}.{number}", "p/t": "x" * 2_000} for number in range(600)])
        assert path.with_name("facts.db-wal").stat().st_size < 3 * 1000 * 4096 * 2
    assert not path.with_name("facts.db-wal").exists()
    assert not path.with_name("facts.db-shm").exists()


def test_an_uncommitted_write_of_another_process_is_not_seen_and_dies_with_it(path):
    killed = """
import os, sys, fgraph
db = fgraph.connect(sys.argv[1])
def die(report):
    print("at the brink", flush=True)
    sys.stdin.readline()
    os._exit(1)
db._store.before_commit = die
db.transact({"id": "ada", "p/bio": "b" * 5000})
"""
    process = start(killed, path)
    assert process.stdout.readline() == "at the brink\n"
    with fgraph.connect(path, read_only=True) as db:
        assert db.stats()["facts"] == 39
    process.communicate("\n", timeout=10)
    with fgraph.connect(path) as db:
        assert db.stats()["facts"] == 39
        assert db.transact({"id": "ada", "p/n": 1}).tx == 67
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


NO_ROOM = """
import resource, sys, fgraph
with fgraph.connect(sys.argv[1]) as db:
    db.transact({"id": "ada", "p/n": 1})
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    for turn in range(100):
        try:
            db.transact({"id": f"n{turn}", "p/t": "x" * 20_000})
        except fgraph.FormatError:
            break
    print(turn, db.stats()["transactions"], db.entity("ada"))
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    print(db.transact({"id": "eve", "p/n": 1}).status)
"""


def test_a_write_for_which_there_is_no_room_leaves_the_file_as_it_was(path):
    process = start(NO_ROOM, path)
    output, _ = process.communicate(timeout=20)
    first, second = output.splitlines()
    turn, transactions, *_ = first.split()
    assert int(transactions) == int(turn) + 2, "genesis, ada, and what was reported as applied"
    assert first.endswith("{'p/n': 1}")
    assert second == "applied"
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
