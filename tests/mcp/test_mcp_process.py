"""The real process: its start, its streams, its signals, its end."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import signal
import sqlite3
import statistics
import subprocess
import sys
import termios
import threading
import time

import pytest

from fgraph import limits
from fgraph.database import connect
from tests.mcp.checks import parse_line
from tests.mcp.clients import ROOT, Server, cached_environment, envelope, opening
from tests.mcp.waiting import is_alive, wait_until

INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": opening()}
EMBED_FOREVER = json.dumps(["sh", "-c", "sleep 60"])


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "process.db"
    with connect(path) as db:
        db.transact({"id": "note", "memory/text": "a note"})
    return path


def run(path, *lines: object, options: tuple = (), **more: object) -> subprocess.CompletedProcess:
    """The whole session in one go."""
    fed = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    command = [sys.executable, str(ROOT / "fgraph.py"), "--db", str(path), "mcp", *options]
    return subprocess.run(command, input=fed, capture_output=True, timeout=20, env=cached_environment(), **more)


def call(id: object, name: str, **arguments: object) -> dict:
    params = {"name": name, "arguments": arguments, "_meta": envelope()}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def test_end_of_input_ends_an_idle_server(path):
    with Server(path) as server:
        server.open()
        assert server.finish() == (0, [], b"")


def test_calls_received_before_the_end_of_input_are_answered(path):
    done = run(path, *(call(number, "about", entity="note") for number in range(5)))
    assert done.returncode == 0
    assert [parse_line(line)["id"] for line in done.stdout.splitlines(keepends=True)] == list(range(5))
    assert done.stderr == b""


def test_the_end_of_input_stops_what_would_take_longer_than_the_drain_time(path):
    began = time.monotonic()
    done = run(path, call(1, "recall", query="x"), options=("--embed-cmd", EMBED_FOREVER))
    assert (done.returncode, done.stdout) == (0, b"")
    assert time.monotonic() - began > limits.MCP_DRAIN_SECONDS


@pytest.mark.parametrize(
    ("number", "busy"),
    [(signal.SIGTERM, True), (signal.SIGINT, True), (signal.SIGHUP, True), (signal.SIGTERM, False)],
)
def test_a_signal_ends_the_server_and_its_child(path, tmp_path, number, busy):
    child = tmp_path / "child"
    embed = ("--embed-cmd", json.dumps(["sh", "-c", f"echo $$ > '{child}'; sleep 60"])) if busy else ()
    with Server(path, "--write", *embed) as server:
        server.open()
        if busy:
            server.ask("tools/call", {"name": "recall", "arguments": {"query": "x"}})
            while not (child.exists() and child.read_text().strip()):
                server.request("ping")
        server.process.send_signal(number)
        assert server.process.wait(5) == (0 if number == signal.SIGINT else -number)
        assert server.process.stderr.read() == b""
        if busy:
            assert wait_until(lambda: not is_alive(int(child.read_text())))
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_client_that_stops_listening_ends_the_server_quietly(path):
    command = [sys.executable, str(ROOT / "fgraph.py"), "--db", str(path), "mcp"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=cached_environment()
    )
    process.stdout.close()
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    assert process.wait(5) == 0
    assert process.stderr.read() == b""
    process.stderr.close()
    process.stdin.close()


def test_only_protocol_lines_reach_standard_output(path, tmp_path):
    spoiler = tmp_path / "sitecustomize.py"
    spoiler.write_text(
        "import os, sys, threading, time\n"
        "def spoil():\n"
        "    while os.readlink('/proc/self/fd/0') != os.devnull: time.sleep(0.01)\n"
        "    print('stray print'); sys.stdout.flush(); os.write(1, b'stray write\\n')\n"
        "threading.Thread(target=spoil, daemon=True).start()\n"
    )
    env = {**cached_environment(), "PYTHONPATH": str(tmp_path)}
    embed = json.dumps(["sh", "-c", "echo noise >&2; sleep 0.6; echo '[1]'"])
    with Server(path, "--embed-cmd", embed, env=env) as server:
        server.open()
        server.tool("recall", query="x")
        status, rest, complaints = server.finish()
        assert (status, rest) == (0, [])
        assert b"stray print" in complaints
        assert b"noise" not in complaints


@pytest.mark.parametrize("closed", [0, 1, 2])
def test_a_closed_standard_stream_is_replaced_by_the_null_device(path, closed):
    command = f'exec "$0" "$@" {closed}{"<" if closed == 0 else ">"}&-'
    server = [sys.executable, str(ROOT / "fgraph.py"), "--db", str(path), "mcp"]
    process = subprocess.Popen(
        ["sh", "-c", command, *server],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=cached_environment(),
    )  # fmt: skip
    with process:
        if closed == 2:
            process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
            process.stdin.flush()
            assert parse_line(process.stdout.readline())["id"] == 0
            assert {os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)} == {os.devnull}
        process.stdin.close()
        assert process.wait(5) == 0
        assert (process.stdout.read(), process.stderr.read()) == (b"", b"")


def test_a_bare_environment_is_enough(path, tmp_path):
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "TERM": "dumb"}
    with Server(path, env=env) as server:
        server.open()
        assert server.data("about", entity="note") == {"memory/text": "a note"}


@pytest.mark.parametrize(
    ("spoil", "options"),
    [(lambda path: path.write_bytes(b"x" * 100), ()), (lambda path: path.mkdir(), ("--write",))],
)
def test_an_unusable_file_is_one_line_on_the_error_stream(tmp_path, spoil, options):
    path = tmp_path / "bad.db"
    spoil(path)
    done = run(path, INITIALIZE, options=options)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"FormatError: ")
    assert done.stderr.count(b"\n") == 1


def test_a_missing_folder_ends_a_writing_server(tmp_path):
    done = run(tmp_path / "no" / "such.db", INITIALIZE, options=("--write",))
    assert (done.returncode, done.stdout) == (1, b"")


def test_a_strange_embedding_command_is_a_warning_and_the_server_goes_on(path):
    done = run(path, INITIALIZE, options=("--embed-cmd", "[1]"))
    assert done.returncode == 0
    assert parse_line(done.stdout)["id"] == 0
    assert done.stderr.startswith(b"fgraph mcp: --embed-cmd: ")
    assert done.stderr.count(b"\n") == 1


def test_usage_errors_end_with_status_2(path):
    done = run(path, options=("--no-such-option",))
    assert (done.returncode, done.stdout) == (2, b"")


def test_two_servers_may_create_the_file_together(tmp_path):
    path = tmp_path / "new.db"
    with Server(path, "--write") as one, Server(path, "--write") as two:
        for server in (one, two):
            server.open()
        one.call("remember", operation_id="1", key="a", text="by one")
        two.call("remember", operation_id="2", key="b", text="by two")
        assert one.data("about", entity="b") == {"memory/text": "by two"}
        assert one.data("receipt", tx=64) == two.data("receipt", tx=64)


def test_a_twin_killed_after_discovery_disturbs_nobody(path):
    with Server(path, "--write") as twin, Server(path, "--write") as server:
        twin.stateless("server/discover")
        twin.process.stdin.close()
        twin.process.terminate()
        assert server.stateless("tools/call", {"name": "schema"})["result"]["structuredContent"]["ok"]


def test_a_killed_write_is_whole_or_absent(path):
    text = "word " * 100_000
    for attempt in range(4):
        with Server(path, "--write") as server:
            server.open()
            arguments = {"operation_id": f"try {attempt}", "key": f"big {attempt}", "text": text}
            server.ask("tools/call", {"name": "remember", "arguments": arguments})
            time.sleep(attempt * 0.006)
            server.process.kill()
            server.process.wait()
    with connect(path) as db:
        assert db.doctor()["ok"]
        for attempt in range(4):
            try:
                found = db.entity(f"big {attempt}")
            except Exception as missing:
                assert type(missing).__name__ == "NotFound"
            else:
                assert found == {"memory/text": text}


def test_a_server_whose_parent_dies_goes_too(path):
    script = (
        "import os, signal, subprocess, sys\n"
        "child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
        "print(child.pid, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    command = [sys.executable, "-c", script, sys.executable, str(ROOT / "fgraph.py"), "--db", str(path), "mcp"]
    server = int(subprocess.run(command, stdout=subprocess.PIPE, timeout=20).stdout)
    assert wait_until(lambda: not is_alive(server))


def waiting_bytes(pipe) -> int:
    """How much stands in a pipe that nobody has read yet."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


def test_a_client_that_reads_late_gets_every_answer_once(path):
    """The client sends without reading until the pipe is full, and only then begins to read."""
    with connect(path) as db:
        db.transact({"id": "big", "x/y": "v" * 100_000})
    command = [sys.executable, str(ROOT / "fgraph.py"), "--db", str(path), "mcp"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=cached_environment())
    lines = [call(number, "history", entity="big", limit=1) for number in range(40)]

    def feed() -> None:
        for line in lines:
            process.stdin.write(json.dumps(line).encode() + b"\n")
        process.stdin.close()

    writer = threading.Thread(target=feed)
    writer.start()
    assert wait_until(lambda: waiting_bytes(process.stdout) == fcntl.fcntl(process.stdout, fcntl.F_GETPIPE_SZ))
    answers = [parse_line(line)["id"] for line in process.stdout]
    writer.join()
    assert process.wait(5) == 0
    process.stdout.close()
    assert answers == list(range(40))


def test_a_client_that_never_reads_does_not_hold_up_the_end(path):
    with connect(path) as db:
        db.transact({"id": "big", "x/y": "v" * 100_000})
    command = [sys.executable, str(ROOT / "fgraph.py"), "--db", str(path), "mcp"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=cached_environment()) as process:
        for number in range(5):
            process.stdin.write(json.dumps(call(number, "history", entity="big", limit=1)).encode() + b"\n")
        process.stdin.close()
        assert process.wait(8) == 0


def test_no_tool_opens_a_socket(path, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "def watch(event, arguments):\n"
        "    if event.startswith('socket.'): sys.__stderr__.write(event + '\\n')\n"
        "sys.addaudithook(watch)\n"
    )
    env = {**cached_environment(), "PYTHONPATH": str(tmp_path)}
    with Server(path, "--write", "--embed-cmd", json.dumps(["echo", "[1]"]), env=env) as server:
        server.open()
        server.data("remember", operation_id="1", text="a note")
        server.data("recall", query="note", expand=1)
        server.data("query", q={"find": ["?e"], "where": [["?e", "memory/text", "?t"]]})
        server.read("fgraph://changes")
        assert server.finish() == (0, [], b"")


def seconds(work) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def first_answer(command: list[str], env: dict) -> None:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
    process.stdin.write(json.dumps(INITIALIZE).encode() + b"\n")
    process.stdin.flush()
    assert process.stdout.readline()
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_the_first_answer_comes_soon(path):
    env = cached_environment()
    server = [sys.executable, str(ROOT / "fgraph.py"), "--db", str(path), "mcp"]
    floor = [sys.executable, "-c", "import sqlite3, json"]
    first_answer(server, env)
    ours, bare = [], []
    for _ in range(5):
        bare.append(seconds(lambda: subprocess.run(floor, env=env, check=True)))
        ours.append(seconds(lambda: first_answer(server, env)))
    assert statistics.median(ours) < 2.5 * statistics.median(bare), (ours, bare)


def test_memory_stays_small(path):
    with Server(path) as server:
        server.open()
        server.request("tools/list")
        with open(f"/proc/{server.process.pid}/status", encoding="ascii") as status:
            resident = next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))
        assert resident < 30 * 1024, f"{resident} KiB (page size {resource.getpagesize()})"
