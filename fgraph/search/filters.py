"""The set of entities that all filters let through."""

from fgraph.file.reader import Reader
from fgraph.search.request import Filter
from fgraph.search.work import Work


def allowed(reader: Reader, filters: tuple[Filter, ...], work: Work) -> set[int] | None:
    """Entities that hold every filter's value, at one unit a matching fact; None where nothing is filtered."""
    found: set[int] | None = None
    for wanted in filters:
        if found is not None and not found:
            break
        holders = _holders(reader, wanted)
        work.spend(len(holders), "filters")
        found = holders if found is None else found & holders
    return found


def _holders(reader: Reader, wanted: Filter) -> set[int]:
    if wanted.attribute is None:
        return set()
    sql = """
        SELECT e FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a = ? AND t = ? AND v = ? AND rx IS NULL
    """
    return {row[0] for row in reader.fetch(sql, (wanted.attribute, wanted.value.tag, wanted.value.value))}
