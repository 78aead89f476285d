"""Reading as of a point in time that a word names: a transaction id, microseconds, or an RFC 3339 time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fgraph.cli import place
from fgraph.cli.call import Call
from fgraph.cli.parse import UsageError, is_integer, to_integer
from fgraph.errors import quote

YEAR_DIGITS = 4


@contextmanager
def reading_at(call: Call) -> Iterator[place.Db]:
    """The database as of `--at`, else as it is now, opened for reading only."""
    at = None if call["at"] is None else _moment(call["at"])
    with place.reading(call) as live:
        yield live if at is None else live.at(at)


def _moment(word: str) -> int | str:
    """What `Db.at` takes for `word`; a word that is neither a number nor a date is a usage error."""
    if is_integer(word):
        return to_integer(word, "--at")
    if word[:YEAR_DIGITS].isdigit() and word[YEAR_DIGITS : YEAR_DIGITS + 1] == "-":
        return word
    raise UsageError(
        f"--at takes a transaction id, microseconds or a time like 2026-01-31T12:00:00Z, not {quote(word)}"
    )
