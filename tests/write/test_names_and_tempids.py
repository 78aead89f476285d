"""Which names a write may create, what tempids stand for, and what the report's `ids` show."""

import pytest

from tests.write.support import live, outcome, refused, tables


@pytest.mark.parametrize(
    "name",
    [
        "A b", " lead", "trail ", "\u00a0", "\u200b", "\u2028", "\ufeff", "\u202e", "123", "65", "?x", "_", ":x", "id",
        "/", "a/b/c", "Person/Name", "assert", "fgraph", "FGRAPH/x", "fgraphx/y", "x" * 512, "é" * 256,
    ],
)  # fmt: skip
def test_a_name_may_be_any_text_of_up_to_512_bytes(shared, name):
    with shared.speculate():
        assert outcome(shared.transact, {"id": name, "v/v": 1}) == "applied"
        assert live(shared) == {(name, "v/v", 1)}


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("", "TypeError"),
        ("a\tb", "TypeError"),
        ("\x00", "TypeError"),
        ("\x7f", "TypeError"),
        ("\u0085", "TypeError"),
        ("\x9f", "TypeError"),
        ("\ud800", "TypeError"),
        ("x" * 513, "TypeError"),
        ("é" * 256 + "x", "TypeError"),
        ("fgraph/", "SchemaError"),
        ("fgraph/new", "SchemaError"),
    ],
    ids=ascii,
)
def test_a_name_that_cannot_be(shared, name, error):
    for data in (
        {"id": name},
        {"id": name, "v/v": 1},
        ["assert", name, "v/v", 1],
        ["assert", "a", "v/v", {"ref": name}],
    ):
        assert type(refused(shared, shared.transact, data)).__name__ == error


@pytest.mark.parametrize("name", ["a/b", "0/0", "a.b/c", "a--b/c..d", "a_b/c_d", "fgraph.x/y", "fgraphx/y", "9/z"])
def test_an_attribute_is_a_namespace_and_a_name(db, name):
    assert outcome(db.transact, {"id": "e", name: 1}) == "applied"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        *((name, "SchemaError") for name in (
            "", "a", "/a", "a/", "a/b/c", "a//b", "A/b", "a/B", "é/b", "-a/b", "_a/b", ".a/b", "a/-b", "a/_b",
            "a b/c", "a/b ", "a/b\n", "a:b/c", "a/b\ud800", "fgraph/x", "fgraph/at2",
        )),
        ("a/" + "b" * 511, "TypeError"),
    ],
    ids=ascii,
)  # fmt: skip
def test_an_attribute_name_that_cannot_be(shared, name, error):
    for data in ({"id": "e", name: 1}, ["assert", "e", name, 1]):
        assert type(refused(shared, shared.transact, data)).__name__ == error
    assert type(refused(shared, shared.transact, {"id": "e"} | {"v/v": 1}, tx={name: 1})).__name__ == error


@pytest.mark.parametrize("attribute", [None, 5, 1.5, True, ["a/b"], {"a/b": 1}, b"a/b"])
def test_an_attribute_that_is_no_text(db, attribute):
    db.transact({"id": "e", "v/v": 1})
    assert type(refused(db, db.transact, ["assert", "e", attribute, 1])).__name__ == "SchemaError"
    assert type(refused(db, db.transact, ["retract", "e", attribute])).__name__ == "SchemaError"
    assert type(refused(db, db.transact, ["cas", "e", attribute, 1, 2])).__name__ == "TypeError"


def test_a_name_stays_even_when_its_facts_are_cancelled(db):
    report = db.transact([["assert", "new", "v/v", 1], ["retract", "new", "v/v", 1]])
    assert (report["status"], len(report["asserted"]), report["ids"]) == ("applied", 1, {"new": 65})
    assert outcome(db.transact, {"id": "new"}) == "noop"


def test_ids_lists_tokens_and_new_names_without_a_slash_in_order_of_appearance(db):
    db.transact({"id": "old", "v/v": 1})
    report = db.transact(
        [
            {"id": {"tmp": "t1"}, "v/v": {"ref": "n1"}},
            {"id": "old", "v/w": {"ref": {"tmp": "t2"}}},
            {"id": "deep/name", "v/v": 1},
            {"id": "n2"},
            ["assert", "n3", "v/v", {"ref": {"tmp": "t1"}}],
        ]
    )
    assert list(report["ids"]) == ["t1", "n1", "t2", "n2", "n3"]


def test_a_token_whose_entity_is_cancelled_is_absent(db):
    report = db.transact([["assert", {"tmp": "t"}, "v/v", 1], ["retract", {"tmp": "t"}], {"id": "a", "v/v": 2}])
    assert report["ids"] == {"a": 66}
    assert [name for _, name, _, tx in tables(db)["fgraph_ids"] if tx == report["tx"]] == ["v/v", "a", None]


def test_a_token_is_one_entity_over_data_nested_records_and_the_tx_option(db):
    db.declare("l/l", ref=True)
    report = db.transact(
        [{"id": "a", "l/l": {"id": {"tmp": "t"}, "v/v": 1}}, ["assert", {"tmp": "t"}, "w/w", 2]],
        tx={"audit/about": {"ref": {"tmp": "t"}}},
    )
    number = report["ids"]["t"]
    assert live(db) == {
        ("a", "l/l", f"->{number}"),
        (number, "v/v", 1),
        (number, "w/w", 2),
        (report["tx"], "audit/about", f"->{number}"),
    }


@pytest.mark.parametrize(
    "data",
    [
        [{"id": "ada", "x/a": 1}, {"id": {"tmp": "ada"}, "x/b": 2}],
        [{"id": {"tmp": "ada"}, "x/b": 2}, {"id": "ada", "x/a": 1}],
        [{"id": {"tmp": "ada"}, "x/a": {"ref": "ada"}}],
        [["assert", "ada", "x/a", {"ref": {"tmp": "ada"}}]],
    ],
)
def test_a_token_must_not_equal_a_name_created_with_it(db, data):
    fault = refused(db, db.transact, data)
    assert type(fault).__name__ == "Conflict" and '"ada"' in str(fault) and "tempid" in str(fault)


@pytest.mark.parametrize("flip", [False, True])
def test_a_token_may_equal_a_name_that_the_report_does_not_show(db, flip):
    db.transact({"id": "ada", "x/a": 1})
    data = [{"id": {"tmp": "ada"}, "x/b": 2}, {"id": "ada", "x/a": 3}]
    assert outcome(db.transact, data[::-1] if flip else data) == "applied"
    data = [{"id": {"tmp": "new/name"}, "x/b": 2}, {"id": "new/name", "x/a": 3}]
    report = db.transact(data[::-1] if flip else data)
    (number,) = report["ids"].values()
    assert {(number, "x/b", 2), ("new/name", "x/a", 3)} <= live(db)


# -- tokens and unique values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("flip", [False, True])
def test_two_tokens_with_one_unique_value_are_one_entity(db, flip):
    db.declare("p/email", type="text", unique=True)
    data = [{"id": {"tmp": "a"}, "p/email": "x", "p/age": 1}, {"id": {"tmp": "b"}, "p/email": "x", "p/name": "B"}]
    report = db.transact(data[::-1] if flip else data)
    number = report["ids"]["a"]
    assert report["ids"] == {"a": number, "b": number}
    assert live(db) == {(number, "p/email", "x"), (number, "p/age", 1), (number, "p/name", "B")}


def test_a_token_binds_to_the_committed_owner_and_stays_with_it(db):
    db.declare("p/email", type="text", unique=True)
    db.transact({"id": "ada", "p/email": "x"})
    report = db.transact([{"id": {"tmp": "t"}, "p/email": "x", "p/age": 1}, ["assert", {"tmp": "t"}, "p/name", "Ada"]])
    assert report["ids"] == {"t": 65 + 2}
    assert live(db, "ada") == {("ada", "p/email", "x"), ("ada", "p/age", 1), ("ada", "p/name", "Ada")}
    noop = db.transact({"id": {"tmp": "t"}, "p/email": "x"})
    assert (noop["status"], noop["ids"]) == ("noop", {"t": 67})


@pytest.mark.parametrize("crowd", [0, 5])
def test_a_token_of_another_entity_cannot_take_over_a_unique_value(db, crowd):
    """The conflict names the place, both tokens and the value."""
    db.declare("p/email", type="text", unique=True)
    data = [["retract", "nobody"]] * crowd + [
        {"id": {"tmp": "a"}, "p/email": "x@y"},
        {"id": {"tmp": "b"}, "p/age": 1},
        {"id": {"tmp": "b"}, "p/email": "x@y"},
    ]
    fault = refused(db, db.transact, data)
    assert type(fault).__name__ == "Conflict"
    for part in (f"data[{crowd + 2}]", 'tempid "a"', 'tempid "b"', "p/email", '"x@y"'):
        assert part in fault.message


@pytest.mark.parametrize("flip", [False, True])
def test_tokens_cannot_share_a_unique_value_through_operations(db, flip):
    db.declare("p/email", type="text", unique=True)
    data = [["assert", {"tmp": "a"}, "p/email", "x@y"], ["assert", {"tmp": "b"}, "p/email", "x@y"]]
    fault = refused(db, db.transact, data[::-1] if flip else data)
    assert type(fault).__name__ == "Conflict"
    for part in ('tempid "a"', 'tempid "b"', "p/email", '"x@y"'):
        assert part in fault.message
