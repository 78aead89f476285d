"""The committed facts that a transaction touches, read in few statements before its effects are worked out."""

from collections.abc import Iterable, Iterator

from fgraph import limits
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.file.rows import Fact
from fgraph.read import render
from fgraph.values import logical
from fgraph.values.logical import VECTOR, Stored

Cell = tuple[int, int]
Key = tuple[int, object]


def cells(reader: Reader, wanted: Iterable[Cell]) -> Iterator[Fact]:
    """The live facts of (entity, attribute) cells."""
    return _matching(reader, wanted, ("e", "a"), "fgraph_eavt")


def exact(reader: Reader, wanted: Iterable[tuple[int, int, object, int]]) -> Iterator[Fact]:
    """The live facts among (entity, attribute, value, tag) rows."""
    return _matching(reader, wanted, ("e", "a", "v", "t"), "fgraph_eavt")


def holders(reader: Reader, wanted: Iterable[tuple[int, int, object]]) -> Iterator[Fact]:
    """The live facts that hold one of the (attribute, tag, value) triples."""
    return _matching(reader, wanted, ("a", "t", "v"), "fgraph_avet")


def entities(reader: Reader, wanted: Iterable[int], attributes: Iterable[int] | None = None) -> Iterator[Fact]:
    """All live facts of some entities, or those of a few attributes."""
    if attributes is None:
        return _matching(reader, ((entity,) for entity in wanted), ("e",), "fgraph_eavt")
    pairs = ((entity, attribute) for entity in wanted for attribute in attributes)
    return _matching(reader, pairs, ("e", "a"), "fgraph_eavt")


def of_attribute(reader: Reader, attribute: int) -> Iterator[Fact]:
    """All live facts of one attribute."""
    return _matching(reader, ((attribute,),), ("a",), "fgraph_avet")


def inbound(reader: Reader, target: int) -> Iterator[Fact]:
    """The live references to an entity, except those of system entities and of transactions."""
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM fgraph_facts f INDEXED BY fgraph_vaet
        {render.BLOB_JOIN}
        WHERE f.v = ? AND f.t = 0 AND f.rx IS NULL AND f.e > {genesis.GENESIS_TX}
          AND NOT EXISTS (SELECT 1 FROM fgraph_events x WHERE x.tx = f.e)
        ORDER BY f.id
    """
    return map(render.stored_fact, reader.fetch(sql, (target,)))


def _matching(reader: Reader, wanted: Iterable[tuple], columns: tuple[str, ...], index: str) -> Iterator[Fact]:
    """Live facts whose columns equal one of the wanted rows, in no particular order."""
    rows = list(dict.fromkeys(wanted))
    step = limits.BATCH_PARAMETERS // len(columns)
    one = f"({','.join('?' * len(columns))})"
    on = " AND ".join(f"f.{column} = w.{column}" for column in columns)
    for start in range(0, len(rows), step):
        chunk = rows[start : start + step]
        sql = f"""
            WITH w ({", ".join(columns)}) AS (VALUES {",".join([one] * len(chunk))})
            SELECT {render.FACT_COLUMNS}
            FROM w
            CROSS JOIN fgraph_facts f INDEXED BY {index}
            {render.BLOB_JOIN}
            WHERE {on} AND f.rx IS NULL
        """
        yield from map(render.stored_fact, reader.fetch(sql, [cell for row in chunk for cell in row]))


def identity(value: Stored) -> Key:
    """The key under which equal values meet; other programs may have stored -0.0 inside a vector."""
    if value.tag != VECTOR or logical.NEGATIVE_ZERO not in value.payload:
        return value.key
    numbers = logical.render_payload(VECTOR, value.payload)["vector"]
    return logical.encode_vector(numbers).key
