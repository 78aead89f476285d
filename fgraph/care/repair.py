"""Rebuilding what is derived from the facts: the full-text table, and the absence of blobs that nothing uses."""

from fgraph.care import derived
from fgraph.file import layout
from fgraph.file.reader import Reader

REMOVE_ORPHANS = f"DELETE FROM fgraph_blobs WHERE hash IN ({derived.ORPHANS})"
INDEX_TEXTS = f"""
    INSERT INTO fgraph_fts (rowid, text)
    SELECT f.id, {derived.TEXT_OF} FROM fgraph_facts f
    WHERE {derived.LIVE_TEXTS}
    ORDER BY f.id
"""


def rebuild(reader: Reader) -> dict[str, int]:
    """Put the derived rows right inside the write transaction that is open; what was done, as in the report.

    The full-text table is made anew only where it differs, and then from nothing, so that no damage of the old one
    can be in the way.
    """
    connection = reader.connection
    if derived.full_text_drift(reader):
        connection.execute("DROP TABLE fgraph_fts")
        connection.execute(layout.statements()["fgraph_fts"])
        connection.execute(INDEX_TEXTS)
    removed = connection.execute(REMOVE_ORPHANS).rowcount
    connection.execute("ANALYZE")
    return {"fts_rows_rebuilt": reader.fetch(derived.EXPECTED)[0][0], "orphaned_blobs_removed": removed}
