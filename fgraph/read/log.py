"""The log: the latest transactions, with who wrote each, when, and what it was about."""

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.read.timeline import transaction_heads
from fgraph.values import canonical

NEWEST = """
SELECT tx, operation_id
FROM fgraph_events
WHERE tx > ? AND tx <= ? AND tx < ?
ORDER BY tx DESC
LIMIT ?
"""
# One row for each of the first entities, all of them with the same three totals.
ABOUT = """
SELECT e, count(*) OVER (), sum(sum(came)) OVER (), sum(sum(went)) OVER ()
FROM (
    SELECT e, id, 1 AS came, 0 AS went FROM fgraph_facts WHERE tx = ? AND e <> tx
    UNION ALL
    SELECT e, id, 0, 1 FROM fgraph_facts WHERE rx = ? AND e <> rx
)
GROUP BY e
ORDER BY min(id)
LIMIT ?
"""


def log(reader: Reader, most: int, before: int | None = None) -> list[dict]:
    """The newest transactions, newest first and without genesis, those from `before` on left out.

    Each is `{"tx", "at", "operation_id", "asserted", "retracted", "entities", "about"}`, and `by` and `source` where
    given. `asserted` and `retracted` count facts about other entities than the transaction, `entities` those entities;
    `about` names the first of them, at most `limits.LOG_ABOUT`, in the order of their facts.
    """
    end = limits.INT_MAX if before is None else canonical.check_int64(before, "before")
    found = reader.fetch(NEWEST, (limits.GENESIS_TX, reader.basis, end, most))
    heads = transaction_heads(reader, [tx for tx, _ in found])
    return [{"tx": tx, "operation_id": operation, **heads[tx], **_about(reader, tx)} for tx, operation in found]


def _about(reader: Reader, tx: int) -> dict:
    rows = reader.fetch(ABOUT, (tx, tx, limits.LOG_ABOUT))
    _, entities, asserted, retracted = rows[0] if rows else (None, 0, 0, 0)
    reader.warm([row[0] for row in rows])
    about = [reader.label(row[0]) for row in rows]
    return {"asserted": asserted, "retracted": retracted, "entities": entities, "about": about}
