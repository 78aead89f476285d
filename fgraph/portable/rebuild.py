"""The rows of a file rebuilt from the receipts and facts of a snapshot, in the stream's order."""

import hashlib
import json
import sqlite3
from array import array

from fgraph import errors, limits
from fgraph.file import genesis, identities, rows
from fgraph.file.reader import Reader
from fgraph.file.rows import Fact
from fgraph.portable import promises, tuples
from fgraph.portable.tuples import Key
from fgraph.read import events
from fgraph.values import canonical, verbatim

RECEIPT_KEYS = {
    "at",
    "created",
    "event",
    "event_data",
    "event_hash",
    "operation_id",
    "origin_at",
    "request_hash",
}
HEX64 = frozenset("0123456789abcdef")


class Rebuild:
    """Takes receipts, then facts, and writes them in batches; each call checks its record first."""

    def __init__(self, reader: Reader, created_at: int) -> None:
        self._connection = reader.connection
        self._known: dict[Key, int] = dict(genesis.NAMES)
        self._known[genesis.GENESIS_GID] = genesis.GENESIS_TX
        self._attributes: dict[str, int] = {}
        self._next_id = limits.FIRST_USER_ID
        self._transactions = Transactions(created_at)
        self._last_event = genesis.GENESIS_GID
        self._next_fact = rows.next_fact_id(reader.connection)
        self._pending: list[Fact] = []
        self._room = limits.RESTORE_BATCH_BYTES
        self._group = promises.Group.of_genesis()
        self._asserting: str | None = None
        self._rewrite_genesis(created_at)

    # -- receipts -----------------------------------------------------------------------------------------------------

    def receipt(self, content: object, where: str) -> None:
        """Register a transaction and the identities it created."""
        if not isinstance(content, dict) or content.keys() != RECEIPT_KEYS:
            raise errors.TypeError(f"{where}: a receipt has exactly {', '.join(sorted(RECEIPT_KEYS))}", param=where)
        gid = tuples.event_key(content["event"], where)
        if gid in self._known:
            raise errors.Conflict(f"{where}: event {content['event']} is in the stream already")
        created = self._created(content["created"], gid, where)
        digest, request_hash = _hashes(content, where)
        at, origin_at = self._times(content, where)
        text = _payload_text(content, digest, where)
        if text is not None:
            promises.check_created(content["event_data"], gid, created, self._known, where)
        self._register(created, gid)
        self._transactions.add(self._known[gid], at, origin_at)
        self._last_event = gid
        self._insert_event(self._known[gid], digest, text, content["operation_id"], request_hash, where)

    def _created(self, selectors: object, gid: bytes, where: str) -> list[Key]:
        if not isinstance(selectors, list):
            raise errors.TypeError(f"{where}: created is no list", param=where)
        created: dict[Key, None] = {}
        for selector in selectors:
            key = tuples.selector_key(selector, where)
            if isinstance(key, str):
                identities.check_name(key, where)
            if key in self._known or key in created or key == gid:
                raise errors.Conflict(f"{where}: {errors.quote(selector)} was created already")
            created[key] = None
        return list(created)

    def _times(self, content: dict, where: str) -> tuple[int, int]:
        at, origin_at = content["at"], content["origin_at"]
        if not (events.is_time(at) and events.is_time(origin_at)):
            raise errors.TypeError(f"{where}: at and origin_at are integer microseconds", param=where)
        if at <= self._transactions.latest:
            raise errors.Conflict(f"{where}: the times of the receipts do not increase")
        payload = content["event_data"]
        if isinstance(payload, dict) and payload.get("at") != origin_at and events.is_time(payload.get("at")):
            raise errors.Conflict(f"{where}: origin_at is not the time of the payload")
        return at, origin_at

    def _register(self, created: list[Key], gid: bytes) -> None:
        tx = self._next_id + len(created)
        if tx >= limits.INT_MAX:
            raise errors.TooLarge("the snapshot has more identities than a file can hold")
        fresh = []
        for number, key in enumerate((*created, gid), start=self._next_id):
            self._known[key] = number
            fresh.append((number, key, None, tx) if isinstance(key, str) else (number, None, key, tx))
        self._connection.executemany("INSERT INTO fgraph_ids (id, name, gid, created_tx) VALUES (?, ?, ?, ?)", fresh)
        self._next_id = tx + 1

    def _insert_event(
        self, tx: int, digest: bytes, text: str | None, operation_id: object, request_hash: bytes | None, where: str
    ) -> None:
        if (operation_id is None) != (request_hash is None):
            raise errors.TypeError(
                f"{where}: operation_id and request_hash come together, or both are null", param=where
            )
        if operation_id is not None:
            identities.check_label(operation_id, where)
        sql = """
            INSERT INTO fgraph_events (tx, event_hash, event_data, operation_id, request_hash)
            VALUES (?, ?, ?, ?, ?)
        """
        try:
            self._connection.execute(sql, (tx, digest, text, operation_id, request_hash))
        except sqlite3.IntegrityError:
            raise errors.Conflict(f"{where}: operation_id {errors.quote(operation_id)} is used twice") from None

    # -- facts --------------------------------------------------------------------------------------------------------

    def fact(self, content: object, where: str) -> None:
        """Take one fact; facts come by ascending asserting transaction."""
        if not isinstance(content, list) or len(content) != 6 or not isinstance(content[3], str):
            raise errors.TypeError(
                f"{where}: a fact is [entity, attribute, value, type, event, event or null]", param=where
            )
        entity, attribute, wire, tag, asserting, retracting = content
        e = self._resolve(tuples.selector_key(entity, where))
        a = self._attribute(attribute, where)
        tx, rx = self._interval(asserting, retracting, where)
        value = tuples.tagged_value(wire, tag, self._resolve, where)
        if tx != self._group.tx:
            self._open(tx, where)
            self._asserting = asserting
        self._group.take(e, a, value, content, where)
        self._pending.append(Fact(self._next_fact, e, a, value, tx, rx))
        self._next_fact += 1
        self._room -= 1 if isinstance(value.value, int | float) else len(value.payload or value.value)
        if len(self._pending) >= limits.RESTORE_BATCH_FACTS or self._room < 0:
            self._flush()

    def _resolve(self, key: Key) -> int:
        number = self._known.get(key)
        if number is None:
            shown = key if isinstance(key, str) else identities.uuid_text(key)
            raise errors.NotFound(f"{errors.quote(shown)} is in no receipt of the stream")
        return number

    def _attribute(self, name: object, where: str) -> int:
        if not isinstance(name, str):
            raise errors.TypeError(f"{where}: the attribute {errors.quote(name)} is not a name", param=where)
        number = self._attributes.get(name)
        if number is None:
            identities.check_attribute(name, where)
            number = self._attributes[name] = self._resolve(name)
        return number

    def _interval(self, asserting: object, retracting: object, where: str) -> tuple[int, int | None]:
        if asserting == self._asserting:
            tx = self._group.tx
        else:
            tx = self._transactions.number(self._known.get(tuples.event_key(asserting, where)))
            if tx is None:
                raise errors.NotFound(f"{where}: event {errors.quote(asserting)} has no receipt in the stream")
        if retracting is None:
            return tx, None
        rx = self._transactions.number(self._known.get(tuples.event_key(retracting, where)))
        if rx is None or rx <= tx:
            raise errors.Conflict(f"{where}: the fact ends in event {errors.quote(retracting)}, which is no later one")
        return tx, rx

    def _open(self, tx: int, where: str) -> None:
        """Begin the facts of the next transaction; each has at least its time."""
        self._group.close()
        if self._transactions.next() != tx:
            raise errors.Conflict(
                f"{where}: the facts are not in the order of the receipts, or a transaction has none",
                hint="keep the order",
            )
        row = self._connection.execute("SELECT event_data FROM fgraph_events WHERE tx = ?", (tx,)).fetchone()
        payload = None if row[0] is None else json.loads(row[0])
        self._group = promises.Group(tx, *self._transactions.times(tx), payload)

    def _flush(self) -> None:
        try:
            rows.insert(self._connection, self._pending)
        except sqlite3.IntegrityError:
            raise errors.Conflict("the stream holds one live fact twice") from None
        self._pending.clear()
        self._room = limits.RESTORE_BATCH_BYTES

    # -- the ends -----------------------------------------------------------------------------------------------------

    def finish(self, basis: str) -> None:
        """Write what is left; the stream's basis must be its last receipt."""
        if basis != identities.uuid_text(self._last_event):
            raise errors.Conflict("the basis in the header is not the event of the last receipt")
        self._group.close()
        if self._transactions.next() is not None:
            raise errors.Conflict("a receipt of the stream has no facts, not even its time")
        self._flush()
        self._connection.execute("UPDATE fgraph_meta SET value = ? WHERE key = 'next_id'", (self._next_id,))

    def _rewrite_genesis(self, created_at: int) -> None:
        text = genesis.event_text(created_at)
        self._connection.execute("UPDATE fgraph_meta SET value = ? WHERE key = 'created_at'", (created_at,))
        self._connection.execute(
            "UPDATE fgraph_facts SET v = ? WHERE e = ? AND a = ?", (created_at, genesis.GENESIS_TX, genesis.AT)
        )
        self._connection.execute(
            "UPDATE fgraph_events SET event_hash = ?, event_data = ? WHERE tx = ?",
            (hashlib.sha256(text.encode()).digest(), text, genesis.GENESIS_TX),
        )


class Transactions:
    """The transactions of the receipts in order, with their times, sixteen bytes and a number for each."""

    def __init__(self, latest: int) -> None:
        self.latest = latest
        self._numbers = array("q")
        self._times: dict[int, int] = {}
        self._at = array("q")
        self._origin_at = array("q")
        self._position = 0

    def add(self, tx: int, at: int, origin_at: int) -> None:
        self._times[tx] = len(self._numbers)
        self._numbers.append(tx)
        self._at.append(at)
        self._origin_at.append(origin_at)
        self.latest = at

    def number(self, number: int | None) -> int | None:
        """The number itself when it is one of these transactions."""
        return number if number in self._times else None

    def next(self) -> int | None:
        """The transaction whose facts come next; None after the last."""
        if self._position == len(self._numbers):
            return None
        self._position += 1
        return self._numbers[self._position - 1]

    def times(self, tx: int) -> tuple[int, int]:
        place = self._times[tx]
        return self._at[place], self._origin_at[place]


def _hashes(content: dict, where: str) -> tuple[bytes, bytes | None]:
    digest, request_hash = content["event_hash"], content["request_hash"]
    for text in (digest, "0" * 64 if request_hash is None else request_hash):
        if not isinstance(text, str) or len(text) != 64 or not HEX64.issuperset(text):
            raise errors.TypeError(
                f"{where}: {errors.quote(text)} is not 64 lower-case hexadecimal digits", param=where
            )
    return bytes.fromhex(digest), None if request_hash is None else bytes.fromhex(request_hash)


def _payload_text(content: dict, digest: bytes, where: str) -> str | None:
    """The canonical text of the payload, which must have the receipt's hash; None where it was erased."""
    record = content["event_data"]
    if record is None:
        return None
    if not isinstance(record, dict):
        raise errors.TypeError(f"{where}: event_data is neither an object nor null", param=where)
    # The plain encoder is right about nearly all texts, and where it is not the hash tells.
    text = verbatim.ENCODER.encode(record)
    if hashlib.sha256(text.encode()).digest() != digest:
        text = canonical.canonical(record, where)
    if hashlib.sha256(text.encode()).digest() != digest:
        raise errors.TypeError(f"{where}: event_data does not match event_hash", param=where)
    fault = events.record_fault(record, content["event"])
    if fault:
        raise errors.TypeError(f"{where}: event_data is malformed: {fault}", param=where)
    if len(text.encode()) > limits.EVENT_BYTES:
        raise errors.TooLarge(f"{where}: event_data has more than {limits.EVENT_BYTES} bytes", param=where)
    return text
