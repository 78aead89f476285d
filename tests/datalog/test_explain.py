"""The plan in stable words, its warnings, and the analyzed steps."""

import pytest

import fgraph
from tests.datalog.workshop import NEEDS_RIGHT, workshop


@pytest.fixture(scope="module")
def db() -> fgraph.Db:
    return workshop()


def explained(db: fgraph.Db, where: list, args: object = None, **more: object) -> dict:
    return db.explain({"find": [], **more} | {"where": where}, args)


LABELS = [
    ([["lathe", "m/name", "Lathe"], ["?e", "m/name", "_"]], 0, "eavt/exact"),
    ([["lathe", "m/name", "?e"]], 0, "eavt/ea"),
    ([["?e", "m/watts", 40]], 0, "avet"),
    ([["lathe", "?e", "?v"]], 0, "eavt/e"),
    ([["?e", "m/watts", "?w"]], 0, "avet/a"),
    ([["?e", "_", 40]], 0, "value-scan"),
    ([["?e", "?a", "?v"]], 0, "scan"),
    ([["?e", "?a", "?v", 74]], 0, "scan"),
    ([["?e", "m/watts", 40], ["?e", "m/name", "?n"]], 1, "eavt/batch"),
    ([["?e", "m/watts", 40], ["?e", "m/name", "?n", "?t"]], 1, "eavt/ea"),
]


@pytest.mark.parametrize(("where", "ordinal", "label"), LABELS)
def test_labels(db: fgraph.Db, where: list, ordinal: int, label: str) -> None:
    plan = explained(db, where, find=["?e"])
    assert {clause["ordinal"]: clause["access"] for clause in plan["clauses"]}[ordinal] == label


def test_the_keys_and_the_order_of_the_text(db: fgraph.Db) -> None:
    where = [["?e", "m/name", "?n"], ["?x", "m/uses", "?e"], ["?x", "m/name", "Lathe"]]
    assert explained(db, where, find=["?n"]) == {
        "basis_tx": 76,
        "source": "current",
        "work_limit": 100_000,
        "clauses": [
            {"ordinal": 2, "kind": "pattern", "access": "avet", "bound": []},
            {"ordinal": 1, "kind": "pattern", "access": "eavt/batch", "bound": ["?x"]},
            {"ordinal": 0, "kind": "pattern", "access": "eavt/batch", "bound": ["?e", "?x"]},
        ],
        "warnings": [],
    }


def test_filters_and_barriers(db: fgraph.Db) -> None:
    where = [
        ["?f", "m/name", "?n"],
        ["starts-with", "?n", "M"],
        ["lathe", "m/uses", "?f"],
        {"not": [["?f", "m/watts", 1]]},
        {"or": [[["?f", "m/watts", "?w"]]]},
        {"rule": ["needs", "?g", "?f"]},
    ]
    plan = explained(db, where, find=["?f"], rules=NEEDS_RIGHT)
    assert [(clause["ordinal"], clause["kind"], clause["access"]) for clause in plan["clauses"]] == [
        (0, "pattern", "avet/a"),
        (1, "predicate", "filter"),
        (2, "pattern", "eavt/exact"),
        (3, "not", "barrier"),
        (4, "or", "barrier"),
        (5, "rule", "barrier"),
    ]
    assert plan["clauses"][-1]["bound"] == ["?f", "?n", "?w"]


def test_variables_local_to_a_not_are_not_bound_by_it(db: fgraph.Db) -> None:
    where = [{"or": [[["?e", "m/name", "?x"], {"not": [["?e", "m/watts", "?l"]]}]]}, ["?q", "m/watts", "?l"]]
    assert explained(db, where, find=["?q"])["clauses"][1]["access"] == "avet/a"


def test_warnings(db: fgraph.Db) -> None:
    plan = explained(db, [["?e", "?a", 40], ["?x", "?b", "?v"]], find=["?e"], source="history")
    assert len(plan["warnings"]) == 3 and "0" in plan["warnings"][0] and "1" in plan["warnings"][1]
    query = {"find": ["?y"], "where": [["?x", "m/uses", "?y"]], "in": ["?x"]}
    assert "?x" in db.explain(query, {"?x": "lathe"})["warnings"][0]
    assert db.explain(query, {"?x": {"ref": "lathe"}})["warnings"] == []


def test_analyze_shows_what_each_step_did(db: fgraph.Db) -> None:
    where = [["?e", "m/name", "?n"], ["?e", "m/watts", "?w"], [">", "?w", 100]]
    plan = db.explain({"find": ["?n"], "where": where}, analyze=True)
    assert plan["rows"] == 2 and plan["work"] == 4
    assert [(step["ordinal"], step["index"], step["rows"], step["work"]) for step in plan["steps"]] == [
        (1, "fgraph_avet", 2, 2),
        (0, "fgraph_eavt", 2, 2),
    ]
    assert plan["steps"][0]["seeks"] == ["?w >"]
    assert plan["sql"].startswith("SELECT")


def test_analyze_says_how_a_rule_is_entered(db: fgraph.Db) -> None:
    query = {"find": ["?y"], "where": [{"rule": ["needs", "lathe", "?y"]}], "rules": NEEDS_RIGHT}
    step = db.explain(query, analyze=True)["steps"][0]
    assert (step["kind"], step["entered"], step["rows"]) == ("rule", "recursive statement", 2)
    step = db.explain({**query, "limit": 5}, analyze=True)["steps"][0]
    assert step["entered"] == "rounds from the bound arguments" and step["work"] > 0
