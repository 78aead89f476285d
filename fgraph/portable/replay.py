"""Applying event/1 streams: each event becomes a transaction under the schema of the file (docs/streams.md)."""

from collections.abc import Iterator

from fgraph import errors, limits
from fgraph.file import identities
from fgraph.file.reader import Reader
from fgraph.file.store import Store
from fgraph.portable import incoming, lines, tuples
from fgraph.portable.incoming import Content, Incoming, Wire
from fgraph.portable.tuples import Key
from fgraph.read import receipts
from fgraph.report import TxReport
from fgraph.write import commit, transact
from fgraph.write.commit import Origin, Provenance
from fgraph.write.omitted import OMITTED
from fgraph.write.operations import TX
from fgraph.write.resolve import Resolver

ADVICE = "send events as tail gives them out"


def apply(store: Store, source: object) -> list[TxReport]:
    """Apply a stream, all or nothing; one report for each event, in order.

    `source` is a text, a reader or an iterable of records. Events that the file has already are skipped. Raises
    `TypeError` for malformed records, `TooLarge`, `Conflict` for an event id that stands for something else, and what
    a write raises for facts that the schema does not allow; the message names the line.
    """
    store.check_writable()
    with store.writing() as reader:
        return list(_replay(reader, source, brief=False))


def apply_summary(store: Store, source: object) -> dict:
    """As `apply`, but counts only: memory does not grow with the stream."""
    store.check_writable()
    counts = {"applied": 0, "already_applied": 0, "noop": 0}
    with store.writing() as reader:
        for report in _replay(reader, source, brief=True):
            counts[report.status] += 1
        basis = store.newest()
    return {**counts, "events": counts["applied"] + counts["already_applied"], "basis_tx": basis}


def _replay(reader: Reader, source: object, *, brief: bool) -> Iterator[TxReport]:
    """Apply the events one by one; brief reports are without the facts."""
    for line in lines.records(source, limits.EVENT_BYTES):
        reader.store.check_cancelled()
        with lines.advised(ADVICE):
            event = incoming.parse(line)
        report = _known(reader, event)
        if report is None:
            report = _located(reader, event, brief)
            reader = Reader(reader.store, report.tx, live=True)
        yield report


def _located(reader: Reader, event: Incoming, brief: bool) -> TxReport:
    """Apply one new event; the errors of the write say which line it was."""
    try:
        with lines.advised(ADVICE):
            return _apply(reader, event, incoming.content(event), brief)
    except errors.FGraphError as fault:
        if not fault.message.startswith("line "):
            fault.message = f"{event.where}: {fault.message}"
        raise


def _known(reader: Reader, event: Incoming) -> TxReport | None:
    """The report of an event that the file has; `Conflict` when its id stands for something else here."""
    found = reader.store.registry.by_gid(event.gid)
    if found is None:
        return None
    rows = reader.fetch("SELECT event_hash FROM fgraph_events WHERE tx = ?", (found.id,))
    shown = identities.uuid_text(event.gid)
    if not rows:
        raise errors.Conflict(
            f"{event.where}: {shown} is an entity in this file, named by a later event that came first",
            hint="apply the events of a file in their order",
        )
    if rows[0][0] != event.digest:
        raise errors.Conflict(f"{event.where}: the file has another event {shown}", hint="one of the files was changed")
    return receipts.already_applied(reader, found.id)


def _apply(reader: Reader, event: Incoming, content: Content, brief: bool) -> TxReport:
    resolver = Resolver(reader, commit.next_id(reader), direct=False)
    _Filling(resolver, event).fill(content)
    record = event.record
    provenance = Provenance(
        record.get("by"),
        record.get("source"),
        record.get("meta", OMITTED),
        origin=Origin(event.gid, event.text, record["at"]),
    )
    return transact.apply(reader, resolver, provenance, always=True, brief=brief)


class _Filling:
    """Turns the parts of an event into operations; identities are allocated as they first appear."""

    def __init__(self, resolver: Resolver, event: Incoming) -> None:
        self._resolver = resolver
        self._event = event
        self._anonymous: dict[bytes, int] = {}

    def fill(self, content: Content) -> None:
        """Allocate what the event creates, then take in retractions, assertions and facts of the transaction."""
        self._resolver.allocation.preload(_names(content))
        for key in content.created:
            self._identity(key, "created")
        for fact in content.retracted:
            self._resolver.remove(*self._parts(fact))
        for fact in content.asserted:
            self._resolver.add(*self._parts(fact))
        for fact in content.about:
            number = self._resolver.attribute(fact.attribute, fact.attribute)
            self._resolver.add(TX, number, self._value(fact), fact.attribute)

    def _parts(self, fact: Wire) -> tuple:
        where = fact.attribute
        entity = self._identity(fact.entity, where)
        self._resolver.guard(entity, where)
        return entity, self._resolver.attribute(fact.attribute, where), self._value(fact), where

    def _value(self, fact: Wire) -> object:
        where = fact.attribute
        return tuples.tagged_value(fact.value, fact.type, lambda key: self._identity(key, where), where)

    def _identity(self, key: Key, where: str) -> int:
        if isinstance(key, str):
            return self._resolver.allocation.name(key, where)
        number = self._anonymous.get(key)
        if number is None:
            number = self._anonymous[key] = self._find_or_allocate(key)
        return number

    def _find_or_allocate(self, key: bytes) -> int:
        if key == self._event.gid:
            raise errors.Conflict(f"{self._event.where}: a fact refers to the event itself")
        found = self._resolver.reader.store.registry.by_gid(key)
        if found is not None:
            return found.id
        number = self._resolver.allocation.anonymous(key)
        self._resolver.allocation.mention(f"event:{identities.uuid_text(key)}", number)
        return number


def _names(content: Content) -> set[str]:
    """Every name that the event mentions, for one look at the registry."""
    names = {key for key in content.created if isinstance(key, str)}
    for fact in (*content.retracted, *content.asserted, *content.about):
        names.add(fact.attribute)
        if isinstance(fact.entity, str):
            names.add(fact.entity)
        if fact.type == "ref" and isinstance(fact.value, dict) and isinstance(fact.value.get("ref"), str):
            names.add(fact.value["ref"])
    return names
