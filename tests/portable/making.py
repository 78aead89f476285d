"""Files and streams that the tests of this room start from."""

import hashlib
import json
import sqlite3
from collections.abc import Iterable

import fgraph
from fgraph.values.canonical import canonical

GENESIS = 1_767_225_600_000_000
SECOND = 1_000_000
E1_ID = "8c5bd882-4cb0-4901-9af6-4027c1a588fb"
E2_ID = "0133d882-4cb0-4901-9af6-4027c1a588fb"


def connect(path: object = ":memory:", **options: object) -> fgraph.Db:
    """A handle with a fixed clock: genesis, then one second more for each transaction."""
    return fgraph.connect(path, clock=GENESIS, **options)


def event(**changes: object) -> dict:
    """E1: `skerry` is created with a range of 18. Keyword arguments replace keys; None takes one away."""
    record = {
        "asserted": [["skerry", "light/range", 18, "int"]],
        "at": GENESIS + SECOND,
        "created": ["skerry", "light/range"],
        "event": E1_ID,
        "fgraph": "event/1",
        "retracted": [],
        **changes,
    }
    return {key: value for key, value in record.items() if value is not None}


def second_event(**changes: object) -> dict:
    """E2: the range of `skerry` goes from 18 to 21."""
    return event(
        **{
            "asserted": [["skerry", "light/range", 21, "int"]],
            "retracted": [["skerry", "light/range", 18, "int"]],
            "created": [],
            "event": E2_ID,
            "at": GENESIS + 2 * SECOND,
            **changes,
        }
    )


def stream(*records: dict) -> str:
    """Records as canonical lines."""
    return "".join(canonical(record) + "\n" for record in records)


def tail(db: fgraph.Db) -> str:
    """The whole event stream of a file."""
    return stream(*db.event_records())


def story(db: fgraph.Db) -> fgraph.Db:
    """A small history with every kind of value, supersession, undo, a deleted history, vectors and an excision."""
    db.declare("note/tag", many=True)
    db.declare("user/mail", type="text", unique=True)
    db.declare("cache/page", nohistory=True)
    db.transact(
        [
            {"id": "ada", "user/mail": "ada@example.org", "note/tag": ["red", "green"], "user/age": 36},
            {"note/text": "an anonymous note", "note/about": {"ref": "ada"}},
        ],
        by="kim",
        source="desk",
        meta={"n": [1, None]},
        tx={"audit/ticket": "T-1"},
        operation_id="story:1",
    )
    db.transact(
        {
            "id": "values",
            "v/bool": True,
            "v/float": 2.5,
            "v/whole": 3.0,
            "v/small": 0.00001,
            "v/long": "long " * 80,
            "v/instant": {"instant": "2026-03-01T09:30:00Z"},
            "v/bytes": {"bytes": "AAEC"},
            "v/json": {"json": {"b": [1.5, None], "a": "é\u2028"}},
            "v/vector": {"vector": [0.5, -2]},
        }
    )
    changed = db.transact({"id": "ada", "user/age": 37, "cache/page": "first"})
    db.transact({"id": "ada", "cache/page": "second"})
    db.transact([["retract", "ada", "note/tag", "red"]], operation_id="story:2")
    db.undo(changed.tx)
    db.transact({"id": "mallory", "user/mail": "mallory@example.org", "note/about": {"ref": "ada"}})
    db.excise("mallory")
    db.transact({"id": "ada", "note/text": "after the excision"})
    return db


def rows(path: object) -> dict[str, list[tuple]]:
    """Every row of the durable tables of a file, read with plain SQLite."""
    connection = sqlite3.connect(path)
    try:
        return {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall()
            for table in (
                "fgraph_meta",
                "fgraph_ids",
                "fgraph_events",
                "fgraph_facts",
                "fgraph_blobs",
                "sqlite_sequence",
            )
        } | {"fgraph_fts": connection.execute("SELECT rowid, text FROM fgraph_fts ORDER BY rowid").fetchall()}
    finally:
        connection.close()


def live_facts(db: fgraph.Db) -> set[tuple]:
    """The live application facts of a file with global names, comparable between files."""
    sql = """
        SELECT coalesce(i.name, hex(i.gid)), j.name, f.t,
            CASE f.t WHEN 0 THEN (SELECT coalesce(k.name, hex(k.gid)) FROM fgraph_ids k WHERE k.id = f.v) ELSE f.v END
        FROM fgraph_facts f
        JOIN fgraph_ids i ON i.id = f.e
        JOIN fgraph_ids j ON j.id = f.a
        WHERE f.rx IS NULL AND f.tx > 64 AND f.e <> f.tx
    """
    with sqlite3.connect(db.path) as connection:
        return set(connection.execute(sql))


def resealed(records: Iterable[dict]) -> str:
    """A snapshot stream from its records without the footer, with a footer that fits them."""
    body = stream(*records)
    kinds = [next(iter(record)) for record in records]
    footer = {
        "facts": kinds.count("fact"),
        "fgraph": "end",
        "receipts": kinds.count("receipt"),
        "sha256": hashlib.sha256(body.encode()).hexdigest(),
    }
    return body + canonical(footer) + "\n"


def records(text: str) -> list[dict]:
    """The records of a stream."""
    return [json.loads(line) for line in text.split("\n") if line]
