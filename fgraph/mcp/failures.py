"""Typed errors as an agent reads them: one short JSON object with the way out."""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.mcp.answers import cut_text
from fgraph.mcp.wire import INTERNAL_ERROR, INVALID_PARAMS, Fault, compact

# What to do after each code: fix the request, reread and decide again, send the same again, restart the paging.
_RETRY = {
    "stale_basis": "reread",
    "fact_conflict": "reread",
    "file_replaced": "reread",
    "writer_busy": "same",
    "embedder_timeout": "same",
    "missing_file": "same",
    "invalid_cursor": "restart",
    "read_only": "no",
    "unsupported": "no",
    "embedder_failed": "no",
    "storage": "no",
    "internal": "no",
}
# Next steps in terms of tools, where the library's own advice is for programmers.
_HINTS = {
    "stale_basis": (
        "Read again what this decision rests on, then send a new operation_id with the basis_tx of that read."
    ),
    "operation_reused": (
        "An operation_id stands for one request by one client (the author is part of it): use a new operation_id."
    ),
    "writer_busy": "Nothing was changed; send the identical request again.",
    "invalid_cursor": "Drop the cursor and start with the first page.",
    "unknown_entity": "Check the name with recall or schema.",
    "unknown_attribute": "Check the name with schema.",
    "work_budget": (
        "Bind more of the query, for example an entity or a value, or search fewer attributes; the user can raise "
        "--query-budget."
    ),
    "response_too_large": "Ask for fewer items, or read one long value with about(entity, attribute, from=0).",
}
# A number that would make it work invites to send the same again without reading.
_MESSAGES = {"stale_basis": "if_basis_tx is stale: later transactions were committed"}
# The library tells more kinds of wrong arguments apart than an agent needs.
_CODES = {"json_syntax": "invalid_argument"}
_ANY_HINT = "Correct the request and send it again."
_INTERNAL_HINT = "Tell the user; the server's error output has the details."


def body(error: errors.FGraphError) -> dict:
    """The error object of one typed error."""
    found = {
        "type": type(error).__name__,
        "code": _CODES.get(error.code, error.code),
        "message": _MESSAGES.get(error.code) or _cut(error.message),
        "hint": _cut(_HINTS.get(error.code) or error.hint or _ANY_HINT),
        "retry": _RETRY.get(error.code, "fix"),
    }
    if error.param:
        found["param"] = _cut(error.param)
    return dict(sorted(found.items()))


def internal(tool: str) -> dict:
    """The error object for a fault of ours."""
    return {
        "code": "internal",
        "hint": _INTERNAL_HINT,
        "message": f"{tool} failed inside the server",
        "retry": "no",
        "type": "InternalError",
    }


def result(error: dict) -> dict:
    """The tool result for an error object: all of it in the text, no structured form (clients would check that)."""
    return {"content": [{"type": "text", "text": compact({"error": error, "ok": False})}], "isError": True}


def refuse(error: errors.FGraphError, data: dict | None = None) -> Fault:
    """The protocol error for a typed error where no tool result can carry it."""
    ours = isinstance(error, errors.TooLarge | errors.FormatError | errors.ReadOnly)
    return Fault(INTERNAL_ERROR if ours else INVALID_PARAMS, _cut(error.message), data)


def _cut(text: str) -> str:
    return cut_text(" ".join(text.split()), limits.MCP_ERROR_BYTES)
