"""The embedding command as a person gives it: run for one text, or spelled so that it works from any folder."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager

from fgraph import errors

# The hints of the embedder itself speak to agents.
HINTS = {
    "embedder_failed": "give --embed-cmd a program, or a JSON array of a program and its arguments, that prints a JSON "
    "array of numbers",
    "embedder_timeout": "run this again, or give --embed-cmd a faster program",
}


def vector_of(text: str, command: str) -> list[float]:
    """The vector that the command makes of a text."""
    from fgraph.mcp.embedder import Embedder  # runs child processes; few command lines need it

    with _told():
        return Embedder(command).embed(text)


def from_anywhere(command: str) -> str:
    """The command with absolute paths for its program, where it has a path, and for arguments that name files here.

    Raises `TypeError` for a wrong form, and for a program that cannot be started.
    """
    from fgraph.mcp.embedder import parse_command  # as above

    with _told():
        program, *arguments = parse_command(command)
    if os.path.dirname(program):
        program = os.path.abspath(program)
    _check_starts(program)
    arguments = [os.path.abspath(word) if os.path.isfile(word) else word for word in arguments]
    return json.dumps([program, *arguments], ensure_ascii=False) if command.lstrip().startswith("[") else program


def _check_starts(program: str) -> None:
    from shutil import which  # only setup asks

    if which(program):
        return
    file = os.path.abspath(program)
    if not os.path.isfile(file):
        fault = "does not exist" if os.path.dirname(program) else "is no program on the PATH"
        hint = "give the path of a program, or the name of one on the PATH"
    elif os.access(file, os.X_OK):
        fault, hint = "is not on the PATH", f"give its path: {file}"
    else:
        fault = "is not executable"
        words = json.dumps(["python3", file], ensure_ascii=False)
        hint = f"give its interpreter as well, as in {words}, or make it executable"
    raise errors.TypeError(f"--embed-cmd: {program} {fault}", param="embed_cmd", hint=hint)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except errors.TypeError as fault:
        if fault.code not in HINTS:
            raise
        raise errors.TypeError(fault.message, code=fault.code, param="embed_cmd", hint=HINTS[fault.code]) from None
