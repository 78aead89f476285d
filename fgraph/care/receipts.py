"""Checks of the transactions: receipts, times, payloads, redactions, and the identities that payloads explain."""

from collections.abc import Callable, Iterator

from fgraph import errors
from fgraph.care.agreement import Agreement
from fgraph.care.findings import Findings
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.read import events
from fgraph.read.events import Receipt

# A transaction without its identity, or with a named one, or one that claims another creator; and the reverse.
STRAY = """
    SELECT v.tx FROM fgraph_events v
    LEFT JOIN fgraph_ids i ON i.id = v.tx
    WHERE i.gid IS NULL OR i.created_tx <> v.tx
"""
NO_RECEIPT = """
    SELECT i.id FROM fgraph_ids i
    LEFT JOIN fgraph_events v ON v.tx = i.id
    WHERE i.created_tx = i.id AND v.tx IS NULL
"""
IMPOSSIBLE = """
    SELECT tx FROM fgraph_events
    WHERE typeof(event_hash) <> 'blob' OR length(event_hash) <> 32
        OR (event_data IS NOT NULL AND typeof(event_data) <> 'text')
        OR (request_hash IS NOT NULL AND (typeof(request_hash) <> 'blob' OR length(request_hash) <> 32))
        OR (operation_id IS NULL) <> (request_hash IS NULL)
"""
WITH_TIMES = f"""
    SELECT {events.COLUMNS}, v.operation_id, at.v, origin.v
    FROM fgraph_events v
    JOIN fgraph_ids i ON i.id = v.tx
    LEFT JOIN fgraph_facts at INDEXED BY fgraph_eavt ON at.e = v.tx AND at.a = {genesis.AT} AND at.rx IS NULL
    LEFT JOIN fgraph_facts origin INDEXED BY fgraph_eavt
        ON origin.e = v.tx AND origin.a = {genesis.IMPORTED_AT} AND origin.rx IS NULL
    WHERE i.gid IS NOT NULL
    ORDER BY v.tx
"""
FOREIGN_TIMES = """
    SELECT f.id FROM fgraph_facts f INDEXED BY fgraph_avet
    JOIN fgraph_events v ON v.tx = f.e
    WHERE f.a = ? AND f.tx <> f.e
"""
MARKERS = """
    SELECT DISTINCT f.e FROM fgraph_facts f INDEXED BY fgraph_avet
    WHERE f.a = ? AND f.e = f.tx
"""
ANONYMOUS = """
    SELECT created_tx, id, gid FROM fgraph_ids
    WHERE gid IS NOT NULL AND id <> created_tx
    ORDER BY created_tx, id
"""


def check(
    reader: Reader, findings: Findings, *, compare: bool = True, passed: Callable[[int], object] | None = None
) -> None:
    """Everything about `fgraph_events`; with `compare` the payloads are held against the facts as well.

    `passed` is told after each payload how many rows that was.
    """
    for (tx,) in reader.connection.execute(STRAY):
        findings.fatal(f"transaction {tx} has no identity of its own with a global id")
    for (number,) in reader.connection.execute(NO_RECEIPT):
        findings.fatal(f"identity {number} is a transaction without a receipt")
    for (tx,) in reader.connection.execute(IMPOSSIBLE):
        findings.fatal(f"the receipt of transaction {tx} has fields that are impossible")
    for (number,) in reader.connection.execute(FOREIGN_TIMES, (genesis.AT,)):
        findings.fatal(f"fact {number} gives a transaction a time that is not its own")
    _payloads(reader, findings, compare, passed)


def _payloads(reader: Reader, findings: Findings, compare: bool, passed: Callable[[int], object] | None) -> None:
    redactions = Redactions(reader)
    anonymous = Anonymous(reader)
    agreement = Agreement(reader) if compare else None
    times = Times()
    for *columns, operation_id, at, origin_at in reader.connection.execute(WITH_TIMES):
        receipt = Receipt(*columns)
        reader.store.check_cancelled()
        times.check(receipt.tx, at, findings)
        _operation_id(receipt.tx, operation_id, findings)
        created = anonymous.of(receipt.tx)
        if receipt.text is None:
            redactions.erased(receipt)
            continue
        try:
            record = events.record_of(receipt)
        except errors.FormatError as fault:
            findings.fatal(fault.message)
            continue
        _record(receipt, record, at if origin_at is None else origin_at, created, findings)
        redactions.payload(receipt, record, findings)
        if agreement is not None:
            agreement.compare(receipt.tx, record, findings)
        if passed is not None:
            passed(1 + len(record["asserted"]))
    redactions.check(findings)
    findings.figures["unverifiable_event_hashes"] = redactions.erased_count


def _operation_id(tx: int, operation_id: object, findings: Findings) -> None:
    if operation_id is not None:
        try:
            identities.check_label(operation_id, f"the operation id of transaction {tx}")
        except errors.FGraphError as fault:
            findings.fatal(fault.message)


def _record(receipt: Receipt, record: dict, at: object, created: list[tuple[int, bytes]], findings: Findings) -> None:
    if record["at"] != at:
        findings.fatal(f"the payload of transaction {receipt.tx} has another time than its facts")
    if receipt.tx == genesis.GENESIS_TX and receipt.text != genesis.event_text(record["at"]):
        findings.fatal("the payload of the genesis transaction is not the one that every file begins with")
    explained = events.eids(record) if created else ()
    for number, gid in created:
        if identities.uuid_text(gid) not in explained:
            findings.fatal(f"the global id of identity {number} is not explained by its transaction {receipt.tx}")


class Times:
    """Each transaction has exactly one time, later than the one before."""

    def __init__(self) -> None:
        self._tx: int | None = None
        self._at: int | None = None

    def check(self, tx: int, at: object, findings: Findings) -> None:
        if tx == self._tx:
            findings.fatal(f"transaction {tx} has several times")
        elif type(at) is not int:
            findings.fatal(f"transaction {tx} has no time")
        else:
            if self._at is not None and at <= self._at:
                findings.fatal(f"transaction {tx} is not later than transaction {self._tx}")
            self._tx, self._at = tx, at


class Anonymous:
    """The anonymous identities that each transaction created, read alongside the receipts."""

    def __init__(self, reader: Reader) -> None:
        self._rows: Iterator[tuple] = reader.connection.execute(ANONYMOUS)
        self._next = next(self._rows, None)

    def of(self, tx: int) -> list[tuple[int, bytes]]:
        """(id, gid) of one transaction's; transactions are asked in ascending order."""
        found = []
        while self._next is not None and self._next[0] <= tx:
            if self._next[0] == tx:
                found.append(self._next[1:])
            self._next = next(self._rows, None)
        return found


class Redactions:
    """Erased payloads on one side, the excisions that name them on the other."""

    def __init__(self, reader: Reader) -> None:
        self._marked = {row[0] for row in reader.fetch(MARKERS, (genesis.EXCISED,))}
        self._erased: dict[str, int] = {}
        self._named: set[str] = set()

    @property
    def erased_count(self) -> int:
        return len(self._erased)

    def erased(self, receipt: Receipt) -> None:
        self._erased[receipt.event] = receipt.tx
        self._marked.discard(receipt.tx)

    def payload(self, receipt: Receipt, record: dict, findings: Findings) -> None:
        """Take in one payload: an excision's, or any other."""
        if not events.is_redaction(record):
            if receipt.tx in self._marked:
                findings.fatal(f"transaction {receipt.tx} marks an excision, and its payload is no redaction record")
            return
        if receipt.tx not in self._marked:
            findings.fatal(f"transaction {receipt.tx} has a redaction record, and marks no excision")
        for event in record["redacts"]:
            if event not in self._erased:
                findings.fatal(f"transaction {receipt.tx} redacts event {event}, which is not an earlier erased one")
            self._named.add(event)

    def check(self, findings: Findings) -> None:
        """Each erased payload needs an excision that names it."""
        for event, tx in self._erased.items():
            if event not in self._named:
                findings.fatal(f"the payload of transaction {tx} is missing, and no excision explains it")
