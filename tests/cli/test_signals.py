"""Ctrl-C, SIGTERM, closed pipes and full disks: what is said, what is kept, with which status."""

import json
import os
import signal
import sqlite3
import subprocess
import time

import pytest

FULL = "/dev/full"


def event_line(number: int) -> str:
    event = {
        "asserted": [[f"e{number}", "x/n", number, "int"]],
        "at": 1767225700000000 + number,
        "created": [f"e{number}"],
        "event": f"{number:08x}-0000-4000-8000-000000000000",
        "fgraph": "event/1",
        "retracted": [],
    }
    return json.dumps(event) + "\n"


def until(condition, seconds: float = 20.0) -> None:
    """Wait for a condition that another process brings about."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never came"
        time.sleep(0.01)


def holds_writer_lock(path) -> bool:
    """Whether another process is in the middle of a write."""
    if not path.exists():
        return False
    other = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        other.execute("ROLLBACK")
        return False
    except sqlite3.OperationalError:
        return True
    finally:
        other.close()


def transactions(shell, name: str = "s.db") -> int:
    return shell.run("--db", name, "--json", "info").json["transactions"]


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_apply_changes_nothing_and_says_so(shell, number, status):
    shell.run("--db", "s.db", "init")
    process = shell.start("--db", "s.db", "apply")
    process.stdin.write("".join(map(event_line, range(3))).encode())
    process.stdin.flush()
    until(lambda: holds_writer_lock(shell.folder / "s.db"))
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (status, b"", b"Interrupted: nothing was changed\n")
    assert transactions(shell) == 1


LONG_WORK = {
    # words: what shows that the work has begun
    ("doctor", "--repair"): lambda folder: holds_writer_lock(folder / "s.db"),
    ("backup", "copy.db"): lambda folder: any(path.name.startswith(".copy.db") for path in folder.iterdir()),
}


@pytest.mark.parametrize("words", LONG_WORK, ids=lambda words: words[0])
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_is_heard_also_while_sqlite_works_and_leaves_nothing(shell, words, number, status):
    records = [{"id": f"e{number}", "x/t": f"text {number}"} for number in range(4_000)]
    shell.run("--db", "s.db", "add", "-", stdin=json.dumps(records))
    for _ in range(20):
        process = shell.start("--db", "s.db", "--json", *words)
        until(lambda process=process: process.poll() is not None or LONG_WORK[words](shell.folder))
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        if b"nothing" in err:  # it was met at its work
            break
        (shell.folder / "copy.db").unlink(missing_ok=True)
    assert (process.returncode, out, err) == (status, b"", b"Interrupted: nothing was changed\n")
    assert [path.name for path in shell.folder.iterdir() if "copy" in path.name] == []


def test_an_interrupted_load_keeps_its_full_batches_and_counts_them(shell):
    shell.run("--db", "s.db", "init")
    process = shell.start("--db", "s.db", "add", "-", "--batch-size", "2")
    process.stdin.write(b'{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n')
    process.stdin.flush()
    until(lambda: transactions(shell) == 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"Interrupted: 1 batch with 2 items committed\n")
    assert transactions(shell) == 2


@pytest.mark.parametrize("words", [["tail", "--follow"], ["watch", "--since", "64"]])
def test_following_shows_what_comes_and_ends_with_a_whole_line(shell, words):
    shell.run("--db", "s.db", "init")
    process = shell.start("--db", "s.db", *words)
    seen = []
    for number in range(2):
        shell.run("--db", "s.db", "add", f'{{"id":"e{number}","x/n":{number}}}', "--by", "ana")
        seen.append(json.loads(process.stdout.readline()))
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, b"", b"")
    if words[0] == "tail":
        assert [record["by"] for record in seen] == ["ana", "ana"]
    else:
        assert [(fact["e"], fact["a"], fact["v"], fact["by"]) for fact in seen] == [
            ("e0", "x/n", 0, "ana"), ("e1", "x/n", 1, "ana"),
        ]  # fmt: skip


@pytest.mark.parametrize("words", [["tail"], ["tail", "--follow"], ["snapshot"]])
def test_a_reader_that_goes_away_ends_the_stream_without_a_word(shell, words):
    lines = "".join(f'{{"id":"e{number}","x/t":"{"y" * 2000}"}}\n' for number in range(200))
    shell.run("--db", "s.db", "add", "-", "--batch-size", "1", stdin=lines)
    process = shell.start("--db", "s.db", *words)
    assert process.stdout.readline().endswith(b"}\n")
    process.stdout.close()
    assert process.wait(timeout=20) == 1
    assert process.stderr.read() == b""


@pytest.mark.skipif(not os.path.exists(FULL), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["info"], ["tail"], ["version"], ["--help"], ["--json", "schema"]])
def test_a_full_disk_under_the_output_is_one_line(shell, words):
    shell.run("--db", "s.db", "add", '{"id":"a"}')
    shell.env["FGRAPH_DB"] = "s.db"
    with open(FULL, "wb") as full:
        process = shell.start(*words, stdout=full)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert err.decode().splitlines()[0].startswith("FormatError: standard output cannot be written: No space left")
    assert b"Traceback" not in err
    assert b"Exception ignored" not in err


def test_the_output_is_utf_8_whatever_the_locale(shell):
    shell.run("--db", "s.db", "add", '{"id":"日本","x/t":"é"}')
    ascii_only = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ran = shell.spawn("--db", "s.db", "get", "日本", **ascii_only)
    assert (ran.status, ran.err, ran.json) == (0, "", {"x/t": "é"})
    assert shell.spawn("--db", "né.db", "--json", "init", **ascii_only).err == ""
    assert (shell.folder / "né.db").exists()
    assert shell.spawn("--db", "s.db", "--json", "view", "--output", "né.html", **ascii_only).json["path"] == "né.html"
    assert (shell.folder / "né.html").exists()


def test_without_a_standard_output_a_command_still_works(shell):
    closed = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *shell.words("--db", "s.db", "add", '{"id":"a"}')],
        cwd=shell.folder,
        env=shell.env,
        capture_output=True,
    )
    assert (closed.returncode, closed.stderr) == (0, b"")
    assert transactions(shell) == 2
