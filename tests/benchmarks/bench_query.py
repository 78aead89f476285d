"""Times `q` against hand-written SQL for the same answer: `python3 tests/benchmarks/bench_query.py`.

The floor is the SQL's own time, statement and fetch, with its indexes and its join order pinned by hand and the names
joined in; `q` is timed end to end, from the JSON query to rendered rows. Both are repeated on an unchanged file, where
the SQL stays prepared and the query stays planned; the last column is `q` with its plan thrown away each time.
"""

import random
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import fgraph  # noqa: E402

PEOPLE = 20_000
TREE = 10_000
CHAIN = 300
RING = 2_000
REPEATS = 15
BATCH = 1_000
CITIES = 50


def people() -> list[dict]:
    """Name (unique), city of 50, age, a sentence, two `knows` each, and a `boss` tree of branching 10."""
    rng = random.Random(20)
    records = []
    for number in range(PEOPLE):
        record = {
            "id": f"p{number}",
            "p/name": f"Person {number}",
            "p/city": f"city {rng.randrange(CITIES)}",
            "p/age": rng.randrange(18, 90),
            "p/line": f"Person {number} was here on day {rng.randrange(365)}.",
        }
        if number:
            record["p/boss"] = {"ref": f"p{(number - 1) // 10}"}
            record["p/knows"] = [{"ref": f"p{friend}"} for friend in {rng.randrange(number), rng.randrange(number)}]
        records.append(record)
    return records


def graph() -> list[dict]:
    """A binary tree (the parent of i is i // 2), a chain and a ring."""
    tree = [{"id": f"n{i}", "t/parent": {"ref": f"n{i // 2}"}} for i in range(2, TREE + 1)]
    chain = [{"id": f"c{i}", "c/next": {"ref": f"c{i + 1}"}} for i in range(CHAIN)]
    ring = [{"id": f"r{i}", "r/next": {"ref": f"r{(i + 1) % RING}"}} for i in range(RING)]
    return tree + chain + ring


def build(folder: str) -> fgraph.Db:
    db = fgraph.connect(Path(folder) / "bench.fgraph")
    db.declare("p/name", type="text", unique=True)
    db.declare("p/knows", ref=True, many=True)
    for name in ("p/boss", "t/parent", "c/next", "r/next"):
        db.declare(name, ref=True)
    records = people() + graph()
    for start in range(0, len(records), BATCH):
        db.transact(records[start : start + BATCH])
    return db


def closure(name: str, edge: str, left: bool) -> list[dict]:
    """The transitive closure of an edge in either spelling."""
    step = (
        [{"rule": [name, "?x", "?z"]}, ["?z", edge, "?y"]]
        if left
        else [
            ["?x", edge, "?z"],
            {"rule": [name, "?z", "?y"]},
        ]
    )
    head = [name, "?x", "?y"]
    return [{"head": head, "body": [["?x", edge, "?y"]]}, {"head": head, "body": step}]


def timed(call: Callable[[], object]) -> float:
    """Processor time in milliseconds: what other programs do meanwhile does not count."""
    start = time.process_time()
    call()
    return (time.process_time() - start) * 1000


def best(*calls: Callable[[], object]) -> list[float]:
    """The shortest time of each call in milliseconds, taken in turns so that they share what disturbs the machine."""
    times = [[timed(call) for call in calls] for _ in range(REPEATS)]
    return [min(column) for column in zip(*times, strict=True)]


class Bench:
    def __init__(self, db: fgraph.Db) -> None:
        self.db = db
        self.sql = sqlite3.connect(db._store.path)
        self.ids = dict(self.sql.execute("SELECT name, id FROM fgraph_ids WHERE name IS NOT NULL"))
        self.failed = 0

    def compare(self, title: str, query: dict, sql: str, names: tuple, factor: float, plus: float) -> None:
        """Time both, check that they give as many rows, and hold the ratio against its bound."""
        parameters = [self.ids[name] if isinstance(name, str) and name in self.ids else name for name in names]
        rows = self.db.q(query).rows
        expected = self.sql.execute(sql, parameters).fetchall()
        assert len(rows) == len(expected), (title, len(rows), len(expected))
        floor, ours, first = best(
            lambda: self.sql.execute(sql, parameters).fetchall(),
            lambda: self.db.q(query),
            lambda: self.unplanned(query),
        )
        units = self.db.explain(query, analyze=True)["work"]
        bound = floor * factor + plus
        verdict = "" if ours <= bound else "  TOO SLOW"
        self.failed += ours > bound
        print(
            f"{title:44} {len(rows):6} rows {units:7} units  SQL {floor:8.3f} ms  q {ours:8.3f} ms  "
            f"{ours / floor:5.2f}x  bound {bound:8.3f} ms  not planned yet {first:8.3f} ms{verdict}"
        )

    def unplanned(self, query: dict) -> object:
        """The query as the first of its kind: parsed, checked, planned and compiled."""
        self.db._store.forget("query-plans")
        return self.db.q(query)


LIVE = "fgraph_facts {0} INDEXED BY fgraph_eavt"
ONE = """
SELECT i.name FROM fgraph_facts f INDEXED BY fgraph_avet CROSS JOIN fgraph_ids i ON i.id = f.e
WHERE f.a = ? AND f.t = 4 AND f.v = ? AND f.rx IS NULL
"""
THREE = f"""
SELECT n.v, m.v FROM fgraph_facts c INDEXED BY fgraph_avet
CROSS JOIN {LIVE.format("n")} ON n.e = c.e AND n.a = ? AND n.rx IS NULL
CROSS JOIN {LIVE.format("k")} ON k.e = c.e AND k.a = ? AND k.rx IS NULL
CROSS JOIN {LIVE.format("m")} ON m.e = +k.v AND m.a = ? AND m.rx IS NULL
WHERE c.a = ? AND c.t = 4 AND c.v = ? AND c.rx IS NULL
"""
GROUPS = f"""
SELECT c.v, count(*), avg(g.v) FROM fgraph_facts c INDEXED BY fgraph_avet
CROSS JOIN {LIVE.format("g")} ON g.e = c.e AND g.a = ? AND g.rx IS NULL
WHERE c.a = ? AND c.rx IS NULL GROUP BY c.v
"""
NEGATED = f"""
SELECT n.v FROM fgraph_facts c INDEXED BY fgraph_avet
CROSS JOIN {LIVE.format("g")} ON g.e = c.e AND g.a = ? AND g.rx IS NULL AND g.v > 60
CROSS JOIN {LIVE.format("n")} ON n.e = c.e AND n.a = ? AND n.rx IS NULL
WHERE c.a = ? AND c.t = 4 AND c.v = ? AND c.rx IS NULL AND NOT EXISTS (
    SELECT 1 FROM {LIVE.format("k")}
    CROSS JOIN {LIVE.format("h")} ON h.e = +k.v AND h.a = c.a AND h.v = c.v AND h.rx IS NULL
    WHERE k.e = c.e AND k.a = ? AND k.rx IS NULL)
"""
REACH = f"""
WITH RECURSIVE r (x) AS (
    SELECT f.v FROM {LIVE.format("f")} WHERE f.e = ? AND f.a = ? AND f.rx IS NULL
    UNION SELECT f.v FROM r CROSS JOIN {LIVE.format("f")} WHERE f.e = r.x AND f.a = ? AND f.rx IS NULL)
SELECT i.name FROM r CROSS JOIN fgraph_ids i ON i.id = r.x
"""
UP = f"""(
    SELECT f.v FROM {LIVE.format("f")} WHERE f.e = ? AND f.a = ? AND f.rx IS NULL
    UNION SELECT f.v FROM r{{0}} CROSS JOIN {LIVE.format("f")} WHERE f.e = r{{0}}.x AND f.a = ? AND f.rx IS NULL)"""
COMMON = (
    "WITH RECURSIVE "
    + ", ".join(f"r{n} (x) AS {UP.format(n)}" for n in range(5))
    + " SELECT i.name FROM r0 CROSS JOIN fgraph_ids i ON i.id = r0.x"
    + " WHERE "
    + " AND ".join(f"r0.x IN (SELECT x FROM r{n})" for n in range(1, 5))
)


def main() -> int:
    with tempfile.TemporaryDirectory() as folder, build(folder) as db:
        bench = Bench(db)
        print(f"SQLite {sqlite3.sqlite_version}, Python {sys.version.split()[0]}, {db.stats()['facts']} facts")
        run(bench)
        swapped(bench)
        bounds(bench)
    return 1 if bench.failed else 0


def run(bench: Bench) -> None:
    city = ["?p", "p/city", "city 7"]
    bench.compare("one pattern", {"find": ["?p"], "where": [city]}, ONE, ("p/city", "city 7"), 2.5, 0.3)
    three = [city, ["?p", "p/name", "?n"], ["?p", "p/knows", "?f"], ["?f", "p/name", "?m"]]
    names = ("p/name", "p/knows", "p/name", "p/city", "city 7")
    bench.compare("join of three steps", {"find": ["?n", "?m"], "where": three}, THREE, names, 2.5, 0.3)
    groups = {"find": ["?c", ["count", "?p"], ["avg", "?a"]], "where": [["?p", "p/city", "?c"], ["?p", "p/age", "?a"]]}
    bench.compare("group and average over everything", groups, GROUPS, ("p/age", "p/city"), 2.5, 0.3)
    negated = [city, ["?p", "p/age", "?a"], [">", "?a", 60], ["?p", "p/name", "?n"]]
    negated.append({"not": [["?p", "p/knows", "?f"], ["?f", "p/city", "city 7"]]})
    names = ("p/age", "p/name", "p/city", "city 7", "p/knows")
    bench.compare("predicate and not", {"find": ["?n"], "where": negated}, NEGATED, names, 2.5, 0.3)
    for left in (False, True):
        reach = {"find": ["?y"], "where": [{"rule": ["reach", "c0", "?y"]}], "rules": closure("reach", "c/next", left)}
        title = f"reach along a chain of 300, {'left' if left else 'right'}"
        bench.compare(title, reach, REACH, ("c0", "c/next", "c/next"), 5, 1)
    five = ["n9999", "n9998", "n9990", "n9900", "n9000"]
    for left in (False, True):
        where = [{"rule": ["anc", node, "?a"]} for node in five]
        common = {"find": ["?a"], "where": where, "rules": closure("anc", "t/parent", left)}
        names = tuple(value for node in five for value in (node, "t/parent", "t/parent"))
        title = f"common ancestors of five, {'left' if left else 'right'}"
        bench.compare(title, common, COMMON, names, 10, 0)
    ring = {"find": ["?y"], "where": [{"rule": ["reach", "r0", "?y"]}], "rules": closure("reach", "r/next", False)}
    bench.compare("around a ring of 2,000", ring, REACH, ("r0", "r/next", "r/next"), 5, 1)


def swapped(bench: Bench) -> None:
    """The same clauses in every order of three."""
    clauses = [["?p", "p/city", "?c"], ["?q", "p/name", "?n"], ["?q", "p/city", "?c"], ["=", "?n", "Person 17"]]
    orders = [
        clauses,
        [clauses[1], clauses[3], clauses[2], clauses[0]],
        [clauses[2], clauses[0], clauses[1], clauses[3]],
    ]
    times = best(*(lambda where=where: bench.db.q({"find": ["?p"], "where": where}) for where in orders))
    bench.failed += max(times) > 1.5 * min(times)
    print("clauses swapped:", ", ".join(f"{value:.3f} ms" for value in times), f"({max(times) / min(times):.2f}x)")


def bounds(bench: Bench) -> None:
    """The end of a runaway query against a join of 100,000 rows."""

    def runaway() -> None:
        try:
            bench.db.q({"find": [["count", "?x"]], "where": [["?x", "p/name", "?n"], ["?y", "p/name", "?m"]]})
        except fgraph.TooLarge:
            return
        raise AssertionError("a cross product of 20,000 by 20,000 fitted the budget")

    five = [["?p", "p/city", "?c"], ["?p", "p/age", "?a"], ["?p", "p/name", "?n"], ["?p", "p/line", "?l"]]
    sql = f"""
        SELECT c.v, g.v, n.v, k.v FROM fgraph_facts c INDEXED BY fgraph_avet
        CROSS JOIN {LIVE.format("g")} ON g.e = c.e AND g.a = ? AND g.rx IS NULL
        CROSS JOIN {LIVE.format("n")} ON n.e = c.e AND n.a = ? AND n.rx IS NULL
        CROSS JOIN {LIVE.format("k")} ON k.e = c.e AND k.a = ? AND k.rx IS NULL
        WHERE c.a = ? AND c.rx IS NULL
    """
    names = ("p/age", "p/name", "p/line", "p/city")
    bench.compare("a join over everything", {"find": ["?c", "?a", "?n", "?l"], "where": five}, sql, names, 2.5, 0.3)
    join, stopped = best(lambda: bench.db.q({"find": ["?c", "?a", "?n", "?l"], "where": five}), runaway)
    bench.failed += stopped > 10 * join
    print(f"join over 80,000 facts {join:.1f} ms, runaway stopped after {stopped:.1f} ms")


if __name__ == "__main__":
    sys.exit(main())
