"""The budget: what is charged, that it is the same every time, and that runaway and cancelled queries end."""

import threading
import time
import tracemalloc

import pytest

import fgraph
from fgraph import limits
from tests.datalog.workshop import CLOCK, NEEDS_LEFT, NEEDS_RIGHT, rows, workshop

N, W, U = ["?e", "m/name", "?n"], ["?e", "m/watts", "?w"], ["?e", "m/uses", "?f"]


@pytest.fixture(scope="module")
def db() -> fgraph.Db:
    return workshop()


def work(db: fgraph.Db, where: list, find: list, **more: object) -> int:
    return db.explain({"find": find, "where": where, **more}, analyze=True)["work"]


# The most that each may cost: what evaluating the clauses in text order, row by row, would be charged.
MOST = [
    ([N], 4),
    ([["?e", "m/name", "Lathe"]], 1),
    ([["lathe", "m/name", "Belt"], N], 4),
    ([["?e", "?a", "?v"]], 59),
    ([N, W], 7),
    ([N, U, ["?f", "m/name", "?p"]], 10),
    ([["_", "m/uses", "?f"], ["?f", "m/name", "?e"]], 5),
    ([W, [">", "?w", 100], N], 8),
    ([W, N, [">", "?w", 100]], 9),
    ([N, ["?f", "m/name", "?m"]], 20),
    ([W, ["?y", "m/watts", "?w"]], 6),
    ([N, {"not": [["?e", "m/watts", "_"]]}], 7),
    ([N, {"not": [U, ["?f", "m/name", "Motor"]]}], 9),
    ([N, {"or": [[["?e", "m/watts", 750]], [["?e", "m/watts", 40]]]}], 6),
    ([["<", 2, 1], N], 1),
    ([["nobody", "m/name", "?n"], N], 4),
]


@pytest.mark.parametrize(("where", "most"), MOST, ids=[str(where)[:60] for where, _ in MOST])
def test_work_is_never_more_than_row_by_row(db: fgraph.Db, where: list, most: int) -> None:
    assert work(db, where, ["?e"]) <= most


@pytest.mark.parametrize(
    ("where", "units"), [([N], 4), ([N, W], 7), ([N, U, ["?f", "m/name", "?p"]], 9), ([["?e", "?a", "?v"]], 59)]
)
def test_units_of_some_queries(db: fgraph.Db, where: list, units: int) -> None:
    assert work(db, where, ["?e"]) == units


@pytest.mark.parametrize("rules", [NEEDS_RIGHT, NEEDS_LEFT])
def test_a_rule_costs_less_than_its_rounds_from_nothing(db: fgraph.Db, rules: list) -> None:
    assert work(db, [{"rule": ["needs", "lathe", "?y"]}], ["?y"], rules=rules) <= 33
    assert work(db, [{"rule": ["needs", "lathe", "?y"]}], ["?y"], rules=rules, limit=1) <= 33


def test_exactly_the_budget_is_enough() -> None:
    where = [N, U, ["?f", "m/name", "?p"]]
    assert len(rows(workshop(query_budget=9), where, "?p")) == 2
    with pytest.raises(fgraph.TooLarge) as caught:
        rows(workshop(query_budget=8), where, "?p")
    assert caught.value.code == "work_budget" and "8" in str(caught.value)


def test_the_budget_is_not_cumulative_and_covers_pulls() -> None:
    db = workshop(query_budget=6)
    for _ in range(3):
        assert rows(db, [N], "?n") == [["Lathe"], ["Gearbox"], ["Motor"], ["Belt"]]
    with pytest.raises(fgraph.TooLarge):
        rows(db, [N], ["pull", "?e", ["*"]])


def test_the_same_rows_give_the_same_count_whatever_happened_in_between(db: fgraph.Db) -> None:
    where = [N, U, {"not": [["?f", "m/watts", 40]]}]
    counts = {work(workshop(), where, ["?e"]) for _ in range(3)} | {work(db, where, ["?e"]) for _ in range(3)}
    assert len(counts) == 1


@pytest.fixture(scope="module")
def crowd() -> fgraph.Db:
    db = fgraph.connect(":memory:", clock=CLOCK)
    db.declare("k/name", type="text", unique=True)
    for start in range(0, 2_000, 500):
        db.transact(
            [
                {"id": f"k{i}", "k/name": f"K{i}", "k/ring": {"ref": f"k{(i + 1) % 2000}"}}
                for i in range(start, start + 500)
            ]
        )
    return db


def test_a_cross_product_ends_with_the_budget(crowd: fgraph.Db) -> None:
    runaway = [["?x", "k/name", "?n"], ["?y", "k/name", "?m"]]
    join = {"find": ["?n", "?y"], "where": [["?x", "k/name", "?n"], ["?x", "k/ring", "?y"]]}
    start = time.perf_counter()
    for _ in range(25):
        crowd.q(join)
    joined = time.perf_counter() - start  # 100,000 units of joining
    start = time.perf_counter()
    with pytest.raises(fgraph.TooLarge):
        rows(crowd, runaway, ["count", "?x"])
    assert time.perf_counter() - start < 10 * joined


ENDLESS = [
    {"find": [["count", "?x"]], "where": [["?x", "k/name", "?n"], ["?y", "k/name", "?m"], ["?z", "k/name", "?o"]]},
    {
        "find": [["count", "?x"]],
        "where": [{"rule": ["reach", "?x", "?y"]}],
        "limit": 1,
        "rules": [
            {"head": ["reach", "?x", "?y"], "body": [["?x", "k/ring", "?y"]]},
            {"head": ["reach", "?x", "?y"], "body": [{"rule": ["reach", "?x", "?z"]}, {"rule": ["reach", "?z", "?y"]}]},
        ],
    },
]


@pytest.mark.parametrize("query", ENDLESS, ids=["one statement", "rounds"])
def test_an_interrupted_query_stops_and_leaves_the_handle_usable(tmp_path, query: dict) -> None:
    with fgraph.connect(tmp_path / "f.fgraph", clock=CLOCK, query_budget=10**12) as db:
        db.transact([{"id": f"k{i}", "k/name": f"K{i}", "k/ring": {"ref": f"k{(i + 1) % 2000}"}} for i in range(2_000)])
        stopped: list[float] = []

        def stop() -> None:
            time.sleep(0.3)
            stopped.append(time.perf_counter())
            db.interrupt()

        thread = threading.Thread(target=stop)
        thread.start()
        with pytest.raises(fgraph.QueryError) as caught:
            db.q(query)
        latency = time.perf_counter() - stopped[0]
        thread.join()
        assert caught.value.code == "cancelled"
        assert latency < 1.0  # 0.1 s is asked of a quiet machine
        assert not db._store.connection.in_transaction
        assert rows(db, [["?x", "k/name", "K7"]], "?x") == [["k7"]]
        assert db._store.connection.execute("SELECT count(*) FROM sqlite_temp_schema").fetchone() == (0,)


def test_a_read_only_handle_may_derive_rules_and_stays_read_only(tmp_path) -> None:
    path = tmp_path / "f.fgraph"
    with fgraph.connect(path, clock=CLOCK) as db:
        db.transact([{"id": f"k{i}", "k/next": {"ref": f"k{i + 1}"}} for i in range(5)])
    rules = [
        {"head": ["r", "?x", "?y"], "body": [["?x", "k/next", "?y"]]},
        {"head": ["r", "?x", "?y"], "body": [["?x", "k/next", "?z"], {"rule": ["r", "?z", "?y"]}]},
    ]
    with fgraph.connect(path, read_only=True) as db:
        assert rows(db, [{"rule": ["r", "k2", "?y"]}], "?y", rules=rules, limit=9) == [["k3"], ["k4"], ["k5"]]
        assert db._store.connection.execute("PRAGMA query_only").fetchone() == (1,)


def test_a_plan_does_not_outlive_its_basis(tmp_path) -> None:
    path = tmp_path / "f.fgraph"
    query = {"find": ["?n"], "where": [["late", "k/name", "?n"]]}
    with fgraph.connect(path, clock=CLOCK) as db, fgraph.connect(path, clock=CLOCK) as other:
        assert db.q(query).rows == db.q(query).rows == []
        other.transact({"id": "late", "k/name": "Late"})
        assert db.q(query).rows == [["Late"]]
        db.transact({"id": "late", "k/name": "Later"})
        assert db.q(query).rows == other.q(query).rows == [["Later"]]


def test_the_block_that_has_a_process_keep_its_memory_is_taken_once(db: fgraph.Db) -> None:
    where, find = [["?c", "service/port", "?p"]], ["?c"]
    work(db, where, find)
    other = workshop()
    tracemalloc.start()
    try:
        work(other, where, find)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < limits.QUERY_MEMORY_KEPT
