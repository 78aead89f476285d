"""How far long work has come, on one line of standard error that is rewritten and at last erased."""

import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from fgraph import limits
from fgraph.cli import machine
from fgraph.cli.call import Call, on_terminal
from fgraph.cli.layout import count, cut

Item = TypeVar("Item")
ERASE = "\r\x1b[K"


class Progress:
    """A counter of work done; `total` in the same unit gives the share and the time left."""

    def __init__(self, what: str, unit: str = "", total: int | None = None) -> None:
        self.what = what
        self.unit = unit
        self.total = total
        self.done = 0
        self.weight = 0
        self._began = time.monotonic()
        self._drawn = False

    def step(self, done: int = 1, weight: int = 0) -> None:
        """Count work: `done` in units, `weight` in what `total` is counted in (bytes, where units vary in size)."""
        self.done += done
        self.weight += weight

    def reach(self, done: int, total: int) -> None:
        """Count work that knows by itself how far it is."""
        self.total = total
        self.step(done - self.done, done - self.weight)

    def draw(self) -> None:
        """Write the line anew."""
        self._drawn = True
        line = self.line(time.monotonic() - self._began)
        machine.complain(f"\r{cut(line, limits.CLI_COLUMNS - 1)}\x1b[K")

    def line(self, seconds: float) -> str:
        """The line as it reads after so many seconds."""
        done, weight, total = self.done, self.weight, self.total  # once: another thread counts meanwhile
        share = min(weight / total, 1.0) if total else 0.0
        parts = [self.what]
        if share:
            parts.append(f"{share:.0%}")
        if done:
            rate = done / seconds if seconds > 0 else 0.0
            parts += [count(done, self.unit), f"{rate:,.0f}/s"]
        else:
            parts.append(f"{seconds:.0f} s")
        if 0.0 < share < 1.0:
            parts.append(f"{seconds * (1 - share) / share:.0f} s left")
        return "  ".join(parts)

    def erase(self) -> None:
        """Take the line away."""
        if self._drawn:
            machine.complain(ERASE)
            self._drawn = False


@contextmanager
def counting(call: Call, what: str, unit: str = "", total: int | None = None) -> Iterator[Progress]:
    """A progress line about what the work counts; the seconds it has taken, as long as that is nothing.

    A thread draws it, so that it goes on while one step takes long.
    """
    progress = Progress(what, unit, total)
    if not _wanted(call):
        yield progress
        return
    finished = threading.Event()
    ticker = threading.Thread(target=_tick, args=(progress, finished.wait), daemon=True)
    ticker.start()
    try:
        yield progress
    finally:
        finished.set()
        ticker.join()
        progress.erase()


def counted(items: Iterable[Item], progress: Progress, weigh: Callable[[Item], int] = lambda _: 0) -> Iterator[Item]:
    """The same items, each counted as it passes."""
    for item in items:
        yield item
        progress.step(1, weigh(item))


def _tick(progress: Progress, wait: Callable[[float], bool]) -> None:
    pause = limits.CLI_PATIENCE_SECONDS
    while not wait(pause):
        progress.draw()
        pause = limits.CLI_PROGRESS_SECONDS


def _wanted(call: Call) -> bool:
    return on_terminal(sys.stderr) and not call["quiet"]
