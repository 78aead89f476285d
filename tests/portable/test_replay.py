"""Applying events: what each does to the receiving file, and what is refused."""

import json

import pytest

import fgraph
from fgraph.file.identities import derived_gid, uuid_text
from fgraph.values.canonical import canonical
from tests.portable.making import (
    E1_ID,
    E2_ID,
    GENESIS,
    SECOND,
    connect,
    event,
    live_facts,
    rows,
    second_event,
    story,
    stream,
    tail,
)
from tests.portable.test_events import EXAMPLE_C

ANONYMOUS = uuid_text(derived_gid(bytes.fromhex(E1_ID.replace("-", "")), 0))


def applied(*records: dict, db: fgraph.Db | None = None) -> fgraph.Db:
    db = db or connect()
    db.apply(stream(*records))
    return db


# -- effects ----------------------------------------------------------------------------------------------------------


def test_a_worked_event_gives_the_promised_rows(tmp_path):
    db = connect(tmp_path / "c.db")
    (report,) = db.apply(EXAMPLE_C)
    assert report["ids"] == {"event:ff54f35f-1e97-504a-83a2-2368b68c0c33": 65, "box": 67}
    assert (report["status"], report["basis_tx"], report["tx"], report["at"]) == ("applied", 64, 70, GENESIS + SECOND)
    facts = [(row[0], row[1], row[2], row[3]) for row in rows(db.path)["fgraph_facts"] if row[0] >= 40]
    assert facts == [
        (40, 70, 1, GENESIS + SECOND),
        (41, 70, 2, "ana"),
        (42, 70, 3, "cli"),
        (43, 70, 4, '{"k":[1]}'),
        (44, 65, 66, "hi"),
        (45, 67, 68, 65),
        (46, 70, 69, "T1"),
        (47, 70, 13, 1767225601000000),
    ]
    assert db.receipt(70)["imported_at"] == 1767225601000000


def test_the_receiver_gives_its_own_time_and_keeps_that_of_the_origin():
    db = applied(event(at=5))
    receipt = db.receipt(67)
    assert (receipt["at"], receipt["imported_at"]) == (GENESIS + SECOND, 5)


def test_an_event_that_is_known_already_changes_nothing():
    db = applied(event(), second_event())
    first, second = db.apply(stream(event(), second_event()))
    assert first.to_dict() == {
        "status": "already_applied",
        "event": E1_ID,
        "basis_tx": 64,
        "tx": 67,
        "at": GENESIS + SECOND,
        "ids": {},
        "asserted": [],
        "retracted": [],
    }
    assert (second.tx, second.basis_tx) == (68, 67)


def test_the_summary_counts_events_and_names_the_head():
    db = connect()
    assert db.apply_summary("") == {"already_applied": 0, "applied": 0, "basis_tx": 64, "events": 0, "noop": 0}
    assert db.apply_summary(stream(event(), event(), second_event())) == {
        "already_applied": 1,
        "applied": 2,
        "basis_tx": 68,
        "events": 3,
        "noop": 0,
    }


def test_an_event_that_changes_nothing_is_recorded_all_the_same():
    db = applied(event(), event(event=E2_ID, created=[]))
    assert db.stats()["transactions"] == 3
    assert len(db.history("skerry")) == 1


def test_order_decides_and_is_no_error():
    assert applied(second_event(), event()).entity("skerry") == {"light/range": 18}
    assert applied(event(), second_event()).entity("skerry") == {"light/range": 21}


def test_another_value_of_the_receiver_is_superseded():
    db = connect()
    db.transact({"id": "skerry", "light/range": 5})
    applied(event(), db=db)
    assert [fact["v"] for fact in db.history("skerry")] == [5, 18]
    assert db.entity("skerry") == {"light/range": 18}


def test_retracting_what_is_not_there_does_nothing():
    db = applied(event(asserted=[], created=[], retracted=[["nobody", "no/thing", 1, "int"]]))
    assert db.stats()["facts"] == 41


def test_names_are_unified_and_anonymous_identities_keep_their_global_id():
    record = event(created=[{"eid": ANONYMOUS}, "n/t"], asserted=[[{"eid": ANONYMOUS}, "n/t", "hi", "text"]])
    db = connect()
    db.transact({"id": "other", "n/t": "text"})
    (report,) = db.apply(stream(record))
    number = report["ids"][f"event:{ANONYMOUS}"]
    assert db.entity({"eid": ANONYMOUS}) == db.entity(number) == {"n/t": "hi"}


def test_an_anonymous_identity_that_no_fact_mentions_is_dropped_and_a_name_is_kept():
    db = applied(event(created=[{"eid": ANONYMOUS}, "skerry", "light/range", "spare"]))
    assert db.stats()["entities"] == 18 + 3
    assert db.entity("spare") == {}


def test_names_missing_from_created_are_created_all_the_same():
    db = applied(event(created=[]))
    assert db.entity("skerry") == {"light/range": 18}
    assert db.doctor()["ok"]


@pytest.mark.parametrize("created", [["skerry", "skerry", "light/range"], ["fgraph/at", "skerry"]])
def test_repeated_and_known_names_in_created_are_harmless(created):
    assert applied(event(created=created)).doctor()["ok"]


@pytest.mark.parametrize(
    ("token", "tag", "value"), [("18.0", "float", 18.0), ("18", "float", 18.0), ("1e2", "float", 100.0)]
)
def test_the_type_decides_between_float_and_integer(token, tag, value):
    line = stream(event()).replace('18,"int"', f'{token},"{tag}"')
    db = connect()
    db.apply(line)
    stored = db.entity("skerry")["light/range"]
    assert (stored, type(stored)) == (value, type(value))


def test_input_need_not_be_canonical_and_the_canonical_text_is_kept():
    db = connect()
    db.apply(json.dumps(event(), indent=None, separators=(" , ", " : ")))
    assert tail(db) == stream(event())


def test_facts_of_the_transaction_are_sorted_by_attribute():
    db = applied(event(tx_facts=[["b/b", 1, "int"], ["a/a", 2, "int"]]))
    assert [fact["a"] for fact in db.receipt(69)["facts"]] == ["a/a", "b/b"]


def test_the_declarations_of_the_origin_come_along():
    origin = connect()
    origin.declare("note/tag", many=True)
    origin.transact({"id": "a", "note/tag": ["x", "y"], "v/v": {"vector": [1, 2, 3]}})
    receiver = connect()
    receiver.apply(tail(origin))
    assert receiver.entity("a") == origin.entity("a")
    assert receiver.schema()["digest"] == origin.schema()["digest"]


def test_every_committed_event_can_be_applied_also_at_the_cap():
    db = connect()
    base = 8_454_144 - len(canonical(event(asserted=[], meta=["", ""])))
    value = "x" * 1_048_570
    count = (base - 1000) // (len(value) + 40)
    record = event(asserted=[[f"e{number}", "l/t", value, "text"] for number in range(count)], meta="")
    record["meta"] = "m" * (8_454_144 - len(canonical(record)))
    line = canonical(record)
    assert len(line) == 8_454_144
    assert db.apply_summary(line + "\n")["applied"] == 1
    assert tail(db) == line + "\n"
    record["meta"] += "m"
    with pytest.raises(fgraph.TooLarge):
        connect().apply(canonical(record))


# -- refusals ---------------------------------------------------------------------------------------------------------

REFUSED = {
    "a cut record": (stream(event()) + stream(second_event())[:50], fgraph.TypeError),
    "two records on a line": (stream(event()).strip() + stream(second_event()), fgraph.TypeError),
    "an array": ("[" + stream(event()).strip() + "]", fgraph.TypeError),
    "a number": ("5", fgraph.TypeError),
    "a key twice": ('{"fgraph":"event/1","fgraph":"event/1"}', fgraph.TypeError),
    "NaN": (stream(event()).replace("18", "NaN"), fgraph.TypeError),
    "a NUL": ("\0", fgraph.TypeError),
    "an unpaired surrogate": (stream(event()).replace("skerry", "\\ud800"), fgraph.TypeError),
    "81 levels": ("[" * 81 + "]" * 81, fgraph.TooLarge),
    "100,000 levels": ("[" * 100_000 + "]" * 100_000, fgraph.TooLarge),
    "a deep meta": (stream(event(meta="@")).replace('"@"', "[" * 80 + "]" * 80), fgraph.TooLarge),
    "another format": (stream(event(fgraph="event/2")), fgraph.TypeError),
    "no format": (stream(event(fgraph=None)), fgraph.TypeError),
    "an unknown key": (stream(event(extra=1)), fgraph.TypeError),
    "a redaction record": (
        stream(event(asserted=[], created=[], redacted=True, redacts=[])),
        fgraph.TypeError,
    ),
    "a stub": (
        stream({"at": 1, "event": E1_ID, "event_hash": "0" * 64, "fgraph": "event/1", "redacted": True}),
        fgraph.TypeError,
    ),
    "65 bits": (stream(event()).replace("18", "9223372036854775808"), fgraph.TypeError),
    **{
        f"event id {name}": (stream(event(event=text)), fgraph.TypeError)
        for name, text in {
            "missing": None,
            "number": 5,
            "upper case": E1_ID.upper(),
            "braces": "{" + E1_ID + "}",
            "no hyphens": E1_ID.replace("-", ""),
            "nil": "00000000-0000-0000-0000-000000000000",
            "version 7": E1_ID[:14] + "7" + E1_ID[15:],
            "other variant": E1_ID[:19] + "c" + E1_ID[20:],
        }.items()
    },
    **{
        f"at {value!r}": (stream(event(at=value)), fgraph.TypeError)
        for value in (None, True, 1.5, "2026-01-01T00:00:00Z", 253_402_300_800_000_000)
    },
    **{
        f"{name} is an object": (stream(event(**{name: {}})), fgraph.TypeError)
        for name in ("created", "asserted", "retracted", "tx_facts")
    },
    "asserted missing": (stream(event(asserted=None)), fgraph.TypeError),
    "tx_facts null": (stream({**event(), "tx_facts": None}), fgraph.TypeError),
    "by null": (stream({**event(), "by": None}), fgraph.TypeError),
    "source null": (stream({**event(), "source": None}), fgraph.TypeError),
    "by a number": (stream(event(by=5)), fgraph.TypeError),
    "created a number": (stream(event(created=[5])), fgraph.TypeError),
    "created an ill-formed eid": (stream(event(created=[{"eid": "x"}])), fgraph.TypeError),
    "created an eid in upper case": (stream(event(created=[{"eid": ANONYMOUS.upper()}])), fgraph.TypeError),
    "created an eid of another variant": (
        stream(event(created=[{"eid": ANONYMOUS[:19] + "c" + ANONYMOUS[20:]}])),
        fgraph.TypeError,
    ),
    "created an eid of its own": (stream(event(created=[{"eid": E2_ID}, "skerry"])), fgraph.Conflict),
    "created an eid at another place": (stream(event(created=["skerry", {"eid": ANONYMOUS}])), fgraph.Conflict),
    "created the event itself": (stream(event(created=[{"eid": E1_ID}])), fgraph.Conflict),
    "created an empty name": (stream(event(created=[""])), fgraph.TypeError),
    "created a name of 513 bytes": (stream(event(created=["x" * 513])), fgraph.TypeError),
    "created a control character": (stream(event(created=["a\nb"])), fgraph.TypeError),
    "created a reserved name": (stream(event(created=["fgraph/new"])), fgraph.SchemaError),
    **{
        f"fact {json.dumps(fact)}": (stream(event(asserted=[fact])), kind)
        for fact, kind in (
            (["a"], fgraph.TypeError),
            ("a", fgraph.TypeError),
            (["a", "l/r", 1, "int", 1], fgraph.TypeError),
            (["a", 5, 1, "int"], fgraph.TypeError),
            ([5, "l/r", 1, "int"], fgraph.TypeError),
            (["a", "BAD", 1, "int"], fgraph.SchemaError),
            (["a", "fgraph/new", 1, "int"], fgraph.SchemaError),
            (["a", "l/r", 1, "text"], fgraph.TypeError),
            (["a", "l/r", 1, "nope"], fgraph.TypeError),
            (["a", "l/r", 1, "text_ref"], fgraph.TypeError),
            (["a", "l/r", 1, None], fgraph.TypeError),
            (["a", "l/r", 1.5, "int"], fgraph.TypeError),
            (["a", "l/r", True, "float"], fgraph.TypeError),
            (["a", "l/r", None, "json"], fgraph.TypeError),
            (["a", "l/r", {"ref": 65}, "ref"], fgraph.TypeError),
            (["a", "l/r", "a", "ref"], fgraph.TypeError),
            (["fgraph/at", "l/r", 1, "int"], fgraph.Unsupported),
            ([{"eid": "00000000-0000-4000-8000-000000000040"}, "l/r", 1, "int"], fgraph.Unsupported),
        )
    },
    "the float token of an integer": (stream(event()).replace("18", "18.0"), fgraph.TypeError),
    "two values of one cell": (
        stream(event(asserted=[["a", "l/r", 1, "int"], ["a", "l/r", 2, "int"]])),
        fgraph.Conflict,
    ),
    "two values of one transaction fact": (
        stream(event(tx_facts=[["a/b", 1, "int"], ["a/b", 2, "int"]])),
        fgraph.Conflict,
    ),
    **{
        f"transaction fact {name}": (stream(event(tx_facts=[[name, value, tag]])), fgraph.SchemaError)
        for name, value, tag in (
            ("fgraph/at", {"instant": 1}, "instant"),
            ("fgraph/by", "x", "text"),
            ("fgraph/source", "x", "text"),
            ("fgraph/meta", {"json": 1}, "json"),
            ("fgraph/excised", {"ref": "skerry"}, "ref"),
            ("fgraph/imported-at", {"instant": 1}, "instant"),
        )
    },
    "genesis with another time": (
        stream(event(event="00000000-0000-4000-8000-000000000040", created=[], asserted=[])),
        fgraph.Conflict,
    ),
    "one id, two payloads": (stream(event(), event(at=7)), fgraph.Conflict),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_and_nothing_kept(name):
    text, kind = REFUSED[name]
    db = connect()
    before = db.stats()
    with pytest.raises(kind) as caught:
        db.apply(text)
    assert type(caught.value) is kind
    assert caught.value.hint
    assert len(str(caught.value)) <= 700
    assert db.stats() == before
    assert db.apply_summary(stream(event()))["applied"] == 1


def test_the_message_names_the_line_of_the_event_at_fault():
    with pytest.raises(fgraph.Conflict, match="line 2"):
        connect().apply(stream(event(), event(event=E2_ID, asserted=[["a", "l/r", 1, "int"], ["a", "l/r", 2, "int"]])))


def test_a_read_only_handle_and_a_view_refuse(tmp_path):
    connect(tmp_path / "f.db").close()
    for db in (connect(tmp_path / "f.db", read_only=True), connect().at(64)):
        with pytest.raises(fgraph.ReadOnly):
            db.apply(stream(event()))


def test_inside_a_speculation_nothing_stays():
    db = connect()
    with db.speculate() as trial:
        trial.apply(stream(event()))
        assert trial.entity("skerry") == {"light/range": 18}
    assert db.stats()["transactions"] == 1


# -- files that met ---------------------------------------------------------------------------------------------------


def healthy(db: fgraph.Db, tmp_path) -> None:
    """Sound by its own doctor, copied by backup, and restored from its own snapshot byte for byte."""
    assert db.doctor()["problems"] == []
    db.backup(tmp_path / "copy.db")
    again = connect(tmp_path / "again.db")
    again.restore(db.snapshot())
    assert again.snapshot() == db.snapshot()


def test_a_receiver_that_knew_some_of_the_names_stays_healthy(tmp_path):
    db = connect(tmp_path / "a.db")
    db.transact({"id": "skerry", "other/a": 1})
    event_id = bytes.fromhex(E1_ID.replace("-", ""))
    first, second = (uuid_text(derived_gid(event_id, ordinal)) for ordinal in (2, 3))
    applied(
        event(
            created=["skerry", "light/range", {"eid": first}, {"eid": second}, "keeper/note"],
            asserted=[
                ["skerry", "light/range", 18, "int"],
                [{"eid": first}, "keeper/note", "x", "text"],
                [{"eid": second}, "keeper/note", "y", "text"],
            ],
        ),
        db=db,
    )
    healthy(db, tmp_path)


def test_a_partial_stream_with_an_undo_stays_healthy_and_wants_order(tmp_path):
    origin = connect()
    target = origin.transact({"id": "a", "n/v": 1})
    origin.undo(target.tx)
    first, undo = origin.event_records()
    db = applied(undo, db=connect(tmp_path / "a.db"))
    healthy(db, tmp_path)
    with pytest.raises(fgraph.Conflict, match="order"):
        db.apply(stream(first))


def test_a_marker_of_excision_as_plain_data_does_not_hinder_an_excision(tmp_path):
    db = applied(
        event(
            created=["skerry", "victim"],
            asserted=[["skerry", "fgraph/excised", {"ref": "victim"}, "ref"], ["victim", "n/v", 1, "int"]],
        ),
        db=connect(tmp_path / "a.db"),
    )
    db.excise("victim")
    assert db.entity("victim") == {}
    healthy(db, tmp_path)


def test_two_files_that_share_names_exchange_their_streams(tmp_path):
    """Names in common, no cell in common: any order, twice, gives equal facts."""
    sources = [connect(tmp_path / f"{name}.db") for name in "ab"]
    for number, source in enumerate(sources):
        source.declare("note/tag", many=True)
        source.transact(
            [
                {"id": "shared", f"own/field-{number}": number, "note/tag": [f"t{number}"]},
                {"note/text": f"anonymous {number}", "note/about": {"ref": "shared"}},
            ]
        )
        source.transact({"id": "shared", f"own/field-{number}": number + 10})
    streams = [tail(source) for source in sources]
    receivers = []
    for order in ((0, 1), (1, 0)):
        receiver = connect(tmp_path / f"c{order[0]}.db")
        for number in order:
            receiver.apply(streams[number])
        summaries = [receiver.apply_summary(streams[number]) for number in order]
        assert all(summary["applied"] == 0 for summary in summaries)
        receivers.append(receiver)
    assert live_facts(receivers[0]) == live_facts(receivers[1])
    for source, foreign in zip(sources, reversed(streams), strict=True):
        source.apply(foreign)
        assert live_facts(source) == live_facts(receivers[0])
        assert source.doctor()["ok"]


def test_where_both_wrote_one_cell_the_later_stream_stands_and_history_keeps_the_other():
    texts = []
    for value in (1, 2):
        source = connect()
        source.transact({"id": "shared", "n/v": value})
        texts.append(tail(source))
    db = connect()
    for text in texts:
        db.apply(text)
    assert db.entity("shared") == {"n/v": 2}
    assert [fact["v"] for fact in db.history("shared")] == [1, 2]


def test_a_story_without_excision_is_the_same_in_both_files(tmp_path):
    origin = story(connect(tmp_path / "o.db"))
    events = [record for record in origin.event_records() if "redacted" not in record]
    receiver = connect(tmp_path / "r.db")
    receiver.apply(stream(*events))
    assert receiver.doctor()["ok"]
    assert live_facts(receiver) == live_facts(origin)
