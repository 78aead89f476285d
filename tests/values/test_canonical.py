"""Canonical JSON: the one text of a value, byte for byte."""

import json
import random
import struct
import sys

import pytest

from fgraph import errors, limits
from fgraph.values.canonical import canonical, parse_json

NUMBERS = """
0 0                                  -0 0                                   0.0 0
-0.0 0                               1.0 1                                  -1.0 -1
1E2 100                              1250.0 1250                            1.5 1.5
-0.2 -0.2                            0.30000000000000004 0.30000000000000004
123456789.125 123456789.125          1000000000000000.5 1000000000000000.5
1e-5 0.00001                         12e-5 0.00012                          1e-6 0.000001
1.5e-6 0.0000015                     1.0000000000000002e-6 0.0000010000000000000002
9.99e-7 9.99e-7                      1e-7 1e-7                              -1e-7 -1e-7
1.25e-10 1.25e-10                    1e-320 1e-320                          1e16 10000000000000000
1.5e16 15000000000000000             12345678901234567.5 12345678901234568
9007199254740993 9007199254740993    9007199254740993.0 9007199254740992
1e18 1000000000000000000             9223372036854775807 9223372036854775807
-9223372036854775808 -9223372036854775808
9223372036854774784.0 9223372036854774784
9223372036854775807.0 9.223372036854776e+18
-9223372036854775808.0 -9223372036854775808
-9223372036854775809.0 -9223372036854775808
1e19 1e+19                           1e20 1e+20                             1.5e20 1.5e+20
123456789012345680000.0 1.2345678901234568e+20
1e21 1e+21                           1e300 1e+300                           5e-324 5e-324
1.7976931348623157e308 1.7976931348623157e+308
""".split()


@pytest.mark.parametrize(("token", "text"), list(zip(NUMBERS[::2], NUMBERS[1::2], strict=True)))
def test_a_number_has_one_spelling(token, text):
    assert canonical(json.loads(token)) == text
    assert canonical([json.loads(token)]) == f"[{text}]"


VALUES = [
    ({"b": 1, "a": [1.50, {}]}, '{"a":[1.5,{}],"b":1}'),
    ({"\U0001f600": 1, "\ue000": 2}, '{"\ue000":2,"\U0001f600":1}'),  # by code point, not by UTF-16 unit
    (dict.fromkeys(["é", "z", "a", "B"]), '{"B":null,"a":null,"z":null,"é":null}'),
    ("\n\r\t\b\f", r'"\n\r\t\b\f"'),
    ("\x00\x01\x1f", r'"\u0000\u0001\u001f"'),
    ('"\\/', r'"\"\\/"'),
    ("</script>é\u2028\u0085\x7f\ufeff😀", '"</script>é\u2028\u0085\x7f\ufeff😀"'),
    ((1, 2.0), "[1,2]"),
    ([True, False, None], "[true,false,null]"),
    ({"": {"": []}}, '{"":{"":[]}}'),
    ("2026-01-01T00:00:00Z", '"2026-01-01T00:00:00Z"'),
]


@pytest.mark.parametrize(("value", "text"), VALUES)
def test_a_value_has_one_text(value, text):
    assert canonical(value) == text
    assert canonical([value, 0.5]) == f"[{text},0.5]", "beside a float, which takes another way through the code"


class ShoutingFloat(float):
    def __repr__(self) -> str:
        return "LOUD"


def test_subclasses_are_written_as_what_they_are():
    assert canonical([ShoutingFloat(1.5), True]) == "[1.5,true]"


REFUSED = {
    "not a number": float("nan"),
    "infinity": [float("inf")],
    "minus infinity": {"a": -float("inf")},
    "an integer past 64 bits": 1 << 63,
    "an integer below 64 bits": [-(1 << 63) - 1],
    "an unpaired surrogate": "\ud83d",
    "two surrogates that were never joined": ["\ud83d\ude00"],
    "an unpaired surrogate in a key": {"\udc00": 0.5},
    "a key that is no text": {1: 2},
    "bytes": b"ab",
    "a memoryview": memoryview(b"ab"),
    "a set": {1},
    "a range": range(3),
    "any other object": object(),
    "a complex number": [1j],
}


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED.keys())
def test_what_json_cannot_express_is_refused(value):
    with pytest.raises(errors.TypeError):
        canonical(value)


def nested(depth: int, leaf: object = 0) -> object:
    value = leaf
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


@pytest.mark.parametrize("leaf", [1, 1.5])
def test_nesting_is_bounded(leaf):
    assert canonical(nested(64, leaf), depth=limits.VALUE_DEPTH)
    with pytest.raises(errors.TooLarge, match="64"):
        canonical(nested(65, leaf), depth=limits.VALUE_DEPTH)
    assert canonical(nested(80, leaf))
    with pytest.raises(errors.TooLarge, match="80"):
        canonical(nested(81, leaf))


def test_a_cycle_and_a_tower_are_too_large():
    cycle: list = []
    cycle.append(cycle)
    for value in (cycle, nested(5_000)):
        with pytest.raises(errors.TooLarge):
            canonical(value)


def random_value(generator: random.Random, room: int) -> object:
    kind = generator.randrange(10 if room else 7)
    if kind == 0:
        return generator.choice([None, True, False])
    if kind == 1:
        return generator.randint(-(1 << 63), (1 << 63) - 1) >> generator.randrange(64)
    if kind in (2, 3):
        return random_float(generator)
    if kind < 7:
        return "".join(chr(generator.choice([*range(0x20, 0x7F), 0x0, 0x1F, 0xE9, 0x2028, 0x1F600])) for _ in range(4))
    if kind == 7:
        return {random_value(generator, 0): random_value(generator, room - 1) for _ in range(3)}
    return [random_value(generator, room - 1) for _ in range(generator.randrange(4))]


def random_float(generator: random.Random) -> float:
    value = struct.unpack("<d", generator.randbytes(8))[0]
    return value if abs(value) < float("inf") else 0.1


def text_keys(value: object) -> object:
    """JSON keys are text."""
    if isinstance(value, dict):
        return {str(key): text_keys(item) for key, item in value.items()}
    return [text_keys(item) for item in value] if isinstance(value, list) else value


def test_the_text_reads_back_as_the_value_and_is_stable():
    generator = random.Random(4)
    for _ in range(1_000):
        value = text_keys(random_value(generator, 4))
        text = canonical(value)
        again = parse_json(text)
        assert again == value
        assert canonical(again) == text


def test_every_float_is_spelled_with_the_fewest_digits_that_read_back():
    generator = random.Random(5)
    for _ in range(5_000):
        value = random_float(generator) if generator.random() < 0.5 else generator.uniform(-1, 1) * 1e-4
        text = canonical(value)
        assert float(text) == value
        if not value.is_integer():
            assert significant(text) == significant(repr(value))
            assert ("e" in text) == (abs(value) < 1e-6)


def significant(token: str) -> str:
    return token.split("e")[0].replace(".", "").strip("-0")


def test_the_text_does_not_depend_on_the_order_of_keys():
    generator = random.Random(6)
    for _ in range(300):
        pairs = [(f"k{generator.randrange(1000)}", generator.random()) for _ in range(8)]
        shuffled = generator.sample(list(dict(pairs).items()), len(dict(pairs)))
        assert canonical(dict(pairs)) == canonical(dict(shuffled))


ACCEPTED_TEXTS = [
    ("-0", 0),
    ("-0.0", 0.0),
    ("1E+2", 100.0),
    ("9223372036854775808", 1 << 63),
    ("1e400", float("inf")),
    (r'"\ud83d\ude00"', "😀"),
    (r'"\u0000"', "\0"),
    ('"\x7f"', "\x7f"),
    ('{"":1}', {"": 1}),
    (" \t\r\n[1 , 2]\n", [1, 2]),
    ("[" * 80 + "]" * 80, None),
]


@pytest.mark.parametrize(("text", "value"), ACCEPTED_TEXTS, ids=[text[:12] for text, _ in ACCEPTED_TEXTS])
def test_json_text_is_parsed(text, value):
    assert parse_json(text) == value or value is None


REFUSED_TEXTS = {
    "empty": "",
    "blank": "  \n",
    "a byte order mark": "\ufeff1",
    "trailing text": "1 2",
    "a trailing comma": "[1,]",
    "a comma before the end of an object": '{"a":1,}',
    "a leading zero": "01",
    "no digit before the point": ".5",
    "no digit after the point": "1.",
    "a plus sign": "+1",
    "hexadecimal": "0x1",
    "single quotes": "'a'",
    "a comment": "1 // one",
    "an unknown escape": r'"\x41"',
    "a raw line feed in a string": '"\n"',
    "a raw tab in a key": '{"\t":1}',
    "NaN": "NaN",
    "Infinity": "[Infinity]",
    "-Infinity": '{"a":-Infinity}',
    "a duplicate key": '{"a":1,"a":1}',
    "a duplicate key spelled in two ways": r'{"a":1,"\u0061":1}',
    "a duplicate key far down": '[[{"x":{"a":1,"b":{},"a":[]}}]]',
    "an integer of 4,301 digits": "[" + "9" * 4301 + "]",
    "True": "True",
    "an open string": '"a',
    "an open array": "[1",
}


@pytest.mark.parametrize("text", REFUSED_TEXTS.values(), ids=REFUSED_TEXTS.keys())
def test_text_that_is_not_strict_json_is_refused(text):
    with pytest.raises(errors.TypeError) as caught:
        parse_json(text, "the reply")
    assert caught.value.message.startswith("the reply ")
    assert "line 1 column" in caught.value.message or text == "  \n"


@pytest.mark.parametrize("text", ["[" * 81 + "]" * 81, "[" * 100_000, '{"a":' * 90 + "1" + "}" * 90])
def test_text_nested_too_deep_is_too_large(text):
    with pytest.raises(errors.TooLarge):
        parse_json(text)


PLACES = [
    ('{"a":1,\n "b":{"c":2,\n  "c":3}}', 'the key "c" twice', 'line 3 column 3 in "/b"'),
    ('[0,{"x/y~":[{"k":1,"k":2}]}]', 'the key "k" twice', 'line 1 column 20 in "/1/x~1y~0/0"'),
    ('{"a":"}{][,","b":["\\"",{"a":NaN}]}', "holds NaN", 'line 1 column 29 in "/b/1/a"'),
    ("\n[1,-" + "1" * 5000 + "]", "4300 digits", 'line 2 column 4 in "/1"'),
]


@pytest.mark.parametrize(("text", "what", "place"), PLACES)
def test_the_refusal_says_where(text, what, place):
    with pytest.raises(errors.TypeError) as caught:
        parse_json(text)
    assert what in caught.value.message
    assert caught.value.message.endswith(place)


def test_a_lower_limit_of_the_host_for_integers_is_no_traceback():
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(errors.TypeError):
            parse_json("9" * 1000)
    finally:
        sys.set_int_max_str_digits(before)
