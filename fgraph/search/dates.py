"""How days and months are written in different ways: `7 May 2023`, `May 7th`, `2023-05-07`."""

import re

MONTHS = (
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may",),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sep", "sept"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
)
NUMBER_OF = {name: number for number, names in enumerate(MONTHS, start=1) for name in names}
ISO = re.compile(r"\b\d{4}-(\d\d)-\d\d\b", re.ASCII)
NUMBER = re.compile(r"0*(\d+)(?:st|nd|rd|th)?", re.ASCII)
ORDINAL = {"1": "st", "2": "nd", "3": "rd"}
DAYS = 31
YEAR_DIGITS = 4


def month(word: str) -> int:
    """The number of the month that a folded word names; 0 for no month."""
    return NUMBER_OF.get(word, 0)


def iso_months(text: str) -> dict[str, int]:
    """The digits that stand for a month in a text, with that month."""
    return {digits: int(digits) for digits in ISO.findall(text) if 1 <= int(digits) <= len(MONTHS)}


def is_number(word: str) -> bool:
    """Whether a word is a number, perhaps an ordinal one."""
    return NUMBER.fullmatch(word) is not None


def same(word: str, other: str, named: int) -> bool:
    """Whether two words are the same number, or the first one the month `named`, by a name or as two digits."""
    if named and (month(word) == named or word == f"{named:02}"):
        return True
    return word[:1].isdigit() and is_number(word) and is_number(other) and _plain(word) == _plain(other)


def forms(word: str, named: int) -> list[str]:
    """A word, or the month `named`, in all ways of writing it as one word."""
    return [word, *days(word), *((*names(named), f"{named:02}") if named else ())]


def days(word: str) -> list[str]:
    """A number that may be a day, as `7`, `07` and `7th`; nothing for any other word."""
    if not is_number(word) or not 1 <= int(plain := _plain(word)) <= DAYS:
        return []
    ending = "th" if plain in ("11", "12", "13") else ORDINAL.get(plain[-1], "th")
    return [plain, plain.zfill(2), plain + ending]


def names(named: int) -> tuple[str, ...]:
    """The names of a month."""
    return MONTHS[named - 1]


def beside(named: int, numbers: list[str]) -> list[str]:
    """A month as two digits, next to each of some years and days: alone they could be anything."""
    digits = f"{named:02}"
    plain = map(_plain, numbers)
    return [f"{one} {digits}" if len(one) == YEAR_DIGITS else f"{digits} {one.zfill(2)}" for one in plain]


def _plain(number: str) -> str:
    """A number without leading zeros and without the ending of an ordinal."""
    return NUMBER.fullmatch(number)[1]
