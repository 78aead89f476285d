"""The one transaction: rows, receipt and report of a planned write (docs/writing.md)."""

import hashlib
from collections.abc import Iterable
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file import genesis, identities, rows
from fgraph.file.identities import Identity
from fgraph.file.reader import Reader
from fgraph.file.rows import Fact
from fgraph.report import TxReport
from fgraph.schema.declarations import FIELDS, KEY, Declarations
from fgraph.values import logical
from fgraph.values.canonical import quote_string
from fgraph.values.logical import INSTANT, REF, TEXT, Stored
from fgraph.write import event
from fgraph.write.allocation import Allocation, Finished, out_of_ids
from fgraph.write.effects import Delta
from fgraph.write.omitted import OMITTED
from fgraph.write.operations import TX


class Origin(NamedTuple):
    """What a replayed transaction brings from where it was first committed."""

    gid: bytes
    text: str
    at: int


class Provenance(NamedTuple):
    """What is recorded about the transaction itself; `origin` is set in replay only."""

    by: str | None = None
    source: str | None = None
    meta: object = OMITTED
    operation_id: str | None = None
    request_hash: bytes | None = None
    origin: Origin | None = None

    def facts(self) -> list[tuple[int, Stored]]:
        """The provenance facts as (attribute, value)."""
        pairs = [(genesis.BY, "by", self.by), (genesis.SOURCE, "source", self.source)]
        found = [(number, logical.encode_text(text, name)) for number, name, text in pairs if text is not None]
        if self.meta is not OMITTED:
            found.append((genesis.META, logical.encode_json(self.meta, "meta")))
        return found


class Written(NamedTuple):
    """A transaction with its final numbers, ready to be written."""

    basis: int
    tx: int
    at: int
    gid: bytes
    identities: dict[int, Identity]
    inserted: list[Fact]
    ended: list[Fact]


def next_id(reader: Reader) -> int:
    """The first free identity; `FormatError` when the file says nothing, or something that cannot be."""
    sql = "SELECT value, (SELECT max(id) FROM fgraph_ids) FROM fgraph_meta WHERE key = 'next_id'"
    number, newest = next(iter(reader.fetch(sql)), (None, None))
    if not isinstance(number, int) or number < limits.FIRST_USER_ID or number <= (newest or 0):
        raise errors.FormatError(
            f"the file's next_id is {errors.quote(number)}, and its newest identity is {newest}",
            hint="run doctor, and restore a backup",
        )
    if number >= limits.INT_MAX:
        raise out_of_ids()
    return number


def fact_ids(reader: Reader, count: int) -> range:
    """The ids of the next fact rows; they are never used again, so they can run out before the identities."""
    first = rows.next_fact_id(reader.connection)
    if first + count > limits.INT_MAX:
        raise out_of_ids()
    return range(first, first + count)


def latest_at(reader: Reader) -> int:
    """The time of the newest transaction, in microseconds."""
    sql = "SELECT v FROM fgraph_facts INDEXED BY fgraph_eavt WHERE e = ? AND a = ? AND rx IS NULL"
    found = reader.fetch(sql, (reader.basis, genesis.AT))
    if not found or not isinstance(found[0][0], int):
        raise errors.FormatError(f"transaction {reader.basis} has no time", hint="run doctor, and restore a backup")
    return found[0][0]


def commit(
    reader: Reader,
    allocation: Allocation,
    delta: Delta,
    provenance: Provenance,
    after: Declarations,
    *,
    brief: bool = False,
) -> TxReport:
    """Write everything inside the transaction that is open, and report it; with `brief` without the facts.

    `after` are the declarations as they stand after the transaction; they say whether an ended fact is kept. The event
    id of an `origin` is one that the file does not have.
    """
    about = provenance.facts()
    finished = _finish(allocation, delta)
    at = reader.store.clock.after(latest_at(reader))
    origin = provenance.origin
    gid = origin.gid if origin else new_event_id(reader, finished.tx)
    identities_now = {identity.id: identity for identity in finished.identities(gid)}
    inserted = _inserted(reader, finished, delta, at, about, origin)
    written = Written(reader.basis, finished.tx, at, gid, identities_now, inserted, delta.removed)
    shown = () if brief and origin else (*inserted, *delta.removed)
    known = _shown_identities(reader, shown, identities_now)
    text = origin.text if origin else _event_text(known, written, finished, about, delta)
    _write(reader, written, provenance, text, after)
    return _report(known, written, finished, brief)


def _finish(allocation: Allocation, delta: Delta) -> Finished:
    used = {add.e for add in delta.added}
    used.update(add.value.value for add in delta.added if add.value.tag == REF)
    return allocation.finish(used)


def new_event_id(reader: Reader, tx: int) -> bytes:
    """A fresh event id; `Conflict` when the source of ids repeats one."""
    gid = reader.store.event_ids.next(tx)
    if reader.store.registry.by_gid(gid) is not None:
        raise errors.Conflict(
            f"the event id {identities.uuid_text(gid)} is already in use", hint="use a fresh UUID for each event"
        )
    return gid


def _inserted(
    reader: Reader, finished: Finished, delta: Delta, at: int, about: list[tuple[int, Stored]], origin: Origin | None
) -> list[Fact]:
    """The new rows: time and provenance, the assertions, and in replay the origin's time."""
    tx = finished.tx
    planned = [(TX, genesis.AT, Stored(INSTANT, at))]
    planned += [(TX, attribute, value) for attribute, value in about]
    planned += [(add.e, add.a, add.value) for add in delta.added]
    if origin is not None:
        planned.append((TX, genesis.IMPORTED_AT, Stored(INSTANT, origin.at)))
    final = finished.final
    return [
        Fact(
            number,
            tx if entity == TX else final(entity),
            final(attribute),
            value._replace(value=final(value.value)) if value.tag == REF and finished.moved else value,
            tx,
        )
        for number, (entity, attribute, value) in zip(fact_ids(reader, len(planned)), planned, strict=True)
    ]


def _shown_identities(reader: Reader, facts: Iterable[Fact], new: dict[int, Identity]) -> dict[int, Identity]:
    """All identities that some facts mention, the committed ones loaded in few statements."""
    wanted = set()
    for fact in facts:
        wanted.add(fact.e)
        wanted.add(fact.a)
        if fact.value.tag == REF:
            wanted.add(fact.value.value)
    committed = wanted - new.keys()
    reader.warm(committed)
    registry = reader.store.registry
    found = {number: registry.by_id(number) for number in committed}
    return new | {number: identity for number, identity in found.items() if identity is not None}


def _event_text(
    known: dict[int, Identity], written: Written, finished: Finished, about: list[tuple[int, Stored]], delta: Delta
) -> str:
    def selector(number: int) -> str | dict:
        if number not in known:
            raise logical.damaged(f"identity {number} is not registered")
        return known[number].selector

    writer = event.EventWriter(selector)
    planned = written.inserted[1 + len(about) : 1 + len(about) + len(delta.added)]
    domain = [(fact.e, fact.a, fact.value) for fact in planned if fact.e != written.tx]
    audit = [(fact.a, fact.value) for fact in planned if fact.e == written.tx]
    parts = {
        "event": f'"{identities.uuid_text(written.gid)}"',
        "at": str(written.at),
        "created": f"[{','.join(writer.selector(created.id) for created in finished.created)}]",
        "asserted": writer.facts(domain),
        "retracted": writer.facts((fact.e, fact.a, fact.value) for fact in written.ended),
    }
    keys = {genesis.BY: "by", genesis.SOURCE: "source"}
    for attribute, value in about:
        parts[keys.get(attribute, "meta")] = value.value if attribute == genesis.META else quote_string(value.text)
    if audit:
        parts["tx_facts"] = writer.transaction_facts(audit)
    return event.document(parts)


def _write(reader: Reader, written: Written, provenance: Provenance, text: str, after: Declarations) -> None:
    connection = reader.connection
    identities.insert(connection, written.identities.values())
    rows.insert(connection, written.inserted)
    rows.end(connection, (fact for fact in written.ended if not after.nohistory(fact.a)), written.tx)
    insert_event(reader, written.tx, text, provenance)
    rows.delete(connection, (fact for fact in written.ended if after.nohistory(fact.a)))
    advance(reader, written.tx)
    if any(fact.a in FIELDS for fact in (*written.inserted, *written.ended)):
        reader.store.forget(KEY)


def insert_event(reader: Reader, tx: int, text: str, provenance: Provenance) -> None:
    """Insert the receipt row."""
    reader.connection.execute(
        "INSERT INTO fgraph_events (tx, event_hash, event_data, operation_id, request_hash) VALUES (?, ?, ?, ?, ?)",
        (tx, hashlib.sha256(text.encode()).digest(), text, provenance.operation_id, provenance.request_hash),
    )


def advance(reader: Reader, tx: int) -> None:
    """Move `next_id` past the newest transaction."""
    reader.connection.execute("UPDATE fgraph_meta SET value = ? WHERE key = 'next_id'", (tx + 1,))


def _report(known: dict[int, Identity], written: Written, finished: Finished, brief: bool) -> TxReport:
    return TxReport(
        status="applied",
        event=identities.uuid_text(written.gid),
        basis_tx=written.basis,
        tx=written.tx,
        at=written.at,
        ids=finished.ids,
        asserted=[] if brief else _shown(known, written.inserted, None),
        retracted=[] if brief else _shown(known, written.ended, written.tx),
    )


def shown(reader: Reader, facts: list[Fact], rx: int | None) -> list[dict]:
    """Facts of committed identities as reports show them; `rx` is the transaction that ended them, if any."""
    return _shown(_shown_identities(reader, facts, {}), facts, rx)


def _shown(known: dict[int, Identity], facts: list[Fact], rx: int | None) -> list[dict]:
    labels = {number: identity.label for number, identity in known.items()}

    def label(number: int) -> str | int:
        return labels.get(number, number)

    return [
        {
            "id": fact.id,
            "e": label(fact.e),
            "a": label(fact.a),
            "v": fact.value.value if fact.value.tag == TEXT else logical.render_stored(fact.value, label),
            "tx": fact.tx,
            "rx": rx,
        }
        for fact in facts
    ]
