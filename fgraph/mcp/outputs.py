"""The result schemas of the tools: the envelope, and the keys of `data` that are always what they say.

A client checks every answer against these, so they claim nothing that a legal answer could break. A node without
`type` stands for a key whose value has more than one type.
"""

from __future__ import annotations

_TEXT = {"type": "string"}
_NUMBER = {"type": "integer"}
_FLAG = {"type": "boolean"}
_ENTITY = {"description": "Name, or integer id of an unnamed entity."}
_VALUE = {"description": "The value in wire form."}
_NEXT = {"description": "Cursor of the next page, null on the last."}
_TRUNCATED = {"type": "boolean", "description": "True where the answer was cut."}
_OFFSET = {"type": "integer", "description": "Where to go on; present only when more is left."}

_FACT = {
    "type": "object",
    "properties": {
        "id": _NUMBER,
        "e": _ENTITY,
        "a": _TEXT,
        "v": _VALUE,
        "tx": _NUMBER,
        "value_truncated": _FLAG,
    },
    "required": ["id", "e", "a", "v", "tx"],
}


def _items(item: dict) -> dict:
    return {"type": "array", "items": item}


def _envelope(properties: dict, required: tuple[str, ...]) -> dict:
    data: dict = {"type": "object", "properties": properties}
    if required:
        data["required"] = list(required)
    return {
        "type": "object",
        "properties": {"ok": _FLAG, "basis_tx": _NUMBER, "data": data},
        "required": ["ok", "basis_tx", "data"],
    }


_HIT = {
    "type": "object",
    "properties": {
        "entity": _ENTITY,
        "score": {"type": "number"},
        "matched": _items({"type": "object"}),
        "pull": {"type": "object"},
        "text": _TEXT,
    },
    "required": ["entity", "score"],
}
_EXPANDED = {
    "type": "object",
    "properties": {"entity": _ENTITY, "via": _items(_FACT)},
    "required": ["entity", "via"],
}
_DATOM = {
    "type": "object",
    "properties": {
        "e": _ENTITY,
        "a": _TEXT,
        "v": _VALUE,
        "tx": _NUMBER,
        "added": _FLAG,
        "fact_id": _NUMBER,
        "value_truncated": _FLAG,
    },
    "required": ["e", "a", "v", "tx", "added", "fact_id"],
}
_PAGE_OF_FACTS = _envelope({"items": _items(_FACT), "truncated": _TRUNCATED, "offset": _OFFSET}, ("items", "truncated"))
_REPORT = _envelope(
    {
        "status": {"type": "string", "enum": ["applied", "already_applied", "noop"]},
        "event": {"description": "UUID of the event, null when nothing was written."},
        "basis_tx": _NUMBER,
        "tx": {"description": "The transaction, null when nothing was written."},
        "at": {"description": "Its time in microseconds, null when nothing was written."},
        "ids": {"type": "object"},
        "asserted": _items(_FACT),
        "retracted": _items(_FACT),
        "truncated": _TRUNCATED,
    },
    ("status", "event", "basis_tx", "tx", "at", "ids", "asserted", "retracted"),
)

OUTPUTS = {
    "recall": _envelope(
        {
            "basis_tx": _NUMBER,
            "hits": _items(_HIT),
            "expanded": _items(_EXPANDED),
            "truncated": _TRUNCATED,
            "work_used": _NUMBER,
        },
        ("basis_tx", "hits", "expanded", "truncated", "work_used"),
    ),
    "about": _envelope(
        {
            "omitted": {
                "type": "object",
                "description": "What was left out, by attribute, with the from to continue at.",
            }
        },
        (),
    ),
    "why": _PAGE_OF_FACTS,
    "history": _PAGE_OF_FACTS,
    "query": _envelope(
        {
            "columns": _items(_TEXT),
            "rows": _items({"type": "array"}),
            "truncated": _TRUNCATED,
            "offset": _OFFSET,
            "value_truncated": _FLAG,
        },
        ("columns", "rows"),
    ),
    "datoms": _envelope(
        {"basis_tx": _NUMBER, "items": _items(_DATOM), "next_cursor": _NEXT}, ("basis_tx", "items", "next_cursor")
    ),
    "receipt": _envelope(
        {
            "read_basis_tx": _NUMBER,
            "basis_tx": _NUMBER,
            "tx": _NUMBER,
            "event": _TEXT,
            "event_hash": _TEXT,
            "operation_id": {"description": "The operation id, or null."},
            "request_hash": {"description": "sha256: and hexadecimal digits, or null."},
            "at": _NUMBER,
            "by": _TEXT,
            "source": _TEXT,
            "facts": _items(_FACT),
        },
        ("read_basis_tx", "basis_tx", "tx", "event", "event_hash", "operation_id", "request_hash", "at", "facts"),
    ),
    "schema": _envelope(
        {
            "basis_tx": _NUMBER,
            "digest": _TEXT,
            "attributes": _items(
                {
                    "type": "object",
                    "properties": {
                        "name": _TEXT,
                        "declared": {"type": "object"},
                        "effective": {"type": "object"},
                        "observed": {"type": "object"},
                    },
                    "required": ["name", "declared", "effective", "observed"],
                }
            ),
            "shapes": _items(
                {
                    "type": "object",
                    "properties": {
                        "name": _ENTITY,
                        "required": _items(_TEXT),
                        "allowed": _items(_TEXT),
                        "closed": _FLAG,
                    },
                    "required": ["name", "required", "allowed", "closed"],
                }
            ),
            "next_cursor": _NEXT,
            "truncated": _TRUNCATED,
        },
        ("basis_tx", "digest", "attributes", "shapes", "next_cursor", "truncated"),
    ),
    "explain": _envelope(
        {
            "basis_tx": _NUMBER,
            "source": _TEXT,
            "work_limit": _NUMBER,
            "clauses": _items({"type": "object"}),
            "warnings": _items(_TEXT),
        },
        ("basis_tx", "source", "work_limit", "clauses", "warnings"),
    ),
    "remember": _REPORT,
    "forget": _REPORT,
    "undo": _REPORT,
}
