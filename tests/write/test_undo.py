"""Undo: the inverse of a transaction, committed as a new one through the normal checks."""

import pytest

from tests.write.support import fact_rows, live, outcome, refused, tables, triples


def effect(report) -> tuple[list, list]:
    """(asserted, retracted) values of an undo, without its audit fact, which must be there."""
    asserted = triples(report["asserted"])
    assert asserted[-1][1] == "fgraph/undoes"
    return [v for _, _, v in asserted[:-1]], [v for _, _, v in triples(report["retracted"])]


def history(db, *steps) -> list[int]:
    """The transactions of some writes."""
    return [db.transact(step)["tx"] for step in steps]


SET1, SET2, SET3 = ({"id": "c", "v/v": value} for value in (1, 2, 3))
CLEAR = ["retract", "c", "v/v"]


@pytest.mark.parametrize(
    ("steps", "target", "expected"),
    [
        ([SET1], 0, ([], [1])),
        ([SET2, SET3], 1, ([2], [3])),
        ([SET1, CLEAR], 1, ([1], [])),
        ([SET1, CLEAR, SET1], 0, ([], [])),
        ([SET1, SET2, SET3], 1, ([1], [3])),
        ([SET1, CLEAR, {"id": "c", "v/v": 7}], 1, ([1], [7])),
        ([SET1, CLEAR, SET1], 1, ([], [])),
        ([SET1, SET2], 0, ([], [])),
        ([{"id": "c"}], 0, ([], [])),
    ],
    ids=[
        "plain assert",
        "supersession",
        "retraction",
        "fact asserted again later is kept",
        "a later value is superseded",
        "a cell that holds another value now",
        "retracted and asserted again",
        "already superseded",
        "only a name",
    ],
)
def test_what_an_undo_does(db, steps, target, expected):
    transactions = history(db, *steps)
    assert effect(db.undo(transactions[target])) == expected


def test_an_undo_takes_the_signature_of_any_write(db):
    (tx,) = history(db, SET2)
    undone = db.undo(tx, by="ana", source="review", meta={"why": "typo"})
    signed = {"fgraph/by": "ana", "fgraph/source": "review", "fgraph/meta": {"json": {"why": "typo"}}}
    assert signed.items() <= db.entity(undone["tx"]).items()


def test_an_undo_of_an_undo_brings_the_effect_back(db):
    (_, tx) = history(db, SET2, SET3)
    undone = db.undo(tx)
    assert effect(db.undo(undone["tx"])) == ([3], [2])
    assert live(db) == {("c", "v/v", 3)}


def test_a_second_undo_records_only_that_it_happened(db):
    (tx,) = history(db, SET1)
    db.undo(tx)
    report = db.undo(tx)
    assert (report["status"], effect(report)) == ("applied", ([], []))


def test_names_and_metadata_of_the_target_stay(db):
    tx = db.transact({"id": "c", "v/v": 1}, by="ana", tx={"t/t": 1})["tx"]
    db.undo(tx)
    assert outcome(db.transact, {"id": "c"}) == "noop"
    assert db.receipt(tx)["by"] == "ana" and len(db.receipt(tx)["facts"]) == 1
    assert effect(db.undo(db.transact([], by="x")["tx"])) == ([], [])


def test_only_the_values_that_still_live_are_retracted_from_a_many_cell(db):
    db.declare("m/m", many=True)
    tx = db.transact({"id": "c", "m/m": [1, 2, 3]})["tx"]
    db.transact(["retract", "c", "m/m", 2])
    assert effect(db.undo(tx)) == ([], [1, 3])


def test_without_history_the_old_value_is_gone(db):
    db.declare("v/v", nohistory=True)
    (_, tx) = history(db, SET1, SET2)
    assert effect(db.undo(tx)) == ([], [2])


def test_a_restored_unique_value_that_another_owns_now_is_a_conflict(db):
    db.declare("p/email", type="text", unique=True)
    db.transact({"id": "ada", "p/email": "x"})
    tx = db.retract("ada")["tx"]
    db.transact({"id": "bob", "p/email": "x"})
    fault = refused(db, db.undo, tx)
    assert type(fault).__name__ == "Conflict" and '"bob"' in fault.message and '"ada"' in fault.message


def test_a_restored_value_must_fit_the_present_declaration(db):
    db.transact(SET1)
    tx = db.transact(CLEAR)["tx"]
    db.declare("v/v", type="text")
    assert type(refused(db, db.undo, tx)).__name__ == "TypeError"
    db.declare("e/v", type="vector", dims=2, nohistory=False)
    db.transact({"id": "d", "e/v": {"vector": [1, 0]}})
    tx = db.retract("d")["tx"]
    db.declare("e/v", dims=3)
    assert type(refused(db, db.undo, tx)).__name__ == "TypeError"


def test_an_undo_that_breaks_a_declaration_or_a_shape_is_refused(db):
    many = db.declare("m/m", many=True)["tx"]
    db.transact({"id": "c", "m/m": [1, 2]})
    assert type(refused(db, db.undo, many)).__name__ == "SchemaError"
    db.declare_shape("s", required=["v/v"])
    needed = db.transact({"id": "e", "v/v": 1})["tx"]
    db.transact({"id": "e", "fgraph/shape": {"ref": "s"}})
    assert type(refused(db, db.undo, needed)).__name__ == "SchemaError"


def test_an_undo_cannot_make_a_closed_shape_require_what_it_does_not_allow(db):
    db.declare_shape("s", required=["v/v"], closed=True)
    optional = db.transact(["retract", "s", "fgraph/shape-required"])["tx"]
    db.transact(["retract", "s", "fgraph/shape-allowed"])
    assert type(refused(db, db.undo, optional)).__name__ == "SchemaError"


def test_declarations_are_inverted_field_by_field(db):
    db.declare("a/b", type="int", doc="old")
    tx = db.declare("a/b", doc="new", many=True)["tx"]
    db.undo(tx)
    assert db.schema("a/")["attributes"][0]["declared"] == {"type": "int", "doc": "old"}


def test_the_declarations_of_a_first_vector_go_with_it(db):
    tx = db.transact({"id": "d", "e/v": {"vector": [1]}})["tx"]
    assert effect(db.undo(tx)) == ([], ["vector", 1, {"vector": [1.0]}])


def test_a_type_and_its_values_change_back_together(db):
    db.declare("v/v", type="int")
    db.transact(SET1)
    tx = db.transact([{"id": "v/v", "fgraph/type": "text"}, {"id": "c", "v/v": "one"}])["tx"]
    db.undo(tx)
    assert live(db) == {("c", "v/v", 1)}


def test_an_excision_cannot_be_undone_but_its_undo_is_recorded(db):
    history(db, {"id": "c", "v/v": 1})
    excised = db.excise("c")["tx"]
    assert effect(db.undo(excised)) == ([], [])
    assert live(db) == set()


def test_of_a_partly_excised_transaction_the_rest_is_inverted(db):
    tx = db.transact([{"id": "a", "v/v": 1}, {"id": "b", "v/v": 2}])["tx"]
    db.excise("a")
    assert effect(db.undo(tx)) == ([], [2])


@pytest.mark.parametrize(
    ("value", "error"),
    [
        *((value, "Unsupported") for value in (64, 63, 0, -5, -(2**63))),
        *((value, "NotFound") for value in (65, 999, 2**63 - 1)),
        *((value, "TypeError") for value in (True, "67", 67.0, None, [67], {"eid": "x"}, 2**63, -(2**63) - 1)),
    ],
)
def test_what_cannot_be_undone(db, value, error):
    history(db, SET1)
    fault = refused(db, db.undo, value)
    assert type(fault).__name__ == error


# -- strict ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "target", "strict"),
    [
        ([SET1, SET2, SET3], 1, "Conflict"),
        ([SET1, CLEAR, {"id": "c", "v/v": 7}], 1, "Conflict"),
        ([SET1, SET2], 1, "applied"),
        ([SET1, CLEAR], 1, "applied"),
        ([SET1], 0, "applied"),
        ([SET1, SET2, CLEAR], 1, "applied"),
    ],
)
def test_strict_undo_refuses_to_overwrite_a_later_value(db, steps, target, strict):
    tx = history(db, *steps)[target]
    if strict == "applied":
        assert outcome(db.undo, tx, strict=True) == "applied"
    else:
        fault = refused(db, db.undo, tx, strict=True)
        assert type(fault).__name__ == strict and "v/v" in fault.message and '"c"' in fault.message
        assert outcome(db.undo, tx) == "applied"


def test_strict_undo_lets_many_valued_cells_grow(db):
    db.declare("m/m", many=True)
    db.transact({"id": "c", "m/m": [1, 2]})
    tx = db.transact(["retract", "c", "m/m", 1])["tx"]
    db.transact({"id": "c", "m/m": [3]})
    assert effect(db.undo(tx, strict=True)) == ([1], [])


@pytest.mark.parametrize("strict", [1, "yes", None])
def test_strict_is_a_bool(db, strict):
    (tx,) = history(db, SET1)
    assert type(refused(db, db.undo, tx, strict=strict)).__name__ == "TypeError"


def test_the_audit_fact_is_a_fact_of_the_transaction(db):
    (tx,) = history(db, SET1)
    undone = db.undo(tx)["tx"]
    assert fact_rows(db)[-1][1:5] == (undone, 12, tx, 0)
    event = db.event_records()[-1]
    assert event["tx_facts"] == [["fgraph/undoes", {"ref": {"eid": db.receipt(tx)["event"]}}, "ref"]]
    assert tables(db)["fgraph_events"][-1][3:] == (None, None)
