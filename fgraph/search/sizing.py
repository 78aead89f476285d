"""The byte bound of an answer, and what is cut when it would be larger (docs/search.md)."""

from fgraph import limits
from fgraph.search import cuts
from fgraph.search.result import SearchResult
from fgraph.values.canonical import canonical

NUMBER_BYTES = 26  # the longest number in an answer, with its comma


def fit(result: SearchResult, bound: int = limits.SEARCH_ANSWER_BYTES) -> SearchResult:
    """The result within `bound` bytes of canonical JSON.

    Cut in this order, as far as needed: long values in `pull`, all of `expanded`, every `matched`, hits from the
    end. Each cut sets `truncated`.
    """
    if _at_most(result.to_dict()) <= bound or _size(result) <= bound:
        return result
    for step in (_cut_pulls, _drop_expanded, _drop_matched):
        result = step(result)
        if _size(result) <= bound:
            return result
    return _drop_hits(result, bound)


def _cut_pulls(result: SearchResult) -> SearchResult:
    hits, expanded = (
        [{**item, "pull": cuts.pull(item["pull"])} for item in items] for items in (result.hits, result.expanded)
    )
    return _with(result, hits=hits, expanded=expanded)


def _drop_expanded(result: SearchResult) -> SearchResult:
    return _with(result, expanded=[])


def _drop_matched(result: SearchResult) -> SearchResult:
    return _with(result, hits=[{**hit, "matched": []} for hit in result.hits])


def _drop_hits(result: SearchResult, bound: int) -> SearchResult:
    room = bound - _size(_with(result, hits=[]))
    kept = 0
    for hit in result.hits:
        room -= len(canonical(hit).encode()) + (kept > 0)  # a comma after the first
        if room < 0:
            break
        kept += 1
    return _with(result, hits=result.hits[:kept])


def _with(result: SearchResult, **changes: object) -> SearchResult:
    """The result with some fields changed, marked as truncated."""
    return SearchResult(**{**result.to_dict(), **changes, "truncated": True})


def _size(result: SearchResult) -> int:
    return len(canonical(result.to_dict()).encode())


def _at_most(value: object) -> int:
    """An upper bound of the canonical size, without writing it: most answers are far below their bound."""
    if isinstance(value, str):
        return 6 * len(value) + 3  # six for each character that is written as an escape; quotes and a comma
    if isinstance(value, dict):
        return 3 + sum(_at_most(key) + _at_most(item) for key, item in value.items())
    if isinstance(value, list):
        if all(type(item) is float for item in value):
            return 3 + NUMBER_BYTES * len(value)
        return 3 + sum(map(_at_most, value))
    return NUMBER_BYTES if not isinstance(value, int) else 3 + value.bit_length()
