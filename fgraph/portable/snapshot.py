"""Writing snapshot/1: receipts and retained facts of one basis as canonical lines, with a digest (docs/streams.md)."""

import hashlib
from collections.abc import Iterator

from fgraph import errors, limits
from fgraph.file import genesis, identities, paths
from fgraph.file.reader import Reader
from fgraph.file.store import Store, View
from fgraph.read import events, render
from fgraph.values import canonical, logical
from fgraph.values.canonical import quote_string

FORMAT = "snapshot/1"
VERSION = 2


def snapshot(store: Store | View, writer: object = None) -> str | None:
    """Write the snapshot of a file or view to `writer` (anything with `write`), or return its text when there is none.

    One read transaction, one line at a time. Raises `Unsupported` for a view that has erased payloads without the
    excision that explains them, `TooLarge` for a record over its cap, `FormatError` for damaged rows.
    """
    if writer is not None and not callable(getattr(writer, "write", None)):
        raise errors.TypeError(
            f"writer is {errors.quote(writer)}", param="writer", hint="give an open text file, or nothing for the text"
        )
    with store.reading() as reader:
        if writer is None:
            return "".join(lines(reader))
        for line in lines(reader):
            writer.write(line)
    return None


def iter_snapshot(store: Store | View) -> Iterator[str]:
    """The lines of a snapshot, each with its line feed; what is committed while they are taken is left out.

    A file is read through a connection of its own, so that the caller may use the handle between two lines.
    """
    store.check()
    if store.path == paths.MEMORY or store.connection.in_transaction:
        with store.reading() as reader:
            yield from lines(reader)
        return
    live = store.live
    private = Store(store.path, clock=live.clock, event_ids=live.event_ids, read_only=True, budget=live.budget)
    try:
        with (private if live is store else private.view(store.basis)).reading() as reader:
            yield from lines(reader)
    finally:
        private.close()


def lines(reader: Reader) -> Iterator[str]:
    """The snapshot at the reader's basis, inside its transaction."""
    _check_explained(reader)
    digest = hashlib.sha256()
    counts = {"facts": 0, "receipts": 0}
    pending: list[str] = []
    size = 0
    for kind, line in _body(reader):
        if len(line) > limits.SNAPSHOT_LINE_BYTES // 4 and len(line.encode()) - 1 > limits.SNAPSHOT_LINE_BYTES:
            raise errors.TooLarge(
                f"a {kind} record of the snapshot has more than {limits.SNAPSHOT_LINE_BYTES} bytes",
                hint="take a backup instead",
            )
        if kind in counts:
            counts[kind] += 1
        pending.append(line)
        size += len(line)
        if size > limits.SNAPSHOT_HASH_BYTES:
            digest.update("".join(pending).encode())
            pending, size = [], 0
        yield line
    digest.update("".join(pending).encode())
    yield canonical.canonical({**counts, "fgraph": "end", "sha256": digest.hexdigest()}) + "\n"


def _body(reader: Reader) -> Iterator[tuple[str, str]]:
    yield "header", _header(reader)
    selectors = Selectors(reader)
    for line in _receipts(reader):
        reader.store.check_cancelled()
        yield "receipts", line
    for line in _facts(reader, selectors):
        yield "facts", line


class Selectors:
    """The canonical text by which streams name an identity, through a bounded cache."""

    def __init__(self, reader: Reader) -> None:
        self._registry = reader.store.registry
        self._texts: dict[int, str] = {}

    def __getitem__(self, number: int) -> str:
        text = self._texts.get(number)
        return self._load(number) if text is None else text

    def _load(self, number: int) -> str:
        identity = self._registry.by_id(number)
        if identity is None:
            raise logical.damaged(f"identity {number} is used but not registered")
        if len(self._texts) >= limits.SELECTOR_CACHE:
            self._texts.clear()
        text = self._texts[number] = quote_string(identity.name) if identity.gid is None else _eid(identity.gid)
        return text

    def event(self, tx: int | None) -> str:
        """The quoted event id of a transaction, or null."""
        return "null" if tx is None else self[tx][len('{"eid":') : -1]


def _eid(gid: bytes) -> str:
    return f'{{"eid":"{identities.uuid_text(gid)}"}}'


def _header(reader: Reader) -> str:
    basis = reader.store.registry.by_id(reader.basis)
    created_at = reader.fetch("SELECT value FROM fgraph_meta WHERE key = 'created_at'")
    if basis is None or basis.gid is None or not created_at:
        raise logical.damaged("the newest transaction has no global id, or the file no time of creation")
    return (
        f'{{"basis":"{identities.uuid_text(basis.gid)}","created_at":{created_at[0][0]},'
        f'"fgraph":"{FORMAT}","format":{VERSION}}}\n'
    )


def _receipts(reader: Reader) -> Iterator[str]:
    sql = """
        SELECT v.tx, v.event_hash, v.event_data, i.gid, v.operation_id, v.request_hash, at.v, origin.v
        FROM fgraph_events v
        LEFT JOIN fgraph_ids i ON i.id = v.tx
        LEFT JOIN fgraph_facts at INDEXED BY fgraph_eavt ON at.e = v.tx AND at.a = ? AND at.rx IS NULL
        LEFT JOIN fgraph_facts origin INDEXED BY fgraph_eavt ON origin.e = v.tx AND origin.a = ? AND origin.rx IS NULL
        WHERE v.tx > ? AND v.tx <= ?
        ORDER BY v.tx
    """
    bounds = (genesis.GENESIS_TX, reader.basis)
    created = Created(reader, *bounds)
    rows = reader.connection.execute(sql, (genesis.AT, genesis.IMPORTED_AT, *bounds))
    for *columns, operation_id, request_hash, at, origin_at in rows:
        receipt = events.Receipt(*columns)
        if receipt.text is not None:
            events.record_of(receipt)
        if at is None:
            raise logical.damaged(f"transaction {receipt.tx} has no time")
        # The stored payload is canonical, so it goes into the line as it stands.
        yield (
            f'{{"receipt":{{"at":{at},"created":[{created.by(receipt.tx)}],'
            f'"event":"{receipt.event}","event_data":{receipt.text or "null"},"event_hash":"{receipt.digest.hex()}",'
            f'"operation_id":{"null" if operation_id is None else quote_string(operation_id)},'
            f'"origin_at":{at if origin_at is None else origin_at},"request_hash":{_hex(request_hash)}}}}}\n'
        )


class Created:
    """The identities that each transaction created, read alongside the receipts."""

    def __init__(self, reader: Reader, since: int, through: int) -> None:
        sql = """
            SELECT created_tx, name, gid FROM fgraph_ids
            WHERE created_tx > ? AND created_tx <= ? AND id <> created_tx
            ORDER BY created_tx, id
        """
        self._rows = reader.connection.execute(sql, (since, through))
        self._next = self._rows.fetchone()

    def by(self, tx: int) -> str:
        """The selectors of one transaction's identities, joined by commas; asked in ascending order."""
        texts = []
        while self._next is not None and self._next[0] <= tx:
            _, name, gid = self._next
            texts.append(quote_string(name) if gid is None else _eid(gid))
            self._next = self._rows.fetchone()
        return ",".join(texts)


def _hex(digest: bytes | None) -> str:
    return "null" if digest is None else f'"{digest.hex()}"'


def _facts(reader: Reader, selectors: Selectors) -> Iterator[str]:
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM {render.FACT_FROM}
        WHERE f.tx > ? AND f.tx <= ?
        ORDER BY f.id
    """
    event = selectors.event
    rows = reader.connection.execute(sql, (genesis.GENESIS_TX, reader.basis))
    for number, entity, attribute, value, tag, tx, rx, blob in rows:
        yield (
            f'{{"fact":[{selectors[entity]},{selectors[attribute]},'
            f"{_value(selectors, number, tag, value, blob)},"
            f'"{logical.TYPE_OF_TAG[tag]}",{event(tx)},{event(reader.ended(rx))}]}}\n'
        )


def _value(selectors: Selectors, number: int, tag: int, value: object, blob: object) -> str:
    """The canonical wire text of one stored value; frequent tags are written without building the wire form."""
    if tag == logical.TEXT and type(value) is str:
        return quote_string(value)
    if tag == logical.INT and type(value) is int:
        return str(value)
    if tag == logical.REF and type(value) is int:
        return f'{{"ref":{selectors[value]}}}'
    return canonical.canonical(logical.render(tag, value, blob, lambda _: None), f"the value of fact {number}")


def _check_explained(reader: Reader) -> None:
    """Refuse a view that lies between a redacted transaction and the excision that redacted it."""
    if reader.live:
        return
    erased = {receipt.event for receipt in _erased(reader)}
    for receipt in _redactions(reader) if erased else ():
        if erased.intersection(events.record_of(receipt)["redacts"]):
            raise errors.Unsupported(
                f"the view at transaction {reader.basis} lacks payloads that transaction {receipt.tx} erased",
                hint=f"take the snapshot at transaction {receipt.tx} or later",
            )


def _erased(reader: Reader) -> Iterator[events.Receipt]:
    sql = f"""
        SELECT {events.COLUMNS}
        FROM fgraph_events v
        JOIN fgraph_ids i ON i.id = v.tx
        WHERE v.tx <= ? AND v.event_data IS NULL
    """
    return (events.Receipt(*row) for row in reader.connection.execute(sql, (reader.basis,)))


def _redactions(reader: Reader) -> Iterator[events.Receipt]:
    """The excisions after the basis, oldest first."""
    sql = f"""
        SELECT DISTINCT {events.COLUMNS}
        FROM fgraph_facts f INDEXED BY fgraph_avet
        JOIN fgraph_events v ON v.tx = f.e
        JOIN fgraph_ids i ON i.id = v.tx
        WHERE f.a = ? AND f.e = f.tx AND v.tx > ? AND v.event_data IS NOT NULL
        ORDER BY v.tx
    """
    rows = reader.fetch(sql, (genesis.EXCISED, reader.basis))
    return (receipt for receipt in (events.Receipt(*row) for row in rows) if '"redacted":true' in receipt.text)
