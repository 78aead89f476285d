"""Times the page for people against its bare rows written as JSON: `python3 tests/benchmarks/bench_view.py`."""

import json
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import fgraph  # noqa: E402
from fgraph.view import page  # noqa: E402
from fgraph.view.bounds import Bounds  # noqa: E402

ENTITIES, BATCH, CHANGED, ROUNDS = 10_000, 500, 2_000, 5


def fill(path: Path) -> None:
    """10,000 tasks of five facts, 2,000 of them changed once."""
    with fgraph.connect(path) as db:
        db.declare("task/needs", ref=True)
        for start in range(0, ENTITIES, BATCH):
            db.transact([task(number) for number in range(start, start + BATCH)], by=f"writer-{start % 3}")
        for start in range(0, CHANGED, BATCH):
            db.transact([{"id": name(n), "task/state": "done"} for n in range(start, start + BATCH)], by="closer")


def task(number: int) -> dict:
    return {
        "id": name(number),
        "task/title": f"Title {number} with a few words",
        "task/state": "open",
        "task/size": number % 100,
        "task/weight": number / 7,
        "task/needs": {"ref": name(number // 7)},
    }


def name(number: int) -> str:
    return f"task-{number:05}"


def floor(path: Path) -> None:
    """The rows of the facts, with the names of what they mention, as one JSON text."""
    connection = sqlite3.connect(path)
    names = dict(connection.execute("SELECT id, name FROM fgraph_ids"))
    rows = connection.execute("SELECT e, a, t, v, tx, rx FROM fgraph_facts WHERE e > 64 ORDER BY e, a, tx").fetchall()
    json.dumps([(names[e], names[a], *rest) for e, a, *rest in rows], ensure_ascii=False)
    connection.close()


def write(path: Path, target: Path) -> None:
    with fgraph.connect(path, read_only=True) as db, db._store.reading() as reader:
        page.write(reader, str(target), Bounds(entities=2 * ENTITIES))


def timed(call, *arguments: object) -> float:
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        database, target = Path(folder) / "tasks.db", Path(folder) / "page.html"
        fill(database)
        pairs = [(timed(write, database, target), timed(floor, database)) for _ in range(ROUNDS)]
        ratio = statistics.median(whole / bare for whole, bare in pairs)
        print(f"page of {ENTITIES:,} entities: {ratio:.1f} times the bare rows, {target.stat().st_size:,} bytes")
