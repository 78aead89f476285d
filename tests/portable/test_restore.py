"""Restoring snapshots: what comes back, and every way in which a stream is refused."""

import copy
import hashlib
import io

import pytest

import fgraph
from fgraph.file.identities import derived_gid, uuid_text
from fgraph.values.canonical import canonical
from tests.portable.making import E1_ID, GENESIS, connect, event, records, resealed, rows, second_event, story, stream

UNUSED = "7c5bd882-4cb0-4901-9af6-4027c1a588fb"


def two_transactions() -> str:
    db = connect(event_factory=iter([E1_ID, second_event()["event"]]).__next__)
    db.transact([{"id": "skerry", "light/range": 18}, {"light/note": "anonymous"}], operation_id="op1")
    db.transact({"id": "skerry", "light/range": 21}, operation_id="op2")
    return db.snapshot()


BASE = records(two_transactions())
HEADER, R1, R2, *FACTS, FOOTER = BASE
# The facts: time 1, skerry range 18, anonymous note, time 2, skerry range 21.
AT1, RANGE1, NOTE, AT2, RANGE2 = FACTS


# -- what comes back --------------------------------------------------------------------------------------------------


def test_a_whole_story_comes_back_row_by_row(tmp_path):
    origin = story(connect(tmp_path / "o.db"))
    copied = connect(tmp_path / "c.db")
    assert copied.restore(origin.snapshot()) is None
    ours, theirs = rows(copied.path), rows(origin.path)
    for table in ("fgraph_meta", "fgraph_ids", "fgraph_blobs"):
        assert ours[table] == theirs[table]
    # A row erased by excision or without history leaves a gap at the origin, which closes here.
    assert [row[1:] for row in ours["fgraph_facts"][39:]] == [row[1:] for row in theirs["fgraph_facts"][39:]]
    assert [row[0] for row in ours["fgraph_facts"]] == list(range(1, len(ours["fgraph_facts"]) + 1))
    assert ours["fgraph_events"] == theirs["fgraph_events"]
    assert [text for _, text in ours["fgraph_fts"]] == [text for _, text in theirs["fgraph_fts"]]
    assert copied.snapshot() == origin.snapshot()
    assert copied.event_records() == origin.event_records()
    assert copied.doctor() == {**origin.doctor()}


def test_writing_goes_on_after_a_restore(tmp_path):
    db = connect(tmp_path / "c.db")
    db.restore(two_transactions())
    report = db.transact({"id": "skerry", "light/range": 30}, operation_id="op3")
    assert (report.basis_tx, report.at) == (70, GENESIS + 3_000_000)
    assert db.transact({"id": "skerry", "light/range": 99}, operation_id="op3b").status == "applied"
    assert db.doctor()["ok"]


def test_operation_ids_come_back_with_their_requests():
    db = connect()
    db.restore(two_transactions())
    with pytest.raises(fgraph.Conflict):
        db.transact({"id": "skerry", "light/range": 99}, operation_id="op2")
    assert db.transact({"id": "skerry", "light/range": 21}, operation_id="op2").status == "already_applied"


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.removesuffix("\n"),
        lambda text: text.replace("\n", "\r\n"),
        lambda text: "\n\n" + text.replace("\n", "\n \n"),
        lambda text: text.replace(",", " , ").replace(":", " :") if "T00" not in text else text.replace(',"', ' , "'),
        lambda text: text.splitlines(),
        io.StringIO,
        lambda text: io.BytesIO(b"\xef\xbb\xbf" + text.encode()),
        lambda text: text.replace('"format":2', '"format":2.0'),
    ],
    ids=["no last LF", "CRLF", "blank lines", "re-spaced", "lines", "text reader", "UTF-8 mark", "format 2.0"],
)
def test_the_same_records_in_another_dress(change):
    db = connect()
    db.restore(change(two_transactions()))
    assert db.snapshot() == two_transactions()


def test_extra_keys_of_the_header_are_let_through():
    db = connect()
    db.restore(resealed([{**HEADER, "made_by": "somebody"}, *BASE[1:-1]]))
    assert db.snapshot() == two_transactions()


def test_a_merged_file_is_restored_with_names_that_it_knew_before(tmp_path):
    merged = connect(tmp_path / "m.db")
    merged.transact({"id": "skerry", "other/a": 1})
    merged.apply(stream(event(created=["skerry", "light/range"])))
    merged.apply(stream(event(event=UNUSED, created=[], asserted=[["late", "late/a", 1, "int"]])))
    again = connect(tmp_path / "a.db")
    again.restore(merged.snapshot())
    assert again.snapshot() == merged.snapshot()


# -- refusals ---------------------------------------------------------------------------------------------------------


def refused(text: object, kind: type[Exception], db: fgraph.Db | None = None) -> fgraph.FGraphError:
    db = db or connect()
    before = db.stats()
    with pytest.raises(kind) as caught:
        db.restore(text)
    assert type(caught.value) is kind
    assert caught.value.hint
    assert db.stats() == before
    return caught.value


def test_only_a_pristine_file_is_filled():
    db = connect()
    db.restore(two_transactions())
    refused(two_transactions(), fgraph.Conflict, db)
    refused(two_transactions(), fgraph.ReadOnly, db.at(64))


FRAMING = {
    "empty": "",
    "header only": stream(HEADER),
    "no footer": stream(*BASE[:-1]),
    "a fact after the footer": stream(*BASE, RANGE2),
    "a second footer": stream(*BASE, FOOTER),
    "no header": stream(*BASE[1:]),
    "a second header": stream(HEADER, HEADER, *BASE[1:]),
    "another format": stream({**HEADER, "fgraph": "snapshot/2"}, *BASE[1:]),
    "format 1": stream({**HEADER, "format": 1}, *BASE[1:]),
    'format "2"': stream({**HEADER, "format": "2"}, *BASE[1:]),
    "format true": stream({**HEADER, "format": True}, *BASE[1:]),
    "created_at missing": stream({key: HEADER[key] for key in HEADER if key != "created_at"}, *BASE[1:]),
    "created_at true": stream({**HEADER, "created_at": True}, *BASE[1:]),
    "created_at out of range": stream({**HEADER, "created_at": 2**62}, *BASE[1:]),
    "created_at as text": stream({**HEADER, "created_at": "2026-01-01T00:00:00Z"}, *BASE[1:]),
    "an unknown kind": stream(HEADER, {"thing": 1}, *BASE[1:]),
    "a key beside a receipt": stream(HEADER, {**R1, "x": 1}, *BASE[2:]),
    "an array": stream(HEADER, [1], *BASE[1:]),
    "a receipt after a fact": stream(HEADER, R1, AT1, R2, *BASE[4:]),
    "a digest that is no text": stream(*BASE[:-1], {**FOOTER, "sha256": 5}),
    "no digest": stream(*BASE[:-1], {key: FOOTER[key] for key in FOOTER if key != "sha256"}),
    "an extra key in the footer": stream(*BASE[:-1], {**FOOTER, "x": 1}),
    "a negative count": stream(*BASE[:-1], {**FOOTER, "facts": -1}),
    "a count that is true": stream(*BASE[:-1], {**FOOTER, "receipts": True}),
    "a count as text": stream(*BASE[:-1], {**FOOTER, "facts": "5"}),
    "a wrong count": stream(*BASE[:-1], {**FOOTER, "facts": 4}),
    "a key twice": stream(*BASE).replace('"format":2', '"format":2,"format":2'),
    "NaN": stream(*BASE).replace(",18,", ",NaN,", 1),
    "a mark": "\ufeff" + stream(*BASE),
}


@pytest.mark.parametrize("name", FRAMING)
def test_a_malformed_stream_is_a_type_error(name):
    refused(FRAMING[name], fgraph.TypeError)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(',21,"int"', ',22,"int"', 1),
        lambda text: text.replace(canonical(RANGE2) + "\n", ""),
        lambda text: stream(*BASE[:-3], BASE[-2], BASE[-3], BASE[-1]),
        lambda text: text.replace(FOOTER["sha256"], FOOTER["sha256"].upper()),
        lambda text: text.replace(FOOTER["sha256"], "0" * 64),
        lambda text: text.replace(HEADER["basis"], E1_ID, 1),
    ],
    ids=["changed value", "dropped fact", "swapped facts", "upper case digest", "other digest", "other basis"],
)
def test_a_changed_stream_is_a_conflict_before_anything_else(change):
    refused(change(two_transactions()), fgraph.Conflict)


def changed(record: dict, **keys: object) -> dict:
    """A receipt with other keys; `event_data.KEY` goes one level down."""
    record = copy.deepcopy(record)
    for key, value in keys.items():
        target = record["receipt"]
        if key.startswith("payload_"):
            target, key = target["event_data"], key.removeprefix("payload_")
        target[key] = value
    return record


def with_receipt(record: dict, *, second: dict = R2, facts: list = FACTS) -> str:
    return resealed([{**HEADER, "basis": second["receipt"]["event"]}, record, second, *facts])


def rehashed(record: dict) -> dict:
    record = copy.deepcopy(record)
    text = canonical(record["receipt"]["event_data"])
    record["receipt"]["event_hash"] = hashlib.sha256(text.encode()).hexdigest()
    return record


ANONYMOUS = R1["receipt"]["created"][2]
GHOST = {"eid": uuid_text(derived_gid(bytes.fromhex(E1_ID.replace("-", "")), 9))}

ASSERTED_NOTE = R1["receipt"]["event_data"]["asserted"][1]

RECEIPTS = {
    "a key missing": ({"receipt": {key: R1["receipt"][key] for key in R1["receipt"] if key != "at"}}, fgraph.TypeError),
    "a key too many": (changed(R1, x=1), fgraph.TypeError),
    "an event in upper case": (changed(R1, event=E1_ID.upper()), fgraph.TypeError),
    "the genesis event": (changed(R1, event="00000000-0000-4000-8000-000000000040"), fgraph.Conflict),
    "created no list": (changed(R1, created={}), fgraph.TypeError),
    "created a system name": (changed(R1, created=["fgraph/at", *R1["receipt"]["created"]]), fgraph.Conflict),
    "created twice": (changed(R1, created=["skerry", "skerry"]), fgraph.Conflict),
    "created a reserved name": (changed(R1, created=["fgraph/new"]), fgraph.SchemaError),
    "created a control character": (changed(R1, created=["a\tb"]), fgraph.TypeError),
    "created too few": (changed(R1, created=R1["receipt"]["created"][:-1]), fgraph.Conflict),
    "created a ghost name": (changed(R1, created=[*R1["receipt"]["created"], "ghost"]), fgraph.Conflict),
    "created reordered": (changed(R1, created=R1["receipt"]["created"][::-1]), fgraph.Conflict),
    "hash of 63 digits": (changed(R1, event_hash="0" * 63), fgraph.TypeError),
    "hash in upper case": (changed(R1, event_hash=R1["receipt"]["event_hash"].upper()), fgraph.TypeError),
    "another hash": (changed(R1, event_hash="0" * 64), fgraph.TypeError),
    "request hash of 63 digits": (changed(R1, request_hash="0" * 63), fgraph.TypeError),
    "at as text": (changed(R1, at="2026-01-01T00:00:01Z"), fgraph.TypeError),
    "origin_at true": (changed(R1, origin_at=True), fgraph.TypeError),
    "at another time": (changed(R1, at=GENESIS + 1), fgraph.Conflict),
    "at not after genesis": (changed(R1, at=GENESIS), fgraph.Conflict),
    "at not before the next": (changed(R1, at=R2["receipt"]["at"]), fgraph.Conflict),
    "origin_at another time": (changed(R1, origin_at=5), fgraph.Conflict),
    "payload as text": (changed(R1, event_data="{}"), fgraph.TypeError),
    "payload of another event": (rehashed(changed(R1, payload_event=UNUSED)), fgraph.TypeError),
    "payload with by null": (rehashed(changed(R1, payload_by=None)), fgraph.TypeError),
    "payload erased without an excision": (changed(R1, event_data=None), fgraph.FormatError),
    "operation id alone": (changed(R1, request_hash=None), fgraph.TypeError),
    "request hash alone": (changed(R1, operation_id=None), fgraph.TypeError),
    "empty operation id": (changed(R1, operation_id=""), fgraph.TypeError),
    "operation id of 513 bytes": (changed(R1, operation_id="x" * 513), fgraph.TypeError),
    "operation id with a control character": (changed(R1, operation_id="a\x85b"), fgraph.TypeError),
    "operation id twice": (changed(R1, operation_id="op2"), fgraph.Conflict),
    "payload that says another value": (
        rehashed(changed(R1, payload_asserted=[["skerry", "light/range", 99, "int"], ASSERTED_NOTE])),
        fgraph.Conflict,
    ),
    "an identity that is not derived": (
        rehashed(
            changed(
                R1,
                created=["skerry", "light/range", GHOST, "light/note"],
                payload_created=["skerry", "light/range", GHOST, "light/note"],
                payload_asserted=[["skerry", "light/range", 18, "int"], [GHOST, "light/note", "anonymous", "text"]],
            )
        ),
        fgraph.Conflict,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RECEIPTS)
def test_a_receipt_that_is_not_right(name):
    record, kind = RECEIPTS[name]
    refused(with_receipt(record), kind)


def test_one_event_twice():
    refused(resealed([{**HEADER, "basis": E1_ID}, R1, R1, *FACTS]), fgraph.Conflict)


def fact(**places: object) -> dict:
    """RANGE2 with other parts."""
    names = ("entity", "attribute", "value", "type", "asserting", "retracting")
    parts = dict(zip(names, RANGE2["fact"], strict=True)) | places
    return {"fact": list(parts.values())}


FACT_FAULTS = {
    "five parts": ({"fact": RANGE2["fact"][:5]}, fgraph.TypeError),
    "an object": ({"fact": {}}, fgraph.TypeError),
    "a type that is no text": (fact(type=5), fgraph.TypeError),
    "an unknown type": (fact(type="text_ref"), fgraph.TypeError),
    "a value of another type": (fact(type="text"), fgraph.TypeError),
    "an anonymous attribute": (fact(attribute=ANONYMOUS), fgraph.TypeError),
    "an attribute with a bad name": (fact(attribute="skerry"), fgraph.SchemaError),
    "an unknown attribute": (fact(attribute="un/known"), fgraph.NotFound),
    "an unknown entity": (fact(entity="nobody"), fgraph.NotFound),
    "an unknown asserting event": (fact(asserting=UNUSED), fgraph.NotFound),
    "an unknown retracting event": (fact(retracting=UNUSED), fgraph.Conflict),
    "a retraction that is not later": (fact(retracting=R2["receipt"]["event"]), fgraph.Conflict),
    "a retraction before": (fact(retracting=E1_ID), fgraph.Conflict),
    "a reference by local id": (fact(value={"ref": 65}, type="ref"), fgraph.TypeError),
    "a reference to nothing": (fact(value={"ref": "nobody"}, type="ref"), fgraph.NotFound),
    "a value that the payload lacks": (fact(value=22), fgraph.Conflict),
}


@pytest.mark.parametrize("name", FACT_FAULTS)
def test_a_fact_that_is_not_right(name):
    record, kind = FACT_FAULTS[name]
    refused(resealed([*BASE[:-2], record]), kind)


@pytest.mark.parametrize(
    "facts",
    [
        [AT1, RANGE1, NOTE, AT2, RANGE2, RANGE2],
        [AT1, RANGE1, RANGE1, NOTE, AT2, RANGE2],
        [AT2, RANGE2, AT1, RANGE1, NOTE],
        [AT1, RANGE1, NOTE, AT2, NOTE, RANGE2],
        [RANGE1, NOTE, AT2, RANGE2],
        [AT1, RANGE1, NOTE, RANGE2],
        [AT1, RANGE1, NOTE],
    ],
    ids=[
        "a live fact twice", "an ended fact twice", "the later transaction first", "a fact out of its place",
        "no time in the first", "no time in the second", "a transaction without facts",
    ],
)  # fmt: skip
def test_facts_that_contradict_the_receipts(facts):
    refused(resealed([HEADER, R1, R2, *facts]), fgraph.Conflict)


def test_two_live_values_of_a_one_value_cell_are_not_sound():
    open_range = {"fact": [*RANGE1["fact"][:5], None]}
    refused(resealed([HEADER, R1, R2, AT1, open_range, NOTE, AT2, RANGE2]), fgraph.FormatError)


def test_the_digest_speaks_before_the_contents():
    records_ = [HEADER, R1, R2, AT1, RANGE1, NOTE, AT2, fact(type="text")]
    good = resealed(records_)
    refused(good, fgraph.TypeError)
    digest = records(good)[-1]["sha256"]
    refused(good.replace(digest, "0" * 64), fgraph.Conflict)


def test_a_line_over_the_cap():
    text = stream(HEADER) + '{"fact":["' + "x" * 16_973_824 + '"]}\n'
    refused(text, fgraph.TooLarge)
