"""Fact rows with what hangs on them: full-text rows and blobs."""

import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from fgraph.file import genesis
from fgraph.file.identities import chunks, placeholders
from fgraph.values.logical import INDIRECT, TEXTS, Stored, damaged

# Beside rows of `fgraph_facts f`: the payloads of indirect values.
BLOB_JOIN = "LEFT JOIN fgraph_blobs b ON f.t IN (7, 8, 9) AND b.hash = f.v"


class Fact(NamedTuple):
    """One row of `fgraph_facts`, with its value as stored; the payload of an indirect value may be left out."""

    id: int
    e: int
    a: int
    value: Stored
    tx: int
    rx: int | None = None


def newest_excision(connection: sqlite3.Connection) -> int:
    """The newest transaction that erased facts, 0 when there is none."""
    sql = f"SELECT ifnull(max(tx), 0) FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = {genesis.EXCISED}"
    return connection.execute(sql).fetchone()[0]


def next_fact_id(connection: sqlite3.Connection) -> int:
    """The id that the next inserted fact gets."""
    row = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'fgraph_facts'").fetchone()
    if row is not None and not isinstance(row[0], int):
        raise damaged("the counter of fact ids is no number")
    return 1 if row is None else row[0] + 1


def insert(connection: sqlite3.Connection, facts: list[Fact]) -> None:
    """Insert facts with their ids, the blobs they need and, for live texts, their full-text rows."""
    connection.executemany(
        "INSERT INTO fgraph_facts (id, e, a, v, t, tx, rx) VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(fact.id, fact.e, fact.a, fact.value.value, fact.value.tag, fact.tx, fact.rx) for fact in facts],
    )
    texts = [(fact.id, fact.value.text) for fact in facts if fact.value.tag in TEXTS and fact.rx is None]
    if texts:
        connection.executemany("INSERT INTO fgraph_fts (rowid, text) VALUES (?, ?)", texts)
    blobs = [(fact.value.value, fact.value.payload) for fact in facts if fact.value.tag in INDIRECT]
    if blobs:
        connection.executemany("INSERT INTO fgraph_blobs (hash, data) VALUES (?, ?) ON CONFLICT DO NOTHING", blobs)


def end(connection: sqlite3.Connection, facts: Iterable[Fact], tx: int) -> None:
    """Mark live facts as ended by `tx`; their full-text rows go."""
    facts = list(facts)
    if not facts:
        return
    connection.executemany("UPDATE fgraph_facts SET rx = ? WHERE id = ?", [(tx, fact.id) for fact in facts])
    _drop_texts(connection, [fact.id for fact in facts if fact.value.tag in TEXTS])


def delete(connection: sqlite3.Connection, facts: Iterable[Fact]) -> None:
    """Remove facts from the file, with their full-text rows and the blobs that nothing else refers to."""
    facts = list(facts)
    if not facts:
        return
    connection.executemany("DELETE FROM fgraph_facts WHERE id = ?", [(fact.id,) for fact in facts])
    _drop_texts(connection, [fact.id for fact in facts if fact.value.tag in TEXTS and fact.rx is None])
    _drop_orphans(connection, {(fact.value.tag, fact.value.value) for fact in facts if fact.value.tag in INDIRECT})


def _drop_texts(connection: sqlite3.Connection, fact_ids: list[int]) -> None:
    """Remove full-text rows."""
    if fact_ids:
        connection.executemany("DELETE FROM fgraph_fts WHERE rowid = ?", [(number,) for number in fact_ids])


def _drop_orphans(connection: sqlite3.Connection, keys: set[tuple[int, bytes]]) -> None:
    """Remove the blobs among `keys` that no fact row refers to any more, by one index seek per attribute and key."""
    if not keys:
        return
    attributes = [row[0] for row in connection.execute(DISTINCT_ATTRIBUTES)]
    for tag, key in keys:
        if not any(_is_used(connection, chunk, tag, key) for chunk in chunks(attributes)):
            connection.execute("DELETE FROM fgraph_blobs WHERE hash = ?", (key,))


# Every attribute in use, found by jumping from one to the next in the index instead of reading all of it.
DISTINCT_ATTRIBUTES = """
WITH RECURSIVE attributes (a) AS (
    SELECT min(a) FROM fgraph_facts INDEXED BY fgraph_avet
    UNION ALL
    SELECT (SELECT min(f.a) FROM fgraph_facts f INDEXED BY fgraph_avet WHERE f.a > attributes.a)
    FROM attributes
    WHERE attributes.a IS NOT NULL
)
SELECT a FROM attributes WHERE a IS NOT NULL
"""
# Every type tag in use under an attribute (given twice), also one that no sound file holds, found in the same way.
TAGS_IN_USE = """
WITH RECURSIVE tags (t) AS (
    SELECT min(t) FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = ?
    UNION ALL
    SELECT (SELECT min(f.t) FROM fgraph_facts f INDEXED BY fgraph_avet WHERE f.a = ? AND f.t > tags.t)
    FROM tags
    WHERE tags.t IS NOT NULL
)
SELECT t FROM tags WHERE t IS NOT NULL
"""


def _is_used(connection: sqlite3.Connection, attributes: list[int], tag: int, key: bytes) -> bool:
    sql = f"""
        SELECT 1 FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a IN ({placeholders(attributes)}) AND t = ? AND v = ?
        LIMIT 1
    """
    return connection.execute(sql, (*attributes, tag, key)).fetchone() is not None
