"""Checks of what can be derived from the facts: the full-text rows, their index, and blobs that nothing uses."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from fgraph.care import findings as listing
from fgraph.care.findings import Findings
from fgraph.file import faults, layout
from fgraph.file.reader import Reader

TEXT_OF = "CASE f.t WHEN 8 THEN (SELECT b.data FROM fgraph_blobs b WHERE b.hash = f.v) ELSE f.v END"
LIVE_TEXTS = "f.rx IS NULL AND f.t IN (4, 8)"
EXPECTED = f"SELECT count(*) FROM fgraph_facts f WHERE {LIVE_TEXTS}"
PRESENT = "SELECT count(*) FROM fgraph_fts_content"
DIFFERENT = f"""
    SELECT f.id FROM fgraph_facts f
    LEFT JOIN fgraph_fts_content c ON c.id = f.id
    WHERE {LIVE_TEXTS} AND c.c0 IS NOT {TEXT_OF}
"""
SUPERFLUOUS = f"""
    SELECT c.id FROM fgraph_fts_content c
    LEFT JOIN fgraph_facts f ON f.id = c.id AND {LIVE_TEXTS}
    WHERE f.id IS NULL
"""
ORPHANS = "SELECT hash FROM fgraph_blobs EXCEPT SELECT v FROM fgraph_facts WHERE t IN (7, 8, 9)"

# A copy of the full-text table, on which FTS5's own check may be run: it counts as a write.
COPY = "CREATE " + layout.FTS.replace("fgraph_fts", "temp.fgraph_check")
PARTS = tuple(name.removeprefix("fgraph_fts_") for name in layout.SHADOWS)


def check(reader: Reader, findings: Findings) -> None:
    """Compare full-text rows and index with the live texts, and look for orphaned blobs."""
    expected, present = reader.fetch(EXPECTED)[0][0], _count(reader)
    findings.figures["expected_fts_rows"] = expected
    findings.figures["fts_rows"] = present
    drift = full_text_drift(reader)
    if drift:
        findings.derived(drift)
    orphans = reader.fetch(ORPHANS)
    findings.figures["orphaned_blobs"] = len(orphans)
    if orphans:
        findings.derived(f"{len(orphans)} blobs are used by no fact")


def full_text_drift(reader: Reader) -> str | None:
    """How the full-text rows or their index differ from the live texts; None when they are equal."""
    try:
        rows = [*reader.connection.execute(DIFFERENT), *reader.connection.execute(SUPERFLUOUS)]
        if rows:
            return f"the full-text rows of fact {listing.rows(rows)} differ from the live texts"
        with _copied(reader) as copy:
            reader.connection.execute(f"INSERT INTO {copy} (fgraph_check) VALUES ('integrity-check')")
    except sqlite3.DatabaseError as fault:
        if faults.is_interrupt(fault):
            raise
        return f"the full-text index does not match its texts, or cannot be read ({fault})"
    return None


def _count(reader: Reader) -> int:
    try:
        return reader.fetch(PRESENT)[0][0]
    except sqlite3.DatabaseError as fault:
        if faults.is_interrupt(fault):
            raise
        return 0


@contextmanager
def _copied(reader: Reader) -> Iterator[str]:
    """The name of a temporary full-text table with the same rows and index; the file itself is only read."""
    connection = reader.connection
    query_only = connection.execute("PRAGMA query_only").fetchone()[0]
    connection.execute("PRAGMA query_only = OFF")
    try:
        connection.execute(COPY)
        for part in PARTS:
            connection.execute(f"DELETE FROM temp.fgraph_check_{part}")
            connection.execute(f"INSERT INTO temp.fgraph_check_{part} SELECT * FROM main.fgraph_fts_{part}")
        yield "temp.fgraph_check"
    finally:
        connection.execute("DROP TABLE IF EXISTS temp.fgraph_check")
        connection.execute(f"PRAGMA query_only = {query_only}")
