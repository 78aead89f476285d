"""Unique values: upserts find their owner, and the final state decides whether two entities share a value."""

import itertools

import pytest

from tests.write.support import live, outcome, refused


@pytest.fixture
def people(db):
    """`ada` owns a@x and the code 1, `bob` owns b@x."""
    db.declare("p/email", type="text", unique=True)
    db.declare("p/code", type="int", unique=True)
    db.declare("p/nick", type="text", unique=True, many=True)
    db.declare("l/l", ref=True)
    db.transact([{"id": "ada", "p/email": "a@x", "p/code": 1}, {"id": "bob", "p/email": "b@x"}])
    return db


def test_a_record_without_id_is_about_the_owner_of_its_unique_value(people):
    people.transact({"p/email": "a@x", "p/age": 1})
    assert ("ada", "p/age", 1) in live(people)


def test_a_record_without_owner_is_about_a_new_entity(people):
    report = people.transact({"p/email": "n@x", "p/age": 1})
    assert isinstance(report["asserted"][1]["e"], int) and report["ids"] == {}


def test_every_element_of_a_list_is_probed(people):
    people.transact({"id": "cy", "p/nick": ["c1", "c2"]})
    people.transact({"p/nick": ["c2", "c3"]})
    assert live(people, "cy") == {("cy", "p/nick", nick) for nick in ("c1", "c2", "c3")}


def test_two_records_with_one_fresh_value_are_one_entity(people):
    report = people.transact([{"p/email": "n@x", "p/age": 1}, {"p/email": "n@x", "p/name": "N"}])
    assert len({fact["e"] for fact in report["asserted"][1:]}) == 1


def test_a_nested_record_upserts(people):
    people.transact([{"id": "cy", "l/l": {"p/code": 1, "p/age": 3}}])
    assert {("cy", "l/l", "->ada"), ("ada", "p/age", 3)} <= live(people)


@pytest.mark.parametrize("crowd", [0, 6], ids=["alone", "among many"])
@pytest.mark.parametrize("flip", [False, True])
def test_a_record_of_two_owners_names_both_in_one_order_and_its_place(people, flip, crowd):
    people.transact({"id": "bob", "p/code": 2})
    record = {"p/email": "a@x", "p/code": 2, "p/age": 9}
    data = [{"id": f"n{number}", "p/email": f"n{number}@x"} for number in range(crowd)]
    data.append(dict(reversed(record.items())) if flip else record)
    fault = refused(people, people.transact, data)
    assert type(fault).__name__ == "Conflict"
    assert fault.param == f"data[{crowd}]"
    assert fault.message == (
        f'data[{crowd}] names several entities at once: "ada" has p/email "a@x" and "bob" has p/code 2'
    )


def test_an_id_and_a_unique_value_of_another_entity_conflict(people):
    fault = refused(people, people.transact, {"id": "bob", "p/email": "a@x"})
    assert type(fault).__name__ == "Conflict"
    assert fault.message == 'data is about "bob", but "ada" has p/email "a@x"'


def test_the_probe_sees_committed_and_pending_owners_alike(people):
    data = [["retract", "ada", "p/email"], ["assert", "cy", "p/email", "a@x"], {"p/email": "a@x", "p/age": 3}]
    for padding in ([], [["retract", "nobody"]] * 5):
        fault = refused(people, people.transact, padding + data)
        assert '"ada"' in fault.message and '"cy"' in fault.message


@pytest.mark.parametrize("data", [["assert", "bob", "p/email", "a@x"], [["assert", "zed", "p/email", "a@x"]]])
def test_an_operation_never_upserts(people, data):
    fault = refused(people, people.transact, data)
    assert type(fault).__name__ == "Conflict" and '"ada"' in fault.message and '"a@x"' in fault.message


FREED_AND_TAKEN = [
    [["retract", "ada", "p/email"], ["assert", "bob", "p/email", "a@x"]],
    [["retract", "ada", "p/email", "a@x"], ["assert", "cy", "p/email", "a@x"]],
    [["assert", "ada", "p/email", "new@x"], ["assert", "bob", "p/email", "a@x"]],
    [["retract", "ada"], ["assert", "cy", "p/email", "a@x"], ["assert", "cy", "p/code", 1]],
    [["assert", "ada", "p/email", "b@x"], ["assert", "bob", "p/email", "a@x"]],
    [["cas", "ada", "p/email", "a@x", "b@x"], ["cas", "bob", "p/email", "b@x", "a@x"]],
    [["cas", "ada", "p/email", "a@x", {"missing": True}], ["assert", "bob", "p/email", "a@x"]],
    [["cas", "bob", "p/email", "b@x", "a@x"], {"id": "ada", "p/email": "other@x"}],
    [["assert", "bob", "p/email", "a@x"], ["retract", "p/email", "fgraph/unique"]],
]


@pytest.mark.parametrize("data", FREED_AND_TAKEN)
def test_a_value_freed_in_the_transaction_may_be_taken_in_any_order(people, data):
    outcomes = set()
    for order in itertools.permutations(data):
        with people.speculate():
            outcomes.add((outcome(people.transact, list(order)), frozenset(live(people))))
    assert len(outcomes) == 1 and next(iter(outcomes))[0] == "applied"


TAKEN = [
    [["assert", "bob", "p/email", "a@x"]],
    [["assert", "x", "p/email", "n@x"], ["assert", "y", "p/email", "n@x"]],
    [["assert", "ada", "p/email", "c@x"], ["assert", "bob", "p/email", "c@x"]],
    [["cas", "bob", "p/email", "b@x", "a@x"], ["assert", "ada", "p/age", 1]],
    [["assert", "x", "q/q", 5], ["assert", "y", "q/q", 5], {"id": "q/q", "fgraph/unique": True, "fgraph/type": "int"}],
]


@pytest.mark.parametrize("data", TAKEN)
def test_a_duplicate_that_survives_is_a_conflict_in_any_order(people, data):
    for order in itertools.permutations(data):
        assert type(refused(people, people.transact, list(order))).__name__ == "Conflict"


def test_old_duplicates_under_a_new_declaration_are_a_schema_error(people):
    people.transact([["assert", "x", "q/q", 5], ["assert", "y", "q/q", 5]])
    fault = refused(people, people.declare, "q/q", type="int", unique=True)
    assert type(fault).__name__ == "SchemaError" and '"x"' in fault.message and '"y"' in fault.message
    one_new = [{"id": "q/q", "fgraph/unique": True, "fgraph/type": "int"}, ["retract", "y"], ["assert", "z", "q/q", 5]]
    assert type(refused(people, people.transact, one_new)).__name__ == "Conflict"
    assert outcome(people.transact, [one_new[0], ["retract", "y"]]) == "applied"


@pytest.mark.parametrize(
    ("type_name", "value"),
    [
        ("text", "x"),
        ("text", "y" * 300),
        ("int", 7),
        ("float", 0.5),
        ("bool", True),
        ("ref", {"ref": "ada"}),
        ("instant", {"instant": "2026-01-01T00:00:00Z"}),
        ("bytes", {"bytes": "AAEC"}),
        ("bytes", {"bytes": "AAAA" * 100}),
    ],
)
def test_every_type_but_json_and_vector_can_be_unique(people, type_name, value):
    people.declare("u/u", type=type_name, unique=True)
    people.transact({"id": "x", "u/u": value})
    assert type(refused(people, people.transact, ["assert", "y", "u/u", value])).__name__ == "Conflict"
    people.transact({"u/u": value, "p/age": 5})
    assert ("x", "p/age", 5) in live(people)


def test_an_upsert_onto_a_transaction_is_unsupported(people):
    people.transact([], tx={"p/email": "t@x"})
    for data in (
        {"p/email": "t@x", "p/age": 1},
        {"id": {"tmp": "t"}, "p/email": "t@x"},
        {"id": "cy", "l/l": {"p/email": "t@x"}},
        ["assert", ["p/email", "t@x"], "p/age", 1],
    ):
        assert type(refused(people, people.transact, data)).__name__ == "Unsupported"


def test_a_fact_of_the_transaction_obeys_uniqueness(people):
    fault = refused(people, people.transact, [], tx={"p/email": "a@x"})
    assert type(fault).__name__ == "Conflict" and '"ada"' in fault.message
    pending = ["assert", "cy", "p/email", "n@x"]
    assert type(refused(people, people.transact, pending, tx={"p/email": "n@x"})).__name__ == "Conflict"
    assert outcome(people.transact, ["retract", "ada"], tx={"p/email": "a@x"}) == "applied"


def test_a_schema_made_in_the_transaction_upserts_from_there_on(db):
    report = db.transact(
        [
            {"id": "k/k", "fgraph/type": "text", "fgraph/unique": True},
            {"id": "a", "k/k": "one"},
            {"k/k": "one", "v/v": 1},
        ]
    )
    assert report["ids"] == {"a": 66}
    assert live(db) == {("a", "k/k", "one"), ("a", "v/v", 1)}
