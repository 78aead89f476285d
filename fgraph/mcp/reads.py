"""The reading tools about entities, transactions, attributes and raw facts."""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.file import genesis
from fgraph.mcp import about, answers, cursors, uris
from fgraph.mcp.answers import Answer
from fgraph.mcp.call import Call, selector
from fgraph.read import moments, receipts, selectors, timeline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fgraph.file.reader import Reader


def read_entity(call: Call, given: dict) -> Answer:
    """`about`: the current facts of one entity, or one attribute of it from some point on."""
    depth = given.get("depth", 1)
    with call.reading(given.get("at")) as (_, reader):
        number = selectors.resolve(reader, selector(reader, given["entity"]))
        if "attribute" in given:
            timeline.attribute_id(reader, given["attribute"])
            data = about.one_attribute(reader, number, given["attribute"], given.get("from", 0), depth)
            return Answer(reader.basis, data)
        if "from" in given:
            raise errors.TypeError("from needs attribute", param="from", hint="name the attribute to read on in")
        data, omitted = about.overview(reader, number, depth)
        link = {"uri": uris.build("entity", reader.label(number), at=given.get("at")), "name": "entity"}
        return Answer(reader.basis, data, link if about.OMITTED in data else None, omitted)


def read_reasons(call: Call, given: dict) -> Answer:
    """`why`: live facts with the transaction that asserted each."""

    def fetch(reader: Reader, entity: object, offset: int, limit: int) -> list[dict]:
        return timeline.why(reader, entity, given.get("attribute"), offset=offset, limit=limit)

    return _fact_page(call, given, fetch)


def read_timeline(call: Call, given: dict) -> Answer:
    """`history`: everything ever asserted about an entity."""
    newest_first = given.get("order") == "desc"

    def fetch(reader: Reader, entity: object, offset: int, limit: int) -> list[dict]:
        return timeline.history(
            reader, entity, given.get("attribute"), offset=offset, limit=limit, newest_first=newest_first
        )

    return _fact_page(call, given, fetch)


def _fact_page(call: Call, given: dict, fetch: Callable[[Reader, object, int, int], list[dict]]) -> Answer:
    limit, offset = given.get("limit", limits.MCP_ITEMS_MAX), given.get("offset", 0)
    with call.reading(given.get("at")) as (_, reader):
        entity = selector(reader, given["entity"])
        found = fetch(reader, entity, min(offset, limits.INT_MAX), limit + 1)
        basis = reader.basis
    items = [{**fact, "v": answers.without_vectors(fact["v"])} for fact in found[:limit]]
    frame: dict = {"items": [], "truncated": True}
    if "limit" in given:
        shown = answers.whole_page(items, basis, lambda part: {**frame, "items": part})
    else:
        shown = answers.short_page(items, frame)
    truncated = len(shown) < len(found)
    data: dict = {"items": shown, "truncated": truncated}
    if truncated:
        data["offset"] = offset + len(shown)
    return Answer(basis, data)


def read_receipt(call: Call, given: dict) -> Answer:
    """`receipt`: the durable record of one transaction, found by its number or by the operation id of the write."""
    if ("tx" in given) == ("operation_id" in given):
        raise errors.TypeError(
            "receipt takes tx or operation_id, one of the two", code="missing_argument", hint="give exactly one"
        )
    with call.reading() as (_, reader):
        number = given["tx"] if "tx" in given else _tx_of_operation(reader, given["operation_id"])
        data = receipts.receipt(reader, number)
    if not answers.fits_cap(data["read_basis_tx"], data):
        data["facts"] = [answers.cut_fact(fact, limits.MCP_EXCERPT_BYTES) for fact in data["facts"]]
        data.update({key: answers.cut_value(value, limits.MCP_EXCERPT_BYTES) for key, value in data.items()})
    return Answer(data["read_basis_tx"], data)


def _tx_of_operation(reader: Reader, operation_id: str) -> int:
    found = reader.fetch("SELECT tx FROM fgraph_events WHERE operation_id = ?", (operation_id,))
    if not found:
        raise errors.NotFound(
            f"no transaction has the operation_id {errors.quote(operation_id)}",
            code="unknown_transaction",
            param="operation_id",
            hint="Nothing was written under this id.",
        )
    return found[0][0]


def newest_excision(reader: Reader) -> int:
    """The newest transaction that erased something, or 0."""
    sql = "SELECT coalesce(max(tx), 0) FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = ?"
    return reader.fetch(sql, (genesis.EXCISED,))[0][0]


def basis_of_cursor(reader: Reader, basis: int) -> int:
    """The basis itself; refused when it is no transaction of the file up to now."""
    if basis > reader.basis or not moments.is_transaction(reader, basis):
        raise cursors.refused("names no transaction of this file")
    return basis


def list_schema(call: Call, given: dict) -> Answer:
    """`schema`: attributes with what is declared and observed, then the shapes, a page at a time."""
    prefix, system, used = given.get("prefix"), given.get("include_system", False), given.get("used", False)
    request = ["schema-tool", prefix, system, used]
    limit = given.get("limit", limits.MCP_ITEMS_MAX)
    with call.reading() as (db, reader):
        excised = newest_excision(reader)
        basis, offset = reader.basis, 0
        if "cursor" in given:
            basis, offset = cursors.unpack(given["cursor"], request, call.host.fingerprint, excised)
            basis = basis_of_cursor(reader, basis)
        snapshot = call.host.schema(db, basis, prefix, system)
    attributes = [item for item in snapshot["attributes"] if not used or _in_use(item)]
    everything = attributes + snapshot["shapes"]
    if isinstance(offset, bool) or not isinstance(offset, int) or not 0 <= offset <= len(everything):
        raise cursors.refused("points outside the schema")
    items = everything[offset : offset + limit]
    frame = {"basis_tx": basis, "digest": snapshot["digest"], "attributes": [], "shapes": [], "truncated": True}
    if "limit" in given:
        shown = answers.whole_page(items, basis, lambda part: {**frame, "attributes": part})
    else:
        shown = answers.short_page(items, frame)
    end = offset + len(shown)
    split = max(0, len(attributes) - offset)
    more = end < len(everything)
    cursor = cursors.pack(request, call.host.fingerprint, excised, basis, end) if more else None
    data = {**frame, "attributes": shown[:split], "shapes": shown[split:], "next_cursor": cursor, "truncated": more}
    return Answer(basis, data)


def _in_use(attribute: dict) -> bool:
    return bool(attribute["declared"]) or attribute["observed"]["live_facts"] > 0


def list_datoms(call: Call, given: dict) -> Answer:
    """`datoms`: raw facts in index order, a page at a time."""
    index, source = given.get("index", "eavt"), given.get("source", "current")
    components = given.get("components", [])
    request = ["datoms-tool", index, source, components]
    limit = given.get("limit", limits.MCP_ITEMS_MAX)
    with call.reading() as (db, reader):
        excised = newest_excision(reader)
        inner = None
        if "cursor" in given:
            basis, inner = cursors.unpack(given["cursor"], request, call.host.fingerprint, excised)
            basis_of_cursor(reader, basis)

        def fetch(count: int) -> dict:
            return db.datoms(index, components, source=source, limit=count, cursor=inner)

        page = _fitting_page(fetch, limit, "limit" in given)
    if page["next_cursor"] is not None:
        where = page["next_cursor"]
        page["next_cursor"] = cursors.pack(request, call.host.fingerprint, excised, page["basis_tx"], where)
    return Answer(page["basis_tx"], page)


def _fitting_page(fetch: Callable[[int], dict], limit: int, explicit: bool) -> dict:
    """One page that fits: with fewer items where it must be, and a single long value cut."""
    page = fetch(limit)
    frame = {**page, "items": [], "next_cursor": "-" * limits.MCP_EXCERPT_BYTES if explicit else "-" * 400}
    if explicit:
        room = limits.MCP_ANSWER_BYTES - answers.size(frame) - answers.FRAME
        shown = page["items"][: answers.leading(page["items"], room, answers.weight)]
        if page["items"] and not shown:
            shown = [answers.cut_fact(page["items"][0], limits.MCP_EXCERPT_BYTES)]
    else:
        shown = answers.short_page(page["items"], frame)
    if len(shown) < len(page["items"]):
        page = fetch(len(shown))
    return {**page, "items": shown}
