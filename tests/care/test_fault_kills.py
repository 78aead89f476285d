"""A process killed at a random moment of a write: the write is whole or absent, and the file is sound."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import fgraph
from tests.care.actions import ACTIONS, LONG, batch, opened, prepared, pristine
from tests.portable.making import connect

KILLS = 100 if LONG else 25  # of each of the eight kinds: 200 in the short form, 800 in the long one
BIG = batch(300)
BIG_SNAPSHOT = connect(event_factory=iter(f"00000000-0000-4000-8000-{n:012x}" for n in range(1, 9)).__next__)
BIG_SNAPSHOT.transact(BIG)
SINGLES = 6


def singles(db: fgraph.Db) -> None:
    """Several small writes, each on its own."""
    for number in range(SINGLES):
        db.transact({"id": f"single/{number}", "n/v": number, "n/t": f"words {number}"})


def remember_half_a_megabyte(db: fgraph.Db) -> None:
    db.transact({"id": "note", "n/long": "half a megabyte " * 32_000})


def repaired(path: Path) -> None:
    prepared(path)
    with opened(path) as db:
        db.doctor(repair=True)


# name: (what lies there before, the write)
KINDS: dict[str, tuple[Callable[[Path], None], Callable[[fgraph.Db], object]]] = {
    "single writes": (prepared, singles),
    "a long text": (prepared, remember_half_a_megabyte),
    "a batch": (prepared, lambda db: db.transact(BIG)),
    "apply": ACTIONS["apply_summary"],
    "restore": (pristine, lambda db: db.restore(BIG_SNAPSHOT.snapshot())),
    "excise": ACTIONS["excise"],
    "backup": (repaired, lambda db: db.backup(f"{db.path}.copy")),
    "repair": ACTIONS["repair"],
}


def in_child(work: Callable[[], object], ready: int) -> None:
    """Run `work` in this freshly forked process after telling the parent; never returns."""
    try:
        os.write(ready, b"r")
        work()
    finally:
        os._exit(0)


def killed_after(path: Path, action: Callable[[fgraph.Db], object], seconds: float) -> bool:
    """Fork a process that writes, kill it after a while; whether it was still at work."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        in_child(lambda: action(opened(path)), send)
    os.read(receive, 1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(receive)
    os.close(send)
    return os.WIFSIGNALED(status)


def duration(path: Path, action: Callable[[fgraph.Db], object]) -> float:
    start = time.perf_counter()
    with opened(path) as db:
        action(db)
    return time.perf_counter() - start


@pytest.mark.parametrize("name", KINDS)
def test_killed_at_a_random_moment(tmp_path, name):
    prepare, action = KINDS[name]
    chance = random.Random(name)
    model = tmp_path / "model.db"
    prepare(model)
    original = model.read_bytes()
    before = state(model)
    seconds = duration(model, action)
    after = state(model)
    hit = 0
    for number in range(KILLS):
        path = tmp_path / str(number) / "f.db"
        path.parent.mkdir()
        path.write_bytes(original)
        hit += killed_after(path, action, chance.uniform(0, 1.1 * seconds))
        now = state(path)
        if name == "single writes":
            assert before[0] <= now[0] <= after[0]
        else:
            assert now in (before, after)
        check(path, name)
    assert hit


def state(path: Path) -> tuple:
    """The number of transactions, of live texts, and all streams of a file."""
    with opened(path) as db:
        return db.stats()["transactions"], db.snapshot()


def check(path: Path, name: str) -> None:
    with opened(path, 0xA000) as db:
        assert db.transact({"id": "later", "n/v": 1}).status == "applied"
        report = db.doctor(repair=True)
        assert report["ok"]
        assert db.entity("later") == {"n/v": 1}
        if name == "backup":
            db.backup(f"{path}.next")
            assert [left for left in os.listdir(path.parent) if left.endswith(".tmp")] == []
        if name == "single writes":
            written = [number for number in range(SINGLES) if known(db, f"single/{number}")]
            assert written == list(range(len(written)))
    copy = Path(f"{path}.copy")
    if copy.exists():
        with opened(copy) as db:
            assert db.doctor()["ok"]


def known(db: fgraph.Db, name: str) -> bool:
    try:
        return bool(db.entity(name))
    except fgraph.NotFound:
        return False
