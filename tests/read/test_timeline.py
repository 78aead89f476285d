"""`history`, `why`, `diff` and `changes`: facts over time."""

import pytest

from fgraph import errors
from tests.read.workshop import AT

SECOND = 1_000_000


def ids(facts: list[dict]) -> list[int]:
    return [fact["id"] for fact in facts]


LATHE_WATTS = [
    {
        "id": 49, "e": "lathe", "a": "m/watts", "v": 1500, "tx": 73, "rx": 74,
        "at": AT + 2 * SECOND, "by": "kim", "source": "sheet-1", "rx_at": AT + 3 * SECOND, "rx_source": "meter",
    },
    {
        "id": 58, "e": "lathe", "a": "m/watts", "v": 1600, "tx": 74, "rx": None,
        "at": AT + 3 * SECOND, "source": "meter",
    },
]  # fmt: skip


def test_history_tells_each_fact_with_who_asserted_and_who_ended_it(still):
    found = still.history("lathe", "m/watts")
    assert found == LATHE_WATTS
    assert [list(fact) for fact in found] == [list(fact) for fact in LATHE_WATTS]


def test_history_of_all_attributes_is_ordered_by_transaction_and_fact(still):
    assert ids(still.history("lathe")) == [46, 47, 48, 49, 58]
    assert ids(still.history("motor")) == [53, 54, 61]
    assert ids(still.history(73)) == [43, 44, 45]


def test_history_on_a_view_knows_nothing_of_what_came_later(still):
    (fact,) = still.at(73).history("lathe", "m/watts")
    assert fact == {key: LATHE_WATTS[0][key] for key in ("id", "e", "a", "v", "tx", "at", "by", "source")} | {
        "rx": None
    }


def test_history_tells_who_retracted(still):
    ended = still.history("motor", "m/watts")[0]
    assert (ended["rx"], ended["rx_at"]) == (75, AT + 4 * SECOND)
    assert "rx_by" not in ended and "rx_source" not in ended


def test_why_tells_the_whole_asserting_transaction(db):
    tx = db.transact({"id": "belt", "m/watts": 5}, by="lee", meta={"n": [1]}, tx={"m/ticket": "T-1"}).tx
    assert db.why("belt") == [
        {
            "id": 55, "e": "belt", "a": "m/name", "v": "Belt", "tx": 73, "rx": None,
            "provenance": {
                "fgraph/at": {"instant": "2026-01-01T00:00:02.000000Z"},
                "fgraph/by": "kim",
                "fgraph/source": "sheet-1",
            },
        },
        {
            "id": 65, "e": "belt", "a": "m/watts", "v": 5, "tx": tx, "rx": None,
            "provenance": {
                "fgraph/at": {"instant": "2026-01-01T00:00:06.000000Z"},
                "fgraph/by": "lee",
                "fgraph/meta": {"json": {"n": [1]}},
                "m/ticket": "T-1",
            },
        },
    ]  # fmt: skip


def test_why_shows_visible_facts_only_by_attribute_then_time(still):
    assert ids(still.why("lathe")) == [47, 48, 46, 58]  # m/uses is 65, m/name 68, m/watts 71
    assert ids(still.why("lathe", "m/watts")) == [58]
    assert ids(still.at(73).why("lathe", "m/watts")) == [49]
    assert still.at(75).why("motor", "m/watts") == []


def test_provenance_is_as_it_was_even_when_the_schema_has_changed(db):
    tx = db.transact({"id": "belt", "m/watts": 5}, tx={"m/tags": "a"}).tx
    db.declare("m/tags", many=True)
    assert db.why("belt", "m/watts")[0]["tx"] == tx
    assert db.why("belt", "m/watts")[0]["provenance"]["m/tags"] == ["a"]


@pytest.mark.parametrize("read", ["history", "why"])
def test_an_unknown_attribute_is_not_found_and_an_unused_one_is_empty(still, read):
    with pytest.raises(errors.NotFound) as caught:
        getattr(still, read)("lathe", "m/unknown")
    assert (caught.value.code, caught.value.param) == ("unknown_attribute", "attribute")
    assert getattr(still, read)("belt", "m/watts") == []
    assert getattr(still, read)("belt", "fgraph/doc") == []


@pytest.mark.parametrize("read", ["history", "why"])
@pytest.mark.parametrize(
    ("attribute", "error"),
    [(["m/watts"], errors.TypeError), (71, errors.TypeError), (True, errors.TypeError), (b"m/watts", errors.TypeError),
     ("m/\ud800", errors.SchemaError)],
    ids=ascii,
)  # fmt: skip
def test_an_attribute_is_named_by_text(still, read, attribute, error):
    with pytest.raises(error):
        getattr(still, read)("lathe", attribute)


def test_history_asks_for_each_transaction_once(db):
    db.declare("m/tags", many=True)
    db.transact({"id": "belt", "m/tags": list(range(200))}, by="kim")
    statements: list[str] = []
    db._store.connection.set_trace_callback(statements.append)
    assert len(db.history("belt")) == len(db.why("belt")) == 201
    db._store.connection.set_trace_callback(None)
    assert len(statements) < 30, "not one for each fact"


# -- diff and changes -------------------------------------------------------------------------------------------------


def test_diff_tells_what_was_asserted_and_retracted_in_between(still):
    found = still.diff(73, 75)
    assert ids(found["asserted"]) == [56, 57, 58, 59]
    assert [(fact["id"], fact["rx"]) for fact in found["retracted"]] == [(49, 74), (54, 75)]
    assert found["asserted"][2] == {"id": 58, "e": "lathe", "a": "m/watts", "v": 1600, "tx": 74, "rx": None}
    assert list(found) == ["asserted", "retracted"]


def test_the_boundaries_of_diff_are_moments(still):
    assert still.diff("2026-01-01T00:00:02Z", AT + 4 * SECOND) == still.diff(73, 75)
    assert still.diff({"instant": "2026-01-01T00:00:02.5Z"}, {"eid": still.receipt(75)["event"]}) == still.diff(73, 75)


def test_diff_of_a_moment_with_itself_is_empty(still):
    assert still.diff(73, 73) == {"asserted": [], "retracted": []}


def test_diff_backwards_is_refused(still):
    with pytest.raises(errors.QueryError, match="later"):
        still.diff(75, 73)


def test_on_the_live_handle_a_fact_may_have_ended_after_the_interval(still):
    assert [fact["rx"] for fact in still.diff(66, 73)["asserted"] if fact["id"] == 49] == [74]


def test_on_a_view_later_ends_are_not_known_and_the_interval_is_clipped(still):
    view = still.at(73)
    assert [fact["rx"] for fact in view.diff(66, 76)["asserted"] if fact["id"] == 49] == [None]
    assert view.diff(66, 76)["retracted"] == []
    assert view.diff(74, 76) == {"asserted": [], "retracted": []}


def test_changes_goes_on_to_the_newest_transaction(still):
    assert still.changes(73) == still.diff(73, 76)
    assert still.changes(73, 75) == still.diff(73, 75)
    assert still.at(75).changes(73) == still.at(75).diff(73, 75)


@pytest.mark.parametrize("moment", [None, True, "x", 1.5])
def test_a_boundary_that_is_no_moment_is_refused_by_name(still, moment):
    for call, name in ((lambda: still.diff(moment, 75), "t1"), (lambda: still.diff(73, moment), "t2")):
        with pytest.raises(errors.TypeError) as caught:
            call()
        assert caught.value.param == name


def test_the_whole_history_of_the_store_adds_up(still):
    """Every live fact was asserted and not retracted since genesis."""
    found = still.diff(64, 76)
    ended = {fact["id"] for fact in found["retracted"]}
    live = {
        row[0] for row in still._store.connection.execute("SELECT id FROM fgraph_facts WHERE rx IS NULL AND tx > 64")
    }
    assert {fact["id"] for fact in found["asserted"]} - ended == live
