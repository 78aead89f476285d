"""Cursors: where a page ended, bound to the request, the basis and the file; opaque, but no secret."""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode

from fgraph import errors, limits
from fgraph.values.canonical import canonical, parse_json

_ALPHABET = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def pack(request: object, file: str, excised: int, basis: int, place: object) -> str:
    """A cursor that continues `request` at `place`; `excised` is the newest excision of `file`."""
    content = canonical({"b": basis, "f": file, "p": place, "r": _digest(request), "x": excised})
    return urlsafe_b64encode(content.encode()).rstrip(b"=").decode()


def unpack(cursor: str, request: object, file: str, excised: int) -> tuple[int, object]:
    """Basis and place of a cursor that belongs to this request and to the file as it is; `QueryError` otherwise."""
    content = _content(cursor)
    basis, place = content.get("b"), content.get("p")
    if content.get("r") != _digest(request):
        raise refused("belongs to another request")
    if content.get("f") != file:
        raise refused("belongs to another file")
    if content.get("x") != excised:
        raise refused("is older than an excision")
    if isinstance(basis, bool) or not isinstance(basis, int) or basis < limits.GENESIS_TX:
        raise refused("names no basis")
    return basis, place


def refused(why: str) -> errors.QueryError:
    """The error of every cursor that cannot be used."""
    return errors.QueryError(f"the cursor {why}", code="invalid_cursor", param="cursor")


def _content(cursor: str) -> dict:
    if not 1 <= len(cursor) <= limits.MCP_CURSOR_BYTES or not _ALPHABET.issuperset(cursor):
        raise refused("is not one that this server gave")
    try:
        raw = urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        if urlsafe_b64encode(raw).rstrip(b"=").decode() != cursor:
            raise ValueError
        content = parse_json(raw.decode("utf-8"), "the cursor")
    except (ValueError, errors.FGraphError):
        raise refused("is not one that this server gave") from None
    if not isinstance(content, dict):
        raise refused("is not one that this server gave")
    return content


def _digest(request: object) -> str:
    return hashlib.sha256(canonical(request).encode()).hexdigest()[: limits.MCP_DIGEST_DIGITS]
