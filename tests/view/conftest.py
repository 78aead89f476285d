"""Small databases and the pages made of them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import fgraph
from fgraph.view import gather, page
from fgraph.view.bounds import Bounds

START = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z, genesis; each transaction is one second later
DATA = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.DOTALL)


class Page:
    """The text of a page, and its data block by name."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.data = json.loads(DATA.search(text)[1])
        self.attributes = [name for name, _, _ in self.data["attributes"]]

    @property
    def entities(self) -> dict:
        """Entity rows by name, or by id where there is none."""
        return {row[1] or row[0]: row for row in self.data["entities"]}

    def present(self, name: object) -> list[tuple]:
        """(attribute, value) of the present facts of an entity."""
        return [(self.attributes[fact[0]], fact[2]) for fact in self.entities[name][3]]

    def ended(self, name: object) -> list[tuple]:
        """(attribute, value, first transaction, ending transaction) of its ended facts."""
        return [(self.attributes[fact[0]], fact[2], fact[3], fact[4]) for fact in self.entities[name][5]]

    def contested(self) -> dict[tuple, list[str]]:
        """Reasons by (entity, attribute)."""
        names = {row[0]: row[1] for row in [*self.data["entities"], *self.data["names"]]}
        return {
            (names[cell["e"]], self.attributes[cell["a"]]): cell["reasons"] for cell in self.data["contested"]
        }

    def transaction(self, tx: int) -> dict:
        return next(item for item in self.data["transactions"] if item["tx"] == tx)


@pytest.fixture
def db() -> fgraph.Db:
    """An empty database in memory, with a clock that moves one second a transaction."""
    with fgraph.connect(":memory:", clock=START) as made:
        yield made


@pytest.fixture
def page_of() -> Callable[..., Page]:
    """The page of a database, or of a view of one."""

    def made(db: fgraph.Db, **bounds: int) -> Page:
        with db._store.reading() as reader:
            return Page(page.document(gather.gather(reader, Bounds(**bounds))))

    return made


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., dict]:
    """Writes the page of a database to a file in `tmp_path`."""

    def written(db: fgraph.Db, name: str = "memory.html", **bounds: int) -> dict:
        with db._store.reading() as reader:
            return page.write(reader, str(tmp_path / name), Bounds(**bounds))

    return written
