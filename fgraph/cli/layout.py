"""Text on a terminal: what is safe to print, how wide it is, cells, columns and colours."""

import unicodedata
from collections.abc import Iterable, Sequence

from fgraph import limits
from fgraph.cli.call import Screen

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36", "mark": "1;33"}
BIDI = frozenset("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
SHORT_ESCAPES = {"\n": "\\n", "\t": "\\t", "\r": "\\r"}
ELLIPSIS = "…"
GAP = "  "
INDENT = "  "


def clean(text: str) -> str:
    """`text` without anything that could steer a terminal: controls, bidi marks and line separators become escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_safe, text))


def _safe(char: str) -> str:
    if unicodedata.category(char) not in ("Cc", "Cs") and char not in BIDI:
        return char
    return SHORT_ESCAPES.get(char) or f"\\u{ord(char):04x}"


def cells(text: str) -> int:
    """How many terminal cells `text` takes."""
    return len(text) if text.isascii() else sum(map(_char_cells, text))


def _char_cells(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def cut(text: str, room: int) -> str:
    """`text` in at most `room` cells, with an ellipsis where something is missing."""
    if cells(text) <= room:
        return text
    kept, taken = [], 1
    for char in text:
        taken += _char_cells(char)
        if taken > room:
            break
        kept.append(char)
    return "".join(kept) + ELLIPSIS


def padded(text: str, width: int, *, right: bool = False) -> str:
    """`text` filled up with blanks to `width` cells."""
    blanks = " " * (width - cells(text))
    return blanks + text if right else text + blanks


def fit(text: str, screen: Screen, taken: int = 0) -> str:
    """`text` cut to what is left of a line after `taken` cells, unless nothing is to be cut."""
    return text if screen.wide else cut(text, max(screen.width - taken, limits.CLI_COLUMN_LEAST))


def fit_end(text: str, screen: Screen, taken: int = 0) -> str:
    """As `fit`, but it is the beginning that gives way: a path says most at its end."""
    return text if screen.wide else cut(text[::-1], max(screen.width - taken, limits.CLI_COLUMN_LEAST))[::-1]


def paint(text: str, style: str, screen: Screen) -> str:
    """`text` in a colour, on a screen that has colours."""
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if screen.colour and text else text


def inside(screen: Screen) -> Screen:
    """What is left of the screen beside an indent."""
    return screen._replace(width=screen.width - len(INDENT))


def indented(lines: Iterable[str]) -> list[str]:
    """Lines that were drawn on the inner screen."""
    return [INDENT + line for line in lines]


def columns(
    rows: Sequence[Sequence[str]],
    screen: Screen,
    *,
    head: Sequence[str] = (),
    right: Sequence[int] = (),
    fixed: Sequence[int] = (),
) -> list[str]:
    """Rows as aligned columns under an optional bold head.

    Until a line fits the screen, the widest columns give way, the `fixed` ones last.
    """
    everything = [head, *rows] if head else list(rows)
    if not everything:
        return []
    widths = [max(cells(row[index]) for row in everything) for index in range(len(everything[0]))]
    if not screen.wide:
        _narrow(widths, screen.width, [index for index in range(len(widths)) if index not in fixed])
        _narrow(widths, screen.width, range(len(widths)))
    lines = []
    for number, row in enumerate(everything):
        parts = [
            padded(cut(cell, width), width, right=index in right)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        line = fit(GAP.join(parts).rstrip(), screen)
        lines.append(paint(line, "bold", screen) if head and number == 0 else line)
    return lines


def _narrow(widths: list[int], room: int, giving: Sequence[int]) -> None:
    least = limits.CLI_COLUMN_LEAST
    excess = sum(widths) + len(GAP) * (len(widths) - 1) - room
    while excess > 0 and giving:
        widest = max(giving, key=widths.__getitem__)
        second = max((widths[index] for index in giving if index != widest), default=0)
        step = min(excess, max(widths[widest] - max(second, least), 1), widths[widest] - least)
        if step <= 0:
            return
        widths[widest] -= step
        excess -= step


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: "1 row", "12,400 rows"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def size(octets: int) -> str:
    """A number of bytes as people say it."""
    if octets < 1024:
        return f"{octets} B"
    amount = octets / 1024
    units = ["KiB", "MiB", "GiB", "TiB"]
    while amount >= 1024 and len(units) > 1:
        amount /= 1024
        units.pop(0)
    return f"{amount:.1f} {units[0]}"
