"""Where in a JSON text the fault lies that made the parser refuse it."""

import json
import re
from typing import NamedTuple

from fgraph import limits

TOKEN = re.compile(
    r'"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"(?P<key>[ \t\r\n]*:)?'  # a string, and whether it is a key
    r"|[\[\]{},]"
    r"|-?[0-9][0-9.eE+-]*"
    r"|-?[A-Za-z]+",
    re.DOTALL,
)
CONSTANTS = ("NaN", "Infinity", "-Infinity")


class Trouble(NamedTuple):
    """A fault with its place: line and column from 1, and the JSON pointer (RFC 6901) of the value it belongs to."""

    kind: str  # "duplicate", "constant" or "digits"
    token: str
    line: int
    column: int
    pointer: str


class _Level:
    """One open container: where the walk stands in it, and the keys that an object has shown so far."""

    __slots__ = ("position", "seen")

    def __init__(self, is_object: bool) -> None:
        self.position: str | int = "" if is_object else 0
        self.seen: set[str] | None = set() if is_object else None


def find(text: str) -> Trouble | None:
    """The first duplicate key, NaN, Infinity or endless integer in a text whose syntax is sound up to there."""
    levels: list[_Level] = []
    for match in TOKEN.finditer(text):
        token = match[0]
        if token in ("{", "["):
            levels.append(_Level(token == "{"))
        elif token in ("}", "]"):
            levels.pop()
        elif token == ",":
            if levels[-1].seen is None:
                levels[-1].position += 1
        elif match["key"] is not None:
            key = json.loads(f'"{match["text"]}"')
            if key in levels[-1].seen:
                return _trouble("duplicate", key, text, match.start(), levels[:-1])
            levels[-1].seen.add(key)
            levels[-1].position = key
        elif token in CONSTANTS:
            return _trouble("constant", token, text, match.start(), levels)
        elif len(token) > limits.INTEGER_DIGITS and token.lstrip("-").isdigit():
            return _trouble("digits", token, text, match.start(), levels)
    return None


def _trouble(kind: str, token: str, text: str, start: int, levels: list[_Level]) -> Trouble:
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    steps = (str(level.position).replace("~", "~0").replace("/", "~1") for level in levels)
    return Trouble(kind, token, line, column, "".join(f"/{step}" for step in steps))
