"""The query tools: Datalog with a bounded number of rows, and the plan of a query."""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.mcp import answers
from fgraph.mcp.answers import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.mcp.call import Call


def run_query(call: Call, given: dict) -> Answer:
    """`query`: rows of a Datalog query, and whether there were more."""
    query = given["q"]
    explicit = "limit" in query
    limit = _row_limit(query)
    with call.reading(given.get("at")) as (db, reader):
        # One row more than will be shown tells whether there are more.
        found = db.q({**query, "limit": limit if explicit else limit + 1}, _bindings(given))
        basis = reader.basis
    rows = list(found["rows"])
    data: dict = {"columns": list(found["columns"]), "rows": rows}
    if explicit:
        return Answer(basis, data)
    frame = {**data, "rows": []}
    shown = answers.short_page(rows[:limit], frame, _cut_row)
    if len(shown) == 1:
        shown = [_narrow_row(shown[0], limits.MCP_DEFAULT_CHARS - answers.size(frame) - limits.MCP_FRAME_CHARS)]
    data["rows"] = shown
    if len(shown) < len(rows):
        data["truncated"] = True
        data["offset"] = query.get("offset", 0) + len(shown)
    if shown != rows[: len(shown)]:
        data["value_truncated"] = True
    return Answer(basis, data)


def explain_query(call: Call, given: dict) -> Answer:
    """`explain`: how each clause would be looked up; refuses what `query` would refuse."""
    query = given["q"]
    _row_limit(query)
    with call.reading() as (db, reader):
        return Answer(reader.basis, dict(db.explain(query, _bindings(given))))


def _row_limit(query: dict) -> int:
    limit = query.get("limit", limits.MCP_ROWS)
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= limits.MCP_ROWS_MAX:
        raise errors.TypeError(
            f"q.limit is {errors.quote(limit)}",
            code="out_of_range",
            param="q.limit",
            hint=f"use an integer from 0 to {limits.MCP_ROWS_MAX}, or leave it out for {limits.MCP_ROWS}",
        )
    return limit


def _bindings(given: dict) -> dict:
    """The values of the query's variables; a question mark in front of a name may be missing."""
    found: dict = {}
    for name, value in given.get("args", {}).items():
        variable = name if name.startswith("?") else f"?{name}"
        if variable in found:
            raise errors.TypeError(
                f"args gives {variable} twice, with and without question mark", param="args", hint="keep one of them"
            )
        found[variable] = value
    return found


def _cut_row(row: list, most: int) -> list:
    return [answers.cut_inside(value, most) for value in row]


def _narrow_row(row: list, room: int) -> list:
    """The row with as many members of its pulled maps and lists as fit: one entity may hold thousands of values."""
    most = limits.MCP_VALUES
    while answers.size(row) > room and most:
        row = [_leading_members(value, most) for value in row]
        most //= 2
    return row


def _leading_members(value: object, most: int) -> object:
    if isinstance(value, dict):
        return {key: _leading_members(value[key], most) for key in sorted(value)[:most]}
    if isinstance(value, list):
        return [_leading_members(item, most) for item in value[:most]]
    return value
