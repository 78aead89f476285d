"""Times `transact` against its rows inserted bare: `python3 tests/benchmarks/bench_load.py`."""

import gc
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import fgraph  # noqa: E402

ENTITIES = 20_000
BATCH = 500
SINGLES = 300


def batches() -> list[list[dict]]:
    """20,000 people in batches: name, city, age, sentence, score and two references to earlier people."""
    pick = random.Random(7)
    people = []
    for number in range(ENTITIES):
        person = {
            "id": f"person-{number}",
            "person/name": f"Person {number}",
            "person/city": f"city {pick.randrange(50)}",
            "person/age": pick.randrange(18, 90),
            "person/line": f"number {number} likes {pick.choice(WORDS)} and {pick.choice(WORDS)}",
            "person/score": pick.random(),
        }
        if number >= BATCH:
            first, second = pick.sample(range(number), 2)
            person["person/knows"] = [{"ref": f"person-{first}"}, {"ref": f"person-{second}"}]
        people.append(person)
    return [people[start : start + BATCH] for start in range(0, ENTITIES, BATCH)]


WORDS = ("tea", "chess", "rain", "maps", "boats", "copper", "jazz", "plums", "granite", "lamps", "ferries", "moss")


def declare(db: fgraph.Db) -> None:
    db.declare("person/name", type="text", unique=True)
    db.declare("person/knows", ref=True, many=True)


def timed(call, *arguments) -> float:
    gc.collect()
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


class Bare:
    """Inserts rows that another file holds, transaction by transaction, with nothing but `executemany`."""

    def __init__(self, source: Path, target: Path) -> None:
        with fgraph.connect(target) as db:
            declare(db)
        self.source = sqlite3.connect(source)
        self.target = sqlite3.connect(target, isolation_level=None)
        self.target.execute("PRAGMA synchronous = FULL")
        self.target.execute("PRAGMA secure_delete = ON")

    def rows(self, tx: int) -> dict[str, list[tuple]]:
        queries = {
            "INSERT INTO fgraph_ids VALUES (?, ?, ?, ?)": "SELECT * FROM fgraph_ids WHERE created_tx = ?",
            "INSERT INTO fgraph_facts VALUES (?, ?, ?, ?, ?, ?, NULL)": (
                "SELECT id, e, a, v, t, tx FROM fgraph_facts WHERE tx = ?"
            ),
            "INSERT INTO fgraph_fts (rowid, text) VALUES (?, ?)": (
                "SELECT id, v FROM fgraph_facts WHERE t = 4 AND tx = ?"
            ),
            "INSERT INTO fgraph_events VALUES (?, ?, ?, ?, ?)": "SELECT * FROM fgraph_events WHERE tx = ?",
        }
        return {insert: self.source.execute(select, (tx,)).fetchall() for insert, select in queries.items()}

    def write(self, rows: dict[str, list[tuple]], next_id: int) -> None:
        self.target.execute("BEGIN IMMEDIATE")
        for insert, values in rows.items():
            self.target.executemany(insert, values)
        self.target.execute("UPDATE fgraph_meta SET value = ? WHERE key = 'next_id'", (next_id,))
        self.target.execute("COMMIT")


def compare(db: fgraph.Db, bare: Bare, requests: list) -> tuple[list[float], list[float]]:
    """Seconds of each write, ours and bare by turns, so that both meet the same weather."""
    ours, floor = [], []
    for request in requests:
        ours.append(timed(db.transact, request))
        tx = bare.source.execute("SELECT max(tx) FROM fgraph_events").fetchone()[0]
        floor.append(timed(bare.write, bare.rows(tx), tx + 1))
    return ours, floor


def report(label: str, ours: list[float], floor: list[float]) -> None:
    def shown(seconds: list[float]) -> str:
        return f"{sum(seconds):8.3f} s, median {statistics.median(seconds) * 1000:8.3f} ms"

    print(f"{label:28} ours {shown(ours)} | bare {shown(floor)} | ratio {sum(ours) / sum(floor):5.2f}")


def main() -> None:
    print(f"Python {sys.version.split()[0]}, SQLite {sqlite3.sqlite_version}")
    with tempfile.TemporaryDirectory() as folder:
        with fgraph.connect(Path(folder, "ours.db")) as db:
            declare(db)
            bare = Bare(Path(folder, "ours.db"), Path(folder, "bare.db"))
            ours, floor = compare(db, bare, batches())
            report(f"load of {ENTITIES:,} entities", ours, floor)
            for quarter in range(4):
                part = slice(quarter * len(ours) // 4, (quarter + 1) * len(ours) // 4)
                report(f"  quarter {quarter + 1}", ours[part], floor[part])
            notes = [{"id": f"person-{number}", "note/count": number} for number in range(SINGLES)]
            report(f"{SINGLES} single-fact writes", *compare(db, bare, notes))


if __name__ == "__main__":
    main()
