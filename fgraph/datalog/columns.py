"""How a set of rows is spelled in SQL: a column for each value, and one for its type tag where that can differ."""

from collections.abc import Iterable

from fgraph.datalog.sql import Cell, typed_cell

Tags = frozenset[int]


def expressions(cells: Iterable[Cell], tags: Iterable[Tags]) -> list[str]:
    """What fills the columns of a set whose values have these tags; never none."""
    texts = []
    for cell, its in zip(cells, tags, strict=True):
        texts += [cell.value] if len(its) == 1 else [cell.value, cell.tag]
    return texts or ["1"]


def names(tags: Iterable[Tags]) -> list[str]:
    """The names of these columns."""
    found = []
    for number, its in enumerate(tags):
        found += [f"v{number}"] if len(its) == 1 else [f"v{number}", f"t{number}"]
    return found or ["v0"]


def spelled(cells: Iterable[Cell], tags: Iterable[Tags]) -> list[str]:
    """These columns in a SELECT."""
    tags = list(tags)
    return [f"{text} AS {name}" for text, name in zip(expressions(cells, tags), names(tags), strict=True)]


def nothing(tags: Iterable[Tags]) -> str:
    """A SELECT of these columns without a row."""
    return f"SELECT {', '.join(f'NULL AS {name}' for name in names(tags))}\nWHERE 0"


def read(alias: str, tags: Iterable[Tags]) -> list[Cell]:
    """The cells of a set that is read under an alias."""
    return [typed_cell(f"{alias}.v{number}", f"{alias}.t{number}", its) for number, its in enumerate(tags)]
