"""What a check of the file has found, kept short: problems, warnings and figures."""

from collections.abc import Iterable, Iterator

from fgraph import errors, limits

BACKUP_NEEDED = "restore a backup"
REPAIRABLE = "run doctor with repair (fgraph doctor --repair)"


class Listed:
    """The first messages of one kind, and how many there were."""

    def __init__(self) -> None:
        self.count = 0
        self.first: list[str] = []

    def add(self, text: str) -> None:
        self.count += 1
        if len(self.first) < limits.PROBLEMS_LISTED:
            self.first.append(errors.clip(text))

    def extend(self, other: "Listed") -> None:
        self.count += other.count
        self.first = [*self.first, *other.first][: limits.PROBLEMS_LISTED]


class Findings:
    """Fatal problems (only a backup helps), derived ones (repair rebuilds what is amiss) and warnings (still sound)."""

    def __init__(self) -> None:
        self._fatal = Listed()
        self._derived = Listed()
        self._warnings = Listed()
        self.figures: dict[str, int] = {}

    def fatal(self, text: str) -> None:
        self._fatal.add(text)

    def derived(self, text: str) -> None:
        self._derived.add(text)

    def warn(self, text: str) -> None:
        self._warnings.add(text)

    def followed_by(self, other: "Findings") -> "Findings":
        """Both together, these first."""
        for ours, theirs in zip(self._lists(), other._lists(), strict=True):
            ours.extend(theirs)
        self.figures |= other.figures
        return self

    def _lists(self) -> tuple[Listed, Listed, Listed]:
        return self._fatal, self._derived, self._warnings

    @property
    def sound(self) -> bool:
        """No fatal problem."""
        return not self._fatal.count

    @property
    def repairable(self) -> bool:
        return bool(self._derived.count)

    @property
    def fatal_count(self) -> int:
        return self._fatal.count

    @property
    def worst(self) -> str:
        """The first fatal problem, without what helps."""
        return self._fatal.first[0]

    def problems(self) -> list[str]:
        """Fatal ones first, then the derived ones, each with what helps; what is over the bound is only counted.

        Repair refuses a file with a fatal problem, so beside one a backup is the way out for the derived ones as well.
        """
        advice = REPAIRABLE if self.sound else BACKUP_NEEDED
        texts = [f"{text}; {advice}" for text in (*self._fatal.first, *self._derived.first)]
        return _bounded(texts, self._fatal.count + self._derived.count)

    def warnings(self) -> list[str]:
        return _bounded(self._warnings.first, self._warnings.count)


def apart(problem: str) -> tuple[str, str]:
    """A problem as reported, and what helps, which is empty where it says nothing of that."""
    text, _, advice = problem.rpartition("; ")
    return (text, advice) if advice in (BACKUP_NEEDED, REPAIRABLE) else (problem, "")


def _bounded(texts: Iterable[str], count: int) -> list[str]:
    listed = list(texts)[: limits.PROBLEMS_LISTED]
    return listed if len(listed) == count else [*listed, f"and {count - len(listed)} more"]


def rows(numbers: Iterator[tuple] | Iterable[tuple]) -> str:
    """Row numbers for a message: the first few, and how many there are."""
    found = [row[0] for row in numbers]
    shown = ", ".join(map(str, found[: limits.ROWS_NAMED]))
    return shown if len(found) <= limits.ROWS_NAMED else f"{shown} and {len(found) - limits.ROWS_NAMED} more"
