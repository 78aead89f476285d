"""The work meter of one search: units are counted the same way on every run over the same file."""

from fgraph import errors

NARROWER = "ask for rarer words, narrow it with text_attributes, or raise the query budget"


class Work:
    """Counts examined rows against the budget of the handle."""

    __slots__ = ("budget", "used")

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.used = 0

    @property
    def left(self) -> int:
        """Units that may still be spent."""
        return self.budget - self.used

    def spend(self, units: int, on: str, hint: str = NARROWER) -> None:
        """Count `units`; `TooLarge` when more than the budget is used. `on` says what they were spent on."""
        self.used += units
        if self.used > self.budget:
            raise errors.TooLarge(
                f"the search examines more than {self.budget} rows ({on})",
                code="work_budget",
                hint=hint,
            )
