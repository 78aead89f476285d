"""Winning back space: full-text segments merged, free pages returned, the write-ahead log emptied."""

from fgraph import errors, limits
from fgraph.file import faults
from fgraph.file.reader import Reader
from fgraph.file.store import Store


def compact(store: Store) -> dict:
    """Merge the full-text index, vacuum the file and empty its write-ahead log.

    Returns `{"bytes_before", "bytes_after", "bytes_won", "log_emptied"}`; `log_emptied` is false while a reader still
    holds the log, and the file then shrinks when the last handle closes. Other readers keep what they see. Raises
    `Conflict` while another process writes, `ReadOnly` for a read-only handle, `Unsupported` inside a transaction.
    """
    store.check_writable()
    if store.connection.in_transaction:
        raise errors.Unsupported("compact cannot run inside a transaction", hint="call it on its own")
    with store.writing() as reader:
        before = _bytes(reader)
        reader.connection.execute("INSERT INTO fgraph_fts (fgraph_fts) VALUES ('optimize')")
    with faults.typed(store.path), store.guarded():
        store.connection.execute("VACUUM")
        emptied = _empty_log(store)
    with store.reading() as reader:
        after = _bytes(reader)
    return {"bytes_before": before, "bytes_after": after, "bytes_won": before - after, "log_emptied": emptied}


def _empty_log(store: Store) -> bool:
    """Move the write-ahead log into the file; False when a reader that still needs it does not go away soon."""
    usual, store.writer_wait = store.writer_wait, min(store.writer_wait, limits.CHECKPOINT_SECONDS)
    try:
        return store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    finally:
        store.writer_wait = usual


def _bytes(reader: Reader) -> int:
    """The size of the database in its pages, wherever they stand at the moment."""
    return reader.fetch("PRAGMA page_count")[0][0] * reader.fetch("PRAGMA page_size")[0][0]
