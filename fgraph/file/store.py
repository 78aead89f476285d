"""One open file: its connection, its caches, and the two scopes in which it is read and written."""

import os
import sqlite3
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from fgraph import errors, limits
from fgraph.file import faults, opening, rows
from fgraph.file.clock import Clock, EventIds
from fgraph.file.identities import Registry
from fgraph.file.reader import Reader

Built = TypeVar("Built")
NEWEST = "SELECT max(tx) FROM fgraph_events"


class Store:
    """The connection and everything that lives exactly as long as it.

    Used by one thread, except `interrupt`. Caches are valid for one state of the file: they are dropped when another
    process committed (seen by `data_version`, inside the read transaction) and when a transaction rolls back.
    """

    def __init__(
        self,
        path: str,
        *,
        clock: Clock,
        event_ids: EventIds,
        read_only: bool,
        budget: int = limits.QUERY_BUDGET,
        still: bool = False,
    ) -> None:
        if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
            raise errors.TypeError(
                f"query_budget is {errors.quote(budget)}", param="query_budget", hint="give an integer from 1"
            )
        self.path = path
        self.read_only = read_only
        self.budget = budget
        self.clock = clock
        self.event_ids = event_ids
        self.connection = (
            opening.open_readonly(path, still=still) if read_only else opening.open_writable(path, clock.sample)
        )
        self.registry = Registry(self.connection)
        self.before_commit: Callable[[object], None] | None = None
        self.cancel_requested: Callable[[], bool] | None = None
        self._writer_wait = limits.BUSY_SECONDS
        self._interrupted = False
        self._owner = (os.getpid(), threading.get_ident())
        self._closed = False
        self._memo: dict[Hashable, object] = {}
        self._lasting: dict[Hashable, object] = {}
        self._used_since_begin: set[Hashable] = set()  # of these, since a write transaction began
        self._excised = 0  # the newest excision when the first of these was kept
        self._newest = 0  # transaction at the last look
        self._data_version: int | None = None
        self._schema_version: int | None = None
        self.connection.set_progress_handler(self.is_stopped, limits.PROGRESS_STEPS)

    # -- the handle ---------------------------------------------------------------------------------------------------

    def check(self) -> None:
        """`FormatError` unless the handle is open and used by the process and the thread that opened it."""
        if self._closed:
            raise errors.FormatError("the handle is closed", hint="open the file again")
        process, thread = self._owner
        if os.getpid() != process:
            raise errors.FormatError("the handle belongs to another process", hint="open one handle in each process")
        if threading.get_ident() != thread:
            raise errors.FormatError("the handle belongs to another thread", hint="open one handle for each thread")

    def check_writable(self) -> None:
        """`ReadOnly` unless the handle may write; after `check`."""
        self.check()
        if self.read_only:
            raise errors.ReadOnly(f"{self.path} was opened read-only", hint="open it for writing")

    def close(self) -> None:
        """Close the connection; a second call does nothing."""
        if not self._closed:
            self.check()
            self._closed = True
            self.connection.close()

    @property
    def live(self) -> "Store":
        """The store itself; a view names its owner here."""
        return self

    def view(self, basis: int, since: int = 0) -> "View":
        """The same file as of a transaction; `since` hides facts up to another one from queries."""
        return View(self, basis, since)

    @property
    def writer_wait(self) -> float:
        """Seconds to wait for another process's lock before `Conflict`."""
        return self._writer_wait

    @writer_wait.setter
    def writer_wait(self, seconds: float) -> None:
        self._writer_wait = seconds
        self.connection.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")

    # -- cancelling ---------------------------------------------------------------------------------------------------

    def interrupt(self) -> None:
        """Stop the running call of this handle with `QueryError`; may be called from any thread.

        The flag is enough: the progress handler looks at it. `sqlite3_interrupt` would be no faster, and once full-text
        rows were written it also stops the ROLLBACK, which leaves the handle inside its transaction for good.
        """
        self._interrupted = True

    def check_cancelled(self) -> None:
        """For Python loops: `QueryError` when the running call was asked to stop."""
        if self.is_stopped():
            raise faults.cancelled()

    def is_stopped(self) -> bool:
        """Whether the running call was asked to stop; may be called from any thread."""
        return self._interrupted or (self.cancel_requested is not None and self.cancel_requested())

    # -- scopes -------------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self, view: int | None = None, since: int = 0) -> Iterator[Reader]:
        """One read transaction, or a part of the one that is open; `view` and `since` are those of a view."""
        self.check()
        outer = self.connection.in_transaction
        if not outer:
            self._interrupted = False
        with self.guarded(outer):
            try:
                # Inside the block that ends it, so that an interrupt cannot leave a transaction open behind it.
                if not outer:
                    self.connection.execute("BEGIN")
                yield self._reader(view, since)
            finally:
                if not outer and not self._closed and self.connection.in_transaction:
                    self._end_reading()

    @contextmanager
    def writing(self) -> Iterator[Reader]:
        """One `BEGIN IMMEDIATE` to COMMIT, or a savepoint inside the transaction that is open.

        Any exception rolls back everything and drops the caches. Yields a reader at the newest transaction.
        """
        self.check_writable()
        outer = self.connection.in_transaction
        if not outer:
            self._interrupted = False
        with self.guarded(outer):
            if outer:
                self.connection.execute("SAVEPOINT fgraph")
            try:
                if not outer:
                    self._used_since_begin.clear()
                    self.connection.execute("BEGIN IMMEDIATE")
                yield self._reader(None)
                self.check_cancelled()
                self.connection.execute("RELEASE fgraph" if outer else "COMMIT")
            except BaseException:
                self._roll_back(outer)
                raise

    @contextmanager
    def guarded(self, outer: bool = False) -> Iterator[None]:
        """Let no `sqlite3` exception of the enclosed scope out, and no transaction outlive it but an `outer` one."""
        try:
            yield
        except BaseException as fault:
            # A Ctrl-C may come just when the scope is being left.
            if not outer and not self._closed and self.connection.in_transaction:
                self.connection.rollback()
                self._drop_uncommitted()
            if not isinstance(fault, sqlite3.Error):
                raise
            # What is left of a swallowed Ctrl-C is an interrupt that nobody asked for.
            if faults.is_interrupt(fault) and not self.is_stopped():
                raise KeyboardInterrupt from fault
            raise faults.translate(fault, self.path) from fault

    def newest(self) -> int:
        """The newest transaction of the file, inside the scope that is open."""
        return self.connection.execute(NEWEST).fetchone()[0]

    def _reader(self, view: int | None, since: int = 0) -> Reader:
        newest = self.newest()
        if newest is None:
            raise errors.FormatError(f"{self.path} has no transactions", hint="restore a backup")
        self._notice_other_writers(newest)
        return Reader(self, newest if view is None else min(view, newest), live=view is None, since=since)

    def _end_reading(self) -> None:
        try:
            self._leave("COMMIT")
        except sqlite3.Error as fault:
            # The COMMIT says once more that a damaged page was met; whoever met it has heard so.
            if faults.primary(fault) != sqlite3.SQLITE_CORRUPT:
                raise

    def _roll_back(self, outer: bool) -> None:
        # SQLite may have rolled back by itself (a full disk, an interrupt); then there is nothing left to undo.
        if not self._closed and self.connection.in_transaction:
            if outer:
                self.connection.execute("ROLLBACK TO fgraph")
                self.connection.execute("RELEASE fgraph")
            else:
                self._leave("ROLLBACK")
        self._drop_uncommitted()

    def _leave(self, sql: str) -> None:
        """End the transaction; a handle whose transaction could not be ended as planned must not stay inside it."""
        try:
            self.connection.execute(sql)
        except sqlite3.Error:
            self.connection.rollback()
            raise

    # -- caches -------------------------------------------------------------------------------------------------------

    def memo(self, key: Hashable, build: Callable[[], Built]) -> Built:
        """The value of `build()`, kept until the file changes or `forget(key)` is called."""
        return self._kept_in(self._memo, key, build)

    def lasting(self, key: Hashable, build: Callable[[], Built]) -> Built:
        """As `memo`, but kept when other processes write: for what only grows, and for what a digest names.

        Dropped where it was used inside of a write transaction that is rolled back, and after an excision or a repair
        by anybody.
        """
        if not self._lasting:
            self._excised = rows.newest_excision(self.connection)
        self._used_since_begin.add(key)
        return self._kept_in(self._lasting, key, build)

    @staticmethod
    def _kept_in(kept: dict, key: Hashable, build: Callable[[], Built]) -> Built:
        if key not in kept:
            kept[key] = build()
        return kept[key]

    def forget(self, key: Hashable) -> None:
        """Drop one kept value."""
        self._memo.pop(key, None)
        self._lasting.pop(key, None)

    def drop_caches(self) -> None:
        """Drop everything that was read: after an excision or a repair nothing of it need be true."""
        self._lasting.clear()
        self._drop_changeable()

    def _drop_uncommitted(self) -> None:
        for key in self._used_since_begin:
            self._lasting.pop(key, None)
        self._drop_changeable()

    def _drop_changeable(self) -> None:
        self._memo.clear()
        self.registry.forget()

    def _notice_other_writers(self, newest: int) -> None:
        version = self.connection.execute("PRAGMA data_version").fetchone()[0]
        if version != self._data_version:
            self._notice_other_layout()
            self._drop_changeable()
            self._notice_erasures(newest)
            self._data_version = version
        self._newest = newest

    def _notice_erasures(self, newest: int) -> None:
        """Keep nothing in memory that another process has erased, or mended: a repair makes no transaction."""
        if self._lasting and (newest == self._newest or self._excised != rows.newest_excision(self.connection)):
            self._lasting.clear()

    def _notice_other_layout(self) -> None:
        """`FormatError` when another program has changed tables, indexes or views since the file was opened."""
        version = self.connection.execute("PRAGMA schema_version").fetchone()[0]
        if self._schema_version not in (None, version) and not opening.is_initialised(self.connection, self.path):
            raise errors.FormatError(f"{self.path} has been emptied by another program", hint="restore a backup")
        self._schema_version = version


class View:
    """A store as of one transaction: it reads at that basis, perhaps only what is newer than another; no writes."""

    def __init__(self, store: Store, basis: int, since: int = 0) -> None:
        self.live = store
        self.basis = basis
        self.since = since
        self.path = store.path
        self.connection = store.connection
        self._detached = False

    def check(self) -> None:
        """`FormatError` when the view or its owner is closed, or in another thread."""
        if self._detached:
            raise errors.FormatError("the view is closed", hint="make a new one with at()")
        self.live.check()

    def check_writable(self) -> None:
        """Always `ReadOnly`, unless the view is closed."""
        self.check()
        raise errors.ReadOnly(
            f"a view as of transaction {self.basis} cannot be written", hint="write through the live handle"
        )

    writing = check_writable

    def reading(self) -> AbstractContextManager[Reader]:
        """One read at the basis of the view."""
        self.check()
        return self.live.reading(self.basis, self.since)

    def view(self, basis: int, since: int = 0) -> "View":
        """A narrower view of the same file."""
        return View(self.live, min(basis, self.basis), max(since, self.since))

    def close(self) -> None:
        """Detach the view; the file stays open."""
        self._detached = True

    def interrupt(self) -> None:
        """Stop the call that is running on the file."""
        self.live.interrupt()
