"""The ten exception classes that may cross the public surface.

Every error carries what a program needs beside the sentence for a person: `code` (a stable word, listed in
docs/errors.md), `param` (the argument at fault, dotted when nested) and `hint` (the next useful step).
"""

import builtins
import json

from fgraph import limits


class FGraphError(Exception):
    """Base of all typed errors; `str()` gives the message, then the hint."""

    default_code = "error"

    def __init__(
        self, message: str, *, code: str | None = None, param: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.param = param
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class NotFound(FGraphError):
    """A named thing is absent."""

    default_code = "unknown_entity"


class Conflict(FGraphError):
    """The request clashes with the present state or with another operation."""

    default_code = "fact_conflict"


class SchemaError(FGraphError):
    """A declaration, an attribute name, a reserved name or a shape does not allow it."""

    default_code = "schema_rule"


class TypeError(FGraphError):
    """A value or an argument is of the wrong kind. Not a subclass of the builtin of that name."""

    default_code = "invalid_argument"


class QueryError(FGraphError):
    """A query is malformed, or was cancelled."""

    default_code = "query_invalid"


class FormatError(FGraphError):
    """The file is not a sound fgraph file, or the handle cannot be used."""

    default_code = "storage"


class ReadOnly(FGraphError):
    """A write through a read-only handle or a historical view."""

    default_code = "read_only"


class TooLarge(FGraphError):
    """Something is over a stated bound."""

    default_code = "value_too_large"


class Unsupported(FGraphError):
    """A well-formed request that is deliberately not offered."""

    default_code = "unsupported"


def clip(text: str, limit: int = limits.MESSAGE_CHARS) -> str:
    """`text` cut to `limit` characters, marked with an ellipsis where it was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def quote(value: object, limit: int = limits.QUOTED_CHARS) -> str:
    """A short JSON rendering of any value, safe to put into a message: one line, no control characters."""
    if isinstance(value, str):
        return json.dumps(clip(value, limit))
    if isinstance(value, int) and abs(value) >= 1 << 256:
        return f"<an integer of {value.bit_length()} bits>"
    try:
        return clip(json.dumps(value), limit)
    except (ValueError, builtins.TypeError, RecursionError):
        return f"<{type(value).__name__}>"
