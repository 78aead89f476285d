"""Ranked rows of the full-text table, as live facts of own attributes."""

from typing import NamedTuple

from fgraph import limits
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader


class Found(NamedTuple):
    """(fact, entity, attribute, tx) of matching facts, best first, and whether there are no more than these."""

    rows: list[tuple]
    all: bool


def condition(attributes: tuple[int, ...]) -> str:
    """The SQL condition for a fact `f` that a search may find; only facts of these attributes, where some are named."""
    only = f" AND f.a IN ({','.join(map(str, attributes))})" if attributes else ""
    return f"f.a >= {limits.FIRST_USER_ID} AND f.rx IS NULL{only}"


def best(reader: Reader, words: str, attributes: tuple[int, ...], most: int, newest_first: bool) -> Found:
    """Those among the `most` best full-text rows that a search may find.

    Ranks before it looks at the facts: that is twice as fast, but rows of system attributes use up places.
    """
    order = "DESC" if newest_first else ""
    sql = f"SELECT rowid FROM fgraph_fts WHERE fgraph_fts MATCH ? ORDER BY rank, rowid {order} LIMIT ?"
    numbers = [row[0] for row in reader.fetch(sql, (words, most))]
    return Found(among(reader, numbers, condition(attributes)), len(numbers) < most)


def every(reader: Reader, words: str, attributes: tuple[int, ...], most: int, newest_first: bool) -> Found:
    """The `most` best rows that a search may find."""
    sql = f"""
        SELECT f.id, f.e, f.a, f.tx
        FROM fgraph_fts
        CROSS JOIN fgraph_facts f ON f.id = fgraph_fts.rowid
        WHERE fgraph_fts MATCH ? AND {condition(attributes)}
        ORDER BY fgraph_fts.rank, f.id {"DESC" if newest_first else ""}
        LIMIT ?
    """
    rows = reader.fetch(sql, (words, most))
    return Found(rows, len(rows) < most)


def among(reader: Reader, numbers: list[int], condition: str) -> list[tuple]:
    """(fact, entity, attribute, tx) of those of some facts that meet a condition, in the order given."""
    rows: dict[int, tuple] = {}
    for part in chunks(numbers):
        sql = f"""
            SELECT f.id, f.e, f.a, f.tx
            FROM fgraph_facts f NOT INDEXED
            WHERE f.id IN ({placeholders(part)}) AND {condition}
        """
        rows.update((row[0], row) for row in reader.fetch(sql, part))
    return [rows[number] for number in numbers if number in rows]
