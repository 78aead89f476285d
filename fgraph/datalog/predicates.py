"""What the comparison and arithmetic operators mean: on which types, as SQL, and as functions SQL calls."""

import operator
import struct
from collections.abc import Callable

from fgraph import errors, limits
from fgraph.datalog.sql import Cell, same
from fgraph.datalog.syntax import COMPARISONS, refuse
from fgraph.values import logical
from fgraph.values.logical import (
    BYTES,
    BYTES_REF,
    FLOAT,
    INDIRECT,
    INSTANT,
    INT,
    JSON,
    TEXT,
    TEXT_REF,
    VECTOR,
)

NUMBERS = frozenset((INT, FLOAT))
# Tags whose values compare with each other; every other tag compares only with itself.
CLASSES = (NUMBERS, frozenset((TEXT, TEXT_REF)), frozenset((BYTES, BYTES_REF)))
TEXTUAL = frozenset((TEXT, TEXT_REF, JSON))
CALCULATED = NUMBERS | {INSTANT}
COMPARE: dict[str, Callable[[object, object], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
SEEKABLE = ("=", "<", "<=", ">", ">=")


def comparison_class(tag: int) -> frozenset[int]:
    """The tags whose values compare with values of this one."""
    return next((group for group in CLASSES if tag in group), frozenset((tag,)))


def cannot_fail(op: str, left: frozenset[int], right: frozenset[int]) -> bool:
    """Whether an operator is defined for every pair of these type tags."""
    if op in ("=", "!=") or not left or not right:
        return True
    both = left | right
    if op in COMPARISONS:
        return both <= comparison_class(next(iter(both)))
    return both <= TEXTUAL


def runs_in_sql(op: str, left: frozenset[int], right: frozenset[int]) -> bool:
    """Whether SQLite's own comparison of the stored values gives the answer."""
    if op in ("=", "!="):
        return True
    return cannot_fail(op, left, right) and not (left | right) & set(INDIRECT)


def condition(op: str, left: Cell, right: Cell) -> str:
    """A predicate of two cells as SQL."""
    if not runs_in_sql(op, left.tags, right.tags):
        sides = ", ".join(f"{cell.tag}, {cell.value}, {cell.whole()}" for cell in (left, right))
        return f"fgraph_test('{op}', {sides})"
    if op == "contains":
        return f"instr({left.value}, {right.value}) > 0"
    if op == "starts-with":
        return f"instr({left.value}, {right.value}) = 1"
    if op == "=":
        return equality(left, right)
    return f"NOT ({equality(left, right)})" if op == "!=" else f"{left.value} {op} {right.value}"


def equality(left: Cell, right: Cell) -> str:
    """The condition of `=`: one type and one value, integers and floats compared as numbers."""
    numeric = left.tags & NUMBERS and right.tags & NUMBERS
    if not numeric or (len(left.tags) == 1 and left.tags == right.tags):
        return " AND ".join(same(left, right))
    if left.tags | right.tags <= NUMBERS:
        return f"{left.value} = {right.value}"
    either = f"{left.tag} = {right.tag} OR {left.tag} IN (2, 3) AND {right.tag} IN (2, 3)"
    return f"({left.value} = {right.value} AND ({either}))"


def calculated(op: str, left: Cell, right: Cell) -> Cell:
    """The result of an arithmetic of two cells."""
    operands = f"'{op}', {left.tag}, {left.value}, {right.tag}, {right.value}"
    return Cell(f"fgraph_calc({operands})", f"fgraph_kind({operands})", CALCULATED)


def test(op: str, left_tag: int, left: object, right_tag: int, right: object) -> bool:
    """The truth of a predicate over whole values (payloads, not keys); `QueryError` for types it does not take."""
    if op in ("=", "!="):
        same = left_tag == right_tag or {left_tag, right_tag} <= NUMBERS
        return (same and left == right) == (op == "=")
    if op in COMPARISONS:
        if right_tag not in comparison_class(left_tag):
            raise _undefined(op, left_tag, right_tag)
        if left_tag == VECTOR:
            left, right = _floats(left), _floats(right)
        return COMPARE[op](left, right)
    if left_tag not in TEXTUAL or right_tag not in TEXTUAL:
        raise _undefined(op, left_tag, right_tag)
    return right in left if op == "contains" else left.startswith(right)


def whole(tag: int, value: object, payload: object) -> object:
    """The value to compare: what the row holds, or the payload behind it; `FormatError` where it is damaged."""
    if tag in INDIRECT:
        return logical.check_blob(tag, value, payload)
    logical.check_storage(tag, value)
    return value


def calculate(op: str, left_tag: int, left: object, right_tag: int, right: object) -> tuple[int, int | float]:
    """Tag and value of `left op right`; `QueryError` for other types, overflow and division by zero.

    `FormatError` where an operand is not what its tag promises.
    """
    tag = _result_tag(op, left_tag, right_tag)
    if tag is None:
        raise _undefined(op, left_tag, right_tag)
    logical.check_storage(left_tag, left)
    logical.check_storage(right_tag, right)
    try:
        value = _apply(op, left, right)
    except ZeroDivisionError:
        raise refuse(f"the arithmetic {op} divides by zero", "where", "exclude zero before it") from None
    except OverflowError:
        raise _overflow(op) from None
    if tag == FLOAT:
        value = float(value) + 0.0
        if not float("-inf") < value < float("inf"):
            raise _overflow(op)
    elif not _lowest(tag) <= value <= _highest(tag):
        raise _overflow(op)
    return tag, value


def _result_tag(op: str, left: int, right: int) -> int | None:
    if left in NUMBERS and right in NUMBERS:
        if op == "%":
            return INT if left == right == INT else None
        return FLOAT if op == "/" or FLOAT in (left, right) else INT
    if (left, right, op) == (INSTANT, INSTANT, "-"):
        return INT
    if (left, right) == (INSTANT, INT) and op in ("+", "-") or (left, right, op) == (INT, INSTANT, "+"):
        return INSTANT
    return None


def _apply(op: str, left: int | float, right: int | float) -> int | float:
    if op == "/":
        return left / right
    if op == "%":
        return left % right
    return {"+": operator.add, "-": operator.sub, "*": operator.mul}[op](left, right)


def _lowest(tag: int) -> int:
    return limits.INSTANT_MIN if tag == INSTANT else limits.INT_MIN


def _highest(tag: int) -> int:
    return limits.INSTANT_MAX if tag == INSTANT else limits.INT_MAX


def _floats(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)


def _overflow(op: str) -> errors.QueryError:
    return refuse(f"the arithmetic {op} leaves the range of its type", "where", "keep the operands smaller")


def _undefined(op: str, left: int, right: int) -> errors.QueryError:
    return refuse(
        f"{op} is not defined for {logical.type_of(left)} and {logical.type_of(right)}",
        "where",
        "compare values of one type; test the type with a clause before",
    )
