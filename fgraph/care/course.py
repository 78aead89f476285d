"""How far long work on a file has come: rows done, of the rows there are to do, told to a function."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from fgraph import errors
from fgraph.file import faults
from fgraph.file.reader import Reader

Progress = Callable[[int, int], object]
IDS, EVENTS, FACTS, BLOBS, TEXTS = "fgraph_ids", "fgraph_events", "fgraph_facts", "fgraph_blobs", "fgraph_fts_content"
TABLES = (IDS, EVENTS, FACTS, BLOBS, TEXTS)


def check_progress(progress: object) -> None:
    """`TypeError` unless it can be told something, or is None."""
    if progress is not None and not callable(progress):
        raise errors.TypeError(
            f"progress is {errors.quote(progress)}",
            param="progress",
            hint="give a function that takes what is done and what there is in all",
        )


class Course:
    """Counts the rows of tables as they are gone through; each passage through a table counts its rows once more.

    `rows` says how many each has, and may be empty where nobody is told.
    """

    def __init__(self, rows: Mapping[str, int], progress: Progress | None = None) -> None:
        self._progress = progress
        self._rows = rows
        self.total = 0
        self._done = 0
        self._end = 0
        self._aside: Course | None = None

    def expect(self, *tables: str) -> None:
        """Announce one passage through each of these tables, before any begins."""
        self.total += self._sum(tables)

    def aside(self) -> "Course":
        """The course of work in another thread, which counts here as well; only this thread tells of it."""
        self._aside = Course(self._rows)
        return self._aside

    @contextmanager
    def through(self, *tables: str) -> Iterator[None]:
        """One passage through these tables; rows that were not counted one by one are done at its end."""
        self._end = self._done + self._sum(tables)
        try:
            yield
        finally:
            self._done = self._end
        self.tell()

    def advance(self, rows: int) -> None:
        """Some rows of the present passage are done."""
        self._done = min(self._done + rows, self._end)
        self.tell()

    def tell(self) -> None:
        """Say how far it is, once more."""
        if self._progress is not None:
            beside = 0 if self._aside is None else self._aside._done
            self._progress(min(self._done + beside, self.total), self.total)

    def _sum(self, tables: tuple[str, ...]) -> int:
        return sum(self._rows.get(name, 0) for name in tables)


def rows_of(reader: Reader, progress: Progress | None) -> dict[str, int]:
    """The rows of each table, for a course; not counted where nobody is told."""
    return {} if progress is None else {table: _rows(reader, table) for table in TABLES}


def _rows(reader: Reader, table: str) -> int:
    """The rows of a table; none where it is damaged, which is for the checks to say."""
    try:
        return reader.fetch(f"SELECT count(*) FROM {table}")[0][0]
    except sqlite3.DatabaseError as fault:
        if faults.is_interrupt(fault):
            raise
        return 0
