"""Examining a file: a sound one is left in peace, and every kind of damage is named with its rows."""

import hashlib
import os
import sqlite3
import threading

import pytest

import fgraph
from fgraph.values.canonical import canonical
from tests.portable.making import connect, event, story, stream

LOOKS = 1000 if os.environ.get("FGRAPH_TEST_LONG") else 40

CLEAN = {
    "expected_fts_rows": 36,
    "fts_rows": 36,
    "fts_rows_rebuilt": 0,
    "integrity": "ok",
    "ok": True,
    "orphaned_blobs": 0,
    "orphaned_blobs_removed": 0,
    "problems": [],
    "repair_needed": False,
    "repaired": False,
    "schema_problems": 0,
    "shape_violations": 0,
    "unverifiable_event_hashes": 0,
}


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """A closed file with a whole story, as bytes."""
    path = tmp_path_factory.mktemp("told") / "story.db"
    story(connect(path)).close()
    return path.read_bytes()


def damaged(told: bytes, path, *statements: str) -> fgraph.Db:
    """A handle on a copy that was changed behind fgraph's back."""
    path.write_bytes(told)
    connection = sqlite3.connect(path)
    for sql in statements:
        connection.execute(sql)
    connection.commit()
    connection.close()
    return connect(path)


def overwrite_root(path, name: str) -> None:
    """Fill the first page of a table or an index with garbage."""
    with sqlite3.connect(path) as connection:
        root = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (name,)).fetchone()[0]
        size = connection.execute("PRAGMA page_size").fetchone()[0]
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)


def test_a_new_file_is_clean():
    assert connect().doctor() == CLEAN


def test_a_whole_story_is_sound(told, tmp_path):
    report = damaged(told, tmp_path / "s.db").doctor()
    assert report.keys() == CLEAN.keys()
    assert (report["ok"], report["problems"]) == (True, [])
    assert report["unverifiable_event_hashes"] == 1
    assert report["fts_rows"] == report["expected_fts_rows"] > 36


def test_a_look_changes_nothing_and_works_on_every_handle(told, tmp_path):
    path = tmp_path / "s.db"
    path.write_bytes(told)
    reader = connect(path, read_only=True)
    assert reader.doctor()["ok"]
    assert reader.at(64).doctor()["ok"]
    reader.close()
    assert path.read_bytes() == told
    with connect(path) as writer, pytest.raises(fgraph.ReadOnly):
        writer.at(64).doctor(repair=True)


@pytest.mark.parametrize("repair", [1, None, "yes"])
def test_repair_is_a_bool(repair):
    with pytest.raises(fgraph.TypeError):
        connect().doctor(repair=repair)


A_FACT = "(SELECT min(id) FROM fgraph_facts WHERE t = 2 AND tx > 64)"
NEWEST = "(SELECT max(tx) FROM fgraph_events)"
ADA = "(SELECT id FROM fgraph_ids WHERE name = 'ada')"
MAIL = "(SELECT id FROM fgraph_ids WHERE name = 'user/mail')"
TEXT = "(SELECT id FROM fgraph_ids WHERE name = 'note/text')"

FATAL = {
    # what was done: (statements, a part of the problem)
    "next_id too low": (("UPDATE fgraph_meta SET value = value - 1 WHERE key = 'next_id'",), "next_id"),
    "next_id too high": (("UPDATE fgraph_meta SET value = value + 1 WHERE key = 'next_id'",), "next_id"),
    "next_id missing": (("DELETE FROM fgraph_meta WHERE key = 'next_id'",), "next_id"),
    "next_id as text": (("UPDATE fgraph_meta SET value = 'x' WHERE key = 'next_id'",), "next_id"),
    "another created_at": (("UPDATE fgraph_meta SET value = 5 WHERE key = 'created_at'",), "created_at"),
    "a row too many in meta": (("INSERT INTO fgraph_meta VALUES ('note', 1)",), '"note"'),
    "the counter of rows set back": (("UPDATE sqlite_sequence SET seq = 40",), "counter"),
    "a reserved id": (("INSERT INTO fgraph_ids VALUES (20, 'x', NULL, 64)",), "identity 20"),
    "an id below one": (("INSERT INTO fgraph_ids VALUES (-1, 'x', NULL, 64)",), "identity -1"),
    "a system name changed": (("UPDATE fgraph_ids SET name = 'fgraph/time' WHERE id = 1",), "1 to 18"),
    "another genesis id": (("UPDATE fgraph_ids SET gid = zeroblob(16) WHERE id = 64",), "genesis"),
    "an empty name": (("UPDATE fgraph_ids SET name = '' WHERE name = 'ada'",), "name of identity"),
    "a control character": (("UPDATE fgraph_ids SET name = 'a' || char(10) WHERE name = 'ada'",), "name of identity"),
    "a long name": (("UPDATE fgraph_ids SET name = printf('%.*c', 513, 'x') WHERE name = 'ada'",), "name of identity"),
    "a reserved name": (("UPDATE fgraph_ids SET name = 'fgraph/ada' WHERE name = 'ada'",), "name of identity"),
    "created by no transaction": ((f"UPDATE fgraph_ids SET created_tx = 65 WHERE id = {ADA}",), "65, which is no"),
    "an unexplained global id": (
        ("UPDATE fgraph_ids SET gid = randomblob(16) WHERE gid IS NOT NULL AND id <> created_tx",),
        "not explained by its transaction",
    ),
    "a named transaction": (("UPDATE fgraph_ids SET name = 'x', gid = NULL WHERE id = " + NEWEST,), "transaction"),
    "an entity without identity": ((f"UPDATE fgraph_facts SET e = 5000 WHERE id = {A_FACT}",), "entity 5000 of fact"),
    "an attribute without identity": ((f"UPDATE fgraph_facts SET a = 5000 WHERE id = {A_FACT}",), "attribute 5000"),
    "an attribute that is none": ((f"UPDATE fgraph_facts SET a = {ADA} WHERE id = {A_FACT}",), '"ada"'),
    "a reference to nothing": (
        ("UPDATE fgraph_facts SET v = 5000 WHERE id = (SELECT min(id) FROM fgraph_facts WHERE t = 0)",),
        "refers to 5000",
    ),
    "a reference below one": (
        ("UPDATE fgraph_facts SET v = 0 WHERE id = (SELECT min(id) FROM fgraph_facts WHERE t = 0)",),
        "impossible value for tag 0",
    ),
    "asserted by no transaction": ((f"UPDATE fgraph_facts SET tx = {ADA} WHERE id = {A_FACT}",), "is no transaction"),
    "ended by no transaction": ((f"UPDATE fgraph_facts SET rx = 5000 WHERE id = {A_FACT}",), "rx 5000 of fact"),
    "older than its entity": (
        ("UPDATE fgraph_facts SET tx = (SELECT min(tx) FROM fgraph_events WHERE tx > 64) WHERE id = " + A_FACT,),
        "only created in transaction",
    ),
    "a genesis fact missing": (("DELETE FROM fgraph_facts WHERE id = 38",), "genesis"),
    "a genesis fact too many": ((f"UPDATE fgraph_facts SET tx = 64 WHERE id = {A_FACT}",), "genesis"),
    "a bool of two": (("UPDATE fgraph_facts SET v = 2 WHERE t = 1 AND tx > 64",), "impossible value for tag 1"),
    "text in an integer": ((f"UPDATE fgraph_facts SET v = 'x' WHERE id = {A_FACT}",), "impossible value for tag 2"),
    "an infinite float": (("UPDATE fgraph_facts SET v = 9e999 WHERE t = 3",), "impossible value for tag 3"),
    "a text of 257 bytes": (
        (f"UPDATE fgraph_facts SET v = printf('%.*c', 257, 'x') WHERE a = {TEXT}",),
        "impossible value for tag 4",
    ),
    "a text that is not UTF-8": ((f"UPDATE fgraph_facts SET v = CAST(x'ff' AS TEXT) WHERE a = {TEXT}",), "not UTF-8"),
    "an instant beyond the years": (
        ("UPDATE fgraph_facts SET v = 253402300800000000 WHERE t = 5 AND e <> tx",),
        "impossible value for tag 5",
    ),
    "json that is not canonical": (("UPDATE fgraph_facts SET v = '{ }' WHERE t = 10",), "not canonical"),
    "a payload missing": (("DELETE FROM fgraph_blobs WHERE typeof(data) = 'text'",), "it is missing"),
    "a payload changed": (
        ("UPDATE fgraph_blobs SET data = data || 'x' WHERE typeof(data) = 'text'",),
        "payload of fact",
    ),
    "a transaction without a time": ((f"DELETE FROM fgraph_facts WHERE e = {NEWEST} AND a = 1",), "has no time"),
    "a time before the last one": (
        (f"UPDATE fgraph_facts SET v = 1767225600000000 WHERE e = {NEWEST} AND a = 1",),
        "is not later than",
    ),
    "a transaction without receipt": ((f"DELETE FROM fgraph_events WHERE tx = {NEWEST}",), "without a receipt"),
    "a payload erased": ((f"UPDATE fgraph_events SET event_data = NULL WHERE tx = {NEWEST}",), "no excision explains"),
    "a marker erased": (("DELETE FROM fgraph_facts WHERE a = 11",), "marks no excision"),
    "a changed type": (
        ("UPDATE fgraph_facts SET v = 'int' WHERE a = 8 AND v = 'text' AND tx > 64",),
        "user/mail takes int",
    ),
    "an unknown type": (
        ("UPDATE fgraph_facts SET v = 'color' WHERE a = 8 AND v = 'text' AND tx > 64",),
        '"color"',
    ),
    "two values in a cell": (
        (
            "INSERT INTO fgraph_facts (e, a, v, t, tx)"
            f" SELECT {ADA}, a, 99, 2, {NEWEST} FROM fgraph_facts WHERE id = {A_FACT}",
        ),
        "several live values of user/age",
    ),
    "a unique value twice": (
        (
            "INSERT INTO fgraph_facts (e, a, v, t, tx)"
            f" SELECT (SELECT id FROM fgraph_ids WHERE name = 'values'), a, v, t, {NEWEST}"
            f" FROM fgraph_facts WHERE a = {MAIL}",
        ),
        "user/mail is unique",
    ),
    "another number of dimensions": (("UPDATE fgraph_facts SET v = 3 WHERE a = 9",), "vectors of 3 numbers"),
    "an operation id with a control character": (
        ("UPDATE fgraph_events SET operation_id = char(7) WHERE operation_id = 'story:1'",),
        "operation id of transaction",
    ),
}


@pytest.mark.parametrize("name", FATAL)
def test_damage_that_only_a_backup_helps(told, tmp_path, name):
    statements, part = FATAL[name]
    db = damaged(told, tmp_path / "d.db", *statements)
    report = db.doctor()
    assert not report["ok"]
    named = [problem for problem in report["problems"] if part in problem]
    assert named and all("restore a backup" in problem for problem in named)
    with pytest.raises(fgraph.FormatError):
        db.doctor(repair=True)
    with pytest.raises(fgraph.FormatError):
        db.backup(tmp_path / "copy.db")


def test_beside_fatal_damage_every_problem_asks_for_a_backup_and_repair_says_so_once(told, tmp_path):
    wrong = f"UPDATE fgraph_facts SET v = x'00', t = 1 WHERE id = {A_FACT}"
    db = damaged(told, tmp_path / "d.db", "DELETE FROM fgraph_fts", wrong)
    problems = db.doctor()["problems"]
    assert any("full-text" in problem for problem in problems)
    assert {problem.rpartition("; ")[2] for problem in problems} == {"restore a backup"}
    with pytest.raises(fgraph.FormatError) as refused:
        db.doctor(repair=True)
    assert str(refused.value).count("restore a backup") == 1


@pytest.mark.parametrize("name", ["fgraph_ids", "fgraph_facts", "fgraph_blobs", "fgraph_eavt", "fgraph_fts_content"])
def test_a_page_of_garbage_is_reported(told, tmp_path, name):
    path = tmp_path / "g.db"
    path.write_bytes(told)
    overwrite_root(path, name)
    report = connect(path, read_only=True).doctor()
    assert report.keys() == CLEAN.keys()
    assert not report["ok"]
    assert report["problems"][0] == f"SQLite finds: {report['integrity']}; restore a backup"


def test_the_genesis_texts_are_free(told, tmp_path):
    db = damaged(
        told,
        tmp_path / "g.db",
        "UPDATE fgraph_facts SET v = 'other words' WHERE id = 20",
        "UPDATE fgraph_fts SET text = 'other words' WHERE rowid = 20",
    )
    assert db.doctor()["ok"]


EDITS = {
    "a value edited": ("UPDATE fgraph_facts SET v = 77 WHERE v = 36 AND t = 2", "36"),
    "a fact deleted": (f"DELETE FROM fgraph_facts WHERE id = {A_FACT}", "36"),
    "an ended fact revived": ("UPDATE fgraph_facts SET rx = NULL WHERE v = 'red'", '"red"'),
}


@pytest.mark.parametrize("name", EDITS)
def test_facts_changed_by_hand_are_a_warning(told, tmp_path, name):
    sql, part = EDITS[name]
    repaired = damaged(told, tmp_path / "e.db", sql)
    repaired._store.connection.execute("DELETE FROM fgraph_fts")
    repaired.doctor(repair=True)
    report = repaired.doctor()
    assert report["ok"]
    assert report.keys() - CLEAN.keys() == {"warnings"}
    assert any(part in warning for warning in report["warnings"])


def test_replayed_and_forgotten_facts_are_no_warning():
    db = connect()
    db.declare("cache/page", nohistory=True)
    db.transact([{"id": "skerry", "light/range": 18, "cache/page": "a", "v/v": {"vector": [1]}}])
    db.transact([{"id": "skerry", "cache/page": "b", "v/v": {"vector": [2]}}])
    db.apply(stream(event(), event(event="7c5bd882-4cb0-4901-9af6-4027c1a588fb", retracted=[["a", "b/c", 1, "int"]])))
    assert "warnings" not in db.doctor()


DERIVED = {
    "a text row missing": ("DELETE FROM fgraph_fts WHERE rowid = 20", "full-text rows of fact 20"),
    "a text row too many": ("INSERT INTO fgraph_fts (rowid, text) VALUES (9999, 'x')", "full-text rows of fact 9999"),
    "another text": ("UPDATE fgraph_fts SET text = 'x' WHERE rowid = 20", "full-text rows of fact 20"),
    "a block of the index lost": ("DELETE FROM fgraph_fts_data WHERE id > 10", "full-text"),
    "sizes wrong": ("UPDATE fgraph_fts_docsize SET sz = x'63' WHERE id = 20", "full-text"),
    "texts changed under the index": ("UPDATE fgraph_fts_content SET c0 = 'x' WHERE id = 20", "full-text"),
    "an orphaned blob": ("INSERT INTO fgraph_blobs VALUES (zeroblob(32), 'x')", "blobs are used by no fact"),
}


@pytest.mark.parametrize("name", DERIVED)
def test_derived_damage_is_repaired(told, tmp_path, name):
    sql, part = DERIVED[name]
    db = damaged(told, tmp_path / "d.db", sql)
    sound = damaged(told, tmp_path / "s.db")
    report = db.doctor()
    assert (report["ok"], report["repair_needed"], report["repaired"]) == (False, True, False)
    assert any(part in problem and "--repair" in problem for problem in report["problems"])
    repaired = db.doctor(repair=True)
    assert (repaired["ok"], repaired["repaired"]) == (True, True)
    assert repaired["fts_rows_rebuilt"] == sound.doctor()["expected_fts_rows"]
    assert repaired["orphaned_blobs_removed"] == (name == "an orphaned blob")
    assert db.doctor() == sound.doctor()
    assert db.search("anonymous").to_dict() == sound.search("anonymous").to_dict()


def test_repairing_a_sound_file_says_what_it_would_have_rebuilt():
    report = connect().doctor(repair=True)
    assert report == {**CLEAN, "repaired": True, "fts_rows_rebuilt": 36}


def test_many_problems_are_counted_and_a_hundred_are_listed(tmp_path):
    db = connect(tmp_path / "m.db")
    db.transact([{"id": f"e{number}", "n/v": number} for number in range(150)])
    db._store.connection.execute("UPDATE fgraph_facts SET v = 'x' WHERE t = 2")
    problems = db.doctor()["problems"]
    assert len(problems) == 101
    assert problems[-1].startswith("and ")


def test_a_changed_layout_ends_the_report(told, tmp_path):
    db = damaged(told, tmp_path / "l.db")
    with sqlite3.connect(db.path) as other:
        other.execute("DROP INDEX fgraph_txin")
    report = db.doctor()
    assert any("fgraph_txin" in problem for problem in report["problems"])
    assert (report["ok"], report["expected_fts_rows"]) == (False, 0)


def test_an_entity_that_an_excision_left_incomplete_is_a_warning_and_a_broken_one_a_problem(tmp_path):
    db = connect(tmp_path / "s.db")
    db.declare_shape("shape/task", required=["task/owner"])
    db.transact([{"id": "t", "fgraph/shape": {"ref": "shape/task"}, "task/owner": {"ref": "ada"}}])
    excision = db.excise("ada")
    report = db.doctor()
    assert (report["ok"], report["shape_violations"]) == (True, 0)
    assert any(f"incomplete since excision in tx {excision.tx}" in warning for warning in report["warnings"])
    db.transact({"id": "t", "task/owner": {"ref": "bob"}})
    assert "warnings" not in db.doctor()


def test_an_entity_that_breaks_its_shape_is_a_problem():
    db = connect()
    db.declare_shape("shape/task", required=["task/owner"])
    db.transact([{"id": "t", "fgraph/shape": {"ref": "shape/task"}, "task/owner": "ada"}])
    db._store.connection.execute("DELETE FROM fgraph_facts WHERE v = 'ada'")
    report = db.doctor()
    assert (report["ok"], report["shape_violations"]) == (False, 1)
    assert any("t lacks task/owner" in problem for problem in report["problems"])


def test_no_live_reference_to_what_was_excised(tmp_path):
    db = connect(tmp_path / "r.db")
    db.transact([{"id": "a", "n/to": {"ref": "b"}}, {"id": "b", "n/v": 1}])
    db.excise("b")
    assert db.entity("a") == {}
    assert db.q({"find": ["?a"], "where": [["?a", "n/to", "?b"]]}).rows == []
    assert db.doctor()["ok"]


def large(path) -> fgraph.Db:
    """A file that is examined by two threads."""
    db = connect(path)
    db.transact([{"id": f"e{number}", "n/t": f"text {number} " * 8} for number in range(3_000)])
    db.close()
    assert path.stat().st_size > 1_048_576
    return connect(path)


def test_a_large_file_gives_the_same_report_on_its_own_and_inside_a_speculation(tmp_path):
    db = large(tmp_path / "l.db")
    with db.speculate() as trial:
        assert trial.doctor() == db.doctor()
    report = db.doctor()
    assert (report["ok"], report["fts_rows"]) == (True, 3_036)


def test_damage_of_a_large_file_is_named_by_both_threads(tmp_path):
    db = large(tmp_path / "l.db")
    with sqlite3.connect(db.path) as other:
        other.execute("UPDATE fgraph_meta SET value = 5 WHERE key = 'next_id'")
        other.execute("DELETE FROM fgraph_fts WHERE rowid = 20")
    problems = db.doctor()["problems"]
    assert ["next_id" in problems[0], "full-text rows of fact 20" in problems[1], len(problems)] == [True, True, 2]


def test_a_large_file_can_be_examined_through_a_handle_whose_path_leads_elsewhere(tmp_path):
    db = large(tmp_path / "l.db")
    assert db.doctor()["fts_rows"] == 3_036
    connect(tmp_path / "other.db").close()
    (tmp_path / "other.db").rename(tmp_path / "l.db")
    assert db.doctor()["fts_rows"] == 3_036


def test_a_closed_handle_says_so():
    db = connect()
    db.close()
    with pytest.raises(fgraph.FormatError):
        db.doctor()


def test_a_file_that_others_write_is_sound_at_every_look(tmp_path):
    path = tmp_path / "w.db"
    looks = connect(path)
    stop = threading.Event()

    def write():
        writer = fgraph.connect(path)
        number = 0
        while not stop.is_set():
            number += 1
            writer.transact({"id": f"e{number % 7}", "n/t": f"text {number}", "n/v": {"vector": [number, 1]}})
        writer.close()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        reports = [looks.doctor() for _ in range(LOOKS)]
    finally:
        stop.set()
        thread.join()
    assert [report["problems"] for report in reports if not report["ok"]] == []


def test_a_payload_with_another_fact_is_seen_where_the_hash_fits(tmp_path):
    db = connect(tmp_path / "p.db")
    db.apply(stream(event()))
    text = canonical(event(asserted=[["skerry", "light/range", 99, "int"]]))
    db._store.connection.execute(
        "UPDATE fgraph_events SET event_data = ?, event_hash = ? WHERE tx = 67",
        (text, hashlib.sha256(text.encode()).digest()),
    )
    report = db.doctor()
    assert report["ok"]
    assert len(report["warnings"]) == 2
