"""Random lines, most of them broken: the server answers what it can, and goes on."""

from __future__ import annotations

import json
import os
import random

from fgraph.database import connect
from tests.mcp.checks import check_message
from tests.mcp.clients import InProcess, envelope, opening

# A longer run by hand: FGRAPH_FUZZ_LINES=100000 python -m pytest tests/mcp/test_mcp_fuzz.py
LINES = int(os.environ.get("FGRAPH_FUZZ_LINES", "2500"))
LONG_LINES = 1 if LINES < 10_000 else 20
METHODS = (
    "ping", "tools/list", "tools/call", "resources/read", "resources/list", "completion/complete", "initialize",
    "server/discover", "subscriptions/listen", "resources/subscribe", "notifications/cancelled", "prompts/list", "",
)  # fmt: skip
PLACES = (
    "schema", "entity/a", "tx/64", "changes", "changes?since=x", "event/x", "entity/%ff", "schema?cursor=e30", "",
)  # fmt: skip
TOOLS = (
    "recall", "about", "why", "history", "datoms", "receipt", "schema", "remember", "forget", "undo", "nope",
)  # fmt: skip
NAMES = (
    "query", "k", "entity", "attribute", "limit", "tx", "text", "key", "facts", "operation_id", "if_basis_tx", "value",
    "cursor", "prefix", "index", "components", "from", "at", "uri", "name", "arguments", "_meta", "ref", "argument",
)  # fmt: skip


class Patient(InProcess):
    """A client that cannot know which era an answer belongs to."""

    def _check(self, message: dict) -> None:
        check_message(message, None, None)


class Fuzz:
    """A seeded source of lines."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, depth: int = 0) -> object:
        pick = self.random.randrange(14 if depth < 4 else 9)
        if pick < 4:
            return self.random.choice(["", "a", "memory/text", "65", "null", "[1]", "é\u2028😀", "\ud800", "x" * 300])
        if pick < 7:
            return self.random.choice([0, 1, -1, 64, 65, 70, 2**63, 10**40, -(2**63), 1.5, 1e300])
        if pick < 9:
            return self.random.choice([None, True, False])
        if pick < 11:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        return {self.random.choice(NAMES): self.value(depth + 1) for _ in range(self.random.randrange(4))}

    def arguments(self) -> object:
        if self.random.random() < 0.2:
            return self.value()
        given = {name: self.value(2) for name in self.random.sample(NAMES[:18], self.random.randrange(5))}
        if self.random.random() < 0.7:
            given.update(operation_id=f"op {self.random.randrange(50)}", entity="a", query="a note", if_basis_tx=64)
        return given

    def message(self) -> object:
        params: object = {"name": self.random.choice(TOOLS), "arguments": self.arguments(), "uri": self.uri()}
        if self.random.random() < 0.2:
            params = self.value()
        elif self.random.random() < 0.3:
            params["_meta"] = self.random.choice([envelope(), envelope(protocolVersion="x"), {"progressToken": 1}, 5])
        elif self.random.random() < 0.1:
            params = {**opening(), **params}
        message = {"jsonrpc": "2.0", "id": self.value(3), "method": self.random.choice(METHODS), "params": params}
        for name in list(message):
            if self.random.random() < 0.04:
                del message[name]
        return message

    def uri(self) -> str:
        return "fgraph://" + self.random.choice(PLACES)

    def line(self) -> bytes:
        kind = self.random.randrange(20)
        if kind == 0:
            return self.random.randbytes(self.random.randrange(60)).replace(b"\n", b" ")
        if kind == 1:
            return self.random.choice([b"[", b'{"a":', b'"']) * self.random.choice([1, 100, 50_000])
        text = json.dumps([self.message() for _ in range(self.random.randrange(5))] if kind == 2 else self.message())
        if kind == 3:
            return text[: self.random.randrange(len(text))].encode()
        if kind == 4:
            return text.encode().replace(b"e", b"\xe9", 1)
        if kind == 5:
            return text.replace("1", "9" * self.random.choice([30, 5_000]), 1).encode()
        return text.encode()


def test_fuzzed_lines_leave_a_server_that_answers_and_a_sound_file(tmp_path):
    path = tmp_path / "fuzz.db"
    fuzz = Fuzz(seed=20260728)
    with Patient(path) as client:
        client.open()
        client.call("remember", operation_id="first", key="a", text="a note")
        for number in range(LINES):
            client.line(fuzz.line())
            if number % 50 == 49:
                drain(client, f"probe {number}")
        for _ in range(LONG_LINES):
            client.line(b'{"jsonrpc":"2.0","id":1,"method":"' + b"x" * 10_000_000)
        drain(client, "the end")
        client.open()
        assert client.data("about", entity="a")["memory/text"]
    with connect(path) as db:
        assert db.doctor()["ok"]


def drain(client: Patient, id: str) -> None:
    """Take everything up to the answer of a call that the worker must run."""
    call = {"name": "receipt", "arguments": {"tx": 64}, "_meta": envelope()}
    client.ask("tools/call", call, id=id)
    while True:
        message = client.receive()
        if isinstance(message, dict) and message.get("id") == id:
            assert "result" in message
            return
