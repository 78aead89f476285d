"""Temporary tables of one query: sets that are built step by step, or read too often to be computed anew."""

from collections.abc import Mapping

from fgraph.datalog.meter import Meter
from fgraph.file.reader import Reader

TABLE_PREFIX = "temp."


class Tables:
    """Creates tables in the connection's temporary database, and drops them at the end of the query."""

    def __init__(self, reader: Reader, meter: Meter) -> None:
        self._connection = reader.connection
        self._meter = meter
        self._names: list[str] = []
        self._was_query_only = False

    @property
    def used(self) -> bool:
        """Whether the query needed any table."""
        return bool(self._names)

    def create(self, columns: list[str], unique: bool = False) -> str:
        """A new table with a position and these columns; `unique` lets it hold each row once."""
        if not self._names:
            self._allow_writing()
        name = f"{TABLE_PREFIX}fgraph_rows{len(self._names)}"
        self._names.append(name)
        listed = ", ".join(["pos INTEGER PRIMARY KEY", *columns])
        once = f", UNIQUE ({', '.join(columns)})" if unique else ""
        self._connection.execute(f"DROP TABLE IF EXISTS {name}")
        self._connection.execute(f"CREATE TABLE {name} ({listed}{once})")
        if unique:
            for column in columns[2::2]:  # the first value leads the constraint's own index
                bare = name.removeprefix(TABLE_PREFIX)
                self._connection.execute(f"CREATE INDEX {name}_{column} ON {bare} ({column})")
        return name

    def insert(self, name: str, columns: list[str], select: str, parameters: Mapping, before: str = "") -> None:
        """Add the rows of a SELECT that are not there yet, in its order; `before` is its WITH clause."""
        self._meter.execute(f"{before}INSERT OR IGNORE INTO {name} ({', '.join(columns)})\n{select}", parameters)

    def last(self, name: str) -> int:
        """The position of the newest row."""
        return self._connection.execute(f"SELECT ifnull(max(pos), 0) FROM {name}").fetchone()[0]

    def drop(self) -> None:
        """Remove all tables."""
        for name in self._names:
            self._connection.execute(f"DROP TABLE IF EXISTS {name}")
        if self._was_query_only:
            self._connection.execute("PRAGMA query_only = ON")
        self._names.clear()

    def _allow_writing(self) -> None:
        # The switch covers temporary tables as well; the file itself stays guarded by its open mode.
        self._was_query_only = bool(self._connection.execute("PRAGMA query_only").fetchone()[0])
        if self._was_query_only:
            self._connection.execute("PRAGMA query_only = OFF")
