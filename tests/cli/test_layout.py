"""Text on a terminal: safety, width, columns."""

import pytest

from fgraph.cli.call import Screen
from fgraph.cli.layout import cells, clean, columns, count, cut, fit, padded, paint, size

NARROW, WIDE = Screen(40), Screen(40, wide=True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("é 日本 😀", "é 日本 😀"),
        ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\x1b[31mred", "\\u001b[31mred"),
        ("\x7f\x9b", "\\u007f\\u009b"),
        ("a\u202eb\u2066c\u200f", "a\\u202eb\\u2066c\\u200f"),
        ("a\u2028b", "a\\u2028b"),
    ],
)
def test_nothing_that_steers_a_terminal_gets_through(text, shown):
    assert clean(text) == shown


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("é", 1), ("e\u0301", 1), ("日本", 4), ("😀", 2), ("a\u200db", 2)]
)
def test_width_is_counted_in_cells(text, width):
    assert cells(text) == width


@pytest.mark.parametrize(
    ("text", "room", "shown"),
    [
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("日本語", 6, "日本語"),
        ("日本語文", 6, "日本…"),
        ("日本語", 4, "日…"),
    ],
)
def test_long_text_ends_in_an_ellipsis(text, room, shown):
    assert cut(text, room) == shown


def test_padding_counts_cells_too():
    assert padded("日", 4) + "|" == "日  |"
    assert padded("7", 3, right=True) == "  7"


def test_columns_are_aligned_and_numbers_stand_right():
    rows = [["skerry", "18"], ["日本", "7"]]
    assert columns(rows, NARROW, head=["?e", "?r"], right=[1]) == ["?e      ?r", "skerry  18", "日本     7"]


def test_the_widest_column_gives_way_until_the_line_fits():
    rows = [["short", "x" * 60, "end"]]
    line = columns(rows, NARROW)[0]
    assert cells(line) == 40
    assert line == "short  " + "x" * 27 + "…  end"
    assert columns(rows, WIDE) == ["short  " + "x" * 60 + "  end"]


def test_no_rows_give_no_lines():
    assert columns([], NARROW) == []
    assert columns([], NARROW, head=["?e"]) == ["?e"]


def test_a_line_is_cut_to_the_screen_unless_it_is_wide():
    assert fit("y" * 50, NARROW) == "y" * 39 + "…"
    assert fit("y" * 50, WIDE) == "y" * 50


def test_colour_is_only_on_a_screen_that_has_it():
    assert paint("no", "red", Screen(80)) == "no"
    assert paint("no", "red", Screen(80, colour=True)) == "\x1b[31mno\x1b[0m"
    assert paint("", "red", Screen(80, colour=True)) == ""


@pytest.mark.parametrize(("number", "said"), [(0, "0 rows"), (1, "1 row"), (12400, "12,400 rows")])
def test_numbers_take_their_noun(number, said):
    assert count(number, "row") == said


@pytest.mark.parametrize(
    ("octets", "said"),
    [(0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (98304, "96.0 KiB"), (5 << 20, "5.0 MiB"), (3 << 40, "3.0 TiB")],
)
def test_sizes_are_said_in_the_nearest_unit(octets, said):
    assert size(octets) == said
