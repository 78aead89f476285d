"""The file behind the server: missing, appearing, locked, deleted, replaced."""

from __future__ import annotations

import os
import shutil
import sqlite3
import time

import pytest

from fgraph import errors, limits
from fgraph.database import connect
from tests.mcp.clients import InProcess


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


def make(path, text: str = "first file") -> None:
    with connect(path) as db:
        db.transact({"id": "note", "memory/text": text})


def test_a_read_only_server_starts_before_the_file_and_finds_it_later(path):
    with InProcess(path, write=False) as client:
        client.open()
        assert "result" in client.request("tools/list")
        error = client.refused("recall", query="x")
        assert (error["type"], error["code"], error["retry"]) == ("NotFound", "missing_file", "same")
        assert str(path) in error["message"]
        assert f"fgraph --db {path} init" in error["hint"]
        assert client.request("resources/read", {"uri": "fgraph://schema"})["error"]["code"] == -32002
        assert not path.exists()
        make(path)
        assert client.data("about", entity="note") == {"memory/text": "first file"}


def test_the_command_that_creates_the_file_can_be_pasted(tmp_path):
    path = tmp_path / "it's a file.db"
    with InProcess(path, write=False) as client:
        client.open()
        assert "'\\''s a file.db' init" in client.refused("schema")["hint"]


def test_a_relative_path_is_shown_absolute(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with InProcess("rel.db", write=False) as client:
        client.open()
        assert str(tmp_path / "rel.db") in client.refused("schema")["message"]


def test_a_tilde_is_the_home_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    InProcess("~/m.db").close()
    assert (tmp_path / "m.db").exists()
    with InProcess("~/m.db", write=False) as client:
        client.open()
        assert client.call("schema")["basis_tx"] == 64


def test_a_writing_server_creates_the_file(path):
    InProcess(path).close()
    assert path.exists()


def garbage(path) -> None:
    path.write_text("not a database, but longer than the header of one " * 40)


def foreign(path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (a)")
    connection.close()


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("spoil", [garbage, foreign, os.mkdir], ids=["garbage", "foreign", "folder"])
def test_what_is_no_fgraph_file_ends_the_start(path, spoil, write):
    spoil(path)
    with pytest.raises(errors.FormatError):
        InProcess(path, write=write)


def test_an_empty_file_is_refused_by_a_reader_and_filled_by_a_writer(path):
    path.touch()
    with pytest.raises(errors.FormatError):
        InProcess(path, write=False)
    assert path.stat().st_size == 0
    InProcess(path).close()
    assert path.stat().st_size > 0


def test_memory_is_for_writers(path):
    with pytest.raises(errors.ReadOnly):
        InProcess(":memory:", write=False)
    with InProcess(":memory:") as client:
        client.open()
        client.call("remember", operation_id="1", key="k", text="for a while")
        assert client.data("about", entity="k") == {"memory/text": "for a while"}


def test_an_empty_path_and_a_budget_of_nothing_are_refused(path):
    with pytest.raises(errors.FormatError):
        InProcess("", write=False)
    with pytest.raises(errors.TypeError):
        InProcess(path, budget=0)


def test_reading_leaves_the_file_as_it_was(path):
    make(path)
    before = path.read_bytes()
    with InProcess(path, write=False) as client:
        client.open()
        for tool, arguments in (
            ("about", {"entity": "note"}),
            ("why", {"entity": "note"}),
            ("history", {"entity": "note"}),
            ("recall", {"query": "first"}),
            ("receipt", {"tx": 64}),
            ("schema", {}),
        ):
            client.data(tool, **arguments)
        for uri in ("fgraph://schema", "fgraph://changes", "fgraph://tx/64"):
            client.read(uri)
    assert path.read_bytes() == before


def test_commits_of_other_processes_are_seen(path):
    make(path)
    with InProcess(path, write=False) as client:
        client.open()
        make(path, "second text")
        assert client.data("about", entity="note") == {"memory/text": "second text"}


@pytest.mark.parametrize("write", [True, False])
def test_a_deleted_file_is_reported_and_never_made_again(path, write):
    make(path)
    with InProcess(path, write=write) as client:
        client.open()
        client.data("about", entity="note")
        for name in os.listdir(path.parent):
            os.unlink(path.parent / name)
        assert client.refused("about", entity="note")["code"] == "missing_file"
        if write:
            assert client.refused("remember", operation_id="1", text="x")["code"] == "missing_file"
        assert not path.exists()


def replace(path, text: str) -> None:
    """Another sound file under the same path."""
    other = path.with_name("other.db")
    make(other, text)
    for name in (path.name + "-wal", path.name + "-shm"):
        (path.parent / name).unlink(missing_ok=True)
    os.replace(other, path)


def test_a_replaced_file_is_read_at_the_next_call(path):
    make(path)
    with InProcess(path, write=False) as client:
        client.open()
        assert client.data("about", entity="note") == {"memory/text": "first file"}
        cursor = client.data("schema", limit=1, include_system=True)["next_cursor"]
        replace(path, "second file")
        assert client.data("about", entity="note") == {"memory/text": "second file"}
        error = client.refused("schema", limit=1, include_system=True, cursor=cursor)
        assert error["code"] == "invalid_cursor"


def test_a_reader_finds_its_way_when_a_copy_was_written_over_the_open_file(path):
    with connect(path) as db:
        db.transact({"id": "early", "x/y": "before the copy"})
        db.backup(path.with_name("copy.db"))
        db.transact([{"id": f"late {number}", "x/y": "v" * 4_000} for number in range(100)])
    with InProcess(path, write=False) as client:
        client.open()
        assert client.data("about", entity="late 7")
        path.write_bytes(path.with_name("copy.db").read_bytes())
        assert client.refused("datoms", limit=100)["code"] == "storage"
        assert client.data("about", entity="early") == {"x/y": "before the copy"}
        assert client.refused("about", entity="late 7")["type"] == "NotFound"


def test_a_write_waits_until_the_new_file_was_read(path):
    make(path)
    with InProcess(path) as client:
        client.open()
        client.data("about", entity="note")
        replace(path, "second file")
        error = client.refused("remember", operation_id="1", text="x")
        assert (error["type"], error["code"], error["retry"]) == ("Conflict", "file_replaced", "reread")
        client.data("about", entity="note")
        assert client.data("remember", operation_id="1", text="x")["status"] == "applied"


def rename_over(path, other) -> None:
    os.replace(other, path)


def copy_to_the_place_of(path, other) -> None:
    path.rename(path.with_name("moved.db"))
    shutil.copy(other, path)


@pytest.mark.parametrize("put", [rename_over, copy_to_the_place_of])
@pytest.mark.parametrize("write", [True, False])
def test_the_log_of_the_old_file_is_not_played_into_the_new_one(path, write, put):
    make(path)
    other = path.with_name("other.db")
    make(other, "second file")
    with connect(path) as writer, InProcess(path, write=write) as client:
        client.open()
        client.data("about", entity="note")
        writer.transact({"id": "note", "memory/text": "only in the log"})
        writer.close()
        put(path, other)
        assert client.data("about", entity="note") == {"memory/text": "second file"}
        assert client.data("recall", query="log")["hits"] == []
    with connect(path) as db:
        assert db.doctor()["ok"]
        assert db.entity("note") == {"memory/text": "second file"}


def test_a_server_that_ends_after_the_file_was_replaced_leaves_no_log_for_the_new_one(path):
    with InProcess(path) as client:
        client.open()
        client.call("remember", operation_id="1", key="note", text="written through the server")
        other = path.with_name("other.db")
        make(other, "second file")
        copy_to_the_place_of(path, other)
    with connect(path) as db:
        assert db.entity("note") == {"memory/text": "second file"}


def test_a_file_that_is_moved_away_keeps_what_was_written(path):
    with InProcess(path) as client:
        client.open()
        client.call("remember", operation_id="1", key="note", text="written through the server")
        other = path.with_name("other.db")
        make(other, "second file")
        copy_to_the_place_of(path, other)
        assert client.data("about", entity="note") == {"memory/text": "second file"}
    with connect(path.with_name("moved.db")) as db:
        assert db.entity("note") == {"memory/text": "written through the server"}


@pytest.mark.parametrize("spoil", [garbage, lambda path: path.touch()], ids=["garbage", "empty"])
def test_a_file_that_turned_into_something_else_is_a_storage_error(path, spoil):
    make(path)
    good = path.with_name("good.db")
    shutil.copy(path, good)
    with InProcess(path) as client:
        client.open()
        client.data("about", entity="note")
        path.unlink()
        spoil(path)
        assert "cut" not in client.refused("about", entity="note")["message"]
        for arguments in ({"operation_id": "1", "text": "x"}, {"operation_id": "2", "text": "y"}):
            assert client.refused("remember", **arguments)["code"] == "storage"
        assert client.refused("about", entity="note")["code"] == "storage"
        os.replace(good, path)
        assert client.data("about", entity="note") == {"memory/text": "first file"}


def fill(path) -> None:
    with connect(path) as db:
        db.transact([{"id": f"note {number}", "memory/text": "v" * 8_000 + str(number)} for number in range(20)])


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize("kept", [0, 4_096, 100_000])
def test_a_file_that_was_cut_is_a_storage_error_and_takes_no_write(path, write, kept, monkeypatch):
    monkeypatch.setattr(limits, "MCP_CUT_SECONDS", 0.05)
    make(path)
    fill(path)
    with InProcess(path, write=write) as client:
        client.open()
        client.data("about", entity="note")
        os.truncate(path, kept)
        calls = [("about", {"entity": "note"}), ("schema", {})]
        calls += [("remember", {"operation_id": number, "text": "x"}) for number in "12"] if write else []
        for tool, arguments in calls:
            error = client.refused(tool, **arguments)
            assert (error["type"], error["code"], error["retry"]) == ("FormatError", "storage", "no")
            assert f"to {kept} bytes" in error["message"]
            way_out = "Tell the user to stop this server, and then to" if write else "Tell the user to"
            assert error["hint"] == f"{way_out} run doctor on the file."
        assert client.request("resources/read", {"uri": "fgraph://schema"})["error"]["code"] == -32603
        assert path.stat().st_size == kept


def test_a_reader_goes_on_when_the_file_that_was_cut_is_whole_again(path):
    make(path)
    good = path.read_bytes()
    fill(path)
    with InProcess(path, write=False) as client:
        client.open()
        client.data("about", entity="note 7")
        path.write_bytes(b"")
        client.refused("about", entity="note")
        path.write_bytes(good)
        assert client.data("about", entity="note") == {"memory/text": "first file"}
        assert client.refused("about", entity="note 7")["type"] == "NotFound"


def test_a_writer_whose_file_was_cut_goes_on_with_another_file_only(path):
    make(path)
    whole = path.read_bytes()
    with InProcess(path) as client:
        client.open()
        client.call("remember", operation_id="1", key="new", text="in the log")
        os.truncate(path, 0)
        error = client.refused("about", entity="note")
        assert (error["code"], error["message"].partition(" to ")[2]) == ("storage", "0 bytes by another program")
        path.write_bytes(whole)
        assert client.refused("about", entity="note") == error
        replace(path, "second file")
        assert client.data("about", entity="note") == {"memory/text": "second file"}


@pytest.mark.parametrize("write", [True, False])
def test_a_file_that_another_process_makes_smaller_is_served(path, write):
    make(path)
    fill(path)
    with InProcess(path, write=write) as client:
        client.open()
        client.data("about", entity="note")
        before = path.stat().st_size
        with connect(path) as db:
            for number in range(20):
                db.excise(f"note {number}")
            db.compact()
        assert path.stat().st_size < before
        assert client.data("about", entity="note") == {"memory/text": "first file"}


@pytest.fixture
def locked(path):
    """The file with its writer lock held by somebody else; the fixture gives the way to let go."""
    make(path)
    holder = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    yield holder.rollback
    holder.close()


def test_reads_and_pings_go_on_while_a_write_waits_for_the_lock(path, locked):
    with InProcess(path) as client:
        client.open()
        client.data("about", entity="note")
        client.ask("tools/call", {"name": "remember", "arguments": {"operation_id": "1", "text": "late"}}, id="write")
        client.ask("tools/call", {"name": "remember", "arguments": {"operation_id": "2", "text": "later"}}, id="next")
        client.request("ping")
        client.request("tools/list")
        assert client.data("about", entity="note") == {"memory/text": "first file"}
        assert client.kept == []
        locked()
        assert client.answer("write")["result"]["structuredContent"]["data"]["status"] == "applied"
        assert client.answer("next")["result"]["structuredContent"]["data"]["status"] == "applied"


def test_a_cancelled_write_that_waits_is_never_done(path, locked):
    with InProcess(path) as client:
        client.open()
        client.ask("tools/call", {"name": "remember", "arguments": {"operation_id": "1", "text": "late"}}, id="write")
        client.data("about", entity="note")
        client.notify("notifications/cancelled", {"requestId": "write"})
        client.request("ping")
        locked()
        assert client.refused("receipt", operation_id="1")["code"] == "unknown_transaction"
        assert client.data("remember", operation_id="1", text="now")["status"] == "applied"
        assert client.kept == []


def test_a_lock_that_is_never_given_back_is_a_conflict_after_the_wait(path, locked, monkeypatch):
    monkeypatch.setattr("fgraph.limits.BUSY_SECONDS", 0.3)
    with InProcess(path) as client:
        client.open()
        error = client.refused("remember", operation_id="1", text="x")
        assert (error["type"], error["code"], error["retry"]) == ("Conflict", "writer_busy", "same")


def test_writes_that_queue_behind_a_lock_wait_for_it_together(path, locked, monkeypatch):
    wait = 1.0
    monkeypatch.setattr("fgraph.limits.BUSY_SECONDS", wait)
    with InProcess(path) as client:
        client.open()
        started = time.monotonic()
        for number in "123":
            arguments = {"operation_id": number, "text": "x"}
            client.ask("tools/call", {"name": "remember", "arguments": arguments}, id=number)
        answers = [client.answer(number)["result"] for number in "123"]
        assert [answer["isError"] for answer in answers] == [True, True, True]
        # One after the other they would need three waits.
        assert time.monotonic() - started < 2.5 * wait
