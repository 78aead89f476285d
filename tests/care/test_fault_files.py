"""What can happen to the file itself: no room, no permission, another file in its place, single flipped bits."""

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import fgraph
from tests.care.actions import ACTIONS, LONG, batch, opened, prepared
from tests.portable.making import connect, rows, story

FLIPS = 40 if LONG else 2  # of each page
NOBODY = 65_534


# -- no room ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["batch", "apply", "restore", "repair", "excise"])
def test_a_file_that_may_not_grow(tmp_path, name):
    """Every number of pages from none to enough: the write is refused as a whole until there is room for it."""
    prepare, action = ACTIONS[name]
    path = tmp_path / "f.db"
    prepare(path)
    db = opened(path)
    connection = db._store.connection
    before = rows(path)
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    refused = 0
    for room in range(0, 200, 2):
        connection.execute(f"PRAGMA max_page_count = {pages + room}")
        try:
            action(db)
            break
        except fgraph.FormatError as fault:
            assert "full" in str(fault)
            assert rows(path) == before
            refused += 1
    connection.execute("PRAGMA max_page_count = 1000000")
    assert refused or name not in ("batch", "restore")
    assert db.transact({"id": "later", "n/v": 1}).status == "applied"
    db.doctor(repair=True)
    assert db.doctor()["ok"]


@pytest.fixture
def small_disk():
    """A file system of one megabyte, where this machine lets us have one."""
    folder = Path(tempfile.mkdtemp())
    mount = shutil.which("mount")
    made = (
        mount
        and not subprocess.run(
            [mount, "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False
        ).returncode
    )
    if not made:
        folder.rmdir()
        pytest.skip("no permission to mount a small file system")
    yield folder
    subprocess.run(["umount", folder], check=True)
    folder.rmdir()


def test_a_full_disk(small_disk):
    path = small_disk / "f.db"
    db = opened(path)
    written = 0
    with pytest.raises(fgraph.FormatError):
        while True:
            db.transact([{**record, "id": f"{written}/{record['id']}"} for record in batch(100)])
            written += 1
    assert written
    for action in (
        lambda: db.transact(batch(500)),
        lambda: db.backup(small_disk / "copy.db"),
        lambda: db.compact(),
    ):
        with pytest.raises(fgraph.FormatError):
            action()
    assert db.stats()["transactions"] == written + 1
    assert [name for name in os.listdir(small_disk) if not name.startswith("f.db")] == []
    assert db.doctor()["ok"]
    db.close()


# -- no permission ----------------------------------------------------------------------------------------------------


def as_nobody(work: Callable[[], None]) -> bool:
    """Run `work` in a child process without any rights; whether it ended well."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            if os.getuid() == 0:
                os.setgid(NOBODY)
                os.setuid(NOBODY)
            work()
            status = 0
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


@pytest.fixture
def readable_folder():
    """A folder that others can read and not write, with a file in it."""
    folder = Path(tempfile.mkdtemp())
    prepared(folder / "f.db")
    (folder / "f.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_in_a_folder_that_cannot_be_written_everything_can_be_read_and_nothing_written(readable_folder):
    path = readable_folder / "f.db"
    before = path.read_bytes()

    def work() -> None:
        reader = connect(path, read_only=True)
        assert reader.snapshot() and reader.event_records() and reader.doctor()["repair_needed"]
        for write in (
            lambda: reader.backup(readable_folder / "copy.db"),
            lambda: connect(readable_folder / "new.db"),
            lambda: connect(path).transact({"id": "a", "n/v": 1}),
            lambda: connect(path).doctor(repair=True),
            lambda: fgraph.restore_backup(path, readable_folder / "back.db"),
        ):
            with pytest.raises((fgraph.ReadOnly, fgraph.FormatError)):
                write()

    assert as_nobody(work)
    assert path.read_bytes() == before
    assert os.listdir(readable_folder) == ["f.db"]


# -- something else in its place ---------------------------------------------------------------------------------------


def replaced(path: Path) -> None:
    other = path.with_name("other.db")
    story(connect(other)).close()
    os.replace(other, path)


DISTURBANCES: dict[str, Callable[[Path], None]] = {
    "deleted": lambda path: path.unlink(),
    "replaced": replaced,
    "replaced by text": lambda path: (
        path.with_name("x").write_text("no database"),
        os.replace(path.with_name("x"), path),
    ),
    "truncated to nothing": lambda path: os.truncate(path, 0),
    "truncated to half": lambda path: os.truncate(path, path.stat().st_size // 8192 * 4096),
    "cut inside a page": lambda path: os.truncate(path, path.stat().st_size - 1000),
    "replaced by a folder": lambda path: (path.unlink(), path.mkdir()),
}
USES: dict[str, Callable[[fgraph.Db], object]] = {
    "stats": lambda db: db.stats(),
    "entity": lambda db: db.entity("ada"),
    "search": lambda db: db.search("note"),
    "events": lambda db: db.event_records(),
    "snapshot": lambda db: db.snapshot(),
    "lines": lambda db: list(db.iter_snapshot()),
    "doctor": lambda db: db.doctor(),
    "backup": lambda db: db.backup(f"{db.path}.copy"),
    **{name: action for name, (_, action) in ACTIONS.items() if name != "restore"},
}


@pytest.mark.parametrize("disturbance", DISTURBANCES)
def test_a_file_disturbed_while_it_is_open(tmp_path, disturbance):
    """Every use afterwards succeeds or says what is wrong, and so does a new handle."""
    path = tmp_path / "f.db"
    prepared(path)
    handle = opened(path)
    handle.entity("ada")
    reader = connect(path, read_only=True)
    DISTURBANCES[disturbance](path)
    for db in (handle, reader):
        for use in USES.values():
            succeeds_or_says_why(lambda db=db, use=use: use(db))
        succeeds_or_says_why(db.close)
    succeeds_or_says_why(lambda: connect(path).doctor())
    succeeds_or_says_why(lambda: connect(path, read_only=True).doctor())


def succeeds_or_says_why(work: Callable[[], object]) -> object:
    try:
        return work()
    except fgraph.FGraphError as fault:
        assert str(fault)
        return None


# -- flipped bits -----------------------------------------------------------------------------------------------------


def test_one_bit_flipped_in_every_page(tmp_path):
    """Either doctor names the damage, or no row has changed; no use of the file ever ends in anything but an answer."""
    path = tmp_path / "f.db"
    with story(connect(path)) as db:
        db.doctor(repair=True)
    original = path.read_bytes()
    sound = rows(path)
    found = connect(path).search("anonymous").to_dict()
    page_size = int.from_bytes(original[16:18], "big")
    chance = random.Random(6)
    named = 0
    for page in range(len(original) // page_size):
        for _ in range(FLIPS):
            place, bit = page * page_size + chance.randrange(page_size), 1 << chance.randrange(8)
            data = bytearray(original)
            data[place] ^= bit
            path.write_bytes(data)
            report = succeeds_or_says_why(lambda: examined(path))
            if report is None or not report["ok"]:
                named += 1
            elif "warnings" not in report:
                assert visible(rows(path)) == visible(sound), (place, bit)
                assert connect(path, read_only=True).search("anonymous").to_dict() == found
    assert named


def examined(path: Path) -> dict:
    with connect(path) as db:
        for use in ("stats", "entity", "search", "events", "snapshot"):
            succeeds_or_says_why(lambda use=use: USES[use](db))
        return db.doctor()


def visible(tables: dict) -> dict:
    """Rows without the hashes of requests, and of events that were redacted: nothing in the file vouches for them."""
    events = [(tx, data and digest, data, operation) for tx, digest, data, operation, _ in tables["fgraph_events"]]
    return {**tables, "fgraph_events": events}
