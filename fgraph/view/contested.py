"""Contested cells: one-value cells whose value came back, or was last changed by somebody else or from elsewhere.

A cell is one attribute of one entity. It is contested when a value that had ended was asserted again, or when its
present value and the one before it were asserted by different authors, or from different sources; none counts as an
author, or source, of its own.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from fgraph import limits
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.read import render
from fgraph.schema.declarations import declarations
from fgraph.view.shown import Pen, identifier

CHANGED_CELLS = """
SELECT f.e, f.a, f.t, f.v, f.tx, f.rx
FROM (
    SELECT e, a
    FROM fgraph_facts
    WHERE tx <= :basis
    GROUP BY e, a
    HAVING count(*) > 1
) c
CROSS JOIN fgraph_facts f ON f.e = c.e AND f.a = c.a
WHERE f.tx <= :basis
ORDER BY f.e, f.a, f.tx, f.id
"""
WRITERS = """
SELECT f.e, f.a, f.t, f.v
FROM fgraph_facts f
WHERE f.a IN (:by, :source) AND f.tx = f.e AND f.tx <= :basis
"""


class Value(NamedTuple):
    """One value that a cell has or had."""

    key: tuple[int, object]  # tag and stored value
    tx: int
    rx: int | None


class Cell(NamedTuple):
    """A contested cell and why it is: any of "returned", "by", "source"."""

    touched: int
    entity: int
    attribute: int
    reasons: list[str]


class Writers:
    """Who asserted what, and from where: the stored author and source of each transaction."""

    def __init__(self, reader: Reader) -> None:
        values = {"basis": reader.basis, "by": genesis.BY, "source": genesis.SOURCE}
        rows = reader.connection.execute(WRITERS, values)
        self._of = {(tx, attribute): (tag, value) for tx, attribute, tag, value in rows}

    def differ(self, attribute: int, one: int, other: int) -> bool:
        return self._of.get((one, attribute)) != self._of.get((other, attribute))


def contested(reader: Reader, pen: Pen) -> tuple[list[dict], int]:
    """The contested cells that changed last, and how many there are in all.

    A cell is `{"e", "a", "reasons", "values", "total"}`; its values are facts of the pen, newest first.
    """
    found = sorted(_find(reader), key=itemgetter(0, 1, 2), reverse=True)
    return [_written(reader, cell, pen) for cell in found[: limits.VIEW_CONTESTED]], len(found)


def _find(reader: Reader) -> Iterator[Cell]:
    declared, writers = declarations(reader), Writers(reader)
    rows = reader.connection.execute(CHANGED_CELLS, {"basis": reader.basis})
    for (entity, attribute), group in groupby(rows, key=itemgetter(0, 1)):
        reader.store.check_cancelled()
        if declared.many(attribute):
            continue
        values = [Value((tag, value), tx, reader.ended(rx)) for _, _, tag, value, tx, rx in group]
        reasons = _reasons(values, writers)
        if reasons:
            touched = max(max(value.tx, value.rx or 0) for value in values)
            yield Cell(touched, entity, attribute, reasons)


def _reasons(values: list[Value], writers: Writers) -> list[str]:
    """Why a cell with these values, oldest first, is contested; nothing where it is not."""
    reasons = []
    if len({value.key for value in values}) < len(values):
        reasons.append("returned")
    present, previous = values[-1], values[-2]
    if present.rx is None:
        reasons += [
            name
            for name, attribute in (("by", genesis.BY), ("source", genesis.SOURCE))
            if writers.differ(attribute, present.tx, previous.tx)
        ]
    return reasons


def _written(reader: Reader, cell: Cell, pen: Pen) -> dict:
    sql = f"""
        SELECT {render.FACT_COLUMNS}, count(*) OVER ()
        FROM {render.FACT_FROM}
        WHERE f.e = ? AND f.a = ? AND f.tx <= ?
        ORDER BY f.tx DESC, f.id DESC
        LIMIT ?
    """
    rows = reader.fetch(sql, (cell.entity, cell.attribute, reader.basis, limits.VIEW_CELL_VALUES))
    pen.identities.add(cell.entity)
    return {
        "e": identifier(cell.entity),
        "a": pen.attribute(cell.attribute),
        "reasons": cell.reasons,
        "values": [pen.fact(row[:-1]) for row in rows],
        "total": rows[0][-1],
    }
