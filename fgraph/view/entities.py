"""The entities of the page: those touched last, each with its present and its ended facts."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from fgraph import limits
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.read import render
from fgraph.view.bounds import Bounds
from fgraph.view.shown import Pen, identifier

# An entity is an identity with facts, or one that others refer to; transactions and system attributes are none.
TOUCHED = """
WITH touched (id, tx) AS (
    SELECT e, max(tx)
    FROM fgraph_facts
    WHERE tx <= :basis
    GROUP BY e
    UNION ALL
    SELECT e, max(rx)
    FROM fgraph_facts
    WHERE rx <= :basis
    GROUP BY e
    UNION ALL
    SELECT v, 0
    FROM fgraph_facts
    WHERE t = 0 AND tx <= :basis
    GROUP BY v
)
SELECT i.id, max(i.created_tx, max(t.tx)) AS last, count(*) OVER ()
FROM touched t
JOIN fgraph_ids i ON i.id = t.id
WHERE i.id > :genesis AND NOT EXISTS (SELECT 1 FROM fgraph_events x WHERE x.tx = i.id)
GROUP BY i.id
ORDER BY last DESC, i.id DESC
LIMIT :most
"""
# The newest rows of each entity of a chunk, with the number of all of them.
NEWEST = """
SELECT {columns}, f.total
FROM (
    SELECT id, e, a, v, t, tx, rx,
        row_number() OVER (PARTITION BY e ORDER BY {order} DESC, id DESC) AS place,
        count(*) OVER (PARTITION BY e) AS total
    FROM fgraph_facts
    WHERE e IN ({marks}) AND {condition}
) f
{blobs}
WHERE f.place <= ?
ORDER BY f.e, f.place
"""


@dataclass(slots=True)
class Entity:
    """One entity in the making: its facts as the pen wrote them, and how many there are in all."""

    id: int
    touched: int
    facts: list = field(default_factory=list)
    facts_total: int = 0
    ended: list = field(default_factory=list)
    ended_total: int = 0

    def as_list(self, reader: Reader) -> list:
        """`[id, name or null, touched, facts, facts in all, ended facts, ended facts in all]`."""
        label = reader.label(self.id)
        name = label if isinstance(label, str) else None
        rows = [self.facts, self.facts_total, self.ended, self.ended_total]
        return [identifier(self.id), name, self.touched, *rows]


def touched_last(reader: Reader, most: int) -> tuple[list[tuple[int, int]], int]:
    """(id, last transaction) of the entities touched last, newest first, and how many entities there are."""
    values = {"basis": reader.basis, "genesis": limits.GENESIS_TX, "most": most}
    rows = reader.connection.execute(TOUCHED, values).fetchall()
    return [(number, tx) for number, tx, _ in rows], rows[0][2] if rows else 0


def entities(reader: Reader, chosen: list[tuple[int, int]], bounds: Bounds, pen: Pen) -> Iterator[Entity]:
    """The chosen entities with their facts, in the given order."""
    for chunk in chunks(chosen):
        reader.store.check_cancelled()
        made = {number: Entity(number, touched) for number, touched in chunk}
        reader.warm(made)
        for row, total in _newest(reader, list(made), reader.visible(), "tx", bounds.facts):
            made[row[1]].facts.append(pen.fact(row))
            made[row[1]].facts_total = total
        for row, total in _newest(reader, list(made), f"rx <= {reader.basis}", "rx", bounds.history):
            made[row[1]].ended.append(pen.fact(row))
            made[row[1]].ended_total = total
        yield from made.values()


def _newest(reader: Reader, ids: list[int], condition: str, order: str, most: int) -> Iterator[tuple[tuple, int]]:
    sql = NEWEST.format(
        columns=render.FACT_COLUMNS,
        order=order,
        marks=placeholders(ids),
        condition=condition,
        blobs=render.BLOB_JOIN,
    )
    for row in reader.connection.execute(sql, (*ids, most)):  # streamed: values may be long
        yield row[:-1], row[-1]
