"""Cursors: where a page of datoms ended, as opaque text that names the request and the state it belongs to."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file import rows
from fgraph.file.reader import Reader
from fgraph.values import canonical, plain

VERSION = 3
ALPHABET = re.compile(r"[A-Za-z0-9_-]+")
FIELDS = {"v", "request", "basis", "since", "excised", "fact", "tx", "added"}


class Position(NamedTuple):
    """The last datom of a page and the state that was read; the value itself is looked up again."""

    request: str
    basis: int
    since: int
    excised: int
    fact: int
    tx: int
    added: bool


def request_digest(index: str, source: str, components: list | tuple) -> str:
    """What binds a cursor to its request: a digest of everything but the page size."""
    return plain.digest([index, source, components], "components", "components").hex()


def encode(position: Position) -> str:
    """The text of a cursor."""
    text = canonical.canonical({"v": VERSION, **position._asdict()})
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(text: object, request: str) -> Position:
    """The position in a cursor of this very request; `QueryError` for anything else."""
    if not isinstance(text, str) or not 1 <= len(text) <= limits.CURSOR_CHARS or not ALPHABET.fullmatch(text):
        raise refused("it is no cursor text")
    data = urlsafe_b64decode(text + "=" * (-len(text) % 4)) if len(text) % 4 != 1 else b""
    if urlsafe_b64encode(data).decode().rstrip("=") != text:
        raise refused("it is not canonical base64url")
    try:
        fields = canonical.parse_json(data.decode(), "cursor")
    except (UnicodeDecodeError, errors.FGraphError):
        raise refused("it does not hold JSON") from None
    if not isinstance(fields, dict) or fields.get("v") != VERSION or set(fields) != FIELDS:
        raise refused("it was made by another version or for another call")
    position = Position(**{name: value for name, value in fields.items() if name != "v"})
    if not isinstance(position.added, bool) or not all(map(_is_whole, position[1:6])):
        raise refused("its position is damaged")
    if position.request != request:
        raise refused("it belongs to another index, source or components")
    return position


def check_state(reader: Reader, position: Position) -> None:
    """`QueryError` unless the state that the cursor pins can still be read here."""
    if position.basis > reader.basis:
        raise refused(f"its basis {position.basis} is newer than {reader.basis}")
    if not reader.fetch("SELECT 1 FROM fgraph_events WHERE tx = ?", (position.basis,)):
        raise refused(f"its basis {position.basis} is no transaction")
    if position.excised != rows.newest_excision(reader.connection):
        raise refused("facts were excised since it was made")


def refused(why: str) -> errors.QueryError:
    """The error for a cursor that cannot be continued from."""
    return errors.QueryError(
        f"the cursor cannot be used: {why}",
        code="invalid_cursor",
        param="cursor",
        hint="start again without a cursor",
    )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= limits.INT_MAX
