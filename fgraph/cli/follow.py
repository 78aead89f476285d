"""New transactions as they come: pages of those that are there, then waiting for more."""

import signal
import time
from collections.abc import Iterator

from fgraph import errors, limits
from fgraph.cli.show import Moment, moments_of
from fgraph.database import Db
from fgraph.portable import events


class Follower:
    """The transactions after `since`, page by page, each page from one read transaction."""

    def __init__(self, db: Db, since: int, *, follow: bool, until: int | None) -> None:
        for name, value in (("--since", since), ("--until", until)):
            if value is not None and not limits.GENESIS_TX <= value <= limits.INT_MAX:
                raise errors.TypeError(
                    f"{name} is {errors.quote(value)}",
                    param=name[2:],
                    hint=f"transactions count from {limits.GENESIS_TX}",
                )
        self._db = db
        self._since = since
        self._follow = follow
        self._until = until
        self._stopped = False

    def events(self) -> Iterator[str]:
        """Canonical event/1 lines, each with its line feed."""
        for first, last in self._pages(limits.CLI_FOLLOW_PAGE):
            with self._db._store.reading() as reader:  # one text at a time, however long they are
                for text in events.texts(reader, first, last):
                    if self._stopped:
                        return
                    yield text + "\n"

    def moments(self) -> Iterator[Moment]:
        """What each transaction asserted and retracted; `since` has to be a transaction."""
        for first, last in self._pages(limits.INT_MAX):
            changes = self._db.diff(first, last)
            for moment in moments_of(changes["asserted"], changes["retracted"]):
                if self._stopped:
                    return
                yield moment

    def _pages(self, span: int) -> Iterator[tuple[int, int]]:
        """Ranges of transaction ids, the first end excluded; a range is left only when its transactions are out."""
        if self._follow:
            signal.signal(signal.SIGINT, self._stop)
        while not self._stopped:
            with self._db.reading() as newest:
                end = newest if self._until is None else min(newest, self._until)
                if self._since < end:
                    last = min(end, self._since + span)
                    yield self._since, last
                    self._since = last
                    continue
            if not self._follow or (self._until is not None and self._since >= self._until):
                return
            time.sleep(limits.CLI_FOLLOW_SECONDS)

    def _stop(self, signum: int, frame: object) -> None:
        self._stopped = True
