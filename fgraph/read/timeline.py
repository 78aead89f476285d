"""Facts over time: an entity's history, why it is believed, and what changed between two moments."""

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.file.identities import chunks, placeholders
from fgraph.file.reader import Reader
from fgraph.read import moments, render, selectors, sides
from fgraph.read.entity import add_value, facts_of
from fgraph.schema.declarations import declarations
from fgraph.values import canonical, logical

HEAD = {genesis.AT: "at", genesis.BY: "by", genesis.SOURCE: "source"}


def history(
    reader: Reader,
    selector: object,
    attribute: object = None,
    *,
    offset: int = 0,
    limit: int | None = None,
    newest_first: bool = False,
) -> list[dict]:
    """All retained facts of an entity, by transaction and fact id, each with who asserted and who ended it.

    In a view since a transaction those that were asserted or ended after it.

    A fact plus `at` (microseconds), `by`, `source` of the asserting transaction and, once it has ended, `rx_at`,
    `rx_by`, `rx_source`. Raises `NotFound` for an unknown entity or attribute name.
    """
    entity = selectors.resolve(reader, selector)
    number = attribute_id(reader, attribute)
    only = "" if number is None else "AND f.a = ?"
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM fgraph_facts f INDEXED BY fgraph_hist
        {render.BLOB_JOIN}
        WHERE f.e = ? {only} AND {sides.touched(reader, "f")}
        ORDER BY f.tx {"DESC" if newest_first else ""}, f.id {"DESC" if newest_first else ""}
        LIMIT ? OFFSET ?
    """
    page = (-1 if limit is None else limit, offset)
    rows = reader.fetch(sql, (entity, *([] if number is None else [number]), *page))
    return _with_heads(reader, render.render_facts(reader, rows))


def why(
    reader: Reader, selector: object, attribute: object = None, *, offset: int = 0, limit: int | None = None
) -> list[dict]:
    """The visible facts of an entity, by attribute, transaction and fact id, each with its `provenance`.

    `provenance` is the map of the asserting transaction as it was when it was made. Errors as for `history`.
    """
    entity = selectors.resolve(reader, selector)
    number = attribute_id(reader, attribute)
    facts = [render.render_fact(reader, row) for row in facts_of(reader, entity, number, offset, limit)]
    maps = _transaction_maps(reader, [fact["tx"] for fact in facts])
    return [{**fact, "provenance": dict(maps[fact["tx"]])} for fact in facts]


def diff(reader: Reader, since: object, until: object) -> dict:
    """`{"asserted", "retracted"}`: what happened after the moment `since`, up to the moment `until`.

    Moments are transaction ids or times; a view clips both ends. Raises `QueryError` when `since` is the later one.
    """
    first, last = moments.resolve(reader, since, "t1"), moments.resolve(reader, until, "t2")
    if first > last:
        raise errors.QueryError(f"t1 {first} is later than t2 {last}", param="t1", hint="swap them")
    first = max(first, reader.since)
    return {
        "asserted": _between(reader, "tx", "fgraph_txin", first, last),
        "retracted": _between(reader, "rx", "fgraph_txout", first, last),
    }


def changes(reader: Reader, since: object, until: object = None) -> dict:
    """`diff` up to the newest transaction where `until` is left out."""
    return diff(reader, since, reader.basis if until is None else until)


def attribute_id(reader: Reader, attribute: object) -> int | None:
    """The id of an attribute given by name, None where none was given; `NotFound` when it is not in the registry."""
    if attribute is None:
        return None
    if not isinstance(attribute, str):
        raise errors.TypeError(
            f"attribute is {errors.quote(attribute)}, not text", param="attribute", hint="write namespace/name"
        )
    if not canonical.is_unicode(attribute):
        identities.check_attribute(attribute)
    found = reader.store.registry.by_name(attribute)
    if found is None:
        raise errors.NotFound(
            f"attribute {errors.quote(attribute)} does not exist",
            param="attribute",
            code="unknown_attribute",
            hint="list the attributes with schema",
        )
    return found.id


def _with_heads(reader: Reader, facts: list[dict]) -> list[dict]:
    """Facts with time, author and source of their asserting and ending transactions."""
    ids = [fact["tx"] for fact in facts] + [fact["rx"] for fact in facts if fact["rx"] is not None]
    heads = transaction_heads(reader, ids)
    return [
        fact | heads[fact["tx"]] | {f"rx_{key}": value for key, value in heads.get(fact["rx"], {}).items()}
        for fact in facts
    ]


def transaction_heads(reader: Reader, transactions: list[int]) -> dict[int, dict]:
    """`{"at", "by", "source"}` of transactions; the last two only where given."""
    heads: dict[int, dict] = {number: {} for number in transactions}
    for row in _transaction_rows(reader, list(heads), HEAD):
        value = (
            render.render_micros(row) if row[2] == genesis.AT else render.render_value(reader, row[4], row[3], row[7])
        )
        heads[row[1]][HEAD[row[2]]] = value
    return heads


def _transaction_maps(reader: Reader, transactions: list[int]) -> dict[int, dict]:
    """The entity map of each transaction as it was when it was made."""
    maps: dict[int, dict] = {number: {} for number in transactions}
    declared = declarations(reader)
    rows = _transaction_rows(reader, list(maps))
    render.warm_rows(reader, rows)
    for row in rows:
        value = render.render_value(reader, row[4], row[3], row[7])
        add_value(reader, declared, maps[row[1]], row[2], value)
    return maps


def _transaction_rows(reader: Reader, transactions: list[int], attributes: dict | None = None) -> list[tuple]:
    """Facts that transactions made about themselves, by attribute and fact id."""
    only = "" if attributes is None else f"AND f.a IN ({','.join(map(str, attributes))})"
    rows: list[tuple] = []
    wanted = set(transactions)
    for chunk in chunks(transactions):
        sql = f"""
            SELECT {render.FACT_COLUMNS}
            FROM fgraph_facts f INDEXED BY fgraph_hist
            {render.BLOB_JOIN}
            WHERE f.e IN ({placeholders(chunk)}) {only} AND f.tx = f.e
            ORDER BY f.e, f.a, f.id
        """
        rows += reader.fetch(sql, chunk)
    if not all(row[1] in wanted and (attributes is None or row[2] in attributes) for row in rows):
        raise logical.damaged("an index of the facts disagrees with its table")
    return rows


def _between(reader: Reader, column: str, index: str, first: int, last: int) -> list[dict]:
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM fgraph_facts f INDEXED BY {index}
        {render.BLOB_JOIN}
        WHERE f.{column} > ? AND f.{column} <= ?
        ORDER BY f.{column}, f.id
    """
    return render.render_facts(reader, reader.fetch(sql, (first, last)))
