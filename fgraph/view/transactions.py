"""The timeline of the page: who wrote each transaction, when, from which source, and how much it changed."""

from collections.abc import Iterable

from fgraph.file import genesis
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.read import render
from fgraph.values import canonical, instants, logical
from fgraph.view.shown import Pen

HEAD = {genesis.BY: "by", genesis.SOURCE: "source", genesis.META: "meta"}
NEWEST = """
SELECT tx
FROM fgraph_events
WHERE tx <= ?
ORDER BY tx DESC
LIMIT ?
"""
CHANGES = """
SELECT {column}, count(*)
FROM fgraph_facts
WHERE {column} IN ({marks}) AND e <> {column}
GROUP BY {column}
"""


def newest(reader: Reader, most: int) -> tuple[list[int], int]:
    """The ids of the newest transactions, and how many there are."""
    total = reader.fetch("SELECT count(*) FROM fgraph_events WHERE tx <= ?", (reader.basis,))[0][0]
    return [row[0] for row in reader.fetch(NEWEST, (reader.basis, most))], total


def transactions(reader: Reader, ids: Iterable[int], pen: Pen) -> list[dict]:
    """Each transaction, newest first, as `{"tx", "at", "facts", "asserted", "ended"}`.

    `by`, `source`, `meta` and `operation` are there where given; `facts` are those it keeps about itself beyond these.
    The two numbers count the facts it asserted about other entities, and those it ended.
    """
    made = {number: {"tx": number, "at": None, "facts": []} for number in sorted(ids, reverse=True)}
    for chunk in chunks(list(made)):
        reader.store.check_cancelled()
        for row in _own_facts(reader, chunk):
            _note(made[row[1]], row, pen)
        for tx, operation in _operations(reader, chunk):
            made[tx]["operation"] = operation
        for column, name in (("tx", "asserted"), ("rx", "ended")):
            for tx, count in reader.fetch(CHANGES.format(column=column, marks=placeholders(chunk)), chunk):
                made[tx][name] = count
    return list(made.values())


def _own_facts(reader: Reader, ids: list[int]) -> list[tuple]:
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM {render.FACT_FROM}
        WHERE f.e IN ({placeholders(ids)}) AND {reader.visible("f")}
        ORDER BY f.id
    """
    return reader.fetch(sql, ids)


def _operations(reader: Reader, ids: list[int]) -> list[tuple]:
    sql = f"""
        SELECT tx, operation_id
        FROM fgraph_events
        WHERE operation_id IS NOT NULL AND tx IN ({placeholders(ids)})
    """
    return reader.fetch(sql, ids)


def _note(made: dict, row: tuple, pen: Pen) -> None:
    attribute, value = row[2], row[3]
    if attribute == genesis.AT:
        made["at"] = instants.format_instant(value)
    elif attribute in HEAD:
        wire = logical.render(row[4], value, row[7], str)
        text = wire if isinstance(wire, str) else canonical.canonical(wire["json"])
        made[HEAD[attribute]] = pen.cut(text)[0]
    else:
        made["facts"].append(pen.fact(row))
