"""The addresses of resources: `fgraph://` texts taken apart, compared literally, and built again."""

from __future__ import annotations

from urllib.parse import quote, unquote_to_bytes

from fgraph import errors, limits
from fgraph.file.identities import UUID_TEXT

SCHEME = "fgraph://"
_LISTS = ("schema", "changes")
_SINGLES = ("entity", "tx", "event")
_DIGITS_OF_INT64 = 19


class Address:
    """What an address names: a kind, for some kinds one thing of it, and the variables of its query."""

    __slots__ = ("kind", "name", "query")

    def __init__(self, kind: str, name: str | None, query: dict[str, str]) -> None:
        self.kind = kind
        self.name = name
        self.query = query


def parse(uri: str) -> Address | None:
    """The address, or None where no template matches; `TypeError` for percent signs that are no UTF-8."""
    if not uri.startswith(SCHEME):
        return None
    path, _, query = uri.removeprefix(SCHEME).partition("#")[0].partition("?")
    kind, slash, name = path.partition("/")
    if kind in _LISTS and not slash:
        return Address(kind, None, _variables(query))
    if kind in _SINGLES and name and "/" not in name:
        return Address(kind, _decoded(name), _variables(query))
    return None


def _variables(query: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if name:
            found.setdefault(_decoded(name), _decoded(value))
    return found


def _decoded(text: str) -> str:
    if "%" not in text:
        return text
    for rest in text.split("%")[1:]:
        if len(rest) < 2 or not all(char in "0123456789abcdefABCDEF" for char in rest[:2]):
            raise _undecodable(text)
    try:
        return unquote_to_bytes(text).decode("utf-8")
    except UnicodeDecodeError:
        raise _undecodable(text) from None


def _undecodable(text: str) -> errors.TypeError:
    return errors.TypeError(
        f"the address part {errors.quote(text)} is not percent-encoded UTF-8", hint="encode it again as UTF-8"
    )


def build(kind: str, name: str | int | None = None, **query: object) -> str:
    """A complete address; variables that are None are left out."""
    path = SCHEME + kind if name is None else f"{SCHEME}{kind}/{quote(str(name), safe='')}"
    pairs = "&".join(f"{key}={quote(str(value), safe='')}" for key, value in query.items() if value is not None)
    return f"{path}?{pairs}" if pairs else path


def is_number(text: str) -> bool:
    """ASCII digits, with or without a minus sign."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit()


def number(text: str) -> int | None:
    """The integer that `text` writes if it fits 64 bits, else None."""
    if len(text.removeprefix("-").lstrip("0")) > _DIGITS_OF_INT64:
        return None
    value = int(text)
    return value if limits.INT_MIN <= value <= limits.INT_MAX else None


def is_uuid(text: str) -> bool:
    """The hyphenated form of a UUID, in any letter case."""
    return UUID_TEXT.fullmatch(text.lower()) is not None


def selector(name: str) -> object:
    """What the name in an entity address stands for: an integer id, a UUID, else an entity name."""
    if is_number(name) and number(name) is not None:
        return number(name)
    return {"eid": name} if is_uuid(name) else name


def variables_of(template: str) -> list[str]:
    """The variables of one of our address templates, in order."""
    found: list[str] = []
    for part in template.split("{")[1:]:
        found += part.partition("}")[0].removeprefix("?").split(",")
    return found
