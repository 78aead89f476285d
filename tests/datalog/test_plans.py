"""The SQL of one query of each kind, and how SQLite runs it."""

import sqlite3
from pathlib import Path

import pytest

import fgraph
from tests.datalog.workshop import NEEDS_RIGHT, workshop

GOLDEN = Path(__file__).parent / "plans.txt"
QUERIES = {
    "one pattern": {"find": ["?e"], "where": [["?e", "m/name", "Lathe"]]},
    "join": {"find": ["?n"], "where": [["?e", "m/name", "Lathe"], ["?e", "m/uses", "?f"], ["?f", "m/name", "?n"]]},
    "range": {"find": ["?e"], "where": [["?e", "m/watts", "?w"], [">", "?w", 100]]},
    "not": {"find": ["?n"], "where": [["?e", "m/name", "?n"], {"not": [["?e", "m/watts", "_"]]}]},
    "or": {
        "find": ["?n"],
        "where": [["?e", "m/name", "?n"], {"or": [[["?e", "m/watts", 750]], [["?e", "m/watts", 40]]]}],
    },
    "rule unfolded": {
        "find": ["?n"],
        "where": [{"rule": ["part", "?n", "Lathe"]}],
        "rules": [
            {
                "head": ["part", "?n", "?m"],
                "body": [
                    ["?x", "m/name", "?m"],
                    ["?x", "m/uses", "?y"],
                    ["?y", "m/name", "?n"],
                ],
            }
        ],
    },
    "recursive rule": {"find": ["?y"], "where": [{"rule": ["needs", "lathe", "?y"]}], "rules": NEEDS_RIGHT},
    "groups": {"find": ["?e", ["count", "?f"]], "where": [["?e", "m/uses", "?f"]]},
    "history": {"find": ["?v", "?t", "?d"], "where": [["motor", "m/watts", "?v", "?t", "?d"]], "source": "history"},
    "input relation": {"find": ["?e"], "where": [["?e", "m/watts", "?w"]], "in": [["?w", "..."]]},
    "arithmetic": {"find": ["?x"], "where": [["?e", "m/watts", "?w"], ["+", "?w", 1, "?x"]]},
}
ARGS = {"input relation": {"?w": [40, 750]}}


def plan(db: fgraph.Db, name: str) -> str:
    """The statement, and SQLite's plan for it, indented by its levels."""
    from fgraph.datalog import engine

    with db._store.reading() as reader:
        prepared = engine.prepare(reader, QUERIES[name], ARGS.get(name))
        _, execution = engine.attempt(prepared, engine.Run())
        final = execution.plan.final
        steps = reader.connection.execute(f"EXPLAIN QUERY PLAN {final.sql}", final.parameters).fetchall()
    level = {0: -1}
    lines = []
    for number, parent, _, text in steps:
        level[number] = level[parent] + 1
        lines.append("  " * level[number] + text)
    return "\n".join([f"## {name}", "", final.sql, "", *lines, ""])


@pytest.fixture(scope="module")
def db() -> fgraph.Db:
    return workshop()


def golden() -> dict[str, str]:
    """The kept plans by name; written anew by `python3 -m tests.datalog.test_plans`."""
    parts = GOLDEN.read_text().split("## ")[1:]
    return {part.partition("\n")[0]: f"## {part}" for part in parts}


@pytest.mark.parametrize("name", QUERIES)
def test_the_statement_is_the_kept_one(db: fgraph.Db, name: str) -> None:
    sql = plan(db, name).split("\n\n")[1]
    assert sql == golden()[name].split("\n\n")[1]


@pytest.mark.skipif(sqlite3.sqlite_version_info[:2] != (3, 40), reason="SQLite words its plans differently by version")
@pytest.mark.parametrize("name", QUERIES)
def test_sqlite_runs_it_as_kept(db: fgraph.Db, name: str) -> None:
    assert plan(db, name).strip() == golden()[name].strip()


@pytest.mark.parametrize("name", ["one pattern", "join", "range", "recursive rule"])
def test_no_table_is_scanned_where_an_index_leads(db: fgraph.Db, name: str) -> None:
    assert "SCAN f" not in plan(db, name)


if __name__ == "__main__":
    store = workshop()
    GOLDEN.write_text("\n".join(plan(store, name) for name in QUERIES))
