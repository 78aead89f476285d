"""Answers in few characters: shortened values, pages that end at an element, and the tool result around them.

A caller who names a size gets whole values up to the cap of one answer; one who does not gets an answer of at most
8,000 characters, in which long values are excerpts.
"""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.mcp.wire import compact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MARK = "…"
# Keys whose text names something: what is left of a cut name would name something else.
_NAMING = ("a", "e", "entity", "name", "ref")


class Answer:
    """What a tool found: the basis it looked at, the data, and a way to what was left out."""

    __slots__ = ("basis", "data", "link", "omitted")

    def __init__(self, basis: int, data: dict, link: dict | None = None, omitted: dict | None = None) -> None:
        self.basis = basis
        self.data = data
        self.link = link
        self.omitted = omitted


def result(answer: Answer, has_links: bool) -> dict:
    """The tool result; `TooLarge` beyond the cap."""
    envelope = _envelope(answer.basis, answer.data)
    content = [{"type": "text", "text": capped(compact(envelope))}]
    if answer.link is not None and has_links:
        content.append({"type": "resource_link", "mimeType": "application/json", **answer.link})
    found: dict = {"content": content, "structuredContent": envelope}
    if answer.omitted:
        found["_meta"] = {"fgraph/omitted": answer.omitted}
    return found


def capped(text: str) -> str:
    """The text of an answer, or of a resource; `TooLarge` beyond the cap."""
    if _bytes(text) > limits.MCP_ANSWER_BYTES:
        raise errors.TooLarge(
            f"the answer would be larger than {limits.MCP_ANSWER_BYTES} bytes", code="response_too_large"
        )
    return text


def _envelope(basis: int, data: dict) -> dict:
    return ordered({"basis_tx": basis, "data": data, "ok": True})


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def ordered(value: object) -> object:
    """A copy with keys by code point and integral floats as integers: canonical JSON when written compactly."""
    if isinstance(value, dict):
        return {key: ordered(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [ordered(item) for item in value]
    if isinstance(value, float) and value.is_integer() and limits.INT_MIN <= value <= limits.INT_MAX:
        return int(value)
    return value


def size(value: object) -> int:
    """Characters of the compact JSON of `value`."""
    return len(compact(value))


def weight(value: object) -> int:
    """UTF-8 bytes of the compact JSON of `value`."""
    return _bytes(compact(value))


def fits_cap(basis: int, data: dict) -> bool:
    """Whether an answer with this data stays within the cap."""
    return weight(_envelope(basis, data)) <= limits.MCP_ANSWER_BYTES


def cut_text(text: str, most: int) -> str:
    """`text`, or its first characters and an ellipsis where it has more than `most` UTF-8 bytes."""
    if len(text) * 4 <= most:
        return text
    raw = text.encode("utf-8", "replace")
    if len(raw) <= most:
        return text
    return raw[: most - len(MARK.encode())].decode("utf-8", "ignore") + MARK


def without_vectors(value: object) -> object:
    """The value with every long vector inside it shown as its length."""
    if isinstance(value, dict):
        vector = value.get("vector")
        if len(value) == 1 and isinstance(vector, list):
            return {"vector_dims": len(vector)} if len(vector) > limits.MCP_VECTOR_SHOWN else value
        return {key: without_vectors(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_vectors(item) for item in value]
    return value


def cut_value(value: object, most: int) -> object:
    """A wire value, shortened where its text is longer than `most` bytes; the very same object where it is not."""
    if isinstance(value, str):
        return cut_text(value, most)
    if isinstance(value, dict) and len(value) == 1:
        ((kind, inner),) = value.items()
        if kind == "vector" and isinstance(inner, list) and size(inner) > most:
            return {"vector_dims": len(inner)}
        if kind == "bytes" and isinstance(inner, str):
            shorter = cut_text(inner, most)
            return value if shorter == inner else {"bytes": shorter}
        if kind == "json" and size(inner) > most:
            return {"json": cut_text(compact(inner), most)}
    return value


def cut_fact(fact: dict, most: int) -> dict:
    """A fact, datom or hit line with every value shortened to `most` bytes, and marked where that happened."""
    shorter = cut_inside(fact, most)
    return {**shorter, "value_truncated": True} if shorter != fact else fact


def cut_inside(value: object, most: int) -> object:
    """The value with every wire value anywhere inside it shortened to `most` bytes; names stay whole."""
    shorter = cut_value(value, most)
    if shorter is not value:
        return shorter
    if isinstance(value, dict):
        return {key: item if key in _NAMING else cut_inside(item, most) for key, item in value.items()}
    if isinstance(value, list):
        return [cut_inside(item, most) for item in value]
    return value


def short_page(items: list, frame: dict, cut: Callable[[object, int], object] = cut_fact) -> list:
    """The leading items that fit a short answer beside `frame`, cut as little as possible; at least one if any."""
    room = limits.MCP_DEFAULT_CHARS - size(frame) - limits.MCP_FRAME_CHARS
    for most in limits.MCP_EXCERPTS:
        shorter = [cut(item, most) for item in items]
        fitting = leading(shorter, room)
        if fitting == len(items):
            return shorter
    return shorter[:fitting] if fitting else [cut(items[0], limits.MCP_TINY_BYTES)]


def whole_page(items: list, basis: int, frame: Callable[[list], dict]) -> list:
    """The items as they are, or with long values cut where the answer would not fit the cap."""
    if fits_cap(basis, frame(items)):
        return items
    return [cut_fact(item, limits.MCP_EXCERPT_BYTES) for item in items]


def leading(items: list, room: int, measure: Callable[[object], int] = size) -> int:
    """How many leading items fit `room` characters, or what else `measure` counts, separators included."""
    for count, item in enumerate(items):
        room -= measure(item) + 1
        if room < 0:
            return count
    return len(items)
