"""Opening a path: what it leads to, what is created, and what is refused without a trace."""

import os
import pathlib
import re
import sqlite3
import stat
import tempfile

import pytest

import fgraph
from fgraph import errors, limits
from fgraph.file import opening
from tests.file.making import GENESIS_AT, change, rows, run, run_as_nobody, start


def listing(folder: pathlib.Path) -> dict[str, bytes]:
    """Every file below a folder, with its bytes."""
    return {entry.name: entry.read_bytes() for entry in folder.iterdir() if entry.is_file()}


# -- what is created --------------------------------------------------------------------------------------------------


def test_a_missing_file_is_created_for_its_owner_alone(tmp_path):
    path = tmp_path / "new.db"
    before = os.umask(0)
    try:
        with fgraph.connect(path) as db:
            db.transact({"id": "ada", "p/n": 1})
            modes = {entry.name: stat.S_IMODE(entry.stat().st_mode) for entry in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == {"new.db": 0o600, "new.db-wal": 0o600, "new.db-shm": 0o600}
    assert os.listdir(tmp_path) == ["new.db"], "the last writer takes the side files away"


def test_the_mode_of_an_existing_file_stays(path):
    path.chmod(0o644)
    with fgraph.connect(path) as db:
        db.transact({"id": "ada", "p/n": 1})
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


EMPTY = {
    "no bytes": [],
    "a database without objects": ["CREATE TABLE t (x)", "DROP TABLE t", "VACUUM"],
    "only what SQLite keeps for itself": ["CREATE TABLE t (x INTEGER PRIMARY KEY AUTOINCREMENT)", "DROP TABLE t"],
    "a table of statistics": ["CREATE TABLE t (x)", "CREATE INDEX i ON t (x)", "ANALYZE", "DROP TABLE t"],
    "a large page": ["PRAGMA page_size = 65536", "CREATE TABLE t (x)", "DROP TABLE t"],
    "write-ahead mode": ["PRAGMA journal_mode = WAL", "CREATE TABLE t (x)", "DROP TABLE t"],
}


@pytest.mark.parametrize("statements", EMPTY.values(), ids=EMPTY.keys())
def test_an_empty_file_is_initialised_by_a_writer_and_refused_to_a_reader(tmp_path, statements):
    path = tmp_path / "empty.db"
    path.touch()
    change(path, *statements)
    before = path.read_bytes()
    with pytest.raises(errors.FormatError, match="not initialised"):
        fgraph.connect(path, read_only=True)
    assert path.read_bytes() == before
    with fgraph.connect(path, clock=GENESIS_AT) as db:
        assert db.stats()["transactions"] == 1
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]


def test_a_memory_database_is_private_and_only_for_writing():
    with fgraph.connect(":memory:") as one, fgraph.connect(b":memory:") as other:
        one.transact({"id": "ada", "p/n": 1})
        assert other.stats()["facts"] == 39
        assert one.path == ":memory:"
        assert one.stats()["size"] == 0
    with pytest.raises(errors.ReadOnly):
        fgraph.connect(":memory:", read_only=True)


# -- connection settings ----------------------------------------------------------------------------------------------

WRITER = {
    "journal_mode": "wal",
    "busy_timeout": 5000,
    "foreign_keys": 0,
    "trusted_schema": 0,
    "synchronous": 2,
    "wal_autocheckpoint": 1000,
    "query_only": 0,
}


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("writer", WRITER),
        ("memory", {**WRITER, "journal_mode": "memory"}),
        ("reader", {**{name: WRITER[name] for name in ("busy_timeout", "trusted_schema")}, "query_only": 1}),
    ],
)
def test_connection_settings(path, mode, expected):
    with fgraph.connect(":memory:" if mode == "memory" else path, read_only=mode == "reader") as db:
        connection = db._store.connection
        assert {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in expected} == expected
        assert connection.isolation_level is None


# -- how a path is read -----------------------------------------------------------------------------------------------


def test_a_leading_tilde_is_the_home_folder_in_both_modes(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    fgraph.connect("~/m.db").close()
    with fgraph.connect("~/m.db", read_only=True) as db:
        assert db.path == str(tmp_path / "m.db")
    with pytest.raises(errors.FormatError, match=f"{re.escape(str(tmp_path))} is a folder"):
        fgraph.connect("~")


def test_everything_else_in_a_path_is_taken_literally(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = ["a?mode=memory", "a%41#b", "file:x", "~x", "x~", " ", "é\n", "a&b=c", "-", "*"]
    for name in names:
        fgraph.connect(name).close()
    assert sorted(os.listdir(tmp_path)) == sorted(names)


@pytest.mark.parametrize("shape", [str, os.fsencode, pathlib.Path])
def test_text_bytes_and_path_objects_are_the_same_path(path, shape):
    for read_only in (False, True):
        with fgraph.connect(shape(str(path)), read_only=read_only) as db:
            assert db.path == str(path)
            assert db.stats()["size"] == path.stat().st_size


def test_a_path_is_absolute_in_handles_and_messages(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with fgraph.connect("./rel.db") as db:
        assert db.path == str(tmp_path / "rel.db")
    with pytest.raises(errors.NotFound, match=re.escape(str(tmp_path / "other.db"))):
        fgraph.connect(".//other.db", read_only=True)


def test_a_path_that_climbs_out_of_a_link_leads_where_the_system_says(tmp_path):
    (tmp_path / "far" / "inner").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "far" / "inner")
    fgraph.connect(f"{tmp_path}/link/../x.db").close()
    assert (tmp_path / "far" / "x.db").exists()
    assert not (tmp_path / "x.db").exists()


def test_two_slashes_in_front_name_no_other_machine(path):
    with fgraph.connect(f"/{path}") as db:
        assert db.path in (str(path), f"/{path}")


def test_a_link_to_a_file_is_that_file(path, tmp_path):
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with fgraph.connect(link) as db:
        db.transact({"id": "ada", "p/n": 1})
    with fgraph.connect(path, read_only=True) as db:
        assert db.entity("ada") == {"p/n": 1}


def test_a_path_of_504_bytes_is_the_longest(tmp_path):
    folder = tmp_path / ("a" * 200) / ("b" * 100)
    folder.mkdir(parents=True)
    longest = f"{folder}/".ljust(limits.PATH_BYTES, "c")
    fgraph.connect(longest).close()
    with pytest.raises(errors.FormatError, match="504"):
        fgraph.connect(f"{longest}c")
    assert len(os.listdir(folder)) == 1


def test_a_relative_path_in_a_folder_that_is_gone(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(errors.FormatError, match="gone"):
        fgraph.connect("x.db")


BAD_PATHS = {
    "empty": ("", errors.FormatError),
    "empty bytes": (b"", errors.FormatError),
    "a NUL": ("a\0b", errors.FormatError),
    "a NUL in bytes": (b"a\0b", errors.FormatError),
    "an unpaired surrogate": ("\ud800.db", errors.FormatError),
    "a component too long for the file system": ("a" * 300, errors.FormatError),
    "longer than SQLite takes": ("a/" * 600, errors.FormatError),
    "a number": (5, errors.TypeError),
    "null": (None, errors.TypeError),
    "true": (True, errors.TypeError),
    "a list": (["x.db"], errors.TypeError),
}


@pytest.mark.parametrize(("path", "error"), BAD_PATHS.values(), ids=BAD_PATHS.keys())
@pytest.mark.parametrize("read_only", [False, True])
def test_what_names_no_file_is_refused(path, error, read_only, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = errors.NotFound if read_only and path == "a" * 300 else error
    with pytest.raises((error, expected)):
        fgraph.connect(path, read_only=read_only)
    assert os.listdir(tmp_path) == []


class Elsewhere(os.PathLike):
    def __fspath__(self) -> int:
        return 5


def test_a_path_object_that_gives_no_path_is_refused():
    with pytest.raises(errors.TypeError):
        fgraph.connect(Elsewhere())


# -- what a path leads to ---------------------------------------------------------------------------------------------


def make_folder(path: pathlib.Path) -> None:
    path.mkdir()


def make_pipe(path: pathlib.Path) -> None:
    os.mkfifo(path)


def make_dangling_link(path: pathlib.Path) -> None:
    path.symlink_to(path.parent / "nowhere")


def make_loop(path: pathlib.Path) -> None:
    path.symlink_to(path)


def make_device(path: pathlib.Path) -> None:
    path.symlink_to("/dev/null")


@pytest.mark.parametrize("make", [make_folder, make_pipe, make_dangling_link, make_loop, make_device])
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_ordinary_file_is_refused(tmp_path, make, read_only):
    path = tmp_path / "odd.db"
    make(path)
    with pytest.raises(errors.FormatError, match=re.escape(str(path))):
        fgraph.connect(path, read_only=read_only)
    assert os.listdir(tmp_path) == ["odd.db"]


@pytest.mark.parametrize("name", ["missing.db", "missing/x.db", "file/x.db"])
def test_a_missing_file_is_not_found_by_a_reader_and_nothing_is_created(tmp_path, name):
    (tmp_path / "file").write_text("x")
    with pytest.raises(errors.NotFound) as caught:
        fgraph.connect(tmp_path / name, read_only=True)
    assert caught.value.code == "missing_file"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["missing/x.db", "file/x.db"])
def test_a_missing_folder_is_a_format_error_for_a_writer(tmp_path, name):
    (tmp_path / "file").write_text("x")
    with pytest.raises(errors.FormatError, match="folder"):
        fgraph.connect(tmp_path / name)
    assert os.listdir(tmp_path) == ["file"]


CONTENT = {
    "text": b"Dear diary, today I stored nothing.\n" * 40,
    "two bytes": b"ab",
    "a line feed": b"\n",
    "zeros": bytes(4096),
    "the first half of a header": b"SQLite format 3\0",
    "a header with nothing behind it": b"SQLite format 3\0" + bytes(84),
    "compressed": b"\x1f\x8b\x08\0" + bytes(range(256)) * 20,
}


@pytest.mark.parametrize("content", CONTENT.values(), ids=CONTENT.keys())
@pytest.mark.parametrize("read_only", [False, True])
def test_what_is_no_sqlite_file_is_refused_untouched(tmp_path, content, read_only):
    path = tmp_path / "other.db"
    path.write_bytes(content)
    with pytest.raises(errors.FormatError, match=re.escape(str(path))):
        fgraph.connect(path, read_only=read_only)
    assert listing(tmp_path) == {"other.db": content}


FOREIGN = {
    "a table": ["CREATE TABLE notes (x)"],
    "a table whose name begins like SQLite's own": ["CREATE TABLE sqlitefoo (x)"],
    "a view": ["CREATE VIEW v AS SELECT 1"],
    "only an application id": ["PRAGMA application_id = 7"],
    "only a version": ["PRAGMA user_version = 2"],
    "our markers and nothing else": ["PRAGMA application_id = 1718055521", "PRAGMA user_version = 2"],
    "a part of our layout": ["CREATE TABLE fgraph_facts (x)"],
    "our first table, without markers": ["CREATE TABLE fgraph_meta (key text not null primary key, value any) strict"],
    "UTF-16 with a table": ["PRAGMA encoding = 'UTF-16le'", "CREATE TABLE notes (x)"],
    "UTF-16 without objects": ["PRAGMA encoding = 'UTF-16be'", "CREATE TABLE t (x)", "DROP TABLE t"],
    "write-ahead mode": ["PRAGMA journal_mode = WAL", "CREATE TABLE notes (x)"],
    "a persistent journal": ["PRAGMA journal_mode = PERSIST", "CREATE TABLE notes (x)"],
}


@pytest.mark.parametrize("statements", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_database_of_another_program_is_refused_without_a_trace(tmp_path, statements):
    path = tmp_path / "other.db"
    change(path, *statements)
    before = listing(tmp_path)
    with pytest.raises(errors.FormatError, match=re.escape(str(path))) as caught:
        fgraph.connect(path)
    assert caught.value.hint
    assert listing(tmp_path) == before


@pytest.mark.parametrize("statements", FOREIGN.values(), ids=FOREIGN.keys())
def test_a_database_of_another_program_is_refused_to_readers_too(tmp_path, statements):
    path = tmp_path / "other.db"
    change(path, *statements)
    before = path.read_bytes()
    with pytest.raises(errors.FormatError):
        fgraph.connect(path, read_only=True)
    assert path.read_bytes() == before


LIVE_FOREIGN_WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = WAL")
connection.execute("CREATE TABLE notes (x)")
connection.execute("INSERT INTO notes VALUES (1)")
print("ready", flush=True)
sys.stdin.readline()
"""


def test_a_foreign_database_in_use_keeps_its_log(tmp_path):
    path = tmp_path / "other.db"
    process = start(LIVE_FOREIGN_WRITER, path)
    assert process.stdout.readline() == "ready\n"
    before = {name: data for name, data in listing(tmp_path).items() if not name.endswith("-shm")}
    with pytest.raises(errors.FormatError):
        fgraph.connect(path)
    after = {name: data for name, data in listing(tmp_path).items() if not name.endswith("-shm")}
    assert after == before
    assert len(after["other.db-wal"]) > 0
    process.communicate("\n", timeout=10)
    assert rows(path, "SELECT x FROM notes") == [(1,)]


INTERRUPTED_WRITER = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = DELETE")
connection.execute("PRAGMA cache_size = 2")
connection.execute("BEGIN")
connection.execute("CREATE TABLE IF NOT EXISTS notes (x)") if sys.argv[2] == "foreign" else None
table = "notes (x)" if sys.argv[2] == "foreign" else "fgraph_blobs (data, hash)"
values = "(?)" if sys.argv[2] == "foreign" else "(?, randomblob(32))"
connection.executemany(f"INSERT INTO {table} VALUES {values}", [("x" * 900,) for _ in range(200)])
os._exit(0)
"""


def test_a_foreign_database_with_half_a_write_is_left_to_its_owner(tmp_path):
    path = tmp_path / "other.db"
    change(path, "CREATE TABLE notes (x)", "INSERT INTO notes VALUES (1)")
    run(INTERRUPTED_WRITER, path, "foreign")
    before = listing(tmp_path)
    assert len(before["other.db-journal"]) > 0
    for read_only in (False, True):
        with pytest.raises(errors.FormatError):
            fgraph.connect(path, read_only=read_only)
        assert listing(tmp_path) == before
    assert rows(path, "SELECT x FROM notes") == [(1,)], "its owner still gets it back"


def test_our_file_with_half_a_write_is_healed_by_a_writer_and_never_shown_to_a_reader(path):
    run(INTERRUPTED_WRITER, path, "ours")
    assert path.with_name("facts.db-journal").exists()
    with pytest.raises(errors.FormatError, match="interrupted"):
        fgraph.connect(path, read_only=True)
    with fgraph.connect(path) as db:
        assert db.stats()["facts"] == 39
    assert rows(path, "SELECT count(*) FROM fgraph_blobs") == [(0,)]


# -- problems found before the file is touched ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"clock": "now"},
        {"clock": True},
        {"clock": 1.5},
        {"clock": limits.INSTANT_MAX + 1},
        {"event_factory": "x"},
        {"query_budget": 0},
        {"query_budget": True},
        {"query_budget": 1.0},
        {"clock": lambda: None},
        {"clock": lambda: "2026-01-01"},
    ],
    ids=str,
)
def test_a_bad_argument_leaves_no_file_behind(tmp_path, options):
    for name in ("new.db", "zero.db"):
        (tmp_path / "zero.db").touch()
        with pytest.raises(errors.TypeError):
            fgraph.connect(tmp_path / name, **options)
        assert listing(tmp_path) == {"zero.db": b""}


def test_a_clock_that_raises_leaves_no_file_behind(tmp_path):
    def broken() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fgraph.connect(tmp_path / "new.db", clock=broken)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("text", ["", "abc", "1.5", "1e3", " 7 ", "1_000", "9" * 5000, "٣"])
def test_a_bad_clock_variable_leaves_no_file_behind(tmp_path, monkeypatch, text):
    monkeypatch.setenv("FGRAPH_CLOCK", text)
    with pytest.raises(errors.TypeError, match="FGRAPH_CLOCK"):
        fgraph.connect(tmp_path / "new.db")
    assert os.listdir(tmp_path) == []
    fgraph.connect(tmp_path / "new.db", clock=5).close()


def test_an_sqlite_that_is_too_old_is_named(monkeypatch):
    monkeypatch.setattr(opening, "MINIMUM_SQLITE", (99, 0, 0))
    with pytest.raises(errors.Unsupported, match=sqlite3.sqlite_version):
        fgraph.connect(":memory:")


# -- permissions ------------------------------------------------------------------------------------------------------

OPEN_AND_WRITE = """
def attempt(step):
    try:
        return step() or "ok"
    except fgraph.FGraphError as error:
        return type(error).__name__
db = None
def open_it():
    global db
    db = fgraph.connect(sys.argv[1], read_only=sys.argv[2] == "ro")
print(attempt(open_it))
if db is not None:
    print(attempt(lambda: str(db.stats()["facts"])))
    print(attempt(lambda: db.transact({"id": "x", "p/n": 1}).status))
"""


@pytest.fixture
def open_folder():
    """A folder that other users reach; pytest keeps its own ones to their owner, and may close them at any time."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture
def shared(open_folder, new_file):
    """A file in a folder of its own that other users reach."""
    path = open_folder / "store" / "facts.db"
    path.parent.mkdir()
    path.write_bytes(new_file)
    path.chmod(0o666)
    path.parent.chmod(0o777)
    yield path
    path.parent.chmod(0o700)


CASES = {
    # folder, file, mode: what happens at opening, reading, writing
    "all allowed": (0o777, 0o666, "rw", ["ok", "39", "applied"]),
    "a file that cannot be read": (0o777, 0o000, "rw", ["FormatError"]),
    "a file that cannot be read, to a reader": (0o777, 0o000, "ro", ["FormatError"]),
    "a file that cannot be written": (0o777, 0o444, "rw", ["ok", "39", "ReadOnly"]),
    "a folder that cannot be written": (0o555, 0o666, "rw", ["ReadOnly"]),
    "a folder that cannot be written, to a reader": (0o555, 0o666, "ro", ["ok", "39", "ReadOnly"]),
    "a folder that cannot be searched": (0o000, 0o666, "rw", ["FormatError"]),
    "a folder that cannot be searched, to a reader": (0o000, 0o666, "ro", ["FormatError"]),
}


@pytest.mark.parametrize(("folder", "file", "mode", "answers"), CASES.values(), ids=CASES.keys())
def test_permissions(shared, folder, file, mode, answers):
    shared.chmod(file)
    shared.parent.chmod(folder)
    before = shared.read_bytes() if os.getuid() == 0 else None
    assert run_as_nobody(OPEN_AND_WRITE, shared, mode).split() == answers
    if before is not None and "applied" not in answers:
        assert shared.read_bytes() == before


def test_a_new_file_in_a_folder_that_cannot_be_written_is_read_only(shared):
    shared.parent.chmod(0o555)
    assert run_as_nobody(OPEN_AND_WRITE, shared.parent / "new.db", "rw").split() == ["ReadOnly"]


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
def test_a_side_file_rules_out_reading_the_main_file_alone(shared, suffix):
    side = shared.with_name(shared.name + suffix)
    side.touch()
    side.chmod(0o000)
    shared.parent.chmod(0o555)
    assert run_as_nobody(OPEN_AND_WRITE, shared, "ro").split() == ["FormatError"]


def test_a_side_file_beside_the_target_of_a_link_counts(shared, open_folder):
    link = open_folder / "link.db"
    link.symlink_to(shared)
    shared.parent.chmod(0o555)
    assert run_as_nobody(OPEN_AND_WRITE, link, "ro").split() == ["ok", "39", "ReadOnly"]
    side = shared.with_name(shared.name + "-wal")
    side.touch()
    side.chmod(0o000)
    assert run_as_nobody(OPEN_AND_WRITE, link, "ro").split() == ["FormatError"]


def test_a_read_only_mount_can_be_read(path, tmp_path):
    inside = tmp_path / "mounted"
    inside.mkdir()
    mount = f"mount -t tmpfs none {inside} && cp {path} {inside}/facts.db && mount -o remount,ro {inside}"
    program = f"""
import subprocess, sys
done = subprocess.run(["unshare", "-m", "sh", "-c", {mount!r} + " || exit 77; exec " + sys.executable + " -c \\"$1\\" "
                       "{inside}/facts.db $2", "sh", sys.argv[1], sys.argv[2]], stderr=subprocess.DEVNULL)
print(done.returncode)
"""
    child = f"import sys, fgraph\n{OPEN_AND_WRITE}"
    answers = [run(program, child, mode).split() for mode in ("ro", "rw")]
    if answers[0] in (["77"], ["1"]):
        pytest.skip("this user cannot mount")
    assert answers == [["ok", "39", "ReadOnly", "0"], ["ReadOnly", "0"]]
