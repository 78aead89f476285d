"""Work counted while a query runs, and the functions that its SQL calls."""

import sqlite3
import sys
from collections.abc import Callable, Mapping
from itertools import repeat
from operator import length_hint

from fgraph import errors
from fgraph.datalog import predicates
from fgraph.file.reader import Reader


class Meter:
    """Counts units against a budget. One unit is one fact or tuple that was looked at (docs/queries.md).

    The counter that SQLite calls is the `__next__` of a `repeat`: it runs without entering Python code, and its end
    is the end of the budget.
    """

    def __init__(self, reader: Reader, budget: int) -> None:
        self._connection = reader.connection
        self._store = reader.store
        self._budget = min(budget, sys.maxsize)
        self._left = repeat(1, self._budget)
        self._fault: errors.FGraphError | None = None
        self.work_of: dict[int, int] = {}
        self.rows_of: dict[int, int] = {}
        self._register("fgraph_tick", 0, self._left.__next__)
        self._register("fgraph_test", 7, self._guarded(_test))
        self._register("fgraph_calc", 5, self._guarded(lambda *args: predicates.calculate(*args)[1]))
        self._register("fgraph_kind", 5, self._guarded(lambda *args: predicates.calculate(*args)[0]))
        self._register("fgraph_tick_of", 1, self._tick_of)
        self._register("fgraph_row_of", 1, self._row_of)

    @property
    def spent(self) -> int:
        """Units counted so far."""
        return self._budget - length_hint(self._left)

    def charge(self, units: int) -> None:
        """Count work that is done in Python."""
        left = length_hint(self._left) - units
        self._left = repeat(1, max(left, 0))
        self._register("fgraph_tick", 0, self._left.__next__)
        if left < 0:
            raise self._too_large()

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
            if "user-defined function" in str(fault) and length_hint(self._left) == 0:
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
        return next(self._left)

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
