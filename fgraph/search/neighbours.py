"""Expansion: what the hits are linked with, breadth-first over live references in both directions."""

from collections import deque
from typing import NamedTuple

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.read import render
from fgraph.search.work import Work


class Neighbour(NamedTuple):
    """An entity near the hits, with the facts that lead to it."""

    entity: int
    via: tuple[tuple, ...]


def expand(reader: Reader, hits: list[int], steps: int, work: Work) -> tuple[list[Neighbour], bool]:
    """New entities in order of discovery, and whether the list came to its bound; one unit for each link looked at."""
    known = set(hits)
    found: list[Neighbour] = []
    frontier = deque((hit, ()) for hit in hits)
    while frontier:
        node, path = frontier.popleft()
        if len(path) == steps:
            break
        for row in _links(reader, node, work):
            work.spend(1, "links")
            other = row[3] if row[1] == node else row[1]
            if other in known:
                continue
            known.add(other)
            found.append(Neighbour(other, (*path, row)))
            frontier.append((other, (*path, row)))
            if len(found) == limits.SEARCH_EXPANDED:
                return found, True
    return found, False


def _links(reader: Reader, node: int, work: Work) -> list[tuple]:
    """The live reference facts from and to an entity by fact id, as rows of FACT_COLUMNS; no more than may be spent."""
    reader.store.check_cancelled()
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM (
            SELECT id FROM fgraph_facts INDEXED BY fgraph_eavt WHERE e = ? AND t = 0 AND rx IS NULL
            UNION
            SELECT id FROM fgraph_facts INDEXED BY fgraph_vaet WHERE v = ? AND t = 0 AND rx IS NULL
            ORDER BY id
            LIMIT ?
        ) link
        JOIN fgraph_facts f ON f.id = link.id
        {render.BLOB_JOIN}
        ORDER BY f.id
    """
    return reader.fetch(sql, (node, node, work.left + 1))


def render_via(reader: Reader, neighbours: list[Neighbour]) -> list[list[dict]]:
    """The facts on the way to each neighbour, as they are shown."""
    render.warm_rows(reader, (row for one in neighbours for row in one.via))
    return [[render.render_fact(reader, row) for row in one.via] for one in neighbours]
