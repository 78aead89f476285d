"""What must hold for every line that the server writes, whatever the test is about."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path

from fgraph.mcp.catalog import TOOLS
from fgraph.mcp.wire import compact
from tests.mcp.json_schema import faults

SCHEMA_FOLDER = os.environ.get("FGRAPH_MCP_SCHEMAS", "")
STATELESS = "2026-07-28"
LATEST_HANDSHAKE = "2025-11-25"
ID_REQUIRED_IN_ERRORS = ("2024-11-05", "2025-03-26", "2025-06-18")
RESULT_OF = {
    "initialize": "InitializeResult",
    "ping": "EmptyResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "resources/subscribe": "EmptyResult",
    "resources/unsubscribe": "EmptyResult",
    "completion/complete": "CompleteResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}


def parse_line(line: bytes) -> object:
    """The message of one output line, which must be strict JSON in UTF-8 on one line."""
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    assert b"\r" not in line
    text = line.decode("utf-8")
    assert not {"\u2028", "\u2029", "\u0085"} & set(text)
    message = json.loads(text, parse_constant=_refuse)
    assert b"\\ud" not in line.lower() or json.dumps(message, ensure_ascii=False).encode("utf-8")
    return message


def _refuse(token: str) -> None:
    raise AssertionError(f"{token} on the wire")


def check_message(message: dict, version: str | None, method: str | None) -> None:
    """One message against our own rules and, where they are at hand, the official schemas."""
    assert message["jsonrpc"] == "2.0"
    kinds = {"result", "error", "method"} & set(message)
    assert len(kinds) == 1
    allowed = {"method": {"jsonrpc", "method", "params"}}.get(kinds.pop(), {"jsonrpc", "id", "result", "error"})
    assert set(message) <= allowed
    _check_no_null_members(message)
    if "result" in message:
        _check_dress(message["result"], version, method)
        if method == "tools/call":
            _check_tool_result(message["result"])
    _check_officially(message, version or LATEST_HANDSHAKE, method)


INTERNALS = ("Traceback", ".py", "sqlite3", "OperationalError", "SELECT ", "fgraph.mcp")


def _check_no_internals(text: str) -> None:
    """Nothing of how the server is made shows in an error."""
    assert not [word for word in INTERNALS if word in text], text


def _check_no_null_members(message: dict) -> None:
    for name in ("id", "result", "error"):
        assert message.get(name, 0) is not None
    if "error" in message:
        _check_no_internals(json.dumps(message["error"]))
        assert type(message["error"]["code"]) is int
        assert message["error"].get("data", 0) not in (None, "")


def _check_dress(result: dict, version: str | None, method: str | None) -> None:
    if version == STATELESS:
        assert result["resultType"] == "complete"
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "fgraph"
    elif version is not None:
        assert not {"resultType", "ttlMs", "cacheScope"} & set(result)
    if method == "ping":
        assert result == {}


def _check_tool_result(result: dict) -> None:
    text = result["content"][0]["text"]
    if result.get("isError"):
        assert "structuredContent" not in result
        assert len(result["content"]) == 1
        error = json.loads(text)["error"]
        _check_no_internals(error["message"] + error["hint"])
        assert {"type", "code", "message", "hint", "retry"} <= set(error)
        assert len(text.encode()) <= 2_048
        return
    envelope = result["structuredContent"]
    assert set(envelope) == {"ok", "basis_tx", "data"}
    assert text == compact(envelope)
    assert text == json.dumps(envelope, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def check_output(tool: str, result: dict) -> None:
    """A tool's answer against the output schema it publishes."""
    if not result.get("isError"):
        assert faults(result["structuredContent"], TOOLS[tool]["outputSchema"]) == []


def _check_officially(message: dict, version: str, method: str | None) -> None:
    official = official_schema(version)
    if official is None:
        return
    if "error" in message and "id" not in message and version in ID_REQUIRED_IN_ERRORS:
        return
    definitions = official.get("$defs") or official["definitions"]
    assert faults(message, definitions["JSONRPCMessage"], official) == []
    name = RESULT_OF.get(method or "")
    if "result" in message and name in definitions:
        assert faults(message["result"], definitions[name], official) == []


@cache
def official_schema(version: str) -> dict | None:
    """The official schema of a protocol version, where FGRAPH_MCP_SCHEMAS names the folder that holds it."""
    path = Path(SCHEMA_FOLDER or ".") / f"{version}.json"
    return json.loads(path.read_text(encoding="utf-8")) if SCHEMA_FOLDER and path.is_file() else None
