"""The vector list: exact cosine over every live vector of one attribute (docs/search.md)."""

import math
from collections.abc import Iterator
from heapq import nlargest
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
    """One vector that can be compared: its elements, its Euclidean length, and where it stands."""

    elements: tuple[float, ...]
    length: float
    fact: int
    entity: int


def ranking(reader: Reader, request: Request, allowed: set[int] | None, work: Work) -> Ranking:
    """The entities nearest to the query vector, each with its best fact; one unit for each live vector."""
    query = request.vector
    kept = reader.store.memo(KEPT, lambda: Kept(query))
    if not kept.serves(query):
        reader.store.forget(KEPT)
        kept = reader.store.memo(KEPT, lambda: Kept(query))
    kept.follow(reader, work)
    best = _best(*kept.scored(reader, query.elements, allowed), request.list_cap)
    evidence: dict[int, Evidence] = {}
    for row in _in_exact_order(kept, reader, query, best):
        evidence.setdefault(row.entity, Evidence(row.fact))
    order = list(evidence)[: request.list_cap]
    return Ranking({entity: evidence[entity] for entity in order}, len(evidence) > request.list_cap)


class Kept:
    """The vectors of one attribute, unpacked and validated once, up to a bound; the others are read each time.

    A fact never changes its value, so what is kept stays true as long as the fact is live.
    """

    def __init__(self, query: VectorQuery) -> None:
        self._attribute = query.attribute
        self._dims = len(query.elements)
        self._unpack = Struct(f"<{self._dims}f").unpack
        self._basis: int | None = None
        self._scale: float | None = None
        self._known: dict[int, Row | None] = {}  # by fact; None: another number of elements, or all zero
        self._rows: list[Row] = []
        self._beyond: list[int] = []
        self._count = 0

    def serves(self, query: VectorQuery) -> bool:
        return (self._attribute, self._dims) == (query.attribute, len(query.elements))

    def follow(self, reader: Reader, work: Work) -> None:
        """Make the kept vectors those of the live facts at the reader's basis."""
        if reader.basis == self._basis:
            _spend(work, self._count)
            return
        facts = _live_facts(reader, self._attribute, work)
        for gone in self._known.keys() - facts:
            del self._known[gone]
        missing = [fact for fact in facts if fact not in self._known]
        room = max(0, limits.SEARCH_KEPT_ELEMENTS // self._dims - len(self._known))
        for fact, row in self._read(reader, missing[:room]):
            self._known[fact] = row
        self._beyond = missing[room:]
        self._rows = [row for row in self._known.values() if row is not None]
        self._count = len(facts)
        self._basis = reader.basis

    def scored(
        self, reader: Reader, query: tuple[float, ...], allowed: set[int] | None
    ) -> tuple[list[float], list[Row]]:
        """The cosine, right up to SLACK, of every comparable vector of the entities let through."""
        length = math.hypot(*query)
        scale = self._scale or length
        query = tuple(element * (scale / length) for element in query)
        rows = self._rows if allowed is None else [row for row in self._rows if row.entity in allowed]
        cosines, found = _cosines(rows, query, scale), list(rows)
        for part in chunks(self._beyond):
            more = [row for _, row in self._read(reader, part) if row is not None]
            more = [row for row in more if allowed is None or row.entity in allowed]
            cosines += _cosines(more, query, scale)
            found += [row._replace(elements=()) for row in more]
        return cosines, found

    def elements(self, reader: Reader, row: Row) -> tuple[float, ...]:
        """The elements of a row, read again where they are not kept."""
        return row.elements or next(self._read(reader, [row.fact]))[1].elements

    def _read(self, reader: Reader, facts: list[int]) -> Iterator[tuple[int, Row | None]]:
        for part in chunks(facts):
            reader.store.check_cancelled()
            sql = f"""
                SELECT f.id, f.e, f.v, b.data
                FROM fgraph_facts f NOT INDEXED
                LEFT JOIN fgraph_blobs b ON b.hash = f.v
                WHERE f.id IN ({placeholders(part)})
            """
            for fact, entity, key, blob in reader.fetch(sql, part):
                yield fact, self._row(fact, entity, logical.check_blob(VECTOR, key, blob))

    def _row(self, fact: int, entity: int, data: bytes) -> Row | None:
        if len(data) != 4 * self._dims:
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


def _live_facts(reader: Reader, attribute: int, work: Work) -> list[int]:
    """Every live vector fact of the attribute, oldest first."""
    sql = """
        SELECT id FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a = ? AND t = ? AND rx IS NULL
        ORDER BY id
        LIMIT ?
    """
    found = [row[0] for row in reader.fetch(sql, (attribute, VECTOR, work.left + 1))]
    _spend(work, len(found))
    return found


def _spend(work: Work, vectors: int) -> None:
    hint = "open the file with a query budget above the number of vectors, or search by words"
    work.spend(vectors, "one for each vector of the attribute", hint)


def _cosines(rows: list[Row], query: tuple[float, ...], scale: float) -> list[float]:
    """Cosines from Euclidean distances, which the standard library computes in one call: 2qv = q² + v² - (q-v)²."""
    distance = math.dist
    distances = [distance(query, row[0]) for row in rows]
    square = scale * scale
    return [
        (square + row[1] * row[1] - gap * gap) / (2 * scale * row[1]) for row, gap in zip(rows, distances, strict=True)
    ]


def _best(cosines: list[float], rows: list[Row], cap: int) -> list[tuple[float, Row]]:
    """The best rows, best first: all that can belong to the best `cap` entities, and one entity more."""
    wanted = cap + 1
    while True:
        top = nlargest(wanted, cosines)
        floor = top[-1] - SLACK if len(top) == wanted else -math.inf
        best = [(cosine, row) for cosine, row in zip(cosines, rows, strict=True) if cosine >= floor]
        if floor == -math.inf or len({row.entity for _, row in best}) > cap:
            return sorted(best, key=lambda one: (-one[0], one[1].fact))
        wanted *= 4


def _in_exact_order(kept: Kept, reader: Reader, query: VectorQuery, best: list[tuple[float, Row]]) -> Iterator[Row]:
    """The rows by exact cosine, then fact id; only neighbours closer than SLACK have to be looked at again."""
    close: list[Row] = []
    last = math.inf
    for cosine, row in best:
        if last - cosine > SLACK:
            yield from _exactly(kept, reader, query, close)
            close = []
        close.append(row)
        last = cosine
    yield from _exactly(kept, reader, query, close)


def _exactly(kept: Kept, reader: Reader, query: VectorQuery, rows: list[Row]) -> list[Row]:
    if len(rows) < 2:
        return rows
    reader.store.check_cancelled()

    def key(row: Row) -> tuple[float, int]:
        # Summed without rounding, so that ties are ties whatever the version of Python.
        elements = kept.elements(reader, row)
        product = math.fsum(map(mul, query.elements, elements))
        return -product / math.sqrt(math.fsum(map(mul, elements, elements))), row.fact

    return sorted(rows, key=key)
