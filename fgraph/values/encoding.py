"""The first bytes of JSON text that comes in: a mark of UTF-8, or the signs of another encoding."""

from fgraph import errors

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
UTF32_MARKS = (b"\xff\xfe\0\0", b"\0\0\xfe\xff")


def without_mark(raw: bytes, name: str) -> bytes:
    """The bytes after one UTF-8 mark. `FormatError` for UTF-16 and UTF-32, with or without a mark, by their names."""
    foreign = _foreign(raw[:4])
    if foreign is not None:
        raise errors.FormatError(f"{name} is {foreign} text", hint="save it as UTF-8")
    return raw.removeprefix(UTF8_MARK)


def _foreign(head: bytes) -> str | None:
    """JSON begins with an ASCII character, whose other bytes are zero in a wide encoding; UTF-8 has no zeros there."""
    zeros = "".join("x" if byte else "0" for byte in head)
    if head in UTF32_MARKS or zeros in ("x000", "000x"):
        return "UTF-32"
    return "UTF-16" if head[:2] in UTF16_MARKS or zeros[:2] in ("x0", "0x") else None
