"""Content that comes with a command: decoding, marks, lines."""

import io

import pytest

from fgraph import errors
from fgraph.cli.source import Line, content, json_content, json_word, lines, opened

RECORD = '{"id":"a","x/y":1}'


def read(raw: bytes) -> list[Line]:
    return list(lines(io.BytesIO(raw), "input"))


@pytest.mark.parametrize(
    "raw",
    [
        b'{"a":1}\n{"b":2}\n',
        b'{"a":1}\n{"b":2}',
        b'{"a":1}\r\n{"b":2}\r\n',
        b'\xef\xbb\xbf{"a":1}\n{"b":2}\n',
    ],
    ids=["with a last line feed", "without one", "with carriage returns", "with a UTF-8 mark"],
)
def test_a_stream_is_cut_at_line_feeds_only(raw):
    assert [line.text.rstrip("\r") for line in read(raw)] == ['{"a":1}', '{"b":2}']


def test_separators_of_unicode_do_not_cut_a_line():
    text = '{"a":"x\u2028y\u0085z\x0bw"}'
    assert read(f"{text}\n".encode()) == [Line(1, text)]


def test_blank_lines_are_counted():
    assert read(b"a\n\n\nb\n")[-1] == Line(4, "b")


@pytest.mark.parametrize("width", ["16", "32"])
@pytest.mark.parametrize("order", ["", "-le", "-be"])
def test_another_encoding_is_refused_by_its_name(width, order):
    with pytest.raises(errors.FormatError, match=f"is UTF-{width} text; save it as UTF-8"):
        read(f"{RECORD}\n".encode(f"utf-{width}{order}"))


def test_a_byte_that_is_not_utf_8_is_named_by_line_and_offset():
    with pytest.raises(errors.FormatError, match="input is not UTF-8: line 2, byte offset 3"):
        read(b"a\nb\xffc\n")


def test_a_byte_that_is_not_utf_8_in_a_document_is_named_alike(tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(b'[1,\n2,\n"\xc3"]')
    with pytest.raises(errors.FormatError, match="line 3, byte offset 8"):
        content(f"@{path}", "DATA")


def test_a_file_may_begin_with_one_mark(tmp_path):
    path = tmp_path / "marked.json"
    path.write_bytes(b"\xef\xbb\xbf[1]")
    assert json_content(f"@{path}", "QUERY") == [1]
    path.write_bytes(b"\xef\xbb\xbf\xef\xbb\xbf[1]")
    with pytest.raises(errors.TypeError):
        json_content(f"@{path}", "QUERY")


@pytest.mark.parametrize("word", ["@missing.json", "@", "@.", "@a\0b"])
def test_what_cannot_be_read_is_a_format_error(word):
    with pytest.raises(errors.FormatError, match="cannot read the file"):
        content(word, "DATA")


def test_a_plain_path_keeps_its_at_sign(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "@x").write_bytes(b"here")
    with opened("@x", at_path=False)[0] as stream:
        assert stream.read() == b"here"


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ('{"a":1,"a":2}', errors.TypeError),
        ("NaN", errors.TypeError),
        ("[1] [2]", errors.TypeError),
        ("\ufeff[1]", errors.TypeError),
        ("remote", errors.TypeError),
        ("", errors.TypeError),
        ("[" * 81 + "]" * 81, errors.TooLarge),
    ],
)
def test_json_is_strict(text, error):
    with pytest.raises(error):
        json_word(text, "VALUE")


def test_an_argument_that_is_not_utf_8_is_refused():
    with pytest.raises(errors.TypeError, match="DATA is not valid UTF-8"):
        content('{"a":"\udcff"}', "DATA")


@pytest.mark.parametrize(
    ("parse", "word", "what", "said"),
    [
        (json_content, "facts.json", "DATA", "give JSON, @FILE for a file, or - for standard input"),
        (json_word, "remote", "VALUE", """text stands in double quotes: '"text"'"""),
        (json_word, "light/range=18", "--filter", """as in '["service/port", 8080]'"""),
    ],
)
def test_what_is_no_json_is_told_how_to_write_it(parse, word, what, said):
    with pytest.raises(errors.TypeError) as caught:
        parse(word, what)
    assert (caught.value.code, caught.value.hint) == ("json_syntax", said)


def test_broken_content_of_a_file_needs_no_word_about_files(shell):
    shell.write("broken.json", "{")
    assert "@FILE" not in shell.run("add", "@broken.json").err
    assert "@FILE" in shell.run("add", "broken.json").err
