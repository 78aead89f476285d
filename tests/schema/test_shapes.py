"""Shapes: what their entities need and may have, judged on the final facts of every write."""

import itertools

import pytest

from tests.write.support import fact_rows, outcome, refused, triples


@pytest.fixture
def person(db):
    """A closed shape: a name is required, an age allowed."""
    db.declare_shape("person", required=["p/name"], allowed=["p/age"], closed=True)
    return db


def violations(db, entity: object) -> list[tuple]:
    found = db.validate(entity)
    assert found["valid"] is (found["violations"] == [])
    return [(each["code"], each["entity"], each["shape"], each["attribute"]) for each in found["violations"]]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        (5, {}, "SchemaError"),
        (None, {}, "SchemaError"),
        ("", {}, "TypeError"),
        ("a\n", {}, "TypeError"),
        ("fgraph/new", {}, "SchemaError"),
        ("fgraph/at", {}, "Unsupported"),
        ("s", {"required": "p/name"}, "SchemaError"),
        ("s", {"required": {"p/name"}}, "SchemaError"),
        ("s", {"required": {"p/name": 1}}, "SchemaError"),
        ("s", {"required": None}, "SchemaError"),
        ("s", {"required": ["bad"]}, "SchemaError"),
        ("s", {"required": [5]}, "SchemaError"),
        ("s", {"allowed": ["fgraph/new"]}, "SchemaError"),
        ("s", {"closed": 1}, "SchemaError"),
        ("s", {"closed": None}, "SchemaError"),
    ],
)
def test_a_shape_that_cannot_be_declared(db, name, arguments, error):
    assert type(refused(db, db.declare_shape, name, **arguments)).__name__ == error


def test_a_definition_allocates_shape_allowed_and_required(person):
    assert person.schema()["basis_tx"] == 68
    assert [row[1:4] for row in fact_rows(person, 41)] == [(65, 17, 66), (65, 17, 67), (65, 18, 1), (65, 16, 67)]


def test_a_definition_is_replaced_and_its_repetition_is_nothing(person):
    assert (
        outcome(person.declare_shape, "person", required=["p/name"], allowed=("p/age", "p/age"), closed=True) == "noop"
    )
    report = person.declare_shape("person", required=["p/name"], allowed=["p/mail"], closed=True)
    assert triples(report["asserted"]) == [("person", "fgraph/shape-allowed", {"ref": "p/mail"})]
    assert triples(report["retracted"]) == [("person", "fgraph/shape-allowed", {"ref": "p/age"})]


@pytest.mark.parametrize("name", ["person", "p/person", "a b"])
def test_any_name_may_be_a_shape_and_system_attributes_may_be_required(db, name):
    db.declare_shape(name, required=["fgraph/doc"], closed=True)
    assert type(refused(db, db.transact, {"id": "e", "fgraph/shape": {"ref": name}})).__name__ == "SchemaError"
    assert outcome(db.transact, {"id": "e", "fgraph/shape": {"ref": name}, "fgraph/doc": "d"}) == "applied"


@pytest.mark.parametrize(
    ("record", "word"),
    [
        ({"p/age": 1}, "requires"),
        ({"p/name": "n", "p/other": 1}, "does not allow"),
        ({"p/age": 1, "p/other": 1}, "requires"),
    ],
)
def test_an_entity_must_have_what_is_required_and_nothing_that_is_not_allowed(person, record, word):
    fault = refused(person, person.transact, {"id": "e", "fgraph/shape": {"ref": "person"}, **record})
    assert type(fault).__name__ == "SchemaError"
    assert '"e"' in fault.message and '"person"' in fault.message and word in fault.message


def test_facts_are_judged_at_the_end_in_any_order(person):
    parts = [
        ["assert", "e", "fgraph/shape", {"ref": "person"}],
        ["assert", "e", "p/name", "n"],
        ["assert", "e", "p/other", 1],
        ["retract", "e", "p/other"],
    ]
    for order in itertools.permutations(parts):
        if order.index(parts[3]) > order.index(parts[2]):
            with person.speculate():
                assert outcome(person.transact, list(order)) == "applied"


def test_every_later_write_about_the_entity_is_judged(person):
    person.transact({"id": "e", "fgraph/shape": {"ref": "person"}, "p/name": "n", "p/age": 1})
    for data in (["retract", "e", "p/name"], {"id": "e", "p/other": 1}, ["cas", "e", "p/name", "n", {"missing": True}]):
        assert type(refused(person, person.transact, data)).__name__ == "SchemaError"
    for data in (
        {"id": "e", "p/name": "m"},
        ["retract", "e", "p/age"],
        {"id": "e", "fgraph/doc": "d"},
        ["retract", "e"],
    ):
        assert outcome(person.transact, data) == "applied"


def test_a_required_many_valued_attribute_needs_one_value_left(db):
    db.declare("m/m", many=True)
    db.declare_shape("s", required=["m/m"])
    db.transact({"id": "e", "m/m": [1, 2, 3], "fgraph/shape": {"ref": "s"}})
    assert outcome(db.transact, ["retract", "e", "m/m", 1]) == "applied"
    assert outcome(db.transact, [["retract", "e", "m/m"], ["assert", "e", "m/m", 9]]) == "applied"
    assert type(refused(db, db.transact, ["retract", "e", "m/m", 9])).__name__ == "SchemaError"


def test_a_changed_definition_is_judged_against_all_its_entities(person):
    person.transact({"id": "e", "fgraph/shape": {"ref": "person"}, "p/name": "n"})
    person.transact({"id": "f", "fgraph/shape": {"ref": "person"}, "p/name": "n", "p/age": 1})
    fault = refused(person, person.declare_shape, "person", required=["p/name", "p/age"], closed=True)
    assert type(fault).__name__ == "SchemaError" and '"e"' in fault.message
    fault = refused(person, person.declare_shape, "person", required=["p/name"], closed=True)
    assert type(fault).__name__ == "SchemaError" and '"f"' in fault.message
    assert outcome(person.declare_shape, "person", required=["p/name"]) == "applied"


def test_the_lowest_entity_is_reported_and_required_before_allowed(person):
    bad = {"fgraph/shape": {"ref": "person"}, "p/other": 1}
    fault = refused(person, person.transact, [{"id": "first", **bad}, {"id": "second", **bad}])
    assert '"first"' in fault.message and "requires" in fault.message


def test_a_shape_without_definition_constrains_nothing(db):
    assert outcome(db.transact, {"id": "e", "fgraph/shape": {"ref": "later"}, "v/v": 1}) == "applied"
    assert violations(db, "e") == []
    assert type(refused(db, db.declare_shape, "later", required=["w/w"])).__name__ == "SchemaError"


def test_an_entity_has_one_shape(person):
    two = {"id": "e", "p/name": "n", "fgraph/shape": [{"ref": "person"}]}
    assert type(refused(person, person.transact, two)).__name__ == "Conflict"


def test_transactions_may_have_a_shape_too(db):
    db.declare_shape("audited", required=["t/ticket"], allowed=["t/note"], closed=True)
    shape = {"fgraph/shape": {"ref": "audited"}}
    for tx, word in [(shape, "requires"), ({**shape, "t/ticket": 1, "t/x": 1}, "does not allow")]:
        fault = refused(db, db.transact, [], tx=tx)
        assert type(fault).__name__ == "SchemaError" and "the transaction" in fault.message and word in fault.message
    report = db.transact([], by="ana", tx={**shape, "t/ticket": 5})
    assert report["status"] == "applied" and violations(db, report["tx"]) == []
    assert type(refused(db, db.declare_shape, "audited", required=["t/more"])).__name__ == "SchemaError"


UNSOUND = [
    {"id": "s", "fgraph/shape-closed": True, "fgraph/shape-required": [{"ref": "p/n"}]},
    {"id": "s", "fgraph/shape-closed": False, "fgraph/shape-required": [{"ref": "no attribute"}]},
    {"id": "s", "fgraph/shape-closed": False, "fgraph/shape-allowed": [{"ref": {"tmp": "t"}}]},
    {"fgraph/shape-closed": False},
    {"id": {"tmp": "t"}, "fgraph/shape-required": [{"ref": "p/n"}]},
    [["assert", {"tmp": "t"}, "fgraph/shape-allowed", {"ref": "p/n"}]],
]


@pytest.mark.parametrize("data", UNSOUND)
def test_a_definition_that_cannot_be_is_refused(db, data):
    assert type(refused(db, db.transact, data)).__name__ == "SchemaError"


def test_a_closed_shape_must_not_lose_what_it_requires(person):
    fault = refused(person, person.transact, ["retract", "person", "fgraph/shape-allowed", {"ref": "p/name"}])
    assert type(fault).__name__ == "SchemaError" and '"p/name"' in fault.message
    allow_less = ["retract", "person", "fgraph/shape-allowed"]
    require_less = ["retract", "person", "fgraph/shape-required"]
    assert outcome(person.transact, [allow_less, require_less]) == "applied"


def test_an_older_unsound_shape_blocks_no_write_until_it_is_changed(person):
    """Files of other programs may hold a closed shape that does not allow what it requires."""
    person.transact({"id": "e", "fgraph/shape": {"ref": "person"}, "p/name": "n"})
    person._store.connection.execute("DELETE FROM fgraph_facts WHERE a = 17 AND v = 67")
    assert outcome(person.transact, {"id": "e", "p/name": "m", "p/age": 3}) == "applied"
    assert outcome(person.transact, {"id": "f", "fgraph/shape": {"ref": "person"}, "p/name": "n"}) == "applied"
    assert violations(person, "e") == [
        ("shape_definition", "e", "person", "p/name"),
        ("allowed", "e", "person", "p/name"),
    ]
    touched = ["assert", "person", "fgraph/shape-allowed", {"ref": "p/mail"}]
    assert type(refused(person, person.transact, touched)).__name__ == "SchemaError"


def test_validate_reports_by_code_and_attribute(db):
    db.transact({"id": "e", "fgraph/shape": {"ref": "s"}, "p/x": 1, "p/y": 2, "fgraph/doc": "d"})
    rows = [(16, "p/n"), (16, "p/m"), (18, None)]
    db.transact([{"id": "p/n"}, {"id": "p/m"}])
    number = {
        name: each for each, name in db._store.connection.execute("SELECT id, name FROM fgraph_ids WHERE name NOTNULL")
    }
    for attribute, name in rows:
        value, tag = (1, 1) if name is None else (number[name], 0)
        db._store.connection.execute(
            "INSERT INTO fgraph_facts (e, a, v, t, tx) VALUES (?, ?, ?, ?, 70)", (number["s"], attribute, value, tag)
        )
    order = sorted(("p/n", "p/m"), key=number.get)
    assert violations(db, "e") == [
        *(("shape_definition", "e", "s", name) for name in order),
        *(("required", "e", "s", name) for name in order),
        ("allowed", "e", "s", "p/x"),
        ("allowed", "e", "s", "p/y"),
    ]
    assert {each["message"] for each in db.validate("e")["violations"]} == {
        "the closed shape requires an attribute that it does not allow",
        "the required attribute is missing",
        "the closed shape does not allow the attribute",
    }


@pytest.mark.parametrize(
    ("ref", "error"), [("nobody", "NotFound"), (999, "NotFound"), (None, "TypeError"), (True, "TypeError")]
)
def test_validate_of_what_is_not_there(db, ref, error):
    assert type(refused(db, db.validate, ref)).__name__ == error


def test_validate_sees_the_past(person):
    person.transact({"id": "e", "p/age": 1})
    tx = person.transact({"id": "e", "fgraph/shape": {"ref": "person"}, "p/name": "n"})["tx"]
    assert person.validate("e") == {"basis_tx": tx, "valid": True, "violations": []}
    assert person.at(tx - 1).validate("e")["basis_tx"] == tx - 1
