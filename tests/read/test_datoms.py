"""Pages of datoms: order, components, sources, cursors."""

import datetime
import random
import uuid
from pathlib import Path

import pytest

import fgraph
from fgraph.read import datoms as room
from tests.datalog.random_queries import random_file
from tests.file.making import change
from tests.read.workshop import open_workshop


@pytest.fixture(scope="module")
def db(still: fgraph.Db) -> fgraph.Db:
    return still


def facts(page: dict) -> list[int]:
    return [item["fact_id"] for item in page["items"]]


def test_the_form_of_a_page(db: fgraph.Db) -> None:
    assert db.datoms("eavt", ["motor", "m/watts"], source="history") == {
        "basis_tx": 76,
        "items": [
            {"e": "motor", "a": "m/watts", "v": 750, "tx": 73, "added": True, "fact_id": 54},
            {"e": "motor", "a": "m/watts", "v": 750, "tx": 75, "added": False, "fact_id": 54},
            {"e": "motor", "a": "m/watts", "v": 750, "tx": 76, "added": True, "fact_id": 61},
        ],
        "next_cursor": None,
    }


PAGES = [
    ("vaet", ["motor"], [48, 51]),
    ("vaet", [{"ref": "motor"}, "m/uses", "gearbox"], [51]),
    ("avet", ["m/watts"], [52, 61, 58]),
    ("avet", ["m/watts", 750], [61]),
    ("avet", ["m/watts", 750.0], []),
    ("eavt", ["lathe"], [47, 48, 46, 58]),
    ("eavt", [67, "m/watts", 1600, 74], [58]),
    ("eavt", ["lathe", "m/watts", 1600, 74, True], [58]),
    ("eavt", ["lathe", "m/watts", 1600, 74, False], []),
    ("eavt", ["nobody"], []),
    ("eavt", [{"eid": "00000000-0000-4000-8000-000000000001"}], []),
    ("avet", ["no/such"], []),
    ("avet", ["not an attribute"], []),
]


@pytest.mark.parametrize(("index", "components", "expected"), PAGES)
def test_components_select(db: fgraph.Db, index: str, components: list, expected: list) -> None:
    assert facts(db.datoms(index, components)) == expected


def test_a_view_shows_its_basis(db: fgraph.Db) -> None:
    view = db.at(75)
    assert facts(view.datoms("avet", ["m/watts"])) == [52, 58]
    assert facts(view.datoms("eavt", ["motor", "m/watts"], source="history")) == [54, 54]
    assert view.datoms("eavt", ["belt"])["basis_tx"] == 75


def test_values_come_in_the_order_of_what_is_stored() -> None:
    db = fgraph.connect(":memory:")
    db.declare("k/v", many=True)
    values = ["x", 1, 2.5, True, {"json": [1]}, {"bytes": "AA=="}, "z" * 300]
    db.transact({"id": "e", "k/v": values})
    shown = [item["v"] for item in db.datoms("avet", ["k/v"])["items"]]
    assert shown == [True, 1, 2.5, {"json": [1]}, "x", {"bytes": "AA=="}, "z" * 300]
    assert [item["v"] for item in db.datoms("eavt", ["e", "k/v"])["items"]] == shown


REFUSED = [
    ({"index": "aevt"}, fgraph.QueryError),
    ({"index": ["eavt"]}, fgraph.QueryError),
    ({"source": "past"}, fgraph.QueryError),
    ({"components": "lathe"}, fgraph.QueryError),
    ({"components": [1, 2, 3, 4, True, 6]}, fgraph.QueryError),
    ({"components": ["lathe", "m/watts", 1600, 74, 1]}, fgraph.QueryError),
    ({"components": [True]}, fgraph.TypeError),
    ({"components": [None]}, fgraph.TypeError),
    ({"components": [["m/name", "Lathe"]]}, fgraph.SchemaError),
    ({"components": ["lathe", "m/uses", {"ref": "nobody"}]}, fgraph.NotFound),
    ({"components": ["lathe", "m/uses", "motor"]}, fgraph.TypeError),
    ({"index": "vaet", "components": ["nobody"]}, fgraph.NotFound),
    ({"limit": 0}, fgraph.QueryError),
    ({"limit": 1001}, fgraph.QueryError),
    ({"limit": True}, fgraph.QueryError),
    ({"limit": 1.0}, fgraph.QueryError),
]


@pytest.mark.parametrize(("arguments", "error"), REFUSED, ids=[str(case[0]) for case in REFUSED])
def test_bad_arguments(db: fgraph.Db, arguments: dict, error: type) -> None:
    with pytest.raises(error):
        db.datoms(**arguments)


# -- cursors ----------------------------------------------------------------------------------------------------------


def every_page(view: fgraph.Db, index: str, source: str, limit: int) -> list[dict]:
    items, cursor = [], None
    while True:
        page = view.datoms(index, source=source, limit=limit, cursor=cursor)
        items += page["items"]
        cursor = page["next_cursor"]
        if cursor is None:
            return items
        assert len(page["items"]) == limit


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("source", ["current", "history"])
@pytest.mark.parametrize("index", ["eavt", "avet", "vaet"])
def test_pages_of_any_size_make_the_whole_in_its_order(seed: int, source: str, index: str) -> None:
    rng = random.Random(seed)
    db = random_file(rng)
    for view in (db, db.at(rng.choice([row["tx"] for row in db.changes(64)["asserted"]]))):
        whole = every_page(view, index, source, 1000)
        assert every_page(view, index, source, rng.randint(1, 5)) == whole
        assert sorted(whole, key=lambda item: place(view, index, item)) == whole
        assert len({(item["fact_id"], item["added"]) for item in whole}) == len(whole)


def place(view: fgraph.Db, index: str, item: dict) -> tuple:
    """Where a datom stands, by stored ids and values."""
    sql = "SELECT e, a, v, t FROM fgraph_facts WHERE id = ?"
    e, a, v, t = view._store.connection.execute(sql, (item["fact_id"],)).fetchone()
    columns = {"e": (0, e), "a": (0, a), "v": (isinstance(v, str), v)}
    return (*(columns[letter] for letter in index[:3]), t, item["tx"], item["added"], item["fact_id"])


def test_later_commits_do_not_show_on_later_pages() -> None:
    db = open_workshop()
    page = db.datoms("eavt", ["lathe"], limit=2)
    assert facts(page) == [47, 48]
    db.transact({"id": "lathe", "m/name": "Lathe II", "m/watts": 1})
    page = db.datoms("eavt", ["lathe"], limit=9, cursor=page["next_cursor"])
    assert facts(page) == [46, 58] and page["basis_tx"] == 76 and page["next_cursor"] is None


def test_a_cursor_of_a_view_goes_on_at_its_basis_anywhere(db: fgraph.Db) -> None:
    page = db.at(73).datoms("avet", ["m/watts"], limit=1)
    assert facts(db.datoms("avet", ["m/watts"], cursor=page["next_cursor"])) == [54, 49]


def test_a_cursor_stays_short_behind_a_long_value() -> None:
    db = fgraph.connect(":memory:")
    db.declare("j/v", type="json")
    db.transact([{"id": name, "j/v": {"json": name * 6000}} for name in "ab"])
    page = db.datoms("avet", ["j/v"], limit=1)
    assert len(page["next_cursor"]) < 512
    assert [item["e"] for item in db.datoms("avet", ["j/v"], cursor=page["next_cursor"])["items"]] == ["b"]


def test_a_cursor_belongs_to_its_request(db: fgraph.Db) -> None:
    cursor = db.datoms("eavt", ["lathe"], limit=1)["next_cursor"]
    for index, components, source in [
        ("avet", ["lathe"], "current"),
        ("eavt", [67], "current"),
        ("eavt", ["lathe"], "history"),
    ]:
        with pytest.raises(fgraph.QueryError) as caught:
            db.datoms(index, components, source=source, cursor=cursor)
        assert caught.value.code == "invalid_cursor"


def test_damaged_cursors_are_refused(db: fgraph.Db) -> None:
    cursor = db.datoms("eavt", ["lathe"], limit=1)["next_cursor"]
    for bad in [
        "",
        "x" * 4097,
        cursor + "=",
        cursor[:-1],
        "bnVsbA",
        "bnVsbB",
        "W10",
        "e30",
        cursor + "!",
        5,
        b"x",
        cursor[::-1],
    ]:
        with pytest.raises(fgraph.QueryError):
            db.datoms("eavt", ["lathe"], cursor=bad)


def test_python_objects_are_components_like_their_json_forms() -> None:
    db = fgraph.connect(":memory:")
    noon = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
    db.transact([{"p/at": noon, "p/data": b"xy"}])
    event = uuid.UUID(db.receipt(68)["event"])
    for index, components in [("avet", ["p/at", noon]), ("avet", ["p/data", b"xy"])]:
        assert [item["e"] for item in db.datoms(index, components)["items"]] == [65]
    assert [item["a"] for item in db.datoms("eavt", [{"eid": event}])["items"]] == ["fgraph/at"]


def test_components_nested_without_end_are_too_large(db: fgraph.Db) -> None:
    loop: list = []
    loop.append(loop)
    for components in (loop, ["lathe", "m/name", {"json": loop}]):
        with pytest.raises(fgraph.TooLarge) as caught:
            db.datoms("eavt", components)
        assert caught.value.param == "components"


def test_a_cursor_of_a_newer_state_is_refused(db: fgraph.Db) -> None:
    cursor = db.datoms("eavt", limit=1)["next_cursor"]
    with pytest.raises(fgraph.QueryError):
        db.at(73).datoms("eavt", cursor=cursor)


def test_an_excision_ends_all_cursors() -> None:
    db = open_workshop()
    cursor = db.datoms("eavt", limit=1)["next_cursor"]
    db.excise("belt")
    with pytest.raises(fgraph.QueryError, match="excised"):
        db.datoms("eavt", cursor=cursor)


def test_a_cursor_whose_datom_is_gone_is_refused() -> None:
    db = fgraph.connect(":memory:")
    db.declare("k/v", many=True, nohistory=True)
    db.transact({"id": "e", "k/v": [1, 2, 3]})
    cursor = db.datoms("eavt", ["e"], limit=1)["next_cursor"]
    db.retract("e", "k/v", 1)
    with pytest.raises(fgraph.QueryError, match="gone"):
        db.datoms("eavt", ["e"], cursor=cursor)


def test_an_attribute_without_facts_has_an_empty_page(db: fgraph.Db) -> None:
    assert db.datoms("avet", ["fgraph/dims"]) == {"basis_tx": 76, "items": [], "next_cursor": None}


@pytest.mark.parametrize("tag", [-1, 11])
def test_every_index_meets_a_value_with_an_impossible_tag(tmp_path: Path, tag: int) -> None:
    path = tmp_path / "facts.db"
    with open_workshop(path):
        pass
    change(path, "PRAGMA ignore_check_constraints = ON", f"UPDATE fgraph_facts SET t = {tag} WHERE id = 52")
    with fgraph.connect(path) as db:
        for index, components in [("eavt", ["gearbox"]), ("avet", ["m/watts"]), ("avet", [])]:
            for source in ("current", "history"):
                with pytest.raises(fgraph.FormatError, match=f"damaged: .* tag {tag} .*doctor"):
                    db.datoms(index, components, source=source, limit=1000)


def test_the_first_page_of_the_live_file_walks_an_index() -> None:
    db = open_workshop()
    with db._store.reading() as reader:
        for index in ("eavt", "vaet"):
            scan = room.Scan(reader, index, False, {}, None)
            table = f"fgraph_facts f INDEXED BY fgraph_{index}"
            sql, parameters = room._statement(scan, table, 2, "f.t = 0" if index == "vaet" else "")
            plan = " ".join(row[3] for row in reader.fetch(f"EXPLAIN QUERY PLAN {sql}", parameters))
            assert f"USING INDEX fgraph_{index}" in plan
