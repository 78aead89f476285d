"""Instants: RFC 3339 text to UTC microseconds since 1970, and back (docs/values.md)."""

import re

from fgraph import errors, limits

MICROS = 1_000_000
DAY_SECONDS = 86_400
DAYS_BEFORE_1970 = 719_162  # from 0001-01-01
TEXT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
MONTH_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def parse_instant(value: object, param: str = "instant") -> int:
    """Microseconds for RFC 3339 text or an integer; digits past the sixth are cut, not rounded.

    Raises `TypeError` for any other form, an impossible date, or a time outside the years 1 to 9999.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        return _in_range(value, value, param)
    match = TEXT.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise _refused(value, param)
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    fraction, sign, zone_hour, zone_minute = match.groups()[6:]
    if not (year and 1 <= month <= 12 and 1 <= day <= _days_in(year, month)):
        raise _refused(value, param)
    offset_hour, offset_minute = int(zone_hour or 0), int(zone_minute or 0)
    if hour > 23 or minute > 59 or second > 59 or offset_hour > 23 or offset_minute > 59:
        raise _refused(value, param)
    offset = (offset_hour * 60 + offset_minute) * (-60 if sign == "-" else 60)
    seconds = _days(year, month, day) * DAY_SECONDS + hour * 3600 + minute * 60 + second - offset
    micros = int((fraction or "0")[:6].ljust(6, "0"))
    return _in_range(seconds * MICROS + micros, value, param)


def format_instant(micros: int) -> str:
    """`YYYY-MM-DDTHH:MM:SS.ffffffZ` for microseconds within the instant range."""
    seconds, fraction = divmod(micros, MICROS)
    days, rest = divmod(seconds, DAY_SECONDS)
    year, month, day = _date(days)
    return f"{year:04d}-{month:02d}-{day:02d}T{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}.{fraction:06d}Z"


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_in(year: int, month: int) -> int:
    return 29 if month == 2 and _leap(year) else MONTH_DAYS[month - 1]


def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to this date of the proleptic Gregorian calendar."""
    before = year - 1
    whole = before * 365 + before // 4 - before // 100 + before // 400
    months = sum(MONTH_DAYS[: month - 1]) + (1 if month > 2 and _leap(year) else 0)
    return whole + months + day - 1 - DAYS_BEFORE_1970


def _date(days: int) -> tuple[int, int, int]:
    """The date that lies `days` after 1970-01-01, by 400-year cycles that begin on 1 March of year 0."""
    cycle, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1460 + day // 36_524 - day // 146_096) // 365
    day -= year * 365 + year // 4 - year // 100
    shifted = (5 * day + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + cycle * 400 + (month <= 2), month, day - (153 * shifted + 2) // 5 + 1


def _in_range(micros: int, value: object, param: str) -> int:
    if limits.INSTANT_MIN <= micros <= limits.INSTANT_MAX:
        return micros
    raise errors.TypeError(
        f"instant {errors.quote(value)} lies outside the years 0001 to 9999",
        param=param,
        hint=f"use microseconds from {limits.INSTANT_MIN} to {limits.INSTANT_MAX}",
    )


def _refused(value: object, param: str) -> errors.TypeError:
    return errors.TypeError(
        f"{errors.quote(value)} is not an instant",
        param=param,
        hint="write RFC 3339 with a zone, such as 2026-01-31T09:30:00Z, or integer microseconds since 1970",
    )
