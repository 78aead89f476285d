"""Provenance, facts of the transaction, the report and the receipt; the clock and event ids."""

import dataclasses
import uuid
from collections.abc import Mapping

import pytest

import fgraph
from fgraph.file.clock import Clock
from tests.write.support import GENESIS, SECOND, event_text, fact_rows, live, outcome, refused, tables, triples

NESTED = {"a": None}
for _ in range(63):
    NESTED = {"a": NESTED}


@pytest.mark.parametrize(
    ("options", "stored"),
    [
        ({"by": "ana"}, [(2, "ana", 4)]),
        ({"by": "", "source": ""}, [(2, "", 4), (3, "", 4)]),
        ({"meta": None}, [(4, "null", 10)]),
        ({"meta": {"b": 1.0, "a": [True, None]}}, [(4, '{"a":[true,null],"b":1}', 10)]),
        ({"meta": NESTED}, None),
        ({"source": "s" * 1_048_576}, None),
        ({"tx": {"audit/tag": "v"}}, [(65, "v", 4)]),
        ({"operation_id": "o" * 512}, []),
        ({"operation_id": "\u200b"}, []),
    ],
    ids=lambda value: ascii(value)[:50],
)
def test_an_option_alone_makes_a_transaction(db, options, stored):
    report = db.transact([], **options)
    assert report["status"] == "applied"
    if stored is not None:
        assert [(a, v, t) for _, _, a, v, t, _, _ in fact_rows(db, 41)] == stored


@pytest.mark.parametrize("options", [{}, {"by": None, "source": None, "tx": None}, {"tx": {}}, {"if_basis_tx": 64}])
def test_options_that_say_nothing_make_none(db, options):
    report = db.transact([], **options)
    assert report == {
        "status": "noop",
        "event": None,
        "basis_tx": 64,
        "tx": None,
        "at": None,
        "ids": {},
        "asserted": [],
        "retracted": [],
    }
    assert db.transact({"id": "a"})["tx"] == 66


@pytest.fixture(scope="module")
def written(shared):
    """`c` holds a value."""
    shared.transact({"id": "c", "v/v": 1})
    return shared


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"by": 5}, "TypeError"),
        ({"by": b"x"}, "TypeError"),
        ({"by": "\ud800"}, "TypeError"),
        ({"source": ["x"]}, "TypeError"),
        ({"source": "s" * 1_048_577}, "TooLarge"),
        ({"meta": object()}, "TypeError"),
        ({"meta": {1, 2}}, "TypeError"),
        ({"meta": b"x"}, "TypeError"),
        ({"meta": uuid.UUID(int=0)}, "TypeError"),
        ({"meta": float("nan")}, "TypeError"),
        ({"meta": 2**63}, "TypeError"),
        ({"meta": {1: 2}}, "TypeError"),
        ({"meta": "\ud800"}, "TypeError"),
        ({"meta": {"a": NESTED}}, "TooLarge"),
        ({"tx": 5}, "TypeError"),
        ({"tx": "x"}, "TypeError"),
        ({"tx": []}, "TypeError"),
        ({"tx": {"a/b": 1, 2: 3}}, "TypeError"),
        ({"tx": {"a/b": None}}, "TypeError"),
        ({"tx": {"a/b": [1]}}, "Conflict"),
        ({"tx": {"a/b": {"c/d": 1}}}, "TypeError"),
        ({"tx": {"id": "x"}}, "SchemaError"),
        ({"tx": {"bad": 1}}, "SchemaError"),
        *(({"tx": {f"fgraph/{word}": value}}, "SchemaError") for word, value in (
            ("at", {"instant": 0}), ("by", "x"), ("source", "x"), ("meta", {"json": 1}),
            ("excised", {"ref": "c"}), ("undoes", {"ref": 64}), ("imported-at", {"instant": 0}),
            ("type", "int"), ("many", True), ("unique", True), ("nohistory", True), ("dims", 1), ("vector-model", "m"),
            ("shape-required", [{"ref": "v/v"}]), ("shape-allowed", [{"ref": "v/v"}]), ("shape-closed", True),
        )),
        ({"operation_id": ""}, "TypeError"),
        ({"operation_id": "o" * 513}, "TypeError"),
        ({"operation_id": "a\u0085"}, "TypeError"),
        ({"operation_id": "\ud800"}, "TypeError"),
        ({"operation_id": 5}, "TypeError"),
        ({"if_basis_tx": 63}, "TypeError"),
        ({"if_basis_tx": True}, "TypeError"),
        ({"if_basis_tx": "64"}, "TypeError"),
        ({"if_basis_tx": 64.0}, "TypeError"),
        ({"if_basis_tx": 2**63}, "TypeError"),
        ({"if_basis_tx": 65}, "Conflict"),
        ({"if_basis_tx": 64}, "Conflict"),
    ],
    ids=lambda value: ascii(value)[:50],
)  # fmt: skip
def test_an_option_that_cannot_be(written, options, error):
    fault = refused(written, written.transact, {"id": "c", "v/v": 2}, **options)
    assert type(fault).__name__ == error
    assert fault.message and (next(iter(options)) in f"{fault.param} {fault}" or "a/b" in fault.message)


@pytest.mark.parametrize("name", ["excised", "undoes", "imported-at"])
def test_audit_attributes_are_written_by_fgraph_only(db, name):
    value = {"instant": 0} if name == "imported-at" else {"ref": "a"}
    for data in ({"id": "a", f"fgraph/{name}": value}, ["assert", "a", f"fgraph/{name}", value]):
        assert type(refused(db, db.transact, data)).__name__ == "SchemaError"


@pytest.mark.parametrize(
    ("name", "value"), [("at", {"instant": 0}), ("by", "me"), ("source", "s"), ("meta", {"json": 1}), ("doc", "d")]
)
def test_other_provenance_attributes_may_describe_an_entity(db, name, value):
    assert outcome(db.transact, {"id": "a", f"fgraph/{name}": value}) == "applied"
    assert db.transact({"id": "a", f"fgraph/{name}": value})["status"] == "noop"


def test_transaction_facts_are_records_about_the_transaction(db):
    db.declare("t/many", many=True)
    db.declare("t/ref", ref=True)
    report = db.transact(
        {"id": {"tmp": "t"}, "v/v": 1},
        tx={"t/ref": {"id": "job", "v/v": 2}, "t/many": ["b", "a", "b"], "t/to": {"ref": {"tmp": "t"}}},
    )
    tx, t = report["tx"], report["ids"]["t"]
    assert triples(report["asserted"]) == [
        (t, "v/v", 1),
        (tx, "t/many", "b"),
        (tx, "t/many", "a"),
        ("job", "v/v", 2),
        (tx, "t/ref", {"ref": "job"}),
        (tx, "t/to", {"ref": t}),
    ]


def test_a_long_by_is_stored_behind_its_key_and_shown_whole(db):
    tx = db.transact([], by="b" * 300)["tx"]
    assert fact_rows(db, 41)[0][4] == 8
    assert db.receipt(tx)["by"] == "b" * 300


# -- report and receipt ----------------------------------------------------------------------------------------------


def test_the_report_is_an_immutable_mapping_of_eight_keys(db):
    report = db.transact({"id": "a", "v/v": 1})
    assert isinstance(report, Mapping) and not isinstance(report, dict) and len(report) == 8
    assert report.tx == report["tx"] and report["ids"] is report.ids
    with pytest.raises(KeyError):
        report["other"]
    with pytest.raises(dataclasses.FrozenInstanceError):
        report.tx = 1
    with pytest.raises(TypeError):
        hash(report)
    plain = report.to_dict()
    assert type(plain) is dict and plain == report
    plain["ids"]["a"] = 0
    assert report["ids"]["a"] == 65
    assert list(fgraph.TxReport().values()) == ["noop", None, 64, None, None, {}, [], []]


def test_values_are_reported_in_wire_form_and_nameless_entities_by_id(db):
    report = db.transact({"v/a": 1.5, "v/b": {"instant": 0}, "v/c": {"bytes": "AQ=="}, "v/d": {"json": [1]}})
    assert triples(report["asserted"]) == [
        (65, "v/a", 1.5),
        (65, "v/b", {"instant": "1970-01-01T00:00:00.000000Z"}),
        (65, "v/c", {"bytes": "AQ=="}),
        (65, "v/d", {"json": [1]}),
    ]


def test_a_receipt_tells_what_is_recorded(db):
    db.transact({"id": "a", "v/v": 1})
    report = db.transact({"id": "a", "v/v": 2}, by="ana", meta=None, tx={"t/t": 5}, operation_id="op")
    receipt = db.receipt(report["tx"])
    hashes = tables(db)["fgraph_events"][-1]
    assert receipt == {
        "read_basis_tx": report["tx"],
        "basis_tx": report["basis_tx"],
        "tx": report["tx"],
        "event": report["event"],
        "event_hash": f"sha256:{hashes[1].hex()}",
        "operation_id": "op",
        "request_hash": f"sha256:{hashes[4].hex()}",
        "at": GENESIS + 2 * SECOND,
        "by": "ana",
        "meta": None,
        "facts": [report["asserted"][-1]],
    }
    assert db.receipt(64)["basis_tx"] == 64
    assert set(db.receipt(67)) == set(receipt) - {"by", "meta"}


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("64", "TypeError"),
        (True, "TypeError"),
        (None, "TypeError"),
        (2**63, "TypeError"),
        (65, "NotFound"),
        (-1, "NotFound"),
    ],
)
def test_a_receipt_of_no_transaction(db, value, error):
    db.transact({"id": "a"})
    assert type(refused(db, db.receipt, value)).__name__ == error


# -- time and event ids ----------------------------------------------------------------------------------------------


def _times(clock: object, writes: int) -> list[int]:
    with fgraph.connect(":memory:", clock=clock) as db:
        return [db.receipt(64)["at"]] + [db.transact({"id": f"n{number}"})["at"] for number in range(writes)]


def test_a_constant_clock_moves_on_by_a_second():
    assert _times(100, 3) == [100, 1_000_100, 2_000_100, 3_000_100]


def test_a_callable_clock_is_used_where_it_advances():
    ticks = iter([10, 20, 20, 15, "1970-01-01T00:00:09Z"])
    assert _times(lambda: next(ticks), 4) == [10, 20, 1_000_020, 2_000_020, 9_000_000]


def test_a_wall_clock_that_steps_back_moves_on_by_a_microsecond():
    clock = Clock(None)
    clock._sample = lambda: 1000
    assert (clock.after(999), clock.after(1000), clock.after(5000)) == (1000, 1001, 5001)


def test_the_clock_is_read_once_for_each_transaction_that_is_written():
    ticks = []
    with fgraph.connect(":memory:", clock=lambda: ticks.append(1) or len(ticks)) as db:
        db.transact([])
        refused(db, db.transact, {"id": "a", "v/v": None})
        refused(db, db.transact, {"id": "a", "fgraph/type": "x"})
        refused(db, db.transact, [], source="s" * 1_048_577)
        assert len(ticks) == 1
        db.transact({"id": "a", "v/v": 1})
        assert len(ticks) == 2


def test_time_ends_with_the_year_9999(monkeypatch):
    monkeypatch.setenv("FGRAPH_CLOCK", "253402300799999999")
    with fgraph.connect(":memory:") as db:
        for call in (lambda: db.transact({"id": "a"}), lambda: db.undo(65), lambda: db.excise("a")):
            assert type(refused(db, call)).__name__ in ("TypeError", "NotFound")
        fault = refused(db, db.transact, {"id": "a"})
    assert type(fault).__name__ == "TypeError" and "9999" in str(fault)


@pytest.mark.parametrize("value", [1.5, None, True, "now", b"1", 2**70, -(2**62)])
def test_a_clock_that_gives_no_time(value):
    ticks = iter([0, value])
    with fgraph.connect(":memory:", clock=lambda: next(ticks)) as db:
        assert type(refused(db, db.transact, {"id": "a"})).__name__ == "TypeError"


@pytest.mark.parametrize("text", ["", "abc", "1.5", "1e3"])
def test_an_environment_clock_that_is_no_integer_is_refused_before_the_file_is_touched(monkeypatch, tmp_path, text):
    monkeypatch.setenv("FGRAPH_CLOCK", text)
    with pytest.raises(fgraph.TypeError):
        fgraph.connect(tmp_path / "new.db")
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    "value",
    ["00000000-0000-4000-8000-00000000000A", uuid.UUID("00000000-0000-1000-8000-00000000000a"), str(uuid.uuid4())],
)
def test_event_ids_may_come_from_a_factory(value):
    with fgraph.connect(":memory:", event_factory=lambda: value) as db:
        report = db.transact({"id": "a"})
        assert report["event"] == str(value).lower()
        assert f'"event":"{report["event"]}"' in event_text(db, 66)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("00000000-0000-4000-8000-000000000040", "Conflict"),
        ("00000000-0000-0000-0000-000000000000", "TypeError"),
        ("00000000-0000-7000-8000-000000000001", "TypeError"),
        ("00000000-0000-4000-c000-000000000001", "TypeError"),
        ("{00000000-0000-4000-8000-000000000001}", "TypeError"),
        ("00000000000040008000000000000001", "TypeError"),
        (None, "TypeError"),
        (5, "TypeError"),
        (b"0" * 16, "TypeError"),
    ],
)
def test_a_factory_that_gives_no_fresh_event_id(value, error):
    with fgraph.connect(":memory:", event_factory=lambda: value) as db:
        assert type(refused(db, db.transact, {"id": "a"})).__name__ == error


def test_a_factory_that_repeats_an_id_is_stopped_and_can_go_on():
    first, second = str(uuid.uuid4()), str(uuid.uuid4())
    given = iter([first, first, first, second])
    with fgraph.connect(":memory:", event_factory=lambda: next(given)) as db:
        db.transact({"id": "a", "v/v": 1})
        assert type(refused(db, db.transact, {"id": "b"})).__name__ == "Conflict"
        assert type(refused(db, db.excise, "a")).__name__ == "Conflict"
        assert db.transact({"id": "b"})["event"] == second
        assert ("a", "v/v", 1) in live(db)


def test_seeded_event_ids_depend_on_seed_and_transaction_only(monkeypatch):
    for seed, tx, event in [
        ("seed-a", 65, "0b811358-eb4b-47e8-b22f-688b77e02643"),
        ("seed-a", 66, "53f1a761-f9ad-4338-a61d-b5e6de808ff0"),
        ("", 65, "448e7d13-4d2d-4518-9524-d828b6421598"),
        ("é", 65, "d86a8855-904a-473e-ab27-7571b244cf83"),
    ]:
        monkeypatch.setenv("FGRAPH_EVENT_SEED", seed)
        with fgraph.connect(":memory:") as db:
            report = db.transact([], by="x")
            while report["tx"] < tx:
                report = db.transact([], by="x")
            assert report["event"] == event
