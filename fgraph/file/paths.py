"""Paths: the absolute form of what a caller names, the kind of what lies there, and the files SQLite puts beside it."""

import builtins
import errno
import os
import stat

from fgraph import errors, limits

MEMORY = ":memory:"
NEW_FILE_MODE = 0o600
NEW_FOLDER_MODE = 0o700
WAL_FILES = ("-wal", "-shm")
JOURNAL = "-journal"
SIDE_FILES = (*WAL_FILES, JOURNAL)
REFUSALS = (errno.EACCES, errno.EPERM, errno.EROFS)


def resolve_path(path: object) -> str:
    """The absolute path, with a leading `~` expanded and all else taken literally; `:memory:` stays as it is.

    Raises `TypeError` for what is neither text, bytes nor path-like, `FormatError` for what cannot name a file.
    """
    text = _text(path)
    if text == MEMORY:
        return text
    if text == "~" or text.startswith("~/"):
        text = os.path.expanduser(text)
    try:
        size = len(os.fsencode(text))
        absolute = os.path.join(os.getcwd(), text)
    except UnicodeEncodeError:
        raise _no_file(text) from None
    except OSError:
        raise errors.FormatError(
            f"{text} is relative to a folder that is gone", param="path", hint="give the absolute path"
        ) from None
    if not size or "\0" in text:
        raise _no_file(text)
    # Only a path that climbs has to be looked up: `link/../x` is not `x` where `link` leads elsewhere.
    climbs = ".." in absolute.split(os.sep)
    absolute = os.path.realpath(absolute) if climbs else os.path.normpath(absolute)
    if len(os.fsencode(absolute)) > limits.PATH_BYTES:
        raise errors.FormatError(
            f"the path {errors.quote(absolute)} has more than {limits.PATH_BYTES} bytes",
            param="path",
            hint="SQLite takes no longer ones; use a shorter path",
        )
    return absolute


def exists(path: str) -> bool:
    """Whether something lies at the path, be it a link that leads nowhere; `FormatError` when it cannot be told."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        raise _unreachable(path, fault) from None
    return True


def check_is_file(path: str) -> None:
    """`FormatError` unless an ordinary file lies at the path (a pipe would keep SQLite waiting for ever)."""
    try:
        found = os.stat(path)
    except OSError as fault:
        raise _unreachable(path, fault) from None
    if stat.S_ISDIR(found.st_mode):
        raise errors.FormatError(f"{path} is a folder", param="path", hint="name a file in it")
    if not stat.S_ISREG(found.st_mode):
        raise errors.FormatError(f"{path} is not an ordinary file", param="path", hint="choose another path")
    if found.st_size == 1:  # which SQLite would take for an empty database
        raise errors.FormatError(f"{path} is not an SQLite database", param="path", hint="choose another path")


def create(path: str) -> None:
    """Create an empty file with private permissions; one that another process has just created is left as it is."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise errors.FormatError(f"the folder {folder} does not exist", param="path", hint="create it first")
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, NEW_FILE_MODE))
    except FileExistsError:
        pass
    except OSError as fault:
        if fault.errno in REFUSALS:
            raise errors.ReadOnly(
                f"{path} cannot be created: the folder cannot be written", param="path", hint="choose another folder"
            ) from None
        raise errors.FormatError(
            f"{path} cannot be created: {fault.strerror}", param="path", hint="choose another path"
        ) from None


def size(path: str) -> int:
    """Bytes of the file; `NotFound` when it has been taken away."""
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        raise missing(path) from None
    except OSError as fault:
        raise _unreachable(path, fault) from None


def missing(path: str) -> errors.NotFound:
    """The error for a file that is not there."""
    return errors.NotFound(f"{path} does not exist", code="missing_file", hint=creating(path))


def creating(path: str) -> str:
    """The command that makes a file of this path, as a hint."""
    plain = all(char.isalnum() or char in "/._-+~" for char in path)
    quoted = path if plain else "'" + path.replace("'", "'\\''") + "'"
    return f"create it with: fgraph --db {quoted} init"


def has_side_file(path: str, suffixes: tuple[str, ...] = WAL_FILES) -> bool:
    """Whether one of SQLite's files lies beside the file, where a link leads to; when in doubt, it does."""
    target = os.path.realpath(path)
    for suffix in suffixes:
        try:
            os.lstat(target + suffix)
        except FileNotFoundError:
            continue
        except OSError:
            return True
        return True
    return False


def is_readable(path: str) -> bool:
    return os.access(path, os.R_OK)


def is_folder_writable(path: str) -> bool:
    """Whether SQLite could put its side files beside the file."""
    return os.access(os.path.dirname(os.path.realpath(path)), os.W_OK)


def _text(path: object) -> str:
    try:
        return os.fsdecode(path)
    except builtins.TypeError:
        raise errors.TypeError(
            f"path is {errors.quote(path)}", param="path", hint="give a text, bytes or path-like object"
        ) from None
    except UnicodeEncodeError:
        return str(path)


def _no_file(text: str) -> errors.FormatError:
    return errors.FormatError(
        f"the path {errors.quote(text)} names no file", param="path", hint="give the path of the database file"
    )


def _unreachable(path: str, fault: OSError) -> errors.FormatError:
    return errors.FormatError(
        f"{path} cannot be reached: {fault.strerror}", param="path", hint="check the permissions of its folders"
    )
