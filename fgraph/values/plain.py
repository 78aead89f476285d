"""What a request holds, as plain JSON of bounded depth, and the digest that tells requests apart."""

import hashlib
from base64 import b64encode
from collections.abc import Mapping

from fgraph import errors, limits
from fgraph.values import canonical, logical

LEAVES = frozenset({str, int, float, bool, type(None)})


def digest(document: object, what: str, param: str) -> bytes:
    """SHA-256 of the canonical form of a request; `TypeError` and `TooLarge` for what has none."""
    check_depth(document, what, param)
    return hashlib.sha256(canonical.canonical(_plain(document), what).encode()).digest()


def check_depth(document: object, what: str, param: str) -> None:
    """`TooLarge` for a request nested deeper than 80 containers; also ends on a cycle."""
    layer = [document]
    for _ in range(limits.DOCUMENT_DEPTH):
        inner: dict[int, object] = {}
        for item in layer:
            for child in item.values() if logical.is_map(item) else item:
                if type(child) not in LEAVES and (isinstance(child, list | tuple) or logical.is_map(child)):
                    inner[id(child)] = child
        if not inner:
            return
        layer = list(inner.values())
    raise errors.TooLarge(
        f"{what} is nested deeper than {limits.DOCUMENT_DEPTH} levels", param=param, hint="flatten it"
    )


def _plain(value: object) -> object:
    """The JSON form of Python objects that a request may hold, for hashing only."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return {"bytes": b64encode(bytes(value)).decode()}
    if isinstance(value, type):
        return value
    if hasattr(value, "urn"):  # a uuid.UUID, without importing its module
        return str(value)
    if hasattr(value, "utcoffset") and hasattr(value, "timetuple"):  # a datetime.datetime, likewise
        return {"instant": value.isoformat()}
    return value
