"""Verified physical copies of a file, published under their name in one step (docs/operations.md)."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import quote

from fgraph import errors, limits
from fgraph.care import doctor
from fgraph.care.course import Progress, check_progress, rows_of
from fgraph.file import faults, making, paths
from fgraph.file.clock import Clock, EventIds
from fgraph.file.reader import Reader
from fgraph.file.store import Store


def backup(store: Store, path: object, progress: Progress | None = None) -> None:
    """Copy the file as it stands to a new path: complete, checked by doctor, on the disk when this returns.

    Other handles may read and write meanwhile. `progress` is told steps done and steps in all: pages to copy, and rows
    to examine in the copy. Raises `Conflict` when anything exists at `path`, `FormatError` when the copy cannot be made
    or is not sound; then nothing is left.
    """
    check_progress(progress)
    store.check()
    target = _destination(path)
    if os.path.lexists(target):
        raise errors.Conflict(f"{target} exists", param="path", hint="name a file that does not exist yet")
    with _temporary(target) as temporary:
        with _source(store) as source:
            _make(temporary, source, store, progress)
        _sync(temporary)
        _publish(temporary, target)


def restore_backup(
    snapshot: object,
    path: object,
    clock: object = None,
    event_factory: object = None,
    progress: Progress | None = None,
) -> str:
    """Put a copy of the backup file `snapshot` at a new or empty `path`, checked and on the disk; the absolute path.

    `clock` and `event_factory` are for the handle that is opened on it, and are examined first; `progress` is as for
    `backup`. Raises `NotFound` for a missing backup, `Conflict` for a path that holds something, `FormatError` for an
    unsound backup.
    """
    check_progress(progress)
    Clock(clock)
    EventIds(event_factory)
    origin, target = paths.resolve_path(snapshot), _destination(path)
    if os.path.exists(target) and os.path.exists(origin) and os.path.samefile(origin, target):
        raise errors.Conflict(f"{target} is the backup itself", param="path", hint="name another path")
    _check_replaceable(target)
    source = Store(origin, clock=Clock(0), event_ids=EventIds(), read_only=True, still=True)
    try:
        with _temporary(target) as temporary:
            _make(temporary, source, source, progress)
            _sync(temporary)
            _install(temporary, target)
    finally:
        source.close()
    return target


def _destination(path: object) -> str:
    """The absolute path of a copy, symbolic links in its folder resolved."""
    if path in ("", b""):
        raise errors.Conflict("the path is empty, which is the present folder", param="path", hint="name a new file")
    target = paths.resolve_path(path)
    target = os.path.join(os.path.realpath(os.path.dirname(target)), os.path.basename(target))
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise errors.FormatError(f"the folder {folder} does not exist", param="path", hint="create it first")
    return target


def _check_replaceable(target: str) -> None:
    """Only nothing, or a file without content, may be replaced; side files would be taken for the new file's."""
    if os.path.lexists(target) and (os.path.islink(target) or not os.path.isfile(target) or os.path.getsize(target)):
        raise errors.Conflict(f"{target} exists and is not an empty file", param="path", hint="name another path")
    for suffix in paths.SIDE_FILES:
        if os.path.lexists(target + suffix):
            raise errors.Conflict(
                f"{target + suffix} is in the way", param="path", hint="another program uses the path"
            )


@contextmanager
def _source(store: Store) -> Iterator[Store]:
    """A handle that sees only what is committed: inside an open transaction of a file, one of its own."""
    if store.path == paths.MEMORY or not store.connection.in_transaction:
        yield store
        return
    private = Store(store.path, clock=store.clock, event_ids=store.event_ids, read_only=True)
    try:
        yield private
    finally:
        private.close()


@contextmanager
def _temporary(target: str) -> Iterator[str]:
    """The path of an empty private file in a folder beside the target, which is gone at the end."""
    with ExitStack() as stack:
        with _reported(target):
            temporary = stack.enter_context(making.beside(target))
        surplus = len(os.fsencode(temporary)) - limits.PATH_BYTES
        if surplus > 0:
            raise errors.FormatError(
                f"the folder of {errors.quote(target)} has {surplus} bytes too many in its path to make a copy there",
                param="path",
                hint="use a shorter path, and move the copy",
            )
        yield temporary


class _Steps:
    """Tells of pages copied, then of rows examined, as one sum."""

    def __init__(self, progress: Progress, reader: Reader) -> None:
        self._progress = progress
        self._pages = 0
        self._rows = doctor.course_of(rows_of(reader, progress)).total

    def copied(self, done: int, pages: int) -> None:
        self._pages = pages
        self._progress(done, pages + self._rows)

    def examined(self, done: int, rows: int) -> None:
        self._progress(self._pages + done, self._pages + rows)


def _make(temporary: str, source: Store, caller: Store, progress: Progress | None) -> None:
    """Copy and examine one state of the source, as long as nobody asks the handle of the caller to stop."""
    with source.reading() as reader:
        steps = None if progress is None else _Steps(progress, reader)
        _copy(source, temporary, caller, steps)
    _verify(temporary, caller, steps)


def _copy(source: Store, temporary: str, caller: Store, steps: _Steps | None) -> None:
    """SQLite's online copy; the read transaction that is open keeps writers from restarting it."""

    def copied(_: int, remaining: int, pages: int) -> None:
        caller.check_cancelled()
        if steps is not None:
            steps.copied(pages - remaining, pages)

    with faults.typed(temporary):
        target = sqlite3.connect(f"file:{quote(os.fsencode(temporary))}", uri=True, isolation_level=None)
        try:
            source.connection.backup(
                target, pages=limits.BACKUP_STEP_PAGES, progress=copied, sleep=limits.BACKUP_PAUSE_SECONDS
            )
            # A copy from memory has no journal mode yet; closing the last handle then removes the side files.
            target.execute("PRAGMA journal_mode = WAL")
        finally:
            target.close()


def _verify(temporary: str, caller: Store, steps: _Steps | None) -> None:
    copy = Store(temporary, clock=Clock(0), event_ids=EventIds(), read_only=True, still=True)
    copy.cancel_requested = caller.is_stopped
    try:
        report = doctor.doctor(copy, progress=None if steps is None else steps.examined)
    finally:
        copy.close()
    if not report["ok"]:
        raise errors.FormatError(f"the file is not sound: {report['problems'][0]}", hint="run doctor on it")


def _install(temporary: str, target: str) -> None:
    """Put the copy where nothing is, or in the place of an empty file."""
    if not os.path.lexists(target):
        _publish(temporary, target)
        return
    _check_replaceable(target)
    with _reported(target):
        os.replace(temporary, target)
        _sync_folder(target)


def _publish(temporary: str, target: str) -> None:
    """Give the copy its name, unless somebody else took it meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise _taken(target) from None
    except OSError:
        _publish_without_links(temporary, target)
    with _reported(target):
        _sync_folder(target)


def _publish_without_links(temporary: str, target: str) -> None:
    """For file systems without hard links: the name is taken exclusively, then the copy is moved over it."""
    with _reported(target):
        try:
            os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, paths.NEW_FILE_MODE))
        except FileExistsError:
            raise _taken(target) from None
        try:
            os.replace(temporary, target)
        except BaseException:
            os.unlink(target)
            raise


def _taken(target: str) -> errors.Conflict:
    return errors.Conflict(f"{target} was created by another program meanwhile", param="path", hint="name another file")


def _sync(path: str) -> None:
    with _reported(path):
        handle = os.open(path, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _sync_folder(path: str) -> None:
    """Make the new name durable; only Windows cannot open a folder, and needs no such thing."""
    if os.name == "nt":
        return
    handle = os.open(os.path.dirname(path), os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _reported(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise errors.FormatError(
            f"{path} cannot be written: {fault.strerror}",
            param="path",
            hint="choose a folder that can be written and has room for the copy",
        ) from fault
