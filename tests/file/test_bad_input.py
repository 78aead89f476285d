"""Every bad value, name and argument gets its typed error through the public door, and changes no row."""

import datetime
import uuid
from collections.abc import Callable
from decimal import Decimal

import pytest

import fgraph
from fgraph import errors
from tests.file.making import GENESIS_AT

T, S, L = errors.TypeError, errors.SchemaError, errors.TooLarge
MIB = 1_048_576


def deep(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def deep_record(depth: int) -> dict:
    record: dict = {"p/n": 1}
    for _ in range(depth):
        record = {"p/part": record}
    return record


def cycle() -> list:
    value: list = []
    value.append(value)
    return value


# A value of an attribute: the error, and what its text must name (the value, the bound or the way out).
VALUES = {
    "null": (None, T, ["null", '{"json": null}']),
    "not a number": (float("nan"), T, ["nan", "finite"]),
    "infinity": (float("inf"), T, ["inf", "finite"]),
    "an integer of 65 bits": (1 << 63, T, ["9223372036854775808", "9223372036854775807"]),
    "an integer below 64 bits": (-(1 << 63) - 1, T, ["-9223372036854775809", "-9223372036854775808"]),
    "half a character": ("\ud800", T, ["surrogate", "Unicode"]),
    "a text of more than a mebibyte": ("x" * (MIB + 1), L, ["1048577", "1048576"]),
    "bytes of more than a mebibyte": (b"x" * (MIB + 1), L, ["1048577", "1048576"]),
    "json of more than a mebibyte": ({"json": "x" * (MIB - 1)}, L, ["1048577", "1048576"]),
    "json nested too deep": ({"json": deep(65)}, L, ["64"]),
    "json that holds itself": ({"json": cycle()}, L, ["80"]),
    "json with not a number": ({"json": [float("nan")]}, T, ["nan", "finite"]),
    "json with a set": ({"json": [{1}]}, T, ["set"]),
    "json with bytes": ({"json": b"x"}, T, ["bytes"]),
    "json with a number for a key": ({"json": {1: 2}}, T, ["1", "text"]),
    "json with an integer of 65 bits": ({"json": [1 << 63]}, T, ["9223372036854775808", "9223372036854775807"]),
    "an instant without zone": ({"instant": "2026-01-01T00:00:00"}, T, ["2026-01-01T00:00:00", "RFC 3339"]),
    "an instant past the year 9999": ({"instant": 253402300800000000}, T, ["253402300800000000", "9999"]),
    "an instant that is a float": ({"instant": 1.5}, T, ["1.5", "RFC 3339"]),
    "a naive datetime": (datetime.datetime(2026, 1, 1), T, ["zone", "tzinfo"]),
    "bytes without padding": ({"bytes": "AAE"}, T, ["AAE", "padding"]),
    "bytes as a number": ({"bytes": 5}, T, ["5", "base64"]),
    "an empty vector": ({"vector": []}, T, ["vector", "non-empty"]),
    "a vector too long": ({"vector": [0.0] * 262_145}, L, ["262145", "262144"]),
    "a vector element too large": ({"vector": [1, 4e38]}, T, ["4e+38", "3.4028235677973366e+38"]),
    "a vector element of 400 digits": ({"vector": [10**400]}, T, ["bits", "3.4028235677973366e+38"]),
    "a vector of text": ({"vector": ["1"]}, T, ['"1"', "number"]),
    "a reference to true": ({"ref": True}, T, ["true"]),
    "a reference to null": ({"ref": None}, T, ["null"]),
    "a reference to a float": ({"ref": 1.5}, T, ["1.5"]),
    "a reference to an id nobody has": ({"ref": 999}, errors.NotFound, ["999"]),
    "a reference to zero": ({"ref": 0}, errors.NotFound, ["0"]),
    "a reference to a bad eid": ({"ref": {"eid": "x"}}, T, ['"x"', "UUID"]),
    "a reference to a reserved name": ({"ref": "fgraph/new"}, S, ["fgraph/new", "reserved"]),
    "a reference to an empty name": ({"ref": ""}, T, ["1 to 512"]),
    "a Decimal": (Decimal(1), T, ["Decimal"]),
    "a UUID": (uuid.UUID(int=1), T, ["UUID"]),
    "a date": (datetime.date(2026, 1, 1), T, ["date"]),
    "a set": ({1}, T, ["set"]),
    "a range": (range(2), T, ["range"]),
    "any object": (object(), T, ["object"]),
}
ENTITIES = {
    "an empty name": ("", T, ["0 bytes", "1 to 512"]),
    "a name too long": ("x" * 513, T, ["513", "1 to 512"]),
    "a tab in a name": ("a\tb", T, ["a\\tb", "control"]),
    "half a character in a name": ("\ud800", T, ["surrogate"]),
    "a reserved name": ("fgraph/new", S, ["fgraph/new", "reserved"]),
    "null for a name": (None, T, ["null"]),
    "true for a name": (True, T, ["true"]),
    "a float for a name": (1.5, T, ["1.5"]),
}
ATTRIBUTES = {
    "no slash": ("a", S, ['"a"', "namespace/name"]),
    "an upper-case letter": ("A/b", S, ['"A/b"', "a-z"]),
    "a reserved attribute": ("fgraph/new", S, ["fgraph/new", "reserved"]),
    "half a character": ("p/\ud800", S, ["namespace/name"]),
    "an attribute too long": ("p/" + "x" * 511, T, ["513", "512"]),
}
Call = Callable[[fgraph.Db], object]
OTHERS: dict[str, tuple[Call, type, list[str]]] = {
    "a record nested 81 deep": (lambda db: db.transact(deep_record(81)), L, ["80"]),
    "a record nested 2,000 deep": (lambda db: db.transact(deep_record(2_000)), L, ["80"]),
    "a list nested 5,000 deep with an operation id": (
        lambda db: db.transact({"id": "x", "p/n": {"json": deep(5_000)}}, operation_id="op"),
        L,
        ["80"],
    ),
    "a cycle with an operation id": (lambda db: db.transact(cycle(), operation_id="op"), L, ["80"]),
    "an array in an operation": (lambda db: db.transact(["assert", "x", "p/n", [1.0]]), T, ["[1.0]"]),
    "an unknown wrapper in an operation": (lambda db: db.transact(["assert", "x", "p/n", {"int": 1}]), T, ["int"]),
    "an array for a single value": (lambda db: db.transact({"id": "x", "p/n": [1, 2]}), errors.Conflict, ["p/n"]),
    "by that is a number": (lambda db: db.transact([], by=5), T, ["by", "5"]),
    "by with half a character": (lambda db: db.transact([], by="\ud800"), T, ["by", "surrogate"]),
    "source with half a character": (lambda db: db.transact([], source="\ud800"), T, ["source", "surrogate"]),
    "source of more than a mebibyte": (lambda db: db.transact([], source="x" * (MIB + 1)), L, ["source", "1048576"]),
    "meta with a set": (lambda db: db.transact([], meta={1}), T, ["meta", "set"]),
    "an empty operation id": (lambda db: db.transact([], operation_id=""), T, ["operation_id", "512"]),
    "an operation id too long": (lambda db: db.transact([], operation_id="x" * 513), T, ["operation_id", "512"]),
    "an operation id with a control": (lambda db: db.transact([], operation_id="a\nb"), T, ["operation_id", "control"]),
    "a number for an operation id": (lambda db: db.transact([], operation_id=5), T, ["operation_id", "5"]),
    "the tx map with an id": (lambda db: db.transact([], tx={"id": "x"}), S, ["id"]),
    "the tx map with a reserved key": (lambda db: db.transact([], tx={"fgraph/at": 1}), S, ["fgraph/at"]),
    "the tx map with an audit key": (
        lambda db: db.transact([], tx={"fgraph/imported-at": {"instant": 5}}),
        S,
        ["imported-at"],
    ),
    "an excision marker of one's own": (
        lambda db: db.transact([], tx={"fgraph/excised": {"ref": "x"}}),
        S,
        ["fgraph/excised"],
    ),
    "an audit attribute on an entity": (
        lambda db: db.transact({"id": "x", "fgraph/excised": {"ref": "y"}}),
        S,
        ["fgraph/excised"],
    ),
    "a change to a system entity": (
        lambda db: db.transact({"id": "fgraph/at", "p/n": 1}),
        errors.Unsupported,
        ["fgraph/at"],
    ),
    "a change to a system entity by id": (lambda db: db.retract(5), errors.Unsupported, ["fgraph/many"]),
    "a change to a transaction": (lambda db: db.transact({"id": 64, "p/n": 1}), errors.Unsupported, ["64"]),
    "an excision of a transaction": (lambda db: db.excise(64), errors.Unsupported, ["64"]),
}


def calls() -> list:
    found = []
    for name, (value, error, words) in VALUES.items():
        found.append(
            pytest.param(lambda db, v=value: db.transact({"id": "x", "p/n": v}), error, words, id=f"value: {name}")
        )
    for name, (entity, error, words) in ENTITIES.items():
        found.append(
            pytest.param(lambda db, e=entity: db.transact(["assert", e, "p/n", 1]), error, words, id=f"entity: {name}")
        )
    for name, (attribute, error, words) in ATTRIBUTES.items():
        found.append(
            pytest.param(lambda db, a=attribute: db.transact({"id": "x", a: 1}), error, words, id=f"attribute: {name}")
        )
    return found + [pytest.param(*case, id=name) for name, case in OTHERS.items()]


@pytest.fixture(scope="module")
def db():
    with fgraph.connect(":memory:", clock=GENESIS_AT) as db:
        db.declare("p/part", ref=True)
        db.transact({"id": "ada", "p/part": {"p/n": 1}})
        yield db


def dump(db: fgraph.Db) -> list[str]:
    return list(db._store.connection.iterdump())


@pytest.mark.parametrize(("call", "error", "words"), calls())
def test_bad_input_gets_its_typed_error_and_changes_no_row(db, call, error, words):
    before = dump(db)
    with pytest.raises(errors.FGraphError) as caught:
        call(db)
    assert type(caught.value) is error
    text = str(caught.value)
    assert [word for word in words if word not in text] == [], text
    assert len(text) < 600
    assert "\n" not in text
    assert dump(db) == before


def test_the_ten_types_are_exported_and_flat():
    names = [
        "NotFound",
        "Conflict",
        "SchemaError",
        "TypeError",
        "QueryError",
        "FormatError",
        "ReadOnly",
        "TooLarge",
        "Unsupported",
    ]
    assert fgraph.FGraphError.__bases__ == (Exception,)
    for name in names:
        assert getattr(fgraph, name).__bases__ == (fgraph.FGraphError,)
    assert not issubclass(fgraph.TypeError, TypeError)
