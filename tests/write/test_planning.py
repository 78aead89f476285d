"""From operations to a delta: assert, retract and compare-and-set against committed facts and each other."""

import pytest

from tests.write.support import live, outcome, refused, triples

A1, A2, A3 = (["assert", "c", "v/v", value] for value in (1, 2, 3))
R1, R2, R = ["retract", "c", "v/v", 1], ["retract", "c", "v/v", 2], ["retract", "c", "v/v"]


@pytest.fixture
def cell(db):
    """`c` holds the value 1."""
    db.transact({"id": "c", "v/v": 1})
    return db


@pytest.fixture(scope="module")
def kept(shared):
    """The same, with declared attributes beside it, for tests whose writes are refused."""
    shared.transact({"id": "c", "v/v": 1})
    shared.declare("c/int", type="int")
    shared.declare("m/many", many=True)
    return shared


def delta(report) -> tuple[list, list]:
    return [v for _, _, v in triples(report["asserted"])], [v for _, _, v in triples(report["retracted"])]


@pytest.mark.parametrize(
    ("operations", "asserted", "retracted"),
    [
        ([A1], [], []),
        ([R1, A1], [], []),
        ([A1, R1], [], [1]),
        ([A2, R2], [], [1]),
        ([A2, R2, A1], [], []),
        ([A2, R, A3], [3], [1]),
        ([A2, A2], [2], [1]),
        ([R1, A2], [2], [1]),
        ([A1, R1, A2], [2], [1]),
        ([A1, R, A2], [2], [1]),
        ([R2, A1], [], []),
        ([["retract", "c"], A1], [], []),
        ([["retract", "c"], A2], [2], [1]),
        ([["assert", "c", "v/v", 1.0]], [1.0], [1]),
        ([["assert", "c", "v/v", True]], [True], [1]),
        ([["assert", "c", "v/v", "1"]], ["1"], [1]),
        ([["retract", "c", "v/v", 1.0]], [], []),
        ([A2, R2, A2], [2], [1]),
    ],
)
def test_operations_on_a_cell_that_holds_1(cell, operations, asserted, retracted):
    report = cell.transact(operations)
    assert delta(report) == (asserted, retracted)
    assert report["status"] == ("applied" if asserted or retracted else "noop")


@pytest.mark.parametrize(
    "operations",
    [[A2, A3], [A2, A1], [A1, A2], [A1, R2, A2], [{"id": "c", "v/v": 1}, {"id": "c", "v/v": 2}], [R1, A2, A3]],
    ids=["two new", "new then current", "current then new", "other retracted", "records", "after a retract"],
)
def test_two_values_for_one_cell_are_a_conflict_that_names_both(cell, operations):
    fault = refused(cell, cell.transact, operations)
    assert type(fault).__name__ == "Conflict"
    assert '"v/v"' in fault.message and '"c"' in fault.message and "declare" in fault.hint
    assert sum(f"{value}" in fault.message for value in (1, 2, 3)) >= 2


def test_minus_zero_is_zero(db):
    db.transact({"id": "c", "v/v": -0.0, "v/w": {"vector": [-0.0, 1]}})
    assert outcome(db.transact, {"id": "c", "v/v": 0.0, "v/w": {"vector": [0, 1.0]}}) == "noop"


def test_the_cardinality_is_that_of_the_end_of_the_transaction(db):
    assert outcome(db.transact, [["assert", "o", "m/x", 1], ["assert", "o", "m/x", 2], MANY]) == "applied"
    assert live(db, "o") == {("o", "m/x", 1), ("o", "m/x", 2)}
    one = [
        ["retract", "m/x", "fgraph/many"],
        ["retract", "o", "m/x"],
        ["assert", "o", "m/x", 3],
        ["assert", "o", "m/x", 4],
    ]
    assert type(refused(db, db.transact, one)).__name__ == "Conflict"


MANY = {"id": "m/x", "fgraph/many": True}


# -- retract ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operation",
    [
        ["retract", "nobody"],
        ["retract", "nobody", 5],
        ["retract", "nobody", "v/v", {"ref": "nobody"}],
        ["retract", "fgraph/nothing"],
        ["retract", "c", "no/attribute"],
        ["retract", "c", "No Attribute"],
        ["retract", "c", "v/v", 7],
        ["retract", "c", "w/w"],
    ],
)
def test_what_is_not_there_is_silently_nothing(cell, operation):
    assert outcome(cell.transact, operation) == "noop"


@pytest.mark.parametrize(
    ("operation", "error"),
    [
        (["retract", 999], "NotFound"),
        (["retract", {"eid": "f0000000-0000-4000-8000-000000000040"}], "NotFound"),
        (["retract", "fgraph/at"], "Unsupported"),
        (["retract", 64, "fgraph/at"], "Unsupported"),
        (["retract", "c", 5], "SchemaError"),
        (["retract", "c", "v/v", None], "TypeError"),
        (["retract", "c", "v/v", [1]], "TypeError"),
        (["retract", "c", "v/v", {"instant": "never"}], "TypeError"),
        (["retract", "c", "c/int", "1"], "TypeError"),
        (["retract", "c", "v/v", {"ref": "nobody"}], "NotFound"),
        (["retract", "c", "v/v", {"ref": "pending"}], "NotFound"),
    ],
)
def test_a_retraction_that_cannot_be(kept, operation, error):
    assert type(refused(kept, kept.transact, [{"id": "pending"}, operation])).__name__ == error


def test_retracting_an_entity_ends_its_facts_and_the_references_to_it(db):
    db.declare("l/l", ref=True, many=True)
    db.transact(
        [{"id": "t", "v/v": 1, "l/l": [{"ref": "t"}]}, {"id": "o", "l/l": [{"ref": "t"}, {"ref": "u"}], "v/v": 2}]
    )
    db.transact([], tx={"audit/about": {"ref": "t"}})
    report = db.transact(["retract", "t"])
    assert triples(report["retracted"]) == [("t", "l/l", {"ref": "t"}), ("t", "v/v", 1), ("o", "l/l", {"ref": "t"})]
    assert {("o", "l/l", "->u"), ("o", "v/v", 2)} <= live(db)
    assert any(a == "audit/about" for _, a, _ in live(db))


def test_retracting_an_attribute_leaves_its_data(db):
    db.declare("v/v", type="int", doc="a number")
    db.transact({"id": "c", "v/v": 1})
    report = db.transact(["retract", "v/v"])
    assert [a for _, a, _ in triples(report["retracted"])] == ["fgraph/doc", "fgraph/type"]
    assert live(db) == {("c", "v/v", 1)}


def test_retracting_an_entity_cancels_what_was_asserted_earlier_in_the_transaction(db):
    db.transact([{"id": "t", "v/v": 1}, {"id": "o", "l/l": {"ref": "t"}}])
    report = db.transact(
        [
            ["assert", "t", "v/w", 2],
            ["assert", "p", "l/l", {"ref": "t"}],
            ["assert", "o", "l/l", {"ref": "t"}],
            ["retract", "t"],
            ["assert", "t", "v/v", 3],
            ["assert", "o", "l/l", {"ref": "u"}],
            ["assert", "p", "l/l", {"ref": "u"}],
        ]
    )
    assert triples(report["asserted"]) == [("t", "v/v", 3), ("o", "l/l", {"ref": "u"}), ("p", "l/l", {"ref": "u"})]
    assert triples(report["retracted"]) == [("t", "v/v", 1), ("o", "l/l", {"ref": "t"})]


def test_the_order_of_retracted_is_by_operation_then_subjects_first(db):
    db.transact({"id": "o1", "l/l": {"ref": "t"}})
    db.transact({"id": "t", "v/v": 1})
    db.transact({"id": "o2", "l/l": {"ref": "t"}})
    report = db.transact([["retract", "t"], ["assert", "o2", "v/v", 5]])
    assert [(fact["e"], fact["a"]) for fact in report["retracted"]] == [("t", "v/v"), ("o2", "l/l"), ("o1", "l/l")]


def test_a_fact_restored_later_leaves_the_list_and_may_come_back_at_its_end(db):
    db.transact([{"id": "a", "v/v": 1}, {"id": "b", "v/v": 2}])
    report = db.transact([["retract", "a"], ["retract", "b"], ["assert", "a", "v/v", 1], ["retract", "a", "v/v"]])
    assert triples(report["retracted"]) == [("b", "v/v", 2), ("a", "v/v", 1)]


def test_the_event_lists_retractions_in_the_order_of_the_report(db):
    db.transact([{"id": "a", "v/v": 1}, {"id": "b", "v/v": 2}])
    db.transact([["retract", "b"], ["retract", "a"]])
    assert db.event_records()[-1]["retracted"] == [["b", "v/v", 2, "int"], ["a", "v/v", 1, "int"]]


# -- compare-and-set -------------------------------------------------------------------------------------------------

MISSING = {"missing": True}


@pytest.mark.parametrize(
    ("cas", "asserted", "retracted"),
    [
        (["cas", "c", "v/v", 1, 2], [2], [1]),
        (["cas", "c", "v/v", 1, 1], [], []),
        (["cas", "c", "v/v", 1, MISSING], [], [1]),
        (["cas", "c", "w/w", MISSING, 5], [5], []),
        (["cas", "c", "w/w", MISSING, MISSING], [], []),
    ],
)
def test_a_cas_that_finds_what_it_expects(cell, cas, asserted, retracted):
    cell.transact({"id": "d", "w/w": 1})
    assert delta(cell.transact(cas)) == (asserted, retracted)


@pytest.mark.parametrize(
    "cas",
    [
        ["cas", "c", "v/v", 9, 2],
        ["cas", "c", "v/v", 1.0, 2],
        ["cas", "c", "v/v", True, 2],
        ["cas", "c", "w/w", 1, 2],
        ["cas", "c", "v/v", MISSING, 2],
        ["cas", "c", "v/v", MISSING, MISSING],
    ],
)
def test_a_cas_that_finds_something_else(cell, cas):
    cell.transact({"id": "d", "w/w": 1})
    fault = refused(cell, cell.transact, cas)
    assert type(fault).__name__ == "Conflict"
    assert cas[2] in fault.message and '"c"' in fault.message and "read" in fault.hint


@pytest.mark.parametrize(
    ("cas", "error"),
    [
        (["cas", "nobody", 5, {"bad": 1}, None], "NotFound"),
        (["cas", {"tmp": "t"}, "v/v", 1, 2], "TypeError"),
        (["cas", "fgraph/at", 5, 1, 2], "Unsupported"),
        (["cas", 64, 5, 1, 2], "Unsupported"),
        (["cas", "c", 5, None, None], "TypeError"),
        (["cas", "c", "bad", None, None], "SchemaError"),
        (["cas", "c", "fgraph/new", None, None], "SchemaError"),
        (["cas", "c", "no/no", None, None], "NotFound"),
        (["cas", "c", "m/many", 1, 2], "SchemaError"),
        (["cas", "c", "v/v", None, 2], "TypeError"),
        (["cas", "c", "v/v", 1, None], "TypeError"),
        (["cas", "c", "v/v", {"missing": False}, 2], "TypeError"),
        (["cas", "c", "v/v", {"missing": 1}, 2], "TypeError"),
        (["cas", "c", "v/v", {"missing": 1.0}, 2], "TypeError"),
        (["cas", "c", "v/v", {"missing": None}, 2], "TypeError"),
        (["cas", "c", "v/v", 1, {"missing": "x"}], "TypeError"),
        (["cas", "c", "v/v", {"missing": True, "x": 1}, 2], "TypeError"),
        (["cas", "c", "v/v", {"ref": "nobody"}, 2], "NotFound"),
        (["cas", "c", "c/int", "x", 2], "TypeError"),
        (["cas", "c", "c/int", MISSING, "x"], "TypeError"),
        (["cas", "c", "v/v", [1], 2], "TypeError"),
    ],
)
def test_a_cas_that_cannot_be(kept, cas, error):
    assert type(refused(kept, kept.transact, cas)).__name__ == error


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(
    "other",
    [
        ["cas", "c", "v/v", 1, 3],
        ["cas", "c", "v/v", 9, 3],
        ["assert", "c", "v/v", 2],
        {"id": "c", "v/v": 1},
        ["retract", "c", "v/v"],
        ["retract", "c", "v/v", 77],
        ["retract", "c"],
    ],
)
def test_a_cell_under_cas_is_touched_by_nothing_else(cell, other, flip):
    """Isolation is judged before the comparison, so the mismatching compare-and-set below is not what is reported."""
    data = [["cas", "c", "v/v", 9, 2], other]
    fault = refused(cell, cell.transact, data[::-1] if flip else data)
    assert type(fault).__name__ == "Conflict" and "cas" in fault.message and "expected" not in fault.message


@pytest.mark.parametrize("flip", [False, True])
def test_retracting_the_target_is_no_touch_and_cancels_the_reference_if_it_comes_later(db, flip):
    db.transact([{"id": "c", "l/l": {"ref": "t"}, "v/v": 1}, {"id": "u"}])
    data = [["cas", "c", "l/l", {"ref": "t"}, {"ref": "u"}], ["retract", "u"]]
    db.transact(data[::-1] if flip else data)
    assert live(db, "c") == {("c", "v/v", 1)} | ({("c", "l/l", "->u")} if flip else set())


def test_a_cas_creates_names_and_takes_tempids_in_its_new_value_only(cell):
    report = cell.transact(["cas", "c", "v/v", 1, {"ref": "fresh"}])
    assert "fresh" in report["ids"]
    report = cell.transact([["cas", "c", "v/v", {"ref": "fresh"}, {"ref": {"tmp": "t"}}]])
    assert live(cell, "c") == {("c", "v/v", f"->{report['ids']['t']}")}


def test_a_cas_infers_the_declarations_of_a_vector(cell):
    cell.transact({"id": "d", "e/v": 1})
    cell.transact(["retract", "d", "e/v"])
    report = cell.transact(["cas", "c", "e/v", MISSING, {"vector": [1, 0]}])
    assert [a for _, a, _ in triples(report["asserted"])] == ["fgraph/type", "fgraph/dims", "e/v"]


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("by_cas", [False, True])
def test_a_cas_needs_one_value_in_the_final_schema(cell, flip, by_cas):
    many = ["cas", "v/v", "fgraph/many", MISSING, True] if by_cas else {"id": "v/v", "fgraph/many": True}
    data = [["cas", "c", "v/v", 1, 2], many]
    assert type(refused(cell, cell.transact, data[::-1] if flip else data)).__name__ == "SchemaError"


def test_a_one_value_cell_with_two_values_is_a_damaged_file(cell):
    cell._store.connection.execute("INSERT INTO fgraph_facts (e, a, v, t, tx) VALUES (65, 66, 9, 2, 67)")
    assert type(refused(cell, cell.transact, ["cas", "c", "v/v", 1, 2])).__name__ == "FormatError"
