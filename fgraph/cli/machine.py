"""What programs see: canonical JSON, indented JSON and NDJSON, always as UTF-8 bytes with line feeds."""

import os
import sys
from collections.abc import Iterable
from typing import BinaryIO


class OutputError(Exception):
    """Standard output did not take what was written; `closed` when its reader simply went away."""

    def __init__(self, reason: str, closed: bool) -> None:
        super().__init__(reason)
        self.closed = closed


def rendered(value: object, style: str) -> str:
    """`value` as one text: canonical on one line for "json", with sorted keys and two blanks for "indent"."""
    if style == "json":
        from fgraph.values.canonical import canonical

        return canonical(value, "result") + "\n"
    import json  # loaded here: the version and the help do without it

    return json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def write(text: str) -> None:
    """`text` to standard output, at once, whatever the locale says. Raises `OutputError`."""
    write_lines([text], at_once=True)


def write_lines(lines: Iterable[str], *, at_once: bool = False) -> None:
    """Lines, with their line feeds, to standard output as they come; `at_once` flushes each. Raises `OutputError`."""
    out = None if sys.stdout is None else sys.stdout.buffer
    for line in lines:
        if out is not None:
            _to(out, line, at_once)
    if out is not None and not at_once:
        _to(out, "", True)


def _to(out: BinaryIO, line: str, flush: bool) -> None:
    try:
        out.write(line.encode("utf-8", "surrogateescape"))
        if flush:
            out.flush()
    except OSError as fault:
        _abandon_output()
        raise OutputError(fault.strerror or str(fault), isinstance(fault, BrokenPipeError)) from None


def decoded(word: str) -> str:
    """A word of the command line as UTF-8 text, whatever the locale says; other bytes stay as surrogates."""
    return word if word.isascii() else os.fsencode(word).decode("utf-8", "surrogateescape")


def file_name(word: str) -> str:
    """The name for the file system of a word that went through `decoded`."""
    return word if word.isascii() else os.fsdecode(word.encode("utf-8", "surrogateescape"))


def printable(word: str) -> str:
    """A word that went through `decoded` as well-formed text; what is no UTF-8 in it is replaced."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def complain(text: str) -> None:
    """`text` to standard error; there is nowhere left to report a failure of that."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stderr.buffer.flush()
    except OSError:
        return


def _abandon_output() -> None:
    """Point standard output elsewhere, so that the interpreter's own last flush cannot fail a second time."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
