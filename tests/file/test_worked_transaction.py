"""One transaction worked out by hand: identities, facts, event text, full-text rows and what comes after it."""

import hashlib
import json
import uuid

import pytest

import fgraph
from tests.file.making import GENESIS_AT, rows

DATA = json.loads("""
[{"id":{"tmp":"t1"},"task/title":"Ship"},
 {"id":"board","task/part":[{"task/title":"one"},{"task/title":"two"}],
  "task/due":{"instant":"2026-12-24T00:00:00Z"},"task/link":{"ref":"other"}}]
""")
DECLARED = (
    '{"asserted":[["task/part","fgraph/many",true,"bool"],["task/part","fgraph/type","ref","text"]],'
    '"at":1767225601000000,"created":["task/part"],"event":"53f1a761-f9ad-4338-a61d-b5e6de808ff0",'
    '"fgraph":"event/1","retracted":[]}'
)


@pytest.fixture
def db(tmp_path, monkeypatch):
    monkeypatch.setenv("FGRAPH_CLOCK", str(GENESIS_AT))
    monkeypatch.setenv("FGRAPH_EVENT_SEED", "seed-a")
    with fgraph.connect(tmp_path / "facts.db") as db:
        db.declare("task/part", ref=True, many=True)
        db.transact(DATA, by="kim", source="chat:9", meta={"n": 1.0}, tx={"audit/ticket": "T-1"})
        yield db


def test_identities_are_allocated_in_order_of_appearance_and_the_transaction_last(db):
    found = rows(db.path, "SELECT id, name, gid, created_tx FROM fgraph_ids WHERE id > 64 ORDER BY id")
    assert [(number, name or str(uuid.UUID(bytes=gid)), tx) for number, name, gid, tx in found] == [
        (65, "task/part", 66),
        (66, "53f1a761-f9ad-4338-a61d-b5e6de808ff0", 66),
        (67, "128b2626-5c60-535b-a4b2-fd4f7b4accef", 76),
        (68, "task/title", 76),
        (69, "board", 76),
        (70, "task/due", 76),
        (71, "task/link", 76),
        (72, "other", 76),
        (73, "6f2871b0-30db-5946-be99-4217c262eb2a", 76),
        (74, "18659831-ae12-5534-9997-769663234c9d", 76),
        (75, "audit/ticket", 76),
        (76, "f6257e4b-caaf-4782-9d14-f9c7366985e4", 76),
    ]
    assert rows(db.path, "SELECT value FROM fgraph_meta WHERE key = 'next_id'") == [(77,)]


def test_facts_are_written_in_the_promised_order(db):
    assert rows(db.path, "SELECT id, e, a, v, t, tx FROM fgraph_facts WHERE id > 39 ORDER BY id") == [
        (40, 66, 1, 1767225601000000, 5, 66),
        (41, 65, 5, 1, 1, 66),
        (42, 65, 8, "ref", 4, 66),
        (43, 76, 1, 1767225602000000, 5, 76),
        (44, 76, 2, "kim", 4, 76),
        (45, 76, 3, "chat:9", 4, 76),
        (46, 76, 4, '{"n":1}', 10, 76),
        (47, 67, 68, "Ship", 4, 76),
        (48, 69, 70, 1798070400000000, 5, 76),
        (49, 69, 71, 72, 0, 76),
        (50, 73, 68, "one", 4, 76),
        (51, 69, 65, 73, 0, 76),
        (52, 74, 68, "two", 4, 76),
        (53, 69, 65, 74, 0, 76),
        (54, 76, 75, "T-1", 4, 76),
    ]


def test_the_events_have_the_known_text_and_hash(db):
    ((declared, digest), (text, other)) = rows(
        db.path, "SELECT event_data, event_hash FROM fgraph_events WHERE tx > 64 ORDER BY tx"
    )
    assert declared == DECLARED
    assert digest.hex() == "4a55a7ff30ac689d9724044b4e4f84da05b2919d7253ef1705938b0dfdd968ce"
    assert other.hex() == "7da4b137557215cc243b1b8736baccf51166073706cb0de84ad81e2c8378fcbc"
    assert hashlib.sha256(text.encode()).digest() == other


LIVE_TEXTS = "SELECT f.id, coalesce(b.data, f.v) FROM fgraph_facts f LEFT JOIN fgraph_blobs b ON b.hash = f.v "
LIVE_TEXTS += "WHERE f.rx IS NULL AND f.t IN (4, 8) ORDER BY f.id"


def test_each_live_text_has_one_full_text_row_and_nothing_else_has(db):
    db.transact({"id": "board", "task/note": "n" * 300, "task/raw": b"x" * 300, "task/json": {"json": "quoted"}})
    db.transact({"id": "board", "task/note": "short"})
    db.retract("other")
    assert rows(db.path, "SELECT rowid, text FROM fgraph_fts ORDER BY rowid") == rows(db.path, LIVE_TEXTS)


def test_what_comes_next_is_numbered_on(db):
    assert db.transact({"id": "m1"}).tx == 78
    assert rows(db.path, "SELECT count(*) FROM fgraph_facts WHERE tx = 78") == [(1,)]
    assert db.transact([]).status == "noop"
    assert db.transact([], by="kim").tx == 79
    report = db.transact(
        [{"id": {"tmp": "gone"}, "z/a": 1}, ["retract", {"tmp": "gone"}], {"id": {"tmp": "kept"}, "z/a": 2}]
    )
    assert "gone" not in report.ids
    # The place of `gone` closes up: 80 is `z/a`, 81 `kept`.
    assert (report.ids["kept"], report.tx) == (81, 82)


def test_blobs_are_shared_and_go_with_their_last_fact(db):
    def blobs() -> int:
        return rows(db.path, "SELECT count(*) FROM fgraph_blobs")[0][0]

    long = "b" * 400
    db.transact([{"id": "a", "p/bio": long}, {"id": "b", "p/bio": long, "p/other": long}])
    assert blobs() == 1
    db.transact({"id": "a", "p/bio": "short"})
    assert blobs() == 1, "history keeps it"
    db.transact({"id": "a", "p/vector": {"vector": [1, 2]}})
    db.transact({"id": "a", "p/vector": {"vector": [3, 4]}})
    assert blobs() == 2, "vectors keep no history: the old one went"
    db.retract("a", "p/vector")
    assert blobs() == 1
