"""Framing of incoming streams: one record at a time from text, readers and iterables (docs/streams.md)."""

import builtins
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from fgraph import errors
from fgraph.values import canonical, encoding


class Line(NamedTuple):
    """One record of a stream: its number, counted from 1 with blank lines included, and its text without line feed."""

    number: int
    text: str

    @property
    def where(self) -> str:
        return f"line {self.number}"


def records(source: object, limit: int) -> Iterator[Line]:
    """The records of a stream that are not blank; only one of them is held at a time.

    `source` is one text (split at line feeds), a reader with `readline` (text, or bytes in UTF-8), or an iterable of
    texts, one record each. Raises `TypeError` for other sources, `TooLarge` for a record of more than `limit` bytes,
    `FormatError` for bytes that are not UTF-8.
    """
    for number, text in enumerate(_texts(source, limit), start=1):
        if not text.isspace() and text:
            yield Line(number, _checked(text, number, limit))


@contextmanager
def advised(hint: str) -> Iterator[None]:
    """Show the way out of faults in a record that do not show one by themselves."""
    try:
        yield
    except errors.FGraphError as fault:
        if fault.hint is None:
            fault.hint = hint
        raise


def _texts(source: object, limit: int) -> Iterator[str]:
    if isinstance(source, str):
        return _split(source)
    if callable(getattr(source, "readline", None)):
        return _read(source, limit)
    if isinstance(source, Iterable) and not isinstance(source, bytes | bytearray | memoryview | dict):
        return _items(source)
    raise errors.TypeError(
        f"source is {errors.quote(source)}",
        param="source",
        hint="give the text of the stream, a reader, or an iterable of texts",
    )


def _split(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield text[start:end]
        start = end + 1


def _items(source: Iterable) -> Iterator[str]:
    number = 0
    items = iter(source)
    while True:
        number += 1
        try:
            item = next(items)
        except StopIteration:
            return
        except UnicodeDecodeError:
            raise _not_utf8(number) from None
        if not isinstance(item, str):
            raise errors.TypeError(
                f"record {number} of the source is {errors.quote(item)}, not text", param="source", hint="decode it"
            )
        yield item.removesuffix("\n")


def _read(reader: object, limit: int) -> Iterator[str]:
    number = 1
    while piece := _line(reader, limit + 2, number):
        if len(piece) > limit + 1:
            raise _too_large(number, limit)
        text = _decoded(piece, number) if isinstance(piece, bytes) else piece
        yield text.removesuffix("\n")
        number += 1


def _line(reader: object, size: int, number: int) -> str | bytes:
    """One line with its line feed, or the first `size` characters of it; readers may end a line at other marks."""
    pieces: list = []
    room = size
    while room > 0:
        piece = _piece(reader, room, number)
        pieces.append(piece)
        room -= len(piece)
        if not piece or piece.endswith(b"\n" if isinstance(piece, bytes) else "\n"):
            break
    return pieces[0] if len(pieces) == 1 else pieces[0][:0].join(pieces)


def _piece(reader: object, room: int, number: int) -> str | bytes:
    try:
        piece = reader.readline(room)
    except UnicodeDecodeError:
        raise _not_utf8(number) from None
    except (OSError, builtins.ValueError) as fault:
        raise errors.FormatError(
            f"the stream cannot be read at line {number}: {fault}", hint="give one that is open, from its beginning"
        ) from fault
    if not isinstance(piece, str | bytes):
        raise errors.TypeError(f"source gives a {type(piece).__name__} for a line", param="source", hint="give text")
    return piece


def _decoded(piece: bytes, number: int) -> str:
    if number == 1:
        piece = encoding.without_mark(piece, "the stream")
    try:
        return piece.decode()
    except UnicodeDecodeError:
        raise _not_utf8(number) from None


def _checked(text: str, number: int, limit: int) -> str:
    if text.isascii():
        size = len(text)
    else:
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise canonical.lone_surrogate(f"line {number}") from None
    if size > limit:
        raise _too_large(number, limit)
    return text


def _not_utf8(number: int) -> errors.FormatError:
    return errors.FormatError(f"line {number} of the stream is not UTF-8", hint="save the stream as UTF-8")


def _too_large(number: int, limit: int) -> errors.TooLarge:
    return errors.TooLarge(f"line {number} has more than {limit} bytes", hint="one record has at most that many")
