"""Views: the store as of a transaction, a time or an event."""

import datetime
import uuid

import pytest

import fgraph
from fgraph import errors, limits
from tests.read.workshop import AT


def basis(view: fgraph.Db) -> int:
    return view.receipt(64)["read_basis_tx"]


MOMENTS = {
    "a transaction": (73, 73),
    "genesis": (64, 64),
    "a time to the second": ("2026-01-01T00:00:02Z", 73),
    "a time between two transactions": ("2026-01-01T00:00:02.9Z", 73),
    "a time in another zone": ("2026-01-01T02:00:02+02:00", 73),
    "microseconds": (AT + 2_500_000, 73),
    "the time of genesis": (AT, 64),
    "a wrapped time": ({"instant": "2026-01-01T00:00:03Z"}, 74),
    "wrapped microseconds": ({"instant": AT + 3_000_000}, 74),
    "a datetime with a zone": (datetime.datetime(2026, 1, 1, 0, 0, 3, tzinfo=datetime.UTC), 74),
    "the far future": ("2030-01-01T00:00:00Z", 76),
    "the end of time": (limits.INSTANT_MAX, 76),
    "an event": ({"eid": "31b273ae-6349-4d7d-b106-0158b87dffac"}, 74),
    "an event as an object": ({"eid": uuid.UUID("31b273ae-6349-4d7d-b106-0158b87dffac")}, 74),
}


@pytest.mark.parametrize(("moment", "expected"), MOMENTS.values(), ids=MOMENTS.keys())
def test_a_moment_chooses_a_transaction(still, moment, expected):
    assert basis(still.at(moment)) == expected


BEFORE_ALL = [65, 0, -1, AT - 1, "2025-12-31T23:59:59.999999Z", {"instant": 74}, limits.INSTANT_MIN]
NO_MOMENT = [
    "2026-01-01", "2026-01-01t00:00:00Z", "2026-01-01T00:00:00z", "2026-01-01T00:00:00", "", "lathe", True, None, 1.5,
    [73], (73,), {}, {"tx": 73}, {"instant": None}, {"instant": "x"}, {"instant": 1, "eid": 2}, 1 << 63,
    -(1 << 63) - 1, limits.INSTANT_MAX + 1, limits.INSTANT_MIN - 1, {"eid": "x"}, {"eid": 74}, b"73",
    datetime.datetime(2026, 1, 1), "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("moment", BEFORE_ALL, ids=repr)
def test_before_genesis_there_is_nothing(still, moment):
    with pytest.raises(errors.NotFound) as caught:
        still.at(moment)
    assert caught.value.code == "unknown_transaction"


@pytest.mark.parametrize("selector", ["skerry", 68])
def test_before_an_entity_came_it_was_not_there_yet(selector):
    with fgraph.connect(":memory:") as db:
        db.transact({"id": "first", "x/y": 1})  # transaction 67
        db.transact({"id": "skerry", "x/y": 1})  # entity 68, transaction 69
        with pytest.raises(errors.NotFound, match="was not there yet at transaction 67; it came with transaction 69"):
            db.at(67).entity(selector)
        with pytest.raises(errors.NotFound, match='"nobody" does not exist; check the spelling'):
            db.at(67).entity("nobody")


@pytest.mark.parametrize("moment", NO_MOMENT, ids=ascii)
def test_what_is_no_moment_is_refused(still, moment):
    with pytest.raises(errors.TypeError):
        still.at(moment)


def test_an_event_must_be_that_of_a_transaction(db):
    with pytest.raises(errors.NotFound):
        db.at({"eid": str(uuid.UUID(int=5))})
    report = db.transact({"id": {"tmp": "t"}, "m/name": "Anonymous"})
    gid = db.event_records(report.basis_tx)[0]["created"][0]["eid"]
    assert db.entity({"eid": gid}) == {"m/name": "Anonymous"}
    with pytest.raises(errors.TypeError):
        db.at({"eid": gid})


def test_a_time_on_an_ordinary_entity_makes_no_transaction(db):
    db.transact({"id": "belt", "fgraph/at": {"instant": AT + 2_200_000}})
    assert basis(db.at(AT + 2_300_000)) == 73


def test_equal_times_choose_the_newest_transaction(db):
    connection = db._store.connection
    connection.execute("UPDATE fgraph_facts SET v = ? WHERE e = 75 AND a = 1", (AT + 3_000_000,))
    assert basis(db.at(AT + 3_000_000)) == 75


def test_a_view_of_a_view_is_the_older_one(still):
    for first, second in ((73, 76), (76, 73), (73, 73)):
        assert basis(still.at(first).at(second)) == min(first, second)
    event = {"eid": still.receipt(76)["event"]}
    assert basis(still.at(73).at(event)) == 73


def test_a_view_shows_facts_names_and_schema_of_its_basis(db):
    db.declare("m/watts", many=True)
    old = db.at(73)
    assert old.entity("lathe")["m/watts"] == 1500
    assert db.entity("lathe")["m/watts"] == [1600]
    assert db.at(74).entity("lathe")["m/watts"] == 1600
    assert db.at(75).entity("motor") == {"m/name": "Motor"}
    assert [fact["rx"] for fact in old.history("lathe", "m/watts")] == [None], "it ended later"
    with pytest.raises(errors.NotFound):
        db.at(66).entity("lathe")
    assert db.at(66).entity("m/uses") == {"fgraph/many": True, "fgraph/type": "ref"}


def test_an_attribute_born_later_is_known_and_unused(db):
    db.transact({"id": "lathe", "m/colour": "grey"})
    assert db.at(73).history("lathe", "m/colour") == []
    assert db.at(73).why("lathe", "m/colour") == []
    with pytest.raises(errors.NotFound):
        db.at(73).history("lathe", "m/unheard-of")


def test_what_was_deleted_is_gone_from_views_too(db):
    db.declare("m/seen", nohistory=True)
    basis_tx = db.transact({"id": "belt", "m/seen": 1}).tx
    db.transact({"id": "belt", "m/seen": 2})
    assert "m/seen" not in db.at(basis_tx).entity("belt")


WRITES = {
    "transact": lambda view: view.transact({"id": "x", "m/name": "X"}),
    "add": lambda view: view.add({"id": "x", "m/name": "X"}),
    "retract": lambda view: view.retract("lathe"),
    "declare": lambda view: view.declare("m/x", many=True),
    "declare_shape": lambda view: view.declare_shape("shape"),
    "apply_schema_manifest": lambda view: view.apply_schema_manifest(view.schema_manifest()),
    "undo": lambda view: view.undo(76),
    "excise": lambda view: view.excise("belt"),
    "speculate": lambda view: view.speculate().__enter__(),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_a_view_cannot_be_written(still, write):
    with pytest.raises(errors.ReadOnly, match="73"):
        write(still.at(73))
    assert still.stats()["transactions"] == 6


def test_a_view_is_a_handle_of_its_own(db):
    with db.at(73) as view:
        assert view.path == db.path
        assert view.stats()["transactions"] == 3
        with view.reading() as basis_tx:
            assert basis_tx == 73
    assert db.stats()["transactions"] == 6


def test_a_view_taken_inside_a_speculation_sees_it(db):
    with db.speculate():
        tx = db.transact({"id": "lathe", "m/watts": 1}).tx
        assert db.at(tx).entity("lathe")["m/watts"] == 1
        assert db.at(76).entity("lathe")["m/watts"] == 1600
    with pytest.raises(errors.NotFound):
        db.at(tx)


def test_the_schema_of_a_view_is_that_of_its_basis(still):
    view = still.at(64)
    assert view.attributes() == []
    assert [item["name"] for item in still.at(66).attributes()] == ["m/uses"]
    assert [item["name"] for item in still.attributes()] == ["m/name", "m/uses", "m/watts"]
    assert view.schema_manifest()["attributes"] == []
    assert still.at(66).check_schema_manifest(still.schema_manifest())["valid"] is True
    assert view.check_schema_manifest(still.schema_manifest())["valid"] is False
    assert still.at(73).validate("lathe")["basis_tx"] == 73
    assert [record["event"] for record in still.at(74).event_records(73)] == [still.receipt(74)["event"]]


def test_queries_of_a_view_are_answered_as_of_its_basis(still):
    find = {"find": ["?w"], "where": [["lathe", "m/watts", "?w"]]}
    assert still.at(73).q(find).rows == [[1500]]
    assert still.q(find).rows == [[1600]]
    assert still.at(66).q(find).rows == []
    assert still.at(73).pull("lathe", ["m/watts"]) == {"m/watts": 1500}
    assert [item["v"] for item in still.at(73).datoms("eavt", ["lathe", "m/watts"])["items"]] == [1500]


def test_a_view_can_neither_be_searched_nor_followed(still):
    with pytest.raises(errors.Unsupported):
        still.at(73).search("lathe")
    with pytest.raises(errors.Unsupported):
        next(still.at(73).follow(64))


def ids(facts):
    return [fact["id"] for fact in facts]


def test_a_view_since_a_transaction_has_the_history_of_what_happened_after_it(still):
    view = still.since(73)
    assert ids(view.history("lathe")) == [49, 58]
    assert ids(view.history("motor", "m/watts")) == [54, 61]
    assert view.history("belt") == []
    assert ids(still.since(74).history("lathe")) == []
    assert ids(still.since(73).at(74).history("motor")) == []


def test_a_view_since_a_transaction_explains_what_was_asserted_after_it(still):
    assert ids(still.since(73).why("lathe")) == [58]
    assert still.since(74).why("lathe") == []


def test_a_view_since_a_transaction_clips_what_is_compared(still):
    view = still.since(74)
    assert view.diff(64, 75) == still.diff(74, 75)
    assert view.changes(64) == still.changes(74)
    assert view.diff(64, 73) == {"asserted": [], "retracted": []}
    with pytest.raises(errors.QueryError):
        view.diff(75, 64)


def test_a_view_since_a_transaction_knows_all_transactions_and_the_whole_schema(still):
    view = still.since(74)
    assert view.receipt(73) == still.receipt(73)
    assert view.stats() == still.stats()
    assert view.schema() == still.schema()
    assert view.event_records() == still.event_records()
