"""Fact rows of one answer, read in few statements, with long payloads read one at a time."""

from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.read import render
from fgraph.values.logical import INDIRECT


def rows(reader: Reader, numbers: list[int]) -> dict[int, tuple]:
    """(id, e, a, v, t, tx, rx) of live facts by id, their labels loaded."""
    found: dict[int, tuple] = {}
    for part in chunks(numbers):
        reader.store.check_cancelled()
        sql = f"""
            SELECT id, e, a, v, t, tx, rx
            FROM fgraph_facts
            WHERE id IN ({placeholders(part)})
        """
        found.update((row[0], row) for row in reader.fetch(sql, part))
    render.warm_rows(reader, found.values())
    return found


def value(reader: Reader, row: tuple) -> object:
    """The wire form of the value of one such row."""
    return render.render_value(reader, row[4], row[3], payload(reader, row))


def fact(reader: Reader, row: tuple) -> dict:
    """One such row as a fact is shown."""
    return render.render_fact(reader, (*row, payload(reader, row)))


def payload(reader: Reader, row: tuple) -> str | bytes | None:
    """What stands behind the key of an indirect value; None where the value stands in the row, or is missing."""
    if row[4] not in INDIRECT:
        return None
    found = reader.fetch("SELECT data FROM fgraph_blobs WHERE hash = ?", (row[3],))
    return found[0][0] if found else None
