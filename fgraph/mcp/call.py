"""What one tool call may use: the database at a basis, the author's name, the embedder, and a way to write."""

from __future__ import annotations

import time
from contextlib import contextmanager

from fgraph import errors, limits
from fgraph.file.reader import Reader
from fgraph.mcp import answers, reports, uris
from fgraph.mcp.wire import notification
from fgraph.read import moments, receipts
from fgraph.values.canonical import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fgraph.database import Db
    from fgraph.file.store import Store
    from fgraph.mcp.answers import Answer
    from fgraph.mcp.embedder import Embedder
    from fgraph.mcp.host import Host
    from fgraph.mcp.jobs import Job, Jobs
    from fgraph.report import TxReport


class Progress:
    """Progress notifications for one call that asked for them, not before 250 ms and not more often."""

    def __init__(self, job: Job, jobs: Jobs, send: Callable[[dict], None]) -> None:
        self._job = job
        self._jobs = jobs
        self._send = send
        self._token = job.context.progress_token
        self._beats = 0
        self._steps: tuple[int, str] | None = None
        self._due = time.monotonic() + limits.MCP_PROGRESS_SECONDS

    def beat(self) -> None:
        """The work is alive; without known steps each beat counts as one."""
        if self._token is None or self._steps is not None:
            return
        self._beats += 1
        self._report({"progress": self._beats})

    def step(self, done: int, total: int, message: str) -> None:
        """One of a known number of steps begins."""
        self._steps = (done, message)
        if self._token is not None:
            self._report({"progress": done, "total": total, "message": message})

    def _report(self, progress: dict) -> None:
        now = time.monotonic()
        if now >= self._due and self._jobs.wanted(self._job):
            self._due = now + limits.MCP_PROGRESS_SECONDS
            self._send(notification("notifications/progress", {"progressToken": self._token, **progress}))


class Call:
    """One call of a tool."""

    def __init__(self, host: Host, embedder: Embedder | None, job: Job, jobs: Jobs, progress: Progress) -> None:
        self.host = host
        self.embedder = embedder
        self.progress = progress
        self.notes = job.notes
        self.author = f"mcp:{job.context.client}"
        self._job = job
        self._jobs = jobs

    @contextmanager
    def reading(self, at: int | None = None) -> Iterator[tuple[Db, Reader]]:
        """One read transaction: the handle (a view where `at` is given), and a reader at the basis."""
        with self.host.reading() as (db, reader):
            if at is None:
                yield db, reader
            elif at <= reader.basis and moments.is_transaction(reader, at):
                yield db.at(at), Reader(reader.store, at, live=False)
            else:
                raise receipts.unknown(at, "at")

    def write(self, perform: Callable[[Store], TxReport]) -> Answer:
        """Run one write; its answer is made, and known to fit, before it commits."""
        store = self.host.store(writing=True)
        made: list[Answer] = []

        def before_commit(report: TxReport) -> None:
            answer = reports.answer(report)
            answers.result(answer, has_links=True)
            made.append(answer)
            self._jobs.begin_commit(self._job)

        store.before_commit = before_commit
        store.writer_wait = 0
        try:
            report = perform(store)
        finally:
            store.before_commit = None
            store.writer_wait = limits.BUSY_SECONDS
        return made[0] if made else reports.answer(report)


def selector(reader: Reader, given: object) -> object:
    """What an `entity` argument means: an existing name first, then the integer or the JSON that a text writes."""
    if not isinstance(given, str) or reader.id_of(given) is not None:
        return given
    if uris.is_number(given):
        number = uris.number(given)
        return given if number is None else number
    if given.startswith(("[", "{")):
        try:
            return parse_json(given, "entity")
        except errors.FGraphError:
            return given
    return given
