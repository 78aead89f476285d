"""The vectors behind digests: read, checked and unpacked once, and kept up to a bound (docs/search.md)."""

import math
from collections.abc import Iterator
from struct import Struct

from fgraph import limits
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.values.logical import VECTOR, check_blob

# Vectors this many times longer or shorter than the first one are kept scaled to its length, so that the error of a
# cosine that was computed from a distance stays small.
WIDEST = 1_000.0

Vector = tuple[float, ...]


class Contents:
    """The vectors of `dims` elements that live facts have, by digest, with their Euclidean lengths.

    A digest never names anything else, whoever writes; what no live fact has any more is dropped. An empty vector
    stands for what cannot be compared: another number of elements, or all zero.
    """

    def __init__(self, dims: int) -> None:
        self.dims = dims
        self.scale: float | None = None  # the length of the first vector that was met
        self.vectors: dict[bytes, Vector] = {}
        # Apart from the vectors: an object more for each would make the garbage collector run more often.
        self.lengths: dict[bytes, float] = {}
        self._unpack = Struct(f"<{dims}f").unpack

    def keep(self, reader: Reader, facts: dict[bytes, int]) -> None:
        """Know the first of these contents, as many as there is room for, and no others; each with a fact of it."""
        for gone in self.vectors.keys() - facts.keys():
            del self.vectors[gone], self.lengths[gone]
        missing = [fact for digest, fact in facts.items() if digest not in self.vectors]
        room = max(0, limits.SEARCH_KEPT_ELEMENTS // self.dims - len(self.vectors))
        for digest, vector, length in self.read(reader, missing[:room]):
            self.vectors[digest] = vector
            self.lengths[digest] = length

    def read(self, reader: Reader, facts: list[int]) -> Iterator[tuple[bytes, Vector, float]]:
        """Digest, vector and length of each fact, in the order of `facts`, which ascend; `FormatError` for damage."""
        for digest, data in self._data(reader, facts):
            yield digest, *self._unpacked(data)

    def unscaled(self, reader: Reader, facts: list[int]) -> dict[bytes, Vector]:
        """The very vectors of facts with `dims` elements, by digest."""
        return {digest: self._unpack(data) for digest, data in self._data(reader, facts)}

    def _data(self, reader: Reader, facts: list[int]) -> Iterator[tuple[bytes, bytes]]:
        for part in chunks(facts):
            reader.store.check_cancelled()
            sql = f"""
                SELECT f.v, b.data
                FROM fgraph_facts f NOT INDEXED
                LEFT JOIN fgraph_blobs b ON b.hash = f.v
                WHERE f.id IN ({placeholders(part)})
                ORDER BY f.id
            """
            for digest, data in reader.fetch(sql, part):
                yield digest, check_blob(VECTOR, digest, data)

    def _unpacked(self, data: bytes) -> tuple[Vector, float]:
        if len(data) != 4 * self.dims:
            return (), 0.0
        vector = self._unpack(data)
        length = math.hypot(*vector)
        if length == 0:
            return (), 0.0
        if self.scale is None:
            self.scale = length
        if not self.scale / WIDEST < length < self.scale * WIDEST:
            vector = tuple(element * (self.scale / length) for element in vector)
            length = self.scale
        return vector, length
