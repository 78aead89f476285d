"""What the server publishes about its tools: names, descriptions, argument schemas, hints.

Client programs hand these schemas to model APIs that refuse a whole tool list for one unusual keyword. Allowed are
type, description, properties, required, items, enum, default, minimum, maximum, minLength, maxLength, maxItems, and
anyOf as the only key of a node; tests/mcp/test_mcp_catalog.py holds the rules.
"""

from __future__ import annotations

from fgraph import limits
from fgraph.mcp.outputs import OUTPUTS
from fgraph.mcp.pieces import (
    ARGS,
    AT,
    ATTRIBUTE,
    CURSOR,
    ENTITY,
    GUARD,
    LIST,
    OFFSET,
    OPERATION_ID,
    QUERY,
    TEXTS,
    page,
)

_RECALL = {
    "name": "recall",
    "title": "Search memory",
    "description": (
        "Search the project's memory: find stored notes, decisions, preferences and facts by the words of a question "
        "or by keywords (and by meaning when the server has an embedder). Call this before you work out again a "
        "decision, convention or fact. Whole sentences are fine: not every word has to occur, notes that hold more "
        "of them come first. Each hit says who asserted it, when and from which source. Without k the answer is "
        "kept short and says truncated when hits were left out; long texts are excerpts: read the whole with "
        'about(entity, attribute, from=0), or give k. Example: recall(query="when does the team ship", k=5).'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "query": {
                "type": "string",
                "description": 'What to look for, one character or more, a question or words, e.g. "ship day".',
                "minLength": 1,
            },
            "k": {
                "type": "integer",
                "description": (
                    f"Most hits to return, 1 to {limits.MCP_HITS_MAX}, default {limits.MCP_HITS}, e.g. 5. Give it "
                    "to get long texts whole."
                ),
                "minimum": 1,
                "maximum": limits.MCP_HITS_MAX,
                "default": limits.MCP_HITS,
            },
            "expand": {
                "type": "integer",
                "description": (
                    f"Also return entities up to this many links away from the hits, 0 to {limits.MCP_EXPAND_MAX}, "
                    "default 0, e.g. 1."
                ),
                "minimum": 0,
                "maximum": limits.MCP_EXPAND_MAX,
                "default": 0,
            },
            "attributes": {
                **TEXTS,
                "description": (
                    f"Search only these text attributes, at most {limits.MCP_FILTERS}, default all, "
                    'e.g. ["memory/text"].'
                ),
                "maxItems": limits.MCP_FILTERS,
            },
            "filters": {
                "type": "array",
                "maxItems": limits.MCP_FILTERS,
                "description": (
                    f"Only entities that have all these exact values: at most {limits.MCP_FILTERS} pairs "
                    '[attribute, value], e.g. [["note/kind","decision"]]. Default: none.'
                ),
                "items": LIST,
            },
            "detail": {
                "type": "string",
                "description": "full (default), or brief: one short text a hit, which saves most of the tokens.",
                "enum": ["full", "brief"],
                "default": "full",
            },
        },
        "required": ["query"],
    },
}

_ABOUT = {
    "name": "about",
    "title": "Read an entity",
    "description": (
        "All current facts of one entity as an attribute-to-value map; depth=2 also opens linked entities. At most "
        f"{limits.MCP_ATTRIBUTES} attributes and {limits.MCP_VALUES} values each, long texts as excerpts; what is "
        "left out stands in data.omitted, with the from to continue at. To read a long text or a long list whole, "
        'name the attribute and go on with from: about(entity="project:log", attribute="memory/text", from=1000). '
        'Every fact: resource fgraph://entity/{selector}. Example: about(entity="service:billing", depth=2).'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "entity": ENTITY,
            "depth": {
                "type": "integer",
                "description": '0 or 1 (default 1): links as {"ref":name}; 2: links opened once, e.g. 2.',
                "minimum": 0,
                "maximum": limits.MCP_DEPTH_MAX,
                "default": 1,
            },
            "attribute": ATTRIBUTE,
            "from": {
                "type": "integer",
                "description": (
                    "With attribute: start a long text at this character, or a list at this value, 0 or more, "
                    "e.g. 1000. Default 0."
                ),
                "minimum": 0,
                "default": 0,
            },
            "at": AT,
        },
        "required": ["entity"],
    },
}

_WHY = {
    "name": "why",
    "title": "Explain a belief",
    "description": (
        "Current facts of an entity, each with the transaction that asserted it (time, author, source). Use it to "
        "judge whether to trust a fact. Without limit the answer is kept short: truncated and offset say where to "
        'go on. Example: why(entity="service:billing", attribute="service/owner").'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "entity": ENTITY,
            "attribute": ATTRIBUTE,
            "limit": page(limits.MCP_ITEMS_MAX, "Most items to return"),
            "offset": OFFSET,
            "at": AT,
        },
        "required": ["entity"],
    },
}

_HISTORY = {
    "name": "history",
    "title": "Read a timeline",
    "description": (
        "Everything ever asserted about an entity, oldest first, with who replaced or retracted it and when. "
        "Without limit the answer is kept short: truncated and offset say where to go on; order=desc starts with "
        'the newest. Example: history(entity="project:ship-day", attribute="memory/text").'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "entity": ENTITY,
            "attribute": ATTRIBUTE,
            "limit": page(limits.MCP_ITEMS_MAX, "Most items to return"),
            "offset": OFFSET,
            "order": {
                "type": "string",
                "description": "asc (default, oldest first) or desc.",
                "enum": ["asc", "desc"],
                "default": "asc",
            },
            "at": AT,
        },
        "required": ["entity"],
    },
}

_QUERY_TOOL = {
    "name": "query",
    "title": "Query facts",
    "description": (
        "Run a read-only Datalog query when you need joins, filters, counts or sorting. "
        f"{limits.MCP_ROWS} rows unless the limit in q says otherwise (at most {limits.MCP_ROWS_MAX}). Without a "
        "limit the answer is kept short and long values are cut; data.truncated and data.offset appear when rows "
        "were left out. Call explain first if the query may touch much. Example: "
        'query(q={"find":["?svc","?owner"],"where":[["?svc","service/owner","?owner"]],"limit":20}).'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {"q": QUERY, "args": ARGS, "at": AT},
        "required": ["q"],
    },
}

_DATOMS = {
    "name": "datoms",
    "title": "Page raw facts",
    "description": (
        "Page through raw facts in index order, for large or exact traversals. components fixes the leading "
        "positions of the index: eavt = entity, attribute, value; avet = attribute, value, entity; vaet = who links "
        "to an entity. All pages of one listing see the same state; go on with next_cursor. Without limit a page is "
        'kept short and long values are cut. Example: datoms(index="avet", components=["service/owner"], limit=50).'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "index": {
                "type": "string",
                "description": "Sort order, default eavt.",
                "enum": ["eavt", "avet", "vaet"],
                "default": "eavt",
            },
            "components": {
                **LIST,
                "maxItems": limits.MCP_COMPONENTS,
                "description": (
                    f"Leading values of the index, at most {limits.MCP_COMPONENTS}, "
                    'e.g. ["service/owner","Noor"]. Default: none.'
                ),
            },
            "source": {
                "type": "string",
                "description": "current (default), or history: also retractions (added=false).",
                "enum": ["current", "history"],
                "default": "current",
            },
            "limit": page(limits.MCP_ITEMS_MAX, "Items a page"),
            "cursor": CURSOR,
        },
    },
}

_RECEIPT = {
    "name": "receipt",
    "title": "Read a receipt",
    "description": (
        "The durable record of one transaction: time, author, source, operation id and event hash. Use it to prove "
        "that a write happened. Give tx or operation_id, not both. Example: receipt(tx=118)."
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "tx": {
                "type": "integer",
                "description": f"Transaction number, {limits.GENESIS_TX} or more, e.g. 118.",
                "minimum": limits.GENESIS_TX,
            },
            "operation_id": {
                "type": "string",
                "description": f'The operation id of the write, 1 to {limits.NAME_BYTES} bytes, e.g. "ship-day-v2".',
                "minLength": 1,
                "maxLength": limits.NAME_BYTES,
            },
        },
    },
}

_SCHEMA = {
    "name": "schema",
    "title": "Discover attributes",
    "description": (
        "List attribute names in use with their declared rules, observed value types and counts, then the shapes. "
        "Call it before you store facts under a new attribute, and reuse what exists. Without limit a page is kept "
        'short; go on with next_cursor. Example: schema(prefix="service/", limit=50).'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "prefix": {
                "type": "string",
                "description": 'Only attribute names that start with this, e.g. "service/". Default: all.',
            },
            "include_system": {
                "type": "boolean",
                "description": "Also list fgraph/ attributes, default false, e.g. true.",
                "default": False,
            },
            "used": {
                "type": "boolean",
                "description": "Only attributes that have a declaration or a live fact, default false, e.g. true.",
                "default": False,
            },
            "limit": page(limits.MCP_ITEMS_MAX, "Attributes plus shapes a page"),
            "cursor": CURSOR,
        },
    },
}

_EXPLAIN = {
    "name": "explain",
    "title": "Explain a query",
    "description": (
        "Check a query and show how each clause would be looked up, without running it. Same q and args as query. "
        'Look for "scan" in access and for warnings. Example: '
        'explain(q={"find":["?owner"],"where":[["service:billing","service/owner","?owner"]]}).'
    ),
    "inputSchema": {"type": "object", "properties": {"q": QUERY, "args": ARGS}, "required": ["q"]},
}

_REMEMBER = {
    "name": "remember",
    "title": "Store a memory",
    "description": (
        "Save to the project's memory: a note, decision or preference as text, and/or structured facts, with "
        "provenance, as one transaction. Set key when the note may need correcting later: the same key replaces the "
        "text and keeps the old one in history; without a key a new unnamed note is added each time. Look at schema "
        'before you invent attribute names. Example: remember(operation_id="ship-day-v1", '
        'key="project:ship-day", text="Team ships on Fridays", source="meeting:7").'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "operation_id": OPERATION_ID,
            "text": {
                "type": "string",
                "description": (
                    f"The note, not blank, at most {limits.VALUE_BYTES} bytes, in full sentences that recall can find "
                    'later, e.g. "Team ships on Fridays". Default: facts only.'
                ),
                "minLength": 1,
            },
            "key": {
                "type": "string",
                "description": (
                    f'Stable entity name for this note, 1 to {limits.NAME_BYTES} bytes, e.g. "project:ship-day". '
                    "Needs text. Use an opaque name: names are never erased. Default: a new unnamed note."
                ),
                "minLength": 1,
                "maxLength": limits.NAME_BYTES,
            },
            "facts": {
                "type": "array",
                "description": (
                    "Entity maps from attribute to value, e.g. "
                    '[{"id":"service:billing","service/owner":"Noor","service/uses":{"ref":"service:ledger"}}]. '
                    "Values: string, number, boolean, or an object with one of ref, instant, bytes, vector, json. "
                    "Default: none."
                ),
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {
                            "type": "string",
                            "description": "Entity name; leave it out for a new unnamed entity.",
                        }
                    },
                },
            },
            "source": {
                "type": "string",
                "description": (
                    'Where this comes from: file, URL, conversation or ticket, e.g. "meeting:7". Default: none.'
                ),
            },
            "if_basis_tx": {
                "type": "integer",
                "description": (
                    f"Write only if nothing was committed after this basis_tx, {limits.GENESIS_TX} or more, "
                    "e.g. 72. Default: no check."
                ),
                "minimum": limits.GENESIS_TX,
            },
        },
        "required": ["operation_id"],
    },
}

_FORGET = {
    "name": "forget",
    "title": "Retract facts",
    "description": (
        "Retract one value, one attribute, or (entity alone) everything about an entity and every link to it. "
        "History keeps what was retracted; undo can bring it back. If retracted is empty, nothing matched. "
        "Read first and pass the basis_tx you decided on; "
        'on Conflict read again, do not resend. Example: forget(entity="project:ship-day", '
        'attribute="memory/text", operation_id="drop-ship-day", if_basis_tx=72).'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "entity": ENTITY,
            "attribute": {
                "type": "string",
                "description": 'Retract only this attribute, e.g. "memory/text". Default: the whole entity.',
            },
            "value": {
                "type": "string",
                "description": (
                    "Retract only this exact value; needs attribute. The text itself, or JSON text of another "
                    'value, e.g. "42", "true", "{\\"ref\\":\\"service:ledger\\"}". Default: every value.'
                ),
            },
            "operation_id": OPERATION_ID,
            "if_basis_tx": GUARD,
        },
        "required": ["entity", "operation_id", "if_basis_tx"],
    },
}

_UNDO = {
    "name": "undo",
    "title": "Undo a transaction",
    "description": (
        "Write a new transaction that reverses what one earlier transaction changed; nothing is erased. "
        'Example: undo(tx=73, operation_id="undo-73", if_basis_tx=75).'
    ),
    "inputSchema": {
        "type": "object",
        "properties": {
            "tx": {
                "type": "integer",
                "description": (
                    f"Transaction to reverse, {limits.FIRST_USER_ID} or more, e.g. 73; history, why and receipt "
                    "show tx numbers."
                ),
                "minimum": limits.FIRST_USER_ID,
            },
            "operation_id": OPERATION_ID,
            "if_basis_tx": GUARD,
        },
        "required": ["tx", "operation_id", "if_basis_tx"],
    },
}

_READ_HINTS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_REMEMBER_HINTS = {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_RETRACT_HINTS = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": True, "openWorldHint": False}

_WIDE = {"anthropic/maxResultSizeChars": limits.MCP_ANSWER_BYTES}
_ALWAYS = {"anthropic/alwaysLoad": True}
_META = {
    "recall": {**_ALWAYS, **_WIDE},
    "query": _WIDE,
    "datoms": _WIDE,
    "schema": _WIDE,
    "remember": _ALWAYS,
}


def _complete(tool: dict, hints: dict) -> dict:
    name = tool["name"]
    annotations = {"title": tool["title"], **hints}
    published = {**tool, "outputSchema": OUTPUTS[name], "annotations": annotations}
    return {**published, "_meta": _META[name]} if name in _META else published


READ_TOOLS = tuple(
    _complete(tool, _READ_HINTS)
    for tool in (_RECALL, _ABOUT, _WHY, _HISTORY, _QUERY_TOOL, _DATOMS, _RECEIPT, _SCHEMA, _EXPLAIN)
)
WRITE_TOOLS = (
    _complete(_REMEMBER, _REMEMBER_HINTS),
    _complete(_FORGET, _RETRACT_HINTS),
    _complete(_UNDO, _RETRACT_HINTS),
)
TOOLS = {tool["name"]: tool for tool in READ_TOOLS + WRITE_TOOLS}
WRITERS = frozenset(tool["name"] for tool in WRITE_TOOLS)


def tools(write: bool) -> list[dict]:
    """The published list; the read-only one is a prefix of the other."""
    return list(READ_TOOLS + WRITE_TOOLS if write else READ_TOOLS)
