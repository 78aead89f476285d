"""Transaction 64: the eighteen system attributes and the rows every new file begins with (docs/file-format.md)."""

import sqlite3

from fgraph import limits
from fgraph.values import canonical
from fgraph.values.logical import BOOL, INSTANT, TEXT

AT, BY, SOURCE, META, MANY, UNIQUE, NOHISTORY, TYPE, DIMS, DOC = range(1, 11)
EXCISED, UNDOES, IMPORTED_AT, VECTOR_MODEL, SHAPE, SHAPE_REQUIRED, SHAPE_ALLOWED, SHAPE_CLOSED = range(11, 19)
GENESIS_TX = limits.GENESIS_TX
GENESIS_GID = bytes.fromhex("00000000000040008000000000000040")
GENESIS_EVENT = "00000000-0000-4000-8000-000000000040"
PREFIX = "fgraph/"

# id: (name, type, documentation). The word counts of the texts are fixed: they weigh in full-text ranking.
SYSTEM = {
    AT: ("fgraph/at", "instant", "The time at which this transaction was committed"),
    BY: ("fgraph/by", "text", "The person or program that wrote it"),
    SOURCE: ("fgraph/source", "text", "Where the facts of it come from"),
    META: ("fgraph/meta", "json", "Any JSON the writer attached to it"),
    MANY: ("fgraph/many", "bool", "An entity may hold several values here"),
    UNIQUE: ("fgraph/unique", "bool", "No two entities may hold one value of this attribute"),
    NOHISTORY: ("fgraph/nohistory", "bool", "Ended facts of this attribute are deleted instead of kept"),
    TYPE: ("fgraph/type", "text", "The one logical type that every value of this attribute must have, exactly"),
    DIMS: ("fgraph/dims", "int", "How many numbers each vector has"),
    DOC: ("fgraph/doc", "text", "What this attribute or entity stands for"),
    EXCISED: ("fgraph/excised", "ref", "The entity whose facts were erased by this transaction"),
    UNDOES: ("fgraph/undoes", "ref", "The earlier transaction that this one inverts"),
    IMPORTED_AT: ("fgraph/imported-at", "instant", "The time at which the event was committed at origin"),
    VECTOR_MODEL: ("fgraph/vector-model", "text", "The name of the model that made the vectors of this attribute"),
    SHAPE: ("fgraph/shape", "ref", "The shape that this entity follows"),
    SHAPE_REQUIRED: ("fgraph/shape-required", "ref", "An attribute every such entity needs"),
    SHAPE_ALLOWED: ("fgraph/shape-allowed", "ref", "An attribute such an entity may have"),
    SHAPE_CLOSED: ("fgraph/shape-closed", "bool", "Whether the shape refuses attributes that it leaves out"),
}
NAMES = {name: number for number, (name, _, _) in SYSTEM.items()}
MANY_VALUED = (SHAPE_REQUIRED, SHAPE_ALLOWED)
DECLARATIONS = (MANY, UNIQUE, NOHISTORY, TYPE, DIMS, DOC, VECTOR_MODEL)


def facts(at: int) -> list[tuple[int, int, int, object, int]]:
    """The 39 genesis facts as (id, e, a, v, t)."""
    rows: list[tuple[int, int, object, int]] = [(GENESIS_TX, AT, at, INSTANT)]
    rows += [(number, TYPE, kind, TEXT) for number, (_, kind, _) in SYSTEM.items()]
    rows += [(number, DOC, text, TEXT) for number, (_, _, text) in SYSTEM.items()]
    rows += [(number, MANY, 1, BOOL) for number in MANY_VALUED]
    return [(position, *row) for position, row in enumerate(rows, start=1)]


def event_text(at: int) -> str:
    """The canonical event of the genesis transaction."""
    return canonical.canonical(
        {
            "asserted": [],
            "at": at,
            "created": [name for name, _, _ in SYSTEM.values()],
            "event": GENESIS_EVENT,
            "fgraph": "event/1",
            "retracted": [],
        }
    )


def write(connection: sqlite3.Connection, at: int) -> None:
    """Insert the genesis rows into freshly created tables, inside the caller's transaction."""
    import hashlib  # loads OpenSSL: not before it is needed

    identities = [(number, name, None, GENESIS_TX) for number, (name, _, _) in SYSTEM.items()]
    identities.append((GENESIS_TX, None, GENESIS_GID, GENESIS_TX))
    connection.executemany("INSERT INTO fgraph_ids (id, name, gid, created_tx) VALUES (?, ?, ?, ?)", identities)
    rows = facts(at)
    connection.executemany(
        "INSERT INTO fgraph_facts (id, e, a, v, t, tx, rx) VALUES (?, ?, ?, ?, ?, ?, NULL)",
        [(*row, GENESIS_TX) for row in rows],
    )
    connection.executemany(
        "INSERT INTO fgraph_fts (rowid, text) VALUES (?, ?)", [(row[0], row[3]) for row in rows if row[4] == TEXT]
    )
    text = event_text(at)
    connection.execute(
        "INSERT INTO fgraph_events (tx, event_hash, event_data) VALUES (?, ?, ?)",
        (GENESIS_TX, hashlib.sha256(text.encode()).digest(), text),
    )
    connection.executemany(
        "INSERT INTO fgraph_meta (key, value) VALUES (?, ?)",
        [("next_id", limits.FIRST_USER_ID), ("created_at", at)],
    )
