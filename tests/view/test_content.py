"""What a page holds of entities, their facts, their history, and the transactions behind them."""

import pytest

from fgraph import errors
from fgraph.view.bounds import Bounds


def test_an_entity_shows_its_present_facts_with_their_transaction(db, page_of):
    report = db.transact({"id": "skerry", "light/range": 18, "light/name": "Skerry"}, by="ana", source="survey-7")
    page = page_of(db)
    assert sorted(page.present("skerry")) == [("light/name", "Skerry"), ("light/range", "18")]
    assert {fact[3] for fact in page.entities["skerry"][3]} == {report["tx"]}
    transaction = page.transaction(report["tx"])
    assert (transaction["by"], transaction["source"]) == ("ana", "survey-7")
    assert transaction["at"] == "2026-01-01T00:00:01.000000Z"
    assert (transaction["asserted"], transaction.get("ended", 0)) == (2, 0)


def test_an_ended_fact_shows_both_transactions(db, page_of):
    first = db.transact({"id": "skerry", "light/range": 18})["tx"]
    second = db.transact({"id": "skerry", "light/range": 21})["tx"]
    page = page_of(db)
    assert page.present("skerry") == [("light/range", "21")]
    assert page.ended("skerry") == [("light/range", "18", first, second)]
    assert page.transaction(second)["ended"] == 1


def test_a_transaction_shows_its_request_meta_and_own_facts(db, page_of):
    tx = db.transact({"id": "a", "b/c": 1}, operation_id="load-1", meta={"page": 4}, tx={"audit/level": "high"})["tx"]
    page = page_of(db)
    transaction = page.transaction(tx)
    assert (transaction["operation"], transaction["meta"]) == ("load-1", '{"page":4}')
    assert [(page.attributes[fact[0]], fact[2]) for fact in transaction["facts"]] == [("audit/level", "high")]


@pytest.mark.parametrize(
    ("wire", "type", "text"),
    [
        (True, "bool", "true"),
        (-9223372036854775808, "int", "-9223372036854775808"),
        (2.5, "float", "2.5"),
        ("null", "text", "null"),
        ("x" * 300, "text", "x" * 300),
        ({"instant": "1811-02-01T00:00:00Z"}, "instant", "1811-02-01T00:00:00.000000Z"),
        ({"bytes": "AAEC"}, "bytes", "AAEC"),
        ({"json": {"b": 1, "a": None}}, "json", '{"a":null,"b":1}'),
        ({"vector": [0.5, 1.0]}, "vector", "[0.5, 1.0] (2 numbers)"),
        ({"vector": [0.5] * 9}, "vector", f"[{', '.join(['0.5'] * 8)}, …] (9 numbers)"),
    ],
)
def test_a_value_of_each_type_is_text(db, page_of, wire, type, text):
    db.transact({"id": "e", "a/v": wire})
    assert page_of(db).entities["e"][3][0][1:3] == [type, text]


def test_a_reference_is_an_id_that_the_page_can_name(db, page_of):
    report = db.transact({"id": "skerry", "light/keeper": {"ref": "mara"}})
    page = page_of(db)
    assert page.entities["skerry"][3][0][1:3] == ["ref", report["ids"]["mara"]]
    assert page.entities["mara"][3] == []


def test_the_page_of_a_view_shows_the_past(db, page_of):
    first = db.transact({"id": "skerry", "light/range": 18})["tx"]
    db.transact({"id": "skerry", "light/range": 21})
    db.transact({"id": "farne", "light/range": 11})
    page = page_of(db.at(first))
    assert page.present("skerry") == [("light/range", "18")]
    assert page.ended("skerry") == []
    assert list(page.entities) == ["skerry"]
    assert page.data["head"]["basis"] == first
    assert [item["tx"] for item in page.data["transactions"]] == [first, 64]


def test_an_attribute_is_an_entity_once_something_is_said_about_it(db, page_of):
    db.declare("light/range", doc="How far it is seen")
    db.transact({"id": "skerry", "light/range": 18, "light/height": 40})
    page = page_of(db)
    assert sorted(page.entities) == ["light/range", "skerry"]
    assert ["light/range", False, "How far it is seen"] in page.data["attributes"]


def test_a_page_of_an_empty_database_holds_the_first_transaction(db, page_of):
    page = page_of(db)
    assert page.data["entities"] == []
    assert [item["tx"] for item in page.data["transactions"]] == [64]
    assert page.data["head"]["left_out"] == []


def test_the_entities_changed_last_come_first_and_the_others_are_counted(db, page_of):
    for name in ("a", "b", "c"):
        db.transact({"id": name, "x/y": 1})
    db.retract("a", "x/y")
    page = page_of(db, entities=2)
    assert list(page.entities) == ["a", "c"]
    assert page.data["head"]["left_out"] == ["1 of 3 entities: the page holds those touched last."]


def test_of_many_facts_the_newest_stay(db, page_of):
    db.declare("t/tag", many=True)
    for number in range(4):
        db.transact({"id": "e", "t/tag": [f"tag-{number}"]})
    page = page_of(db, facts=3)
    assert page.present("e") == [("t/tag", "tag-3"), ("t/tag", "tag-2"), ("t/tag", "tag-1")]
    assert page.entities["e"][4] == 4
    assert page.data["head"]["left_out"] == ["1 present fact of 1 entity: each shows its newest 3."]


def test_of_a_long_history_what_ended_last_stays(db, page_of):
    for number in range(5):
        db.transact({"id": "e", "x/y": number}, by="ana", source="s")
    page = page_of(db, history=2)
    assert [value for _, value, _, _ in page.ended("e")] == ["3", "2"]
    assert page.data["head"]["left_out"] == ["2 ended facts of 1 entity: each shows the 2 that ended last."]


def test_a_long_value_is_cut_between_characters_and_says_its_size(db, page_of):
    db.transact({"id": "e", "x/y": "é" * 10})
    page = page_of(db, value_bytes=5)
    assert page.entities["e"][3][0][2] == "éé"
    assert page.entities["e"][3][0][5] == 20
    assert page.data["head"]["left_out"] == ["The rest of 1 value longer than 5 bytes."]


def test_transactions_that_a_fact_names_stay_beyond_the_bound(db, page_of):
    old = db.transact({"id": "e", "x/y": 1}, by="ana")["tx"]
    for number in range(3):
        db.transact([], by=f"writer-{number}")
    page = page_of(db, transactions=1)
    assert [item["tx"] for item in page.data["transactions"]] == [old + 3, old]
    assert page.data["head"]["left_out"] == [
        "3 of 5 transactions: the page holds the newest, and those its facts name."
    ]


def test_the_bytes_of_all_entities_are_bounded(db, page_of, monkeypatch):
    for number in range(6):
        db.transact({"id": f"e{number}", "x/y": "z" * 200})
    monkeypatch.setattr("fgraph.limits.VIEW_PAGE_BYTES", 800)
    page = page_of(db)
    assert list(page.entities) == ["e5", "e4", "e3"]
    assert page.data["head"]["left_out"] == ["3 of 6 entities: the page holds those touched last."]


def test_the_transaction_that_touched_an_entity_last_is_always_there(db, page_of):
    named = db.transact({"id": "mara"})["tx"]  # only a name, no fact
    db.transact({"id": "skerry", "light/keeper": {"ref": "mara"}})
    page = page_of(db, transactions=1)
    assert page.entities["mara"][2] == named
    assert page.transaction(named)["facts"] == []


@pytest.mark.parametrize("value", [0, -1, 1_000_001, True, "5", 2.5])
def test_a_bound_outside_its_range_is_refused_by_name(value):
    with pytest.raises(errors.TypeError, match="facts") as caught:
        Bounds(facts=value)
    assert caught.value.param == "facts"
