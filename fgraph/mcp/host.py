"""The database behind the server: opened by the worker, found again when the path names another file."""

from __future__ import annotations

import hashlib
import os

from fgraph import errors
from fgraph.database import Db, connect
from fgraph.file.opening import MEMORY, resolve_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


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
        self._db: Db | None = None
        self._identity: tuple[int, int] | None = None
        self._unread = False
        self._schema: tuple[tuple, dict] | None = None

    def open(self) -> None:
        """Open at the start: a missing file is created under --write, and waited for otherwise."""
        if self._write or self.path == MEMORY or os.path.lexists(self.path):
            self._connect()

    def close(self) -> None:
        """Close the handle, if there is one."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def interrupt(self) -> None:
        """Stop the statement that runs; may be called from another thread."""
        db = self._db
        if db is not None:
            db.interrupt()

    def database(self, writing: bool = False) -> Db:
        """The handle for one request, on the file that the path names at this moment."""
        if self.path != MEMORY:
            self._follow_path()
        if writing and self._unread:
            raise errors.Conflict(
                f"{self.path} was replaced by another file",
                code="file_replaced",
                hint="Read from the new file first, then decide again.",
            )
        return self._db

    def was_read(self) -> None:
        """A read came from the present file; writes may go to it."""
        self._unread = False

    @property
    def open_database(self) -> Db | None:
        """The handle as it is, for watching; None while there is no file."""
        return self._db

    @property
    def fingerprint(self) -> str:
        """A short name of the open file, the same for every process that opens it; cursors carry it."""
        return hashlib.sha256(repr(self._identity).encode()).hexdigest()[:8]

    def schema(self, db: Db, basis: int, prefix: str | None, include_system: bool) -> dict:
        """The schema as of `basis`; the last one asked for is kept, because its pages are read one after another."""
        key = (self._identity, basis, prefix, include_system)
        if self._schema is None or self._schema[0] != key:
            self._schema = key, db.at(basis).schema(prefix, include_system=include_system)
        return self._schema[1]

    def _follow_path(self) -> None:
        found = _identity(self.path)
        if found is None:
            raise self._missing()
        if self._db is not None and found == self._identity:
            return
        replaced = self._identity is not None
        self.close()
        if replaced and self._write:
            # Opening for writing would initialise an empty file: see first that it is one of ours.
            connect(self.path, read_only=True).close()
        self._connect()
        self._unread = replaced

    def _connect(self) -> None:
        self._db = connect(self.path, read_only=not self._write, query_budget=self._budget)
        self._identity = _identity(self.path)
        self._db._store.cancel_requested = self._stopped

    def _missing(self) -> errors.NotFound:
        if self._write:
            hint = "It was there before: put it back, or start the server again to begin a new file."
        else:
            hint = f"Create it with: fgraph --db {_shell_quoted(self.path)} init"
        return errors.NotFound(f"{self.path} does not exist", code="missing_file", hint=hint)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _shell_quoted(path: str) -> str:
    plain = all(char.isalnum() or char in "/._-+~" for char in path)
    return path if plain else "'" + path.replace("'", "'\\''") + "'"
