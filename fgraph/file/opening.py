"""Opening a path: in which mode, and with which connection settings (docs/file-format.md)."""

import os
import sqlite3
from collections.abc import Callable

from fgraph import errors, limits
from fgraph.file import faults, genesis, layout, paths

MINIMUM_SQLITE = (3, 37, 0)
URI_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_.-~")
SHARED = "ro"  # a reader among others; creates side files beside a file in write-ahead mode
STILL = "ro&immutable=1"  # reads the main file alone, without a lock and without a trace


def open_writable(path: str, genesis_time: Callable[[], int]) -> sqlite3.Connection:
    """A connection for reading and writing; creates and initialises a missing or empty file.

    The file is examined before anything is changed, and left as it was when it is not ours: `FormatError`.
    `genesis_time` is called once if the file has to be initialised, before it is touched: a clock that fails leaves no
    file behind.
    """
    _check_sqlite()
    at = None if path != paths.MEMORY and _examine(path) else genesis_time()
    if path != paths.MEMORY and not paths.exists(path):
        paths.create(path)
    connection = None
    try:
        connection = _connect(path, "rw")
        initialised = is_initialised(connection, path)
        _configure_writer(connection, path)
        if not initialised:
            _initialise(connection, path, genesis_time() if at is None else at)
        return connection
    except BaseException as fault:
        if connection is not None:
            connection.close()
        if isinstance(fault, sqlite3.Error):
            raise _unwritable(fault, path) from fault
        raise


def open_readonly(path: str, *, still: bool = False) -> sqlite3.Connection:
    """A connection that cannot write; `NotFound` when the file is missing, `ReadOnly` for `:memory:`.

    Where the storage refuses SQLite's side files and there are none, the file is opened as immutable: the caller
    promises that it stands still. With `still` that is promised beforehand, and no side files are made.
    """
    _check_sqlite()
    if path == paths.MEMORY:
        raise errors.ReadOnly("a database in memory has nothing to read", hint="open it for writing")
    if not paths.exists(path):
        raise paths.missing(path)
    paths.check_is_file(path)
    try:
        return _open_checked(path, STILL if still and not paths.has_side_file(path) else SHARED)
    except sqlite3.Error as fault:
        if not _side_files_refused(fault) or not paths.is_readable(path):
            raise faults.translate(fault, path) from fault
        _check_still(path, fault)
    with faults.typed(path):
        return _open_checked(path, STILL)


def is_cut(path: str) -> bool:
    """Whether the main file holds fewer pages than its header counts, or none at all.

    To be asked of a file that has become smaller: while the log is written back, a file that grows is short as well.
    """
    try:
        connection = _connect(path, STILL)
        try:
            return connection.execute("PRAGMA page_count").fetchone()[0] == 0
        finally:
            connection.close()
    except sqlite3.Error:
        return True


def is_initialised(connection: sqlite3.Connection, path: str) -> bool:
    """True for a sound fgraph file, False for a database with nothing in it; else `FormatError`, with the path."""
    try:
        return layout.is_initialised(connection)
    except UnicodeDecodeError:
        raise faults.garbled(path) from None
    except errors.FormatError as fault:
        raise errors.FormatError(f"{path}: {fault.message}", param="path", hint=fault.hint) from None


def _examine(path: str) -> bool:
    """Whether a path holds an initialised file, False where it holds nothing yet; nothing is changed by looking.

    Without side files the main file is all there is. With them SQLite has to be asked properly, unless there is a
    journal that only a writer may play back: then what the main file shows must be ours.
    """
    if not paths.exists(path):
        return False
    paths.check_is_file(path)
    if paths.has_side_file(path, paths.SIDE_FILES):
        try:
            return _look(path, SHARED)
        except sqlite3.Error as fault:
            if not _side_files_refused(fault):
                raise faults.translate(fault, path) from fault
    with faults.typed(path):
        return _look(path, STILL)


def _look(path: str, mode: str) -> bool:
    connection = _connect(path, mode)
    try:
        return is_initialised(connection, path)
    finally:
        connection.close()


def _open_checked(path: str, mode: str) -> sqlite3.Connection:
    """A read-only connection to a file whose layout was found to be ours."""
    connection = _connect(path, mode)
    try:
        connection.execute("PRAGMA query_only = ON")
        if not is_initialised(connection, path):
            raise errors.FormatError(f"{path} is not initialised", param="path", hint=paths.creating(path))
        return connection
    except BaseException:
        connection.close()
        raise


def _check_still(path: str, fault: sqlite3.Error) -> None:
    """`FormatError` when what SQLite has to read is not in the main file alone."""
    if fault.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK:
        raise errors.FormatError(
            f"{path} holds half of an interrupted write", param="path", hint="open it for writing once, which undoes it"
        ) from fault
    if paths.has_side_file(path):
        raise errors.FormatError(
            f"{path} has side files (-wal, -shm) in a folder that cannot be written",
            param="path",
            hint="copy all of them to a folder that can be written, and open the copy",
        ) from fault


def _connect(path: str, mode: str) -> sqlite3.Connection:
    target = path if path == paths.MEMORY else f"file://{_percent_encoded(os.fsencode(path))}?mode={mode}"
    connection = sqlite3.connect(
        target, uri=path != paths.MEMORY, isolation_level=None, timeout=limits.BUSY_SECONDS, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA trusted_schema = OFF")
        if connection.execute("PRAGMA trusted_schema").fetchone()[0] != 0:
            raise errors.FormatError(
                "SQLite does not let trusted_schema be switched off", hint="use a Python with another SQLite"
            )
    except BaseException:
        connection.close()
        raise
    return connection


def _percent_encoded(path: bytes) -> str:
    """The path inside a `file:` URI; urllib would do it too, but takes longer to load than to open the file."""
    return "".join(chr(byte) if byte in URI_BYTES else f"%{byte:02X}" for byte in path)


def _configure_writer(connection: sqlite3.Connection, path: str) -> None:
    if path != paths.MEMORY:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise errors.FormatError(
                f"{path} cannot be put into write-ahead mode (it stays in {mode})", hint="keep it on a local disk"
            )
        connection.execute(f"PRAGMA journal_size_limit = {limits.WAL_KEPT_BYTES}")
    connection.execute("PRAGMA synchronous = FULL")
    if connection.execute("PRAGMA synchronous").fetchone()[0] != 2:
        raise errors.FormatError("SQLite does not accept synchronous = FULL", hint="use a Python with another SQLite")
    connection.execute(f"PRAGMA wal_autocheckpoint = {limits.WAL_AUTOCHECKPOINT_PAGES}")
    # Freed pages are overwritten, so that what an excision or a deleted history row held is really gone.
    connection.execute("PRAGMA secure_delete = ON").fetchone()


def _initialise(connection: sqlite3.Connection, path: str, at: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have won the race for the lock; then its file is simply used.
        if not is_initialised(connection, path):
            layout.create(connection)
            genesis.write(connection, at)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _unwritable(fault: sqlite3.Error, path: str) -> errors.FGraphError:
    """SQLite says no more than that it cannot open the file when it may not create its side files."""
    refused = faults.primary(fault) == sqlite3.SQLITE_CANTOPEN
    if refused and paths.is_readable(path) and not paths.is_folder_writable(path):
        return errors.ReadOnly(
            f"{path} cannot be written: its folder cannot be", param="path", hint="open it read-only, or copy it"
        )
    return faults.translate(fault, path)


def _side_files_refused(fault: sqlite3.Error) -> bool:
    return faults.primary(fault) in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)


def _check_sqlite() -> None:
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        raise errors.Unsupported(
            f"SQLite {sqlite3.sqlite_version} has no STRICT tables", hint="use a Python with SQLite 3.37 or newer"
        )
