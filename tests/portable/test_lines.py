"""Framing: what counts as one record of an incoming stream."""

import io

import pytest

import fgraph
from fgraph.portable import lines
from tests.portable.making import connect, event, second_event, stream

TWO = stream(event(), second_event())


class Slow(io.RawIOBase):
    """A reader that gives at most seven bytes at a time, as a pipe may."""

    def __init__(self, data: bytes) -> None:
        self._rest = data

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:
        piece, self._rest = self._rest[:7], self._rest[7:]
        buffer[: len(piece)] = piece
        return len(piece)


@pytest.mark.parametrize(
    "source",
    [
        TWO,
        TWO.removesuffix("\n"),
        TWO.replace("\n", "\r\n"),
        "\n \n" + TWO.replace("\n", "\n\n\t\n"),
        TWO.splitlines(),
        TWO.splitlines(keepends=True),
        iter(TWO.splitlines()),
        io.StringIO(TWO),
        io.StringIO(TWO, newline=""),
        io.BytesIO(TWO.encode()),
        io.BytesIO(b"\xef\xbb\xbf" + TWO.encode()),
        io.BytesIO(TWO.replace("\n", "\r\n").encode()),
        io.BufferedReader(Slow(TWO.encode())),
    ],
    ids=[
        "text", "no last line feed", "CRLF", "blank lines", "list", "list with line feeds", "iterator", "text reader",
        "text reader that keeps CR", "byte reader", "byte reader with UTF-8 mark", "byte reader with CRLF",
        "slow reader",
    ],
)  # fmt: skip
def test_two_events_are_taken_from(source):
    assert connect().apply_summary(source)["applied"] == 2


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (None, fgraph.TypeError),
        (5, fgraph.TypeError),
        (TWO.encode(), fgraph.TypeError),
        ([TWO.encode()], fgraph.TypeError),
        ({"a": 1}, fgraph.TypeError),
        ("\ufeff" + TWO, fgraph.TypeError),
        (TWO.replace("\n", "\r"), fgraph.TypeError),
        (TWO + "\ud800", fgraph.TypeError),
        (io.BytesIO(TWO.encode() + b"\xff\n"), fgraph.FormatError),
        (io.BytesIO(TWO.encode("utf-16")), fgraph.FormatError),
        (io.BytesIO(TWO.encode("utf-16-be")), fgraph.FormatError),
    ],
)
def test_refused_sources_leave_nothing_behind(source, kind):
    db = connect()
    with pytest.raises(kind):
        db.apply(source)
    assert db.stats()["transactions"] == 1


@pytest.mark.parametrize("width", ["16", "32"])
@pytest.mark.parametrize("order", ["", "-le", "-be"])
def test_another_encoding_is_named(width, order):
    with pytest.raises(fgraph.FormatError, match=f"the stream is UTF-{width} text; save it as UTF-8"):
        connect().apply(io.BytesIO(TWO.encode(f"utf-{width}{order}")))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"fgraph":', "line 3 is not JSON at column 11: Expecting value"),
        ('{"a":1,"a":2}', 'line 3 has the key "a" twice in one object, at column 8'),
        ('{"a":[NaN]}', 'line 3 holds NaN, at column 7 in "/a/0"'),
    ],
)
@pytest.mark.parametrize("method", ["apply", "restore"])
def test_a_syntax_error_is_placed_by_line_and_column_once(method, line, said):
    first = stream(event()) if method == "apply" else connect().snapshot().splitlines(keepends=True)[0]
    with pytest.raises(fgraph.TypeError) as caught:
        getattr(connect(), method)(f"{first}\n{line}\n")
    assert caught.value.message == f"the record on {said}"
    assert caught.value.hint


def test_a_record_of_several_lines_counts_them_by_itself():
    with pytest.raises(fgraph.TypeError, match="the record on line 1 is not JSON at column 2 of its line 2: "):
        connect().apply(["{\n x"])


def test_lines_are_numbered_with_the_blank_ones():
    with pytest.raises(fgraph.TypeError, match="line 4 "):
        connect().apply("\n\n" + stream(event()) + "[]\n")


@pytest.mark.parametrize("make", [str, io.StringIO, lambda text: io.BytesIO(text.encode()), lambda text: [text]])
@pytest.mark.parametrize(
    ("letters", "fits"), [("x" * 20, True), ("x" * 21, False), ("é" * 10, True), ("é" * 11, False)]
)
def test_the_cap_counts_utf8_bytes_without_the_line_feed(make, letters, fits):
    source = make(letters + "\n")
    if fits:
        assert [line.text for line in lines.records(source, 20)] == [letters]
    else:
        with pytest.raises(fgraph.TooLarge, match="line 1 "):
            list(lines.records(source, 20))


def test_an_endless_line_is_given_up_at_the_cap():
    class Endless(io.RawIOBase):
        taken = 0

        def readline(self, size=-1):
            self.taken += size
            return b"x" * size

    source = Endless()
    with pytest.raises(fgraph.TooLarge):
        list(lines.records(source, 1000))
    assert source.taken < 2000


def test_the_failure_of_an_iterator_comes_through_and_nothing_stays():
    def broken():
        yield stream(event())
        raise RuntimeError("the other side hung up")

    db = connect()
    with pytest.raises(RuntimeError, match="hung up"):
        db.apply(broken())
    assert db.stats()["transactions"] == 1
    assert db.apply_summary(stream(event()))["applied"] == 1
