"""Reader and worker: order, cancellation at every stage, progress, limits and the end; the work is scripted."""

from __future__ import annotations

import json
import os
import queue
import threading
import time

import pytest

from fgraph.mcp import wire
from fgraph.mcp.call import Progress
from fgraph.mcp.jobs import Cancelled, Job, Jobs
from fgraph.mcp.loop import Loop, WriterBusy
from tests.mcp.checks import parse_line
from tests.mcp.clients import END, opening

PATIENCE = 5.0


class Steps:
    """A service whose calls do what their arguments say, one step after the other."""

    server = {"name": "steps", "version": "0"}

    def __init__(self) -> None:
        self.log: list[object] = []
        self.go = threading.Event()
        self.running = threading.Event()
        self.interrupted = threading.Event()
        self.committed = threading.Event()
        self.lock_free = threading.Event()
        self.interrupts = 0
        self.send = None

    def attach(self, jobs: Jobs) -> None:
        self.jobs = jobs

    def open(self) -> None:
        self.log.append("open")

    def close(self) -> None:
        self.log.append("close")

    def interrupt(self) -> None:
        self.interrupts += 1
        self.interrupted.set()

    def initialized(self, context) -> dict:
        return {"version": context.version}

    def answer(self, context, request) -> dict:
        return {}

    def plan(self, context, request):
        if request.method != "tools/call":
            return None
        return request.params, bool(request.params.get("writes"))

    def run(self, job: Job, jobs: Jobs, send) -> dict:
        self.log.append(job.id)
        self.interrupted.clear()
        self.running.set()
        for step in job.call.get("steps", []):
            getattr(self, "_" + step)(job, jobs, send)
        return {"ran": job.id, "client": job.context.client}

    def _wait(self, job, jobs, send) -> None:
        assert self.go.wait(PATIENCE)

    def _until_interrupted(self, job, jobs, send) -> None:
        assert self.interrupted.wait(PATIENCE)
        raise Cancelled

    def _commit(self, job, jobs, send) -> None:
        jobs.begin_commit(job)
        self.committed.set()

    def _check(self, job, jobs, send) -> None:
        self.log.append(("abort", job.abort))

    def _need_lock(self, job, jobs, send) -> None:
        if not self.lock_free.is_set():
            raise WriterBusy({"busy": True})

    def _fail(self, job, jobs, send) -> None:
        raise ZeroDivisionError

    def _fault(self, job, jobs, send) -> None:
        raise wire.Fault(-32602, "no")

    def _progress(self, job, jobs, send) -> None:
        progress = Progress(job, jobs, send)
        end = time.monotonic() + 0.22
        while time.monotonic() < end and not job.abort:
            progress.beat()
            time.sleep(0.001)

    def listen(self, request, send):
        return lambda: None

    def farewell(self, ident) -> dict:
        return {}

    def patience(self):
        return None

    def idle(self, send) -> None:
        pass


class Rig:
    """The loop with scripted work, and both of its ends."""

    def __init__(self) -> None:
        self.steps = Steps()
        source, self.target = os.pipe()
        self.lines: queue.Queue = queue.Queue()
        self.loop = Loop(lambda: os.read(source, 65_536), self.lines.put, self.steps)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.loop.start()
        self.thread.start()
        self.send({"jsonrpc": "2.0", "id": "open", "method": "initialize", "params": opening()})
        assert self.receive()["id"] == "open"

    def _run(self) -> None:
        self.loop.read_all()
        self.ended = self.loop.finish()
        self.lines.put(END)

    def send(self, message: object) -> None:
        os.write(self.target, json.dumps(message).encode() + b"\n")

    def call(self, id: object, *steps: str, token: object = None, **params: object) -> None:
        meta = {} if token is None else {"_meta": {"progressToken": token}}
        message = {"jsonrpc": "2.0", "id": id, "method": "tools/call"}
        self.send({**message, "params": {"steps": list(steps), **params, **meta}})

    def cancel(self, id: object) -> None:
        self.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})

    def ping(self, id: object = "ping") -> list:
        """Send a ping; the messages up to its answer."""
        self.send({"jsonrpc": "2.0", "id": id, "method": "ping"})
        found = []
        while True:
            message = self.receive()
            if message.get("id") == id:
                return found
            found.append(message)

    def receive(self) -> dict:
        return parse_line(self.lines.get(timeout=PATIENCE))

    def end(self) -> list:
        os.close(self.target)
        found = []
        while (line := self.lines.get(timeout=PATIENCE)) is not END:
            found.append(parse_line(line))
        return found


@pytest.fixture
def rig():
    rig = Rig()
    yield rig
    rig.steps.go.set()


def test_jobs_run_and_answer_in_the_order_they_came(rig):
    for number in range(20):
        rig.call(number)
    assert [rig.receive()["result"]["ran"] for _ in range(20)] == list(range(20))


def test_the_reader_answers_while_the_worker_is_busy(rig):
    rig.call("slow", "wait")
    assert rig.ping() == []
    rig.steps.go.set()
    assert rig.receive()["id"] == "slow"


def test_a_queued_job_that_is_cancelled_never_runs(rig):
    rig.call("first", "wait")
    rig.call("second")
    rig.cancel("second")
    rig.ping()
    rig.steps.go.set()
    assert rig.receive()["id"] == "first"
    assert rig.end() == []
    assert "second" not in rig.steps.log


def test_a_running_job_that_is_cancelled_is_interrupted_and_not_answered(rig):
    rig.call("long", "until_interrupted")
    assert rig.steps.running.wait(PATIENCE)
    rig.cancel("long")
    rig.call("next")
    assert rig.receive()["id"] == "next"
    assert rig.steps.interrupts == 1


def test_a_cancel_after_the_commit_began_stops_nothing_but_the_answer(rig):
    rig.call("write", "commit", "wait", "check", writes=True)
    assert rig.steps.committed.wait(PATIENCE)
    rig.cancel("write")
    rig.ping()
    rig.steps.go.set()
    assert rig.end() == []
    assert ("abort", False) in rig.steps.log
    assert rig.steps.interrupts == 0


def test_a_cancel_before_the_commit_keeps_it_from_beginning(rig):
    rig.call("write", "wait", "commit", writes=True)
    assert rig.steps.running.wait(PATIENCE)
    rig.cancel("write")
    rig.ping()
    rig.steps.go.set()
    assert rig.end() == []
    assert not rig.steps.committed.is_set()


def test_the_id_is_free_as_soon_as_the_cancel_is_read(rig):
    rig.call("same", "until_interrupted")
    assert rig.steps.running.wait(PATIENCE)
    rig.cancel("same")
    rig.call("same")
    assert rig.receive()["result"]["ran"] == "same"


@pytest.mark.parametrize(("asked", "cancelled"), [(0, 0), (7, "7"), ("7", 7), (10**29, str(10**29)), ("", "")])
def test_an_id_may_be_cancelled_as_number_or_text(rig, asked, cancelled):
    rig.call("first", "wait")
    rig.call(asked)
    rig.cancel(cancelled)
    rig.ping()
    rig.steps.go.set()
    rig.receive()
    assert rig.end() == []


def test_the_exact_id_is_meant_before_the_other_spelling(rig):
    rig.call("first", "wait")
    rig.call(7)
    rig.call("7")
    rig.cancel("7")
    rig.ping()
    rig.steps.go.set()
    assert [rig.receive()["id"] for _ in range(2)] == ["first", 7]
    assert rig.end() == []


@pytest.mark.parametrize("wrong", [None, True, 1.5, {}, [], "unknown", "8", "07", -1])
def test_a_cancel_that_means_nothing_is_ignored(rig, wrong):
    rig.call(7, "wait")
    rig.cancel(wrong)
    rig.send({"jsonrpc": "2.0", "method": "notifications/cancelled"})
    rig.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []})
    assert rig.ping() == []
    rig.steps.go.set()
    assert rig.receive()["id"] == 7


def test_a_cancel_never_hits_the_next_job(rig):
    for number in range(1_000):
        rig.call(number)
        rig.call(f"next {number}")
        rig.cancel(number)
        while (answer := rig.receive())["id"] != f"next {number}":
            assert answer["id"] == number
        assert answer["result"]["ran"] == f"next {number}"


def test_an_id_in_use_is_refused_and_the_first_call_is_unaffected(rig):
    rig.call("twice", "wait")
    rig.call("twice")
    refused = rig.receive()
    assert (refused["id"], refused["error"]["code"]) == ("twice", -32600)
    rig.steps.go.set()
    assert rig.receive()["result"]["ran"] == "twice"
    rig.call("twice")
    assert rig.receive()["result"]["ran"] == "twice"


def test_the_257th_call_is_refused_and_the_others_are_answered(rig):
    rig.call("running", "wait")
    for number in range(256):
        rig.call(number)
    refused = rig.receive()
    assert (refused["id"], refused["error"]["code"]) == (255, -32603)
    rig.steps.go.set()
    assert [rig.receive()["id"] for _ in range(256)] == ["running", *range(255)]


def test_a_cancelled_call_makes_room(rig):
    rig.call("running", "wait")
    for number in range(255):
        rig.call(number)
    rig.cancel(3)
    rig.call("fits")
    assert rig.ping() == []


def test_a_write_that_finds_a_lock_lets_reads_pass_but_no_write(rig):
    rig.call("write", "need_lock", writes=True)
    rig.call("behind", "check", writes=True)
    for number in range(3):
        rig.call(number)
    assert [rig.receive()["id"] for _ in range(3)] == [0, 1, 2]
    rig.steps.lock_free.set()
    assert [rig.receive()["id"] for _ in range(2)] == ["write", "behind"]


def test_a_lock_that_stays_is_the_answer_after_the_wait(rig, monkeypatch):
    monkeypatch.setattr("fgraph.limits.BUSY_SECONDS", 0.1)
    rig.call("write", "need_lock", writes=True)
    assert rig.receive()["result"] == {"busy": True}


def test_a_write_that_waits_for_a_lock_can_be_cancelled(rig):
    rig.call("write", "need_lock", writes=True)
    rig.call("read")
    assert rig.receive()["id"] == "read"
    rig.cancel("write")
    rig.ping()
    rig.steps.lock_free.set()
    assert rig.end() == []


def test_a_later_handshake_does_not_change_what_is_queued(rig):
    rig.call("first", "wait")
    rig.call("queued")
    rig.send({"jsonrpc": "2.0", "id": "again", "method": "initialize", "params": opening("2024-11-05", "late")})
    assert rig.receive()["id"] == "again"
    rig.call("after")
    rig.steps.go.set()
    assert [rig.receive()["result"]["client"] for _ in range(3)] == ["probe", "probe", "late"]


def test_an_unexpected_failure_is_an_error_and_the_worker_lives(rig, capsys):
    rig.call("bad", "fail")
    answer = rig.receive()
    assert (answer["id"], answer["error"]["code"]) == ("bad", -32603)
    assert "ZeroDivisionError" not in json.dumps(answer)
    rig.call("good")
    assert rig.receive()["id"] == "good"
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_fault_of_the_work_is_its_answer(rig):
    rig.call("bad", "fault")
    assert rig.receive()["error"] == {"code": -32602, "message": "no"}


@pytest.mark.parametrize("token", [0, "0", "", 17])
def test_progress_rises_at_a_bounded_pace_under_the_token_of_the_call(rig, monkeypatch, token):
    monkeypatch.setattr("fgraph.limits.MCP_PROGRESS_SECONDS", 0.06)
    rig.call("slow", "progress", token=token)
    notes, message = [], rig.receive()
    while "method" in message:
        assert message["method"] == "notifications/progress"
        notes.append(message["params"])
        message = rig.receive()
    assert message["id"] == "slow"
    assert 1 <= len(notes) <= 3
    assert [type(note["progressToken"]) for note in notes] == [type(token)] * len(notes)
    values = [note["progress"] for note in notes]
    assert values == sorted(set(values))


def test_there_is_no_progress_without_a_token_or_after_a_cancel(rig, monkeypatch):
    monkeypatch.setattr("fgraph.limits.MCP_PROGRESS_SECONDS", 0.06)
    rig.call("slow", "progress")
    assert rig.receive()["id"] == "slow"
    rig.call("cancelled", "progress", token="t")
    rig.cancel("cancelled")
    assert rig.end() == []


def test_cancelled_members_leave_a_batch(rig):
    rig.send({"jsonrpc": "2.0", "id": "again", "method": "initialize", "params": opening("2025-03-26")})
    rig.receive()
    rig.call("first", "wait")
    member = {"jsonrpc": "2.0", "method": "tools/call", "params": {}}
    rig.send([{**member, "id": "a"}, {**member, "id": "b"}])
    rig.send([{**member, "id": "c"}])
    for id in ("a", "c"):
        rig.cancel(id)
    rig.ping()
    rig.steps.go.set()
    assert rig.receive()["id"] == "first"
    assert [[answer["id"] for answer in batch] for batch in rig.end()] == [["b"]]


def test_calls_received_before_the_end_are_answered_and_then_nothing_is_waited_for(rig, monkeypatch):
    monkeypatch.setattr("fgraph.limits.MCP_DRAIN_SECONDS", 100 * PATIENCE)
    for number in range(5):
        rig.call(number)
    assert [message["id"] for message in rig.end()] == list(range(5))
    assert rig.ended
    assert rig.steps.log[-1] == "close"


def test_the_end_interrupts_what_takes_too_long(rig, monkeypatch):
    monkeypatch.setattr("fgraph.limits.MCP_DRAIN_SECONDS", 0.2)
    rig.call("long", "until_interrupted")
    rig.call("never")
    assert rig.end() == []
    assert rig.ended
    assert "never" not in rig.steps.log


def test_a_batch_is_answered_with_what_was_done_when_time_ran_out(rig, monkeypatch):
    monkeypatch.setattr("fgraph.limits.MCP_DRAIN_SECONDS", 0.2)
    rig.send({"jsonrpc": "2.0", "id": "again", "method": "initialize", "params": opening("2025-03-26")})
    rig.receive()
    calls = {"quick": [], "long": ["until_interrupted"], "never": []}
    rig.send([
        {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"steps": steps}}
        for id, steps in calls.items()
    ])  # fmt: skip
    assert [[answer["id"] for answer in batch] for batch in rig.end()] == [["quick"]]
    assert rig.steps.log[-2:] == ["long", "close"]


def test_the_last_answer_has_the_rest_of_the_time_to_leave(rig, monkeypatch):
    monkeypatch.setattr("fgraph.limits.MCP_EXIT_SECONDS", 0.0)
    joining, join = threading.Event(), rig.loop._worker.join

    def join_worker(seconds: float) -> None:
        joining.set()
        join(seconds)

    def write_late(line: bytes) -> None:
        assert joining.wait(PATIENCE)
        rig.lines.put(line)

    monkeypatch.setattr(rig.loop._worker, "join", join_worker)
    monkeypatch.setattr(rig.loop, "_write", write_late)
    rig.call("last")
    assert [message["id"] for message in rig.end()] == ["last"]
    assert rig.ended


def test_a_stuck_worker_does_not_hold_up_the_end(rig, monkeypatch):
    monkeypatch.setattr("fgraph.limits.MCP_DRAIN_SECONDS", 0.1)
    monkeypatch.setattr("fgraph.limits.MCP_EXIT_SECONDS", 0.1)
    rig.call("stuck", "wait")
    assert rig.end() == []
    assert not rig.ended


def test_an_error_at_the_start_is_raised_to_the_caller():
    steps = Steps()
    steps.open = lambda: 1 / 0
    loop = Loop(lambda: b"", print, steps)
    with pytest.raises(ZeroDivisionError):
        loop.start()
