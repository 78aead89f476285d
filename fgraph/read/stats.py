"""Figures about the file at a basis (docs/file-format.md)."""

from fgraph.file import identities, layout, paths
from fgraph.file.reader import Reader


def stats(reader: Reader) -> dict:
    """Exactly nine keys: markers, counts visible at the basis, and the bytes of the main file (0 in memory)."""
    return {
        "application_id": layout.APPLICATION_ID,
        "format_version": layout.FORMAT_VERSION,
        "entities": _count(
            reader,
            "SELECT count(*) FROM fgraph_ids i WHERE created_tx <= ?"
            " AND NOT EXISTS (SELECT 1 FROM fgraph_events x WHERE x.tx = i.id)",
        ),
        "attributes": _attributes(reader),
        "facts": _count(reader, "SELECT count(*) FROM fgraph_facts WHERE tx <= ?"),
        "live_facts": reader.fetch(f"SELECT count(*) FROM fgraph_facts WHERE {reader.visible()}")[0][0],
        "transactions": _count(reader, "SELECT count(*) FROM fgraph_events WHERE tx <= ?"),
        "blobs": _count(reader, "SELECT count(DISTINCT v) FROM fgraph_facts WHERE t IN (7, 8, 9) AND tx <= ?"),
        "size": 0 if reader.store.path == paths.MEMORY else paths.size(reader.store.path),
    }


def _count(reader: Reader, sql: str) -> int:
    return reader.fetch(sql, (reader.basis,))[0][0]


def _attributes(reader: Reader) -> int:
    rows = reader.fetch("SELECT name FROM fgraph_ids WHERE name LIKE '%/%' AND created_tx <= ?", (reader.basis,))
    return sum(1 for (name,) in rows if identities.is_attribute(name))
