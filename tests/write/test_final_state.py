"""Types, dimensions, cardinality and history policy are judged on the schema at the end of the transaction."""

import itertools

import pytest

from tests.write.support import fact_rows, live, outcome, refused, tables, triples


def vector(*numbers) -> dict:
    return {"vector": list(numbers)}


@pytest.mark.parametrize(
    ("type_name", "good", "bad"),
    [
        ("int", [1, -(2**63), 2**63 - 1], [1.0, True, "1", {"json": 1}, {"ref": "a"}]),
        ("float", [1.0, 0.5], [1, True, "1"]),
        ("bool", [True, False], [1, 0, "true"]),
        ("text", ["", "x" * 256, "y" * 257], [1, {"bytes": "AAAA"}]),
        ("instant", [{"instant": 0}, {"instant": "2026-01-01T00:00:00Z"}], [0, "2026-01-01T00:00:00Z"]),
        ("bytes", [{"bytes": "AAAA"}, b"\x00", b"x" * 300], ["AAAA"]),
        ("json", [{"json": None}, {"json": {"a": [1]}}], [1, "x", {"a": 1}]),
        ("ref", [{"ref": "a"}, {"id": "b"}], ["a", 65]),
        ("vector", [vector(1, 0)], [[1, 0], "x", vector(1)]),
    ],
)
def test_a_declared_type_takes_exactly_its_own_values(db, type_name, good, bad):
    db.declare("t/t", type=type_name)
    for value in good:
        assert outcome(db.transact, {"id": "e", "t/t": value}) == "applied"
    for value in bad:
        expected = "Conflict" if isinstance(value, list) else "TypeError"
        assert type(refused(db, db.transact, {"id": "e", "t/t": value})).__name__ == expected


def test_an_undeclared_attribute_takes_any_type_and_a_many_one_all_at_once(db):
    db.declare("m/m", many=True)
    values = [1, 1.0, True, "1", {"json": 1}, {"ref": "e"}, {"bytes": "AQ=="}, {"instant": 1}]
    assert len(db.transact({"id": "e", "m/m": values})["asserted"]) == 9


DECLARE_INT = {"id": "k/k", "fgraph/type": "int"}


@pytest.mark.parametrize(
    ("declared", "data", "expected"),
    [
        (None, [DECLARE_INT, {"id": "a", "k/k": "x"}], "TypeError"),
        (None, [{"id": "a", "k/k": "x"}, DECLARE_INT], "SchemaError"),
        ("text", [{"id": "a", "k/k": 2}, DECLARE_INT], "applied"),
        ("text", [{"id": "a", "k/k": "x"}, DECLARE_INT], "SchemaError"),
        ("text", [DECLARE_INT, {"id": "a", "k/k": "x"}], "TypeError"),
        ("text", [{"id": "a", "k/k": 2}], "TypeError"),
        ("text", [{"id": "a", "k/k": 2}, ["retract", "k/k", "fgraph/type"]], "applied"),
        ("text", [{"id": "a", "k/k": 2}, ["retract", "k/k"]], "applied"),
        ("text", [["cas", "k/k", "fgraph/type", "text", "int"], {"id": "a", "k/k": 2}], "applied"),
        ("text", [{"id": "a", "k/k": 2}, ["cas", "k/k", "fgraph/type", "text", "int"]], "applied"),
        ("text", [["cas", "k/k", "fgraph/type", "text", "int"], {"id": "a", "k/k": "x"}], "TypeError"),
        # A value of the wrong type is refused even where it is taken back or loses against another.
        ("int", [["assert", "a", "k/k", "x"], ["retract", "a", "k/k"]], "TypeError"),
        ("int", [["assert", "a", "k/k", "x"], ["assert", "a", "k/k", 1]], "TypeError"),
    ],
)
def test_a_value_is_refused_only_if_the_final_schema_refuses_it(db, declared, data, expected):
    db.transact({"id": "a"})
    if declared:
        db.declare("k/k", type=declared)
    if expected == "applied":
        assert outcome(db.transact, data) == "applied"
    else:
        fault = refused(db, db.transact, data)
        assert type(fault).__name__ == expected
        assert "k/k" in fault.message and ("int" in fault.message or "text" in fault.message)


def test_values_replaced_in_the_transaction_do_not_hinder_a_declaration(db):
    db.transact({"id": "a", "k/k": 1})
    data = [{"id": "k/k", "fgraph/type": "text"}, {"id": "a", "k/k": "one"}]
    for order in itertools.permutations(data):
        with db.speculate():
            assert outcome(db.transact, list(order)) == "applied"
    assert type(refused(db, db.declare, "k/k", type="text")).__name__ == "SchemaError"


def test_history_does_not_hinder_a_declaration(db):
    db.transact({"id": "a", "k/k": 1})
    db.transact({"id": "a", "k/k": "one"})
    assert outcome(db.declare, "k/k", type="text") == "applied"


def test_dropping_many_needs_single_values(db):
    db.declare("m/m", many=True)
    db.transact({"id": "a", "m/m": [1, 2]})
    for change in (["retract", "m/m", "fgraph/many"], {"id": "m/m", "fgraph/many": False}):
        fault = refused(db, db.transact, change)
        assert type(fault).__name__ == "SchemaError" and '"a"' in fault.message
        with db.speculate():
            assert outcome(db.transact, [change, ["retract", "a", "m/m", 2]]) == "applied"


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({"fgraph/type": "nonsense"}, "SchemaError"),
        ({"fgraph/type": 5}, "TypeError"),
        ({"fgraph/many": 1}, "TypeError"),
        ({"fgraph/many": "true"}, "TypeError"),
        ({"fgraph/dims": 2}, "SchemaError"),
        ({"fgraph/type": "text", "fgraph/dims": 2}, "SchemaError"),
        ({"fgraph/type": "vector", "fgraph/dims": 0}, "SchemaError"),
        ({"fgraph/type": "vector", "fgraph/dims": -1}, "SchemaError"),
        ({"fgraph/type": "vector", "fgraph/dims": 2.0}, "TypeError"),
        ({"fgraph/vector-model": "m"}, "SchemaError"),
        ({"fgraph/type": "vector", "fgraph/vector-model": " "}, "SchemaError"),
        ({"fgraph/unique": True}, "SchemaError"),
        ({"fgraph/type": "json", "fgraph/unique": True}, "SchemaError"),
        ({"fgraph/type": "vector", "fgraph/unique": True}, "SchemaError"),
    ],
)
def test_raw_declarations_obey_the_rules_of_declare(db, record, error):
    assert type(refused(db, db.transact, {"id": "r/a", **record})).__name__ == error


@pytest.mark.parametrize("field", ["type", "many", "unique", "nohistory", "dims", "vector-model"])
def test_only_attributes_are_declared(db, field):
    value = {"type": "vector", "dims": 2, "vector-model": "m"}.get(field, True)
    for record in ({"id": "no attribute"}, {}, {"id": {"tmp": "t"}}, {"id": "a/b/c"}):
        fault = refused(db, db.transact, {**record, "fgraph/type": "vector", f"fgraph/{field}": value})
        assert type(fault).__name__ == "SchemaError"
    assert outcome(db.transact, {"id": "no attribute", "fgraph/doc": "may be described"}) == "applied"


def test_a_raw_declaration_is_the_same_as_declare(db):
    with db.speculate():
        declared = db.declare("r/a", type="int", doc="d")["asserted"][1:]
    assert db.transact({"id": "r/a", "fgraph/type": "int", "fgraph/doc": "d"})["asserted"][1:] == declared


# -- history policy --------------------------------------------------------------------------------------------------


def test_superseded_and_retracted_facts_keep_their_rows(db):
    db.transact({"id": "a", "v/v": 1})
    report = db.transact({"id": "a", "v/v": 2})
    assert [row[3:] for row in fact_rows(db, 41) if row[2] == 66] == [
        (1, 2, 67, report["tx"]),
        (2, 2, report["tx"], None),
    ]


def test_a_fact_asserted_again_gets_a_new_row(db):
    first = db.transact({"id": "a", "v/v": 1})["asserted"][1]["id"]
    db.retract("a", "v/v")
    assert db.transact({"id": "a", "v/v": 1})["asserted"][1]["id"] > first


def test_nohistory_deletes_the_row_the_index_entry_and_the_payload(db):
    db.declare("n/n", type="text", nohistory=True)
    db.transact([{"id": "a", "n/n": "long " * 100}, {"id": "b", "n/n": "long " * 100}])
    report = db.transact({"id": "a", "n/n": "short"})
    assert report["retracted"][0]["rx"] == report["tx"]
    assert len(tables(db)["fgraph_blobs"]) == 1
    assert report["retracted"][0]["id"] not in {row[0] for row in fact_rows(db)}
    db.retract("b")
    rows = tables(db)
    assert rows["fgraph_blobs"] == []
    assert not any("long" in text for _, text in rows["fgraph_fts"])
    assert rows["fgraph_events"][-1][2].count("long") == 100


def test_history_keeps_the_payload_but_not_the_full_text_row(db):
    db.transact({"id": "a", "n/n": "long " * 100})
    db.retract("a")
    rows = tables(db)
    assert len(rows["fgraph_blobs"]) == 1
    assert not any("long" in text for _, text in rows["fgraph_fts"])


@pytest.mark.parametrize(
    ("declared", "data", "kept"),
    [
        (True, [["retract", "n/n", "fgraph/nohistory"], ["retract", "a", "n/n"]], True),
        (True, [["retract", "a", "n/n"], ["retract", "n/n", "fgraph/nohistory"]], True),
        (None, [{"id": "n/n", "fgraph/nohistory": True}, {"id": "a", "n/n": 2}], False),
        (None, [{"id": "a", "n/n": 2}, {"id": "n/n", "fgraph/nohistory": True}], False),
        (True, [{"id": "n/n", "fgraph/nohistory": False}, {"id": "a", "n/n": 2}], True),
    ],
)
def test_the_final_schema_decides_whether_history_is_kept(db, declared, data, kept):
    db.declare("n/n", doc="d", nohistory=declared)
    number = db.transact({"id": "a", "n/n": 1})["asserted"][1]["id"]
    db.transact(data)
    assert (number in {row[0] for row in fact_rows(db)}) is kept


def test_turning_history_off_leaves_old_rows_alone(db):
    db.transact({"id": "a", "n/n": 1})
    db.transact({"id": "a", "n/n": 2})
    before = len(fact_rows(db))
    db.declare("n/n", nohistory=True)
    assert len(fact_rows(db)) == before + 2


@pytest.mark.parametrize(("nohistory", "kept"), [(None, False), (False, True), (True, False)])
def test_vectors_keep_no_history_unless_declared(db, nohistory, kept):
    db.declare("e/v", type="vector", dims=2, nohistory=nohistory)
    number = db.transact({"id": "d", "e/v": vector(1, 0)})["asserted"][1]["id"]
    db.transact({"id": "d", "e/v": vector(0, 1)})
    assert (number in {row[0] for row in fact_rows(db)}) is kept
    assert len(tables(db)["fgraph_blobs"]) == (2 if kept else 1)


# -- vectors ---------------------------------------------------------------------------------------------------------


def test_the_first_vector_declares_its_attribute(db):
    report = db.transact({"id": "d", "e/v": vector(1, 0)})
    assert report["tx"] == 67
    assert [row[:3] + row[4:5] for row in fact_rows(db, 41)] == [(41, 66, 8, 4), (42, 66, 9, 2), (43, 65, 66, 7)]
    assert triples(report["asserted"]) == [
        ("e/v", "fgraph/type", "vector"),
        ("e/v", "fgraph/dims", 2),
        ("d", "e/v", vector(1, 0)),
    ]


@pytest.mark.parametrize("fields", [{"doc": "d"}, {"many": True}])
def test_other_declarations_do_not_stop_the_inference(db, fields):
    db.declare("e/v", **fields)
    assert [a for _, a, _ in triples(db.transact({"id": "d", "e/v": vector(1)})["asserted"])][:2] == [
        "fgraph/type",
        "fgraph/dims",
    ]


def test_dims_alone_are_inferred_where_the_type_is_declared(db):
    db.declare("e/v", type="vector")
    assert [a for _, a, _ in triples(db.transact({"id": "d", "e/v": vector(1)})["asserted"])] == ["fgraph/dims", "e/v"]


def test_a_vector_of_the_transaction_itself_declares_too(db):
    report = db.transact([], tx={"e/v": vector(1, 2, 3)})
    assert [a for _, a, _ in triples(report["asserted"])] == ["fgraph/type", "fgraph/dims", "e/v"]
    event = db.event_records()[-1]
    assert (len(event["asserted"]), [fact[0] for fact in event["tx_facts"]]) == (2, ["e/v"])


V2, V3 = {"id": "d", "e/v": vector(1, 0)}, {"id": "d2", "e/v": vector(1, 0, 0)}


@pytest.mark.parametrize(
    ("before", "data", "expected"),
    [
        ([V2], V3, "TypeError"),
        ([], [V2, V3], "TypeError"),
        ([], [V3, V2], "TypeError"),
        ([V2], {"id": "x", "e/v": "text"}, "TypeError"),
        ([{"id": "x", "e/v": "text"}], V2, "SchemaError"),
        ([{"id": "d", "e/v": "text"}], V2, "applied"),
        ([V2, ["retract", "d"]], V3, "TypeError"),
        ([V2, ["retract", "d"]], [["retract", "e/v", "fgraph/dims"], V3], "applied"),
        ([V2], {"id": "e/v", "fgraph/dims": 3}, "SchemaError"),
        ([V2], [{"id": "e/v", "fgraph/dims": 3}, {"id": "d", "e/v": vector(1, 2, 3)}], "applied"),
        ([V2], [{"id": "d", "e/v": vector(1, 2, 3)}, {"id": "e/v", "fgraph/dims": 3}], "applied"),
        ([V2, ["retract", "e/v", "fgraph/dims"]], V3, "SchemaError"),
    ],
)
def test_the_length_of_vectors(db, before, data, expected):
    for step in before:
        db.transact(step)
    assert outcome(db.transact, data) == expected


def test_dims_are_declared_again_after_the_first_vector_was_undone(db):
    first = db.transact(V2)
    db.undo(first["tx"])
    assert db.schema("e/")["attributes"][0]["declared"] == {}
    db.transact(V3)
    assert db.schema("e/")["attributes"][0]["declared"] == {"type": "vector", "dims": 3}


@pytest.mark.parametrize(
    ("content", "error"),
    [
        ([], "TypeError"),
        ([True], "TypeError"),
        (["1"], "TypeError"),
        ([float("nan")], "TypeError"),
        ([float("inf")], "TypeError"),
        ([1e39], "TypeError"),
        ([10**400], "TypeError"),
        ("12", "TypeError"),
        ({"a": 1}, "TypeError"),
        ([0.0] * 262_145, "TooLarge"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_what_is_no_vector(db, content, error):
    assert type(refused(db, db.transact, {"id": "d", "e/v": {"vector": content}})).__name__ == error


def test_the_longest_vector(db):
    assert outcome(db.transact, {"id": "d", "e/v": {"vector": [1] * 262_144}}) == "applied"
    assert live(db)
