"""The features behind the loop: which method is answered by whom, and what it may be asked with."""

from __future__ import annotations

from fgraph import __version__, errors
from fgraph.mcp import answers, catalog, failures, offers, protocol, resources, tools, uris
from fgraph.mcp.arguments import decode
from fgraph.mcp.call import Call, Progress
from fgraph.mcp.completion import complete
from fgraph.mcp.host import Host
from fgraph.mcp.jobs import Cancelled, Job, Jobs
from fgraph.mcp.loop import WriterBusy, complain
from fgraph.mcp.subscriptions import Subscriptions
from fgraph.mcp.wire import INVALID_PARAMS, Fault, Request, notification

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fgraph.mcp.embedder import Embedder
    from fgraph.mcp.protocol import Context

_LISTEN_FLAGS = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")


class Service:
    """One file served to one client."""

    def __init__(self, path: str, write: bool, budget: int, embed_cmd: str | None = None) -> None:
        self.server = {"name": "fgraph", "version": __version__}
        self._write = write
        self._host = Host(path, write, budget, self._stopped)
        self._embedder = self._make_embedder(embed_cmd)
        self._subscriptions = Subscriptions(self._host)
        self._current: Job | None = None
        self._progress: Progress | None = None

    # -- the process --------------------------------------------------------------------------------------------------

    @property
    def has_child(self) -> bool:
        """Whether a child process may be running at some time."""
        return self._embedder is not None

    def warnings(self) -> list[str]:
        """What the user should know at the start."""
        from fgraph.mcp.embedder import parse_command

        if self._embedder is None:
            return []
        try:
            parse_command(self._embedder.command)
        except errors.FGraphError as fault:
            return [f"--embed-cmd: {fault.message}"]
        return []

    def kill_child(self) -> None:
        """End a running child process."""
        if self._embedder is not None:
            self._embedder.kill()

    def _make_embedder(self, command: str | None) -> Embedder | None:
        if command is None:
            return None
        from fgraph.mcp.embedder import Embedder  # only servers that embed pay for it

        return Embedder(command, self._stopped)

    # -- the loop's side, worker --------------------------------------------------------------------------------------

    def attach(self, jobs: Jobs) -> None:
        """Learn how to wake the worker."""
        self._subscriptions.nudge = jobs.nudge

    def open(self) -> None:
        """Open the file; typed errors end the server."""
        self._host.open()

    def close(self) -> None:
        """Close the file."""
        self._host.close()

    def interrupt(self) -> None:
        """Stop whatever the worker waits for."""
        self.kill_child()
        self._host.interrupt()

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
        self._current = job
        self._progress = Progress(job, jobs, send)
        try:
            if job.method == "tools/call":
                return self._run_tool(job, jobs)
            if job.method == "resources/read":
                return resources.read(self._host, job.call, job.context)
            return complete(self._host, *job.call)
        except errors.QueryError as error:
            if job.abort:
                raise Cancelled from error
            raise
        finally:
            self._current = None
            self._progress = None

    def _run_tool(self, job: Job, jobs: Jobs) -> dict:
        name, arguments = job.call
        call = Call(self._host, self._embedder, job, jobs, self._progress)
        try:
            answer = tools.TOOLS[name](call, decode(name, arguments))
            found = answers.result(answer, job.context.has_links)
            if not job.writes:
                self._host.was_read()
        except errors.FGraphError as error:
            if job.abort:
                raise Cancelled from error
            found = failures.result(failures.body(error))
            if error.code == "writer_busy" and job.writes:
                raise WriterBusy(found) from error
        except Cancelled:
            raise
        except Exception as failure:
            complain(failure)
            found = failures.result(failures.internal(name))
        return found

    def patience(self) -> float | None:
        """How long the worker may sleep when there is nothing to do."""
        return self._subscriptions.patience()

    def idle(self, send: Callable[[dict], None]) -> None:
        """What the worker does between two calls."""
        self._subscriptions.look(send)

    # -- the loop's side, reader --------------------------------------------------------------------------------------

    def initialized(self, context: Context) -> dict:
        """The answer to `initialize`."""
        return {
            "protocolVersion": context.version,
            "capabilities": protocol.CAPABILITIES,
            "serverInfo": {**self.server, "title": "fgraph project memory"},
            "instructions": offers.instructions(self._write),
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
                "instructions": offers.instructions(self._write),
            }
        if method == "resources/subscribe":
            self._subscriptions.add(_watchable(params))
            return {}
        if method == "resources/unsubscribe":
            self._subscriptions.remove(_uri(params))
            return {}
        if params.get("cursor") is not None:
            raise Fault(INVALID_PARAMS, f"params.cursor: {method} has one page and gives no cursor")
        if method == "tools/list":
            return {"tools": catalog.tools(self._write)}
        if method == "resources/list":
            return {"resources": list(offers.RESOURCES)}
        return {"resourceTemplates": list(offers.TEMPLATES)}

    def plan(self, context: Context, request: Request) -> tuple[object, bool] | None:
        """What the worker needs for a queued method, and whether it writes; None for a method answered at once."""
        params = request.params
        if request.method == "tools/call":
            name = self._tool_name(params)
            arguments = params.get("arguments")
            if arguments is None:
                arguments = {}
            if not isinstance(arguments, dict):
                raise Fault(INVALID_PARAMS, "params.arguments must be an object")
            return (name, arguments), name in catalog.WRITERS
        if request.method == "resources/read":
            return _uri(params), False
        if request.method == "completion/complete":
            return _completion(params), False
        return None

    def _tool_name(self, params: dict) -> str:
        name = params.get("name")
        if not isinstance(name, str):
            raise Fault(INVALID_PARAMS, "params.name must be a string")
        if name not in catalog.TOOLS:
            raise Fault(INVALID_PARAMS, f"Unknown tool: {errors.clip(name)}")
        if name in catalog.WRITERS and not self._write:
            raise Fault(INVALID_PARAMS, f"Unknown tool: {name} (this server is read-only; start it with --write)")
        return name

    def listen(self, request: Request, send: Callable[[dict], None]) -> Callable[[], None]:
        """Open a subscription stream: acknowledge it, then watch. The way to close it is returned."""
        wanted = request.params.get("notifications")
        if not isinstance(wanted, dict):
            raise Fault(INVALID_PARAMS, "params.notifications must be an object")
        for flag in _LISTEN_FLAGS:
            if not isinstance(wanted.get(flag, False), bool):
                raise Fault(INVALID_PARAMS, f"params.notifications.{flag} must be a boolean")
        asked = wanted.get("resourceSubscriptions", [])
        if not isinstance(asked, list) or not all(isinstance(uri, str) for uri in asked):
            raise Fault(INVALID_PARAMS, "params.notifications.resourceSubscriptions must be an array of strings")
        accepted = [uri for uri in dict.fromkeys(asked) if Subscriptions.watchable(uri)]
        watches = self._subscriptions.open_stream(request.id, accepted)
        granted = {"resourceSubscriptions": accepted} if accepted else {}
        meta = {protocol.SUBSCRIPTION_KEY: request.id}
        acknowledged = {"_meta": meta, "notifications": granted}
        send(notification("notifications/subscriptions/acknowledged", acknowledged))
        self._subscriptions.start(watches)
        return lambda: self._subscriptions.close_stream(request.id)

    def farewell(self, ident: str | int) -> dict:
        """The final result of a subscription stream at the end of the session."""
        meta = {protocol.SUBSCRIPTION_KEY: ident, protocol.SERVER_KEY: self.server}
        return {"resultType": "complete", "_meta": meta}


def _uri(params: dict) -> str:
    uri = params.get("uri")
    if not isinstance(uri, str):
        raise Fault(INVALID_PARAMS, "params.uri must be a string")
    return uri


def _watchable(params: dict) -> str:
    uri = _uri(params)
    if not Subscriptions.watchable(uri):
        what = "fgraph://schema, fgraph://changes and fgraph://entity/{selector} can be subscribed to"
        raise Fault(INVALID_PARAMS, f"No subscription for this address: {what}", {"uri": uri})
    return uri


def _completion(params: dict) -> tuple[str, str, str]:
    ref, argument = params.get("ref"), params.get("argument")
    if not isinstance(ref, dict) or ref.get("type") != "ref/resource" or not isinstance(ref.get("uri"), str):
        raise Fault(INVALID_PARAMS, 'params.ref must be {"type":"ref/resource","uri":<a template of this server>}')
    texts = isinstance(argument, dict) and all(isinstance(argument.get(key), str) for key in ("name", "value"))
    if not texts:
        raise Fault(INVALID_PARAMS, "params.argument must hold the strings name and value")
    template = next((one["uriTemplate"] for one in offers.TEMPLATES if one["uriTemplate"] == ref["uri"]), None)
    if template is None:
        raise Fault(INVALID_PARAMS, f"No such template: {errors.clip(ref['uri'])}", {"uri": ref["uri"]})
    if argument["name"] not in uris.variables_of(template):
        raise Fault(INVALID_PARAMS, f"The template has no variable {errors.quote(argument['name'])}")
    return template, argument["name"], argument["value"]
