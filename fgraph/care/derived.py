"""Checks of what can be derived from the facts: the full-text rows, their index, and blobs that nothing uses."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from fgraph.care import findings as listing
from fgraph.care.findings import Findings
from fgraph.file import layout
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

# The same texts indexed afresh, and both indexes laid open; sums tell the places of all words apart.
FRESH = "CREATE " + layout.FTS.replace("fgraph_fts", "temp.fgraph_check").replace("text,", "text, content = '',", 1)
FILL = f"INSERT INTO temp.fgraph_check (rowid, text) SELECT f.id, {TEXT_OF} FROM fgraph_facts f WHERE {LIVE_TEXTS}"
VIEWS = (("fgraph_check_old", "main", "fgraph_fts"), ("fgraph_check_new", "temp", "fgraph_check"))
PLACES = "SELECT count(*), sum(doc), sum(offset), sum(doc * (offset + 7)) FROM temp.{}_places"
# Each term is looked up in the old index, the way a search does it.
TERMS = """
    SELECT count(*) FROM temp.fgraph_check_new_terms n
    LEFT JOIN temp.fgraph_check_old_terms o ON o.term = n.term
    WHERE o.doc IS NOT n.doc OR o.cnt IS NOT n.cnt
"""
SIZES = """
    SELECT count(*) FROM fgraph_fts_docsize o
    LEFT JOIN temp.fgraph_check_docsize n ON n.id = o.id
    WHERE n.sz IS NOT o.sz
"""
TOTALS = "SELECT block FROM {}_data WHERE id = 1"


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
        with _fresh_index(reader):
            return None if _same_index(reader) else "the full-text index does not match the texts"
    except sqlite3.DatabaseError as fault:
        reader.store.check_cancelled()
        return f"the full-text index cannot be read ({fault})"


def _count(reader: Reader) -> int:
    try:
        return reader.fetch(PRESENT)[0][0]
    except sqlite3.DatabaseError:
        reader.store.check_cancelled()
        return 0


def _same_index(reader: Reader) -> bool:
    pairs = (
        (PLACES.format("fgraph_check_old"), PLACES.format("fgraph_check_new")),
        (TOTALS.format("fgraph_fts"), TOTALS.format("temp.fgraph_check")),
    )
    if any(reader.fetch(ours) != reader.fetch(theirs) for ours, theirs in pairs):
        return False
    return reader.fetch(SIZES) == reader.fetch(TERMS) == [(0,)]


@contextmanager
def _fresh_index(reader: Reader) -> Iterator[None]:
    """Temporary tables with a second index of the live texts; the file itself is only read."""
    connection = reader.connection
    query_only = connection.execute("PRAGMA query_only").fetchone()[0]
    connection.execute("PRAGMA query_only = OFF")
    try:
        connection.execute(FRESH)
        connection.execute(FILL)
        for view, schema, table in VIEWS:
            for suffix, kind in (("terms", "row"), ("places", "instance")):
                connection.execute(
                    f"CREATE VIRTUAL TABLE temp.{view}_{suffix} USING fts5vocab('{schema}', '{table}', '{kind}')"
                )
        yield
    finally:
        for view, _, _ in VIEWS:
            connection.execute(f"DROP TABLE IF EXISTS temp.{view}_terms")
            connection.execute(f"DROP TABLE IF EXISTS temp.{view}_places")
        connection.execute("DROP TABLE IF EXISTS temp.fgraph_check")
        connection.execute(f"PRAGMA query_only = {query_only}")
