"""What SQLite and the operating system report, turned into typed errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from fgraph import errors, limits

PRIMARY = 0xFF  # the byte of an extended result code that holds the primary one


@contextmanager
def typed(path: str) -> Iterator[None]:
    """Let no `sqlite3` exception of the enclosed block out; `path` names the file in messages."""
    try:
        yield
    except sqlite3.Error as fault:
        raise translate(fault, path) from fault
    except UnicodeDecodeError as fault:
        raise garbled(path) from fault


def garbled(path: str) -> errors.FormatError:
    """The error when even SQLite's message quotes bytes of the file that are no text."""
    return errors.FormatError(f"{path} is damaged: it holds ill-formed text", hint="run doctor, and restore a backup")


def translate(fault: sqlite3.Error, path: str) -> errors.FGraphError:
    """The typed error for one `sqlite3` exception."""
    text = errors.clip(" ".join(str(fault).split()), limits.MESSAGE_CHARS // 2)
    if "no such module" in text:
        return errors.Unsupported("this SQLite lacks FTS5", hint="use a Python whose sqlite3 has full-text search")
    code = primary(fault)
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        # A transaction that has read wants to write, and another process has written since.
        stale = fault.sqlite_errorcode == sqlite3.SQLITE_BUSY_SNAPSHOT
        return _stale_read(path) if stale else writer_busy(path)
    if code == sqlite3.SQLITE_READONLY:
        return errors.ReadOnly(f"{path} cannot be written: {text}", hint="check the permissions of file and folder")
    if code == sqlite3.SQLITE_INTERRUPT:
        return cancelled()
    if code in (sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_TOOBIG):
        return errors.TooLarge(f"SQLite ran out of room: {text}", hint="ask for less at once")
    if code == sqlite3.SQLITE_FULL:
        return errors.FormatError(f"the disk that holds {path} is full", hint="free some space and repeat the request")
    if code == sqlite3.SQLITE_NOTADB:
        return errors.FormatError(f"{path} is not an SQLite database", hint="choose another path, or restore a backup")
    if code == sqlite3.SQLITE_CORRUPT:
        return errors.FormatError(f"{path} is damaged: {text}", hint="run doctor, and restore a backup")
    return errors.FormatError(f"{path} could not be used: {text}", hint="check that the file is whole and reachable")


def primary(fault: sqlite3.Error) -> int | None:
    """The primary result code; None for faults that Python finds by itself."""
    code = getattr(fault, "sqlite_errorcode", None)
    return None if code is None else code & PRIMARY


def is_interrupt(fault: BaseException) -> bool:
    """Whether SQLite was stopped in the middle, which says nothing about the file.

    It was asked to, or Python noticed a Ctrl-C inside the progress handler, where `sqlite3` swallows it.
    """
    return isinstance(fault, sqlite3.Error) and primary(fault) == sqlite3.SQLITE_INTERRUPT


def cancelled() -> errors.QueryError:
    """The error of a read or write that was interrupted on request."""
    return errors.QueryError("the request was cancelled", code="cancelled")


def writer_busy(path: str) -> errors.Conflict:
    """The error when another process keeps its lock on the file."""
    return errors.Conflict(
        f"another process holds the lock on {path}",
        code="writer_busy",
        hint="nothing was changed; the same request may be sent again",
    )


def _stale_read(path: str) -> errors.Conflict:
    return errors.Conflict(
        f"another process has written to {path} since this read began",
        code="stale_basis",
        hint="leave the block that reads, and write in a new one",
    )
