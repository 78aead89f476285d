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
    """The command with the absolute path of its program, where it has a path; raises `TypeError` for a wrong form."""
    from fgraph.mcp.embedder import parse_command  # as above

    with _told():
        program, *arguments = parse_command(command)
    if os.path.dirname(program):
        program = os.path.abspath(program)
    return json.dumps([program, *arguments], ensure_ascii=False) if command.lstrip().startswith("[") else program


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except errors.TypeError as fault:
        if fault.code not in HINTS:
            raise
        raise errors.TypeError(fault.message, code=fault.code, param="embed_cmd", hint=HINTS[fault.code]) from None
