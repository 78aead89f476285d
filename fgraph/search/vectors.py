"""The vector list: exact cosine over every live vector of one attribute (docs/search.md)."""

import math
from collections.abc import Iterable, Iterator
from operator import mul
from struct import Struct
from typing import NamedTuple

from fgraph import limits
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.search.lists import Evidence, Ranking
from fgraph.search.request import Request, VectorQuery
from fgraph.search.work import Work
from fgraph.values import logical
from fgraph.values.logical import VECTOR

# Cosines computed from distances are wrong by far less than this; what lies closer together is computed exactly.
SLACK = 1e-9
# Vectors this many times longer or shorter than the first one are kept scaled to its length, so that SLACK holds.
WIDEST = 1_000.0
KEPT = "search/vectors"


class Row(NamedTuple):
    """One vector that can be compared: its elements and Euclidean length, where it stands."""

    elements: tuple[float, ...]
    length: float
    fact: int
    entity: int


def ranking(reader: Reader, request: Request, allowed: set[int] | None, work: Work) -> Ranking:
    """The entities nearest to the query vector, each with its best fact; one unit for each live vector."""
    query = request.vector
    facts = _live_facts(reader, query.attribute, work)
    kept = reader.store.memo(KEPT, lambda: Kept(query))
    if not kept.serves(query):
        reader.store.forget(KEPT)
        kept = reader.store.memo(KEPT, lambda: Kept(query))
    kept.follow(reader, facts)
    finalists, truncated = _finalists(kept.scored(reader, query.elements, allowed), request.list_cap)
    order = _exact_order(kept, reader, query, finalists, request.list_cap)
    return Ranking({entity: Evidence(fact) for entity, fact in order.items()}, truncated)


class Kept:
    """The vectors of one attribute, unpacked and validated once, up to a bound; the others are read each time.

    A fact never changes its value, so what is kept stays true as long as the fact is live.
    """

    def __init__(self, query: VectorQuery) -> None:
        self.attribute = query.attribute
        self.dims = len(query.elements)
        self._unpack = Struct(f"<{self.dims}f").unpack
        self._scale: float | None = None
        self._rows: dict[int, Row | None] = {}  # None: another number of elements, or all zero
        self._beyond: list[int] = []

    def serves(self, query: VectorQuery) -> bool:
        return (self.attribute, self.dims) == (query.attribute, len(query.elements))

    def follow(self, reader: Reader, facts: dict[int, int]) -> None:
        """Make the kept vectors those of these live facts (fact to entity)."""
        for gone in self._rows.keys() - facts.keys():
            del self._rows[gone]
        missing = [fact for fact in facts if fact not in self._rows]
        room = limits.SEARCH_KEPT_ELEMENTS // self.dims - len(self._rows)
        for fact, row in self._read(reader, missing[: max(0, room)]):
            self._rows[fact] = row
        self._beyond = missing[max(0, room) :]

    def rows(self, reader: Reader, facts: Iterable[int]) -> Iterator[Row]:
        """The comparable vectors among these facts."""
        for fact in facts:
            row = self._rows.get(fact)
            if row is None and fact not in self._rows:
                row = next(self._read(reader, [fact]))[1]
            if row is not None:
                yield row

    def scored(self, reader: Reader, query: tuple[float, ...], allowed: set[int] | None) -> list[tuple]:
        """(cosine up to SLACK, fact, entity) of every comparable vector of the entities let through."""
        rows = [row for row in self._rows.values() if row is not None]
        if allowed is not None:
            rows = [row for row in rows if row.entity in allowed]
        length = math.hypot(*query)
        scale = self._scale or length
        query = tuple(element * (scale / length) for element in query)
        found = _cosines(rows, query, scale)
        for part in chunks(self._beyond):
            beyond = [row for _, row in self._read(reader, part) if row is not None]
            found += _cosines([row for row in beyond if allowed is None or row.entity in allowed], query, scale)
        return found

    def _read(self, reader: Reader, facts: list[int]) -> Iterator[tuple[int, Row | None]]:
        for part in chunks(facts):
            reader.store.check_cancelled()
            sql = f"""
                SELECT f.id, f.e, f.v, b.data
                FROM fgraph_facts f
                LEFT JOIN fgraph_blobs b ON b.hash = f.v
                WHERE f.id IN ({placeholders(part)})
            """
            for fact, entity, key, blob in reader.fetch(sql, part):
                yield fact, self._row(fact, entity, logical.check_blob(VECTOR, key, blob))

    def _row(self, fact: int, entity: int, data: bytes) -> Row | None:
        if len(data) != 4 * self.dims:
            return None
        elements = self._unpack(data)
        length = math.hypot(*elements)
        if length == 0:
            return None
        if self._scale is None:
            self._scale = length
        if not self._scale / WIDEST < length < self._scale * WIDEST:
            elements = tuple(element * (self._scale / length) for element in elements)
            length = self._scale
        return Row(elements, length, fact, entity)


def _live_facts(reader: Reader, attribute: int, work: Work) -> dict[int, int]:
    """Fact to entity of every live vector of the attribute, by fact id."""
    sql = """
        SELECT id, e FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a = ? AND t = ? AND rx IS NULL
        ORDER BY id
        LIMIT ?
    """
    found = dict(reader.fetch(sql, (attribute, VECTOR, work.left + 1)))
    work.spend(len(found), "one for each vector of the attribute")
    return found


def _cosines(rows: list[Row], query: tuple[float, ...], scale: float) -> list[tuple]:
    """Cosines from Euclidean distances, which the standard library computes in one call: 2qv = q² + v² - (q-v)²."""
    distance = math.dist
    distances = [distance(query, row[0]) for row in rows]
    return [
        ((scale * scale + row[1] * row[1] - gap * gap) / (2 * scale * row[1]), row[2], row[3])
        for row, gap in zip(rows, distances, strict=True)
    ]


def _finalists(scored: list[tuple], cap: int) -> tuple[list[int], bool]:
    """The facts that may belong to the best `cap` entities, and whether more entities than that scored."""
    scored.sort(reverse=True)
    entities: set[int] = set()
    facts: list[int] = []
    floor = -math.inf
    for score, fact, entity in scored:
        if score < floor:
            break
        if entity not in entities and len(entities) <= cap:
            entities.add(entity)
            if len(entities) > cap:
                floor = score - SLACK
        facts.append(fact)
    return facts, len(entities) > cap


def _exact_order(kept: Kept, reader: Reader, query: VectorQuery, facts: list[int], cap: int) -> dict[int, int]:
    """Entity to fact by exact cosine, then fact id; summed without rounding, so that it does not depend on Python."""
    exact = []
    for number, row in enumerate(kept.rows(reader, facts)):
        if number % 256 == 0:
            reader.store.check_cancelled()
        product = math.fsum(map(mul, query.elements, row.elements))
        norm = math.sqrt(math.fsum(map(mul, row.elements, row.elements)))
        exact.append((-product / norm, row.fact, row.entity))
    order: dict[int, int] = {}
    for _, fact, entity in sorted(exact):
        order.setdefault(entity, fact)
        if len(order) == cap:
            break
    return order
