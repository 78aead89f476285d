"""What `transact` takes: records, operations and lists of them, every selector in every position."""

import types
from collections import UserDict

import pytest

from tests.write.support import live, outcome, refused, tables, triples

OK, NOOP = "applied", "noop"


def prepare(db):
    """`ada` with a unique e-mail, `c` with one value, an anonymous entity with a code, and an unused ref attribute."""
    db.declare("p/email", type="text", unique=True)
    db.declare("p/code", type="int", unique=True)
    db.declare("m/many", many=True)
    db.declare("l/l", ref=True)
    db.transact([{"id": "ada", "p/email": "a@x"}, {"id": "c", "v/v": 1}, {"p/code": 7}])
    return db


@pytest.fixture
def base(db):
    return prepare(db)


@pytest.fixture(scope="module")
def kept(shared):
    """The same, for tests that leave it as it is."""
    return prepare(shared)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"id": "c", "v/v": 2}, OK),
        (types.MappingProxyType({"id": "c", "v/v": 2}), OK),
        (UserDict({"id": "c", "l/l": UserDict({"ref": UserDict({"tmp": "t"})})}), OK),
        (["assert", "c", "v/v", 2], OK),
        (("assert", "c", "v/v", 2), OK),
        ([("assert", "c", "v/v", 2), {"id": "d", "v/v": 1}], OK),
        ([], NOOP),
        ((), NOOP),
        ({}, NOOP),
        ([{}], NOOP),
        ("x", "TypeError"),
        (b"x", "TypeError"),
        (None, "TypeError"),
        (5, "TypeError"),
        ({"v/v"}, "TypeError"),
        ((item for item in []), "TypeError"),
        ([5], "TypeError"),
        (["x"], "TypeError"),
        ([[]], "TypeError"),
        ([["put", "c", "v/v", 1]], "TypeError"),
        (["assert", {"id": "c"}], "TypeError"),
        ([[["assert", "c", "v/v", 2]]], "TypeError"),
        ([[["unhashable"], "c"]], "TypeError"),
        ([[{"a": 1}]], "TypeError"),
    ],
)
def test_the_first_element_decides_what_data_is(kept, data, expected):
    with kept.speculate():
        assert outcome(kept.transact, data) == expected


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (["assert"], "TypeError"),
        (["assert", "c", "v/v"], "TypeError"),
        (["assert", "c", "v/v", 2, 3], "TypeError"),
        (["retract"], "TypeError"),
        (["retract", "c"], OK),
        (["retract", "c", "v/v"], OK),
        (["retract", "c", "v/v", 1], OK),
        (["retract", "c", "v/v", 1, 2], "TypeError"),
        (["cas", "c", "v/v", 1], "TypeError"),
        (["cas", "c", "v/v", 1, 2], OK),
        (["cas", "c", "v/v", 1, 2, 3], "TypeError"),
        (["assert", "c", "m/many", [1, 2]], "TypeError"),
        (["assert", "c", "l/l", {"id": "x"}], "TypeError"),
        (["assert", "c", "l/l", {"v/v": 1}], "TypeError"),
        (["assert", "c", "v/v", None], "TypeError"),
    ],
)
def test_an_operation_has_a_fixed_number_of_parts_and_one_plain_value(kept, operation, expected):
    for data in (operation, [operation]):
        with kept.speculate():
            assert outcome(kept.transact, data) == expected


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"id": "fresh"}, OK),
        ({"id": "ada"}, NOOP),
        ({"id": "fgraph/at"}, NOOP),
        ({"id": "fgraph/new"}, "SchemaError"),
        ({"id": 64}, NOOP),
        ({"id": 999}, "NotFound"),
        ({"id": ["p/email", "a@x"]}, NOOP),
        ({"id": ["p/email", "zz"]}, "NotFound"),
        ({"id": {"tmp": "t"}}, NOOP),
        ({"id": {"tmp": ""}}, "TypeError"),
        ({"id": {"tmp": 5}}, "TypeError"),
        ({"id": {"tmp": ["x"]}}, "TypeError"),
        ({"id": None}, "TypeError"),
        ({"id": {"eid": "00000000-0000-4000-8000-000000000040"}}, NOOP),
        ({"id": {"eid": "no uuid"}}, "TypeError"),
    ],
)
def test_a_record_of_an_id_alone_at_most_creates_a_name(kept, record, expected):
    ids = len(tables(kept)["fgraph_ids"])
    with kept.speculate():
        assert outcome(kept.transact, record) == expected
        assert len(tables(kept)["fgraph_ids"]) == ids + (2 if expected == OK else 0)


@pytest.mark.parametrize(
    ("record", "error"),
    [
        ({1: 2}, "TypeError"),
        ({"x/y": 1, 2: 3}, "TypeError"),
        ({"id": "c", "l/l": {2: 3}}, "TypeError"),
        ({"id": "c", "l/l": {"x/y": 1, 2: 3}}, "TypeError"),
        ({"id": "c", "v/v": [1]}, "Conflict"),
        ({"id": "c", "v/v": []}, "Conflict"),
        ({"id": "c", "fresh/attribute": [1]}, "Conflict"),
        ({"id": "c", "v/v": (1,)}, "TypeError"),
        ({"id": "c", "v/v": {1}}, "TypeError"),
        ({"id": "c", "v/v": object()}, "TypeError"),
        ({"id": "c", "v/v": None}, "TypeError"),
        ({"id": "c", "v/v": {}}, "TypeError"),
        ({"id": "c", "v/v": {"a/b": 1}}, "TypeError"),
        ({"id": "c", "m/many": [[1]]}, "TypeError"),
        ({"id": "c", "m/many": [None]}, "TypeError"),
        ({"id": "c", "l/l": {"tmp": "x"}}, "SchemaError"),
        ({"id": "c", "l/l": {"eid": "x"}}, "SchemaError"),
        ({"id": "c", "l/l": {"ref": "b", "id": "x"}}, "SchemaError"),
        ({"id": "c", "l/l": {"id": "fgraph/at"}}, "Unsupported"),
        ({"id": "c", "l/l": {"id": 64}}, "Unsupported"),
        ({"id": "c", "bad": 1}, "SchemaError"),
        ({"id": "c", "fgraph/x": 1}, "SchemaError"),
    ],
)
def test_a_record_attribute_that_cannot_be(kept, record, error):
    assert type(refused(kept, kept.transact, record)).__name__ == error


def test_a_list_asserts_distinct_values_in_order(base):
    report = base.transact({"id": "c", "m/many": ["b", "a", "b", 1, 1.0, True]})
    values = [fact["v"] for fact in report["asserted"][1:]]
    assert [(type(value).__name__, value) for value in values] == [
        ("str", "b"),
        ("str", "a"),
        ("int", 1),
        ("float", 1.0),
        ("bool", True),
    ]
    assert outcome(base.transact, {"id": "c", "m/many": []}) == NOOP


def test_the_facts_of_a_nested_record_come_before_the_reference_to_it(base):
    report = base.transact({"id": "c", "l/l": {"id": "n", "v/v": 2, "l/l": {"v/v": 3}}})
    deepest = report["asserted"][1]["e"]
    assert triples(report["asserted"]) == [
        (deepest, "v/v", 3),
        ("n", "l/l", {"ref": deepest}),
        ("n", "v/v", 2),
        ("c", "l/l", {"ref": "n"}),
    ]


@pytest.mark.parametrize(
    ("nested", "target"),
    [({}, None), ({"id": "fresh"}, "fresh"), ({"id": "ada"}, "ada"), ({"p/email": "a@x"}, "ada")],
    ids=["empty: anonymous", "new name", "known name", "upsert"],
)
def test_a_nested_record_finds_or_creates_its_entity(base, nested, target):
    report = base.transact({"id": "c", "l/l": nested})
    (found,) = [value["ref"] for _, attribute, value in triples(report["asserted"]) if attribute == "l/l"]
    assert found == target or (target is None and isinstance(found, int))


# -- selectors by position -------------------------------------------------------------------------------------------

ANONYMOUS = "anonymous entity"  # stands for its {"eid": ..}
LAST = "last transaction"  # stands for its id
LAST_EID = "last transaction as eid"
POSITIONS = {
    "record": lambda s: {"id": s, "w/w": 1},
    "assert": lambda s: ["assert", s, "w/w", 1],
    "retract": lambda s: ["retract", s, "w/w"],
    "cas": lambda s: ["cas", s, "v/v", {"missing": True}, 5],
    "value": lambda s: ["assert", "c", "l/l", {"ref": s}],
    "gone": lambda s: ["retract", "c", "l/l", {"ref": s}],
    "old": lambda s: ["cas", "c", "l/l", {"ref": s}, {"missing": True}],
}
SELECTORS = [
    # selector, then record, assert, retract, cas, value, retracted value, CAS old
    ("ada", OK, OK, NOOP, OK, OK, NOOP, "Conflict"),
    ("nobody", OK, OK, NOOP, "NotFound", OK, "NotFound", "NotFound"),
    (999, *["NotFound"] * 7),
    (0, *["NotFound"] * 7),
    (-1, *["NotFound"] * 7),
    (2**63, *["TypeError"] * 7),
    (-(2**63) - 1, *["TypeError"] * 7),
    (["p/email", "a@x"], OK, OK, NOOP, OK, OK, NOOP, "Conflict"),
    (("p/email", "a@x"), OK, OK, NOOP, OK, OK, NOOP, "Conflict"),
    (["p/email", "zz"], *["NotFound"] * 7),
    (["no/attr", 1], *["NotFound"] * 7),
    (["v/v", 1], *["SchemaError"] * 7),
    ([5, 1], *["SchemaError"] * 7),
    (["p/email", 5], *["TypeError"] * 7),
    (["p/email", None], *["TypeError"] * 7),
    (["p/email"], *["TypeError"] * 7),
    (["p/email", "a@x", 1], *["TypeError"] * 7),
    ({"tmp": "t"}, OK, OK, NOOP, "TypeError", OK, "TypeError", "TypeError"),
    ({"tmp": ""}, *["TypeError"] * 7),
    ({"tmp": None}, *["TypeError"] * 7),
    (ANONYMOUS, OK, OK, NOOP, OK, OK, NOOP, "Conflict"),
    ({"eid": "F0000000000040008000000000000040"}, *["NotFound"] * 7),
    ({"eid": "zz"}, *["TypeError"] * 7),
    ({"eid": None}, *["TypeError"] * 7),
    (True, *["TypeError"] * 7),
    (1.0, *["TypeError"] * 7),
    (None, *["TypeError"] * 7),
    ({}, *["TypeError"] * 7),
    ({"tmp": "t", "eid": "t"}, *["TypeError"] * 7),
    (1, *["Unsupported"] * 4, OK, NOOP, "Conflict"),
    ("fgraph/at", *["Unsupported"] * 4, OK, NOOP, "Conflict"),
    ("fgraph/new", "SchemaError", "SchemaError", NOOP, "NotFound", "SchemaError", "NotFound", "NotFound"),
    (64, *["Unsupported"] * 4, OK, NOOP, "Conflict"),
    (LAST, *["Unsupported"] * 4, OK, NOOP, "Conflict"),
    (LAST_EID, *["Unsupported"] * 4, OK, NOOP, "Conflict"),
    ("", "TypeError", "TypeError", NOOP, "NotFound", "TypeError", "NotFound", "NotFound"),
    ("\ud800", "TypeError", "TypeError", NOOP, "NotFound", "TypeError", "NotFound", "NotFound"),
]


def _meant(db, selector: object) -> object:
    """The selector that a placeholder stands for."""
    newest = db._store.connection.execute("SELECT max(tx) FROM fgraph_events").fetchone()[0]
    if selector == LAST:
        return newest
    if selector == LAST_EID:
        return {"eid": db.receipt(newest)["event"]}
    if selector == ANONYMOUS:
        sql = "SELECT i.gid FROM fgraph_ids i JOIN fgraph_facts f ON f.e = i.id WHERE f.v = 7 AND f.t = 2"
        return {"eid": db._store.connection.execute(sql).fetchone()[0].hex()}
    return selector


@pytest.mark.parametrize(
    ("selector", "answers"),
    [(selector, answers) for selector, *answers in SELECTORS],
    ids=[ascii(row[0])[:30] for row in SELECTORS],
)
def test_selectors_by_position(kept, selector, answers):
    """A large request looks selectors up beforehand, and must answer as a small one."""
    meant = _meant(kept, selector)
    for (position, operation), answer in zip(POSITIONS.items(), answers, strict=True):
        _expect(kept, [operation(meant)], answer, position)
        _expect(kept, [*[["retract", "c", "no/such"]] * 5, operation(meant)], answer, position)


def _expect(kept, data: list, answer: str, position: str) -> None:
    if answer in (OK, NOOP):
        with kept.speculate():
            assert outcome(kept.transact, data) == answer, position
    else:
        assert type(refused(kept, kept.transact, data)).__name__ == answer, position


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ({"id": "new", "w/w": 1}, OK),
        (["assert", "new", "w/w", 1], OK),
        (["retract", "new", "v/v"], OK),
        (["cas", "new", "v/v", {"missing": True}, 1], "NotFound"),
        (["assert", "c", "l/l", {"ref": "new"}], OK),
        (["retract", "c", "l/l", {"ref": "new"}], "NotFound"),
        (["cas", "c", "l/l", {"ref": "new"}, {"missing": True}], "NotFound"),
        (["cas", "c", "l/l", {"missing": True}, {"ref": "new"}], OK),
        (["assert", ["p/email", "n@x"], "w/w", 1], "NotFound"),
    ],
)
def test_a_name_created_earlier_in_the_transaction(kept, operation, expected):
    with kept.speculate():
        assert outcome(kept.transact, [{"id": "new", "v/v": 1, "p/email": "n@x"}, operation]) == expected


def test_a_lookup_reads_the_committed_state_only(base):
    base.transact([["retract", "ada", "p/email"], ["assert", ["p/email", "a@x"], "w/w", 1]])
    assert live(base, "ada") == {("ada", "w/w", 1)}


def test_a_lookup_value_may_itself_refer_to_an_entity(base):
    base.declare("own/er", ref=True, unique=True)
    base.transact({"id": "house", "own/er": {"ref": "ada"}})
    base.transact(["assert", ["own/er", {"ref": ["p/email", "a@x"]}], "w/w", 1])
    assert ("house", "w/w", 1) in live(base)
    for value, error in [({"ref": "nobody"}, "NotFound"), ({"ref": {"tmp": "t"}}, "TypeError"), ("ada", "TypeError")]:
        assert type(refused(base, base.transact, ["assert", ["own/er", value], "w/w", 1])).__name__ == error


def test_numbers_in_text_are_names(base):
    base.transact(["assert", "65", "w/w", 1])
    assert ("65", "w/w", 1) in live(base)


def test_a_fresh_tempid_in_a_retraction_allocates_nothing(base):
    first_free = tables(base)["fgraph_meta"][1][1]
    report = base.transact([["retract", {"tmp": "k"}], {"id": "w", "v/v": 1}])
    assert report["ids"] == {"w": first_free}


def test_retract_takes_none_as_no_value(base):
    assert outcome(base.retract, "c", "v/v", None) == OK
    assert type(refused(base, base.retract, "c", value=1)).__name__ == "TypeError"


def test_add_is_transact(base):
    assert type(base).add is type(base).transact


@pytest.mark.parametrize(
    "item",
    [
        {"id": "c", "v/v": None},
        {"id": "c", "l/l": {"id": "n", "v/v": object()}},
        {"id": "c", "l/l": {"ref": 999}},
        {"id": "c", "v/v": [1]},
        {"id": "c", "bad": 1},
        {"id": "", "v/v": 1},
        {"id": ["p/email", "nobody"], "v/v": 1},
        ["assert", "c", "p/code", "no number"],
        ["assert", "c", "v/v", {"vector": []}],
        ["assert", "d", "p/email", "a@x"],
        ["cas", "c", "v/v", 9, 1],
        {"id": "c", "fgraph/undoes": {"ref": 64}},
        5,
    ],
    ids=ascii,
)
def test_an_error_names_the_place_in_the_input(kept, item):
    fault = refused(kept, kept.transact, [{}, {"id": "fine"}, {"id": "fine too", "w/w": 1}, item])
    assert fault.message.startswith("data[3]")
