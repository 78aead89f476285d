"""One reader and one worker: what is answered at once, what is queued, and how it all ends."""

from __future__ import annotations

import sys
import threading
import time

from fgraph import limits
from fgraph.mcp import wire
from fgraph.mcp.jobs import Cancelled, Job, Jobs
from fgraph.mcp.protocol import BATCH_VERSION, Handshake, dress, judge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from fgraph.mcp.protocol import Context

    class Service(Protocol):
        """What the loop needs to know of the features behind it."""

        server: dict[str, str]

        def attach(self, jobs: Jobs) -> None: ...
        def open(self) -> None: ...
        def close(self) -> None: ...
        def interrupt(self) -> None: ...
        def initialized(self, context: Context) -> dict: ...
        def answer(self, context: Context, request: wire.Request) -> dict: ...
        def plan(self, context: Context, request: wire.Request) -> tuple[object, bool] | None: ...
        def run(self, job: Job, jobs: Jobs, send: Callable[[dict], None]) -> dict: ...
        def listen(self, request: wire.Request, send: Callable[[dict], None]) -> Callable[[], None]: ...
        def farewell(self, ident: str | int) -> dict: ...
        def patience(self) -> float | None: ...
        def idle(self, send: Callable[[dict], None]) -> None: ...


class WriterBusy(Exception):
    """Another process holds the writer lock; the job is worth another try until `error` is the answer."""

    def __init__(self, error: dict) -> None:
        super().__init__()
        self.error = error


class Batch:
    """The answers to the members of one batch, sent as one line when the last is in."""

    def __init__(self, size: int, send: Callable[[object], None]) -> None:
        self._lock = threading.Lock()
        self._answers: list[dict | None] = [None] * size
        self._open = size
        self._send = send

    def slot(self, index: int) -> Callable[[dict | None], None]:
        """The way to answer one member; None stands for no answer, a second call does nothing."""
        filled = False

        def fill(answer: dict | None) -> None:
            nonlocal filled
            with self._lock:
                if filled:
                    return
                filled = True
                self._answers[index] = answer
                self._open -= 1
                ready = self._open == 0
            found = [one for one in self._answers if one is not None] if ready else []
            if found:
                self._send(found)

        return fill


class Loop:
    """A session: `read` gives bytes (none at the end), `write` takes whole lines, `service` does the work."""

    def __init__(self, read: Callable[[], bytes], write: Callable[[bytes], None], service: Service) -> None:
        self._read = read
        self._write = write
        self._service = service
        self._output = threading.Lock()
        self._handshake: Handshake | None = None
        self._failure: BaseException | None = None
        self._opened = threading.Event()
        # Since when writes have found the file locked by another process; None while they get through.
        self._locked_since: float | None = None
        self.jobs = Jobs(service.interrupt)
        service.attach(self.jobs)
        self._worker = threading.Thread(target=self._work, name="fgraph-worker", daemon=True)

    def start(self) -> None:
        """Start the worker and wait until the service is open; its error is raised here."""
        self._worker.start()
        self._opened.wait()
        if self._failure is not None:
            raise self._failure

    def read_all(self) -> None:
        """Read until the end of input."""
        lines = wire.Lines()
        while chunk := self._read():
            for line in lines.feed(chunk):
                self._take_line(line)
        last = lines.rest()
        if last is not None:
            self._take_line(last)

    def finish(self) -> bool:
        """Let what was received be answered, within the drain time; False when the worker is stuck."""
        drained_by = time.monotonic() + limits.MCP_DRAIN_SECONDS
        self.jobs.close()
        if not self.jobs.drain(limits.MCP_DRAIN_SECONDS):
            self.jobs.abort_all()
        # The last answer may still be on its way to a client that reads slowly: it has the rest of the time.
        self._worker.join(max(0.0, drained_by - time.monotonic()) + limits.MCP_EXIT_SECONDS)
        for ident in self.jobs.close_streams():
            self.send(wire.result(ident, self._service.farewell(ident)))
        return not self._worker.is_alive()

    def send(self, message: object) -> None:
        """One message as one line; None is nothing to send."""
        if message is not None:
            line = wire.encode(message)
            with self._output:
                self._write(line)

    # The reader

    def _take_line(self, line: bytes | None) -> None:
        if line is None:
            text = f"Invalid request: message exceeds {limits.MCP_LINE_BYTES} bytes"
            self.send(wire.error(wire.NO_ID, wire.Fault(wire.INVALID_REQUEST, text)))
            return
        if wire.blank(line):
            return
        try:
            value = wire.parse(line)
        except wire.Fault as fault:
            self.send(wire.error(wire.NO_ID, fault))
            return
        suspicious = wire.maybe_unpaired(line)
        if isinstance(value, list):
            self._take_batch(value, suspicious)
        else:
            self._take_message(wire.read(value, suspicious), self.send)

    def _take_batch(self, members: list, suspicious: bool) -> None:
        refused = None
        if self._handshake is None or self._handshake.version != BATCH_VERSION:
            refused = f"Invalid request: batches belong to protocol version {BATCH_VERSION}"
        elif not 1 <= len(members) <= limits.MCP_BATCH_MEMBERS:
            refused = f"Invalid request: a batch holds 1 to {limits.MCP_BATCH_MEMBERS} messages"
        if refused:
            self.send(wire.error(wire.NO_ID, wire.Fault(wire.INVALID_REQUEST, refused)))
            return
        batch = Batch(len(members), self.send)
        for index, member in enumerate(members):
            message = wire.read(member, suspicious)
            if isinstance(message, wire.Request) and message.method in ("initialize", "subscriptions/listen"):
                text = f"Invalid request: {message.method} cannot be part of a batch"
                message = wire.Refusal(message.id, wire.INVALID_REQUEST, text)
            self._take_message(message, batch.slot(index))

    def _take_message(self, message: object, reply: Callable[[dict | None], None]) -> None:
        if isinstance(message, wire.Request):
            try:
                self._take_request(message, reply)
            except wire.Fault as fault:
                reply(wire.error(message.id, fault))
            except Exception as failure:
                complain(failure)
                reply(wire.error(message.id, wire.Fault(wire.INTERNAL_ERROR, "Internal error")))
            return
        if isinstance(message, wire.Refusal):
            reply(wire.error(message.id, message.fault))
            return
        if isinstance(message, wire.Notification) and message.method == "notifications/cancelled":
            ident = message.params.get("requestId")
            if wire.valid_id(ident):
                self.jobs.cancel(ident)
        reply(None)

    def _take_request(self, request: wire.Request, reply: Callable[[dict | None], None]) -> None:
        self.jobs.refuse_duplicate(request.id)
        context = judge(request, self._handshake)
        if request.method == "initialize":
            self._handshake = Handshake(context.version, context.client)
            reply(wire.result(request.id, self._service.initialized(context)))
            self.jobs.nudge()  # the worker has time to get ready for the first call
            return
        if request.method == "subscriptions/listen":
            self.jobs.open_stream(request.id, self._service.listen(request, self.send))
            return
        planned = self._service.plan(context, request)
        if planned is not None:
            call, writes = planned
            self.jobs.admit(Job(request.id, context, request.method, call, writes, reply))
            return
        value = self._service.answer(context, request)
        reply(wire.result(request.id, dress(context, request.method, value, self._service.server)))

    # The worker

    def _work(self) -> None:
        try:
            self._service.open()
        except BaseException as failure:  # handed to the reader, whatever it is
            self._failure = failure
            self._opened.set()
            return
        self._opened.set()
        while True:
            job = self.jobs.next(self._service.patience())
            if job is not None:
                self._run(job)
            elif self.jobs.over:
                break
            self._guarded(self._service.idle, self.send)
        self._guarded(self._service.close)

    def _run(self, job: Job) -> None:
        try:
            answer = self._answer(job)
        except WriterBusy as busy:
            if self._still_patient(job):
                self.jobs.park(job)
                return
            answer = self._success(job, busy.error)
        except Cancelled:
            answer = None
        else:
            self._locked_since = None if job.writes else self._locked_since
        if self.jobs.finish(job):
            job.reply(answer)

    def _still_patient(self, job: Job) -> bool:
        """Whether a write that found the file locked may wait on; those that queued have waited with the first."""
        now = time.monotonic()
        self._locked_since = self._locked_since or now
        return now - max(self._locked_since, job.arrived) < limits.BUSY_SECONDS

    def _answer(self, job: Job) -> dict:
        try:
            return self._success(job, self._service.run(job, self.jobs, self.send))
        except wire.Fault as fault:
            return wire.error(job.id, fault)
        except (WriterBusy, Cancelled):
            raise
        except BaseException as failure:  # the worker must outlive everything
            complain(failure)
            return wire.error(job.id, wire.Fault(wire.INTERNAL_ERROR, f"Internal error in {job.method}"))

    def _success(self, job: Job, value: dict) -> dict:
        return wire.result(job.id, dress(job.context, job.method, value, self._service.server))

    def _guarded(self, step: Callable, *arguments: object) -> None:
        try:
            step(*arguments)
        except Exception as failure:
            complain(failure)


def complain(failure: BaseException) -> None:
    """One plain line about a fault of ours on the error stream; callers' data stays out of it."""
    trace = failure.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" at {trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace is not None else ""
    print(f"fgraph mcp: internal error: {type(failure).__name__}{where}", file=sys.stderr, flush=True)
