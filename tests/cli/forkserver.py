"""Command lines as real processes without the start of an interpreter: each request is forked off a warm one.

A request is one JSON line `{"program", "words", "folder", "env", "files"}`; `files` are the paths of standard input,
output and error. The answer is the exit status on a line of its own.
"""

import importlib
import json
import os
import sys
import time

from fgraph.cli.catalogue import COMMANDS
from fgraph.cli.main import main

WARM = ("fgraph.database", "fgraph.cli.dispatch", "fgraph.cli.layout", "fgraph.cli.usage", "argparse", "sqlite3")


def serve() -> None:
    modules = {f"fgraph.cli.commands.{command.handler.partition(':')[0]}" for command in COMMANDS.values()}
    for name in (*WARM, *sorted(modules)):
        importlib.import_module(name)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            os._exit(run(json.loads(line)))
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def run(request: dict) -> int:
    """Become the process that was asked for."""
    sys.argv = [request["program"], *request["words"]]
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["env"])
    time.tzset()
    for number, (path, mode) in enumerate(zip(request["files"], (os.O_RDONLY, os.O_WRONLY, os.O_WRONLY), strict=True)):
        os.dup2(os.open(path, mode), number)
    sys.stdin, sys.stdout, sys.stderr = (open(number, mode, closefd=False) for number, mode in enumerate("rww"))
    try:
        return main(request["words"])
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


if __name__ == "__main__":
    serve()
