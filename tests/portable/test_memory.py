"""Streams are streams: memory does not grow with their length."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MEGABYTES = 200 if os.environ.get("FGRAPH_TEST_LONG") else 24
# Megabytes, the interpreter included. The short form allows less than an interpreter and its stream would take.
RESIDENT = 80 if os.environ.get("FGRAPH_TEST_LONG") else 45

PROGRAM = textwrap.dedent(
    """
    import json, os, resource, sys
    import fgraph
    from fgraph.cli.main import main

    def peak():
        # Megabytes. What the system says of the process itself begins with the size of the one that started it.
        if os.path.exists("/proc/self/status"):
            lines = open("/proc/self/status").read().splitlines()
            return next(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM"))
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

    def events(megabytes):
        text = "some words of a text that goes on for a while " * 2_000
        for number in range(megabytes * 1_000_000 // len(text)):
            yield json.dumps({
                "asserted": [[f"e{number % 100}", "n/text", f"{number} {text}", "text"]],
                "at": 1_767_225_600_000_000 + number, "created": [],
                "event": f"aaaaaaaa-0000-4000-8000-{number:012x}", "fgraph": "event/1", "retracted": [],
            })

    step, folder, megabytes = sys.argv[1], sys.argv[2], int(sys.argv[3])
    source, target, stream = folder + "/source.db", folder + "/target.db", folder + "/stream.ndjson"
    if step == "apply":
        with fgraph.connect(source) as db:
            assert db.apply_summary(events(megabytes))["applied"] > 100
    elif step == "tail":
        sys.stdout = open(folder + "/tail.ndjson", "w")
        main(["--db", source, "tail"])
    elif step == "snapshot":
        with fgraph.connect(source) as db, open(stream, "w", newline="") as out:
            db.snapshot(out)
    elif step == "restore":
        with fgraph.connect(target) as db, open(stream, "rb") as lines:
            db.restore(lines)
    elif step == "doctor":
        with fgraph.connect(source) as db:
            assert db.doctor()["ok"]
    elif step == "backup":
        with fgraph.connect(source) as db:
            db.backup(folder + "/copy.db")
    print(peak(), file=sys.stderr)
    """
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Filled by the first step, read by the later ones."""
    return tmp_path_factory.mktemp("streams")


@pytest.mark.parametrize("step", ["apply", "tail", "snapshot", "restore", "doctor", "backup"])
def test_a_long_stream_needs_little_memory(folder, step):
    """24 MB in the short form, 200 MB in the long one; each step in a process of its own."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, step, str(folder), str(MEGABYTES)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert int(ran.stderr.split()[-1]) <= RESIDENT
    if step == "tail":
        assert (folder / "tail.ndjson").stat().st_size > MEGABYTES * 900_000
