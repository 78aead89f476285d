"""Points in time that a word names: a transaction id, microseconds, an RFC 3339 time, or a time as tables show it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from fgraph import errors
from fgraph.cli import place
from fgraph.cli.call import Call
from fgraph.cli.parse import UsageError, is_integer, to_integer
from fgraph.cli.table import field_of
from fgraph.cli.times import from_local, is_local
from fgraph.values.instants import parse_instant

YEAR_DIGITS = 4
FORMS = "a transaction id, microseconds, a time like 2026-01-31T12:00:00Z, or '2026-01-31 12:00:00' in local time"


@contextmanager
def reading_at(call: Call) -> Iterator[place.Db]:
    """The database as of `--at`, else as it is now, opened for reading only."""
    at = None if call["at"] is None else moment(call["at"], "--at")
    with place.reading(call) as live:
        if at is None:
            yield live
            return
        from fgraph.read.moments import resolve  # most reads are of the present

        with live._store.reading() as reader, naming("--at"):
            basis = resolve(reader, at, "--at")
        yield live.at(basis)


@contextmanager
def naming(what: str) -> Iterator[None]:
    """Faults of an option or argument that the message calls `what`: their `param` is its field."""
    try:
        yield
    except errors.FGraphError as fault:
        fault.param = field_of(what)
        raise


def moment(word: str, what: str) -> int | str:
    """What `Db.at` takes for `word`; a word that is neither a number nor a date is a usage error."""
    if is_integer(word):
        return to_integer(word, what)
    if is_local(word):
        return from_local(word, what)
    if not word[:YEAR_DIGITS].isdigit() or word[YEAR_DIGITS : YEAR_DIGITS + 1] != "-":
        raise UsageError(f"{what} takes {FORMS}, not {errors.quote(word)}")
    try:
        parse_instant(word, what)
    except errors.TypeError as fault:
        raise errors.TypeError(f"{what}: {fault.message}", param=field_of(what), hint=f"give {FORMS}") from None
    return word
