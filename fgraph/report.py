"""The report of a write: an immutable mapping with eight keys (docs/python-api.md)."""

from collections.abc import Iterator, Mapping
from copy import deepcopy

from fgraph import limits

KEYS = ("status", "event", "basis_tx", "tx", "at", "ids", "asserted", "retracted")


class TxReport(Mapping):
    """What a write did.

    `status` is "applied", "noop" or "already_applied"; `event` the transaction's UUID; `basis_tx` the transaction
    before it; `tx` its id; `at` its time in microseconds; `ids` the new short names and the tempids; `asserted` and
    `retracted` the facts as `{"id", "e", "a", "v", "tx", "rx"}`.
    """

    __slots__ = KEYS
    __hash__ = None

    status: str
    event: str | None
    basis_tx: int
    tx: int | None
    at: int | None
    ids: dict
    asserted: list
    retracted: list

    def __init__(
        self,
        status: str = "noop",
        event: str | None = None,
        basis_tx: int = limits.GENESIS_TX,
        tx: int | None = None,
        at: int | None = None,
        ids: dict | None = None,
        asserted: list | None = None,
        retracted: list | None = None,
    ) -> None:
        parts = (status, event, basis_tx, tx, at, ids or {}, asserted or [], retracted or [])
        for key, part in zip(KEYS, parts, strict=True):
            object.__setattr__(self, key, part)

    def __setattr__(self, name: str, value: object) -> None:
        raise _frozen(name)

    def __delattr__(self, name: str) -> None:
        raise _frozen(name)

    def __reduce__(self) -> tuple:
        return TxReport, tuple(self.values())

    def __repr__(self) -> str:
        return f"TxReport({', '.join(f'{key}={getattr(self, key)!r}' for key in KEYS)})"

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


def _frozen(name: str) -> AttributeError:
    from dataclasses import FrozenInstanceError  # slow to import, and start-up never needs it

    return FrozenInstanceError(f"{name}: a report cannot be changed")
