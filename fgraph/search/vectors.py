"""The vector list: exact cosine over every live vector of one attribute (docs/search.md)."""

import math
from collections.abc import Iterator
from heapq import nlargest
from itertools import compress
from operator import mul
from typing import NamedTuple

from fgraph.file.identities import chunks
from fgraph.file.reader import Reader
from fgraph.search.contents import Contents, Vector
from fgraph.search.lists import Evidence, Ranking
from fgraph.search.request import Request, VectorQuery
from fgraph.search.work import Work
from fgraph.values.logical import VECTOR

# Cosines computed from distances are wrong by far less than this; what lies closer together is computed exactly.
SLACK = 1e-9
FINEST = 2.0**149  # float32 elements times this are whole numbers
CONTENTS, LINEUP = "search/contents", "search/lineup"


class Candidate(NamedTuple):
    """A live fact whose vector can be compared."""

    fact: int
    entity: int
    digest: bytes


def ranking(reader: Reader, request: Request, allowed: set[int] | None, work: Work) -> Ranking:
    """The entities nearest to the query vector, each with its best fact; one unit for each live vector."""
    query = request.vector
    contents = _contents(reader, len(query.elements))
    lineup = _lineup(reader, query, contents, work)
    best = _best(*lineup.scored(reader, query.elements, allowed), request.list_cap)
    evidence: dict[int, Evidence] = {}
    for one in _in_exact_order(contents, reader, query, best):
        evidence.setdefault(one.entity, Evidence(one.fact))
    order = list(evidence)[: request.list_cap]
    return Ranking({entity: evidence[entity] for entity in order}, len(evidence) > request.list_cap)


def _contents(reader: Reader, dims: int) -> Contents:
    kept = reader.store.lasting(CONTENTS, lambda: Contents(dims))
    if kept.dims != dims:
        reader.store.forget(CONTENTS)
        kept = reader.store.lasting(CONTENTS, lambda: Contents(dims))
    return kept


def _lineup(reader: Reader, query: VectorQuery, contents: Contents, work: Work) -> "Lineup":
    """The lineup of the basis: that of the last search where nothing was written since."""
    kept = reader.store.memo(LINEUP, dict)
    key = (reader.basis, query.attribute, contents.dims)
    if key in kept:
        _spend(work, kept[key].count)
    else:
        kept.clear()
        facts = _live_facts(reader, query.attribute, work)
        contents.keep(reader, {one.digest: one.fact for one in facts})
        kept[key] = Lineup(facts, contents)
    return kept[key]


class Lineup:
    """Every live fact of one attribute at one basis: in columns those whose vectors are kept, and the others."""

    def __init__(self, facts: list[Candidate], contents: Contents) -> None:
        self.count = len(facts)
        self._contents = contents
        kept = contents.vectors
        self._candidates = [one for one in facts if kept.get(one.digest)]
        self._vectors = [kept[one.digest] for one in self._candidates]
        self._lengths = [contents.lengths[one.digest] for one in self._candidates]
        self._beyond = [one for one in facts if one.digest not in kept]

    def scored(self, reader: Reader, query: Vector, allowed: set[int] | None) -> tuple[list[float], list[Candidate]]:
        """The cosine, right up to SLACK, of every comparable vector of the entities let through."""
        length = math.hypot(*query)
        scale = self._contents.scale or length
        query = tuple(element * (scale / length) for element in query)
        candidates, vectors, lengths, beyond = self._candidates, self._vectors, self._lengths, self._beyond
        if allowed is not None:
            chosen = [one.entity in allowed for one in candidates]
            candidates, vectors, lengths = (list(compress(column, chosen)) for column in (candidates, vectors, lengths))
            beyond = [one for one in beyond if one.entity in allowed]
        cosines, found = _cosines(vectors, lengths, query, scale), list(candidates)
        for part in chunks(beyond):
            for one, (_, vector, length) in zip(
                part, self._contents.read(reader, [one.fact for one in part]), strict=True
            ):
                if vector:
                    cosines += _cosines([vector], [length], query, scale)
                    found.append(one)
        return cosines, found


def _live_facts(reader: Reader, attribute: int, work: Work) -> list[Candidate]:
    """Every live vector fact of the attribute, oldest first."""
    sql = """
        SELECT id, e, v FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a = ? AND t = ? AND rx IS NULL
        ORDER BY id
        LIMIT ?
    """
    found = [Candidate._make(row) for row in reader.fetch(sql, (attribute, VECTOR, work.left + 1))]
    _spend(work, len(found))
    return found


def _spend(work: Work, vectors: int) -> None:
    hint = "open the file with a query budget above the number of vectors, or search by words"
    work.spend(vectors, "one for each vector of the attribute", hint)


def _cosines(vectors: list[Vector], lengths: list[float], query: Vector, scale: float) -> list[float]:
    """Cosines from Euclidean distances, which the standard library computes in one call: 2qv = q² + v² - (q-v)²."""
    distance = math.dist
    distances = [distance(query, vector) for vector in vectors]
    square = scale * scale
    return [
        (square + length * length - gap * gap) / (2 * scale * length)
        for length, gap in zip(lengths, distances, strict=True)
    ]


def _best(cosines: list[float], candidates: list[Candidate], cap: int) -> list[tuple[float, Candidate]]:
    """The best candidates, best first: all that can belong to the best `cap` entities, and one entity more."""
    wanted = cap + 1
    while True:
        top = nlargest(wanted, cosines)
        floor = top[-1] - SLACK if len(top) == wanted else -math.inf
        best = [(cosine, one) for cosine, one in zip(cosines, candidates, strict=True) if cosine >= floor]
        if floor == -math.inf or len({one.entity for _, one in best}) > cap:
            return sorted(best, key=lambda pair: (-pair[0], pair[1].fact))
        wanted *= 4


def _in_exact_order(
    contents: Contents, reader: Reader, query: VectorQuery, best: list[tuple[float, Candidate]]
) -> Iterator[Candidate]:
    """The candidates by exact cosine, then fact id; only neighbours closer than SLACK have to be looked at again."""
    close: list[Candidate] = []
    last = math.inf
    for cosine, one in best:
        if last - cosine > SLACK:
            yield from _exactly(contents, reader, query, close)
            close = []
        close.append(one)
        last = cosine
    yield from _exactly(contents, reader, query, close)


def _exactly(contents: Contents, reader: Reader, query: VectorQuery, close: list[Candidate]) -> list[Candidate]:
    """By what orders vectors as their cosines do, without any rounding: the cosine squared, with its sign."""
    if len(close) < 2:
        return close
    from fractions import Fraction  # loads decimal arithmetic: not before it is needed

    def square(vector: list[int]) -> Fraction:
        reader.store.check_cancelled()
        product = sum(map(mul, asked, vector))
        return Fraction(product * abs(product), sum(map(mul, vector, vector)))

    asked = _whole(query.elements)
    facts = sorted({one.digest: one.fact for one in close}.values())
    squares = {digest: square(_whole(vector)) for digest, vector in contents.unscaled(reader, facts).items()}
    return sorted(close, key=lambda one: (-squares[one.digest], one.fact))


def _whole(vector: Vector) -> list[int]:
    """The elements as whole numbers: every float32 is a multiple of 2**-149."""
    return [int(element * FINEST) for element in vector]
