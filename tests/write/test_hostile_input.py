"""Whatever Python value stands in whatever place: a typed error or a sound write, never a builtin exception."""

import datetime
import decimal
import fractions
import random
import types
import uuid
from collections import OrderedDict, UserDict, UserString

import pytest

import fgraph
from tests.write.support import refused, tables

LOOP: list = []
LOOP.append(LOOP)
DEEP: object = 1
for _ in range(100):
    DEEP = {"json": DEEP}


class Text(str):
    """A text of a class of its own."""


class Number(int):
    """An integer of a class of its own."""


VALUES = [
    None, True, False, 0, 1, -1, 65, 66, 64, 2**63, -(2**63), 10**5000, 1.5, -0.0, float("nan"), float("inf"), 1e308,
    "", "a", "a/b", "fgraph/type", "\ud800", "a/\ud800", "x" * 600, "a\x00", "é" * 300,
    b"", b"x" * 300, bytearray(b"x"), memoryview(b"x"), b"\xff",
    [], [1], ["a/b", 1], ["u/u", "x"], ["u/u", None], ["u/u", {"ref": "a"}], (), ("a", "b"), LOOP, [[]], ["assert"],
    {}, {1: 2}, {"tmp": "t"}, {"tmp": 1}, {"tmp": LOOP}, {"eid": "x"}, {"eid": uuid.UUID(int=5)}, {"ref": "a"},
    {"ref": LOOP}, {"ref": {"ref": "a"}}, {"ref": ["u/u", LOOP]}, {"json": LOOP}, {"json": b"x"}, {"json": {1: 2}},
    {"json": {"\ud800": 1}}, {"bytes": "?"}, {"bytes": 5}, {"bytes": "é"}, {"vector": [1e39]}, {"vector": LOOP},
    {"vector": [[1]]}, {"vector": range(3)}, {"instant": "2026-13-01T00:00:00Z"}, {"instant": 10**20},
    {"instant": LOOP}, {"missing": True}, {"missing": LOOP}, {None: 1}, {"id": "a"}, {"id": LOOP}, {("a",): 1}, DEEP,
    set(), {1, 2}, frozenset(), object(), object, len, ..., NotImplemented, range(3), (item for item in [1]),
    decimal.Decimal("1.5"), fractions.Fraction(1, 2), 1j, uuid.UUID(int=1), datetime.datetime(2026, 1, 1),
    datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC), datetime.date(2026, 1, 1), datetime.time(1),
    datetime.UTC, datetime.datetime, types.SimpleNamespace(), OrderedDict(a=1), UserDict({"ref": "a"}),
    UserString("a"), types.MappingProxyType({"ref": "a"}), types.MappingProxyType({"json": 1}), Text("a"), Text("a/b"),
    Number(65), Number(2**64), KeyError("x"), ValueError,
]  # fmt: skip
CALLS = {
    "data": lambda db, v: db.transact(v),
    "item": lambda db, v: db.transact([v]),
    "id": lambda db, v: db.transact({"id": v, "a/b": 1}),
    "only id": lambda db, v: db.transact({"id": v}),
    "key": lambda db, v: db.transact({"id": "a", v: 1}),
    "value": lambda db, v: db.transact({"id": "a", "a/b": v}),
    "unique value": lambda db, v: db.transact([{"u/u": v, "a/b": 1}]),
    "many values": lambda db, v: db.transact({"id": "a", "m/m": [v, 1]}),
    "ref value": lambda db, v: db.transact({"id": "a", "r/r": v}),
    "nested": lambda db, v: db.transact({"id": "a", "r/r": {"id": v, "a/b": v}}),
    "vector": lambda db, v: db.transact({"id": "a", "e/v": {"vector": [v, 1]}}),
    "ref": lambda db, v: db.transact({"id": "a", "a/b": {"ref": v}}),
    "json": lambda db, v: db.transact({"id": "a", "a/b": {"json": [v]}}),
    "operation": lambda db, v: db.transact([[v, "a", "a/b", 1]]),
    "assert e": lambda db, v: db.transact(["assert", v, "a/b", 1]),
    "assert a": lambda db, v: db.transact(["assert", "a", v, 1]),
    "assert v": lambda db, v: db.transact(["assert", "a", "a/b", v]),
    "retract e": lambda db, v: db.transact(["retract", v]),
    "retract a": lambda db, v: db.transact(["retract", "a", v]),
    "retract v": lambda db, v: db.transact(["retract", "a", "a/b", v]),
    "retract()": lambda db, v: db.retract("a", v, v),
    "cas e": lambda db, v: db.transact(["cas", v, "a/b", 1, 2]),
    "cas a": lambda db, v: db.transact(["cas", "a", v, 1, 2]),
    "cas old": lambda db, v: db.transact(["cas", "a", "a/b", v, 2]),
    "cas new": lambda db, v: db.transact(["cas", "a", "a/b", {"missing": True}, v]),
    "lookup": lambda db, v: db.transact(["assert", ["u/u", v], "a/b", 1]),
    "lookup attribute": lambda db, v: db.transact([["assert", [v, 1], "a/b", 1]] * 4),
    "crowd": lambda db, v: db.transact([{"id": v, "u/u": v, "r/r": {"ref": v}}] * 5),
    "by": lambda db, v: db.transact([], by=v),
    "source": lambda db, v: db.transact([], source=v),
    "meta": lambda db, v: db.transact([], meta=v),
    "tx": lambda db, v: db.transact([], tx=v),
    "tx key": lambda db, v: db.transact([], tx={v: 1}),
    "tx value": lambda db, v: db.transact([], tx={"a/b": v}),
    "operation_id": lambda db, v: db.transact([], operation_id=v),
    "if_basis_tx": lambda db, v: db.transact([], if_basis_tx=v),
    "declare": lambda db, v: db.declare(v, type="int"),
    "declare type": lambda db, v: db.declare("n/n", type=v),
    "declare ref": lambda db, v: db.declare("n/n", ref=v),
    "declare many": lambda db, v: db.declare("n/n", many=v),
    "declare dims": lambda db, v: db.declare("n/n", type="vector", dims=v),
    "declare doc": lambda db, v: db.declare("n/n", doc=v, vector_model=v),
    "shape": lambda db, v: db.declare_shape(v),
    "shape required": lambda db, v: db.declare_shape("s", required=v),
    "shape allowed": lambda db, v: db.declare_shape("s", allowed=[v]),
    "shape closed": lambda db, v: db.declare_shape("s", closed=v),
    "undo": lambda db, v: db.undo(v),
    "undo by": lambda db, v: db.undo(db.receipt(67)["tx"], by=v),
    "undo strict": lambda db, v: db.undo(67, strict=v),
    "excise": lambda db, v: db.excise(v),
    "receipt": lambda db, v: db.receipt(v),
    "validate": lambda db, v: db.validate(v),
    "schema": lambda db, v: db.schema(v),
    "schema system": lambda db, v: db.schema(include_system=v),
    "attributes": lambda db, v: db.attributes(v),
    "manifest": lambda db, v: db.apply_schema_manifest(v),
    "manifest key": lambda db, v: db.check_schema_manifest({"fgraph": "schema/1", v: 1}),
    "manifest version": lambda db, v: db.check_schema_manifest({"fgraph": v}),
    "manifest attributes": lambda db, v: db.check_schema_manifest({"fgraph": "schema/1", "attributes": v}),
    "manifest attribute": lambda db, v: db.apply_schema_manifest({"fgraph": "schema/1", "attributes": [v]}),
    "manifest name": lambda db, v: db.apply_schema_manifest(
        {"fgraph": "schema/1", "attributes": [{"name": v, "declared": {"type": "int"}}]}
    ),
    "manifest declared": lambda db, v: db.apply_schema_manifest(
        {"fgraph": "schema/1", "attributes": [{"name": "n/n", "declared": v}]}
    ),
    "manifest field": lambda db, v: db.apply_schema_manifest(
        {"fgraph": "schema/1", "attributes": [{"name": "n/n", "declared": {"type": v, "doc": v}}]}
    ),
    "manifest dims": lambda db, v: db.apply_schema_manifest(
        {"fgraph": "schema/1", "attributes": [{"name": "n/n", "declared": {"type": "vector", "dims": v}}]}
    ),
    "manifest shape": lambda db, v: db.apply_schema_manifest(
        {"fgraph": "schema/1", "shapes": [{"name": v, "required": [], "allowed": [], "closed": False}]}
    ),
    "manifest required": lambda db, v: db.apply_schema_manifest(
        {"fgraph": "schema/1", "shapes": [{"name": "s", "required": v, "allowed": [v], "closed": v}]}
    ),
}


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def prepare(db):
    db.declare("u/u", type="text", unique=True)  # 65, transaction 66
    db.transact([{"id": "a", "u/u": "x", "a/b": 1}])  # transaction 69
    db.declare("m/m", many=True)
    db.declare("r/r", ref=True)
    return db


@pytest.fixture
def base(db):
    return prepare(db)


@pytest.fixture(scope="module")
def kept(shared):
    return prepare(shared)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_any_value_in_any_place(kept, call):
    before = tables(kept)
    keyed = "key" in [name for name, its in CALLS.items() if its is call][0]
    for value in VALUES:
        if keyed and not _hashable(value):
            continue
        try:
            with kept.speculate():
                call(kept, value)
        except fgraph.FGraphError as fault:
            assert str(fault) and len(str(fault)) < 1200, value
            str(fault).encode()
        assert not kept._store.connection.in_transaction
    assert tables(kept) == before


def test_random_requests_end_in_a_report_or_a_typed_error(base):
    """Requests assembled from sound and hostile parts; afterwards the file is sound."""
    pick = random.Random(11)
    selectors = [*["a", "b", "c", ["u/u", "x"], {"tmp": "t"}] * 3, {"tmp": "b"}, 65, 66, "fgraph/at", 64, 999, None]
    attributes = [*["a/b", "m/m", "c/d", "r/r"] * 3, "u/u", "fgraph/type", "fgraph/many", "fgraph/shape", "bad"]
    values = [*[1, 2.5, "x", True, {"ref": "a"}] * 3, {"ref": {"tmp": "t"}}, {"vector": [1]}, {"id": "b"}, [1, 2], None]

    def item() -> object:
        kind = pick.randrange(4)
        entity, attribute, value = pick.choice(selectors), pick.choice(attributes), pick.choice(values)
        if kind == 0:
            return {"id": entity, **{pick.choice(attributes): pick.choice(values) for _ in range(2)}}
        if kind == 1:
            return ["assert", entity, attribute, value]
        if kind == 2:
            return ["retract", entity, attribute, value][: pick.randrange(2, 5)]
        return ["cas", entity, attribute, value, pick.choice(values)]

    applied = 0
    for _ in range(800):
        data = [item() for _ in range(pick.randrange(1, 4))]
        before = tables(base) if pick.random() < 0.1 else None
        try:
            applied += base.transact(data)["status"] == "applied"
        except fgraph.FGraphError:
            assert before is None or tables(base) == before
    assert applied > 20
    assert base.doctor()["ok"]


# -- damage and exhaustion -------------------------------------------------------------------------------------------


def _set_next_id(db, value: object) -> None:
    db._store.connection.execute("UPDATE fgraph_meta SET value = ? WHERE key = 'next_id'", (value,))


WRITES = [
    lambda db: db.transact({"id": "new"}),
    lambda db: db.excise("a"),
    lambda db: db.undo(69),
    lambda db: db.transact([], by="x"),
]


@pytest.mark.parametrize("value", ["66", 64, 0, -5, 1.5, b"x", 66, 70])
def test_a_damaged_next_id_is_a_format_error(base, value):
    _set_next_id(base, value)
    for write in WRITES:
        assert type(refused(base, write, base)).__name__ == "FormatError"
    assert (
        type(refused(base, base.transact, [{"id": "a", "a/b": 5}, {"id": 66 + 1, "a/b": 2}])).__name__ == "FormatError"
    )


def test_a_missing_next_id_is_a_format_error(base):
    base._store.connection.execute("DELETE FROM fgraph_meta WHERE key = 'next_id'")
    for write in WRITES:
        assert type(refused(base, write, base)).__name__ == "FormatError"


def test_the_last_id_goes_to_a_transaction(base):
    _set_next_id(base, 2**63 - 3)
    for data in ([{"id": "p"}, {"id": "q"}], [["assert", "p", "new/attribute", 1]], {"a/b": 1, "c/d": 2}):
        fault = refused(base, base.transact, data)
        assert type(fault).__name__ == "TooLarge"
    report = base.transact({"id": "p", "a/b": 1})
    assert (report["ids"], report["tx"]) == ({"p": 2**63 - 3}, 2**63 - 2)
    for write in WRITES:
        assert type(refused(base, write, base)).__name__ == "TooLarge"
    assert base.entity("p")["a/b"] == 1


def test_the_last_id_alone_is_enough_for_a_write_without_new_names(base):
    _set_next_id(base, 2**63 - 2)
    assert base.transact({"id": "a", "a/b": 2})["tx"] == 2**63 - 2


def test_a_damaged_counter_of_fact_ids_is_a_format_error(base):
    base._store.connection.execute("UPDATE sqlite_sequence SET seq = 'x' WHERE name = 'fgraph_facts'")
    for write in WRITES:
        assert type(refused(base, write, base)).__name__ == "FormatError"


def test_fact_ids_that_are_used_up_are_too_large(base):
    base._store.connection.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'fgraph_facts'", (2**63 - 3,))
    assert type(refused(base, base.transact, {"id": "a", "a/b": 2, "c/d": 1})).__name__ == "TooLarge"


def test_an_event_has_eight_mebibytes_and_a_little(base):
    text = "x" * 1_048_500
    data = [{"id": f"n{number}", "a/b": f"{number}{text}"} for number in range(9)]
    fault = refused(base, base.transact, data)
    assert type(fault).__name__ == "TooLarge" and "8454144" in str(fault)
    assert base.transact(data[:8])["status"] == "applied"


def test_a_text_has_one_mebibyte(base):
    for wire in ("x" * 1_048_577, b"x" * 1_048_577, {"json": "x" * 1_048_575}):
        fault = refused(base, base.transact, {"id": "a", "a/b": wire})
        assert type(fault).__name__ == "TooLarge" and "1048576" in str(fault)
    for wire in ("x" * 1_048_576, b"x" * 1_048_576, {"json": "x" * 1_048_574}):
        assert base.transact({"id": "a", "a/b": wire})["status"] == "applied"
