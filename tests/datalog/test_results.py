"""Projection, aggregates, order, limits, pulls, and the result object."""

import pytest

import fgraph
from fgraph.datalog.results import Result
from tests.datalog.workshop import CLOCK, rows, workshop

NAME, WATTS, USES = ["?e", "m/name", "?n"], ["?e", "m/watts", "?w"], ["?e", "m/uses", "?f"]


@pytest.fixture(scope="module")
def db() -> fgraph.Db:
    return workshop()


AGGREGATES = [
    ([["count", "?e"]], [["?e", "m/uses", "_"]], [[2]]),
    ([["count", "?e"]], [USES], [[3]]),
    ([["count-distinct", "?e"]], [USES], [[2]]),
    (["?e", ["count", "?f"]], [USES], [["lathe", 2], ["gearbox", 1]]),
    ([["sum", "?w"], ["min", "?w"], ["max", "?w"]], [WATTS], [[2390, 40, 1600]]),
    ([["avg", "?w"]], [WATTS, [">", "?w", 40]], [[1175.0]]),
    (
        [["count", "?w"], ["count-distinct", "?w"], ["sum", "?w"], ["avg", "?w"], ["min", "?w"]],
        [["?e", "no/such", "?w"]],
        [[0, 0, None, None, None]],
    ),
    (["?e", ["count", "?w"]], [["?e", "no/such", "?w"]], []),
    ([["max", "?t"]], [[74, "fgraph/at", "?t"]], [[CLOCK + 3_000_000]]),
]


@pytest.mark.parametrize(("find", "where", "expected"), AGGREGATES)
def test_aggregates(db: fgraph.Db, find: list, where: list, expected: list) -> None:
    assert rows(db, where, *find) == expected
    assert rows(db, where, *find, limit=9) == expected  # the same from rows in canonical order


@pytest.mark.parametrize("item", [["sum", "?n"], ["min", "?n"], ["avg", "?e"], ["max", "?e"]])
def test_aggregates_of_text_and_references_are_refused(db: fgraph.Db, item: list) -> None:
    with pytest.raises(fgraph.QueryError):
        rows(db, [NAME], item)


def store(*values: object) -> fgraph.Db:
    db = fgraph.connect(":memory:", clock=CLOCK)
    db.declare("k/v", many=True)
    db.transact([{"id": f"e{place}", "k/v": [value]} for place, value in enumerate(values)])
    return db


def test_floats_are_added_in_the_order_of_their_facts() -> None:
    assert rows(store(1e16, 1.0, -1e16), [["?e", "k/v", "?v"]], ["sum", "?v"], ["avg", "?v"]) == [[0.0, 0.0]]
    assert rows(store(1e16, -1e16, 1.0), [["?e", "k/v", "?v"]], ["sum", "?v"]) == [[1.0]]


def test_integers_are_added_exactly_and_checked() -> None:
    big = 9_223_372_036_854_775_807
    assert rows(store(big, 1, -1), [["?e", "k/v", "?v"]], ["sum", "?v"]) == [[big]]
    with pytest.raises(fgraph.QueryError):
        rows(store(big, 1), [["?e", "k/v", "?v"]], ["sum", "?v"])
    with pytest.raises(fgraph.QueryError):
        rows(store(1e308, 1.1e308), [["?e", "k/v", "?v"]], ["sum", "?v"])


def test_rows_that_print_alike_are_merged() -> None:
    db = store(1, 1.0, True)
    assert rows(db, [["?e", "k/v", "?v"]], "?v") == [[1], [True]]
    assert rows(db, [["?e", "k/v", "?v"]], "?v", ["count", "?e"]) == [[1, 1], [True, 1]]
    assert rows(db, [["?e", "k/v", "?v"]], ["count-distinct", "?v"]) == [[3]]


def test_order_puts_the_types_in_a_row() -> None:
    db = store("z", {"json": 3}, 3, {"ref": "m"}, False, "3", -1.5, {"bytes": "Aw=="})
    expected = [[False], [-1.5], [3], ["3"], ["z"], [{"bytes": "Aw=="}], [{"json": 3}], ["m"]]
    assert rows(db, [["?e", "k/v", "?v"]], "?v", order=[["?v", "asc"]]) == expected
    assert rows(db, [["?e", "k/v", "?v"]], "?v", order=[["?v", "desc"]]) == expected[::-1]


def test_order_by_several_keys_and_by_a_variable_outside_find(db: fgraph.Db) -> None:
    assert rows(db, [USES], "?e", "?f", order=[["?e", "asc"], ["?f", "desc"]]) == [
        ["gearbox", "motor"],
        ["lathe", "motor"],
        ["lathe", "gearbox"],
    ]
    assert rows(db, [NAME, WATTS], "?n", order=[["?w", "desc"]]) == [["Lathe"], ["Motor"], ["Gearbox"]]


@pytest.mark.parametrize(
    ("limit", "offset", "expected"),
    [(2, 0, ["lathe", "gearbox"]), (2, 3, ["belt"]), (0, 0, []), (None, 9, []), (None, 2, ["motor", "belt"])],
)
def test_limit_and_offset(db: fgraph.Db, limit: int | None, offset: int, expected: list) -> None:
    assert rows(db, [NAME], "?e", limit=limit, offset=offset) == [[name] for name in expected]


def test_an_order_without_a_value_is_refused(db: fgraph.Db) -> None:
    with pytest.raises(fgraph.QueryError):
        rows(db, [["?e", "no/such", "?w"]], ["count", "?w"], order=[["?e", "asc"]])


def test_pull_in_find(db: fgraph.Db) -> None:
    pulled = db.q({"find": ["?e", ["pull", "?e", ["m/watts", "m/_uses"]]], "where": [["?e", "m/watts", 40]]}).rows
    assert pulled == [[{"ref": "gearbox"}, {"m/watts": 40, "m/_uses": [{"ref": "lathe"}]}]]
    assert rows(db, [NAME], ["pull", "?e", []]) == [[{}]]


def test_the_result_is_an_immutable_mapping() -> None:
    result = Result(["?x"], [[1]])
    assert dict(result) == {"columns": ["?x"], "rows": [[1]]} == result.to_dict()
    assert list(result) == ["columns", "rows"] and len(result) == 2
    result.rows.append([2])
    result.rows[0][0] = 5
    assert result["rows"] == [[1]]
    with pytest.raises(KeyError):
        result["basis"]
    with pytest.raises(AttributeError):
        result.rows = []


def test_the_query_may_be_keywords_but_not_both(db: fgraph.Db) -> None:
    assert len(db.q(find=["?e"], where=[NAME]).rows) == 4
    with pytest.raises(fgraph.QueryError):
        db.q({}, find=["?e"], where=[NAME])
