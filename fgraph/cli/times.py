"""Times as the reader's own clock shows them, and back (docs/cli.md)."""

import re
import time

from fgraph import errors
from fgraph.cli.table import field_of
from fgraph.values.instants import DAY_SECONDS, MICROS, format_instant, parse_instant

MINUTE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}")
SHOWN = re.compile(MINUTE.pattern + r"(:[0-9]{2}(\.[0-9]{1,6})?)?")
LAST_YEAR = 9999  # that four digits can hold
ZONED = "write the time with its zone, as in 2026-01-31T12:00:00+01:00"


def local_time(microseconds: int) -> str:
    """A time as the reader's clock shows it; microseconds only where there are some."""
    seconds, fraction = divmod(microseconds, MICROS)
    text = _clock(seconds)
    if text is None:
        return format_instant(microseconds)
    return f"{text}.{fraction:06d}" if fraction else text


def is_local(text: str) -> bool:
    """Whether `text` has the form that `local_time` gives, perhaps without the seconds."""
    return SHOWN.fullmatch(text) is not None


def from_local(text: str, what: str) -> str:
    """The RFC 3339 text for a time in the form of `local_time`; a minute is its first moment.

    Raises `TypeError` for a time that is none, or that the reader's clock shows twice or never.
    """
    shown, param = errors.quote(text), field_of(what)
    if MINUTE.fullmatch(text):
        text += ":00"
    try:
        as_utc, fraction = divmod(parse_instant(f"{text.replace(' ', 'T')}Z"), MICROS)
        found = _readings(as_utc, text.partition(".")[0])
    except (errors.TypeError, OverflowError, OSError, ValueError):
        raise errors.TypeError(f"{what}: {shown} is no time", param=param, hint=ZONED) from None
    if not found:
        raise errors.TypeError(f"{what}: the clocks here were set forward over {shown}", param=param, hint=ZONED)
    readings = [format_instant(seconds * MICROS + fraction) for seconds in found]
    if len(readings) > 1:
        hint = f"write {' or '.join(readings)}"
        raise errors.TypeError(f"{what}: the clocks here showed {shown} twice", param=param, hint=hint)
    return readings[0]


def _readings(as_utc: int, shown: str) -> list[int]:
    """The seconds at which the clock shows a time, which would be the second `as_utc` in UTC; earliest first.

    The clock's distance from UTC is that of a day before or of a day after. Where it changes between the two, both may
    give such a second, or neither.
    """
    offsets = {time.localtime(as_utc + days * DAY_SECONDS).tm_gmtoff for days in (-1, 1)}
    return sorted(as_utc - offset for offset in offsets if _clock(as_utc - offset) == shown)


def _clock(seconds: int) -> str | None:
    """What the reader's clock shows, None for the few times that are beyond it."""
    try:
        year, month, day, hour, minute, second, *_ = time.localtime(seconds)
    except (OverflowError, OSError, ValueError):
        return None
    return f"{year:04d}-{month:02d}-{day:02d} {hour:02d}:{minute:02d}:{second:02d}" if 0 < year <= LAST_YEAR else None
