"""Operation ids, request hashes, the basis guard, and the order in which a write is checked."""

# ruff: noqa: E501 -- a request and its hash stay on one line

import hashlib

import pytest

import fgraph
from tests.write.support import outcome, refused, tables


def size(value: object) -> dict:
    return {"id": "team/ops", "team/size": value}


def field(name: str, value: object) -> dict:
    return {"id": "team/ops", f"team/{name}": value}


def single(name: str, text: str) -> str:
    return f'{{"data":{{"id":"team/ops","team/{name}":{text}}},"options":{{}}}}'


REQUESTS = [
    ([], {}, '{"data":[],"options":{}}', "92dcf044d7ea64c0a07e2f2c6f4bde2e924fdaaabb021ae60887dc23212ab01e"),
    ({}, {}, '{"data":{},"options":{}}', "e72965bcdd7de09b53a5267ea3621e37cf89deff5c67f539f667531da02a5213"),
    (size(4), {}, single("size", "4"), "f7a10126829aa2303c11fc119558435d1cc83fcffd434fedbfb8b6db37df0a6c"),
    (size(4.0), {}, single("size", "4"), "f7a10126829aa2303c11fc119558435d1cc83fcffd434fedbfb8b6db37df0a6c"),
    ([size(4)], {}, None, "80b8c18962016266ff594491c5ff39d93eb067d1aedf140cbde1ea8fa5fa07dd"),
    (
        ["assert", "team/ops", "team/size", 4],
        {},
        None,
        "123241d10b21ce42397330b8eb4bf04c76fe0ba7a51ef101971fa3da4ca0f2b1",
    ),
    (
        ("assert", "team/ops", "team/size", 4),
        {},
        None,
        "123241d10b21ce42397330b8eb4bf04c76fe0ba7a51ef101971fa3da4ca0f2b1",
    ),
    (
        [["assert", "team/ops", "team/size", 4]],
        {},
        None,
        "f8255044e1b9bacbae82d98e4755bb5924d69ef4144f55f3275f815891384589",
    ),
    (field("load", 0.1), {}, single("load", "0.1"), "fd72e47fff871b6d18d4f19e3f2160a53a3b5221f27b44bdf5708758821f97ba"),
    (
        field("load", 1e-7),
        {},
        single("load", "1e-7"),
        "6d8e51e5951860ba9c8f9ad0a53101215aa71450f71fba19cd696e13abae59db",
    ),
    (
        field("load", 1e21),
        {},
        single("load", "1e+21"),
        "29321d036837983e4c4c173826ac6f484decd34fd18799f4c472cf9d627444a2",
    ),
    (field("load", -0.0), {}, single("load", "0"), "28c0cfe16ea265af6232359a868bf0965841fdb23bfd63117d0ffbc0e491dbb4"),
    (field("key", b"\x00\x01\x02"), {}, None, "49e10d3cfd564a9d6770e29ac9d13636b641ef4de2aedc5fbf9362f36eac540a"),
    (field("key", {"bytes": "AAEC"}), {}, None, "49e10d3cfd564a9d6770e29ac9d13636b641ef4de2aedc5fbf9362f36eac540a"),
    (
        field("since", {"instant": "2026-03-01T09:30:00Z"}),
        {},
        None,
        "1936518b7438a5bed5b2dd89063e95f5c069c85a70a800c8dc7013561a7bfeb1",
    ),
    (
        field("since", {"instant": 1_772_357_400_000_000}),
        {},
        None,
        "3951c743b556a44a15198f8a5220379687cc5f6c5a7110e38ebab5e50cfb723a",
    ),
    (
        [{"id": {"tmp": "t1"}, "team/size": 1}],
        {},
        None,
        "514bd5d4fd3d50c891dd025693f0ab22a3b9b92d11aaeb204dcf8d077b783c9b",
    ),
    (
        size(5),
        {"by": "ana", "source": "import", "meta": {"batch": 2, "a": None}, "tx": {"audit/tag": "v2"}},
        None,
        "c9cda9ca225167be07745642e6cfbbf9c24e73ca4b609d533475e3d7c95b8662",
    ),
    (size(6), {"tx": {}}, None, "e576d69438dcd6532081a859e3490955bab6e16bb904c67b72a1ec6ce69e9d7c"),
    (size(6), {"by": "", "source": ""}, None, "5682dfd280e312e9670c90db1a971d15b56bd8ab8d6c762f08a5cf759b09f7c1"),
    (size(6), {"meta": None}, None, "e1d382e91a6bc76336ad99f560cb19822d0979372f4fd1efce6514863807aa40"),
    (
        size(6),
        {"by": None, "source": None, "tx": None},
        single("size", "6"),
        "6fccda9f6aab8b43239df02a2df106ef25216466dbe61d539d5e1e20f476eed0",
    ),
]


@pytest.mark.parametrize(("data", "options", "text", "digest"), REQUESTS)
def test_the_hash_of_a_request(db, data, options, text, digest):
    if text is not None:
        assert hashlib.sha256(text.encode()).hexdigest() == digest
    db.transact(data, operation_id="op", **options)
    assert tables(db)["fgraph_events"][-1][4].hex() == digest


EMPTY_MANIFEST = {"fgraph": "schema/1"}
CALLS = {
    "declare": (
        lambda db, **options: db.declare("team/lead", ref=True, doc="who leads", **options),
        "a4bf2c0777975f6819b6bc06f6c3311f19bad326aa3ce7b43db9416b36eac28a",
    ),
    "declare with type": (
        lambda db, **options: db.declare("team/lead", type="ref", doc="who leads", **options),
        "a4bf2c0777975f6819b6bc06f6c3311f19bad326aa3ce7b43db9416b36eac28a",
    ),
    "shape": (
        lambda db, **options: db.declare_shape(
            "shape/team", required=["team/size"], allowed=["team/lead"], closed=True, **options
        ),
        "ce1ca2b06995a691ba4d570f6d494d3196ccf9f4ad95d6baf077abcde3559313",
    ),
    "empty shape": (
        lambda db, **options: db.declare_shape("shape/empty", **options),
        "e413f89f9d0f2368f6d1199dab1ecf08981e6dc43c084b45e7f155e9ec408d72",
    ),
    "undo": (
        lambda db, **options: db.undo(67, **options),
        "c90132f5c04417b8723a85b07fc2254f2e2727cb8a0ebb47f58f0159a4e3c02d",
    ),
    "undo strictly": (
        lambda db, **options: db.undo(67, strict=True, **options),
        "c90132f5c04417b8723a85b07fc2254f2e2727cb8a0ebb47f58f0159a4e3c02d",
    ),
    "undo by ana": (
        lambda db, **options: db.undo(67, by="ana", **options),
        "c027f0c1b097530f9bad10ce1a63891a8f9198e943ef54b72e686a841e5fecbe",
    ),
    "undo by nobody": (
        lambda db, **options: db.undo(67, by="", **options),
        "e211d74dad81d82c64934f39996d31990f576911aaf3b1907ea322b37205974a",
    ),
    "excise": (
        lambda db, **options: db.excise("tmp/x", **options),
        "adc7db9b31ea66a39e4a7a86aa538760f549f3e8eef7fb3fcbfe9f18189c2a72",
    ),
    "manifest": (
        lambda db, **options: db.apply_schema_manifest(EMPTY_MANIFEST, **options),
        "a3722bceda0a8655de48e2a7cd26a83c802f7682047f6b9523786bb4c4a33ed8",
    ),
    "retract": (
        lambda db, **options: db.retract("tmp/x", "v/v", 1, **options),
        hashlib.sha256(b'{"data":["retract","tmp/x","v/v",1],"options":{}}').hexdigest(),
    ),
    "transact": (lambda db, **options: db.transact(size(4), **options), REQUESTS[2][3]),
}
BASE = {"id": "tmp/x", "v/v": 1}


@pytest.mark.parametrize(("call", "digest"), CALLS.values(), ids=CALLS)
def test_every_kind_of_call_is_repeated_safely(db, call, digest):
    """Also after other writes and with a stale basis; the answer names the original transaction."""
    assert db.transact(BASE)["tx"] == 67
    first = call(db, operation_id="op", if_basis_tx=67)
    assert first["status"] == "applied"
    assert tables(db)["fgraph_events"][-1][4].hex() == digest
    db.transact({"id": "later"})
    before = tables(db)
    assert call(db, operation_id="op", if_basis_tx=67) == {
        "status": "already_applied",
        "event": first["event"],
        "basis_tx": 67,
        "tx": first["tx"],
        "at": first["at"],
        "ids": {},
        "asserted": [],
        "retracted": [],
    }
    assert tables(db) == before


@pytest.mark.parametrize(("call", "digest"), CALLS.values(), ids=CALLS)
def test_one_namespace_of_operation_ids_covers_every_kind_of_call(db, call, digest):
    db.transact(BASE, operation_id="op")
    fault = refused(db, call, db, operation_id="op")
    assert type(fault).__name__ == "Conflict" and '"op"' in fault.message and fault.code == "operation_reused"


@pytest.mark.parametrize(("call", "digest"), CALLS.values(), ids=CALLS)
def test_every_kind_of_call_honours_the_basis_and_the_forms_of_its_guards(db, call, digest):
    db.transact(BASE)
    fault = refused(db, call, db, if_basis_tx=64)
    assert type(fault).__name__ == "Conflict" and fault.code == "stale_basis" and "64" in fault.message
    for options in ({"operation_id": ""}, {"operation_id": 5}, {"if_basis_tx": 63}, {"if_basis_tx": "67"}):
        assert type(refused(db, call, db, **options)).__name__ == "TypeError"


def test_a_failed_write_does_not_consume_its_operation_id(db):
    refused(db, db.transact, {"id": "a", "v/v": None}, operation_id="op")
    assert outcome(db.transact, {"id": "a", "v/v": 1}, operation_id="op") == "applied"


def test_a_write_that_changes_nothing_is_recorded_under_its_operation_id(db):
    db.transact(BASE)
    first = db.transact(BASE, operation_id="op")
    assert (first["status"], len(first["asserted"])) == ("applied", 1)
    assert outcome(db.transact, BASE, operation_id="op") == "already_applied"


def test_integral_floats_and_integers_are_one_request(db):
    db.transact(size(4), operation_id="op")
    assert outcome(db.transact, size(4.0), operation_id="op") == "already_applied"


def test_a_retry_is_answered_after_its_event_was_redacted(db):
    db.transact({"id": "secret", "v/v": 1}, operation_id="op")
    db.excise("secret", operation_id="ex")
    assert outcome(db.transact, {"id": "secret", "v/v": 1}, operation_id="op") == "already_applied"
    assert outcome(db.excise, "secret", operation_id="ex") == "already_applied"
    assert type(refused(db, db.excise, 65, operation_id="ex")).__name__ == "Conflict"


def test_an_excision_by_lookup_is_repeated_although_the_lookup_finds_nothing_any_more(db):
    db.declare("p/email", type="text", unique=True)
    db.transact({"id": "ada", "p/email": "a@x"})
    db.excise(["p/email", "a@x"], operation_id="ex")
    assert outcome(db.excise, ["p/email", "a@x"], operation_id="ex") == "already_applied"
    assert type(refused(db, db.excise, ["p/email", "a@x"])).__name__ == "NotFound"


def test_absent_provenance_does_not_change_the_hash_of_an_older_call(db):
    db.declare("a/b", type="int", operation_id="op", by=None, source=None)
    assert outcome(db.declare, "a/b", type="int", operation_id="op") == "already_applied"
    assert outcome(db.declare, "a/b", type="int", operation_id="op", by="ana") == "Conflict"


def test_provenance_of_a_manifest_stands_beside_it_in_the_request(db):
    db.apply_schema_manifest(EMPTY_MANIFEST, by="ana", source="ci", meta=None, operation_id="op")
    digest = "sha256:68a8b398e47ea218eba368a03158c15afd037238966c63f234c92b3e723c16a2"
    text = (
        f'{{"by":"ana","manifest":{{"attributes":[],"digest":"{digest}","fgraph":"schema/1","shapes":[]}},'
        '"meta":null,"operation":"schema-apply","source":"ci"}'
    )
    assert tables(db)["fgraph_events"][-1][4] == hashlib.sha256(text.encode()).digest()


# -- the order of checks ---------------------------------------------------------------------------------------------

BAD, UNHASHABLE, DEEP = {"id": None, "v/v": 1}, {"id": "a", "v/v": object()}, []
for _ in range(90):
    DEEP = [DEEP]


@pytest.fixture(scope="module")
def busy(shared):
    """`op` was used for another request, and the newest transaction is 67."""
    shared.transact({"id": "c", "v/v": 1}, operation_id="op")
    return shared


@pytest.mark.parametrize(
    ("data", "options", "error", "word"),
    [
        (DEEP, {"operation_id": "", "if_basis_tx": 1, "by": 5}, "TypeError", "operation_id"),
        (DEEP, {"operation_id": "new", "if_basis_tx": 1, "by": 5}, "TypeError", "if_basis_tx"),
        (DEEP, {"operation_id": "op", "by": 5}, "TooLarge", "nested"),
        (UNHASHABLE, {"operation_id": "op", "by": 5}, "TypeError", "request"),
        (BAD, {"operation_id": "op", "by": 5}, "TypeError", "by"),
        (BAD, {"operation_id": "op", "if_basis_tx": 64}, "Conflict", "operation_id"),
        (BAD, {"operation_id": "new", "if_basis_tx": 64}, "Conflict", "if_basis_tx"),
        ([BAD, ["cas", "c", "v/v", 9, 2]], {"meta": object()}, "TypeError", "data[0]"),
        ([["assert", "c", "v/v", 2], ["assert", 999, "v/v", 2], BAD], {}, "NotFound", "data[1]"),
        ({"id": "c", "v/v": 2}, {"tx": {"bad": 1}, "meta": object()}, "SchemaError", "tx"),
        ([["cas", "c", "v/v", 9, 2]], {"tx": {"bad": 1}}, "SchemaError", "tx"),
        ([["cas", "c", "v/v", 9, 2], ["retract", "c"]], {"meta": object()}, "Conflict", "data[1]"),
        ([["cas", "c", "v/v", 9, 2], {"id": "r/a", "fgraph/type": "x"}], {}, "Conflict", "data[0]"),
        (
            [{"id": "r/a", "fgraph/type": "x"}, {"id": "s", "fgraph/shape-closed": True}],
            {"meta": {1}},
            "SchemaError",
            "r/a",
        ),
        ({"id": "c", "v/v": 2}, {"by": "b" * 1_048_577, "meta": {1}}, "TooLarge", "by"),
        ({"id": "c", "v/v": 2}, {"meta": {1}}, "TypeError", "meta"),
    ],
    ids=range(16),
)
def test_what_is_checked_first_is_reported(busy, data, options, error, word):
    fault = refused(busy, busy.transact, data, **options)
    assert (type(fault).__name__, word in f"{fault.param}: {fault}") == (error, True)


def test_form_errors_come_before_the_state_of_the_handle(db):
    for closed in (db.at(64), db):
        closed.close()
        assert outcome(closed.transact, None, operation_id="") == "TypeError"
        assert outcome(closed.transact, None, if_basis_tx=1) == "TypeError"
        assert outcome(closed.transact, object(), operation_id="x") == "TypeError"
        assert outcome(closed.transact, DEEP) == "TooLarge"
        assert outcome(closed.transact, None, by=5) == "FormatError"
        assert outcome(closed.undo, "x", operation_id="") == "FormatError"
        assert outcome(closed.excise, None, operation_id="") == "FormatError"
        assert outcome(closed.declare, "bad") == "SchemaError"
        assert outcome(closed.declare_shape, 5) == "SchemaError"
        assert outcome(closed.apply_schema_manifest, 5, operation_id="") == "SchemaError"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda db: db.undo("x", by=object(), operation_id=""), "TypeError"),
        (lambda db: db.undo(64, by=object(), operation_id=""), "Unsupported"),
        (lambda db: db.undo(999, by=object(), operation_id=""), "TypeError"),
        (lambda db: db.undo(999, if_basis_tx=64), "Conflict"),
        (lambda db: db.undo(999, operation_id="op"), "Conflict"),
        (lambda db: db.undo(999), "NotFound"),
        (lambda db: db.undo(999, by=5), "TypeError"),
        (lambda db: db.excise(None, operation_id=""), "TypeError"),
        (lambda db: db.excise(object()), "TypeError"),
        (lambda db: db.excise("nobody", if_basis_tx=64), "Conflict"),
        (lambda db: db.excise("nobody", operation_id="op"), "Conflict"),
        (lambda db: db.excise("nobody"), "NotFound"),
    ],
)
def test_the_order_of_checks_of_undo_and_excise(busy, call, expected):
    assert type(refused(busy, call, busy)).__name__ == expected


def test_read_only_handles_and_views_refuse_every_write(db, tmp_path):
    fgraph.connect(tmp_path / "f.db").close()
    with fgraph.connect(tmp_path / "f.db", read_only=True) as reader:
        for handle in (reader, db.at(64)):
            calls = [
                lambda db: db.transact(None),
                lambda db: db.retract("a"),
                lambda db: db.declare("a/b", type="int"),
                lambda db: db.declare_shape("s"),
                lambda db: db.undo("x"),
                lambda db: db.excise(None),
                lambda db: db.apply_schema_manifest(EMPTY_MANIFEST),
                lambda db: db.speculate().__enter__(),
            ]
            for call in calls:
                with pytest.raises(fgraph.ReadOnly):
                    call(handle)


# -- how deep a request may be ---------------------------------------------------------------------------------------


def nested(levels: int) -> dict:
    """A record with this many records nested in one another below it."""
    record: dict = {"id": "leaf", "v/v": 1}
    for level in range(levels):
        record = {"id": f"n{level}", "l/l": record}
    return record


@pytest.mark.parametrize("options", [{}, {"operation_id": "op"}])
def test_a_request_has_at_most_80_levels_with_and_without_an_operation_id(db, options):
    db.declare("l/l", ref=True)
    assert type(refused(db, db.transact, nested(79), **options)).__name__ == "TooLarge"
    assert type(refused(db, db.transact, [nested(78)], **options)).__name__ == "TooLarge"
    assert type(refused(db, db.transact, nested(5000), **options)).__name__ == "TooLarge"
    assert outcome(db.transact, nested(78), **options) == "applied"


def test_a_value_that_contains_itself_is_too_deep(db):
    loop: list = []
    loop.append(loop)
    ring: dict = {"id": "a"}
    ring["l/l"] = ring
    db.declare("l/l", ref=True)
    for options in ({}, {"operation_id": "op"}):
        for data in (loop, ring, [ring], {"id": "a", "v/v": {"json": loop}}, ["assert", "a", "v/v", loop]):
            assert type(refused(db, db.transact, data, **options)).__name__ == "TooLarge"
        assert type(refused(db, db.transact, [], meta=loop, **options)).__name__ == "TooLarge"
        assert type(refused(db, db.transact, [], tx={"a/b": {"json": ring}}, **options)).__name__ == "TooLarge"
        assert type(refused(db, db.retract, loop, **options)).__name__ == "TooLarge"
        assert type(refused(db, db.excise, loop, **options)).__name__ == "TooLarge"
