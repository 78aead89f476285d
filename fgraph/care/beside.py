"""A check that runs in a thread of its own on a second connection, while the caller examines other things."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from fgraph.file.reader import Reader
from fgraph.file.store import Store

Outcome = TypeVar("Outcome")


class Beside(Generic[Outcome]):
    """SQLite releases the interpreter while it works, so checks that are all SQL cost next to nothing beside others."""

    def __init__(self, store: Store, check: Callable[[Reader], Outcome]) -> None:
        self._store = store
        self._check = check
        self._stopped = False
        self._seen: tuple | None = None
        self._outcome: Outcome | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def outcome(self, reader: Reader) -> Outcome | None:
        """What the check gave; None when it failed or saw another state, and the caller has to do it by itself."""
        self._thread.join()
        return self._outcome if self._seen == _state(reader) else None

    def stop(self) -> None:
        """End the thread, whether it is done or not."""
        self._stopped = True
        self._thread.join()

    def _run(self) -> None:
        try:
            private = Store(self._store.path, clock=self._store.clock, event_ids=self._store.event_ids, read_only=True)
            try:
                private.cancel_requested = lambda: self._stopped or self._store.is_stopped()
                with private.reading() as reader:
                    self._outcome = self._check(reader)
                    self._seen = _state(reader)
            finally:
                private.close()
        except Exception:
            # Whatever it was, the caller meets it again where it can be reported.
            self._seen = None


def _state(reader: Reader) -> tuple:
    """The newest transaction, and its event: the path may lead to another file by now."""
    return reader.basis, *reader.fetch("SELECT event_hash FROM fgraph_events WHERE tx = ?", (reader.basis,))
