"""What the server publishes as resources: two addresses to begin with, and the templates of all."""

from __future__ import annotations

from fgraph import limits

RESOURCES = (
    {
        "uri": "fgraph://schema",
        "name": "schema",
        "title": "Attributes and shapes",
        "description": "Attribute rules, observed types and shapes; follow next_uri for more.",
        "mimeType": "application/json",
    },
    {
        "uri": "fgraph://changes",
        "name": "changes",
        "title": "Change feed",
        "description": "All committed events from the beginning; follow next_uri for more.",
        "mimeType": "application/json",
    },
)

TEMPLATES = (
    {
        "uriTemplate": "fgraph://schema{?prefix,cursor}",
        "name": "schema",
        "title": "Attributes and shapes",
        "description": (
            f"Attribute rules, observed types and shapes, at most {limits.MCP_ITEMS_MAX} a page; follow next_uri."
        ),
        "mimeType": "application/json",
    },
    {
        "uriTemplate": "fgraph://entity/{selector}{?at,cursor}",
        "name": "entity",
        "title": "Facts of one entity",
        "description": (
            f"All facts of an entity name, integer id or UUID, {limits.MCP_ITEMS_MAX} a page; at selects an earlier "
            "transaction or an RFC 3339 time."
        ),
        "mimeType": "application/json",
    },
    {
        "uriTemplate": "fgraph://tx/{tx}",
        "name": "transaction",
        "title": "Transaction receipt",
        "description": "Who, when, source, operation id and event hash of one transaction.",
        "mimeType": "application/json",
    },
    {
        "uriTemplate": "fgraph://changes{?since,cursor}",
        "name": "changes",
        "title": "Change feed",
        "description": (
            f"Committed event/1 records after transaction since (default {limits.GENESIS_TX}), at most "
            f"{limits.MCP_ITEMS_MAX} or {limits.MCP_FEED_BYTES // 1024} KiB a page; read again with since=basis_tx "
            "for later changes."
        ),
        "mimeType": "application/json",
    },
    {
        "uriTemplate": "fgraph://event/{event}{?basis,offset,digest}",
        "name": "event",
        "title": "One event in chunks",
        "description": (
            f"Canonical bytes of one event in base64 chunks of {limits.MCP_CHUNK_BYTES // 1024} KiB; use the uri that "
            "oversized_event gives."
        ),
        "mimeType": "application/json",
    },
)
