"""The event/1 record of a stored transaction: parsed, and checked on every read (docs/streams.md)."""

import hashlib
from collections.abc import Iterator
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.values import verbatim

FORMAT = "event/1"
REQUIRED = frozenset({"fgraph", "event", "at", "created", "asserted", "retracted"})
OPTIONAL = frozenset({"by", "source", "meta", "tx_facts"})
KNOWN = REQUIRED | OPTIONAL
REDACTION = REQUIRED | {"redacted", "redacts"}
LISTS = ("created", "asserted", "retracted")
COLUMNS = "v.tx, v.event_hash, v.event_data, i.gid"


class Receipt(NamedTuple):
    """One row of `fgraph_events` with the transaction's global id; `text` is None where the payload was erased."""

    tx: int
    digest: bytes
    text: str | None
    gid: bytes

    @property
    def event(self) -> str:
        """The event id as text; `FormatError` where the transaction has none."""
        if not isinstance(self.gid, bytes) or len(self.gid) != 16:
            raise _damaged(self.tx, "it has no global id")
        return identities.uuid_text(self.gid)


def receipts(reader: Reader, since: int, through: int) -> Iterator[Receipt]:
    """The receipts of the transactions in (since, through], oldest first, one at a time."""
    sql = f"""
        SELECT {COLUMNS}
        FROM fgraph_events v
        LEFT JOIN fgraph_ids i ON i.id = v.tx
        WHERE v.tx > ? AND v.tx <= ?
        ORDER BY v.tx
    """
    for row in reader.connection.execute(sql, (since, through)):
        yield Receipt(*row)


def record_of(receipt: Receipt) -> dict:
    """The checked payload of a receipt that has one; `FormatError` names what is wrong with it."""
    record = verbatim.parse_canonical(receipt.text) if isinstance(receipt.text, str) else None
    fault = _text_fault(receipt) or record_fault(record, receipt.event)
    if fault:
        raise _damaged(receipt.tx, fault)
    return record


def stub_of(reader: Reader, receipt: Receipt) -> dict:
    """What stands for a receipt whose payload was erased; `at` is the time at its origin."""
    return {
        "at": _origin_time(reader, receipt.tx),
        "event": receipt.event,
        "event_hash": receipt.digest.hex(),
        "fgraph": FORMAT,
        "redacted": True,
    }


def _origin_time(reader: Reader, tx: int) -> int:
    """When a transaction was committed where it was first written."""
    sql = """
        SELECT v FROM fgraph_facts
        WHERE e = ? AND a IN (?, ?)
        ORDER BY a DESC LIMIT 1
    """
    rows = reader.fetch(sql, (tx, genesis.AT, genesis.IMPORTED_AT))
    if not rows:
        raise _damaged(tx, "it has no time")
    return rows[0][0]


def record_fault(record: object, event: str) -> str | None:
    """Why a value is not the event/1 record of this event; None when it is."""
    if record is verbatim.NOT_CANONICAL:
        return "it is not canonical JSON"
    if not isinstance(record, dict) or record.get("fgraph") != FORMAT:
        return f"it is not an {FORMAT} record"
    missing = REQUIRED - record.keys()
    if missing:
        return f"it lacks {', '.join(sorted(missing))}"
    if record["event"] != event:
        return f"it carries the event id {errors.quote(record['event'])}, not {event}"
    if not is_time(record["at"]):
        return f"its time is {errors.quote(record['at'])}"
    for name in LISTS:
        if not isinstance(record[name], list):
            return f"its {name} is no list"
    return _redaction_fault(record) if is_redaction(record) else _option_fault(record)


def is_time(value: object) -> bool:
    """Whether a value is integer microseconds within the range of instants."""
    return type(value) is int and limits.INSTANT_MIN <= value <= limits.INSTANT_MAX


def is_redaction(record: dict) -> bool:
    """Whether a checked record is the audit record of an excision."""
    return record.get("redacted") is True


def mentions(record: dict) -> Iterator[object]:
    """Every selector that a record lists or uses for an identity; ill-formed facts mention nothing."""
    yield from record["created"]
    for name in ("asserted", "retracted", "tx_facts"):
        for fact in record.get(name, ()):
            if isinstance(fact, list) and len(fact) > 2:
                *selectors, value, kind = fact
                yield from selectors
                if kind == "ref" and isinstance(value, dict):
                    yield value.get("ref")


def eids(record: dict) -> set[str]:
    """The anonymous identities that a record lists or mentions, as UUID texts."""
    found = (selector.get("eid") for selector in mentions(record) if isinstance(selector, dict))
    return {eid for eid in found if isinstance(eid, str)}


def _text_fault(receipt: Receipt) -> str | None:
    if not isinstance(receipt.text, str):
        return "it is not text"
    data = receipt.text.encode()
    if len(data) > limits.EVENT_BYTES:
        return f"it has {len(data)} bytes, more than {limits.EVENT_BYTES}"
    return None if hashlib.sha256(data).digest() == receipt.digest else "it does not match its hash"


def _redaction_fault(record: dict) -> str | None:
    if record.keys() != REDACTION:
        return "a redaction record has other keys than its own"
    if any(record[name] for name in LISTS):
        return "a redaction record lists identities or facts"
    redacts = record["redacts"]
    if not isinstance(redacts, list) or not all(isinstance(event, str) for event in redacts):
        return "its redacts is no list of event ids"
    if redacts != sorted(set(redacts)) or not all(identities.UUID_TEXT.fullmatch(event) for event in redacts):
        return "its redacts is not a sorted list of different event ids"
    return None


def _option_fault(record: dict) -> str | None:
    unknown = record.keys() - KNOWN
    if unknown:
        return f"it has the key {errors.quote(min(unknown))}"
    for name in ("by", "source"):
        if not isinstance(record.get(name, ""), str):
            return f"its {name} is not text"
    return None if isinstance(record.get("tx_facts", []), list) else "its tx_facts is no list"


def _damaged(tx: int, fault: str) -> errors.FormatError:
    return errors.FormatError(
        f"the event of transaction {tx} is damaged: {fault}", hint="run doctor, and restore a backup"
    )
