"""History as SQL: each fact has two sides, its assertion and its retraction, and each of them is a datom of its own."""

from fgraph.file.reader import Reader

TABLE = "(SELECT 1 AS added UNION ALL SELECT 0 AS added)"  # joined to the facts, where both sides are asked for


def transaction(fact: str, side: str) -> str:
    """The transaction of a datom; `fact` and `side` are the aliases of the two tables."""
    return f"CASE {side}.added WHEN 1 THEN {fact}.tx ELSE {fact}.rx END"


def asserted(reader: Reader, fact: str) -> str:
    """The condition that a fact was asserted within the reader's view."""
    return f"{fact}.tx > {reader.since} AND {fact}.tx <= {reader.basis}"


def retracted(reader: Reader, fact: str) -> str:
    """The condition that a fact was retracted within the reader's view."""
    return f"{fact}.rx > {reader.since} AND {fact}.rx <= {reader.basis}"


def seen(reader: Reader, fact: str, side: str) -> str:
    """The condition that a datom lies within the reader's view."""
    return f"CASE {side}.added WHEN 1 THEN {asserted(reader, fact)} ELSE {retracted(reader, fact)} END"


def touched(reader: Reader, fact: str) -> str:
    """The condition that a fact was asserted or retracted within the reader's view."""
    if not reader.since:  # then whatever was retracted in it was asserted in it
        return asserted(reader, fact)
    return f"({asserted(reader, fact)} OR {retracted(reader, fact)})"
