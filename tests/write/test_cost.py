"""What a write costs: statements and steps, counted so that the machine's speed does not matter."""

import sys
from collections import Counter

import pytest

import fgraph
from tests.write.support import GENESIS

READS = ("SELECT", "WITH")


def reads(db: fgraph.Db, call) -> int:
    """How many reading statements a call runs."""
    seen = Counter()
    db._store.connection.set_trace_callback(lambda sql: seen.update([sql.split(None, 1)[0].upper()]))
    try:
        call()
    finally:
        db._store.connection.set_trace_callback(None)
    return sum(seen[word] for word in READS)


def steps(db: fgraph.Db, call) -> tuple[int, int]:
    """How many Python calls and how many thousand steps of SQLite's machine a call takes."""
    python = sqlite = 0

    def profile(frame, event, argument) -> None:
        nonlocal python
        python += event == "call"

    def progress() -> int:
        nonlocal sqlite
        sqlite += 1
        return 0

    db._store.connection.set_progress_handler(progress, 1000)
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
        db._store.connection.set_progress_handler(None, 0)
    return python, sqlite


@pytest.fixture(scope="module")
def prepared():
    """1,000 named people and 1,000 anonymous things, all with unique values."""
    with fgraph.connect(":memory:", clock=GENESIS) as db:
        db.declare("p/email", type="text", unique=True)
        db.declare("p/code", type="int", unique=True)
        db.declare("p/knows", ref=True, many=True)
        db.declare_shape("person", required=["p/email"])
        db.transact([{"id": f"n{number}", "p/email": f"{number}@x", "p/age": number} for number in range(1000)])
        db.transact([{"p/code": number, "p/age": number} for number in range(1000)])
        yield db


@pytest.fixture
def large(prepared):
    """The prepared database; what a test writes is taken back."""
    with prepared.speculate():
        yield prepared


def _eids(db) -> list[dict]:
    sql = "SELECT gid FROM fgraph_ids WHERE name IS NULL AND id <> created_tx ORDER BY id LIMIT 500"
    return [{"eid": gid.hex()} for (gid,) in db._store.connection.execute(sql)]


REQUESTS = {
    "new records": lambda db: [{"id": f"new{n}", "p/email": f"new{n}@x", "p/age": n} for n in range(500)],
    "known records": lambda db: [{"id": f"n{n}", "p/age": -n} for n in range(500)],
    "anonymous records": lambda db: [{"p/name": f"n{n}", "p/age": n} for n in range(500)],
    "upserts": lambda db: [{"p/email": f"{n}@x", "p/age": -n} for n in range(500)],
    "tempids": lambda db: [{"id": {"tmp": f"t{n}"}, "p/email": f"{n}@x", "p/age": -n} for n in range(500)],
    "references": lambda db: [
        {"id": f"n{n}", "p/knows": [{"ref": f"n{n + 1}"}, {"ref": ["p/email", f"{n + 2}@x"]}]} for n in range(500)
    ],
    "lookups": lambda db: [["assert", ["p/email", f"{n}@x"], "p/age", -n] for n in range(500)],
    "global ids": lambda db: [["assert", eid, "p/age", -1] for eid in _eids(db)],
    "ids": lambda db: [["assert", 80 + n, "p/age", -1] for n in range(500)],
    "nested": lambda db: [
        {"id": f"n{n}", "p/knows": [{"p/email": f"{n + 1}@x", "p/age": 5000 + n}]} for n in range(0, 1000, 2)
    ],
    "retractions": lambda db: [["retract", f"n{n}", "p/age", n] for n in range(500)],
    "whole entities": lambda db: [["retract", f"n{n}"] for n in range(500)],
    "compare and set": lambda db: [["cas", f"n{n}", "p/age", n, -n - 1] for n in range(500)],
    "declarations": lambda db: [{"id": f"new/a{n}", "fgraph/type": "int", "fgraph/doc": "d"} for n in range(500)],
    "shapes": lambda db: [{"id": f"n{n}", "fgraph/shape": {"ref": "person"}, "p/age": -n} for n in range(500)],
    "shape definitions": lambda db: [
        {"id": f"s{n}", "fgraph/shape-required": [{"ref": "p/age"}], "fgraph/shape-closed": False} for n in range(500)
    ],
    "vectors": lambda db: [{"id": f"n{n}", "e/v": {"vector": [n, 1]}} for n in range(500)],
}


@pytest.mark.parametrize("request_of", REQUESTS.values(), ids=REQUESTS)
def test_no_statement_for_each_of_500_records(large, request_of):
    """Batches of up to 500 bound values: at most some dozen reads for a thousand facts and their names."""
    data = request_of(large)
    large._store.drop_caches()
    assert len(data) == 500
    assert reads(large, lambda: large.transact(data)) <= 60


@pytest.mark.parametrize("strict", [False, True])
def test_no_statement_for_each_fact_of_an_undo(large, strict):
    tx = large.transact(REQUESTS["known records"](large) + REQUESTS["global ids"](large))["tx"]
    large._store.drop_caches()
    assert reads(large, lambda: large.undo(tx, strict=strict)) <= 60


def test_no_statement_for_each_attribute_of_a_manifest(large):
    manifest = {
        "fgraph": "schema/1",
        "attributes": [{"name": f"new/a{n}", "declared": {"type": "int", "many": True}} for n in range(150)],
        "shapes": [{"name": f"s{n}", "required": [f"new/a{n}"], "allowed": [], "closed": True} for n in range(150)],
    }
    assert reads(large, lambda: large.apply_schema_manifest(manifest)) <= 60
    assert reads(large, lambda: large.apply_schema_manifest({"fgraph": "schema/1"})) <= 60
    assert reads(large, lambda: large.check_schema_manifest(manifest)) <= 12
    assert reads(large, lambda: large.schema()) <= 12


def test_a_single_fact_takes_a_handful_of_reads(large):
    large.transact({"id": "n1", "p/age": -1})
    assert reads(large, lambda: large.transact({"id": "n2", "p/age": -2})) <= 16


GROWING = {
    "plain": lambda n: [{"id": f"g{i}", "g/a": i, "g/b": f"{i}"} for i in range(n)],
    "unique": lambda n: [{"p/email": f"g{i}@x", "g/a": i} for i in range(n)],
    "one cell of many values": lambda n: [["assert", "hub", "p/knows", {"ref": f"g{i}"}] for i in range(n)],
    "assert and retract in one cell": lambda n: [
        [word, "hub", "m/m", i] for word in ("assert", "retract", "assert") for i in range(n)
    ],
    "retract what points to one hub": lambda n: [["retract", f"spoke{i}"] for i in range(n)],
    "retract values of one hub": lambda n: [["retract", "hub2", "p/knows", {"ref": f"spoke{i}"}] for i in range(n)],
    "declarations": lambda n: [{"id": f"d/d{i}", "fgraph/type": "text"} for i in range(n)],
    "tempids": lambda n: [{"id": {"tmp": f"t{i}"}, "g/to": {"ref": {"tmp": f"t{i - 1}"}}} for i in range(n)],
    "cancelled": lambda n: [
        step for i in range(n) for step in (["assert", {"tmp": f"t{i}"}, "g/a", i], ["retract", {"tmp": f"t{i}"}])
    ],
    "shaped": lambda n: [{"id": f"g{i}", "fgraph/shape": {"ref": "person"}, "p/email": f"s{i}@x"} for i in range(n)],
}


@pytest.fixture(scope="module")
def hubs():
    """`hub2` points to 1,000 spokes; every measurement is taken back."""
    with fgraph.connect(":memory:", clock=GENESIS) as db:
        db.declare("p/email", type="text", unique=True)
        db.declare("p/knows", ref=True, many=True)
        db.declare("m/m", many=True)
        db.declare_shape("person", required=["p/email"], allowed=["g/a"], closed=True)
        db.transact({"id": "hub2", "p/knows": [{"ref": f"spoke{number}"} for number in range(1000)]})
        yield db


@pytest.mark.parametrize("request_of", GROWING.values(), ids=GROWING)
def test_twice_the_records_take_twice_the_steps(hubs, request_of):
    measured = []
    for size in (200, 400):
        with hubs.speculate():
            measured.append(steps(hubs, lambda size=size: hubs.transact(request_of(size))))
    (python, sqlite), (python2, sqlite2) = measured
    assert python2 < 2.4 * python
    assert sqlite2 < 2.6 * sqlite + 20


@pytest.mark.parametrize("shape", [False, True], ids=["plain", "with a shape"])
def test_an_entity_of_very_many_values_does_not_make_one_more_expensive(db, shape):
    db.declare("m/m", type="int", many=True)
    if shape:
        db.declare_shape("s", required=["m/m"], allowed=["m/m", "w/w"], closed=True)
        db.transact([{"id": "hub", "m/m": [-1], "fgraph/shape": {"ref": "s"}}])
    else:
        db.transact([{"id": "hub", "m/m": [-1]}])
    calls = {
        "add": lambda: db.transact(["assert", "hub", "m/m", 10**6]),
        "again": lambda: db.transact(["assert", "hub", "m/m", -1]),
        "take": lambda: db.transact(["retract", "hub", "m/m", 10**6]),
        "other": lambda: db.transact({"id": "hub", "w/w": 1}),
    }
    small = {}
    with db.speculate():
        small = {name: steps(db, call) for name, call in calls.items()}
    db.transact({"id": "hub", "m/m": list(range(5_000))})
    for name, call in calls.items():
        python, sqlite = steps(db, call)
        assert python <= small[name][0] * 1.2 + 50, name
        assert sqlite <= small[name][1] + 3, name


def test_the_transactions_before_it_do_not_make_a_write_more_expensive(db):
    def count_up() -> None:
        db.transact({"id": "counter", "n/n": db.entity("counter")["n/n"] + 1})

    db.transact({"id": "counter", "n/n": 0})
    first = steps(db, count_up)
    for _ in range(1_500):
        count_up()
    python, sqlite = steps(db, count_up)
    assert python <= first[0]
    assert sqlite <= first[1] + 1


def test_a_request_of_more_names_than_the_cache_holds_finds_them_all(db, monkeypatch):
    monkeypatch.setattr(fgraph.limits, "NAME_CACHE", 50)
    db.declare("p/email", type="text", unique=True)
    people = [{"id": f"n{n}", "p/email": f"{n}@x", "p/to": {"ref": f"n{n + 1}"}} for n in range(600)]
    assert len(db.transact(people)["ids"]) == 601
    report = db.transact([{"p/email": f"{n}@x", "p/to": {"ref": f"n{n + 2}"}} for n in range(590)])
    assert report["ids"] == {} and len(report["retracted"]) == 590
    assert {(fact["e"], fact["v"]["ref"]) for fact in report["asserted"][1:]} == {
        (f"n{n}", f"n{n + 2}") for n in range(590)
    }
