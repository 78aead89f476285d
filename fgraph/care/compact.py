"""Winning back space: the full-text index written anew, free pages returned, the write-ahead log emptied."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from fgraph import errors, limits
from fgraph.care.course import TABLES, Course, Progress, check_progress, rows_of
from fgraph.file import faults
from fgraph.file.reader import Reader
from fgraph.file.store import Store

PASSAGES = (*TABLES, *TABLES)  # VACUUM writes each row into a copy, then the copy over the file


def compact(store: Store, progress: Progress | None = None) -> dict:
    """Write the full-text index anew, vacuum the file and empty its write-ahead log.

    Returns `{"bytes_before", "bytes_after", "bytes_won", "log_emptied"}`; `log_emptied` is false while a reader still
    holds the log, and the file then shrinks when the last handle closes. Other readers keep what they see. `progress`
    is told rows done and rows in all, each row counted twice: copied, and written back. Raises `Conflict` while another
    process writes, `ReadOnly` for a read-only handle, `Unsupported` inside a transaction.
    """
    check_progress(progress)
    store.check_writable()
    if store.connection.in_transaction:
        raise errors.Unsupported("compact cannot run inside a transaction", hint="call it on its own")
    with store.writing() as reader:
        before = _bytes(reader)
        course = Course(rows_of(reader, progress), progress)
        course.expect(*PASSAGES)
        reader.connection.execute("INSERT INTO fgraph_fts (fgraph_fts) VALUES ('rebuild')")
    look = partial(course.advance, limits.PROGRESS_STEPS // limits.VACUUM_ROW_STEPS)
    with faults.typed(store.path), course.through(*PASSAGES), _looked_at(store, look), store.guarded():
        store.connection.execute("VACUUM")
        emptied = _empty_log(store)
    with store.reading() as reader:
        after = _bytes(reader)
    return {"bytes_before": before, "bytes_after": after, "bytes_won": before - after, "log_emptied": emptied}


@contextmanager
def _looked_at(store: Store, look: Callable[[], object]) -> Iterator[None]:
    """Call `look` each time SQLite asks whether to go on; what it raises ends the block.

    An exception inside SQLite's progress handler would be swallowed, so it is kept until SQLite has stopped.
    """
    usual = store.cancel_requested
    raised: list[BaseException] = []

    def requested() -> bool:
        try:
            look()
        except BaseException as fault:
            raised.append(fault)
        return bool(raised) or (usual is not None and usual())

    store.cancel_requested = requested
    try:
        yield
    except errors.QueryError:
        if raised:
            raise raised[0] from None
        raise
    finally:
        store.cancel_requested = usual


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
