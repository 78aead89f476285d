"""The process: its standard streams, its signals, its start and its end."""

from __future__ import annotations

import os
import signal
import sys
import threading

from fgraph import errors, limits
from fgraph.mcp.loop import Loop
from fgraph.mcp.service import Service

STDIN, STDOUT, STDERR = 0, 1, 2


def serve(
    path: str,
    write: bool = False,
    budget: int = limits.QUERY_BUDGET,
    embed_cmd: str | None = None,
) -> int:
    """Serve one file until the end of input; the exit status.

    A file that cannot be opened ends it with one line on the error stream and status 1. Nothing but protocol lines
    reaches standard output.
    """
    service = Service(path, write, budget, embed_cmd)
    source, target = _private_streams()
    loop = Loop(lambda: os.read(source, limits.MCP_READ_BYTES), _Output(target, service).write, service)
    _handle_signals(service)
    try:
        loop.start()
    except errors.FGraphError as failure:
        print(f"{type(failure).__name__}: {' '.join(str(failure).split())}", file=sys.stderr)
        return 1
    for warning in service.warnings():
        print(f"fgraph mcp: {warning}", file=sys.stderr, flush=True)
    loop.read_all()
    _exit_later(service)
    if not loop.finish():
        _exit_now(service)
    return 0


def _private_streams() -> tuple[int, int]:
    """Duplicates that only the protocol uses; a stray `print` or a child process gets stderr and the null device."""
    nothing = os.open(os.devnull, os.O_RDWR)
    while nothing <= STDERR:  # started without one of the three: a duplicate must not take its place
        nothing = os.open(os.devnull, os.O_RDWR)
    source, target = os.dup(STDIN), os.dup(STDOUT)
    for descriptor in (source, target):
        os.set_blocking(descriptor, True)
    os.dup2(nothing, STDIN)
    os.dup2(STDERR, STDOUT)
    os.close(nothing)
    return source, target


class _Output:
    """Whole lines to one descriptor; a reader that went away ends the process."""

    def __init__(self, descriptor: int, service: Service) -> None:
        self._descriptor = descriptor
        self._service = service

    def write(self, line: bytes) -> None:
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            _exit_now(self._service)


def _handle_signals(service: Service) -> None:
    """End at once; SQLite keeps the file sound whatever was going on. Ctrl-C is how a person ends it: status 0."""
    ending = [signal.SIGTERM] + ([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])

    def leave(number: int, _frame: object) -> None:
        service.kill_child(limits.MCP_EXIT_SECONDS)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGINT, lambda _number, _frame: _exit_now(service))
    for number in ending:
        signal.signal(number, leave if service.has_child else signal.SIG_DFL)


def _exit_later(service: Service) -> None:
    """Whatever hangs at the end of input (a client that does not read, a stuck statement) hangs for two seconds."""
    timer = threading.Timer(limits.MCP_DRAIN_SECONDS + limits.MCP_EXIT_SECONDS, _exit_now, [service])
    timer.daemon = True
    timer.start()


def _exit_now(service: Service) -> None:
    service.kill_child(limits.MCP_EXIT_SECONDS)
    os._exit(0)
