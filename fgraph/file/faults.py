"""What SQLite and the operating system report, turned into typed errors."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from fgraph import errors, limits

# Primary SQLite result codes, which sqlite3 names only from Python 3.11 on as attributes of the module.
BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, CORRUPT, FULL, CANTOPEN, TOOBIG, NOTADB = 5, 6, 7, 8, 9, 11, 13, 14, 18, 26


@contextmanager
def typed(path: str) -> Iterator[None]:
    """Let no `sqlite3` exception of the enclosed block out; `path` names the file in messages."""
    try:
        yield
    except sqlite3.Error as fault:
        raise translate(fault, path) from fault


def translate(fault: sqlite3.Error, path: str) -> errors.FGraphError:
    """The typed error for one `sqlite3` exception."""
    code = getattr(fault, "sqlite_errorcode", None)
    text = errors.clip(" ".join(str(fault).split()), limits.MESSAGE_CHARS // 2)
    if "no such module" in text:
        return errors.Unsupported("this SQLite lacks FTS5", hint="use a Python whose sqlite3 has full-text search")
    primary = None if code is None else code & 0xFF
    if primary in (BUSY, LOCKED):
        return writer_busy(path)
    if primary == READONLY:
        return errors.ReadOnly(f"{path} cannot be written: {text}", hint="check the permissions of file and folder")
    if primary == INTERRUPT:
        return cancelled()
    if primary in (NOMEM, TOOBIG):
        return errors.TooLarge(f"SQLite ran out of room: {text}", hint="ask for less at once")
    if primary == FULL:
        return errors.FormatError(f"the disk that holds {path} is full", hint="free some space and repeat the request")
    if primary in (CORRUPT, NOTADB):
        return errors.FormatError(f"{path} is damaged: {text}", hint="run doctor, and restore a backup")
    return errors.FormatError(f"{path} could not be used: {text}", hint="check that the file is whole and reachable")


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
