"""Which modules a command loads in a fresh process: the start of a command is mostly imports."""

import subprocess
import sys

import pytest

from tests.cli.conftest import ROOT

# Prints what a command line has loaded in all; runs isolated, with the checkout in front of everything else.
PROGRAM = """
import sys
sys.path.insert(0, {root!r})
before = set(sys.modules)
from fgraph.cli.main import main
main({words!r})
print(*sorted(set(sys.modules) - before))
"""
ENGINES = ("fgraph.care", "fgraph.datalog", "fgraph.mcp", "fgraph.portable", "fgraph.search", "fgraph.view")
SLOW = ("argparse", "subprocess", "tempfile", "urllib", "uuid", "fgraph.cli.usage", "fgraph.cli.tables")


@pytest.fixture
def loaded(shell):
    """The modules that a command line loads beyond those of the interpreter's own start."""
    shell.env["FGRAPH_DB"] = "s.db"
    assert shell.run("add", '{"id":"skerry","light/range":18}').status == 0

    def modules(*words: str) -> set[str]:
        program = PROGRAM.format(root=str(ROOT), words=list(words))
        options = {"cwd": shell.folder, "env": shell.env, "capture_output": True, "text": True}
        ran = subprocess.run([sys.executable, "-I", "-c", program], **options)
        assert (ran.returncode, ran.stderr) == (0, "")
        return set(ran.stdout.splitlines()[-1].split())

    return modules


def of(loaded: set[str], *rooms: str) -> set[str]:
    """Those of the loaded modules that are in one of the rooms."""
    return {name for name in loaded if any(name == room or name.startswith(f"{room}.") for room in rooms)}


def test_version_loads_the_package_and_the_entry_point_alone(loaded):
    assert loaded("version") == {"fgraph", "fgraph.cli", "fgraph.cli.main"}


@pytest.mark.parametrize("words", [["get", "skerry"], ["info"]])
def test_reading_loads_neither_an_engine_nor_help(loaded, words):
    seen = loaded(*words)
    assert "fgraph.database" in seen
    assert of(seen, *ENGINES, *SLOW) == set()


def test_a_query_loads_its_own_engine_alone(loaded):
    seen = loaded("q", '{"find":["?v"],"where":[["skerry","light/range","?v"]]}')
    assert "fgraph.datalog.engine" in seen
    assert of(seen, *set(ENGINES) - {"fgraph.datalog"}, *SLOW) == set()


def test_a_write_loads_neither_an_engine_nor_argparse(loaded):
    assert of(loaded("add", '{"id":"skerry","light/range":21}'), *ENGINES, *SLOW) == set()


def test_help_opens_no_database(loaded):
    assert of(loaded("--help"), "sqlite3", "fgraph.database", *ENGINES) == set()
