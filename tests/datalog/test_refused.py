"""What is refused, before any data is looked at, and what the error says."""

import pytest

import fgraph
from tests.datalog.workshop import workshop

N = ["?e", "m/name", "?n"]
FIND = {"find": ["?e"]}


@pytest.fixture(scope="module")
def db() -> fgraph.Db:
    return workshop()


def rule(head: list, body: object, **extra: object) -> dict:
    return {"find": ["?e"], "where": [N], "rules": [{"head": head, "body": body, **extra}]}


REFUSED = [
    {},
    {"find": []},
    {"find": "?e"},
    {"find": ["x"]},
    {"find": [5]},
    {"find": [["median", "?e"]]},
    {"find": [["sum"]]},
    {"find": [["pull", "?e"]]},
    {"find": [["count", "e"]], "where": [N]},
    {"find": ["?e"], "where": [N], "limti": 1},
    {"find": ["?e"], "where": [N], "source": "past"},
    {"find": ["?e"], "where": [N], "source": None},
    {"find": ["?e"], "where": [N], "source": []},
    {"find": ["?e"], "where": {}},
    {"find": ["?e"], "where": None},
    {"find": ["?e"], "where": ["?e"]},
    {"find": ["?e"], "where": [1]},
    {"find": ["?e"], "where": [[]]},
    {"find": ["?e"], "where": [["?e", "m/name"]]},
    {"find": ["?e"], "where": [["?e", "m/name", "?n", "?t", "?a", "?x"]]},
    {"find": ["?e"], "where": [["?e", "name", "?n"]]},
    {"find": ["?e"], "where": [["?e", 70, "?n"]]},
    {"find": ["?e"], "where": [["?e", "fgraph/new", "?n"]]},
    {"find": ["?e"], "where": [["?e", "m/name", None]]},
    {"find": ["?e"], "where": [["?e", "m/name", {"nope": 1}]]},
    {"find": ["?e"], "where": [["?e", "m/name", {"instant": "x"}]]},
    {"find": ["?e"], "where": [[True, "m/name", "?e"]]},
    {"find": ["?e"], "where": [[1.5, "m/name", "?e"]]},
    {"find": ["?e"], "where": [[["m/name", "Lathe"], "m/name", "?e"]]},
    {"find": ["?e"], "where": [["?e", "m/name", "?n", "?t", 1]]},
    {"find": ["?e"], "where": [["?e", "m/name", "?n", "?t", "true"]]},
    {"find": ["?e"], "where": [N, ["<", "?n"]]},
    {"find": ["?e"], "where": [[">", "?w", 1], ["?e", "m/watts", "?w"]]},
    {"find": ["?e"], "where": [N, ["=", "?e", {"ref": "nobody"}]]},
    {"find": ["?e"], "where": [N, ["+", "?n", 1]]},
    {"find": ["?w"], "where": [N, {"not": [["?e", "m/watts", "?w"]]}]},
    {"find": ["?e"], "where": [N, {"not": ["?e", "m/name", "?n"]}]},
    {"find": ["?e"], "where": [N, {"not": []}]},
    {"find": ["?e"], "where": [N, {"not": [["?x", "m/watts", "?y"]]}]},
    {"find": ["?e"], "where": [{"or": []}]},
    {"find": ["?e"], "where": [{"or": [["?e", "m/name", "?n"]]}]},
    {"find": ["?e"], "where": [{"and": [N]}]},
    {"find": ["?e"], "where": [N, {}]},
    {"find": ["?e"], "where": [N], "in": "?x"},
    {"find": ["?e"], "where": [N], "in": ["min"]},
    {"find": ["?e"], "where": [N], "in": ["?x"]},
    {"find": ["?e"], "where": [N], "in": [["?x", "...", "?y"]]},
    {"find": ["?e"], "where": [N], "in": ["?x", "?x"]},
    {"find": ["?e"], "where": [N], "rules": {}},
    {"find": ["?e"], "where": [{"rule": []}]},
    {"find": ["?e"], "where": [{"rule": ["nobody", "?e"]}]},
    {"find": ["?e"], "where": [N], "order": ["?e"]},
    {"find": ["?e"], "where": [N], "order": [["?e", "up"]]},
    {"find": ["?e"], "where": [N], "order": [["?never", "asc"]]},
    {"find": ["?e"], "where": [N], "limit": -1},
    {"find": ["?e"], "where": [N], "limit": True},
    {"find": ["?e"], "where": [N], "limit": 1.5},
    {"find": ["?e"], "where": [N], "offset": None},
    {"find": [["pull", "?e", ["*"]], ["count", "?e"]], "where": [N]},
    {"find": [["pull", "?e", "*"]], "where": [N]},
    {"find": [["pull", "?e", [{"no/such": ["*"]}]]], "where": [N]},
    {"find": [["pull", "?n", ["*"]]], "where": [N]},
    rule([], [N]),
    rule(["r", "x"], [N]),
    rule(["r", 5], [N]),
    rule(["r", "?e"], "x"),
    rule(["r", "?e"], [N], note=1),
    rule(["r", "?q"], [N]),
    rule(["r", "?e"], [N, {"rule": ["r", "?e", "?n"]}]),
    rule(["r", "?e"], [{"not": [["?x", "m/name", "_"]]}, N]),
]


@pytest.mark.parametrize("query", REFUSED, ids=[str(query)[:80] for query in REFUSED])
def test_refused_by_q_and_by_explain_with_a_way_out(db: fgraph.Db, query: dict) -> None:
    with pytest.raises(fgraph.QueryError) as caught:
        db.q(query)
    assert caught.value.param and caught.value.hint
    if query.get("find") != [["pull", "?n", ["*"]]]:  # this one only a row can tell
        with pytest.raises(fgraph.QueryError):
            db.explain(query)


@pytest.mark.parametrize("query", ["x", 5, None, [], b"{}"])
def test_a_query_that_is_no_object(db: fgraph.Db, query: object) -> None:
    with pytest.raises(fgraph.QueryError):
        db.explain(query)


@pytest.mark.parametrize("args", ["zz", 5, {"?x": None}, {"?x": {"ref": "nobody"}}, {"?x": [1]}, {"?y": 1}, {}])
def test_bad_args(db: fgraph.Db, args: object) -> None:
    with pytest.raises(fgraph.QueryError) as caught:
        db.q({"find": ["?e"], "where": [["?e", "m/name", "?x"]], "in": ["?x"]}, args)
    assert caught.value.param and caught.value.hint


MESSAGES = [
    ({"find": ["?e"], "where": [{"or": [[N], [["?e", "m/watts", "?w"]]]}]}, "binds ?n"),
    ({"find": ["?b"], "where": [["?b", "m/name", "_"]], "order": ["?b"]}, '["?b", "asc"]'),
    ({"find": ["?e"], "where": [["?e", "m/watts", "?w"], ["==", "?w", 3]]}, "= != < <= > >= contains starts-with"),
    ({"find": ["?e"], "where": [N, ["like", "?n", "M%"]]}, "contains starts-with"),
    (rule(["needs", "?x", "?y"], [["?x", "m/uses", "?y"], [">", "?z", 1]]), 'inside rule "needs"'),
    (rule(["needs", "?x"], [["?x", "m/uses"]]), 'inside rule "needs"'),
    ({"find": ["?e"], "where": [N], "limti": 1}, '"limti"'),
    (
        {
            "find": ["?e"],
            "where": [N],
            "rules": [{"head": ["r", "?x"], "body": [["?x", "m/name", "_"], {"not": [{"rule": ["r", "?x"]}]}]}],
        },
        "its own negation",
    ),
]


@pytest.mark.parametrize(("query", "words"), MESSAGES)
def test_the_error_names_what_is_wrong(db: fgraph.Db, query: dict, words: str) -> None:
    with pytest.raises(fgraph.QueryError) as caught:
        db.q(query)
    assert words in str(caught.value)


def test_clauses_nested_too_deep_are_refused(db: fgraph.Db) -> None:
    clause: object = N
    for _ in range(2000):
        clause = {"not": [clause]}
    with pytest.raises(fgraph.QueryError):
        db.q({"find": ["?e"], "where": [N, clause]})


def test_a_type_error_needs_a_row_that_reaches_it(db: fgraph.Db) -> None:
    fails = ["<", "?n", 1]
    with pytest.raises(fgraph.QueryError):
        db.q({"find": ["?e"], "where": [N, fails]})
    assert db.q({"find": ["?e"], "where": [["?e", "m/name", "Nothing"], N, fails]}).rows == []
    with pytest.raises(fgraph.QueryError):
        db.q({"find": ["?e"], "where": [N, fails, ["?e", "m/name", "Nothing"]]})


def test_a_failing_row_is_met_before_a_rule_that_nothing_can_match(db: fgraph.Db) -> None:
    uses = ["?x", "m/uses", "?y"]
    rules = [
        {"head": ["part", "?x", "?y"], "body": [uses]},
        {"head": ["far", "?x", "?y"], "body": [uses, {"rule": ["part", "nobody", "?y"]}]},
        {"head": ["far", "?x", "?y"], "body": [{"rule": ["far", "?z", "?y"]}, ["?x", "m/uses", "?z"]]},
    ]
    far = {"rule": ["far", "lathe", "motor"]}
    assert db.q({"find": ["?e"], "where": [N, far], "rules": rules}).rows == []
    with pytest.raises(fgraph.QueryError, match="< is not defined"):
        db.q({"find": ["?e"], "where": [N, ["<", "?n", 1], far], "rules": rules})


def test_one_failing_row_fails_a_not(db: fgraph.Db) -> None:
    with pytest.raises(fgraph.QueryError):
        db.q({"find": ["?e"], "where": [N, {"not": [["?e", "?a", "?v"], ["<", "?v", 5000]]}]})
