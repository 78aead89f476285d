"""Telling whether JSON text is canonical already, at the speed of the C encoder."""

import builtins
import json

from fgraph import errors, limits
from fgraph.values import canonical

NOT_CANONICAL = object()


def parse_canonical(text: str) -> object:
    """The value of canonical JSON text, or `NOT_CANONICAL` for any other text; nesting is not bounded here.

    Encoding the parsed value again and comparing takes a fraction of the time that `canonical` needs to judge every
    element. The plain encoder differs from the canonical form only in numbers, so those are judged as they are parsed.
    """
    try:
        value = DECODER.decode(text)
        again = ENCODER.encode(value)
    except (builtins.ValueError, RecursionError):
        return NOT_CANONICAL
    return value if again == text or ("e-" in again and _exact(value, text)) else NOT_CANONICAL


def canonical_text(text: str, what: str) -> tuple[object, str]:
    """The value of one strict JSON text of bounded depth, and its canonical text; errors as for `parse_json`.

    The text is a line of a stream, whose number is in `what`.
    """
    value = parse_canonical(text)
    deep = text.count("[") + text.count("{") > limits.DOCUMENT_DEPTH
    if value is not NOT_CANONICAL and not (deep and canonical.depth_exceeds(value, limits.DOCUMENT_DEPTH)):
        return value, text
    value = canonical.parse_json(text, what, numbered=True)
    return value, canonical.canonical(value, what)


def parse_loosely(text: str) -> object:
    """The value of JSON text without blanks around it, or `NOT_CANONICAL`; a duplicate key shows only in the spelling.

    For callers that compose the text again by themselves and compare.
    """
    try:
        value, end = DECODER.raw_decode(text)
    except (builtins.ValueError, RecursionError):
        return NOT_CANONICAL
    return value if end == len(text) else NOT_CANONICAL


def _exact(value: object, text: str) -> bool:
    """The plain encoder spells small fractions its own way, so text that holds one gets the slow comparison."""
    try:
        return canonical.canonical(value) == text
    except errors.FGraphError:
        return False


def _float(token: str) -> float:
    value = float(token)
    if canonical.float_text(value) != token:
        raise ValueError(token)
    return value


def _integer(token: str) -> int:
    value = int(token)
    if not limits.INT_MIN <= value <= limits.INT_MAX:
        raise ValueError(token)
    return value


def _refuse(token: str) -> object:
    raise ValueError(token)


DECODER = json.JSONDecoder(parse_float=_float, parse_int=_integer, parse_constant=_refuse)
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True, check_circular=False)
