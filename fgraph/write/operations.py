"""Normalised operations: what a request asks for, with every entity, attribute and value resolved."""

from collections.abc import Callable
from typing import NamedTuple

from fgraph import errors
from fgraph.values import logical
from fgraph.values.logical import REF, Stored

# An identity as messages call it.
Describe = Callable[[int], str]
# Stands for the transaction's own entity until its id is known, which is last.
TX = -1


class Add(NamedTuple):
    """Assert one fact. `refused` says that the schema at this place of the input does not take the value."""

    e: int
    a: int
    value: Stored
    where: str
    refused: bool = False


class Remove(NamedTuple):
    """Retract one fact, all facts of a cell (no value), or a whole entity with the references to it (no attribute)."""

    e: int
    a: int | None
    value: Stored | None
    where: str


class Swap(NamedTuple):
    """Compare-and-set of a one-value cell; None stands for an empty cell."""

    e: int
    a: int
    old: Stored | None
    new: Stored | None
    where: str
    refused: bool = False


Operation = Add | Remove | Swap


def wording(value: Stored, name: Describe) -> str:
    """A value as messages show it, clipped; `name` describes an identity."""
    if value.tag == REF:
        return name(value.value)
    return errors.quote(logical.render_stored(value, str))
