"""Argument schemas that several tools share, as literal JSON Schema."""

from __future__ import annotations

from fgraph import limits

_REF = {
    "type": "object",
    "properties": {
        "ref": {
            "type": "string",
            "description": "Name of the entity linked to; other wrappers are instant, bytes, vector, json.",
        }
    },
}
_SCALAR = {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "boolean"}, _REF]}
LIST = {"type": "array", "items": _SCALAR}
_RULE_CALL = {"type": "object", "properties": {"rule": LIST}}
_INNER_CLAUSE = {"anyOf": [LIST, _RULE_CALL]}
_CLAUSE = {
    "anyOf": [
        LIST,
        {
            "type": "object",
            "properties": {
                "not": {"type": "array", "items": _INNER_CLAUSE},
                "or": {"type": "array", "items": {"type": "array", "items": _INNER_CLAUSE}},
                "rule": LIST,
            },
        },
    ]
}
TEXTS = {"type": "array", "items": {"type": "string"}}

QUERY = {
    "type": "object",
    "description": 'The query, e.g. {"find":["?t"],"where":[["?e","memory/text","?t"]]}.',
    "properties": {
        "find": {
            "type": "array",
            "description": 'What to return: a variable "?x", ["count","?e"] or ["pull","?e",["*"]].',
            "items": {
                "anyOf": [{"type": "string"}, {"type": "array", "items": {"anyOf": [{"type": "string"}, TEXTS]}}]
            },
        },
        "where": {
            "type": "array",
            "description": (
                'Clauses that must all hold: a pattern [entity, attribute, value], a predicate ["<","?age",40], '
                'or {"not":[...]}, {"or":[[...],[...]]}, {"rule":[...]}.'
            ),
            "items": _CLAUSE,
        },
        "in": {**TEXTS, "description": 'Variables given in args, e.g. ["?svc"].'},
        "rules": {
            "type": "array",
            "description": "Rules that clauses may call, recursive ones too.",
            "items": {
                "type": "object",
                "properties": {"head": TEXTS, "body": {"type": "array", "items": _INNER_CLAUSE}},
            },
        },
        "source": {
            "type": "string",
            "enum": ["current", "history"],
            "default": "current",
            "description": "current, or history: every fact ever asserted.",
        },
        "order": {
            "type": "array",
            "description": 'Sort keys, e.g. [["?age","desc"]].',
            "items": TEXTS,
        },
        "limit": {
            "type": "integer",
            "minimum": 0,
            "maximum": limits.MCP_ROWS_MAX,
            "default": limits.MCP_ROWS,
            "description": f"Most rows to return, 0 to {limits.MCP_ROWS_MAX}, default {limits.MCP_ROWS}.",
        },
        "offset": {"type": "integer", "minimum": 0, "default": 0, "description": "Rows to skip, default 0."},
    },
    "required": ["find", "where"],
}
ARGS = {
    "type": "object",
    "description": (
        'Values for the variables named in q.in, e.g. {"svc":{"ref":"service:billing"}}; the question mark of a '
        "key may be left out. Default: none."
    ),
    "properties": {"x": _SCALAR},
}
ENTITY = {
    "type": "string",
    "description": (
        'Entity name exactly as another tool returned it, e.g. "project:ship-day", or the integer id of an '
        'unnamed note, e.g. "73".'
    ),
}
AT = {
    "type": "integer",
    "description": (
        f"Read as of this earlier transaction, {limits.GENESIS_TX} or more, as given in a basis_tx or tx, e.g. 72. "
        "Default: now."
    ),
    "minimum": limits.GENESIS_TX,
}
ATTRIBUTE = {"type": "string", "description": 'Only this attribute, e.g. "memory/text". Default: all.'}
OPERATION_ID = {
    "type": "string",
    "description": (
        f'Your own unique id for this one change, 1 to {limits.NAME_BYTES} bytes, e.g. "ship-day-v2". Send it again '
        "only to repeat the identical request; the first receipt comes back."
    ),
    "minLength": 1,
    "maxLength": limits.NAME_BYTES,
}
GUARD = {
    "type": "integer",
    "description": f"basis_tx of the read that this decision rests on, {limits.GENESIS_TX} or more, e.g. 72.",
    "minimum": limits.GENESIS_TX,
}
CURSOR = {
    "type": "string",
    "description": (
        'next_cursor of the previous page of the same request, unchanged, e.g. "eyJi". Default: first page.'
    ),
    "maxLength": limits.MCP_CURSOR_BYTES,
}
OFFSET = {
    "type": "integer",
    "description": (
        "Skip this many items, 0 or more, default 0, e.g. 100. Combine with at = the basis_tx of the first page "
        "for a stable second page."
    ),
    "minimum": 0,
    "default": 0,
}


def page(maximum: int, what: str) -> dict:
    description = (
        f"{what}, 1 to {maximum}, default {maximum} or what fits {limits.MCP_DEFAULT_CHARS} characters, e.g. 20. "
        "Give it to get long values whole."
    )
    return {"type": "integer", "description": description, "minimum": 1, "maximum": maximum, "default": maximum}
