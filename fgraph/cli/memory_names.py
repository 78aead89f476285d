"""The reversible rule by which foreign names become entity names, and foreign words become parts of attribute names."""

import unicodedata
from collections.abc import Callable

from fgraph.file.genesis import PREFIX

HEX = frozenset("0123456789abcdef")
UPPER_HEX = frozenset("0123456789ABCDEF")
PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")
FIRST = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
SHOUTED = ".x"  # at the end: every letter was upper case
LED = "x.y"  # at the start: what follows could not begin a name


def entity_name(name: str) -> str:
    """`name` where it may name an entity.

    Else its control characters, a percent sign that looks like an escape, and the first letter of the reserved prefix
    are written as %HH, one for each UTF-8 byte.
    """
    parts = []
    for index, char in enumerate(name):
        escape = unicodedata.category(char) == "Cc" or (char == "%" and _is_hex(name[index + 1 : index + 3], UPPER_HEX))
        parts.append(_bytes(char, "%{:02X}") if escape else char)
    mapped = "".join(parts)
    return f"%{ord(mapped[0]):02X}{mapped[1:]}" if mapped.startswith(PREFIX) else mapped


def original_name(mapped: str) -> str:
    """The name that `entity_name` was given."""
    return _decoded(mapped, "%", lambda pair: _is_hex(pair, UPPER_HEX), {})


def attribute_part(word: str) -> str:
    """`word` where it may be the part of an attribute name after the slash.

    Else, with the dot as the sign of escape: a blank is `.-`, an upper-case letter `.u` and the letter, any other
    character `.hh` for each UTF-8 byte. A word of upper-case letters only is written in lower case with `.x` after it.
    """
    shouted = word.isascii() and word.isupper()
    plain = word.lower() if shouted else word
    body = "".join(_escaped(char, plain[index + 1 :]) for index, char in enumerate(plain))
    if body[:1] not in FIRST or body.startswith(LED):
        body = LED + body
    return body + SHOUTED if shouted else body


def original_word(part: str) -> str:
    """The word that `attribute_part` was given."""
    shouted = part.endswith(SHOUTED)
    body = part.removesuffix(SHOUTED).removeprefix(LED)
    letters = {f"u{letter}": letter.upper() for letter in "abcdefghijklmnopqrstuvwxyz"}
    word = _decoded(body, ".", lambda pair: _is_hex(pair, HEX), {"-": " ", **letters})
    return word.upper() if shouted else word


def _escaped(char: str, rest: str) -> str:
    if char == " ":
        return ".-"
    if char.isascii() and char.isupper():
        return f".u{char.lower()}"
    looks_like_escape = char == "." and (rest[:1] in ("-", "u", "x", "y") or _is_hex(rest[:2], HEX))
    return char if char in PLAIN and not looks_like_escape else _bytes(char, ".{:02x}")


def _bytes(char: str, form: str) -> str:
    return "".join(form.format(octet) for octet in char.encode())


def _is_hex(pair: str, digits: frozenset[str]) -> bool:
    return len(pair) == 2 and digits.issuperset(pair)


def _decoded(text: str, sign: str, is_octet: Callable[[str], bool], short: dict[str, str]) -> str:
    """`text` with its escapes undone: two hexadecimal digits for a byte, or one of the `short` forms."""
    octets = bytearray()
    index = 0
    while index < len(text):
        pair = text[index + 1 : index + 3]
        if text[index] == sign and is_octet(pair):
            octets.append(int(pair, 16))
            index += 3
        elif text[index] == sign and pair in short:
            octets += short[pair].encode()
            index += 3
        elif text[index] == sign and pair[:1] in short:
            octets += short[pair[:1]].encode()
            index += 2
        else:
            octets += text[index].encode()
            index += 1
    return octets.decode()
