"""Events read back: the record of each transaction, stubs for redacted ones, and following."""

import hashlib
import itertools
import sqlite3

import pytest

import fgraph
from fgraph.values.canonical import canonical
from tests.portable.making import GENESIS, SECOND, connect, event, second_event, stream, tail

EXAMPLE_C = (
    '{"asserted":[[{"eid":"ff54f35f-1e97-504a-83a2-2368b68c0c33"},"n/t","hi","text"],["box","n/in",{"ref":{"eid":'
    '"ff54f35f-1e97-504a-83a2-2368b68c0c33"}},"ref"]],"at":1767225601000000,"by":"ana","created":[{"eid":'
    '"ff54f35f-1e97-504a-83a2-2368b68c0c33"},"n/t","box","n/in","audit/t"],"event":'
    '"1c318efc-be73-4bf7-80d5-1296b31ca8e5","fgraph":"event/1","meta":{"k":[1]},"retracted":[],"source":"cli",'
    '"tx_facts":[["audit/t","T1","text"]]}'
)


def test_an_event_lists_what_was_created_asserted_and_retracted_in_order():
    db = connect(event_factory=iter_ids())
    db.transact({"id": "x", "l/m": 1, "l/a": 2}, by="kim")
    db.transact([{"id": "x", "l/a": 3}, ["retract", "x", "l/m"]], meta=None)
    assert db.event_records() == [
        {
            "fgraph": "event/1",
            "event": "00000000-0000-4000-8000-000000000001",
            "at": GENESIS + SECOND,
            "created": ["x", "l/a", "l/m"],
            "asserted": [["x", "l/a", 2, "int"], ["x", "l/m", 1, "int"]],
            "retracted": [],
            "by": "kim",
        },
        {
            "fgraph": "event/1",
            "event": "00000000-0000-4000-8000-000000000002",
            "at": GENESIS + 2 * SECOND,
            "created": [],
            "asserted": [["x", "l/a", 3, "int"]],
            "retracted": [["x", "l/a", 2, "int"], ["x", "l/m", 1, "int"]],
            "meta": None,
        },
    ]


def iter_ids():
    numbers = itertools.count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012d}"


def test_a_worked_event_keeps_its_bytes_on_the_way_through():
    assert hashlib.sha256(EXAMPLE_C.encode()).hexdigest() == (
        "a73a5311150c2bd124913e71ec6bd15e40cc60023f32e03d289e16f11800ea53"
    )
    db = connect()
    db.apply(EXAMPLE_C)
    assert tail(db) == EXAMPLE_C + "\n"


def test_since_is_exclusive_and_through_inclusive():
    db = connect()
    first, second = (db.transact({"id": "a", "n/v": number}).tx for number in (1, 2))
    events = [record["event"] for record in db.event_records()]
    assert len(events) == 2
    assert [record["event"] for record in db.event_records(first)] == events[1:]
    assert [record["event"] for record in db.event_records(64, first)] == events[:1]
    assert [record["event"] for record in db.event_records(65, second)] == events
    assert db.event_records(second, first) == []
    assert db.event_records(2**63 - 1) == []
    assert db.at(first).event_records(64, second) == db.event_records(64, first)


@pytest.mark.parametrize("since", [63, True, "64", 64.0, 2**63, None, -1])
def test_since_must_be_a_transaction_number(since):
    with pytest.raises(fgraph.TypeError):
        connect().event_records(since)


def test_a_redacted_transaction_leaves_a_stub_with_its_hash_and_origin_time():
    db = connect()
    db.apply(stream(event()))
    text = canonical(event())
    db.excise("skerry")
    stub, redaction = db.event_records()
    assert stub == {
        "at": GENESIS + SECOND,
        "event": event()["event"],
        "event_hash": hashlib.sha256(text.encode()).hexdigest(),
        "fgraph": "event/1",
        "redacted": True,
    }
    assert redaction["redacts"] == [event()["event"]]


def test_the_stub_of_an_imported_event_has_the_time_of_its_origin():
    db = connect()
    db.apply(stream(event(at=5)))
    db.excise("skerry")
    assert db.event_records()[0]["at"] == 5


DAMAGE = {
    "another hash": ("UPDATE fgraph_events SET event_hash = zeroblob(32) WHERE tx > 64", None),
    "spelled otherwise": (None, lambda text: text.replace('"at":', '"at": ')),
    "a float that should be an integer": (None, lambda text: text.replace(",18,", ",18.0,")),
    "no JSON": (None, lambda text: text[:-1]),
    "another event id": (None, lambda text: text.replace("8c5b", "9c5b")),
    "an unknown key": (None, lambda text: text.replace('"asserted"', '"a":1,"asserted"')),
    "a key twice": (None, lambda text: text.replace('"asserted"', '"asserted":[],"asserted"')),
    "no list": (None, lambda text: text.replace('"retracted":[]', '"retracted":{}')),
    "by of the wrong type": (None, lambda text: text.replace('"created"', '"by":null,"created"')),
    "a redaction that lists facts": (None, lambda text: text.replace('"retracted"', '"redacted":true,"retracted"')),
    "time out of range": (None, lambda text: text.replace(str(GENESIS + SECOND), str(2**62))),
    "an integer of 65 bits": (None, lambda text: text.replace(",18,", ",9223372036854775808,")),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_payload_is_never_handed_out(tmp_path, damage):
    db = connect(tmp_path / "damaged.db")
    db.apply(stream(event()))
    sql, change = DAMAGE[damage]
    with sqlite3.connect(db.path) as other:
        if sql is None:
            text = change(canonical(event()))
            digest = hashlib.sha256(text.encode()).digest()
            other.execute("UPDATE fgraph_events SET event_data = ?, event_hash = ? WHERE tx > 64", (text, digest))
        else:
            other.execute(sql)
    for read in (db.event_records, db.snapshot, lambda: next(db.follow())):
        with pytest.raises(fgraph.FormatError):
            read()
    report = db.doctor()
    assert not report["ok"]
    assert any("event" in problem and "67" in problem for problem in report["problems"])


def test_follow_gives_what_is_there_and_then_what_comes():
    db = connect()
    db.apply(stream(event()))
    feed = db.follow(interval=0.01)
    assert next(feed) == event()
    db.apply(stream(second_event()))
    assert next(feed) == second_event()


def test_follow_begins_after_a_transaction_or_a_time():
    db = connect()
    first = db.apply(stream(event()))[0]
    db.apply(stream(second_event()))
    assert next(db.follow(first.tx)) == second_event()
    assert next(db.follow(first.at)) == second_event()
    assert next(db.follow("2026-01-01T00:00:01Z")) == second_event()


def test_follow_sees_another_handle(tmp_path):
    reader, writer = connect(tmp_path / "f.db"), connect(tmp_path / "f.db")
    feed = reader.follow(64, interval=0.01)
    writer.apply(stream(event()))
    assert next(feed) == event()


@pytest.mark.parametrize("interval", [0, -1, True, None, "1", float("nan"), float("inf")])
def test_the_interval_must_be_positive_seconds(interval):
    with pytest.raises(fgraph.TypeError):
        connect().follow(interval=interval)


def test_a_historical_view_cannot_be_followed():
    with pytest.raises(fgraph.Unsupported):
        connect().at(64).follow()
