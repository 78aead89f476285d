"""Format v2: the objects of a new file, the rows it begins with, and what is not accepted in their place."""

import hashlib
import sqlite3

import pytest

import fgraph
from fgraph import errors
from fgraph.file import genesis, layout
from tests.file.making import GENESIS_AT, change, rows

# Length and SHA-256 of each object's SQL, as other programs compare it.
SQL_TEXTS = {
    "fgraph_meta": (85, "27e45679b5999f0283c7ab39bbfcaeb0d1c685cac1b0fabd41bc58c9ce90e33b"),
    "fgraph_ids": (265, "50a758d13db627ee407b66cc32379969c924460912219051e33da2738c765d31"),
    "fgraph_events": (433, "d6e51f8388234e8e0f2fc996bbfd38c301b70704bc4592373dead1976d505587"),
    "fgraph_facts": (250, "cc7699c2a21b7c87efda2eeb80b8d2d9b9ba51f5f86d4dec6d1dbbb1faab5fdb"),
    "fgraph_blobs": (86, "ec72d06019278a8597e8964c0906152d39b339e90deadb5be64c110798fc35f8"),
    "fgraph_fts": (94, "08ba200550d92564b3893b2e349953cde418edb5c558498f58cd5c547755128e"),
    "fgraph_ids_created": (62, "db20f9d7eb4691bb38cbca0897c5ebf9b18e635bfcf153726b1038c13e767e6f"),
    "fgraph_eavt": (77, "b5c0439ed48eba91a5f2565719bec0eef6d831635adc592552ce0e1d3a67d5b6"),
    "fgraph_avet": (65, "de8afb4eef4f03c03eecd88d27d2ed33fca2760ff894fc13e2a6494288c00257"),
    "fgraph_vaet": (77, "6b5ba51fed93ad6f04ee011602a7bf51f4b07cbbf21ace01fe5e50f13f6ab734"),
    "fgraph_hist": (51, "a3a88007620b57eb1ad994da24cd456949d847f426ae9a486a4ab5bc2074b068"),
    "fgraph_txin": (45, "9358baa5b01bf3dc838689c230ff856e008cdd45e96ddc5a57932fe44e3e6a79"),
    "fgraph_txout": (67, "1670a188e64844171574bbad9d4e79df9c7ead9535c83ef78be61f621dc39c8c"),
    "fgraph_view": (250, "46eeb4a69f708ded49f57c65c1fbd8ca873f40d7340be823668c68f85af93a93"),
    "fgraph_now": (68, "fb1d23edf4bab5b28b50cdeaabffcc556d502be4c1a521f6f899263cee09662e"),
}


def test_a_new_file_holds_exactly_the_objects_of_format_2(path):
    texts = {
        name: " ".join(sql.split()).lower()
        for name, sql in rows(path, "SELECT name, sql FROM sqlite_master")
        if sql and not name.startswith(("sqlite_", "fgraph_fts_"))
    }
    found = {name: (len(sql), hashlib.sha256(sql.encode()).hexdigest()) for name, sql in texts.items()}
    assert found == SQL_TEXTS
    assert rows(path, "PRAGMA application_id") == [(0x66677261,)]
    assert rows(path, "PRAGMA user_version") == [(2,)]
    assert rows(path, "PRAGMA encoding") == [("UTF-8",)]
    assert rows(path, "PRAGMA integrity_check") == [("ok",)]
    assert rows(path, "PRAGMA journal_mode") == [("wal",)]


SYSTEM = [
    "fgraph/at instant", "fgraph/by text", "fgraph/source text", "fgraph/meta json", "fgraph/many bool",
    "fgraph/unique bool", "fgraph/nohistory bool", "fgraph/type text", "fgraph/dims int", "fgraph/doc text",
    "fgraph/excised ref", "fgraph/undoes ref", "fgraph/imported-at instant", "fgraph/vector-model text",
    "fgraph/shape ref", "fgraph/shape-required ref", "fgraph/shape-allowed ref", "fgraph/shape-closed bool",
]  # fmt: skip


def test_a_new_file_begins_with_the_genesis_transaction(path):
    names = [line.split()[0] for line in SYSTEM]
    types = [line.split()[1] for line in SYSTEM]
    genesis_gid = bytes.fromhex("00000000000040008000000000000040")
    assert rows(path, "SELECT id, name, gid, created_tx FROM fgraph_ids ORDER BY id") == [
        *((number, name, None, 64) for number, name in enumerate(names, 1)),
        (64, None, genesis_gid, 64),
    ]
    assert rows(path, "SELECT id, e, a, v, t, tx, rx FROM fgraph_facts WHERE a <> 10 ORDER BY id") == [
        (1, 64, 1, GENESIS_AT, 5, 64, None),
        *((1 + number, number, 8, name, 4, 64, None) for number, name in enumerate(types, 1)),
        (38, 16, 5, 1, 1, 64, None),
        (39, 17, 5, 1, 1, 64, None),
    ]
    assert rows(path, "SELECT id, e, t FROM fgraph_facts WHERE a = 10 ORDER BY id") == [
        (19 + number, number, 4) for number in range(1, 19)
    ]
    assert rows(path, "SELECT rowid, text FROM fgraph_fts ORDER BY rowid") == rows(
        path, "SELECT id, v FROM fgraph_facts WHERE id BETWEEN 2 AND 37 ORDER BY id"
    )
    assert rows(path, "SELECT key, value, typeof(value) FROM fgraph_meta ORDER BY key") == [
        ("created_at", GENESIS_AT, "integer"),
        ("next_id", 65, "integer"),
    ]
    assert rows(path, "SELECT count(*) FROM fgraph_blobs") == [(0,)]


def test_the_genesis_event_has_the_known_hash(path):
    ((tx, digest, text, operation),) = rows(path, "SELECT tx, event_hash, event_data, operation_id FROM fgraph_events")
    assert (tx, operation) == (64, None)
    assert digest.hex() == "1613e2e6ba98ad4cdbb185fc193d02dd2c472737d811abadf0350d1d5f888191"
    assert hashlib.sha256(text.encode()).digest() == digest


def test_the_genesis_texts_have_the_word_counts_that_ranking_rests_on():
    counts = [len(text.split()) for _, _, text in genesis.SYSTEM.values()]
    assert counts == [8, 7, 7, 7, 7, 10, 10, 13, 6, 7, 9, 7, 10, 12, 6, 6, 7, 9]
    assert all(len(text.encode()) <= 256 for _, _, text in genesis.SYSTEM.values())


def test_the_views_show_facts_to_any_sqlite_program(tmp_path):
    path = tmp_path / "facts.db"
    with fgraph.connect(path, clock=GENESIS_AT) as db:
        db.transact({"id": "ada", "p/bio": "b" * 300, "p/n": 1})
        db.transact({"id": "ada", "p/n": 2})
    assert rows(path, "SELECT attribute, value, tag FROM fgraph_now WHERE e = 65") == [
        ("p/bio", "b" * 300, 8),
        ("p/n", 2, 2),
    ]
    assert rows(path, "SELECT value, tx, rx FROM fgraph_view WHERE attribute = 'p/n' ORDER BY id") == [
        (1, 68, 69),
        (2, 69, None),
    ]


CHANGES = {
    "an extra table": ["CREATE TABLE notes (x)"],
    "an extra table that SQLite's own names would hide from a LIKE": ["CREATE TABLE sqlitefoo (x)"],
    "an extra index": ["CREATE INDEX fgraph_extra ON fgraph_facts (v)"],
    "an extra view": ["CREATE VIEW fgraph_mine AS SELECT 1"],
    "an extra trigger": ["CREATE TRIGGER t AFTER INSERT ON fgraph_facts BEGIN SELECT 1; END"],
    "a trigger named like a shadow table": [
        "CREATE TRIGGER fgraph_fts_config AFTER INSERT ON fgraph_facts BEGIN SELECT 1; END"
    ],
    "a trigger named like a table": ["CREATE TRIGGER fgraph_meta AFTER INSERT ON fgraph_ids BEGIN SELECT 1; END"],
    "a missing index": ["DROP INDEX fgraph_hist"],
    "a missing view": ["DROP VIEW fgraph_now"],
    "a missing table": ["DROP TABLE fgraph_blobs"],
    "a missing full-text table": ["DROP TABLE fgraph_fts"],
    "an index over other columns": ["DROP INDEX fgraph_hist", "CREATE INDEX fgraph_hist ON fgraph_facts (e, a)"],
    "an index with other spacing": ["DROP INDEX fgraph_hist", "CREATE INDEX fgraph_hist ON fgraph_facts (e,a,tx)"],
    "a quoted name": ["DROP INDEX fgraph_txin", 'CREATE INDEX "fgraph_txin" ON fgraph_facts (tx)'],
    "an upper-case name": ["DROP INDEX fgraph_txin", "CREATE INDEX FGRAPH_TXIN ON fgraph_facts (tx)"],
    "a table in the place of a view": ["DROP VIEW fgraph_now", "CREATE TABLE fgraph_now (x)"],
    "an added column": ["ALTER TABLE fgraph_facts ADD COLUMN note TEXT"],
    "format 1": ["PRAGMA user_version = 1"],
    "format 3": ["PRAGMA user_version = 3"],
    "no markers, as after a dump": ["PRAGMA user_version = 0", "PRAGMA application_id = 0"],
    "another application": ["PRAGMA application_id = 5"],
}


@pytest.mark.parametrize("statements", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("read_only", [False, True])
def test_a_changed_layout_is_refused_and_left_alone(path, statements, read_only):
    change(path, *statements)
    before = path.read_bytes()
    with pytest.raises(errors.FormatError) as caught:
        fgraph.connect(path, read_only=read_only)
    assert str(path) in caught.value.message
    assert caught.value.hint
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name] or read_only


def test_a_layout_error_names_the_object_and_both_texts(path):
    change(path, "DROP INDEX fgraph_hist", "CREATE INDEX fgraph_hist ON fgraph_facts (e)")
    with pytest.raises(errors.FormatError) as caught:
        fgraph.connect(path)
    assert "fgraph_hist" in caught.value.message
    assert SQL_TEXTS["fgraph_hist"][1][:12] in caught.value.message
    found = hashlib.sha256(b"create index fgraph_hist on fgraph_facts (e)").hexdigest()
    assert found[:12] in caught.value.message


def test_a_newer_format_is_told_apart_from_damage(path):
    change(path, "PRAGMA user_version = 3")
    with pytest.raises(errors.FormatError, match="newer") as caught:
        fgraph.connect(path)
    assert caught.value.hint == "use a newer fgraph"


def test_a_newer_format_without_our_tables_is_still_recognised(tmp_path):
    path = tmp_path / "future.db"
    change(path, "PRAGMA application_id = 1718055521", "PRAGMA user_version = 7", "CREATE TABLE something (x)")
    with pytest.raises(errors.FormatError, match="newer"):
        fgraph.connect(path)


HARMLESS = {
    "ANALYZE": ["ANALYZE"],
    "VACUUM": ["VACUUM"],
    "REINDEX": ["REINDEX"],
    "another journal mode": ["PRAGMA journal_mode = delete"],
    "other full-text options": ["INSERT INTO fgraph_fts (fgraph_fts, rank) VALUES ('automerge', 2)"],
    "an optimized full-text index": ["INSERT INTO fgraph_fts (fgraph_fts) VALUES ('optimize')"],
    "a rebuilt full-text index": ["INSERT INTO fgraph_fts (fgraph_fts) VALUES ('rebuild')"],
    "other white space and letters": ["DROP INDEX fgraph_txin", "CREATE  INDEX fgraph_txin\n\tON FGRAPH_FACTS  (TX) "],
    "another page size": ["PRAGMA journal_mode = delete", "PRAGMA page_size = 1024", "VACUUM"],
    "auto-vacuum": ["PRAGMA auto_vacuum = FULL", "VACUUM"],
}


@pytest.mark.parametrize("statements", HARMLESS.values(), ids=HARMLESS.keys())
def test_what_leaves_the_layout_as_it_is_does_no_harm(path, statements):
    change(path, *statements)
    with fgraph.connect(path, read_only=True) as db:
        assert db.stats()["facts"] == 39
    with fgraph.connect(path) as db:
        db.transact({"id": "ada", "p/n": 1})
        assert db.entity("ada") == {"p/n": 1}
    assert rows(path, "PRAGMA journal_mode") == [("wal",)]


def test_the_same_sql_in_other_letters_and_lines_is_ours():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    for sql in layout.statements().values():
        for word in ("create", "table", "integer", "not null", "select", "where", "check"):
            sql = sql.replace(f"{word} ", f"{word.upper()}\n\t ")
        connection.execute(sql)
    connection.execute("PRAGMA application_id = 1718055521")
    connection.execute("PRAGMA user_version = 2")
    assert layout.is_initialised(connection)


CHECKS = {
    "a tag of eleven": "INSERT INTO fgraph_facts (e, a, v, t, tx) VALUES (1, 1, 1, 11, 64)",
    "an end that is no later than the beginning": "UPDATE fgraph_facts SET rx = tx",
    "a name and a global id": "UPDATE fgraph_ids SET gid = randomblob(16) WHERE id = 1",
    "neither name nor global id": "UPDATE fgraph_ids SET name = NULL WHERE id = 1",
    "an identity before genesis": "UPDATE fgraph_ids SET created_tx = 63 WHERE id = 1",
    "a short hash": "UPDATE fgraph_events SET event_hash = x'00'",
    "an operation without its hash": "UPDATE fgraph_events SET operation_id = 'x'",
    "text for a number": "UPDATE fgraph_facts SET e = 'x'",
    "two live facts of one value": "INSERT INTO fgraph_facts (e, a, v, t, tx) SELECT e, a, v, t, tx FROM fgraph_facts",
}


@pytest.mark.parametrize("sql", CHECKS.values(), ids=CHECKS.keys())
def test_the_file_itself_refuses_rows_that_cannot_be(path, sql):
    with pytest.raises(sqlite3.IntegrityError):
        change(path, sql)
