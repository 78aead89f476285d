"""One read: a connection inside a read transaction, and the basis at which it looks at the facts."""

import sqlite3
from collections.abc import Callable, Hashable, Iterable
from typing import Protocol

from fgraph.file.identities import Identity, Registry


class Owner(Protocol):
    """What a reader needs of the store that made it."""

    connection: sqlite3.Connection
    registry: Registry
    path: str
    budget: int

    def memo(self, key: Hashable, build: Callable[[], object]) -> object: ...

    def check_cancelled(self) -> None: ...


class Reader:
    """What every reading room is handed: where to ask, and as of when.

    `basis` is the newest transaction that counts. `live` says that the present is asked for: then the live indexes
    may be used, and a retraction later than `basis` cannot exist. `since` hides what was asserted up to that
    transaction from those who ask with `shown`; names and declarations stay those of the basis.
    """

    __slots__ = ("store", "connection", "basis", "live", "since")

    def __init__(self, store: Owner, basis: int, live: bool, since: int = 0) -> None:
        self.store = store
        self.connection = store.connection
        self.basis = basis
        self.live = live
        self.since = since

    def visible(self, alias: str = "") -> str:
        """The SQL condition that a row of `fgraph_facts` is visible at the basis."""
        dot = f"{alias}." if alias else ""
        if self.live:
            return f"{dot}rx IS NULL"
        return f"{dot}tx <= {self.basis} AND ({dot}rx IS NULL OR {dot}rx > {self.basis})"

    def shown(self, alias: str = "") -> str:
        """The SQL condition that a row of `fgraph_facts` is visible, and asserted after `since`."""
        if not self.since:
            return self.visible(alias)
        dot = f"{alias}." if alias else ""
        return f"{self.visible(alias)} AND {dot}tx > {self.since}"

    def ended(self, rx: int | None) -> int | None:
        """The ending transaction as seen from the basis: None while the fact is visible."""
        return None if rx is None or (not self.live and rx > self.basis) else rx

    def fetch(self, sql: str, parameters: Iterable = ()) -> list[tuple]:
        """All rows of one statement."""
        return self.connection.execute(sql, tuple(parameters)).fetchall()

    def identity(self, key: int | str) -> Identity | None:
        """The identity with this id or this name, unless it was created after the basis."""
        registry = self.store.registry
        found = registry.by_name(key) if isinstance(key, str) else registry.by_id(key)
        return found if found is not None and found.created_tx <= self.basis else None

    def id_of(self, name: str) -> int | None:
        """The id of a name, unless it is unknown at the basis."""
        found = self.identity(name)
        return None if found is None else found.id

    def label(self, number: int) -> str | int:
        """How results show an identity: its name, else its id."""
        found = self.store.registry.by_id(number)
        return number if found is None else found.label

    def warm(self, numbers: Iterable[int]) -> None:
        """Load the labels of many identities in few statements."""
        self.store.registry.warm_ids(numbers)
