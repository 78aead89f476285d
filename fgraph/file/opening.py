"""Opening a path: what it leads to, in which mode, and with which connection settings (docs/file-format.md)."""

import os
import sqlite3
from collections.abc import Callable

from fgraph import errors, limits
from fgraph.file import faults, genesis, layout

MEMORY = ":memory:"
MINIMUM_SQLITE = (3, 37, 0)
NEW_FILE_MODE = 0o600
URI_BYTES = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_.-~")


def resolve_path(path: object) -> str:
    """The absolute path, with a leading `~` expanded; `:memory:` stays as it is."""
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    elif isinstance(path, os.PathLike):
        path = os.fspath(path)
        path = os.fsdecode(path) if isinstance(path, bytes) else path
    if not isinstance(path, str):
        raise errors.TypeError(f"path is {errors.quote(path)}", param="path", hint="give a text, bytes or Path")
    if path == MEMORY:
        return path
    if not path or "\0" in path:
        raise errors.FormatError(
            f"the path {errors.quote(path)} names no file", param="path", hint="give the path of the database file"
        )
    if path == "~" or path.startswith(("~/", "~" + os.sep)):
        path = os.path.expanduser(path)
    return os.path.abspath(path)


def open_writable(path: str, genesis_time: Callable[[], int]) -> sqlite3.Connection:
    """A connection for reading and writing; creates and initialises a missing or empty file.

    The file is examined before anything is changed, and left as it was when it is not ours: `FormatError`.
    `genesis_time` is called once if the file has to be initialised.
    """
    _check_sqlite()
    created = path != MEMORY and _prepare_file(path)
    connection = None
    try:
        connection = _connect(path, "rwc")
        _configure_writer(connection, path)
        _initialise(connection, genesis_time)
        return connection
    except BaseException as fault:
        if connection is not None:
            connection.close()
        if created:
            _remove_new(path)
        if isinstance(fault, sqlite3.Error):
            raise faults.translate(fault, path) from fault
        raise


def open_readonly(path: str) -> sqlite3.Connection:
    """A connection that cannot write; `NotFound` when the file is missing, `ReadOnly` for `:memory:`.

    Where the storage refuses SQLite's side files and there are none, the file is opened as immutable: the caller
    promises that it stands still.
    """
    _check_sqlite()
    if path == MEMORY:
        raise errors.ReadOnly("a database in memory has nothing to read", hint="open it for writing")
    if not os.path.lexists(path):
        raise errors.NotFound(
            f"{path} does not exist", hint="create it with: fgraph --db PATH init", code="missing_file"
        )
    _check_is_file(path)
    try:
        return _open_checked(path, "ro")
    except sqlite3.Error as fault:
        if not _side_files_refused(fault) or _has_side_file(path):
            raise faults.translate(fault, path) from fault
    with faults.typed(path):
        return _open_checked(path, "ro&immutable=1")


def _open_checked(path: str, mode: str) -> sqlite3.Connection:
    """A read-only connection to a file whose layout was found to be ours."""
    connection = _connect(path, mode)
    try:
        connection.execute("PRAGMA query_only = ON")
        if not layout.is_initialised(connection):
            raise errors.FormatError(f"{path} is not initialised", hint="create it with: fgraph --db PATH init")
        return connection
    except BaseException:
        connection.close()
        raise


def _connect(path: str, mode: str) -> sqlite3.Connection:
    target = path if path == MEMORY else f"file:{_percent_encoded(os.fsencode(path))}?mode={mode}"
    connection = sqlite3.connect(
        target, uri=path != MEMORY, isolation_level=None, timeout=limits.BUSY_SECONDS, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute("PRAGMA trusted_schema = OFF")
        if connection.execute("PRAGMA trusted_schema").fetchone()[0] != 0:
            raise errors.FormatError("SQLite does not let trusted_schema be switched off")
    except BaseException:
        connection.close()
        raise
    return connection


def _percent_encoded(path: bytes) -> str:
    """The path inside a `file:` URI; urllib would do it too, but takes longer to load than to open the file."""
    return "".join(chr(byte) if byte in URI_BYTES else f"%{byte:02X}" for byte in path)


def _configure_writer(connection: sqlite3.Connection, path: str) -> None:
    if path != MEMORY:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise errors.FormatError(
                f"{path} cannot be put into write-ahead mode (it stays in {mode})", hint="keep it on a local disk"
            )
        connection.execute(f"PRAGMA journal_size_limit = {limits.WAL_KEPT_BYTES}")
    connection.execute("PRAGMA synchronous = FULL")
    if connection.execute("PRAGMA synchronous").fetchone()[0] != 2:
        raise errors.FormatError("SQLite does not accept synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {limits.WAL_AUTOCHECKPOINT_PAGES}")
    # Freed pages are overwritten, so that what an excision or a deleted history row held is really gone.
    connection.execute("PRAGMA secure_delete = ON").fetchone()


def _initialise(connection: sqlite3.Connection, genesis_time: Callable[[], int]) -> None:
    if layout.is_initialised(connection):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have won the race for the lock; then its file is simply used.
        if not layout.is_initialised(connection):
            layout.create(connection)
            genesis.write(connection, genesis_time())
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _prepare_file(path: str) -> bool:
    """Create a missing file with private permissions, or examine an existing one; True when it was created."""
    if os.path.lexists(path):
        _check_is_file(path)
        if os.path.getsize(path):
            _examine(path)
        return False
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise errors.FormatError(f"the folder {folder} does not exist", param="path", hint="create it first")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, NEW_FILE_MODE))
    except FileExistsError:
        return False
    except PermissionError:
        raise errors.ReadOnly(f"the folder {folder} cannot be written", param="path") from None
    except OSError as fault:
        raise errors.FormatError(f"{path} cannot be created: {fault.strerror}", param="path") from None
    return True


def _examine(path: str) -> None:
    """Refuse a file that is not ours, through a connection that cannot change it."""
    try:
        connection = _connect(path, "ro")
        try:
            layout.is_initialised(connection)
        finally:
            connection.close()
    except sqlite3.Error as fault:
        if not _side_files_refused(fault):
            raise faults.translate(fault, path) from fault


def _check_is_file(path: str) -> None:
    if os.path.isdir(path):
        raise errors.FormatError(f"{path} is a folder", param="path", hint="name a file in it")
    if not os.path.exists(path) and os.path.islink(path):
        raise errors.FormatError(f"{path} is a link that leads nowhere", param="path")
    if not os.path.exists(path):
        raise errors.FormatError(f"{path} cannot be reached", param="path", hint="check the permissions of its folder")


def _side_files_refused(fault: sqlite3.Error) -> bool:
    code = getattr(fault, "sqlite_errorcode", 0) or 0
    return code & 0xFF in (faults.READONLY, faults.CANTOPEN)


def _has_side_file(path: str) -> bool:
    for suffix in ("-wal", "-shm"):
        try:
            os.lstat(path + suffix)
        except FileNotFoundError:
            continue
        except OSError:
            return True
        return True
    return False


def _remove_new(path: str) -> None:
    """Take back a file that this call created and could not initialise, unless another process has begun to use it."""
    try:
        if os.path.getsize(path) == 0:
            os.remove(path)
    except OSError:
        pass


def _check_sqlite() -> None:
    if sqlite3.sqlite_version_info < MINIMUM_SQLITE:
        raise errors.Unsupported(
            f"SQLite {sqlite3.sqlite_version} has no STRICT tables", hint="use a Python with SQLite 3.37 or newer"
        )
