"""Making a file in a private folder beside its place, and removing such folders that killed processes left behind."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from fgraph.file import paths

try:
    import fcntl
except ImportError:  # Windows: nothing can be locked, so nothing is taken for left behind
    fcntl = None

SHOWN_CHARACTERS = 16  # of the file's name in that of the folder
PRIVATE = re.compile(r"\..*\.fgraph-[0-9a-f]{16}\.tmp", re.DOTALL)
LOCK, CONTENT = "lock", "content"
OWN = (CONTENT, *(CONTENT + suffix for suffix in paths.SIDE_FILES), LOCK)


@contextmanager
def beside(target: str) -> Iterator[str]:
    """The path of an empty file in a new folder beside `target`, both for the present user only.

    The caller moves or links the file to its place; what is left of the folder is removed at the end. As long as this
    process lives it holds a lock in the folder. Folders of that name without such a holder are removed first, whatever
    file they were for: only a process that was killed leaves one. Raises `OSError` where nothing can be made.
    """
    folder, name = os.path.split(os.path.abspath(target))
    _remove_left_behind(folder)
    tried: list[str] = []
    lock = None
    try:
        lock = _make(folder, name[:SHOWN_CHARACTERS], tried)
        content = os.path.join(tried[-1], CONTENT)
        os.close(os.open(content, os.O_CREAT | os.O_EXCL | os.O_RDWR, paths.NEW_FILE_MODE))
        yield content
    finally:
        for private in tried:
            with suppress(OSError):
                _remove(private)
        if lock is not None:
            os.close(lock)


def _make(folder: str, name: str, tried: list[str]) -> int | None:
    """Make a folder and give the handle of its lock, None where the file system has no locks.

    Its path is put into `tried` beforehand, so that a Ctrl-C at any moment finds it there.
    """
    while True:
        tried.append(os.path.join(folder, f".{name}.fgraph-{os.urandom(8).hex()}.tmp"))
        os.mkdir(tried[-1], paths.NEW_FOLDER_MODE)
        try:
            return _hold(os.path.join(tried[-1], LOCK))
        except (FileNotFoundError, BlockingIOError):
            continue  # another process took the folder for one left behind, before it was locked


def _hold(path: str) -> int | None:
    """Create and lock a file; None, without the file, where the file system has no locks."""
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, paths.NEW_FILE_MODE)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.stat(path)
            return handle
    except (FileNotFoundError, BlockingIOError):
        os.close(handle)
        raise
    except OSError:
        pass
    os.close(handle)
    os.unlink(path)
    return None


def _remove_left_behind(folder: str) -> None:
    """Remove the private folders of processes that are gone; whatever stands in the way of that stays."""
    if fcntl is None:
        return
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if PRIVATE.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                with suppress(OSError):
                    _remove_unless_held(entry.path)


def _remove_unless_held(private: str) -> None:
    if os.lstat(private).st_uid != os.geteuid():
        return
    try:
        lock = os.open(os.path.join(private, LOCK), os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        os.rmdir(private)  # killed between two steps; anything in it is not ours
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _remove(private)
    finally:
        os.close(lock)


def _remove(private: str) -> None:
    """Remove what this module and SQLite put into the folder, the lock last, and the folder if that was all."""
    for name in OWN:
        with suppress(FileNotFoundError):
            os.unlink(os.path.join(private, name))
    os.rmdir(private)
