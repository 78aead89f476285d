"""Work counted while a query runs, and the functions that its SQL calls."""

import functools
import sqlite3
from collections.abc import Callable, Mapping

from fgraph import errors, limits
from fgraph.datalog import predicates
from fgraph.file.reader import Reader


@functools.cache
def _keep_memory() -> None:
    """Have the process keep the memory that one query frees, for the next one.

    glibc gives freed memory back to the system, and takes it again page by page. It maps a first block of this size
    apart, which costs next to nothing as nobody touches it, and once that is freed keeps what is smaller. A second one
    would come from the memory kept, and be filled with zeros: hence once.
    """
    bytes(limits.QUERY_MEMORY_KEPT)


def started(reader: Reader) -> "Meter":
    """The meter of the reader's handle, set to its whole budget for one query."""
    meter = reader.store.memo("query-meter", lambda: Meter(reader))
    meter.start()
    return meter


class Meter:
    """Counts units against a budget. One unit is one fact or tuple that was looked at (docs/queries.md).

    What is left of the budget is a row of ones, and the function that SQLite calls is its `pop`: it runs without
    entering Python code, and fails when nothing is left. The functions stay registered from query to query, because a
    new one would have SQLite prepare every statement anew.
    """

    def __init__(self, reader: Reader) -> None:
        self._connection = reader.connection
        self._store = reader.store
        self._budget = reader.store.budget
        self._left = bytearray()
        _keep_memory()
        self._beyond = 0  # of a budget too large to be laid out
        self._fault: errors.FGraphError | None = None
        self.work_of: dict[int, int] = {}
        self.rows_of: dict[int, int] = {}
        laid_out = self._budget <= limits.QUERY_BUDGET_LAID_OUT
        self._register("fgraph_tick", 0, self._left.pop if laid_out else self._pop)
        self._register("fgraph_test", 7, self._guarded(_test))
        self._register("fgraph_calc", 5, self._guarded(lambda *args: predicates.calculate(*args)[1]))
        self._register("fgraph_kind", 5, self._guarded(lambda *args: predicates.calculate(*args)[0]))
        self._register("fgraph_tick_of", 1, self._tick_of)
        self._register("fgraph_row_of", 1, self._row_of)

    def start(self) -> None:
        """Forget what was counted."""
        laid_out = min(self._budget, limits.QUERY_BUDGET_LAID_OUT)
        self._left.extend(b"\1" * (laid_out - len(self._left)))
        self._beyond = self._budget - laid_out
        self._fault = None
        self.work_of = {}
        self.rows_of = {}

    @property
    def _remaining(self) -> int:
        return len(self._left) + self._beyond

    @property
    def spent(self) -> int:
        """Units counted so far."""
        return self._budget - self._remaining

    def charge(self, units: int) -> None:
        """Count work that is done in Python."""
        if units > self._remaining:
            raise self._too_large()
        from_beyond = min(units, self._beyond)
        self._beyond -= from_beyond
        del self._left[len(self._left) - (units - from_beyond) :]

    def _pop(self) -> int:
        if not self._beyond:
            return self._left.pop()
        self._beyond -= 1
        return 1

    def note(self, uid: int, units: int) -> None:
        """Put down work that was counted already to one clause."""
        self.work_of[uid] = self.work_of.get(uid, 0) + units

    def execute(self, sql: str, parameters: Mapping[str, object]) -> list[tuple]:
        """The rows of one statement; `TooLarge` at the end of the budget."""
        try:
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.OperationalError as fault:
            if self._fault is not None:
                raise self._fault from None
            if "user-defined function" in str(fault) and not self._remaining:
                raise self._too_large() from None
            raise

    def check_cancelled(self) -> None:
        """`QueryError` when the running call was asked to stop."""
        self._store.check_cancelled()

    def _too_large(self) -> errors.TooLarge:
        return errors.TooLarge(
            f"the query needs more than {self._budget} units of work",
            code="work_budget",
            hint="name more constants, or raise query_budget",
        )

    def _register(self, name: str, arity: int, function: Callable) -> None:
        self._connection.create_function(name, arity, function)

    def _guarded(self, function: Callable) -> Callable:
        """Keep the typed error of a function: SQLite itself reports only that there was one."""

        def call(*args: object) -> object:
            try:
                return function(*args)
            except errors.FGraphError as fault:
                self._fault = fault
                raise

        return call

    def _tick_of(self, uid: int) -> int:
        self.note(uid, 1)
        return self._pop()

    def _row_of(self, uid: int) -> int:
        self.rows_of[uid] = self.rows_of.get(uid, 0) + 1
        return 1


def _test(op: str, left_tag: int, left: object, left_payload: object, *right: object) -> bool:
    right_tag, right_value, right_payload = right
    return predicates.test(
        op,
        left_tag,
        predicates.whole(left_tag, left, left_payload),
        right_tag,
        predicates.whole(right_tag, right_value, right_payload),
    )
