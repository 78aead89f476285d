"""The keyword list of `match="all"`: facts that hold every word of the text, in full-text order (docs/search.md)."""

from collections.abc import Iterable

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.search import fulltext
from fgraph.search.lists import Evidence, Ranking
from fgraph.search.request import Request
from fgraph.search.work import Work


def ranking(
    reader: Reader, request: Request, allowed: set[int] | None, work: Work, newest_first: bool = False
) -> tuple[Ranking, set[int]]:
    """The list, and the facts that were walked for it: one unit each, up to the first entity beyond the cap.

    `newest_first` puts the newer of two facts first that full-text search ranks equal, instead of the older one.
    """
    if not _may_match(reader, request.tokens):
        return Ranking(), set()
    words = expression(request.tokens)
    # Two rows for each entity of the list are enough, unless many are filtered out or belong to one entity.
    few = 2 * (request.list_cap + 1)
    for look, most in ((fulltext.best, few), (fulltext.every, work.left + 1)):
        rows = look(reader, words, request.text_attributes, most, newest_first)
        found, walked = _walk(rows.rows, words, request.list_cap, allowed)
        if found.truncated or rows.all:
            break
    work.spend(len(walked), "facts that hold the words")
    return found, walked


def _may_match(reader: Reader, tokens: tuple[str, ...]) -> bool:
    """False where the first words of a very long text stand nowhere together: then the rest is not asked for."""
    if len(tokens) <= limits.SEARCH_TOKENS:
        return True
    words = expression(tokens[: limits.SEARCH_TOKENS])
    return bool(reader.fetch("SELECT 1 FROM fgraph_fts WHERE fgraph_fts MATCH ? LIMIT 1", (words,)))


def expression(tokens: Iterable[str]) -> str:
    """A full-text expression for facts that hold all tokens; nothing in a token is an operator."""
    return " ".join(f'"{token}"' for token in tokens)


def _walk(rows: list[tuple], words: str, cap: int, allowed: set[int] | None) -> tuple[Ranking, set[int]]:
    found = Ranking()
    walked: set[int] = set()
    for fact, entity, _, _ in rows:
        walked.add(fact)
        if entity in found.evidence or (allowed is not None and entity not in allowed):
            continue
        if len(found.evidence) == cap:
            found.truncated = True
            break
        found.evidence[entity] = Evidence(fact, words)
    return found, walked
