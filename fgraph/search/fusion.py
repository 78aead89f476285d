"""Reciprocal rank fusion of candidate lists."""

from collections.abc import Iterable

from fgraph import limits
from fgraph.file.reader import Reader


def fuse(reader: Reader, lists: Iterable[Iterable[int]], k: int) -> list[tuple[int, float]]:
    """The best k entities with their scores: by score, then by the rendered identity as text."""
    scores: dict[int, float] = {}
    for entities in lists:
        for rank, entity in enumerate(entities, start=1):
            scores[entity] = scores.get(entity, 0.0) + 1 / (limits.SEARCH_RANK_CONSTANT + rank)
    reader.warm(scores)
    return sorted(scores.items(), key=lambda item: (-item[1], str(reader.label(item[0]))))[:k]
