"""Physical copies: complete, checked, private, and never over something else."""

import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import fgraph
from fgraph.view import page
from tests.portable.making import connect, rows, story

ROOT = Path(__file__).resolve().parents[2]


def beside(path) -> list[str]:
    """What lies in the folder of a path, SQLite's files of the open source aside."""
    return sorted(name for name in os.listdir(path.parent) if not name.startswith("source"))


def test_a_copy_has_the_same_rows_and_is_alone_in_its_folder(tmp_path):
    db = story(connect(tmp_path / "source.db"))
    target = tmp_path / "copy.db"
    assert db.backup(target) is None
    assert rows(target) == rows(db.path)
    assert beside(target) == ["copy.db"]
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert target.read_bytes()[18:20] == b"\x02\x02"  # write-ahead mode


@pytest.mark.parametrize("kind", ["memory", "read-only", "speculating"])
def test_copies_from_other_handles(tmp_path, kind):
    source = tmp_path / "source.db"
    db = story(connect() if kind == "memory" else connect(source))
    target = tmp_path / "copy.db"
    expected = db.snapshot()
    if kind == "read-only":
        connect(source, read_only=True).backup(target)
    elif kind == "speculating":
        with db.speculate() as trial:
            trial.transact({"id": "a", "n/v": 1})
            trial.backup(target)
    else:
        db.backup(target)
    assert connect(target).snapshot() == expected
    assert connect(target).transact({"id": "a", "n/v": 1}).status == "applied"


def test_progress_ends_with_all_pages(tmp_path):
    seen = []
    story(connect(tmp_path / "source.db")).backup(tmp_path / "copy.db", progress=lambda *pages: seen.append(pages))
    assert seen[-1][0] == seen[-1][1] > 0


@pytest.mark.parametrize(
    "kind", ["the file itself", "an empty file", "a folder", "a dangling link", "a link", "nothing"]
)
def test_an_existing_destination_is_never_touched(tmp_path, kind):
    db = connect(tmp_path / "source.db")
    target = tmp_path / "target"
    if kind == "the file itself":
        target = tmp_path / "source.db"
    elif kind == "an empty file":
        target.touch()
    elif kind == "a folder":
        target.mkdir()
    elif kind == "a dangling link":
        target.symlink_to(tmp_path / "elsewhere")
    elif kind == "a link":
        target.symlink_to(tmp_path / "source.db")
    with pytest.raises(fgraph.Conflict):
        db.backup("" if kind == "nothing" else target)
    assert not (tmp_path / "elsewhere").exists()
    assert [name for name in beside(tmp_path / "x") if name.endswith(".tmp")] == []


def test_what_cannot_be_written_is_a_format_error(tmp_path):
    db = connect(tmp_path / "source.db")
    with pytest.raises(fgraph.FormatError, match="does not exist"):
        db.backup(tmp_path / "missing" / "copy.db")
    db.close()
    with pytest.raises(fgraph.FormatError):
        db.backup(tmp_path / "copy.db")


def test_an_unsound_file_is_not_copied(tmp_path):
    db = connect(tmp_path / "source.db")
    db.transact({"id": "a", "n/v": 1})
    db._store.connection.execute("UPDATE fgraph_meta SET value = value + 1 WHERE key = 'next_id'")
    with pytest.raises(fgraph.FormatError, match="next_id"):
        db.backup(tmp_path / "copy.db")
    assert beside(tmp_path / "x") == []


def test_an_error_of_the_progress_function_comes_through_and_leaves_nothing(tmp_path):
    def stop(done, total):
        raise KeyboardInterrupt

    db = connect(tmp_path / "source.db")
    with pytest.raises(KeyboardInterrupt):
        db.backup(tmp_path / "copy.db", progress=stop)
    assert beside(tmp_path / "x") == []
    assert db.transact({"id": "a", "n/v": 1}).status == "applied"


def test_it_can_be_stopped_while_the_copy_is_examined(tmp_path):
    db = story(connect(tmp_path / "source.db"))
    db.compact()  # all pages are in the file
    pages = db.stats()["size"] // 4096

    def stop(done: int, total: int) -> None:
        if done > pages:
            db.interrupt()

    with pytest.raises(fgraph.QueryError, match="cancelled"):
        db.backup(tmp_path / "copy.db", progress=stop)
    assert beside(tmp_path / "x") == []


def test_a_stop_is_looked_for_also_between_two_steps_of_progress(tmp_path):
    db = story(connect(tmp_path / "source.db"))
    db.transact([{"id": f"e{number}", "n/v": number} for number in range(1_000)])
    looks, told = [], []
    db._store.cancel_requested = lambda: bool(looks.append(None))
    db.backup(tmp_path / "copy.db", progress=lambda *steps: told.append(steps))
    assert len(told) < len(looks)


WITHOUT_LINKS = """
import sys
import fgraph

def refuse(event, arguments):
    if event == "os.link" or event == "os.rename" and arguments[1].endswith("copy.db"):
        raise OSError(95, "not supported")

sys.addaudithook(refuse)
try:
    fgraph.connect(sys.argv[1]).backup(sys.argv[2])
except fgraph.FormatError as fault:
    print(fault)
"""


def test_a_copy_that_cannot_be_moved_to_its_name_leaves_no_empty_file_there(tmp_path):
    connect(tmp_path / "source.db").close()
    target = tmp_path / "copy.db"
    words = [sys.executable, "-c", WITHOUT_LINKS, str(tmp_path / "source.db"), str(target)]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=30, check=True)
    assert ran.stdout.startswith(f"{target} cannot be written: not supported; ")
    assert beside(tmp_path / "x") == []


def killed_backup(db: fgraph.Db, target) -> None:
    """A backup in another process that is killed once pages are copied."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:

        def pause(done: int, total: int) -> None:
            os.write(send, b"r")
            signal.pause()

        try:
            fgraph.connect(db.path, read_only=True).backup(target, progress=pause)
        finally:
            os._exit(1)
    os.close(send)
    assert os.read(receive, 1) == b"r"
    os.close(receive)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def write_page(db: fgraph.Db, folder) -> None:
    with db._store.reading() as reader:
        page.write(reader, str(folder / "copy.html"))


NEXT = {
    "backup": lambda db, folder: db.backup(folder / "copy.db"),
    "restore_backup": lambda db, folder: fgraph.restore_backup(db.path, folder / "copy.db").close(),
    "view": write_page,
}


@pytest.mark.parametrize("name", NEXT)
def test_what_a_killed_backup_left_goes_with_the_next_file_that_is_made_there(tmp_path, name):
    db = story(connect(tmp_path / "source.db"))
    killed_backup(db, tmp_path / "copy.db")
    (left,) = beside(tmp_path / "x")
    assert left.startswith(".copy.db.fgraph-")
    NEXT[name](db, tmp_path)
    assert beside(tmp_path / "x") == ["copy.html" if name == "view" else "copy.db"]


def test_a_path_that_leaves_no_room_for_a_folder_beside_it(tmp_path):
    db = connect(tmp_path / "source.db")
    folder = tmp_path
    while len(str(folder)) < 460:
        folder /= "d" * min(100, 459 - len(str(folder)))
        folder.mkdir()
    with pytest.raises(fgraph.FormatError, match="bytes too many in its path .*; use a shorter path"):
        db.backup(folder / ("f" * 40))
    assert os.listdir(folder) == []


def test_copies_are_sound_while_another_handle_writes(tmp_path):
    db = story(connect(tmp_path / "source.db"))
    done = threading.Event()

    def write():
        writer = fgraph.connect(tmp_path / "source.db")
        number = 0
        while not done.is_set():
            number += 1
            writer.transact({"id": f"e{number}", "n/v": number, "n/t": f"text {number}"})
        writer.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for number in range(5):
            db.backup(tmp_path / f"copy{number}.db")
    finally:
        done.set()
        thread.join()
    for number in range(5):
        assert connect(tmp_path / f"copy{number}.db").doctor()["ok"]


def test_a_backup_is_put_back_under_a_new_path(tmp_path):
    db = story(connect(tmp_path / "source.db"))
    db.backup(tmp_path / "copy.db")
    back = fgraph.restore_backup(tmp_path / "copy.db", tmp_path / "back.db", clock=0)
    assert back.snapshot() == db.snapshot()
    assert back.transact({"id": "a", "n/v": 1}).status == "applied"
    back.close()
    assert beside(tmp_path / "x") == ["back.db", "copy.db"]


def test_a_backup_may_fill_an_empty_file(tmp_path):
    connect(tmp_path / "source.db").backup(tmp_path / "copy.db")
    (tmp_path / "back.db").touch()
    assert fgraph.restore_backup(tmp_path / "copy.db", tmp_path / "back.db").stats()["transactions"] == 1


MEANWHILE = {
    "a backup": (False, lambda db, target, progress: db.backup(target, progress=progress)),
    "a copy put back": (False, lambda db, target, progress: fgraph.restore_backup(db.path, target, progress=progress)),
    "an empty file filled": (
        True,
        lambda db, target, progress: fgraph.restore_backup(db.path, target, progress=progress),
    ),
}


@pytest.mark.parametrize("name", MEANWHILE)
def test_what_another_program_puts_there_meanwhile_stays(tmp_path, name):
    empty_before, call = MEANWHILE[name]
    db = connect(tmp_path / "source.db")
    target = tmp_path / "copy.db"
    if empty_before:
        target.touch()
    with pytest.raises(fgraph.Conflict):
        call(db, target, lambda done, total: target.write_text("a letter"))
    assert target.read_text() == "a letter"
    assert beside(tmp_path / "x") == ["copy.db"]


def test_putting_back_refuses(tmp_path):
    connect(tmp_path / "source.db").backup(tmp_path / "copy.db")
    copy = tmp_path / "copy.db"
    (tmp_path / "full").write_text("something")
    (tmp_path / "wreck.db").write_bytes(copy.read_bytes()[:50_000])
    cases = [
        (copy, copy, fgraph.Conflict),
        (copy, tmp_path / "full", fgraph.Conflict),
        (copy, tmp_path, fgraph.Conflict),
        (tmp_path / "nothing.db", tmp_path / "back.db", fgraph.NotFound),
        (copy, tmp_path / "missing" / "back.db", fgraph.FormatError),
        (tmp_path / "full", tmp_path / "back.db", fgraph.FormatError),
        (tmp_path / "wreck.db", tmp_path / "back.db", fgraph.FormatError),
    ]
    for origin, target, kind in cases:
        with pytest.raises(kind):
            fgraph.restore_backup(origin, target)
    with pytest.raises(fgraph.TypeError):
        fgraph.restore_backup(copy, tmp_path / "back.db", clock="noon")
    assert not (tmp_path / "back.db").exists()
    assert (tmp_path / "full").read_text() == "something"
