"""The report of a write: an immutable mapping with eight keys (docs/python-api.md)."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field

from fgraph import limits

KEYS = ("status", "event", "basis_tx", "tx", "at", "ids", "asserted", "retracted")


@dataclass(frozen=True, slots=True, eq=False)
class TxReport(Mapping):
    """What a write did.

    `status` is "applied", "noop" or "already_applied"; `event` the transaction's UUID; `basis_tx` the transaction
    before it; `tx` its id; `at` its time in microseconds; `ids` the new short names and the tempids; `asserted` and
    `retracted` the facts as `{"id", "e", "a", "v", "tx", "rx"}`.
    """

    status: str = "noop"
    event: str | None = None
    basis_tx: int = limits.GENESIS_TX
    tx: int | None = None
    at: int | None = None
    ids: dict = field(default_factory=dict)
    asserted: list = field(default_factory=list)
    retracted: list = field(default_factory=list)

    __hash__ = None

    def __getitem__(self, key: str) -> object:
        if key in KEYS:
            return getattr(self, key)
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(KEYS)

    def __len__(self) -> int:
        return len(KEYS)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self) == dict(other)

    def to_dict(self) -> dict:
        """A plain dict of plain values, free to be changed."""
        return deepcopy(dict(self))
