"""Canonical JSON text, and the strict parser for JSON that comes in (docs/values.md)."""

import builtins
import json
from json.encoder import encode_basestring

from fgraph import errors, limits
from fgraph.values import trouble

quote_string = getattr(json.encoder, "c_encode_basestring", None) or encode_basestring
INF = float("inf")
PLAIN_FROM = 1e-6  # smaller magnitudes are written in scientific form
SYNTAX = "json_syntax"  # the code of an error about text that does not parse at all


def canonical(value: object, what: str = "value", *, depth: int = limits.DOCUMENT_DEPTH) -> str:
    """The one text of a JSON value: keys by code point, no blanks, shortest numbers.

    Takes dict, list, tuple, str, int, float, bool and None. Raises `TypeError` for anything else, for an integer
    outside 64 bits, for a float that is not finite and for an unpaired surrogate; `TooLarge` for more than `depth`
    nested containers (which also stops a cycle). `what` names the value in messages.
    """
    _check(value, what, depth, depth)
    text = _plain(value) if _has_no_float(value) else _exact(value)
    if not is_unicode(text):
        raise lone_surrogate(what)
    return text


def _plain(value: object) -> str:
    """The C encoder gives the canonical bytes for everything but floats."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, check_circular=False)


def _exact(value: object) -> str:
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, dict):
        return "{" + ",".join(f"{quote_string(key)}:{_exact(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(_exact, value)) + "]"
    return _plain(value)


def _has_no_float(value: object) -> bool:
    pending = [value]
    while pending:
        item = pending.pop()
        if isinstance(item, float):
            return False
        if isinstance(item, dict):
            pending.extend(item.values())
        elif isinstance(item, list | tuple):
            pending.extend(item)
    return True


def _check(value: object, what: str, room: int, depth: int) -> None:
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return
    if isinstance(value, dict | list | tuple):
        if room == 0:
            raise _too_deep(what, depth)
        if isinstance(value, dict):
            _check_keys(value, what)
            value = value.values()
        for item in value:
            _check(item, what, room - 1, depth)
    elif isinstance(value, int):
        check_int64(value, what)
    elif isinstance(value, float):
        if not -INF < value < INF:
            raise errors.TypeError(f"{what} holds {value!r}", param=what, hint="only finite numbers can be kept")
    elif not isinstance(value, str):
        raise errors.TypeError(
            f"{what} holds a {kind.__name__}, which JSON cannot express",
            param=what,
            hint="use maps, lists, text, numbers, true, false and null",
        )


def _check_keys(value: dict, what: str) -> None:
    for key in value:
        if not isinstance(key, str):
            raise errors.TypeError(f"{what} has the key {errors.quote(key)}", param=what, hint="keys must be text")


def check_int64(value: int, what: str) -> int:
    """`value` itself, or `TypeError` when it does not fit 64 signed bits."""
    if limits.INT_MIN <= value <= limits.INT_MAX:
        return value
    raise errors.TypeError(
        f"{what} holds the integer {errors.quote(value)}",
        param=what,
        hint=f"integers go from {limits.INT_MIN} to {limits.INT_MAX}",
    )


def is_unicode(text: str) -> bool:
    """Whether a text has a UTF-8 form; SQLite cannot even be asked for another."""
    try:
        return text.isascii() or text.encode() is not None
    except UnicodeEncodeError:
        return False


def lone_surrogate(what: str) -> errors.TypeError:
    """The error for text that has no UTF-8 form."""
    return errors.TypeError(f"{what} holds an unpaired surrogate", param=what, hint="send well-formed Unicode text")


def float_text(value: float) -> str:
    """The canonical token of a finite float; integral values within 64 bits lose their fraction."""
    if value == 0:
        return "0"
    if value.is_integer() and limits.INT_MIN <= value <= limits.INT_MAX:
        return str(int(value))
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(float(abs(value))).partition("e")
    whole, _, fraction = mantissa.partition(".")
    significant = (whole + fraction).lstrip("0")
    digits = significant.rstrip("0")
    # How many of `digits` stand before the decimal point (negative: zeros between the point and the first of them).
    point = len(significant) - len(fraction) + int(exponent or 0)
    if value.is_integer() or abs(value) < PLAIN_FROM:
        tail = f".{digits[1:]}" if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{tail}e{point - 1:+d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[:point]}.{digits[point:]}"


def parse_json(text: str, what: str = "input", *, depth: int = limits.DOCUMENT_DEPTH, numbered: bool = False) -> object:
    """The value of one strict JSON text.

    Raises `TypeError` (with line and column) for anything JSON forbids, duplicate keys, NaN and Infinity; `TooLarge`
    for more than `depth` nested containers. `what` names the text in messages; with `numbered` it is a line of a stream
    and has its number in `what`, so that a column is all that is missing.
    """
    try:
        value = json.loads(text, object_pairs_hook=_unique_keys, parse_constant=_no_constant)
    except json.JSONDecodeError as fault:
        raise _syntax(what, fault, numbered) from None
    except RecursionError:
        raise _too_deep(what, depth) from None
    except builtins.ValueError:
        raise _refused(what, text, numbered) from None
    if depth_exceeds(value, depth):
        raise _too_deep(what, depth)
    return value


def _syntax(what: str, fault: json.JSONDecodeError, numbered: bool) -> errors.TypeError:
    place = _place(fault.lineno, fault.colno, numbered)
    return errors.TypeError(f"{what} is not JSON {place}: {fault.msg}", code=SYNTAX)


def _place(line: int, column: int, numbered: bool) -> str:
    """Where in a text; a record of a stream rarely has a second line, which then is counted within the record."""
    if not numbered:
        return f"at line {line} column {column}"
    return f"at column {column}" if line == 1 else f"at column {column} of its line {line}"


def _too_deep(what: str, depth: int) -> errors.TooLarge:
    return errors.TooLarge(
        f"{what} is nested deeper than {depth} levels", hint="flatten it, or store its parts as facts of their own"
    )


def _refused(what: str, text: str, numbered: bool) -> errors.TypeError:
    """The error for text that is JSON by its syntax, and still no value here."""
    found = trouble.find(text)
    if found is None:
        return errors.TypeError(f"{what} holds a number that is no finite decimal")
    where = _place(found.line, found.column, numbered)
    inside = f" in {errors.quote(found.pointer)}" if found.pointer else ""
    if found.kind == "duplicate":
        message = f"{what} has the key {errors.quote(found.token)} twice in one object, {where}{inside}"
        return errors.TypeError(message, hint="keep one of them")
    if found.kind == "constant":
        message = f"{what} holds {found.token}, {where}{inside}"
        return errors.TypeError(message, hint="JSON numbers are finite decimals")
    message = f"{what} holds an integer of more than {limits.INTEGER_DIGITS} digits, {where}{inside}"
    return errors.TypeError(message, hint=f"integers go from {limits.INT_MIN} to {limits.INT_MAX}")


def _unique_keys(pairs: list[tuple[str, object]]) -> dict:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def _no_constant(token: str) -> object:
    raise ValueError(token)


def depth_exceeds(value: object, limit: int) -> bool:
    """Whether more than `limit` containers are nested in a parsed value."""
    layer = [value]
    for _ in range(limit):
        layer = [
            child
            for item in layer
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
            if isinstance(child, dict | list)
        ]
        if not layer:
            return False
    return True
