"""The worked session of docs/cli.md, byte for byte: machine output as it stands, indented output as the same values."""

import hashlib
import json
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import fgraph

SESSION = Path(__file__).with_name("worked_session.txt")
MANIFEST = '{"fgraph":"schema/1","attributes":[{"name":"light/tags","declared":{"many":true}}]}'
LINES = '{"id":"b1","buoy/depth":4}\n{"id":"b2","buoy/depth":7}\n\n{"id":"b3","buoy/depth":9}\n'
STREAMS = ("tail", "snapshot", "version")


class Step(NamedTuple):
    """One command line, where its output goes, and what it prints: text, an error's type, or a count and a digest."""

    words: list[str]
    target: str | None
    out: str
    error: str | None
    digest: tuple[int, str] | None


def steps() -> list[Step]:
    return [_step(part.split("\n")) for part in SESSION.read_text(encoding="utf-8").strip().split("\n\n")]


def _step(lines: list[str]) -> Step:
    command, _, target = lines[0].removeprefix("$ fgraph ").partition(" > ")
    rest = lines[1:]
    if rest and rest[0].startswith("! "):
        return Step(shlex.split(command), None, "", rest[0][2:], None)
    if rest and rest[0].startswith("# "):
        number, digest = re.fullmatch(r"# (\d+) lines, sha256 (\w+)", rest[0]).groups()
        return Step(shlex.split(command), target, "", None, (int(number), digest))
    return Step(shlex.split(command), None, "".join(f"{line}\n" for line in rest), None, None)


def comparable(out: str) -> str:
    """The output without what a page size, a cursor or a release decides."""
    out = re.sub(r'"size":\d+', '"size":SIZE', out)
    out = re.sub(r'"next_cursor":"[A-Za-z0-9_-]+"', '"next_cursor":"CURSOR"', out)
    return "VERSION\n" if out == f"{fgraph.__version__}\n" else out


def prepare(shell) -> None:
    shell.env["FGRAPH_DB"] = "s.db"
    shell.write("m.json", MANIFEST)
    shell.write("nd.ndjson", LINES)


def test_every_step_prints_exactly_what_the_manual_shows(shell):
    prepare(shell)
    for step in steps():
        ran = shell.run(*step.words)
        label = " ".join(step.words)
        if step.error == "usage":
            assert (ran.status, ran.out) == (2, ""), label
            assert ran.err.startswith("usage: fgraph"), label
        elif step.error:
            assert (ran.status, ran.out) == (1, ""), label
            assert ran.err.startswith(f"{step.error}: "), label
        elif step.digest:
            content = shell.write(step.target, ran.out).read_bytes()
            assert (content.count(b"\n"), hashlib.sha256(content).hexdigest()) == step.digest, label
        else:
            assert (ran.status, comparable(ran.out), ran.err) == (0, step.out, ""), label


def test_the_streams_made_on_the_way_arrive_complete(shell):
    prepare(shell)
    lines = [step.words for step in steps() if step.error is None]
    first, last = lines[: lines.index(["tail"])], lines[lines.index(["tail"]) + 2 :]
    shell.many(first)
    events, snapshot = shell.many([["tail"], ["snapshot"]])
    shell.write("ev.ndjson", events.out)
    shell.write("snap.ndjson", snapshot.out)
    shell.many(last)
    received, restored = shell.many([["tail", "--db", "r.db"], ["snapshot", "--db", "t.db"]])
    assert received.out == events.out
    assert restored.out == snapshot.out


def test_without_json_the_same_values_come_indented_with_sorted_keys(shell):
    prepare(shell)
    wanted = steps()
    lines = [[word for word in step.words if word != "--json"] for step in wanted]
    middle = lines.index(["tail"])
    ran = shell.many(lines[:middle])
    events, snapshot = shell.many([["tail"], ["snapshot"]])
    shell.write("ev.ndjson", events.out)
    shell.write("snap.ndjson", snapshot.out)
    ran += [events, snapshot, *shell.many(lines[middle + 2 :])]
    for step, (status, out, _) in zip(wanted, ran, strict=True):
        assert status == (2 if step.error == "usage" else 1 if step.error else 0), step.words
        if step.error or step.digest or any(word in STREAMS for word in step.words):
            continue
        value = json.loads(out)
        assert out == json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n", step.words
        if not step.out.startswith("{\n"):
            canonical = json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False) + "\n"
            assert comparable(canonical) == step.out, step.words
