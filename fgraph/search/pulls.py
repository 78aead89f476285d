"""Compact pulls: the first attributes of an entity with their first values, for many entities at once."""

from collections.abc import Iterable

from fgraph import limits
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.schema.declarations import declarations
from fgraph.search import cuts, facts
from fgraph.values.logical import INDIRECT, damaged


def compact(reader: Reader, entities: Iterable[int]) -> tuple[dict[int, dict], bool]:
    """For each entity its first 32 attributes by name, with at most the first 32 values of each by fact id.

    The second value says that long values were cut, because together they are larger than an answer can be.
    """
    pulls: dict[int, dict] = {entity: {} for entity in entities}
    many = declarations(reader).many
    chosen = _chosen(reader, list(pulls))
    rows = facts.rows(reader, chosen)
    room, short = limits.SEARCH_ANSWER_BYTES, False
    for row in map(rows.__getitem__, chosen):
        value = facts.value(reader, row)
        if row[4] in INDIRECT:
            room -= _least_bytes(value)
            if room < 0 and not short:
                short = True
                pulls = {entity: cuts.pull(pull) for entity, pull in pulls.items()}
        _put(pulls[row[1]], reader.label(row[2]), cuts.value(value) if short else value, many(row[2]))
    return pulls, short


def _least_bytes(value: object) -> int:
    """A lower bound of the size of a long value in an answer."""
    if isinstance(value, str):
        return len(value)
    ((_, content),) = value.items()
    return len(content)


def _put(pull: dict, name: str, value: object, many: bool) -> None:
    if many:
        pull.setdefault(name, []).append(value)
    else:
        pull[name] = value


def _chosen(reader: Reader, entities: list[int]) -> list[int]:
    """The ids of the facts that are shown: by entity, attribute name and fact id."""
    cells: dict[int, dict[int, list[int]]] = {entity: {} for entity in entities}
    for part in chunks(entities):
        reader.store.check_cancelled()
        sql = f"""
            SELECT e, a, id
            FROM (
                SELECT e, a, id, row_number() OVER (PARTITION BY e, a ORDER BY id) AS place
                FROM fgraph_facts INDEXED BY fgraph_eavt
                WHERE e IN ({placeholders(part)}) AND rx IS NULL
            )
            WHERE place <= {limits.SEARCH_PULL_VALUES}
        """
        for entity, attribute, fact in reader.fetch(sql, part):
            if entity not in cells:
                raise damaged(f"the index finds fact {fact} under another entity than its own")
            cells[entity].setdefault(attribute, []).append(fact)
    reader.warm({attribute for attributes in cells.values() for attribute in attributes})
    chosen: list[int] = []
    for attributes in cells.values():
        by_name = sorted(attributes, key=lambda attribute: str(reader.label(attribute)))
        for attribute in by_name[: limits.SEARCH_PULL_ATTRIBUTES]:
            chosen += sorted(attributes[attribute])
    return chosen
