"""What each resource address returns, and the error for one that cannot be read."""

from __future__ import annotations

from base64 import b64encode

from fgraph import errors, limits
from fgraph.mcp import answers, failures, uris
from fgraph.mcp.listing import SchemaListing
from fgraph.mcp.paging import Paging, number_between
from fgraph.mcp.protocol import Context
from fgraph.mcp.wire import INVALID_PARAMS, RESOURCE_NOT_FOUND, Fault, compact
from fgraph.read import events, moments, receipts
from fgraph.values.canonical import canonical

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.database import Db
    from fgraph.file.reader import Reader
    from fgraph.mcp.host import Host
    from fgraph.mcp.uris import Address

_SHA256_DIGITS = 64
_AS_GIVEN = "Read the address as oversized_event or next_uri gave it."


def read(host: Host, uri: str, context: Context) -> dict:
    """The result of `resources/read`; a `Fault` with the address and the error in its data where it fails."""
    try:
        address = uris.parse(uri)
        if address is None:
            raise _not_found(uri, context, None)
        with host.reading() as (db, reader):
            document = _DOCUMENTS[address.kind](host, db, reader, address)
        text = answers.capped(compact(answers.ordered(document)))
    except errors.NotFound as error:
        raise _not_found(uri, context, error) from error
    except errors.FGraphError as error:
        raise failures.refuse(error, _data(uri, error)) from error
    host.was_read()
    return {"contents": [{"uri": uri, "mimeType": "application/json", "text": text}]}


def _not_found(uri: str, context: Context, error: errors.NotFound | None) -> Fault:
    code = INVALID_PARAMS if context.stateless else RESOURCE_NOT_FOUND
    return Fault(code, f"Resource not found: {errors.clip(uri)}", _data(uri, error))


def _data(uri: str, error: errors.FGraphError | None) -> dict:
    if error is None:
        return {"uri": uri}
    body = failures.body(error)
    return {"uri": uri, "error": body["type"], **{key: body[key] for key in ("code", "hint", "retry")}}


def _schema(host: Host, db: Db, reader: Reader, address: Address) -> dict:
    prefix = address.query.get("prefix")
    listing = SchemaListing(host, db, reader, ["schema", prefix], address.query.get("cursor"), prefix=prefix)
    page = [answers.cut_fact(item, limits.MCP_VALUE_SHOWN_BYTES) for item in listing.items(limits.MCP_ITEMS_MAX)]
    page = page[: max(1, answers.leading(page, limits.MCP_FEED_BYTES, answers.weight))]
    document = listing.page(page)
    cursor = listing.cursor_after(len(page))
    if cursor is not None:
        document["next_uri"] = uris.build("schema", prefix=prefix, cursor=cursor)
    return document


def _entity(host: Host, db: Db, reader: Reader, address: Address) -> dict:
    at = address.query.get("at")
    paging = Paging(reader, host.fingerprint, ["entity", address.name, at])
    view = db if at is None else db.at(_moment(at))
    _, inner = paging.begin(address.query.get("cursor"))
    selector = uris.selector(address.name)

    def fetch(count: int) -> dict:
        return view.datoms("eavt", [selector], limit=count, cursor=inner)

    page = fetch(limits.MCP_ITEMS_MAX)
    items = [answers.cut_fact(item, limits.MCP_VALUE_SHOWN_BYTES) for item in page["items"]]
    fitting = max(1, answers.leading(items, limits.MCP_FEED_BYTES, answers.weight))
    if fitting < len(items):
        page = fetch(fitting)
    document = {"basis_tx": page["basis_tx"], "items": items[:fitting]}
    if page["next_cursor"] is not None:
        cursor = paging.cursor(page["basis_tx"], page["next_cursor"])
        document["next_uri"] = uris.build("entity", address.name, at=at, cursor=cursor)
    return document


def _moment(text: str) -> int | str:
    """A transaction id or microseconds where digits are given, else a time for the database to read."""
    if not uris.is_number(text):
        return text
    found = uris.number(text)
    if found is None:
        hint = "Use a transaction number, microseconds in 64 bits, or an RFC 3339 time."
        raise errors.TypeError(f"at is {errors.quote(text)}, out of range", code="out_of_range", param="at", hint=hint)
    return found


def _transaction(host: Host, db: Db, reader: Reader, address: Address) -> dict:
    name = address.name
    number = moments.resolve(reader, {"eid": name}, "tx") if uris.is_uuid(name) else None
    if number is None and uris.is_number(name):
        number = uris.number(name)
    if number is None:
        hint = "Use the number of a transaction, or the UUID of its event."
        raise errors.NotFound(
            f"{errors.quote(name)} is no transaction", code="unknown_transaction", param="tx", hint=hint
        )
    document = receipts.receipt(reader, number)
    facts = document["facts"]
    document["facts"] = [answers.cut_fact(fact, limits.MCP_EXCERPT_BYTES) for fact in facts[: limits.MCP_ITEMS_MAX]]
    document["truncated"] = len(facts) > limits.MCP_ITEMS_MAX
    return document


def _changes(host: Host, db: Db, reader: Reader, address: Address) -> dict:
    since = _since(address.query.get("since", str(limits.GENESIS_TX)))
    paging = Paging(reader, host.fingerprint, ["changes", since])
    basis, place = paging.begin(address.query.get("cursor"))
    document: dict = {"basis_tx": basis, "events": []}
    end = _fill(reader, document, number_between(place, since, basis), basis)
    if end < basis:
        document["next_uri"] = uris.build("changes", since=since, cursor=paging.cursor(basis, end))
    return document


def _since(text: str) -> int:
    found = uris.number(text) if uris.is_number(text) else None
    if found is None or found < limits.GENESIS_TX:
        raise errors.TypeError(
            f"since is {errors.quote(text)}", param="since", hint=f"use a transaction id, {limits.GENESIS_TX} or more"
        )
    return found


def _fill(reader: Reader, document: dict, start: int, basis: int) -> int:
    """Put the events after `start` that fit into the document; the transaction of the last one."""
    room, end = limits.MCP_FEED_BYTES, start
    for receipt in events.receipts(reader, start, basis):
        record = events.stub_of(reader, receipt) if receipt.text is None else events.record_of(receipt)
        size = len(canonical(record).encode()) if receipt.text is None else len(receipt.text.encode())
        if size > limits.MCP_FEED_BYTES and not document["events"]:
            document["oversized_event"] = _oversized(receipt, size, basis)
            return _last_or(reader, receipt.tx, basis)
        if size > room or len(document["events"]) == limits.MCP_ITEMS_MAX:
            return end
        document["events"].append(record)
        room -= size
        end = receipt.tx
    return basis


def _last_or(reader: Reader, tx: int, basis: int) -> int:
    """`tx`, or the basis where no event stands between them."""
    later = reader.fetch("SELECT 1 FROM fgraph_events WHERE tx > ? AND tx <= ? LIMIT 1", (tx, basis))
    return tx if later else basis


def _oversized(receipt: events.Receipt, size: int, basis: int) -> dict:
    digest = receipt.digest.hex()
    uri = uris.build("event", receipt.event, basis=basis, offset=0, digest=digest)
    return {"event": receipt.event, "event_hash": digest, "bytes": size, "uri": uri}


def _event(host: Host, db: Db, reader: Reader, address: Address) -> dict:
    event, query = address.name, address.query
    if not uris.is_uuid(event) or event != event.lower():
        raise errors.TypeError(f"event is {errors.quote(event)}", param="event", hint="use a lower-case UUID")
    basis = _decimal(query, "basis", None)
    if not limits.GENESIS_TX <= basis <= reader.basis or not moments.is_transaction(reader, basis):
        raise errors.TypeError(f"basis {basis} is no transaction", param="basis", hint=_AS_GIVEN)
    offset = _decimal(query, "offset", 0)
    digest = query.get("digest", "")
    if len(digest) != _SHA256_DIGITS or not set(digest) <= set("0123456789abcdef"):
        what = f"digest is {errors.quote(digest)}, not {_SHA256_DIGITS} lower-case hexadecimal digits"
        raise errors.TypeError(what, param="digest", hint=_AS_GIVEN)
    receipt = _visible_event(reader, event, basis)
    if receipt.digest.hex() != digest:
        raise errors.Conflict("the digest is not that of the event", param="digest", hint="read the changes again")
    if receipt.text is None:
        raise errors.Conflict("the event was erased", hint="its hash is all that is left")
    events.record_of(receipt)
    return _chunk(receipt, basis, offset)


def _visible_event(reader: Reader, event: str, basis: int) -> events.Receipt:
    tx = moments.resolve(reader, {"eid": event}, "event")
    if tx > basis:
        raise errors.Conflict("the event is newer than the basis", param="basis", hint="read the changes again")
    return next(events.receipts(reader, tx - 1, tx))


def _chunk(receipt: events.Receipt, basis: int, offset: int) -> dict:
    payload, digest = receipt.text.encode(), receipt.digest.hex()
    if offset >= len(payload):
        what = f"offset {offset} is beyond the {len(payload)} bytes of the event"
        raise errors.TypeError(what, code="out_of_range", param="offset", hint=_AS_GIVEN)
    end = offset + limits.MCP_CHUNK_BYTES
    document = {
        "basis_tx": basis,
        "event": receipt.event,
        "event_hash": digest,
        "offset": offset,
        "encoding": "base64",
        "data": b64encode(payload[offset:end]).decode(),
    }
    if end < len(payload):
        document["next_uri"] = uris.build("event", receipt.event, basis=basis, offset=end, digest=digest)
    return document


def _decimal(query: dict[str, str], name: str, default: int | None) -> int:
    text = query.get(name, "" if default is None else str(default))
    found = uris.number(text) if uris.is_number(text) else None
    if found is None or str(found) != text or found < 0:
        raise errors.TypeError(f"{name} is {errors.quote(text)}, not a decimal number", param=name, hint=_AS_GIVEN)
    return found


_DOCUMENTS = {
    "schema": _schema,
    "entity": _entity,
    "tx": _transaction,
    "changes": _changes,
    "event": _event,
}
