"""Pull patterns."""

import pytest

import fgraph


@pytest.fixture(scope="module")
def db(still: fgraph.Db) -> fgraph.Db:
    return still


GEARBOX = {"m/uses": [{"ref": "motor"}], "m/name": "Gearbox", "m/watts": 40}
PULLS = [
    ("lathe", [], {}),
    ("lathe", ["m/name"], {"m/name": "Lathe"}),
    ("lathe", ("m/watts", "m/name", "m/name"), {"m/name": "Lathe", "m/watts": 1600}),
    ("gearbox", ["*"], GEARBOX),
    ("lathe", ["no/such"], {}),
    ("motor", ["m/_uses"], {"m/_uses": [{"ref": "lathe"}, {"ref": "gearbox"}]}),
    ("lathe", ["m/_uses", "no/_such", "m/_name"], {"m/_uses": [], "no/_such": [], "m/_name": []}),
    ("lathe", [{"m/uses": ["m/name"]}], {"m/uses": [{"m/name": "Gearbox"}, {"m/name": "Motor"}]}),
    (
        "lathe",
        ["*", {"m/uses": ["m/watts"]}],
        {"m/uses": [{"m/watts": 40}, {"m/watts": 750}], "m/name": "Lathe", "m/watts": 1600},
    ),
    ("lathe", [{"m/uses": ["*"]}, {"m/uses": ["m/name"]}], {"m/uses": [{"m/name": "Gearbox"}, {"m/name": "Motor"}]}),
    (
        "lathe",
        [{"m/uses": ["m/name", "m/_uses"]}],
        {
            "m/uses": [
                {"m/name": "Gearbox", "m/_uses": [{"ref": "lathe"}]},
                {"m/name": "Motor", "m/_uses": [{"ref": "lathe"}, {"ref": "gearbox"}]},
            ]
        },
    ),
    (67, ["m/name"], {"m/name": "Lathe"}),
    (74, ["fgraph/source"], {"fgraph/source": "meter"}),
]


@pytest.mark.parametrize(("ref", "pattern", "expected"), PULLS, ids=[str(case[1]) for case in PULLS])
def test_patterns(db: fgraph.Db, ref: object, pattern: object, expected: dict) -> None:
    pulled = db.pull(ref, pattern)
    assert pulled == expected
    assert list(pulled) == list(expected)


def chain() -> fgraph.Db:
    db = fgraph.connect(":memory:")
    db.transact(
        [{"id": "a", "n/next": {"ref": "b"}}, {"id": "b", "n/next": {"ref": "c"}}, {"id": "c", "n/next": {"ref": "c"}}]
    )
    return db


def test_only_the_first_level_of_nesting_expands() -> None:
    assert chain().pull("a", [{"n/next": ["*", {"n/next": ["*"]}]}]) == {"n/next": {"n/next": {"ref": "c"}}}


def test_a_target_on_the_path_stays_a_reference() -> None:
    assert chain().pull("c", [{"n/next": ["*"]}]) == {"n/next": {"ref": "c"}}


def test_a_view_pulls_as_of_its_basis(db: fgraph.Db) -> None:
    assert db.at(75).pull("motor", ["*", "m/_uses"]) == {
        "m/name": "Motor",
        "m/_uses": [{"ref": "lathe"}, {"ref": "gearbox"}],
    }
    assert db.at(66).pull("m/uses", ["m/watts", "m/_uses"]) == {"m/_uses": []}


REFUSED = [
    "m/name",
    None,
    {"m/uses": ["*"]},
    [42],
    [{"m/uses": [], "m/name": []}],
    [{}],
    [{"m/uses": "*"}],
    ["name"],
    ["fgraph/new"],
    ["fgraph/_new"],
    [{"m/_uses": ["*"]}],
    [{"no/such": ["*"]}],
    [{"m/name": ["*"]}],
    [{"m/uses": [{"m/name": ["*"]}]}],
    [None],
]


@pytest.mark.parametrize("pattern", REFUSED, ids=str)
def test_refused_patterns(db: fgraph.Db, pattern: object) -> None:
    with pytest.raises(fgraph.QueryError):
        db.pull("lathe", pattern)
    with pytest.raises(fgraph.QueryError):
        db.pull("nobody", pattern)  # the pattern is checked before the entity


def test_an_unknown_entity(db: fgraph.Db) -> None:
    with pytest.raises(fgraph.NotFound):
        db.pull("nobody", ["*"])


def test_a_pattern_nested_without_end_is_refused(db: fgraph.Db) -> None:
    pattern: list = ["*"]
    for _ in range(2000):
        pattern = [{"m/uses": pattern}]
    with pytest.raises(fgraph.QueryError):
        db.pull("lathe", pattern)
