"""Shortened forms of long values."""

from fgraph import limits
from fgraph.values.canonical import canonical

ELLIPSIS = "…"


def text(whole: str, most: int = limits.SEARCH_TEXT_BYTES) -> str:
    """The text, or where it is longer than `most` UTF-8 bytes its beginning and an ellipsis in that many bytes."""
    if len(whole) * 4 <= most or len(data := whole.encode()) <= most:
        return whole
    return data[: most - len(ELLIPSIS.encode())].decode(errors="ignore") + ELLIPSIS


def value(shown: object) -> object:
    """A shown value; long text cut, and long vectors, byte strings and json replaced by their size."""
    if isinstance(shown, str):
        return text(shown)
    if isinstance(shown, dict):
        ((kind, content),) = shown.items()
        if kind == "vector" and len(content) > limits.SEARCH_VECTOR_SHOWN:
            return {"vector_dims": len(content)}
        if kind == "bytes" and len(content) > limits.SEARCH_TEXT_BYTES:
            return {"bytes_length": len(content) * 3 // 4 - content[-2:].count("=")}
        if kind == "json" and len(written := canonical(content).encode()) > limits.SEARCH_TEXT_BYTES:
            return {"json_bytes": len(written)}
    return shown


def pull(values: dict) -> dict:
    """A compact pull with each of its values shortened."""
    return {
        name: [value(item) for item in shown] if isinstance(shown, list) else value(shown)
        for name, shown in values.items()
    }
