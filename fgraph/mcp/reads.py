"""The reading tools about entities, transactions, attributes and raw facts."""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.mcp import about, answers, uris
from fgraph.mcp.answers import Answer
from fgraph.mcp.call import Call, selector
from fgraph.mcp.listing import SchemaListing
from fgraph.mcp.paging import Paging
from fgraph.read import receipts, selectors, timeline

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
    found = receipts.of_operation(reader, operation_id)
    if found is None:
        raise errors.NotFound(
            f"no transaction has the operation_id {errors.quote(operation_id)}",
            code="unknown_transaction",
            param="operation_id",
            hint="Nothing was written under this id.",
        )
    return found


def list_schema(call: Call, given: dict) -> Answer:
    """`schema`: attributes with what is declared and observed, then the shapes, a page at a time."""
    prefix, system, used = given.get("prefix"), given.get("include_system", False), given.get("used", False)
    limit = given.get("limit", limits.MCP_ITEMS_MAX)
    request = ["schema-tool", prefix, system, used]
    with call.reading() as (db, reader):
        listing = SchemaListing(
            call.host, db, reader, request, given.get("cursor"), prefix=prefix, system=system, used=used
        )
    items, frame = listing.items(limit), listing.page([])
    if "limit" in given:
        shown = answers.whole_page(items, listing.basis, lambda part: {**frame, "attributes": part})
    else:
        shown = answers.short_page(items, {**frame, "next_cursor": "-" * limits.MCP_CURSOR_ROOM})
    cursor = listing.cursor_after(len(shown))
    return Answer(listing.basis, {**listing.page(shown), "next_cursor": cursor, "truncated": cursor is not None})


def list_datoms(call: Call, given: dict) -> Answer:
    """`datoms`: raw facts in index order, a page at a time."""
    index, source = given.get("index", "eavt"), given.get("source", "current")
    components = given.get("components", [])
    with call.reading() as (db, reader):
        paging = Paging(reader, call.host.fingerprint, ["datoms-tool", index, source, components])
        _, inner = paging.begin(given.get("cursor"))

        def fetch(count: int) -> dict:
            return db.datoms(index, components, source=source, limit=count, cursor=inner)

        page = _fitting_page(fetch, given.get("limit"))
    if page["next_cursor"] is not None:
        page["next_cursor"] = paging.cursor(page["basis_tx"], page["next_cursor"])
    return Answer(page["basis_tx"], page)


def _fitting_page(fetch: Callable[[int], dict], limit: int | None) -> dict:
    """One page that fits: with fewer items where it must be, and a single long value cut."""
    page = fetch(limit or limits.MCP_ITEMS_MAX)
    items = page["items"]
    frame = {**page, "items": [], "next_cursor": "-" * limits.MCP_CURSOR_ROOM}
    if limit is None:
        shown = answers.short_page(items, frame)
    else:
        room = limits.MCP_ANSWER_BYTES - answers.size(frame) - limits.MCP_FRAME_CHARS
        shown = items[: answers.leading(items, room, answers.weight)]
        if items and not shown:
            shown = [answers.cut_fact(items[0], limits.MCP_EXCERPT_BYTES)]
    if len(shown) < len(items):
        page = fetch(len(shown))
    return {**page, "items": shown}
