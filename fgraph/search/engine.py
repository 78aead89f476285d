"""One search from its arguments to its answer."""

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.search import all_words, any_word, fusion, hits, neighbours, pulls, sizing, vectors
from fgraph.search import filters as filtering
from fgraph.search import request as requests
from fgraph.search.lists import Ranking
from fgraph.search.neighbours import Neighbour
from fgraph.search.request import Request
from fgraph.search.result import SearchResult
from fgraph.search.work import Work


def search(
    reader: Reader,
    text: object = None,
    vector: object = None,
    k: object = limits.SEARCH_HITS,
    expand: object = 0,
    filters: object = (),
    vector_attribute: object = None,
    text_attributes: object = (),
    **options: object,
) -> SearchResult:
    """The k entities that answer `text`, `vector` or both best, each with the facts that matched and a compact pull.

    `match="any"` (the default) ranks by any word of the text, `match="all"` takes only facts that hold every word.
    Raises `Unsupported` on a view, `TypeError` for bad arguments, `NotFound` for unknown attributes and references,
    `TooLarge` beyond the budget. docs/search.md has the details.
    """
    request = requests.check(reader, text, vector, k, expand, filters, vector_attribute, text_attributes, options)
    work = Work(reader.store.budget)
    allowed = filtering.allowed(reader, request.filters, work)
    lists = _lists(reader, request, allowed, work)
    best = fusion.fuse(reader, [found.evidence for found in lists], request.k)
    roots = [entity for entity, _ in best]
    near, cut = neighbours.expand(reader, roots, request.expand, work)
    truncated = cut or any(found.truncated for found in lists)
    return sizing.fit(_answer(reader, lists, best, near, truncated, work))


def _lists(reader: Reader, request: Request, allowed: set[int] | None, work: Work) -> list[Ranking]:
    """The keyword list and the vector list, as far as they are asked for."""
    lists = []
    if request.tokens and request.match == "all":
        lists.append(all_words.ranking(reader, request, allowed, work)[0])
    elif request.tokens:
        lists.append(any_word.ranking(reader, request, allowed, work))
    if request.vector is not None:
        lists.append(vectors.ranking(reader, request, allowed, work))
    return lists


def _answer(
    reader: Reader,
    lists: list[Ranking],
    best: list[tuple[int, float]],
    near: list[Neighbour],
    truncated: bool,
    work: Work,
) -> SearchResult:
    wanted = [(entity, found.evidence[entity]) for entity, _ in best for found in lists if entity in found.evidence]
    matched: dict[int, list[dict]] = {entity: [] for entity, _ in best}
    for (entity, _), shown in zip(wanted, hits.shown(reader, [one for _, one in wanted]), strict=True):
        matched[entity].append(shown)
    values, short = pulls.compact(reader, [*matched, *(one.entity for one in near)])
    return SearchResult(
        basis_tx=reader.basis,
        hits=[
            {"entity": reader.label(entity), "score": score, "matched": matched[entity], "pull": values[entity]}
            for entity, score in best
        ],
        expanded=[
            {"entity": reader.label(one.entity), "via": via, "pull": values[one.entity]}
            for one, via in zip(near, neighbours.render_via(reader, near), strict=True)
        ],
        truncated=truncated or short,
        work_used=work.used,
    )
