"""What is declared about each attribute at a basis, and what follows from it (docs/modeling.md)."""

from collections.abc import Iterable
from typing import NamedTuple

from fgraph.file import genesis, rows
from fgraph.file.reader import Reader
from fgraph.values import logical

FIELDS = {
    genesis.TYPE: "type",
    genesis.MANY: "many",
    genesis.UNIQUE: "unique",
    genesis.NOHISTORY: "nohistory",
    genesis.DIMS: "dims",
    genesis.DOC: "doc",
    genesis.VECTOR_MODEL: "vector_model",
}


class Declared(NamedTuple):
    """The declarations of one attribute; None where nothing is declared."""

    type: str | None = None
    many: bool | None = None
    unique: bool | None = None
    nohistory: bool | None = None
    dims: int | None = None
    doc: str | None = None
    vector_model: str | None = None

    @property
    def deletes_history(self) -> bool:
        """Whether ended facts are deleted: as declared, else for vectors."""
        return self.nohistory if self.nohistory is not None else self.type == "vector" or self.dims is not None

    def effective(self) -> dict:
        """Every field with its default filled in."""
        return {
            "type": self.type,
            "many": bool(self.many),
            "unique": bool(self.unique),
            "nohistory": self.deletes_history,
            "dims": self.dims,
            "doc": self.doc,
            "vector_model": self.vector_model,
        }

    def fields(self) -> dict:
        """Only the fields that are declared."""
        return {name: value for name, value in self._asdict().items() if value is not None}


NOTHING = Declared()


class Declarations:
    """The declarations of all attributes at one basis."""

    __slots__ = ("_by_id", "uniques")

    def __init__(self, by_id: dict[int, Declared]) -> None:
        self._by_id = by_id
        self.uniques = frozenset(number for number, declared in by_id.items() if declared.unique)

    def of(self, attribute: int) -> Declared:
        return self._by_id.get(attribute, NOTHING)

    def many(self, attribute: int) -> bool:
        return bool(self.of(attribute).many)

    def unique(self, attribute: int) -> bool:
        return bool(self.of(attribute).unique)

    def type_of(self, attribute: int) -> str | None:
        return self.of(attribute).type

    def nohistory(self, attribute: int) -> bool:
        return self.of(attribute).deletes_history

    def declared_ids(self) -> Iterable[int]:
        """Every entity that has a declaration."""
        return self._by_id.keys()

    def changed(self, facts: Iterable[tuple[int, int, object]]) -> "Declarations":
        """A copy with (entity, declaration attribute, value or None) set; None takes a declaration away."""
        by_id = dict(self._by_id)
        for entity, field, value in facts:
            by_id[entity] = by_id.get(entity, NOTHING)._replace(**{FIELDS[field]: value})
        return Declarations(by_id)


def declarations(reader: Reader) -> Declarations:
    """The declarations visible at the reader's basis."""
    key = KEY if reader.live else (KEY, reader.basis)
    return reader.store.memo(key, lambda: _load(reader))


KEY = "declarations"


def _load(reader: Reader) -> Declarations:
    by_id: dict[int, dict[str, object]] = {}
    fields = ",".join(map(str, FIELDS))
    sql = f"""
        SELECT f.e, f.a, f.t, f.v, b.data
        FROM fgraph_facts f INDEXED BY fgraph_avet
        {rows.BLOB_JOIN}
        WHERE f.a IN ({fields}) AND {reader.visible("f")}
        ORDER BY f.id
    """
    for entity, attribute, tag, value, blob in reader.fetch(sql):
        by_id.setdefault(entity, {})[FIELDS[attribute]] = plain(tag, value, blob)
    return Declarations({entity: Declared(**fields) for entity, fields in by_id.items()})


def plain(tag: int, value: object, blob: object) -> object:
    """A declared value as a Python object."""
    return logical.render(tag, value, blob, lambda number: number)
