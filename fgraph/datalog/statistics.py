"""Counts taken from the file itself, on its indexes, for the planner: capped, cached, the same for the same rows."""

from typing import NamedTuple

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.file.rows import TAGS_IN_USE
from fgraph.schema.declarations import declarations
from fgraph.values.logical import Stored

ALL_TAGS = frozenset(range(11))


class Spread(NamedTuple):
    """How the facts of one attribute are spread: how many (capped), for each entity, for each value."""

    count: float
    per_entity: float
    per_value: float


class Statistics:
    """Estimates at one basis. Counts include ended facts: they steer the order of joins, never an answer."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._declared = declarations(reader)
        known = reader.store.memo("query-statistics", dict)
        if known.get("basis") != reader.basis:
            known.clear()
            known["basis"] = reader.basis
        self._known = known

    def _once(self, key: tuple, build: object) -> object:
        if key not in self._known:
            self._known[key] = build()
        return self._known[key]

    def tags(self, attribute: int) -> frozenset[int]:
        """The type tags that occur under an attribute, in any fact of the file; damage may bring impossible ones."""
        return self._once(("tags", attribute), lambda: self._tags(attribute))

    def spread(self, attribute: int) -> Spread:
        return self._once(("spread", attribute), lambda: self._spread(attribute))

    def matching(self, attribute: int, value: Stored) -> float:
        """How many facts have this value of this attribute (capped)."""
        return self._once(("value", attribute, value.key), lambda: self._matching(attribute, value))

    def total(self) -> float:
        """How many facts the file has, about."""
        return self._once(("total",), lambda: self._reader.fetch("SELECT max(id) FROM fgraph_facts")[0][0] or 0)

    def single(self, attribute: int) -> bool:
        """Whether an entity has at most one live value of the attribute."""
        return not self._declared.many(attribute)

    def _tags(self, attribute: int) -> frozenset[int]:
        return frozenset(row[0] for row in self._reader.fetch(TAGS_IN_USE, (attribute, attribute)))

    def _matching(self, attribute: int, value: Stored) -> float:
        if self._declared.unique(attribute):
            return 1
        sql = f"""
            SELECT count(*) FROM (
                SELECT 1
                FROM fgraph_facts INDEXED BY fgraph_avet
                WHERE a = ? AND t = ? AND v = ?
                LIMIT {limits.STATISTICS_ROWS}
            )
        """
        return self._reader.fetch(sql, (attribute, value.tag, value.value))[0][0]

    def _spread(self, attribute: int) -> Spread:
        count, sampled, values = self._reader.fetch(SPREAD, (attribute, attribute))[0]
        per_entity = 1.0
        if not self.single(attribute) and count:
            facts, entities = self._reader.fetch(PER_ENTITY, (attribute, attribute))[0]
            per_entity = facts / max(entities, 1)
        per_value = 1.0 if self._declared.unique(attribute) else sampled / max(values, 1)
        return Spread(count, max(per_entity, 1.0), max(per_value, 1.0))


SPREAD = f"""
WITH
counted (n) AS (
    SELECT count(*)
    FROM (SELECT 1 FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = ? LIMIT {limits.STATISTICS_ROWS})
),
sample (t, v) AS (
    SELECT t, v FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = ? LIMIT {limits.STATISTICS_SAMPLE}
)
SELECT (SELECT n FROM counted), (SELECT count(*) FROM sample), (SELECT count(*) FROM (SELECT DISTINCT t, v FROM sample))
"""
PER_ENTITY = f"""
SELECT count(*), count(DISTINCT f.e)
FROM (
    SELECT DISTINCT e
    FROM (SELECT e FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = ? LIMIT {limits.STATISTICS_ENTITIES})
) s
CROSS JOIN fgraph_facts f INDEXED BY fgraph_hist ON f.e = s.e AND f.a = ?
"""
