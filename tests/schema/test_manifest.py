"""schema/1 manifests: one normal form, compared with and applied to a file."""

import copy

import pytest

from tests.write.support import live, outcome, refused, triples

EMPTY = "sha256:68a8b398e47ea218eba368a03158c15afd037238966c63f234c92b3e723c16a2"
DESIRED = {
    "fgraph": "schema/1",
    "attributes": [
        {"name": "book/void", "declared": {}},
        {"name": "book/title", "declared": {"type": "text"}},
        {"name": "book/isbn", "declared": {"type": "text", "unique": True, "doc": "ISBN-13"}},
    ],
    "shapes": [
        {"name": "book", "required": ["book/isbn"], "allowed": ["book/title", "book/title"], "closed": True},
    ],
    "digest": "is not looked at",
}
NORMAL = {
    "attributes": [
        {"name": "book/isbn", "declared": {"doc": "ISBN-13", "type": "text", "unique": True}},
        {"name": "book/title", "declared": {"type": "text"}},
    ],
    "digest": "sha256:c3f08fd0038072df2e97c3574f525585f7b13f1403f779fd742ebd91b4d9f615",
    "fgraph": "schema/1",
    "shapes": [{"name": "book", "required": ["book/isbn"], "allowed": ["book/isbn", "book/title"], "closed": True}],
}


def prepare(db):
    """`b1` is a book by a closed shape; the newest transaction is 70."""
    db.declare("book/isbn", type="text", unique=True)
    db.declare_shape("book", required=["book/isbn"], closed=True)
    db.transact({"id": "b1", "book/isbn": "978-1", "fgraph/shape": {"ref": "book"}})
    return db


@pytest.fixture
def books(db):
    return prepare(db)


@pytest.fixture(scope="module")
def kept(shared):
    """The same, for tests that leave it as it is."""
    return prepare(shared)


def test_the_manifest_of_an_empty_schema(db):
    assert db.schema_manifest() == {"fgraph": "schema/1", "attributes": [], "shapes": [], "digest": EMPTY}
    assert list(db.check_schema_manifest({"fgraph": "schema/1"})) == [
        "basis_tx",
        "valid",
        "current_digest",
        "desired_digest",
        "changes",
    ]


def test_a_check_lists_the_changes_by_kind_and_name(books):
    isbn = {"type": "text", "unique": True}
    before = {"name": "book", "required": ["book/isbn"], "allowed": ["book/isbn"], "closed": True}
    assert books.check_schema_manifest(DESIRED) == {
        "basis_tx": 70,
        "valid": False,
        "current_digest": "sha256:d56ec6289ab34d93559ca2981597c421b35b5f8400557cd60ade9f85f243adb5",
        "desired_digest": NORMAL["digest"],
        "changes": [
            {"kind": "attribute", "name": "book/isbn", "before": isbn, "after": {**isbn, "doc": "ISBN-13"}},
            {"kind": "attribute", "name": "book/title", "before": None, "after": {"type": "text"}},
            {"kind": "shape", "name": "book", "before": before, "after": NORMAL["shapes"][0]},
        ],
    }


def test_applying_writes_the_differences_only(books):
    report = books.apply_schema_manifest(DESIRED, operation_id="schema:2", if_basis_tx=70)
    assert (report["tx"], report["retracted"]) == (72, [])
    assert [fact["id"] for fact in report["asserted"]] == [50, 51, 52, 53]
    assert triples(report["asserted"]) == [
        ("book/isbn", "fgraph/doc", "ISBN-13"),
        ("book/title", "fgraph/type", "text"),
        ("book", "fgraph/shape-allowed", {"ref": "book/title"}),
    ]
    assert (
        books.receipt(72)["request_hash"] == "sha256:30e24b5a7aab08e5ea5f495532b23774e7d0f3bef1b26d855afcfddac7ce73ff"
    )
    assert books.schema_manifest() == NORMAL
    assert outcome(books.apply_schema_manifest, DESIRED) == "noop"
    assert books.check_schema_manifest(NORMAL)["valid"]


def test_an_empty_manifest_takes_all_declarations_back_and_leaves_the_data(books):
    books.apply_schema_manifest(DESIRED)
    report = books.apply_schema_manifest({"fgraph": "schema/1"})
    assert [(e, a) for e, a, _ in triples(report["retracted"])] == [
        ("book/isbn", "fgraph/unique"),
        ("book/isbn", "fgraph/type"),
        ("book/isbn", "fgraph/doc"),
        ("book/title", "fgraph/type"),
        ("book", "fgraph/shape-required"),
        ("book", "fgraph/shape-allowed"),
        ("book", "fgraph/shape-allowed"),
        ("book", "fgraph/shape-closed"),
    ]
    assert live(books) == {("b1", "book/isbn", "978-1")}
    assert books.entity("b1")["fgraph/shape"] and books.validate("b1")["valid"]
    assert books.schema_manifest()["digest"] == EMPTY


def test_live_data_must_satisfy_a_manifest(books):
    for change in (
        {"attributes": [{"name": "book/isbn", "declared": {"type": "int"}}]},
        {"shapes": [{"name": "book", "required": ["book/title"], "allowed": [], "closed": False}]},
        {"attributes": [{"name": "x/x", "declared": {"dims": 3}}]},
        {"attributes": [{"name": "x/x", "declared": {"unique": True}}]},
        {"attributes": [{"name": "x/x", "declared": {"type": "text", "vector_model": "m"}}]},
    ):
        manifest = {"fgraph": "schema/1", **change}
        books.check_schema_manifest(manifest)
        assert type(refused(books, books.apply_schema_manifest, manifest)).__name__ == "SchemaError"


def test_explicit_false_is_kept_and_empty_declarations_are_dropped(db):
    manifest = {"fgraph": "schema/1", "attributes": [{"name": "a/b", "declared": {"many": False}}]}
    db.apply_schema_manifest(manifest)
    assert db.schema_manifest()["attributes"] == manifest["attributes"]
    assert db.check_schema_manifest({"fgraph": "schema/1", "attributes": [{"name": "c/d", "declared": {}}]})[
        "changes"
    ] == [{"kind": "attribute", "name": "a/b", "before": {"many": False}, "after": None}]


def test_all_seven_fields_go_out_and_come_in_again(db):
    db.declare("v/v", type="vector", many=True, nohistory=False, dims=3, doc="", vector_model="m")
    db.declare("u/u", type="ref", unique=True)
    db.declare_shape("v/v", required=["u/u"], allowed=["fgraph/doc"])
    manifest = db.schema_manifest()
    db.apply_schema_manifest({"fgraph": "schema/1"})
    db.apply_schema_manifest(manifest)
    assert db.schema_manifest() == manifest


def test_a_manifest_works_on_views(books):
    view = books.at(66)
    assert view.schema_manifest()["shapes"] == []
    assert view.check_schema_manifest(NORMAL)["basis_tx"] == 66


def fault_of(path: tuple, value: object) -> dict:
    """The desired manifest with one place changed; `...` takes the key away."""
    manifest = copy.deepcopy(DESIRED)
    place = manifest
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return manifest


FIRST, DECLARED, SHAPE = ("attributes", 1), ("attributes", 1, "declared"), ("shapes", 0)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("fgraph",), "schema/2"),
        (("fgraph",), ...),
        (("fgraph",), ["schema/1"]),
        (("other",), 1),
        (("attributes",), None),
        (("attributes",), {}),
        (("attributes",), ()),
        (("shapes",), "x"),
        (FIRST, "x"),
        (FIRST, []),
        ((*FIRST, "name"), ...),
        ((*FIRST, "name"), None),
        ((*FIRST, "name"), "bad"),
        ((*FIRST, "name"), "fgraph/new"),
        ((*FIRST, "name"), "fgraph/doc"),
        ((*FIRST, "name"), "book/isbn"),
        ((*FIRST, "declared"), ...),
        ((*FIRST, "declared"), None),
        ((*FIRST, "declared"), []),
        ((*FIRST, "extra"), 1),
        ((*DECLARED, "ref"), True),
        ((*DECLARED, 5), True),
        ((*DECLARED, "type"), None),
        ((*DECLARED, "type"), "string"),
        ((*DECLARED, "type"), ["int"]),
        ((*DECLARED, "many"), 1),
        ((*DECLARED, "many"), None),
        ((*DECLARED, "unique"), "true"),
        ((*DECLARED, "dims"), 2.0),
        ((*DECLARED, "dims"), True),
        ((*DECLARED, "dims"), 0),
        ((*DECLARED, "dims"), 2**63),
        ((*DECLARED, "doc"), None),
        ((*DECLARED, "doc"), "\ud800"),
        ((*DECLARED, "vector_model"), " "),
        (SHAPE, None),
        ((*SHAPE, "name"), ...),
        ((*SHAPE, "name"), "fgraph/new"),
        ((*SHAPE, "name"), "fgraph/at"),
        ((*SHAPE, "required"), ("book/isbn",)),
        ((*SHAPE, "required"), ["bad"]),
        ((*SHAPE, "required"), None),
        ((*SHAPE, "allowed"), "book/isbn"),
        ((*SHAPE, "allowed"), [5]),
        ((*SHAPE, "closed"), 1),
        ((*SHAPE, "closed"), ...),
        ((*SHAPE, "more"), 1),
    ],
)
def test_a_fault_in_a_manifest_is_a_schema_error_in_check_and_apply(kept, path, value):
    manifest = fault_of(path, value)
    for call in (kept.check_schema_manifest, kept.apply_schema_manifest, kept.at(66).apply_schema_manifest):
        fault = refused(kept, call, manifest)
        assert type(fault).__name__ == "SchemaError" and fault.message


@pytest.mark.parametrize("value", [None, 5, "x", [], [("fgraph", "schema/1")]])
def test_what_is_no_manifest(db, value):
    assert type(refused(db, db.check_schema_manifest, value)).__name__ == "SchemaError"


@pytest.mark.parametrize("name", ["", "a\tb", "x" * 513, 5, None])
def test_a_shape_name_that_is_no_name_is_a_type_error(db, name):
    shape = {"name": name, "required": [], "allowed": [], "closed": False}
    manifest = {"fgraph": "schema/1", "shapes": [shape]}
    assert type(refused(db, db.check_schema_manifest, manifest)).__name__ == "TypeError"


def test_a_shape_may_not_stand_twice(books):
    twice = {"fgraph": "schema/1", "shapes": [DESIRED["shapes"][0]] * 2}
    assert "twice" in str(refused(books, books.check_schema_manifest, twice))
