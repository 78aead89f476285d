"""How a word names a point in time: a transaction id, microseconds, or an RFC 3339 time."""

from fgraph.cli.parse import UsageError, is_integer, to_integer
from fgraph.errors import quote

YEAR_DIGITS = 4


def moment_argument(word: str, what: str) -> int | str:
    """What `Db.at` takes for `word`; a word that is neither a number nor a date is a usage error."""
    if is_integer(word):
        return to_integer(word, what)
    if word[:YEAR_DIGITS].isdigit() and word[YEAR_DIGITS : YEAR_DIGITS + 1] == "-":
        return word
    raise UsageError(
        f"{what} takes a transaction id, microseconds or a time like 2026-01-31T12:00:00Z, not {quote(word)}"
    )
