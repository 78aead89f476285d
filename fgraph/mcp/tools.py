"""Which function is which tool."""

from __future__ import annotations

from fgraph.mcp import queries, reads, recall, writes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fgraph.mcp.answers import Answer
    from fgraph.mcp.call import Call

TOOLS: dict[str, Callable[[Call, dict], Answer]] = {
    "recall": recall.recall,
    "about": reads.read_entity,
    "why": reads.read_reasons,
    "history": reads.read_timeline,
    "query": queries.run_query,
    "datoms": reads.list_datoms,
    "receipt": reads.read_receipt,
    "schema": reads.list_schema,
    "explain": queries.explain_query,
    "remember": writes.remember,
    "forget": writes.forget,
    "undo": writes.undo_transaction,
}
