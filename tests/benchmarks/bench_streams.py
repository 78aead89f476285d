"""Times streams and care against bare `sqlite3` on the same rows: `python3 tests/benchmarks/bench_streams.py`.

With `--memory` it shows instead the resident memory of a process that takes in and gives out a stream of 200 MB.
"""

import gc
import hashlib
import json
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import fgraph  # noqa: E402
from fgraph.file import layout  # noqa: E402
from fgraph.portable import events  # noqa: E402

PEOPLE = 20_000
BATCH = 1_000
ROUNDS = 3
TABLES = ("fgraph_meta", "fgraph_ids", "fgraph_events", "fgraph_facts", "fgraph_blobs")
FACTS = """
    SELECT f.e, f.a, f.v, f.t, f.tx, f.rx, b.data FROM fgraph_facts f
    LEFT JOIN fgraph_blobs b ON f.t IN (7, 8, 9) AND b.hash = f.v
"""
STREAM_MB = 200


def people(count: int, seed: int = 1) -> Iterator[dict]:
    """Six facts a person, one of them a reference."""
    chance = random.Random(seed)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(chance.choices(letters, k=chance.randint(3, 9))) for _ in range(3_000)]
    for number in range(count):
        yield {
            "id": f"person/p{number}",
            "person/name": f"{chance.choice(words)} {chance.choice(words)}",
            "person/mail": f"p{number}@example.org",
            "person/age": chance.randint(1, 99),
            "person/city": chance.choice(words),
            "person/bio": " ".join(chance.choices(words, k=6)),
            "person/knows": {"ref": f"person/p{chance.randint(0, number)}"},
        }


def build(path: Path, count: int, batch: int) -> None:
    with fgraph.connect(path) as db:
        records = list(people(count))
        for start in range(0, count, batch):
            db.transact(records[start : start + batch])


class Cost(NamedTuple):
    """The best of a few rounds, in seconds by the clock and of processor time."""

    clock: float
    processor: float


def timed(work: Callable[[], object], prepare: Callable[[], object] = lambda: None) -> Cost:
    clock, processor = [], []
    for _ in range(ROUNDS):
        prepare()
        gc.collect()
        start, used = time.perf_counter(), time.process_time()
        work()
        clock.append(time.perf_counter() - start)
        processor.append(time.process_time() - used)
    return Cost(min(clock), min(processor))


def bare_read(path: Path) -> None:
    """The rows that a snapshot is made of, each dumped as JSON."""
    connection = sqlite3.connect(path)
    for sql in (FACTS, "SELECT tx, event_data, operation_id FROM fgraph_events", "SELECT id, name FROM fgraph_ids"):
        for row in connection.execute(sql):
            json.dumps(row)


def bare_insert(path: Path, rows: dict[str, list[tuple]]) -> None:
    """The final rows into the same tables with the same indexes, in one transaction."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    layout.create(connection)
    connection.execute("BEGIN IMMEDIATE")
    for table, content in rows.items():
        if content:
            connection.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(content[0]))})", content)
    connection.execute("COMMIT")
    connection.close()


def all_rows(path: Path) -> dict[str, list[tuple]]:
    connection = sqlite3.connect(path)
    rows = {table: connection.execute(f"SELECT * FROM {table}").fetchall() for table in TABLES}
    rows["fgraph_fts (rowid, text)"] = connection.execute("SELECT rowid, text FROM fgraph_fts").fetchall()
    return rows


def bare_pass(path: Path) -> None:
    """Every row of every table once; events and blobs are hashed."""
    connection = sqlite3.connect(path)
    hashed = {"fgraph_events": 2, "fgraph_blobs": 1}
    for table in (*TABLES, "fgraph_fts", "fgraph_fts_docsize", "fgraph_fts_data"):
        place = hashed.get(table)
        for row in connection.execute(f"SELECT * FROM {table}"):
            if place is not None and row[place] is not None:
                hashlib.sha256(row[place].encode() if isinstance(row[place], str) else row[place]).digest()


class Bench:
    """One file of a size, the floors for it, and what ours takes."""

    def __init__(self, folder: Path, count: int, batch: int) -> None:
        self._folder = folder
        self._source = folder / f"source-{count}-{batch}.db"
        build(self._source, count, batch)
        self._target = folder / "target.db"
        with fgraph.connect(self._source, read_only=True) as db:
            self._snapshot = list(db.iter_snapshot())
            with db._store.reading() as reader:
                self._events = list(events.texts(reader, 64, reader.basis))
        self._rows = all_rows(self._source)

    def _clear(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            self._target.with_name(self._target.name + suffix).unlink(missing_ok=True)

    def floors(self) -> dict[str, Cost]:
        insert = timed(lambda: bare_insert(self._target, self._rows), self._clear)
        return {
            "snapshot": timed(lambda: bare_read(self._source)),
            "restore": insert,
            "apply": insert,
            "doctor": timed(lambda: bare_pass(self._source)),
        }

    def ours(self) -> dict[str, Cost]:
        return {
            "snapshot": timed(self._take_snapshot),
            "restore": timed(lambda: self._fill("restore", self._snapshot), self._clear),
            "apply": timed(lambda: self._fill("apply_summary", self._events), self._clear),
            "doctor": timed(self._examine),
        }

    def _take_snapshot(self) -> None:
        with fgraph.connect(self._source, read_only=True) as db:
            for _ in db.iter_snapshot():
                pass

    def _fill(self, method: str, lines: list[str]) -> None:
        with fgraph.connect(self._target) as db:
            getattr(db, method)(lines)

    def _examine(self) -> None:
        with fgraph.connect(self._source, read_only=True) as db:
            assert db.doctor()["ok"]


def report(folder: Path) -> None:
    print(f"{'':10}{'people':>8}{'a batch':>9}{'floor s':>9}{'ours s':>9}{'ratio':>7}{'by processor time':>19}")
    whole: dict[str, Cost] = {}
    for count, batch in ((PEOPLE, BATCH), (PEOPLE // 2, BATCH), (PEOPLE // 2, 1)):
        bench = Bench(folder, count, batch)
        floors, ours = bench.floors(), bench.ours()
        for name, floor in floors.items():
            own = ours[name]
            print(
                f"{name:10}{count:8}{batch:9}{floor.clock:9.3f}{own.clock:9.3f}{own.clock / floor.clock:7.2f}"
                f"{own.processor / floor.processor:19.2f}",
                flush=True,
            )
        if not whole:
            whole = ours
        elif batch == BATCH:
            grown = (f"{name} {whole[name].processor / ours[name].processor:.2f}" for name in ours)
            print("twice the size, times the processor time:", ", ".join(grown))


# -- memory -----------------------------------------------------------------------------------------------------------


def big_events() -> Iterator[str]:
    """Event lines of about twenty kilobytes, together STREAM_MB; made as they are taken."""
    text = "some words of a text that goes on for a while " * 400
    size = 0
    number = 0
    while size < STREAM_MB * 1_000_000:
        number += 1
        record = {
            "asserted": [[f"e{number % 5_000}", "n/text", f"{number} {text}", "text"]],
            "at": 1_767_225_600_000_000 + number,
            "created": [],
            "event": f"aaaaaaaa-0000-4000-8000-{number:012x}",
            "fgraph": "event/1",
            "retracted": [],
        }
        line = json.dumps(record)
        size += len(line)
        yield line


def memory_of(step: str, folder: Path) -> None:
    """Runs in a process of its own: one step, then the most memory that it ever had."""
    source, target = folder / "big.db", folder / "again.db"
    size = 0
    if step == "apply":
        with fgraph.connect(source) as db:
            db.apply_summary(big_events())
    with fgraph.connect(source, read_only=step != "apply") as db:
        if step == "snapshot":
            with open(folder / "big.ndjson", "w", encoding="utf-8", newline="") as out:
                db.snapshot(out)
        elif step == "tail":
            with db._store.reading() as reader:
                size = sum(len(text) for text in events.texts(reader, 64, reader.basis))
        elif step == "doctor":
            assert db.doctor()["ok"]
    if step == "restore":
        with fgraph.connect(target) as db, open(folder / "big.ndjson", "rb") as stream:
            db.restore(stream)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024  # no less than that of the small parent
    print(f"{step:10}{peak:6} MB resident" + (f", {size // 1_000_000} MB given out" if size else ""), flush=True)


def memory(folder: Path) -> None:
    for step in ("apply", "tail", "snapshot", "restore", "doctor"):
        subprocess.run([sys.executable, __file__, "--step", step, str(folder)], check=True)
    print(f"{'snapshot of':10} {(folder / 'big.ndjson').stat().st_size // 1_000_000} MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        memory_of(sys.argv[2], Path(sys.argv[3]))
    else:
        with tempfile.TemporaryDirectory() as name:
            (memory if sys.argv[1:] == ["--memory"] else report)(Path(name))
