"""Excision: every trace of an entity goes, and only the fact that it happened stays."""

import hashlib
import json

import pytest

import fgraph
from tests.write.support import GENESIS, event_text, fact_rows, live, outcome, refused, tables, triples

SECRET = "zebraquux"


def test_all_rows_live_and_ended_with_the_entity_in_any_position_go(db):
    db.declare("l/l", ref=True, many=True)
    db.transact([{"id": "x", "v/v": 1, "l/l": [{"ref": "x"}]}, {"id": "o", "l/l": [{"ref": "x"}, {"ref": "p"}]}])
    db.transact({"id": "x", "v/v": 2})
    db.transact(["retract", "o", "l/l", {"ref": "x"}])
    db.transact([], tx={"audit/about": {"ref": "x"}})
    report = db.excise("x")
    gone = report["retracted"]
    assert [fact["id"] for fact in gone] == sorted(fact["id"] for fact in gone)
    assert {fact["rx"] for fact in gone} == {report["tx"]}
    assert sorted((fact["e"], fact["a"]) for fact in gone if fact["e"] in ("x", "o")) == [
        ("o", "l/l"),
        ("x", "l/l"),
        ("x", "v/v"),
        ("x", "v/v"),
    ]
    assert [fact["a"] for fact in gone][-1] == "audit/about"
    assert live(db) == {("o", "l/l", "->p")}
    assert triples(report["asserted"]) == [(report["tx"], "fgraph/excised", {"ref": "x"})]


def test_the_events_that_mention_the_entity_are_redacted_and_listed(db):
    first = db.transact({"id": "x", "v/v": 1})
    other = db.transact({"id": "o", "v/v": "x", "w/w": 1}, by="x", source="x", meta="x")
    linked = db.transact({"id": "o", "l/l": {"ref": "x"}})
    about = db.transact([], tx={"audit/about": {"ref": "x"}})
    report = db.excise("x")
    assert [event_text(db, each["tx"]) is None for each in (first, other, linked, about)] == [True, False, True, True]
    event = json.loads(event_text(db, report["tx"]))
    assert event == {
        "asserted": [],
        "at": report["at"],
        "created": [],
        "event": report["event"],
        "fgraph": "event/1",
        "redacted": True,
        "redacts": sorted(each["event"] for each in (first, linked, about)),
        "retracted": [],
    }


def test_the_identity_stays_and_the_name_may_be_used_again(db):
    number = db.transact({"id": "x", "v/v": 1})["ids"]["x"]
    before = [row for row in tables(db)["fgraph_ids"] if row[0] == number]
    db.excise("x")
    assert [row for row in tables(db)["fgraph_ids"] if row[0] == number] == before
    db.transact({"id": "x", "v/v": 2})
    assert live(db) == {("x", "v/v", 2)}


def test_an_entity_without_facts_loses_its_creating_event(db):
    tx = db.transact({"id": "x"})["tx"]
    report = db.excise("x")
    assert (report["retracted"], event_text(db, tx)) == ([], None)


def test_an_attribute_goes_with_its_data_and_declarations(db):
    db.declare("v/v", type="text", doc="d")
    db.transact([{"id": "a", "v/v": "x", "w/w": 1}, {"id": "b", "v/v": "y" * 300}])
    report = db.excise("v/v")
    assert len(report["retracted"]) == 4
    assert live(db) == {("a", "w/w", 1)}
    assert tables(db)["fgraph_blobs"] == []
    db.transact({"id": "a", "v/v": 5})


def test_a_shape_goes_with_its_definition_and_assignments(db):
    db.declare_shape("s", required=["v/v"], closed=True)
    db.transact({"id": "e", "v/v": 1, "fgraph/shape": {"ref": "s"}})
    db.excise("s")
    assert db.schema()["shapes"] == [] and db.validate("e")["valid"]
    db.transact({"id": "e", "w/w": 1})


def test_what_a_required_reference_pointed_to_leaves_an_invalid_entity_that_can_be_mended(db):
    db.declare_shape("s", required=["l/l"])
    db.transact({"id": "e", "l/l": {"ref": "x"}, "fgraph/shape": {"ref": "s"}})
    db.excise("x")
    assert [each["code"] for each in db.validate("e")["violations"]] == ["required"]
    assert type(refused(db, db.transact, {"id": "e", "w/w": 1})).__name__ == "SchemaError"
    assert outcome(db.transact, {"id": "e", "l/l": {"ref": "y"}}) == "applied"


def test_an_anonymous_entity_is_excised_by_its_global_id(db):
    tx = db.transact({"p/name": "secret"})["tx"]
    eid = json.loads(event_text(db, tx))["created"][0]
    db.excise(eid)
    assert event_text(db, tx) is None and live(db) == set()


@pytest.mark.parametrize(
    ("selector", "error"),
    [
        ("nobody", "NotFound"),
        (999, "NotFound"),
        (64, "Unsupported"),
        (1, "Unsupported"),
        ("fgraph/doc", "Unsupported"),
        (True, "TypeError"),
        (None, "TypeError"),
        (1.5, "TypeError"),
        ({"tmp": "x"}, "TypeError"),
        (["v/v", 1], "SchemaError"),
        ("\ud800", "TypeError"),
    ],
    ids=ascii,
)
def test_what_cannot_be_excised(db, selector, error):
    tx = db.transact({"id": "x", "v/v": 1})["tx"]
    assert type(refused(db, db.excise, selector)).__name__ == error
    assert type(refused(db, db.excise, tx)).__name__ == "Unsupported"


def test_a_repeated_excision_is_a_conflict_only_while_nothing_is_left(db):
    db.transact({"id": "x", "v/v": 1})
    first = db.excise("x")
    fault = refused(db, db.excise, "x")
    assert type(fault).__name__ == "Conflict" and '"x"' in fault.message
    db.transact({"id": "x", "v/v": 2})
    second = db.excise("x")
    assert [fact["v"] for fact in second["retracted"]] == [2]
    markers = [row for row in fact_rows(db) if row[2] == 11]
    assert [row[1] for row in markers] == [first["tx"], second["tx"]]
    assert type(refused(db, db.excise, "x")).__name__ == "Conflict"


def test_an_event_that_mentions_the_entity_without_a_row_left_is_something_to_erase(db):
    db.declare("v/v", nohistory=True)
    tx = db.transact({"id": "x", "v/v": 1})["tx"]
    db.excise("x")
    later = db.transact([["assert", "x", "v/v", 2]])["tx"]
    gone = db.transact(["retract", "x"])["tx"]
    assert outcome(db.excise, "x") == "applied"
    assert [event_text(db, each) for each in (tx, later, gone)] == [None] * 3


def test_a_marker_that_no_excision_wrote_proves_nothing(db):
    """Older files may hold a hand-made marker; it is erased like any other fact about the entity."""
    db.transact({"id": "x", "v/v": 1})
    db._store.connection.execute("INSERT INTO fgraph_facts (e, a, v, t, tx) VALUES (67, 11, 65, 0, 67)")
    report = db.excise("x")
    assert [fact["a"] for fact in report["retracted"]] == ["v/v", "fgraph/excised"]


LISTLESS = '{"at":1,"event":"EVENT","fgraph":"event/1","created":["x"]}'
SHORT_FACTS = '{"asserted":[["x"]],"at":1,"created":[],"event":"EVENT","fgraph":"event/1","retracted":[]}'
DAMAGED_EVENTS = {
    "that is cut": ('{"asserted":[["x"', "FormatError"),
    "that is no record": ('["x"]', "FormatError"),
    "without its lists": (LISTLESS, "FormatError"),
    "whose facts are no facts": (SHORT_FACTS, "applied"),
}


@pytest.mark.parametrize(("text", "ending"), DAMAGED_EVENTS.values(), ids=DAMAGED_EVENTS)
def test_a_damaged_event_on_the_way_is_a_format_error_at_most(db, text, ending):
    report = db.transact({"id": "x", "v/v": 1})
    text = text.replace("EVENT", report["event"])
    sql = "UPDATE fgraph_events SET event_data = ?, event_hash = ? WHERE tx = ?"
    digest = hashlib.sha256(text.encode()).digest()
    db._store.connection.execute(sql, (text, digest, report["tx"]))
    with db.speculate():
        assert outcome(db.excise, "x") == ending


@pytest.mark.parametrize("size", [1, 40])
def test_no_word_of_the_entity_is_left_in_any_file(tmp_path, size):
    path = tmp_path / "facts.db"
    with fgraph.connect(path, clock=GENESIS) as db:
        for number in range(size):
            db.transact({"id": f"n{number}", "p/text": f"harmless {number} " + "word " * 100})
        db.transact({"id": "x", "p/text": f"TOPSECRETVALUE {SECRET}", "p/long": f"{SECRET} " * 300})
        db.transact({"id": "x", "p/text": f"another {SECRET}"})
        db.excise("x")
        for file in tmp_path.iterdir():
            assert SECRET.encode() not in file.read_bytes()
            assert b"topsecretvalue" not in file.read_bytes().lower()
        assert db.doctor()["ok"]


def test_excision_inside_a_speculation_is_taken_back(db):
    db.transact({"id": "x", "v/v": 1})
    before = tables(db)
    with db.speculate():
        db.excise("x")
        assert live(db) == set()
    assert tables(db) == before
