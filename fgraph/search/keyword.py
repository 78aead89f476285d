"""The keyword list of `match="all"`: facts that hold every word of the text, in full-text order (docs/search.md)."""

from collections.abc import Iterable

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.search.lists import Evidence, Ranking
from fgraph.search.request import Request
from fgraph.search.work import Work


def ranking(
    reader: Reader, request: Request, allowed: set[int] | None, work: Work, newest_first: bool = False
) -> tuple[Ranking, set[int]]:
    """The list, and the facts that were walked for it: one unit each, up to the first entity beyond the cap.

    `newest_first` puts the newer of two facts first that full-text search ranks equal, instead of the older one.
    """
    words = expression(request.tokens)
    # A few rows for each entity of the list are enough, unless many are filtered out or belong to one entity.
    few = limits.SEARCH_LIST_PER_HIT * (request.list_cap + 1)
    for most in (few, work.left + 1):
        rows = matching(reader, words, request.text_attributes, most, newest_first)
        found, walked = _walk(rows, words, request.list_cap, allowed)
        if found.truncated or len(rows) < most:
            break
    work.spend(len(walked), "facts that hold the words")
    return found, walked


def expression(tokens: Iterable[str]) -> str:
    """A full-text expression for facts that hold all tokens; nothing in a token is an operator."""
    return " ".join(f'"{token}"' for token in tokens)


def matching(
    reader: Reader, words: str, attributes: tuple[int, ...], most: int, newest_first: bool
) -> list[tuple]:
    """(fact, entity) of live facts of own attributes that match a full-text expression, best first."""
    only = f"AND f.a IN ({','.join(map(str, attributes))})" if attributes else ""
    sql = f"""
        SELECT f.id, f.e
        FROM fgraph_fts
        CROSS JOIN fgraph_facts f ON f.id = fgraph_fts.rowid
        WHERE fgraph_fts MATCH ? AND f.a >= {limits.FIRST_USER_ID} AND f.rx IS NULL {only}
        ORDER BY fgraph_fts.rank, f.id {"DESC" if newest_first else ""}
        LIMIT ?
    """
    return reader.fetch(sql, (words, most))


def _walk(rows: list[tuple], words: str, cap: int, allowed: set[int] | None) -> tuple[Ranking, set[int]]:
    found = Ranking()
    walked: set[int] = set()
    for fact, entity in rows:
        walked.add(fact)
        if entity in found.evidence or (allowed is not None and entity not in allowed):
            continue
        if len(found.evidence) == cap:
            found.truncated = True
            break
        found.evidence[entity] = Evidence(fact, words)
    return found, walked
