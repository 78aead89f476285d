"""The calls that wait or run: their order, their states, and what a cancel does to each."""

from __future__ import annotations

import threading
import time
from collections import deque

from fgraph import limits
from fgraph.mcp.wire import INTERNAL_ERROR, INVALID_REQUEST, Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fgraph.mcp.protocol import Context

QUEUED = "queued"
RUNNING = "running"
COMMITTING = "committing"


class Cancelled(Exception):
    """The client no longer wants this call; raised inside the work so that a transaction rolls back."""


class Job:
    """One call on its way to the worker.

    `abort` asks the work to stop, `dropped` says that nothing may be answered. After COMMIT has begun only the
    second is set. `notes` keeps what a repeated attempt need not work out again.
    """

    __slots__ = (
        "abort", "arrived", "call", "context", "dropped", "id", "method", "notes", "reply", "retry_at", "state",
        "writes",
    )  # fmt: skip

    def __init__(
        self, id: str | int, context: Context, method: str, call: object, writes: bool,
        reply: Callable[[dict | None], None],
    ) -> None:  # fmt: skip
        self.id = id
        self.context = context
        self.method = method
        self.call = call
        self.writes = writes
        self.reply = reply
        self.state = QUEUED
        self.abort = False
        self.dropped = False
        self.notes: dict[str, object] = {}
        self.arrived = time.monotonic()
        self.retry_at = 0.0


class Jobs:
    """The table and the queue of all jobs, under one lock.

    `interrupt` stops what does not look at `abort` by itself, such as a child process; it is called with the lock held
    and only while the job it is meant for is the current one, so it can never hit the next.
    """

    def __init__(self, interrupt: Callable[[], None]) -> None:
        self._interrupt = interrupt
        self._changed = threading.Condition()
        self._by_id: dict[str | int, Job] = {}
        self._streams: dict[str | int, Callable[[], None]] = {}
        self._queue: deque[Job] = deque()
        self._parked: Job | None = None
        self._current: Job | None = None
        self._closed = False
        self._nudged = False

    # The reader's side

    def refuse_duplicate(self, ident: str | int) -> None:
        """`Fault` where `ident` belongs to a request that is still open."""
        with self._changed:
            if ident in self._by_id or ident in self._streams:
                raise Fault(INVALID_REQUEST, "Invalid request: a request with this id is still open")

    def admit(self, job: Job) -> None:
        """Queue a job; `Fault` when too many wait."""
        with self._changed:
            if self._count() >= limits.MCP_JOBS:
                raise Fault(INTERNAL_ERROR, f"Too many calls at once: {limits.MCP_JOBS} are waiting or running")
            self._by_id[job.id] = job
            self._queue.append(job)
            self._changed.notify_all()

    def open_stream(self, ident: str | int, close: Callable[[], None]) -> None:
        """Reserve the id of a request that stays open without a job; `close` runs when it is cancelled."""
        with self._changed:
            self._streams[ident] = close

    def close_streams(self) -> list[str | int]:
        """Forget all open streams; their ids, in the order of opening."""
        with self._changed:
            open_ids = list(self._streams)
            self._streams.clear()
            return open_ids

    def cancel(self, ident: str | int) -> None:
        """What `notifications/cancelled` asks for; unknown ids are ignored."""
        with self._changed:
            finish = self._cancel_stream(ident) or self._cancel_job(ident)
        if finish is not None:
            finish()

    def nudge(self) -> None:
        """Let the worker look around once, even if no job waits."""
        with self._changed:
            self._nudged = True
            self._changed.notify_all()

    def close(self) -> None:
        """No more jobs will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def drain(self, seconds: float) -> bool:
        """Wait until everything is done; False when time ran out."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count() == 0, seconds)

    def abort_all(self) -> None:
        """Drop every job and stop the running one; a batch is then answered with what it has."""
        with self._changed:
            dropped = [self._drop(ident) for ident in list(self._by_id)]
        for job in dropped:
            job.reply(None)

    # The worker's side

    @property
    def over(self) -> bool:
        """True when no job is left and none will come."""
        with self._changed:
            return self._closed and self._count() == 0

    def next(self, patience: float | None) -> Job | None:
        """The next job, now running; None after `patience` seconds, a nudge, or at the end."""
        give_up = None if patience is None else time.monotonic() + patience
        with self._changed:
            while True:
                now = time.monotonic()
                job = self._pick(now)
                if job is not None:
                    job.state = RUNNING
                    self._current = job
                    return job
                ended = self._closed and self._count() == 0
                if ended or self._nudged or (give_up is not None and now >= give_up):
                    self._nudged = False
                    return None
                self._changed.wait(self._pause(now, give_up))

    def park(self, job: Job) -> None:
        """Set a write aside that found the file locked; reads behind it go first."""
        with self._changed:
            self._current = None
            if not job.dropped:
                job.state = QUEUED
                job.retry_at = time.monotonic() + limits.MCP_RETRY_SECONDS
                self._parked = job
            self._changed.notify_all()

    def begin_commit(self, job: Job) -> None:
        """Called right before COMMIT: from here on a cancel no longer stops the work."""
        with self._changed:
            if job.abort:
                raise Cancelled
            job.state = COMMITTING

    def wanted(self, job: Job) -> bool:
        """False once the client has cancelled the call."""
        with self._changed:
            return not job.dropped

    def finish(self, job: Job) -> bool:
        """Forget a job that has run; False when nothing may be answered."""
        with self._changed:
            self._current = None
            if self._by_id.get(job.id) is job:
                del self._by_id[job.id]
            self._changed.notify_all()
            return not job.dropped

    # Under the lock

    def _count(self) -> int:
        return len(self._queue) + (self._parked is not None) + (self._current is not None)

    def _pick(self, now: float) -> Job | None:
        parked = self._parked
        if parked is not None and parked.retry_at <= now:
            self._parked = None
            return parked
        for job in self._queue:
            if parked is None or not job.writes:
                self._queue.remove(job)
                return job
        return None

    def _pause(self, now: float, give_up: float | None) -> float | None:
        ends = [end for end in (give_up, self._parked and self._parked.retry_at) if end is not None]
        return max(0.0, min(ends) - now) if ends else None

    def _cancel_stream(self, ident: str | int) -> Callable[[], None] | None:
        key = _spelled(ident, self._streams)
        return None if key is None else self._streams.pop(key)

    def _cancel_job(self, ident: str | int) -> Callable[[], None] | None:
        key = _spelled(ident, self._by_id)
        if key is None:
            return None
        job = self._drop(key)
        return lambda: job.reply(None)

    def _drop(self, ident: str | int) -> Job:
        job = self._by_id.pop(ident)
        job.dropped = True
        if job is self._parked:
            self._parked = None
        elif job is not self._current:
            self._queue.remove(job)
        elif job.state == RUNNING:
            job.abort = True
            self._interrupt()
        self._changed.notify_all()
        return job


def _spelled(ident: str | int, table: dict) -> str | int | None:
    """The key of `table` that `ident` means: itself, else the same number written the other way (7 and "7")."""
    if ident in table:
        return ident
    for key in table:
        if str(key) == str(ident):
            return key
    return None
