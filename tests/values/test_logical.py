"""Logical values: from the wire to the tag, column and payload that are stored, and back."""

import base64
import datetime
import enum
import fractions
import hashlib
import random
import struct
import types
import uuid
from decimal import Decimal

import pytest

from fgraph import errors, limits
from fgraph.values import logical
from fgraph.values.logical import Stored, encode_value, render, render_stored

MIB = 1_048_576
NOON = 1_787_565_600_000_000  # 2026-08-24T10:00:00Z
PARIS = datetime.timezone(datetime.timedelta(hours=2))


def encode(wire: object) -> Stored:
    return encode_value(wire, lambda content: {"ada": 65}[content])


def seen(wire: object) -> object:
    """What a read gives back for a value that was written."""
    stored = encode(wire)
    return render(stored.tag, stored.value, stored.payload, lambda number: "ada")


class Colour(enum.IntEnum):
    RED = 3


class Note(str):
    __slots__ = ()


STORED = [
    ({"ref": "ada"}, 0, 65, {"ref": "ada"}),
    (True, 1, 1, True),
    (False, 1, 0, False),
    (0, 2, 0, 0),
    ((1 << 63) - 1, 2, (1 << 63) - 1, (1 << 63) - 1),
    (-(1 << 63), 2, -(1 << 63), -(1 << 63)),
    (Colour.RED, 2, 3, 3),
    (1.0, 3, 1.0, 1.0),
    (5e-324, 3, 5e-324, 5e-324),
    ("", 4, "", ""),
    ("2026-01-01T00:00:00Z", 4, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ("\0\ufeff\u2028e\u0301", 4, "\0\ufeff\u2028e\u0301", "\0\ufeff\u2028e\u0301"),
    (Note("n"), 4, "n", "n"),
    ({"instant": 0}, 5, 0, {"instant": "1970-01-01T00:00:00.000000Z"}),
    ({"instant": "2026-08-24T12:00:00+02:00"}, 5, NOON, {"instant": "2026-08-24T10:00:00.000000Z"}),
    (datetime.datetime(2026, 8, 24, 12, tzinfo=PARIS), 5, NOON, {"instant": "2026-08-24T10:00:00.000000Z"}),
    ({"instant": datetime.datetime(1, 1, 1, tzinfo=datetime.UTC)}, 5, limits.INSTANT_MIN, None),
    ({"bytes": "AAEC"}, 6, b"\0\1\2", {"bytes": "AAEC"}),
    ({"bytes": ""}, 6, b"", {"bytes": ""}),
    ({"bytes": "+/+/"}, 6, b"\xfb\xff\xbf", {"bytes": "+/+/"}),
    ({"bytes": "AB=="}, 6, b"\0", {"bytes": "AA=="}),
    (b"\0\1", 6, b"\0\1", {"bytes": "AAE="}),
    (bytearray(b"\0"), 6, b"\0", {"bytes": "AA=="}),
    (memoryview(b"\0"), 6, b"\0", {"bytes": "AA=="}),
    ({"bytes": b"\0"}, 6, b"\0", {"bytes": "AA=="}),
    ({"json": None}, 10, "null", {"json": None}),
    ({"json": 1.0}, 10, "1", {"json": 1}),
    ({"json": 1e20}, 10, "1e+20", {"json": 1e20}),
    ({"json": {"instant": "x"}}, 10, '{"instant":"x"}', {"json": {"instant": "x"}}),
    ({"json": (1, (2,))}, 10, "[1,[2]]", {"json": [1, [2]]}),
    (types.MappingProxyType({"json": []}), 10, "[]", {"json": []}),
]


@pytest.mark.parametrize(("wire", "tag", "column", "shown"), STORED, ids=range(len(STORED)))
def test_a_value_is_stored_under_its_tag_and_shown_in_its_wire_form(wire, tag, column, shown):
    stored = encode(wire)
    assert (stored.tag, stored.value, stored.payload) == (tag, column, None)
    assert type(stored.value) is type(column)
    if shown is not None:
        assert seen(wire) == shown
        assert type(seen(wire)) is type(shown)
        assert render_stored(stored, lambda number: "ada") == shown


KEYS = [
    ("a" * 257, 8, "2a99e8adb5dd1bd09413a1df378c45c14a50b13521a741ac35aa521094bdf7ef"),
    ("é" * 128 + "x", 8, "2c58d0d33833da3a6bc04720e7779585ac323150f28f4036b0e1330aae232c95"),
    ("日" * 100, 8, "1f4d0f0cccfff0aaad7c05f738d79e9542c7c1a02620612edca5be8f64863a3f"),
    ("line\n" * 60, 8, "015ace1e9ecb5d30746f385e5ffbe78d8209090e26270de8f0eceb6908a22078"),
    (b"a" * 257, 9, "d49b9f26c550f91ee6dd4a64820876f79f7610439a460fc4bc4ed03b77d3a6fe"),
    (bytes(range(256)) * 2, 9, "bd32f399aba946889a3c4cd3a4a8a9c75890c5324e799e0b467b16591a2265c6"),
    ({"vector": [1]}, 7, "caad9f8fa02886e95f402f41d8530b102ef4f678a833a8dbd405d4c07390dfb8"),
    ({"vector": (0.1, -0.2)}, 7, "1ca8c9bc9829b8df7a09a732f2d6c789c2933c2b8ca873c93985ef98b06706ab"),
]


@pytest.mark.parametrize(("wire", "tag", "key"), KEYS, ids=range(len(KEYS)))
def test_a_long_value_is_stored_behind_a_key_that_covers_tag_and_payload(wire, tag, key):
    stored = encode(wire)
    assert (stored.tag, stored.value.hex()) == (tag, key)
    data = stored.payload.encode() if tag == 8 else stored.payload
    assert hashlib.sha256(bytes((tag,)) + data).hexdigest() == key


@pytest.mark.parametrize(("short", "long"), [("x" * 256, "x" * 257), ("é" * 128, "é" * 128 + "x")])
def test_256_bytes_are_kept_in_the_row_and_one_more_is_not(short, long):
    assert encode(short).tag == 4
    assert encode(long).tag == 8
    assert encode(short.encode()).tag == 6
    assert encode(long.encode()).tag == 9
    assert [seen(short), seen(long)] == [short, long]


@pytest.mark.parametrize(
    ("largest", "too_large"),
    [
        ("x" * MIB, "x" * (MIB + 1)),
        ("é" * (MIB // 2), "é" * (MIB // 2) + "x"),
        (b"x" * MIB, b"x" * (MIB + 1)),
        ({"json": "x" * (MIB - 2)}, {"json": "x" * (MIB - 1)}),
        ({"json": ["é" * (MIB // 2 - 2)]}, {"json": ["é" * (MIB // 2 - 1)]}),
        ({"vector": [0.5] * 262_144}, {"vector": [0.5] * 262_145}),
    ],
    ids=["text", "wide text", "bytes", "json", "wide json", "vector"],
)
def test_one_value_has_at_most_a_mebibyte(largest, too_large):
    assert encode(largest).tag in (7, 8, 9, 10)
    with pytest.raises(errors.TooLarge, match="262144|1048576"):
        encode(too_large)


def test_json_is_always_kept_in_the_row():
    assert encode({"json": "x" * 1000}) == Stored(10, '"' + "x" * 1000 + '"')


WIDENED = [
    ([0.1, -0.2], [0.10000000149011612, -0.20000000298023224]),
    ([16777217], [16777216.0]),
    ([1e-45], [1.401298464324817e-45]),
    ([1e-46], [0.0]),
    ([3.4028234663852886e38], [3.4028234663852886e38]),
    ([-3.4028235677973362e38], [-3.4028234663852886e38]),
    ([1, 2.5], [1.0, 2.5]),
    ([10**38], [9.999999680285692e37]),
]


@pytest.mark.parametrize(("given", "shown"), WIDENED, ids=range(len(WIDENED)))
def test_vector_elements_are_rounded_to_float32_and_shown_widened(given, shown):
    assert seen({"vector": given}) == {"vector": shown}


def test_vector_rounding_is_to_the_nearest_with_ties_to_even():
    generator = random.Random(7)
    for _ in range(300):
        low = struct.unpack("<f", struct.pack("<I", generator.randrange(0x7F7FFFFF)))[0]
        high = struct.unpack("<f", struct.pack("<I", struct.unpack("<I", struct.pack("<f", low))[0] + 1))[0]
        middle = (fractions.Fraction(low) + fractions.Fraction(high)) / 2
        even = low if struct.unpack("<I", struct.pack("<f", low))[0] % 2 == 0 else high
        assert seen({"vector": [float(middle)]}) == {"vector": [even]}


def test_negative_zero_is_stored_as_zero():
    assert str(encode(-0.0).value) == "0.0"
    assert encode({"vector": [-0.0, 1.0, -1e-46]}) == encode({"vector": [0.0, 1.0, 0.0]})


def test_equal_numbers_of_different_types_are_different_values():
    assert len({encode(wire).key for wire in (1, 1.0, True)}) == 3
    assert encode("é").key != encode("e\u0301").key
    assert encode("a" * 300).key != encode(b"a" * 300).key


REFUSED = {
    "null": None,
    "an empty object": {},
    "two keys": {"int": 1, "text": "a"},
    "an unknown key": {"int": 1},
    "tmp": {"tmp": "a"},
    "eid": {"eid": "x"},
    "missing": {"missing": True},
    "a key that is no text": {1: 2},
    "a list": [1.0],
    "a tuple": (1,),
    "a set": {1},
    "a range": range(2),
    "a naive datetime": datetime.datetime(2026, 1, 1),
    "a wrapped naive datetime": {"instant": datetime.datetime(2026, 1, 1)},
    "the datetime type itself": datetime.datetime,
    "a datetime out of range": datetime.datetime(1, 1, 1, tzinfo=PARIS),
    "a datetime with an offset of seconds": datetime.datetime(
        2026, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(seconds=1))
    ),
    "a date": datetime.date(2026, 1, 1),
    "a time": datetime.time(1, tzinfo=datetime.UTC),
    "a UUID": uuid.UUID(int=1),
    "a Decimal": Decimal(1),
    "a Fraction": fractions.Fraction(1, 2),
    "an object": object(),
    "not a number": float("nan"),
    "infinity": float("inf"),
    "an integer of 65 bits": 1 << 63,
    "an integer below 64 bits": -(1 << 63) - 1,
    "an integer of 5,000 digits": 10**5000,
    "an unpaired surrogate": "\ud800",
    "an unpaired surrogate in a long text": "x" * 300 + "\udfff",
    "json with a surrogate": {"json": ["\ud800"]},
    "json with not a number": {"json": [float("nan")]},
    "json with a set": {"json": {1}},
    "json with bytes": {"json": b""},
    "json with a key that is no text": {"json": {1: 2}},
    "json with an integer of 65 bits": {"json": [1 << 63]},
    "an empty vector": {"vector": []},
    "a vector that is text": {"vector": "1"},
    "a vector of booleans": {"vector": [True]},
    "a vector of text": {"vector": ["1"]},
    "a vector with null": {"vector": [None]},
    "a vector of vectors": {"vector": [[1]]},
    "a vector element out of range": {"vector": [3.4028235677973366e38]},
    "a vector element just out of range as an integer": {"vector": [340282356779733661637539395458142568447]},
    "a vector element of 400 digits": {"vector": [10**400]},
    "a vector element not a number": {"vector": [float("nan")]},
    "a vector element infinite": {"vector": [1, -float("inf")]},
    "a vector that is no list": {"vector": range(3)},
    "an instant without zone": {"instant": "2026-01-01T00:00:00"},
    "an instant that is null": {"instant": None},
    "bytes as numbers": {"bytes": 5},
    "bytes as null": {"bytes": None},
    "bytes as a list": {"bytes": [1]},
}
BASE64 = ["AAE", "AAEC=", "AA=", "AA===", "====", "AA==AA==", "A", "AAE-", "AAE_", " AAEC", "AAEC\n", "AA\nEC", "ÄAEC"]


@pytest.mark.parametrize("wire", REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_value_is_refused(wire):
    with pytest.raises(errors.TypeError):
        encode(wire)


@pytest.mark.parametrize("text", BASE64)
def test_bytes_take_standard_base64_only(text):
    with pytest.raises(errors.TypeError, match="base64"):
        encode({"bytes": text})


def test_base64_agrees_with_the_standard_library():
    generator = random.Random(8)
    for size in range(300):
        data = generator.randbytes(size)
        assert encode({"bytes": base64.b64encode(data).decode()}) == encode(data)


def test_json_may_nest_64_containers():
    def tower(depth: int) -> object:
        return [tower(depth - 1)] if depth else 1

    assert seen({"json": tower(64)}) == {"json": tower(64)}
    with pytest.raises(errors.TooLarge):
        encode({"json": tower(65)})


def test_a_refusal_names_the_argument_and_the_way_out():
    with pytest.raises(errors.TypeError) as caught:
        encode_value(None, lambda content: 0, "person/age")
    assert (caught.value.param, caught.value.hint) == ("person/age", 'write {"json": null} to store a null')
    with pytest.raises(errors.TypeError) as caught:
        encode_value({"vector": [1, "two"]}, lambda content: 0, "doc/vector")
    assert caught.value.param == "doc/vector"
    assert '"two"' in caught.value.message


def vector_key(payload: bytes) -> bytes:
    return logical.blob_key(7, payload)


NAN = struct.pack("<f", float("nan"))
DAMAGED = {
    "a reference to nothing": (0, 0, None),
    "a negative reference": (0, -5, None),
    "a reference that is text": (0, "65", None),
    "a boolean of two": (1, 2, None),
    "a boolean that is a float": (1, 1.0, None),
    "an integer that is text": (2, "5", None),
    "an integer that is a float": (2, 5.0, None),
    "a float that is an integer": (3, 5, None),
    "a float that is infinite": (3, float("inf"), None),
    "a text that is bytes": (4, b"a", None),
    "an inline text of 257 bytes": (4, "x" * 257, None),
    "an inline text of 258 bytes in 129 letters": (4, "é" * 129, None),
    "an instant that is text": (5, "2026-01-01T00:00:00Z", None),
    "an instant out of range": (5, limits.INSTANT_MAX + 1, None),
    "bytes that are text": (6, "a", None),
    "inline bytes of 257 bytes": (6, b"x" * 257, None),
    "json that is bytes": (10, b"1", None),
    "json that does not parse": (10, "{", None),
    "json with a blank": (10, "[1, 2]", None),
    "json in another order": (10, '{"b":1,"a":2}', None),
    "json with a duplicate key": (10, '{"a":1,"a":2}', None),
    "json with a float spelled in another way": (10, "1.0", None),
    "json with an integer of 65 bits": (10, "9223372036854775808", None),
    "json that is infinite": (10, "1e400", None),
    "json that is no number": (10, "NaN", None),
    "json nested 65 times": (10, "[" * 65 + "]" * 65, None),
    "json nested without end": (10, "[" * 100_000, None),
    "a long text without payload": (8, b"k" * 32, None),
    "a key of 31 bytes": (8, b"k" * 31, "a" * 257),
    "a key that is text": (8, "k" * 32, "a" * 257),
    "a payload that does not match": (8, bytes.fromhex(KEYS[0][2]), "b" * 257),
    "a long text kept as bytes": (8, bytes.fromhex(KEYS[0][2]), b"a" * 257),
    "long bytes kept as text": (9, bytes.fromhex(KEYS[4][2]), "a" * 257),
    "a short text behind a key": (8, logical.blob_key(8, "a"), "a"),
    "short bytes behind a key": (9, logical.blob_key(9, b"a" * 256), b"a" * 256),
    "an empty vector": (7, vector_key(b""), b""),
    "a vector of five bytes": (7, vector_key(b"12345"), b"12345"),
    "a vector with not a number": (7, vector_key(NAN), NAN),
    "a text of more than a mebibyte": (8, logical.blob_key(8, "a" * (MIB + 1)), "a" * (MIB + 1)),
    "an unknown tag": (11, 5, None),
}


@pytest.mark.parametrize(("tag", "value", "blob"), DAMAGED.values(), ids=DAMAGED.keys())
def test_a_row_that_no_sound_file_holds_is_a_format_error(tag, value, blob):
    with pytest.raises(errors.FormatError, match="damaged"):
        render(tag, value, blob, lambda number: number)


def test_negative_zero_written_by_others_is_read():
    assert str(render(3, -0.0, None, str)) == "-0.0"
    payload = struct.pack("<2f", -0.0, 1.0)
    assert render(7, vector_key(payload), payload, str) == {"vector": [-0.0, 1.0]}
