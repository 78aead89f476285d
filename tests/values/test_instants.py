"""Instants: RFC 3339 text and integers in, microseconds stored, one text form out."""

import datetime
import random

import pytest

from fgraph import errors
from fgraph.values.instants import format_instant, parse_instant

NOON = 1_787_565_600_000_000  # 2026-08-24T10:00:00Z
FIRST = -62_135_596_800_000_000
LAST = 253_402_300_799_999_999

ACCEPTED = [
    ("2026-08-24T10:00:00Z", NOON, "2026-08-24T10:00:00.000000Z"),
    ("2026-08-24T10:00:00.5Z", NOON + 500_000, "2026-08-24T10:00:00.500000Z"),
    ("2026-08-24T10:00:00.000001Z", NOON + 1, "2026-08-24T10:00:00.000001Z"),
    ("2026-08-24T10:00:00.1234567Z", NOON + 123_456, "2026-08-24T10:00:00.123456Z"),
    ("2026-08-24T10:00:00.9999999Z", NOON + 999_999, "2026-08-24T10:00:00.999999Z"),
    ("2026-08-24T10:00:00." + "9" * 5000 + "Z", NOON + 999_999, "2026-08-24T10:00:00.999999Z"),
    ("2026-08-24T12:00:00+02:00", NOON, "2026-08-24T10:00:00.000000Z"),
    ("2026-08-24T10:00:00-00:00", NOON, "2026-08-24T10:00:00.000000Z"),
    ("2026-08-24T10:00:00+23:59", NOON - 86_340_000_000, "2026-08-23T10:01:00.000000Z"),
    ("2026-08-24T10:00:00-23:59", NOON + 86_340_000_000, "2026-08-25T09:59:00.000000Z"),
    ("1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00.000000Z"),
    ("1969-12-31T23:59:59.9999999Z", -1, "1969-12-31T23:59:59.999999Z"),
    ("2024-02-29T00:00:00Z", 1_709_164_800_000_000, "2024-02-29T00:00:00.000000Z"),
    ("2000-02-29T00:00:00Z", 951_782_400_000_000, "2000-02-29T00:00:00.000000Z"),
    ("0001-01-01T00:00:00Z", FIRST, "0001-01-01T00:00:00.000000Z"),
    ("9999-12-31T23:59:59.9999999Z", LAST, "9999-12-31T23:59:59.999999Z"),
    (0, 0, "1970-01-01T00:00:00.000000Z"),
    (-1, -1, "1969-12-31T23:59:59.999999Z"),
    (FIRST, FIRST, "0001-01-01T00:00:00.000000Z"),
    (LAST, LAST, "9999-12-31T23:59:59.999999Z"),
]


@pytest.mark.parametrize(("given", "micros", "shown"), ACCEPTED)
def test_an_instant_is_read_exactly_and_shown_in_one_form(given, micros, shown):
    assert parse_instant(given) == micros
    assert format_instant(micros) == shown


REFUSED = {
    "no zone": "2026-08-24T10:00:00",
    "a blank for the T": "2026-08-24 10:00:00Z",
    "a lower-case t": "2026-08-24t10:00:00Z",
    "a lower-case z": "2026-08-24T10:00:00z",
    "no seconds": "2026-08-24T10:00Z",
    "only a date": "2026-08-24",
    "a point without digits": "2026-08-24T10:00:00.Z",
    "a comma": "2026-08-24T10:00:00,5Z",
    "second 60": "2016-12-31T23:59:60Z",
    "minute 60": "2026-08-24T10:60:00Z",
    "hour 24": "2026-08-24T24:00:00Z",
    "hour 25": "2026-08-24T25:00:00Z",
    "29 February of a common year": "2026-02-29T00:00:00Z",
    "29 February of a century": "1900-02-29T00:00:00Z",
    "31 April": "2026-04-31T00:00:00Z",
    "month 0": "2026-00-24T10:00:00Z",
    "month 13": "2026-13-24T10:00:00Z",
    "day 0": "2026-08-00T10:00:00Z",
    "day 32": "2026-08-32T10:00:00Z",
    "year 0": "0000-08-24T10:00:00Z",
    "a year of five digits": "12026-08-24T10:00:00Z",
    "a signed year": "+2026-08-24T10:00:00Z",
    "a week date": "2026-W35-1T10:00:00Z",
    "an ordinal date": "2026-236T10:00:00Z",
    "the basic format": "20260824T100000Z",
    "an offset without a colon": "2026-08-24T10:00:00+0200",
    "an offset without minutes": "2026-08-24T10:00:00+02",
    "an offset with seconds": "2026-08-24T10:00:00+02:00:00",
    "offset hour 24": "2026-08-24T10:00:00+24:00",
    "offset minute 60": "2026-08-24T10:00:00+23:60",
    "offset minute 99": "2026-08-24T10:00:00+00:99",
    "a leading blank": " 2026-08-24T10:00:00Z",
    "a trailing blank": "2026-08-24T10:00:00Z ",
    "a trailing line feed": "2026-08-24T10:00:00Z\n",
    "digits that are not ASCII": "２026-08-24T10:00:00Z",
    "empty": "",
    "before the year 1": "0001-01-01T00:00:00+00:01",
    "after the year 9999": "9999-12-31T23:59:59-00:01",
    "a true": True,
    "a float": 1.0,
    "a null": None,
    "a list": [2026],
    "bytes": b"2026-08-24T10:00:00Z",
    "a microsecond before the first": FIRST - 1,
    "a microsecond after the last": LAST + 1,
    "an integer of 400 digits": 10**400,
}


@pytest.mark.parametrize("given", REFUSED.values(), ids=REFUSED.keys())
def test_anything_else_is_refused(given):
    with pytest.raises(errors.TypeError):
        parse_instant(given)


def test_the_refusal_names_the_argument_the_value_and_the_way_out():
    with pytest.raises(errors.TypeError) as caught:
        parse_instant("tomorrow", "due")
    assert caught.value.param == "due"
    assert '"tomorrow"' in caught.value.message
    assert "2026-01-31T09:30:00Z" in caught.value.hint


def test_the_dates_of_all_years_agree_with_calendar_arithmetic():
    """The ends of all Februaries and years of a 400-year cycle, after which dates repeat, and a sample of all days."""
    epoch = datetime.date(1970, 1, 1).toordinal()
    firsts = [datetime.date(year, month, 1).toordinal() for year in range(1900, 2300) for month in (1, 3)]
    sample = random.Random(1).sample(range(1, datetime.date.max.toordinal() + 1), 2_000)
    for ordinal in (*sample, *(first + days for first in firsts for days in (-2, -1, 0))):
        day = datetime.date.fromordinal(ordinal).isoformat()
        micros = (ordinal - epoch) * 86_400_000_000
        assert parse_instant(f"{day}T00:00:00Z") == micros
        assert format_instant(micros) == f"{day}T00:00:00.000000Z"


def test_every_instant_survives_the_round_trip():
    generator = random.Random(2)
    for _ in range(5_000):
        micros = generator.randint(FIRST, LAST)
        assert parse_instant(format_instant(micros)) == micros


def test_text_order_is_time_order():
    generator = random.Random(3)
    moments = [generator.randint(FIRST, LAST) for _ in range(1_000)]
    assert sorted(map(format_instant, moments)) == [format_instant(moment) for moment in sorted(moments)]
