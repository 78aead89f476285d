"""The features behind the loop: which method is answered by whom, and what it may be asked with."""

from __future__ import annotations

from fgraph import __version__
from fgraph.mcp import greeting, protocol
from fgraph.mcp.host import Host

# The catalogue, the tools and the subscriptions are imported inside functions: a client waits for the first answer.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fgraph.mcp.call import Progress
    from fgraph.mcp.embedder import Embedder
    from fgraph.mcp.jobs import Job, Jobs
    from fgraph.mcp.protocol import Context
    from fgraph.mcp.subscriptions import Subscriptions
    from fgraph.mcp.wire import Request


class Service:
    """One file served to one client."""

    def __init__(self, path: str, write: bool, budget: int, embed_cmd: str | None = None) -> None:
        self.server = {"name": "fgraph", "version": __version__}
        self._write = write
        self._host = Host(path, write, budget, self._stopped)
        self._embedder = self._make_embedder(embed_cmd)
        self._subscriptions: Subscriptions | None = None
        self._nudge: Callable[[], None] = lambda: None
        self._current: Job | None = None
        self._progress: Progress | None = None

    # -- the process --------------------------------------------------------------------------------------------------

    @property
    def has_child(self) -> bool:
        """Whether a child process may be running at some time."""
        return self._embedder is not None

    def warnings(self) -> list[str]:
        """What the user should know at the start."""
        fault = None if self._embedder is None else self._embedder.fault()
        return [] if fault is None else [f"--embed-cmd: {fault}"]

    def kill_child(self, patience: float = 0.0) -> None:
        """End a running child process; with `patience` also one that is just being started."""
        if self._embedder is not None:
            self._embedder.kill(patience)

    def _make_embedder(self, command: str | None) -> Embedder | None:
        if command is None:
            return None
        from fgraph.mcp.embedder import Embedder  # only servers that embed pay for it

        return Embedder(command, self._stopped)

    # -- the loop's side, worker --------------------------------------------------------------------------------------

    def attach(self, jobs: Jobs) -> None:
        """Learn how to wake the worker."""
        self._nudge = jobs.nudge

    def open(self) -> None:
        """Open the file; typed errors end the server."""
        self._host.open()

    def close(self) -> None:
        """Close the file."""
        self._host.close()

    def interrupt(self) -> None:
        """Stop the worker's child process; statements and loops ask `_stopped` themselves."""
        self.kill_child()

    def _stopped(self) -> bool:
        """Asked again and again while the worker runs: whether to stop. Also the heartbeat of progress."""
        job = self._current
        if job is None:
            return False
        if self._progress is not None and not job.abort:
            self._progress.beat()
        return job.abort

    def run(self, job: Job, jobs: Jobs, send: Callable[[dict], None]) -> dict:
        """The result of one queued call."""
        from fgraph.mcp.call import Progress
        from fgraph.mcp.work import perform

        self._current = job
        self._progress = Progress(job, jobs, send)
        try:
            return perform(self._host, self._embedder, job, jobs, self._progress)
        finally:
            self._current = None
            self._progress = None

    def patience(self) -> float | None:
        """How long the worker may sleep when there is nothing to do."""
        return self._subscriptions.patience() if self._subscriptions is not None else None

    def idle(self, send: Callable[[dict], None]) -> None:
        """What the worker does between two calls: get ready for the first, look for changes."""
        import fgraph.mcp.work  # noqa: F401

        if self._subscriptions is not None:
            self._subscriptions.look(send)

    # -- the loop's side, reader --------------------------------------------------------------------------------------

    def initialized(self, context: Context) -> dict:
        """The answer to `initialize`."""
        return {
            "protocolVersion": context.version,
            "capabilities": protocol.CAPABILITIES,
            "serverInfo": {**self.server, "title": "fgraph project memory"},
            "instructions": greeting.instructions(self._write),
        }

    def answer(self, context: Context, request: Request) -> dict:
        """The result of a method that needs no database."""
        method, params = request.method, request.params
        if method == "ping":
            return {}
        if method == "server/discover":
            return {
                "supportedVersions": list(protocol.SUPPORTED),
                "capabilities": protocol.CAPABILITIES,
                "instructions": greeting.instructions(self._write),
            }
        from fgraph.mcp import front

        if method == "resources/subscribe":
            self._watching().add(front.watchable(params))
            return {}
        if method == "resources/unsubscribe":
            self._watching().remove(front.uri(params))
            return {}
        return front.listing(method, params, self._write)

    def plan(self, context: Context, request: Request) -> tuple[object, bool] | None:
        """What the worker needs for a queued method, and whether it writes; None for a method answered at once."""
        if request.method not in protocol.QUEUED_METHODS:
            return None
        from fgraph.mcp import front

        if request.method == "tools/call":
            return front.tool_call(request.params, self._write)
        if request.method == "resources/read":
            return front.uri(request.params), False
        return front.completion(request.params), False

    def listen(self, request: Request, send: Callable[[dict], None]) -> Callable[[], None]:
        """Open a subscription stream: acknowledge it, then watch. The way to close it is returned."""
        from fgraph.mcp import front

        accepted = front.wanted_addresses(request.params)
        subscriptions = self._watching()
        watches = subscriptions.open_stream(request.id, accepted)
        send(front.acknowledgement(request.id, accepted))
        subscriptions.start(watches)
        return lambda: subscriptions.close_stream(request.id)

    def farewell(self, ident: str | int) -> dict:
        """The final result of a subscription stream at the end of the session."""
        meta = {protocol.SUBSCRIPTION_KEY: ident, protocol.SERVER_KEY: self.server}
        return {"resultType": "complete", "_meta": meta}

    def _watching(self) -> Subscriptions:
        if self._subscriptions is None:
            from fgraph.mcp.subscriptions import Subscriptions

            self._subscriptions = Subscriptions(self._host, self._nudge)
        return self._subscriptions
