"""Shapes: what a definition demands, and which of its rules a set of attributes breaks (docs/modeling.md)."""

from collections.abc import Iterable
from typing import NamedTuple

from fgraph.file import genesis

DEFINITION = (genesis.SHAPE_REQUIRED, genesis.SHAPE_ALLOWED, genesis.SHAPE_CLOSED)


class Shape(NamedTuple):
    """One definition, by attribute ids."""

    required: frozenset[int] = frozenset()
    allowed: frozenset[int] = frozenset()
    closed: bool = False


class Violation(NamedTuple):
    """One rule that an entity breaks."""

    code: str
    attribute: int


def shape_of(facts: Iterable[tuple[int, object]]) -> Shape:
    """The shape that (attribute, stored value) facts of its entity define."""
    required, allowed, closed = set(), set(), False
    for attribute, value in facts:
        if attribute == genesis.SHAPE_REQUIRED:
            required.add(value)
        elif attribute == genesis.SHAPE_ALLOWED:
            allowed.add(value)
        elif attribute == genesis.SHAPE_CLOSED:
            closed = value == 1
    return Shape(frozenset(required), frozenset(allowed), closed)


def violations(shape: Shape, present: set[int]) -> list[Violation]:
    """What an entity with these attributes breaks, required before closed, by attribute id."""
    found = []
    if shape.closed:
        found += [Violation("shape_definition", number) for number in sorted(shape.required - shape.allowed)]
    found += [Violation("required", number) for number in sorted(shape.required - present)]
    if shape.closed:
        extra = {number for number in present - shape.allowed if number >= genesis.GENESIS_TX}
        found += [Violation("allowed", number) for number in sorted(extra)]
    return found
