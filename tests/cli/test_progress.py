"""The line that shows how far long work is."""

import io
import json
import os
import pty
import re
import select
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import closing

import pytest

from fgraph import limits
from fgraph.cli.progress import Progress
from fgraph.cli.source import lines


@pytest.mark.parametrize(
    ("total", "steps", "seconds", "line"),
    [
        (None, [(12_400, 0)], 4.0, "apply  12,400 events  3,100/s"),
        (1000, [(81, 810)], 9.0, "apply  81%  81 events  9/s  2 s left"),
        (1000, [(100, 1000)], 10.0, "apply  100%  100 events  10/s"),
        (1000, [(101, 1010)], 10.0, "apply  100%  101 events  10/s"),
        (None, [], 3.0, "apply  3 s"),
        (None, [(1, 0)], 0.0, "apply  1 event  0/s"),
    ],
)
def test_it_tells_amount_rate_share_and_time_left(total, steps, seconds, line):
    progress = Progress("apply", "event", total)
    for done, weight in steps:
        progress.step(done, weight)
    assert progress.line(seconds) == line


def test_work_that_knows_where_it_is_sets_the_share():
    progress = Progress("backup", "step")
    progress.reach(10, 40)
    progress.reach(30, 40)
    assert progress.line(3.0) == "backup  75%  30 steps  10/s  1 s left"


def test_the_lines_of_a_stream_weigh_as_many_bytes_as_it_has():
    data = '{"a":"plain"}\n\n{"a":"日本"}\n'.encode()
    assert [line.size for line in lines(io.BytesIO(data), "input")] == [14, 1, 15]
    assert sum([14, 1, 15]) == len(data)


def feed(process: subprocess.Popen, done: Callable[[], bool]) -> int:
    """Give the process a line now and then until it is enough; the number of lines."""
    number = 0
    deadline = time.monotonic() + 30
    while not done() and time.monotonic() < deadline:
        process.stdin.write(b'{"id":"e%d"}\n' % number)
        process.stdin.flush()
        number += 1
        time.sleep(0.05)
    process.stdin.close()
    return number


def test_it_is_drawn_on_a_terminal_and_erased_at_the_end(shell):
    leader, follower = pty.openpty()
    process = shell.start("--json", "add", "-", "--batch-size", "1", stderr=follower)
    os.close(follower)
    number = feed(process, lambda: bool(select.select([leader], [], [], 0)[0]))
    result = json.loads(process.stdout.read())
    process.wait(timeout=20)
    drawn = os.read(leader, 65_536).decode()
    os.close(leader)
    assert result["items"] == number
    assert drawn.startswith("\radd  ")
    assert " items  " in drawn
    assert drawn.endswith("\r\x1b[K")


def test_it_is_drawn_while_a_step_takes_long(shell):
    shell.run("--db", "s.db", "init")
    with closing(sqlite3.connect(shell.folder / "s.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        leader, follower = pty.openpty()
        process = shell.start("--db", "s.db", "--json", "doctor", "--repair", stderr=follower)
        os.close(follower)
        assert select.select([leader], [], [], 20)[0]
        other.execute("ROLLBACK")
        assert json.loads(process.stdout.read())["ok"]
        process.wait(timeout=20)
    assert re.match(r"\rdoctor  [0-9]+ s\x1b\[K", os.read(leader, 65_536).decode())
    os.close(leader)


@pytest.mark.parametrize("terminal", [True, False], ids=["quiet on a terminal", "no terminal"])
def test_it_can_be_silenced_and_is_silent_without_a_terminal(shell, terminal):
    leader, follower = pty.openpty()
    options = ["--quiet"] if terminal else []
    process = shell.start("add", "-", "--batch-size", "1", *options, stderr=follower if terminal else subprocess.PIPE)
    long_enough = time.monotonic() + 1.5 * limits.CLI_PATIENCE_SECONDS
    feed(process, lambda: time.monotonic() > long_enough)
    process.stdout.read()
    assert process.wait(timeout=20) == 0
    assert select.select([leader], [], [], 0)[0] == []
    assert terminal or process.stderr.read() == b""
    os.close(leader)
    os.close(follower)
