"""Random lines, most of them broken: the server answers what it can, and goes on."""

from __future__ import annotations

import json
import os
import random

from fgraph.database import connect
from tests.mcp.checks import check_message
from tests.mcp.clients import InProcess, envelope, opening

# A longer run by hand: FGRAPH_FUZZ_LINES=100000 python -m pytest tests/mcp/test_mcp_fuzz.py
LINES = int(os.environ.get("FGRAPH_FUZZ_LINES", "1500"))
LONG_LINES = 1 if LINES < 10_000 else 20
METHODS = (
    "ping", "tools/list", "tools/call", "resources/read", "resources/list", "completion/complete", "initialize",
    "server/discover", "subscriptions/listen", "resources/subscribe", "notifications/cancelled", "prompts/list", "",
)  # fmt: skip
PLACES = (
    "schema", "entity/a", "tx/64", "changes", "changes?since=x", "event/x", "entity/%ff", "schema?cursor=e30", "",
)  # fmt: skip
SOUND = {
    "recall": {"query": "a note"},
    "about": {"entity": "a"},
    "why": {"entity": "a", "limit": 3},
    "history": {"entity": "a"},
    "query": {"q": {"find": ["?e"], "where": [["?e", "memory/text", "?t"]]}},
    "datoms": {"limit": 5},
    "receipt": {"tx": 64},
    "schema": {},
    "explain": {"q": {"find": ["?e"], "where": [["?e", "memory/text", "?t"]]}},
    "remember": {"operation_id": "x", "text": "another note", "key": "b"},
    "forget": {"entity": "b", "operation_id": "y", "if_basis_tx": 64},
    "undo": {"tx": 67, "operation_id": "z", "if_basis_tx": 64},
    "nope": {},
}
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

    def arguments(self, tool: str) -> object:
        """Sound arguments, most of the time with something wrong in them."""
        kind = self.random.randrange(10)
        if kind == 0:
            return self.value()
        given = dict(SOUND[tool])
        if "operation_id" in given:
            given["operation_id"] = f"operation {self.random.randrange(10**6)}"
        if kind < 5:
            given[self.random.choice([*given, *NAMES])] = self.value(1)
        return given

    def message(self) -> object:
        tool = self.random.choice(list(SOUND))
        params: object = {"name": tool, "arguments": self.arguments(tool), "uri": self.uri()}
        if self.random.random() < 0.2:
            params = self.value()
        elif self.random.random() < 0.3:
            params["_meta"] = self.random.choice([envelope(), envelope(protocolVersion="x"), {"progressToken": 1}, 5])
        elif self.random.random() < 0.1:
            params = {**opening(), **params}
        method = "tools/call" if self.random.random() < 0.6 else self.random.choice(METHODS)
        ident = self.random.randrange(10**9) if self.random.random() < 0.8 else self.value(3)
        message = {"jsonrpc": "2.0", "id": ident, "method": method, "params": params}
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
        assert db.stats()["transactions"] > LINES // 150
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
