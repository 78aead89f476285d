"""Event streams going out: the records of past transactions, in order, and those still to come (docs/streams.md)."""

import time
from collections.abc import Iterator

from fgraph import errors, limits
from fgraph.file.reader import Reader
from fgraph.file.store import Store
from fgraph.read import events
from fgraph.values import canonical


def event_records(reader: Reader, since: object = limits.GENESIS_TX, through: object = None) -> list[dict]:
    """The event/1 records of the transactions after `since` up to and with `through`, stubs for redacted ones.

    Both are transaction numbers of 64 or more that need not exist; `through` is the basis when absent. Raises
    `TypeError` for others, `FormatError` for a damaged payload.
    """
    low = transaction_number(since, "since")
    high = reader.basis if through is None else min(transaction_number(through, "through"), reader.basis)
    return [_record(reader, receipt) for receipt in events.receipts(reader, low, high)]


def stream(store: Store, since: object, through: object = None, view: int | None = None) -> Iterator[str]:
    """The same as canonical texts without line feed, read page by page; no transaction is open between two pages.

    What is committed after the call began is left out.
    """
    low = transaction_number(since, "since")
    with store.reading(view) as reader:
        newest = reader.basis
    high = newest if through is None else min(transaction_number(through, "through"), newest)
    return _pages(store, low, high)


def follow(store: Store, since: object = limits.GENESIS_TX, interval: object = 0.5) -> Iterator[dict]:
    """The records after transaction `since`, then those of each new transaction, for ever.

    Looks for news every `interval` seconds. Raises `TypeError` unless that is a positive number.
    """
    low = transaction_number(since, "since")
    if isinstance(interval, bool) or not isinstance(interval, int | float) or not 0 < interval < canonical.INF:
        raise errors.TypeError(
            f"interval is {errors.quote(interval)}", param="interval", hint="give a positive number of seconds"
        )
    store.check()
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
        page = _page(store, low, limits.INT_MAX)
        for tx, record, _ in page:
            yield record
            low = tx
        if not page:
            time.sleep(interval)


def _pages(store: Store, low: int, high: int) -> Iterator[str]:
    while page := _page(store, low, high):
        for tx, record, text in page:
            yield text or canonical.canonical(record)
            low = tx


def _page(store: Store, low: int, high: int) -> list[tuple[int, dict, str | None]]:
    """The next records, with the stored text where there is one, as many as are worth one read transaction."""
    page: list[tuple[int, dict, str | None]] = []
    room = limits.STREAM_PAGE_BYTES
    with store.reading() as reader:
        for receipt in events.receipts(reader, low, high):
            page.append((receipt.tx, _record(reader, receipt), receipt.text))
            room -= len(receipt.text or "") + limits.STREAM_RECORD_BYTES
            if room <= 0:
                break
    return page


def _record(reader: Reader, receipt: events.Receipt) -> dict:
    return events.stub_of(reader, receipt) if receipt.text is None else events.record_of(receipt)
