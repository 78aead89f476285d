"""`fgraph view`: the page from the command line."""

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

import fgraph
from fgraph import limits
from fgraph.view.bounds import Bounds

LAUNCHER = Path(__file__).resolve().parents[2] / "fgraph.py"


@pytest.fixture
def run(tmp_path):
    """Runs a command line beside a small database; gives its status, output and errors."""
    with fgraph.connect(tmp_path / "facts.fgraph", clock=1_767_225_600_000_000) as db:
        db.transact({"id": "skerry", "light/range": 18})
        db.transact({"id": "skerry", "light/range": 21})
    env = {name: value for name, value in os.environ.items() if not name.startswith("FGRAPH_")}

    def ran(*words: str) -> subprocess.CompletedProcess:
        command = [sys.executable, str(LAUNCHER), *words]
        return subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=60)

    return ran


def test_the_page_goes_to_memory_html_and_the_report_to_standard_output(run, tmp_path):
    done = run("--json", "view")
    assert (done.returncode, done.stderr) == (0, "")
    report = json.loads(done.stdout)
    assert (report["path"], report["basis_tx"]) == ("memory.html", 68)
    assert (tmp_path / "memory.html").stat().st_size == report["bytes"]


def test_an_earlier_state_and_other_bounds_can_be_asked_for(run, tmp_path):
    done = run("--json", "view", "--at", "67", "--output", "before.html", "--entities", "1", "--value-bytes", "1")
    report = json.loads(done.stdout)
    assert report["basis_tx"] == 67
    assert report["left_out"] == ["The rest of 1 value longer than 1 byte."]
    assert (tmp_path / "before.html").exists()


def test_the_database_itself_is_not_overwritten(run, tmp_path):
    before = (tmp_path / "facts.fgraph").read_bytes()
    done = run("view", "--output", "facts.fgraph")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Conflict: ")
    assert (tmp_path / "facts.fgraph").read_bytes() == before


def test_people_read_a_sentence(run):
    done = run("view", "--format", "table")
    assert done.stdout.startswith("memory.html (")
    assert done.stdout.endswith("1 entity as of tx 68, 0 contested values\n")


def test_the_manual_states_the_defaults_that_hold():
    text = (LAUNCHER.parent / "docs" / "view.md").read_text(encoding="utf-8")
    stated = re.findall(r"^\| `--([a-z-]+) N` \| ([0-9,]+) \|", text, re.MULTILINE)
    assert {name.replace("-", "_"): int(number.replace(",", "")) for name, number in stated} == asdict(Bounds())
    assert f"1 to {limits.VIEW_MOST:,}." in text
    assert f"{limits.VIEW_PAGE_BYTES >> 20} MiB" in text
