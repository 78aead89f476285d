"""Content that comes with a command: inline text, a file or standard input, decoded strictly, split at line feeds."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import BinaryIO, NamedTuple

from fgraph import errors, limits
from fgraph.cli import machine
from fgraph.values.canonical import SYNTAX, parse_json
from fgraph.values.encoding import without_mark

STDIN = "-"
LINE_FEED = 1  # byte
JSON_BLANKS = " \t\r\n"
FROM_FILE = "give JSON, @FILE for a file, or - for standard input"
QUOTED = """text stands in double quotes: '"text"'"""
FORMS = {
    "VALUE": QUOTED,
    "--meta": QUOTED,
    "--args": """as in '{"?min": 10}'""",
    "--components": """as in '["service/port", 8080]'""",
    "--filter": """as in '["service/port", 8080]'""",
    "--vector": "as in '[0.5, 1]'",
}


class Line(NamedTuple):
    """One line of a stream, without its line feed, with its number counted from 1."""

    number: int
    text: str

    @property
    def size(self) -> int:
        """The bytes it takes in the stream, with its line feed."""
        return (len(self.text) if self.text.isascii() else len(self.text.encode())) + LINE_FEED


def content(word: str, what: str) -> str:
    """The text that an argument stands for: standard input for "-", a file for "@path", else the word itself."""
    if word == STDIN:
        with _standard_input(what) as stream:
            return _whole(stream, "standard input")
    if word.startswith("@"):
        with _file(word[1:]) as stream:
            return _whole(stream, errors.quote(word[1:]))
    return plain(word, what)


def json_content(word: str, what: str) -> object:
    """The JSON value that an argument stands for."""
    text = content(word, what).strip(JSON_BLANKS)
    with hinted(word):
        return parse_json(text, what)


def json_word(word: str, what: str) -> object:
    """The JSON value written in the argument itself; there is no "@path" here."""
    with _way_out(FORMS.get(what)):
        return parse_json(plain(word, what), what)


def json_line(line: Line) -> object:
    """The JSON value that one line of a stream holds."""
    return parse_json(line.text, f"line {line.number}", numbered=True)


def hinted(word: str) -> AbstractContextManager[None]:
    """Says where JSON may come from, should content that stood in the argument itself turn out to be none."""
    return _way_out(None if word == STDIN or word.startswith("@") else FROM_FILE)


@contextmanager
def _way_out(hint: str | None) -> Iterator[None]:
    try:
        yield
    except errors.TypeError as fault:
        if fault.code != SYNTAX or fault.hint:
            raise
        raise errors.TypeError(fault.message, code=SYNTAX, hint=hint) from None


def plain(word: str, what: str) -> str:
    """`word` itself, or `TypeError` when the bytes of the command line were not UTF-8."""
    if word.isascii():
        return word
    try:
        word.encode()
    except UnicodeEncodeError:
        raise errors.TypeError(f"{what} is not valid UTF-8", hint="pass it in a UTF-8 file instead") from None
    return word


def lines(stream: BinaryIO, name: str) -> Iterator[Line]:
    """The lines of a binary stream. Only a line feed ends a line; blank ones are counted and come along."""
    position = 0
    number = 0
    while raw := stream.readline(limits.SNAPSHOT_LINE_BYTES + 1):
        number += 1
        if len(raw) > limits.SNAPSHOT_LINE_BYTES:
            raise errors.TooLarge(
                f"line {number} of {name} is longer than {limits.SNAPSHOT_LINE_BYTES} bytes",
                hint="end each document with a line feed",
            )
        if number == 1:
            raw = without_mark(raw, name)
        yield Line(number, _decoded(raw, name, number, position).removesuffix("\n"))
        position += len(raw)


def opened(word: str, *, at_path: bool) -> tuple[BinaryIO, str]:
    """A binary stream for "-", "@path" (`at_path`) or a plain path, with its name; the caller closes it."""
    if word == STDIN:
        return _standard_input("input"), "standard input"
    path = word[1:] if at_path else word
    return _file(path), errors.quote(path)


def _standard_input(what: str) -> BinaryIO:
    if sys.stdin is None:
        raise errors.FormatError(
            f"{what} is to come from standard input, which is closed", hint="name a file, or open standard input"
        )
    if sys.stdin.isatty():
        machine.complain("Reading from the terminal; end with Ctrl-D.\n")
    return open(sys.stdin.fileno(), "rb", closefd=False)


def _file(path: str) -> BinaryIO:
    try:
        return open(machine.file_name(path), "rb")
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or str(fault)
        raise errors.FormatError(
            f"cannot read the file {errors.quote(path)} in {errors.quote(os.getcwd())}: {reason}",
            hint="name a readable file, or - for standard input",
        ) from None


def _whole(stream: BinaryIO, name: str) -> str:
    try:
        raw = stream.read()
    except OSError as fault:
        raise errors.FormatError(f"cannot read {name}: {fault.strerror}", hint="name a readable file") from None
    return _decoded(without_mark(raw, name), name, 1, 0)


def _decoded(raw: bytes, name: str, number: int, position: int) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as fault:
        number += raw.count(b"\n", 0, fault.start)
        raise errors.FormatError(
            f"{name} is not UTF-8: line {number}, byte offset {position + fault.start}",
            hint="save it as UTF-8",
        ) from None
