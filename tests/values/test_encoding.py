"""What the first bytes of a text tell."""

import pytest

from fgraph import errors
from fgraph.values.encoding import without_mark


@pytest.mark.parametrize("raw", [b"", b"1", b"[]", b'{"a":1}', "é".encode(), b"\0", b"\0\0\0\0", b"[\xff\xfe]"])
def test_what_shows_no_sign_stays_as_it_is(raw):
    assert without_mark(raw, "the input") == raw


def test_one_mark_of_utf_8_is_taken_away():
    assert without_mark(b"\xef\xbb\xbf\xef\xbb\xbf[]", "the input") == b"\xef\xbb\xbf[]"


@pytest.mark.parametrize("text", ['{"a":1}', "[]", '"\u4f60"', "1", "\n[]"])
@pytest.mark.parametrize("width", ["16", "32"])
@pytest.mark.parametrize("order", ["", "-le", "-be"])
def test_a_wide_encoding_is_told_with_and_without_a_mark(text, width, order):
    with pytest.raises(errors.FormatError, match=f"the input is UTF-{width} text; save it as UTF-8"):
        without_mark(text.encode(f"utf-{width}{order}"), "the input")
