"""Clients for the tests: one in this process for speed, one that starts the real server."""

from __future__ import annotations

import atexit
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from functools import cache
from pathlib import Path

from fgraph.mcp.loop import Loop
from fgraph.mcp.service import Service
from tests.mcp.checks import STATELESS, check_message, check_output, parse_line

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "io.modelcontextprotocol/"
PATIENCE = 10.0  # seconds until a missing answer is a failure
END = object()


def envelope(client: str | None = "probe", **changes: object) -> dict:
    """The `_meta` of a stateless request; a change to None leaves the key out."""
    meta = {f"{PREFIX}protocolVersion": STATELESS, f"{PREFIX}clientCapabilities": {}}
    if client is not None:
        meta[f"{PREFIX}clientInfo"] = {"name": client, "version": "1"}
    meta.update({f"{PREFIX}{key}": value for key, value in changes.items()})
    return {key: value for key, value in meta.items() if value is not None}


def opening(version: str = "2025-11-25", client: str = "probe") -> dict:
    """The params of `initialize`."""
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}


@cache
def _compiled() -> str:
    """A folder for compiled modules, so that a test does not pay for compiling the server again and again."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name


def cached_environment() -> dict[str, str]:
    """The environment in which tests start the server."""
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**env, "PYTHONPYCACHEPREFIX": _compiled()}


class Client:
    """Sends lines and takes messages; knows which answer belongs to which request, and checks all of them."""

    def __init__(self) -> None:
        self._lines: queue.Queue = queue.Queue()
        self._asked: dict[object, tuple[str | None, str, str | None]] = {}
        self._next_id = 100
        self.version: str | None = None
        self.kept: list[dict] = []

    # What the two kinds of client differ in

    def write(self, data: bytes) -> None:
        raise NotImplementedError

    # Sending

    def line(self, text: str | bytes) -> None:
        """One raw line."""
        self.write((text.encode("utf-8") if isinstance(text, str) else text) + b"\n")

    def send(self, message: object) -> None:
        """One message as JSON."""
        for one in message if isinstance(message, list) else [message]:
            self._note(one)
        self.line(json.dumps(message))

    def ask(self, method: str, params: dict | None = None, id: object = None) -> object:
        """A request; its id, without waiting for the answer."""
        if id is None:
            self._next_id += 1
            id = self._next_id
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return id

    def notify(self, method: str, params: dict | None = None) -> None:
        """A notification."""
        self.send({"jsonrpc": "2.0", "method": method, **({} if params is None else {"params": params})})

    def _note(self, message: object) -> None:
        if isinstance(message, dict) and isinstance(message.get("id"), str | int):
            params = message.get("params")
            meta = params.get("_meta") if isinstance(params, dict) else None
            stateless = isinstance(meta, dict) and f"{PREFIX}protocolVersion" in meta
            version = STATELESS if stateless else self.version
            tool = params.get("name") if isinstance(params, dict) else None
            self._asked[_key(message["id"])] = (version, str(message.get("method")), tool)

    # Receiving

    def receive(self, patience: float = PATIENCE) -> object:
        """The next message of the server, checked; fails when none comes."""
        line = self._lines.get(timeout=patience)
        assert line is not END, "the server has closed its output"
        message = parse_line(line)
        for one in message if isinstance(message, list) else [message]:
            self._check(one)
        return message

    def _check(self, message: dict) -> None:
        version, method, tool = self._asked.get(_key(message.get("id")), (self.version, None, None))
        if "result" in message or "error" in message:
            self._asked.pop(_key(message.get("id")), None)
        if method == "initialize":
            version = message.get("result", {}).get("protocolVersion", version)
        check_message(message, version, method)
        if method == "tools/call" and "result" in message:
            check_output(tool, message["result"])

    def answer(self, id: object, patience: float = PATIENCE) -> dict:
        """The answer to one request; what comes before it is kept aside in `kept`."""
        for message in self.kept:
            if "method" not in message and message.get("id") == id and type(message.get("id")) is type(id):
                self.kept.remove(message)
                return message
        while True:
            message = self.receive(patience)
            if isinstance(message, dict) and "method" not in message and _key(message.get("id")) == _key(id):
                return message
            self.kept.append(message)

    def request(self, method: str, params: dict | None = None, id: object = None) -> dict:
        """A request and its answer."""
        return self.answer(self.ask(method, params, id))

    def open(self, version: str = "2025-11-25", client: str = "probe") -> dict:
        """The handshake; the answer to `initialize`."""
        answer = self.request("initialize", opening(version, client))
        self.version = answer["result"]["protocolVersion"]
        self.notify("notifications/initialized")
        return answer

    def stateless(self, method: str, params: dict | None = None, client: str | None = "probe") -> dict:
        """A request with its envelope, and its answer."""
        return self.request(method, {**(params or {}), "_meta": envelope(client)})

    def tool(self, name: str, **arguments: object) -> dict:
        """The result of a tool call, error or not."""
        return self.request("tools/call", {"name": name, "arguments": arguments})["result"]

    def call(self, name: str, **arguments: object) -> dict:
        """The envelope of a tool call that must succeed."""
        result = self.tool(name, **arguments)
        assert "structuredContent" in result, result["content"][0]["text"]
        return result["structuredContent"]

    def data(self, name: str, **arguments: object) -> dict:
        """The data of a tool call that must succeed."""
        return self.call(name, **arguments)["data"]

    def refused(self, name: str, **arguments: object) -> dict:
        """The error of a tool call that must fail."""
        result = self.tool(name, **arguments)
        assert result.get("isError") is True, result
        return json.loads(result["content"][0]["text"])["error"]

    def read(self, uri: str) -> dict:
        """The document of a resource."""
        return json.loads(self.request("resources/read", {"uri": uri})["result"]["contents"][0]["text"])

    def is_silent(self) -> bool:
        """Whether the server has nothing to say before it answers a ping."""
        before = len(self.kept)
        self.request("ping")
        return len(self.kept) == before


def _key(id: object) -> tuple:
    return (type(id).__name__, id)


class InProcess(Client):
    """The loop and the service in this process, fed through a pipe."""

    def __init__(self, path: object, write: bool = True, budget: int = 100_000, embed_cmd: str | None = None) -> None:
        super().__init__()
        source, self._target = os.pipe()
        self.service = Service(str(path), write, budget, embed_cmd)
        self._loop = Loop(lambda: os.read(source, 65_536), self._lines.put, self.service)
        self._thread = threading.Thread(target=self._run, args=(source,), daemon=True)
        self._loop.start()
        self._thread.start()

    def _run(self, source: int) -> None:
        self._loop.read_all()
        self._loop.finish()
        self._lines.put(END)
        os.close(source)

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self._target, data) :]

    def close(self) -> list:
        """End the input; what the server still had to say."""
        os.close(self._target)
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.rest()

    def rest(self) -> list:
        """Everything up to the end of the output."""
        found = []
        while (line := self._lines.get(timeout=PATIENCE)) is not END:
            found.append(parse_line(line))
        return found

    def __enter__(self) -> InProcess:
        return self

    def __exit__(self, *failure: object) -> None:
        if failure[0] is None:
            self.close()
        else:
            os.close(self._target)


class Server(Client):
    """The real server, started from the command line."""

    def __init__(
        self, path: object, *options: str, before: tuple[str, ...] = (), env: dict | None = None, cwd: object = None
    ) -> None:
        super().__init__()
        command = [sys.executable, str(ROOT / "fgraph.py"), *before, "--db", str(path), "mcp", *options]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=cached_environment() if env is None else env, cwd=cwd,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._pump, daemon=True)
        self._reader.start()

    def _pump(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(END)

    def write(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def finish(self, patience: float = PATIENCE) -> tuple[int, list, bytes]:
        """End the input: exit status, remaining messages, and what stands on the error stream."""
        self.process.stdin.close()
        status = self.process.wait(patience)
        self._reader.join(PATIENCE)
        rest = []
        while (line := self._lines.get(timeout=PATIENCE)) is not END:
            rest.append(parse_line(line))
        return status, rest, self.process.stderr.read()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *failure: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
