"""`declare`: which arguments describe an attribute, and what the schema then says."""

import pytest

from tests.write.support import outcome, refused, triples


@pytest.mark.parametrize(
    ("name", "fields", "error"),
    [
        ("x", {"many": True}, "SchemaError"),
        ("a/b", {}, "SchemaError"),
        ("a/b", {"ref": False}, "SchemaError"),
        ("a/b", {"ref": True, "type": "text"}, "SchemaError"),
        ("a/b", {"ref": 1}, "TypeError"),
        ("a/b", {"type": "string"}, "SchemaError"),
        ("a/b", {"type": ["int"]}, "SchemaError"),
        ("a/b", {"type": 5}, "SchemaError"),
        ("a/b", {"type": "int", "dims": 2}, "SchemaError"),
        ("a/b", {"type": "int", "vector_model": "m"}, "SchemaError"),
        ("a/b", {"type": "vector", "vector_model": "  "}, "SchemaError"),
        ("a/b", {"type": "vector", "vector_model": 5}, "SchemaError"),
        ("a/b", {"many": 1}, "TypeError"),
        ("a/b", {"unique": "yes"}, "TypeError"),
        ("a/b", {"nohistory": 0}, "TypeError"),
        ("a/b", {"type": "vector", "dims": True}, "TypeError"),
        ("a/b", {"type": "vector", "dims": "3"}, "TypeError"),
        ("a/b", {"type": "vector", "dims": 2.0}, "TypeError"),
        ("a/b", {"doc": 5}, "TypeError"),
        ("a/b", {"type": "vector", "dims": 0}, "SchemaError"),
        ("a/b", {"type": "vector", "dims": -3}, "SchemaError"),
        ("a/b", {"type": "vector", "dims": 2**63}, "TypeError"),
        ("a/b", {"dims": 2}, "SchemaError"),
        ("a/b", {"vector_model": "m"}, "SchemaError"),
        ("a/b", {"unique": True}, "SchemaError"),
        ("a/b", {"type": "json", "unique": True}, "SchemaError"),
        ("a/b", {"type": "vector", "unique": True}, "SchemaError"),
        ("a/b", {"doc": "d" * 1_048_577}, "TooLarge"),
        ("fgraph/at", {"doc": "x"}, "Unsupported"),
        ("fgraph/new", {"doc": "x"}, "SchemaError"),
        (None, {"doc": "x"}, "SchemaError"),
        (5, {"doc": "x"}, "SchemaError"),
        ("A/b", {"doc": "x"}, "SchemaError"),
    ],
)
def test_a_declaration_that_cannot_be(shared, name, fields, error):
    fault = refused(shared, shared.declare, name, **fields)
    assert type(fault).__name__ == error and fault.message


@pytest.mark.parametrize("kind", ["ref", "bool", "int", "float", "text", "instant", "bytes"])
def test_every_type_that_can_be_unique(db, kind):
    assert outcome(db.declare, "a/b", type=kind, unique=True) == "applied"


def test_a_declaration_is_a_patch_and_its_repetition_nothing(db):
    db.declare("a/b", type="int", doc="one")
    report = db.declare("a/b", doc="")
    assert triples(report["asserted"]) == [("a/b", "fgraph/doc", "")]
    assert outcome(db.declare, "a/b", type="int", doc="") == "noop"
    assert db.schema()["attributes"][0]["declared"] == {"type": "int", "doc": ""}


def test_ref_is_short_for_the_type(db):
    assert triples(db.declare("a/b", ref=True)["asserted"]) == [("a/b", "fgraph/type", "ref")]
    assert outcome(db.declare, "a/b", ref=True, type="ref") == "noop"


def test_fields_are_written_in_the_order_of_their_names(db):
    report = db.declare("a/b", type="vector", dims=2, vector_model="m", doc="d", many=True, nohistory=False)
    assert [a for _, a, _ in triples(report["asserted"])] == [
        "fgraph/dims",
        "fgraph/doc",
        "fgraph/many",
        "fgraph/nohistory",
        "fgraph/type",
        "fgraph/vector-model",
    ]


@pytest.mark.parametrize(
    ("facts", "fields", "error"),
    [
        ([("a", 1)], {"type": "text"}, "SchemaError"),
        ([("a", 1)], {"type": "float"}, "SchemaError"),
        ([("a", 1)], {"type": "int"}, None),
        ([("a", "x"), ("b", "x")], {"type": "text", "unique": True}, "SchemaError"),
        ([("a", "x"), ("b", "y")], {"type": "text", "unique": True}, None),
        ([("a", 1), ("b", 1.0)], {"type": "int"}, "SchemaError"),
    ],
)
def test_live_values_must_fit_a_new_declaration(db, facts, fields, error):
    for entity, value in facts:
        db.transact({"id": entity, "k/k": value})
    if error:
        fault = refused(db, db.declare, "k/k", **fields)
        assert type(fault).__name__ == error
        assert '"a"' in fault.message or '"b"' in fault.message
    else:
        assert outcome(db.declare, "k/k", **fields) == "applied"


def test_the_type_of_a_unique_attribute_stays_and_unique_may_go(db):
    db.declare("k/k", type="text", unique=True)
    db.transact({"id": "a", "k/k": "x"})
    assert type(refused(db, db.retract, "k/k", "fgraph/type")).__name__ == "SchemaError"
    assert outcome(db.declare, "k/k", unique=False) == "applied"
    assert outcome(db.transact, {"id": "b", "k/k": "x"}) == "applied"


def test_provenance_of_a_declaration(db):
    report = db.declare("a/b", type="int", by="ana", source="s", meta=[1])
    assert db.receipt(report["tx"])["by"] == "ana"
    assert [a for _, a, _ in triples(report["asserted"])] == [
        "fgraph/by",
        "fgraph/source",
        "fgraph/meta",
        "fgraph/type",
    ]


# -- what the schema shows -------------------------------------------------------------------------------------------


def test_an_empty_schema(db):
    assert db.schema() == {
        "basis_tx": 64,
        "digest": "sha256:efcd291ab1ea79fb28806c921fa3eae193424e743429904ff01422f58e23ab81",
        "attributes": [],
        "shapes": [],
    }
    assert db.attributes() == []
    assert len(db.schema(include_system=True)["attributes"]) == 18


def test_the_schema_of_books(db):
    db.declare("book/isbn", type="text", unique=True)
    db.declare_shape("book", required=["book/isbn"], closed=True)
    db.transact({"id": "b1", "book/isbn": "978-1", "fgraph/shape": {"ref": "book"}})
    assert db.schema() == {
        "basis_tx": 70,
        "digest": "sha256:7bb47c537f936d83e29d28abbd2a7052f5a91b08eaade9b4292f477b06f667ff",
        "attributes": [
            {
                "name": "book/isbn",
                "declared": {"type": "text", "unique": True},
                "effective": {
                    "type": "text",
                    "many": False,
                    "unique": True,
                    "nohistory": False,
                    "dims": None,
                    "doc": None,
                    "vector_model": None,
                },
                "observed": {"types": ["text"], "live_facts": 1, "entities": 1},
            }
        ],
        "shapes": [{"name": "book", "required": ["book/isbn"], "allowed": ["book/isbn"], "closed": True}],
    }
    assert db.at(66).schema()["shapes"] == [] and db.at(66).schema()["basis_tx"] == 66
    assert db.at(64).schema()["attributes"] == []


def test_every_name_of_the_form_of_an_attribute_is_listed_by_code_point(db):
    db.declare("m/m", many=True)
    db.transact([{"id": "shape/book"}, {"id": "e", "b/a": 1, "m/m": [1, "x", 2.5]}, {"id": "f", "m/m": [1]}])
    db.retract("e", "b/a")
    shown = {item["name"]: item["observed"] for item in db.schema()["attributes"]}
    assert list(shown) == ["b/a", "m/m", "shape/book"]
    assert shown["m/m"] == {"types": ["float", "int", "text"], "live_facts": 4, "entities": 2}
    assert shown["b/a"] == {"types": [], "live_facts": 0, "entities": 0}
    assert [item["name"] for item in db.schema("m")["attributes"]] == ["m/m"]
    assert db.schema("zz")["attributes"] == []


def test_history_policy_as_it_takes_effect(db):
    db.declare("v/typed", type="vector")
    db.declare("v/kept", type="vector", nohistory=False)
    db.declare("v/plain", type="int")
    effective = {item["name"]: item["effective"]["nohistory"] for item in db.schema()["attributes"]}
    assert effective == {"v/typed": True, "v/kept": False, "v/plain": False}


def test_the_short_list_joins_declared_and_observed_types(db):
    db.transact({"id": "e", "a/a": 1})
    db.declare("b/b", type="vector", dims=3, doc="d", vector_model="m")
    flags = {"many": False, "unique": False}
    vector = {"types": ["vector"], "facts": 0, **flags, "nohistory": True}
    assert db.attributes() == [
        {"name": "a/a", "types": ["int"], "facts": 1, **flags, "nohistory": False},
        {"name": "b/b", **vector, "dims": 3, "doc": "d", "vector_model": "m"},
    ]


def test_the_digest_covers_names_and_declarations_but_no_counts(db):
    db.transact({"id": "e", "a/a": 1})
    before = db.schema()["digest"]
    db.transact({"id": "f", "a/a": 2})
    assert db.schema()["digest"] == before
    db.transact({"id": "e", "b/b": 1})
    assert db.schema()["digest"] != before
    assert db.schema("a/")["digest"] == before


def test_shapes_are_listed_by_entity_id_and_not_filtered(db):
    db.declare_shape("z", allowed=["a/b"])
    db.declare_shape("a")
    assert [item["name"] for item in db.schema("none")["shapes"]] == ["z", "a"]


@pytest.mark.parametrize("arguments", [(5,), (b"x",), (["a"],), (True,)])
def test_a_prefix_is_text(db, arguments):
    assert type(refused(db, db.schema, *arguments)).__name__ == "TypeError"
    assert type(refused(db, db.attributes, *arguments)).__name__ == "TypeError"


@pytest.mark.parametrize("flag", [1, "true", None])
def test_include_system_is_a_bool(db, flag):
    assert type(refused(db, db.schema, include_system=flag)).__name__ == "TypeError"
