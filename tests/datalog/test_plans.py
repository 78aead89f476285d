"""The SQL of one query of each kind, and how SQLite runs it."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import fgraph
from tests.compiled import cached_environment
from tests.datalog.workshop import NEEDS_RIGHT, workshop
from tests.file.making import ROOT

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


def test_the_statement_is_the_same_in_every_process() -> None:
    """Sets of names are walked in an order that differs from process to process; no plan may rest on it."""
    query = {"find": ["?a", "?b", "?c"], "where": [["?a", "m/none", "?b", "?c"], ["+", 1, 2, "?d"]]}
    program = f"import fgraph; print(fgraph.connect(':memory:').explain({query}, analyze=True)['sql'])"
    printed = set()
    for seed in "123":
        environment = {**cached_environment(), "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
        printed.add(done.stdout or done.stderr)
    assert len(printed) == 1 and printed.pop().startswith("WITH RECURSIVE")


if __name__ == "__main__":
    store = workshop()
    GOLDEN.write_text("\n".join(plan(store, name) for name in QUERIES))
