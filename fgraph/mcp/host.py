"""The database behind the server: opened by the worker, found again when the path names another file."""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager, suppress

from fgraph import errors, limits
from fgraph.file.clock import Clock, EventIds
from fgraph.file.opening import is_cut, open_readonly
from fgraph.file.paths import MEMORY, missing, resolve_path
from fgraph.file.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fgraph.database import Db
    from fgraph.file.reader import Reader

_LOG, _INDEX = "-wal", "-shm"


class Host:
    """One path and the handle on the file it names now.

    A read-only server may start before the file exists. When the path later names another sound file, the next
    request reads that one; a write is refused until one read came from it.
    """

    def __init__(self, path: str, write: bool, budget: int, stopped: Callable[[], bool]) -> None:
        self.path = resolve_path(path)
        self._write = write
        self._budget = budget
        self._stopped = stopped
        self._store: Store | None = None
        self._identity: tuple[int, int] | None = None
        self._size = 0  # of the main file when it was last looked at
        self._spoilt: str | None = None  # what another program did to the file under a writing server
        self._sides: dict[str, tuple[int, int] | None] = {}
        self._unread = False
        self._schema: tuple[tuple, dict] | None = None

    def open(self) -> None:
        """Open at the start: a missing file is created under --write, and waited for otherwise."""
        if self._write or self.path == MEMORY or os.path.lexists(self.path):
            self._connect()

    def close(self) -> None:
        """Close the file at the end of the session."""
        if self._store is not None and self.path != MEMORY and _identity(self.path) != self._identity:
            self._leave_old_file()
        self._close()

    def _close(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None

    def store(self, writing: bool = False) -> Store:
        """What one request works on: the file that the path names at this moment."""
        if self.path != MEMORY:
            self._follow_path()
        if writing and self._unread:
            raise errors.Conflict(
                f"{self.path} was replaced by another file",
                code="file_replaced",
                hint="Read from the new file first, then decide again.",
            )
        return self._store

    @contextmanager
    def reading(self) -> Iterator[tuple[Db, Reader]]:
        """One read transaction: the handle with the public methods, and a reader at the same basis."""
        from fgraph.database import Db  # brings in every engine, which the first answer can do without

        store = self.store()
        try:
            with store.reading() as reader:
                yield Db.over(store), reader
        except errors.FormatError:
            if not self._write:
                self._start_over()
            raise

    def was_read(self) -> None:
        """A read came from the present file; writes may go to it."""
        self._unread = False

    @property
    def fingerprint(self) -> str:
        """A short name of the open file, the same for every process that opens it; cursors carry it."""
        import hashlib

        return hashlib.sha256(repr(self._identity).encode()).hexdigest()[: limits.MCP_FILE_DIGITS]

    def schema(self, db: Db, basis: int, prefix: str | None, include_system: bool) -> dict:
        """The schema as of `basis`; the last one asked for is kept, because its pages are read one after another."""
        key = (self._identity, basis, prefix, include_system)
        if self._schema is None or self._schema[0] != key:
            self._schema = key, db.at(basis).schema(prefix, include_system=include_system)
        return self._schema[1]

    def _start_over(self) -> None:
        """Let the next request open the file afresh: a copy may have been written over it in place."""
        self._close()
        self._identity = None
        self._sides = {}

    def _follow_path(self) -> None:
        found = _identity(self.path)
        if found is None:
            raise self._missing()
        if self._identity in (None, found):
            self._check_size()
        if self._store is None or found != self._identity:
            self._open_another()
        self._size = _size(self.path)

    def _check_size(self) -> None:
        """`FormatError` where another program has cut the file: what is left of it in memory is no answer.

        A writing server stays that way until it ends or another file takes the path: its log would go into whatever
        is written over this one.
        """
        found = self._spoilt
        if found is None:
            size = _size(self.path)
            if size >= self._size or not _stays_cut(self.path):
                return
            found = f"{self.path} was cut from {self._size} to {size} bytes by another program"
        if not self._write:
            self._start_over()
            raise errors.FormatError(found, hint="Tell the user to run doctor on the file.")
        self._spoilt = found
        raise errors.FormatError(
            found,
            hint="Tell the user to stop this server, and then to run doctor on the file.",
        )

    def _open_another(self) -> None:
        """Open the file that the path names now, for the first time or in the place of another."""
        replaced = self._identity is not None
        if replaced:
            self._leave_old_file()
        if replaced and self._write:
            # Opening for writing would initialise an empty file: see first that it is one of ours.
            open_readonly(self.path).close()
        self._connect()
        self._unread = replaced
        self._spoilt = None

    def _leave_old_file(self) -> None:
        """Close the file that the path no longer names, and take its write-ahead log out of the way of the new one.

        SQLite finds the log by name alone: it would play the old file's log into the new file.
        """
        if self._store is not None and self._write:
            with suppress(sqlite3.Error):  # other processes may still read the old file; then its log is kept
                self._store.writer_wait = 0
                self._store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._close()
        # Once the old files are gone their inodes may come back as others: each is looked for once.
        sides, self._sides = self._sides, {}
        for suffix, known in sides.items():
            side = self.path + suffix
            if known is None or _identity(side) != known:
                continue
            try:
                if suffix == _LOG and os.path.getsize(side):
                    os.replace(side, side + ".replaced")
                else:
                    os.unlink(side)
            except OSError as fault:
                raise errors.FormatError(
                    f"{self.path} was replaced, and {side} of the old file cannot be moved: {fault.strerror}",
                    hint="Tell the user to remove that file.",
                ) from None

    def _connect(self) -> None:
        self._store = Store(
            self.path, clock=Clock(), event_ids=EventIds(), read_only=not self._write, budget=self._budget
        )
        self._store.cancel_requested = self._stopped
        self._identity = _identity(self.path)
        self._size = _size(self.path)
        self._sides = {suffix: _identity(self.path + suffix) for suffix in (_LOG, _INDEX)}

    def _missing(self) -> errors.NotFound:
        if not self._write:
            return missing(self.path)
        hint = "It was there before: put it back, or start the server again to begin a new file."
        return errors.NotFound(f"{self.path} does not exist", code="missing_file", hint=hint)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


def _stays_cut(path: str) -> bool:
    """Whether a file is cut, and not just shorter than it will be once another process has written back its log."""
    until = time.monotonic() + limits.MCP_CUT_SECONDS
    while is_cut(path):
        if time.monotonic() > until:
            return True
        time.sleep(limits.MCP_CUT_SECONDS / 20)
    return False
