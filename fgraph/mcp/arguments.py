"""Decoding of tool arguments: what models send loosely becomes what a tool takes, or a typed error."""

from __future__ import annotations

import math

from fgraph import errors, limits
from fgraph.mcp import uris
from fgraph.mcp.catalog import TOOLS
from fgraph.mcp.wire import Repeated
from fgraph.values.canonical import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Added to every call by one client; accepted everywhere, and without effect.
IGNORED = "wait_for_previous"

# Arguments that take any JSON value or the text of one; the schema names the form that models send best.
_LOOSE = {
    "entity": "any",
    "value": "any",
    "facts": "facts",
    "q": "object",
    "args": "object",
    "components": "array",
    "filters": "array",
    "attributes": "array",
}
# Here null is no way to leave an argument out: it could widen what is retracted.
_NO_NULL = {("forget", "attribute"), ("forget", "value")}
# Numbers outside the published range get their answer from the database: no such transaction, or not to be undone.
_ANY_INTEGER = {("receipt", "tx"), ("undo", "tx")}
# The database answers for these words with its own error type.
_ANY_WORD = {("datoms", "index"), ("datoms", "source")}
_WORDS = {"true": True, "false": False}


def decode(tool: str, given: dict) -> dict:
    """The arguments of one call, without those that are absent; defaults are the tool's own business."""
    _check_document(given)
    schema = TOOLS[tool]["inputSchema"]
    properties = schema["properties"]
    decoded = {}
    for name, value in given.items():
        if name == IGNORED:
            continue
        if name not in properties:
            raise _unknown(tool, name, list(properties))
        if value is None and (tool, name) not in _NO_NULL:
            continue
        value = _decode_one(tool, name, value, properties[name])
        if value is not None:
            decoded[name] = value
    for name in schema.get("required", ()):
        if name not in decoded:
            raise errors.TypeError(
                f"{tool} needs the argument {name}",
                code="missing_argument",
                param=name,
                hint=f"required: {', '.join(schema['required'])}",
            )
    return decoded


def _check_document(given: dict) -> None:
    layer: list[object] = [given]
    for _ in range(limits.DOCUMENT_DEPTH):
        below: list[object] = []
        for item in layer:
            if isinstance(item, Repeated):
                raise errors.TypeError(
                    f"the arguments have the key {errors.quote(item.key)} twice in one object", hint="keep one of them"
                )
            for child in item.values() if isinstance(item, dict) else item:
                if isinstance(child, dict | list):
                    below.append(child)
                elif isinstance(child, float) and not math.isfinite(child):
                    raise errors.TypeError(
                        "the arguments hold a number beyond the range of a double", hint="send finite numbers"
                    )
        if not below:
            return
        layer = below
    raise errors.TooLarge(f"the arguments are nested deeper than {limits.DOCUMENT_DEPTH} levels", hint="flatten them")


def _unknown(tool: str, name: str, known: list[str]) -> errors.TypeError:
    import difflib  # only a mistaken call pays for it

    close = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]}? " if close else ""
    return errors.TypeError(
        f"{tool} has no argument {errors.quote(name)}",
        code="unknown_argument",
        param=errors.clip(name, limits.QUOTED_CHARS),
        hint=f"{hint}{tool} takes: {', '.join(known)}",
    )


def _decode_one(tool: str, name: str, value: object, schema: dict) -> object:
    kind = _LOOSE.get(name) or schema["type"]
    if kind == "integer":
        low, high = schema.get("minimum", limits.INT_MIN), schema.get("maximum", limits.INT_MAX)
        if (tool, name) in _ANY_INTEGER:
            low, high = limits.INT_MIN, limits.INT_MAX
        return _in_range(name, value, low, high)
    if kind == "boolean":
        return _boolean(name, value)
    if kind == "string":
        return _text(name, value, () if (tool, name) in _ANY_WORD else schema.get("enum", ()))
    if value is None:
        raise errors.TypeError(
            f"{name} is null", param=name, hint='Leave it out for every one, or send {"json":null} for the value null.'
        )
    return value if kind == "any" else _structure(name, value, kind)


def _integer(name: str, value: object) -> int | None:
    """The integer that was sent, as text too; None for the text of one beyond 64 bits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and uris.is_number(value):
        return uris.number(value)
    raise errors.TypeError(f"{name} is {errors.quote(value)}, not an integer", param=name, hint="send a JSON integer")


def _in_range(name: str, value: object, low: int, high: int) -> int:
    number = _integer(name, value)
    if number is not None and low <= number <= high:
        return number
    raise errors.TypeError(
        f"{name} is {errors.quote(value)}, out of range",
        code="out_of_range",
        param=name,
        hint=f"use {low} to {high}" if high < limits.INT_MAX else f"use {low} or more, in 64 bits",
    )


def _boolean(name: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and value in (0, 1):
        return value == 1
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]
    raise errors.TypeError(f"{name} is {errors.quote(value)}, not a boolean", param=name, hint="use true or false")


def _text(name: str, value: object, words: Sequence[str]) -> str:
    if not isinstance(value, str):
        shown = "null" if value is None else errors.quote(value)
        raise errors.TypeError(
            f"{name} is {shown}, not a string", param=name, hint="send a JSON string, or leave it out"
        )
    if words and value not in words:
        raise errors.TypeError(f"{name} is {errors.quote(value)}", param=name, hint=f"use one of: {', '.join(words)}")
    return value


def _structure(name: str, value: object, kind: str) -> object:
    if isinstance(value, str):
        value = parse_json(value, name)
        if value is None:
            return None
    fits = {"object": dict, "array": list, "facts": dict | list}[kind]
    if not isinstance(value, fits):
        wanted = {"object": "an object", "array": "an array", "facts": "an array of entity maps"}[kind]
        raise errors.TypeError(
            f"{name} is {errors.quote(value)}, not {wanted}", param=name, hint=f"send {wanted}, or its JSON text"
        )
    return value
