"""The committed facts that a transaction touches, read in few statements before its effects are worked out."""

from collections.abc import Iterable, Iterator

from fgraph import limits
from fgraph.file import genesis, identities
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


def entities(reader: Reader, wanted: Iterable[int]) -> Iterator[Fact]:
    """All live facts of some entities."""
    return _matching(reader, ((entity,) for entity in wanted), ("e",), "fgraph_eavt")


def of_attributes(reader: Reader, wanted: Iterable[int]) -> Iterator[Fact]:
    """All live facts of some attributes."""
    return _matching(reader, ((attribute,) for attribute in wanted), ("a",), "fgraph_avet")


def inbound(reader: Reader, targets: Iterable[int]) -> Iterator[Fact]:
    """The live references to some entities, except those of system entities and of transactions."""
    condition = f"""
          AND f.t = 0 AND f.e > {genesis.GENESIS_TX}
          AND NOT EXISTS (SELECT 1 FROM fgraph_events x WHERE x.tx = f.e)
    """
    return _matching(reader, ((target,) for target in targets), ("v",), "fgraph_vaet", condition)


def attributes(reader: Reader, wanted: Iterable[int]) -> Iterator[Cell]:
    """The cells of some entities that hold live facts, by jumping from one to the next in the index."""
    for chunk in identities.chunks(list(wanted)):
        next_of = "SELECT min(f.a) FROM fgraph_facts f INDEXED BY fgraph_eavt WHERE f.rx IS NULL AND f.e ="
        sql = f"""
            WITH RECURSIVE w (e) AS (VALUES {",".join(["(?)"] * len(chunk))}),
            cells (e, a) AS (
                SELECT w.e, ({next_of} w.e)
                FROM w
                UNION ALL
                SELECT cells.e, ({next_of} cells.e AND f.a > cells.a)
                FROM cells
                WHERE cells.a IS NOT NULL
            )
            SELECT e, a FROM cells WHERE a IS NOT NULL
        """
        yield from reader.fetch(sql, chunk)


def counts(reader: Reader, wanted: Iterable[Cell], limit: int) -> Iterator[tuple[int, int, int]]:
    """(entity, attribute, number of live facts) of some cells, counted up to `limit`."""
    pairs = list(wanted)
    for start in range(0, len(pairs), limits.BATCH_PARAMETERS // 2):
        chunk = pairs[start : start + limits.BATCH_PARAMETERS // 2]
        sql = f"""
            WITH w (e, a) AS (VALUES {",".join(["(?,?)"] * len(chunk))})
            SELECT w.e, w.a, (
                SELECT count(*)
                FROM (
                    SELECT 1 FROM fgraph_facts f INDEXED BY fgraph_eavt
                    WHERE f.e = w.e AND f.a = w.a AND f.rx IS NULL
                    LIMIT {limit:d}
                )
            )
            FROM w
        """
        yield from reader.fetch(sql, [number for pair in chunk for number in pair])


def _matching(
    reader: Reader, wanted: Iterable[tuple], columns: tuple[str, ...], index: str, condition: str = ""
) -> Iterator[Fact]:
    """Live facts whose columns equal one of the wanted rows, in no particular order."""
    rows = list(dict.fromkeys(wanted))
    if not rows:
        return
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
            WHERE {on} AND f.rx IS NULL {condition}
        """
        yield from map(render.stored_fact, reader.fetch(sql, [cell for row in chunk for cell in row]))


def identity(value: Stored) -> Key:
    """The key under which equal values meet; other programs may have stored -0.0 inside a vector."""
    if value.tag != VECTOR or logical.NEGATIVE_ZERO not in value.payload:
        return value.key
    numbers = logical.render_payload(VECTOR, value.payload)["vector"]
    return logical.encode_vector(numbers).key
