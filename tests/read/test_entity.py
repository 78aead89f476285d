"""`entity`: one entity as a map, and the selectors by which every read names one."""

import json

import pytest

import fgraph
from fgraph import errors, limits


def keys_and_values(found: dict) -> str:
    """With the order of keys, which equality of dicts does not see."""
    return json.dumps(found, separators=(",", ":"))


ENTITIES = [
    ("lathe", 1, '{"m/uses":[{"ref":"gearbox"},{"ref":"motor"}],"m/name":"Lathe","m/watts":1600}'),
    ("lathe", 0, '{"m/uses":[{"ref":"gearbox"},{"ref":"motor"}],"m/name":"Lathe","m/watts":1600}'),
    (
        "lathe",
        2,
        '{"m/uses":[{"m/uses":[{"ref":"motor"}],"m/name":"Gearbox","m/watts":40},{"m/name":"Motor","m/watts":750}],'
        '"m/name":"Lathe","m/watts":1600}',
    ),
    (
        "lathe",
        10**6,
        '{"m/uses":[{"m/uses":[{"m/name":"Motor","m/watts":750}],"m/name":"Gearbox","m/watts":40},'
        '{"m/name":"Motor","m/watts":750}],"m/name":"Lathe","m/watts":1600}',
    ),
    (74, 1, '{"fgraph/at":{"instant":"2026-01-01T00:00:03.000000Z"},"fgraph/source":"meter"}'),
    ("m/uses", 1, '{"fgraph/many":true,"fgraph/type":"ref"}'),
    ("belt", 5, '{"m/name":"Belt"}'),
]


@pytest.mark.parametrize(("ref", "depth", "shown"), ENTITIES)
def test_an_entity_is_the_map_of_its_visible_facts(db, ref, depth, shown):
    assert keys_and_values(db.entity(ref, depth)) == shown


def test_an_entity_that_was_only_referred_to_is_empty(db):
    db.transact({"id": "belt", "m/from": {"ref": "belt-supplier"}})
    assert db.entity("belt-supplier") == {}


def test_an_anonymous_target_is_shown_by_its_id(db):
    report = db.transact({"id": "belt", "m/from": {"ref": {"tmp": "somebody"}}})
    assert db.entity("belt")["m/from"] == {"ref": report.ids["somebody"]}


def test_a_reference_back_to_the_path_stays_a_reference(db):
    db.transact({"id": "s", "n/next": {"ref": "s"}})
    assert db.entity("s", 3) == {"n/next": {"ref": "s"}}
    db.transact([{"id": "a", "n/next": {"ref": "b"}}, {"id": "b", "n/next": {"ref": "a"}}])
    assert db.entity("a", 9) == {"n/next": {"n/next": {"ref": "a"}}}


def test_a_shared_target_is_repeated(db):
    db.transact(
        [
            {"id": "top", "n/left": {"ref": "l"}, "n/right": {"ref": "r"}},
            {"id": "l", "n/next": {"ref": "shared"}},
            {"id": "r", "n/next": {"ref": "shared"}},
            {"id": "shared", "n/label": "x"},
        ]
    )
    branch = {"n/next": {"n/label": "x"}}
    assert db.entity("top", 3) == {"n/left": branch, "n/right": branch}


def test_a_chain_of_thousands_is_followed_to_its_end(db):
    length = 1_500  # beyond the interpreter's own bound on recursion
    db.transact([{"id": f"c{i}", "n/next": {"ref": f"c{i + 1}"}} for i in range(length)])
    found = db.entity("c0", 10**6)
    for _ in range(length - 1):
        found = found["n/next"]
    assert found == {"n/next": {}}


def test_an_answer_that_doubles_at_each_step_is_too_large(db, monkeypatch):
    monkeypatch.setattr(limits, "ENTITY_FACTS", 10_000)
    layers = 18
    db.declare("n/to", ref=True, many=True)
    db.transact(
        [
            {"id": f"{layer}.{side}", "n/to": [{"ref": f"{layer + 1}.0"}, {"ref": f"{layer + 1}.1"}]}
            for layer in range(layers)
            for side in range(2)
        ]
    )
    with pytest.raises(errors.TooLarge, match="10000"):
        db.entity("0.0", layers)
    assert db.entity("0.0", 3)


@pytest.mark.parametrize(
    ("depth", "error"),
    [(-1, errors.QueryError), (True, errors.TypeError), (1.5, errors.TypeError), ("1", errors.TypeError),
     (None, errors.TypeError), ([], errors.TypeError)],
)  # fmt: skip
def test_a_bad_depth_is_refused_before_the_entity_is_looked_for(db, depth, error):
    with pytest.raises(error) as caught:
        db.entity("nobody", depth)
    assert caught.value.param == "depth"


def test_many_valued_attributes_are_lists_in_the_order_of_facts(db):
    db.declare("m/tags", many=True)
    db.transact({"id": "belt", "m/tags": ["b", "a", 3, 2.5, True]})
    assert db.entity("belt")["m/tags"] == ["b", "a", 3, 2.5, True]


# -- selectors --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def people():
    with fgraph.connect(":memory:") as db:
        db.declare("p/mail", unique=True, type="text")
        db.declare("p/home", unique=True, type="ref")
        db.declare("p/score", unique=True, type="float")
        db.transact(
            [
                {"id": "ada", "p/mail": "ada@x", "p/home": {"ref": "mill"}, "p/score": 0.0},
                {"id": "eve", "p/mail": "e" * 300, "p/nick": "E"},
            ]
        )
        yield db


def test_every_form_of_selector_names_the_same_entity(people):
    expected = people.entity("ada")
    ada = 72  # 65 to 70: three attributes and their transactions; 71: mill, by which an owner was looked for
    lookups = [
        ["p/mail", "ada@x"],
        ("p/mail", "ada@x"),
        ["p/home", {"ref": "mill"}],
        ["p/score", 0.0],
        ["p/score", -0.0],
    ]
    for selector in (ada, *lookups):
        assert people.entity(selector) == expected
    assert people.entity(["p/mail", "e" * 300]) == people.entity("eve")


def test_a_transaction_is_named_by_its_event(db):
    event = db.receipt(74)["event"]
    for form in (event, event.upper(), event.replace("-", ""), f"{{{event}}}"):
        assert db.entity({"eid": form}) == db.entity(74)


NOT_FOUND = {
    "an unknown name": "nobody",
    "the empty name": "",
    "a name in other letters": "Ada",
    "an id that was never given": 999,
    "zero": 0,
    "a negative id": -1,
    "a system id that is never used": 63,
    "an unknown event": {"eid": "00000000-0000-4000-8000-000000000041"},
    "an unknown unique value": ["p/mail", "nobody@x"],
    "a lookup by an unknown attribute": ["p/unknown", 1],
    "a lookup by a name nobody has": ["p/home", {"ref": "nowhere"}],
}
WRONG = {
    "true": (True, errors.TypeError),
    "null": (None, errors.TypeError),
    "a float": (1.0, errors.TypeError),
    "an id past 64 bits": (1 << 63, errors.TypeError),
    "an id below 64 bits": (-(1 << 63) - 1, errors.TypeError),
    "a wrapped reference": ({"ref": "ada"}, errors.TypeError),
    "a tempid": ({"tmp": "x"}, errors.TypeError),
    "an empty object": ({}, errors.TypeError),
    "two keys": ({"eid": "x", "ref": "y"}, errors.TypeError),
    "a list of one": (["p/mail"], errors.TypeError),
    "a list of three": (["p/mail", "ada@x", 1], errors.TypeError),
    "no UUID": ({"eid": "xyz"}, errors.TypeError),
    "an event that is a number": ({"eid": 5}, errors.TypeError),
    "bytes": (b"ada", errors.TypeError),
    "a set": ({"ada"}, errors.TypeError),
    "a name that is no Unicode": ("\ud800", errors.TypeError),
    "a lookup by a number": ([65, "ada@x"], errors.SchemaError),
    "a lookup by null": ([None, "ada@x"], errors.SchemaError),
    "a lookup by an attribute that is no Unicode": (["p/\ud800", 1], errors.SchemaError),
    "a lookup by an attribute that is not unique": (["p/nick", "E"], errors.SchemaError),
    "a lookup of another type": (["p/mail", 5], errors.TypeError),
    "a lookup of an integer where floats are": (["p/score", 0], errors.TypeError),
    "a lookup of null": (["p/mail", None], errors.TypeError),
    "a lookup of a list": (["p/mail", ["ada@x"]], errors.TypeError),
    "a lookup of half a character": (["p/mail", "\ud800"], errors.TypeError),
}


@pytest.mark.parametrize("selector", NOT_FOUND.values(), ids=NOT_FOUND.keys())
@pytest.mark.parametrize("read", ["entity", "history", "why", "validate"])
def test_what_is_not_there_is_not_found(people, read, selector):
    with pytest.raises(errors.NotFound) as caught:
        getattr(people, read)(selector)
    assert caught.value.param == "entity"


@pytest.mark.parametrize(("selector", "error"), WRONG.values(), ids=WRONG.keys())
@pytest.mark.parametrize("read", ["entity", "history", "why", "validate"])
def test_what_is_no_selector_is_refused(people, read, selector, error):
    with pytest.raises(error):
        getattr(people, read)(selector)


def test_lookups_inside_one_another_end():
    with fgraph.connect(":memory:") as db:
        db.declare("p/home", unique=True, type="ref")
        db.transact([{"id": "ada", "p/home": {"ref": "mill"}}, {"id": "mill", "p/home": {"ref": "hill"}}])
        assert db.entity(["p/home", {"ref": ["p/home", {"ref": "hill"}]}]) == db.entity("ada")
        endless: list = ["p/home", {}]
        endless[1]["ref"] = endless
        with pytest.raises(errors.TooLarge, match="80"):
            db.entity(endless)


def test_a_lookup_sees_only_what_is_visible():
    with fgraph.connect(":memory:") as db:
        db.declare("p/mail", unique=True, type="text")
        before = db.transact({"id": "ada", "p/mail": "ada@x"}).tx
        db.transact({"id": "ada", "p/mail": "new@x"})
        with pytest.raises(errors.NotFound):
            db.entity(["p/mail", "ada@x"])
        assert db.at(before).entity(["p/mail", "ada@x"]) == {"p/mail": "ada@x"}
        with pytest.raises(errors.NotFound):
            db.at(before).entity(["p/mail", "new@x"])
