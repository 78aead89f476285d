"""Event streams going out: the records of past transactions, in order, and those still to come (docs/streams.md)."""

import time
from collections.abc import Iterator

from fgraph import errors, limits
from fgraph.file.reader import Reader
from fgraph.file.store import Store, View
from fgraph.read import events, moments
from fgraph.values import canonical


def event_records(reader: Reader, since: object = limits.GENESIS_TX, through: object = None) -> list[dict]:
    """The event/1 records of the transactions after `since` up to and with `through`, stubs for redacted ones.

    Both are transaction numbers of 64 or more that need not exist; `through` is the basis when absent. Raises
    `TypeError` for others, `FormatError` for a damaged payload.
    """
    low = transaction_number(since, "since")
    high = reader.basis if through is None else min(transaction_number(through, "through"), reader.basis)
    return [_record(reader, receipt) for receipt in events.receipts(reader, low, high)]


def texts(reader: Reader, since: int, through: int) -> Iterator[str]:
    """As `event_records`, but the canonical texts one at a time, inside the reader's transaction."""
    for receipt in events.receipts(reader, since, min(through, reader.basis)):
        record = _record(reader, receipt)
        yield receipt.text or canonical.canonical(record)


def follow(store: Store | View, since: object = None, interval: object = 0.5) -> Iterator[dict]:
    """The records after a moment, then those of each new transaction, for ever.

    `since` is anything that `at` takes, by default genesis; news are looked for every `interval` seconds. Raises
    `Unsupported` for a historical view, `TypeError` unless the interval is a positive number.
    """
    if store.live is not store:
        raise errors.Unsupported("a historical view gets no new events", hint="follow the live file")
    if isinstance(interval, bool) or not isinstance(interval, int | float) or not 0 < interval < canonical.INF:
        raise errors.TypeError(
            f"interval is {errors.quote(interval)}", param="interval", hint="give a positive number of seconds"
        )
    with store.reading() as reader:
        low = limits.GENESIS_TX if since is None else moments.resolve(reader, since, "since")
    return _endless(store, low, interval)


def transaction_number(value: object, param: str) -> int:
    """`value` itself if it can stand for a transaction: an integer from 64 to 2^63 - 1."""
    if type(value) is int and limits.GENESIS_TX <= value <= limits.INT_MAX:
        return value
    raise errors.TypeError(
        f"{param} is {errors.quote(value)}, not a transaction number",
        param=param,
        hint=f"give an integer of {limits.GENESIS_TX} or more",
    )


def _endless(store: Store, low: int, interval: float) -> Iterator[dict]:
    while True:
        page = _page(store, low)
        for tx, record in page:
            yield record
            low = tx
        if not page:
            time.sleep(interval)


def _page(store: Store, low: int) -> list[tuple[int, dict]]:
    """The next records after a transaction, as many as are worth one read transaction."""
    page: list[tuple[int, dict]] = []
    room = limits.STREAM_PAGE_BYTES
    with store.reading() as reader:
        for receipt in events.receipts(reader, low, reader.basis):
            page.append((receipt.tx, _record(reader, receipt)))
            room -= len(receipt.text or "") + limits.STREAM_RECORD_BYTES
            if room <= 0:
                break
    return page


def _record(reader: Reader, receipt: events.Receipt) -> dict:
    return events.stub_of(reader, receipt) if receipt.text is None else events.record_of(receipt)
