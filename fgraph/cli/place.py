"""Which database file a command means, and the ways to open it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress

from fgraph import errors
from fgraph.cli import machine
from fgraph.cli.call import Call
from fgraph.file.opening import open_readonly
from fgraph.file.paths import MEMORY, creating, resolve_path

TYPE_CHECKING = False  # as in typing, which takes longer to load than this module
if TYPE_CHECKING:
    from fgraph.database import Db

DEFAULT, LEGACY = "facts.fgraph", "fgraph.db"
SIDE_FILES = ("-wal", "-shm")


def reading(call: Call) -> AbstractContextManager[Db]:
    """The database, opened for reading only; a missing file is `NotFound`."""
    return _connected(call, path(call), read_only=True)


@contextmanager
def writing(call: Call, *, create: bool = True, only_if_written: bool = False) -> Iterator[Db]:
    """The database, opened for writing.

    A missing file is created, or `NotFound` without `create`. With `only_if_written` a file that this call created is
    taken away again when the command fails before its first commit.
    """
    target = path(call)
    full = resolve_path(target)
    missing = full != MEMORY and not os.path.lexists(full)
    if missing and not create:
        raise errors.NotFound(f"{full} does not exist", code="missing_file", hint=f"check --db, or {creating(full)}")
    remove = False
    try:
        with _connected(call, target, read_only=False) as db:
            try:
                yield db
            except BaseException:
                remove = missing and only_if_written and _is_untouched(db)
                raise
    finally:
        if remove:
            _remove(full)


def path(call: Call) -> str:
    """The path as chosen: `--db`, else `FGRAPH_DB`, else the default of the current folder."""
    chosen = os.environ.get("FGRAPH_DB") if call["db"] is None else machine.file_name(call["db"])
    if chosen is None:
        return _implicit()
    if not chosen:
        raise errors.FormatError(
            "the database path is empty", param="db", hint="give --db a file name, or unset FGRAPH_DB for facts.fgraph"
        )
    return chosen


def _implicit() -> str:
    if not _present(LEGACY):
        return DEFAULT
    if not _present(DEFAULT):
        return LEGACY
    try:
        open_readonly(resolve_path(DEFAULT)).close()
    except errors.FormatError:
        raise errors.FormatError(
            f"{DEFAULT} is not an fgraph database, and {LEGACY} stands beside it",
            hint=f"choose one: --db {DEFAULT} or --db {LEGACY}",
        ) from None
    return DEFAULT


def _present(name: str) -> bool:
    try:
        os.lstat(name)
    except FileNotFoundError:
        return False
    except OSError as fault:
        raise errors.FormatError(
            f"cannot look at {name} in the current folder: {fault.strerror}",
            hint="name the database with --db, or work in another folder",
        ) from None
    return True


@contextmanager
def _connected(call: Call, target: str, *, read_only: bool) -> Iterator[Db]:
    from fgraph.database import connect  # with all it needs; `mcp` opens the file in its own way

    budget = call["query_budget"]
    options = {} if budget is None else {"query_budget": budget}
    db = connect(target, read_only=read_only, **options)
    try:
        yield db
    finally:
        db.close()


def _is_untouched(db: Db) -> bool:
    try:
        return db.stats()["transactions"] == 1
    except errors.FGraphError:
        return False


def _remove(target: str) -> None:
    """Remove a file that nobody else has open: the last handle to close takes the log files with it."""
    if not any(os.path.exists(target + side) for side in SIDE_FILES):
        with suppress(OSError):
            os.unlink(target)
