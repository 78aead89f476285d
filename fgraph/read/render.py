"""How facts and values are shown in results (docs/python-api.md)."""

from collections.abc import Iterable

from fgraph.file.reader import Reader
from fgraph.file.rows import BLOB_JOIN, Fact
from fgraph.values import logical
from fgraph.values.logical import INDIRECT, Stored

# The columns of a fact row, in the order that `render_fact` takes them, and the tables they come from.
FACT_COLUMNS = "f.id, f.e, f.a, f.v, f.t, f.tx, f.rx, b.data"
FACT_FROM = f"fgraph_facts f {BLOB_JOIN}"


def render_value(reader: Reader, tag: int, value: object, blob: object) -> object:
    """The wire form of a stored value; `FormatError` when the row is damaged."""
    return logical.render(tag, value, blob, reader.label)


def render_micros(row: tuple) -> int:
    """The microseconds of the time of a transaction, in a row of FACT_COLUMNS; `FormatError` when it is no instant."""
    if row[4] != logical.INSTANT:
        raise logical.damaged(f"fact {row[0]} is the time of a transaction, and no instant")
    logical.check_storage(row[4], row[3])
    return row[3]


def render_fact(reader: Reader, row: tuple) -> dict:
    """`{"id", "e", "a", "v", "tx", "rx"}` of one row of FACT_COLUMNS; rx is null while live at the basis."""
    number, entity, attribute, value, tag, tx, rx, blob = row
    return {
        "id": number,
        "e": reader.label(entity),
        "a": reader.label(attribute),
        "v": logical.render(tag, value, blob, reader.label),
        "tx": tx,
        "rx": reader.ended(rx),
    }


def render_facts(reader: Reader, rows: list[tuple]) -> list[dict]:
    """Many facts, with their labels loaded in few statements."""
    warm_rows(reader, rows)
    return [render_fact(reader, row) for row in rows]


def warm_rows(reader: Reader, rows: Iterable[tuple]) -> None:
    """Load the labels of rows that begin as FACT_COLUMNS do: both ids, and the value where it is a reference."""
    wanted: set[int] = set()
    for _, entity, attribute, value, tag, *_ in rows:
        wanted.add(entity)
        wanted.add(attribute)
        if tag == logical.REF and isinstance(value, int):
            wanted.add(value)
    reader.warm(wanted)


def stored_fact(row: tuple) -> Fact:
    """One row of FACT_COLUMNS as a `Fact`, its payload checked."""
    number, entity, attribute, value, tag, tx, rx, blob = row
    payload = logical.check_blob(tag, value, blob) if tag in INDIRECT else None
    return Fact(number, entity, attribute, Stored(tag, value, payload), tx, rx)
