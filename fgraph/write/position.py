"""The schema as it stands at a place of the input: committed declarations plus those made earlier in the request."""

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.schema.declarations import FIELDS, NOTHING, Declarations, Declared, plain
from fgraph.schema.shapes import DEFINITION
from fgraph.values.logical import VECTOR, Stored
from fgraph.write.operations import Describe, wording

AUDIT = (genesis.EXCISED, genesis.UNDOES, genesis.IMPORTED_AT)
DECLARING = tuple(number for number in genesis.DECLARATIONS if number != genesis.DOC)


class Position:
    """Declarations that change while the input is read."""

    def __init__(self, committed: Declarations) -> None:
        self._committed = committed
        self._changed: dict[int, Declared] = {}
        self._uniques = set(committed.uniques)

    def of(self, attribute: int) -> Declared:
        found = self._changed.get(attribute) if self._changed else None
        return self._committed.of(attribute) if found is None else found

    @property
    def uniques(self) -> set[int]:
        """The attributes that are unique here."""
        return self._uniques

    def asserted(self, entity: int, attribute: int, value: Stored) -> None:
        """Take in an assertion; only declarations matter."""
        if attribute in FIELDS:
            self._set(entity, attribute, plain(value.tag, value.value, value.payload))

    def retracted(self, entity: int, attribute: int | None, value: Stored | None) -> None:
        """Take in a retraction of a value, of a cell or of a whole entity; only declarations matter."""
        if attribute is None:
            if self.of(entity) is not NOTHING:
                self._changed[entity] = NOTHING
                self._uniques.discard(entity)
        elif attribute in FIELDS:
            current = getattr(self.of(entity), FIELDS[attribute])
            if value is None or plain(value.tag, value.value, value.payload) == current:
                self._set(entity, attribute, None)

    def refuses(self, attribute: int, value: Stored) -> bool:
        """Whether the schema here does not take this value."""
        declared = self.of(attribute)
        return declared is not NOTHING and not fits(declared, value)

    def _set(self, entity: int, field: int, value: object) -> None:
        self._changed[entity] = self.of(entity)._replace(**{FIELDS[field]: value})
        if field == genesis.UNIQUE:
            (self._uniques.add if value else self._uniques.discard)(entity)


def fits(declared: Declared, value: Stored) -> bool:
    """Whether a value has the declared type and, for vectors, the declared length."""
    if declared.type is not None and declared.type != value.type:
        return False
    return value.tag != VECTOR or declared.dims is None or declared.dims * 4 == len(value.payload)


def mismatch(name: str, declared: Declared, value: Stored, describe: Describe) -> str:
    """The sentence that says why a value does not fit."""
    if declared.type is not None and declared.type != value.type:
        return f"{name} takes values of type {declared.type}, not the {value.type} {wording(value, describe)}"
    return f"{name} takes vectors of {declared.dims} numbers, not one of {len(value.payload) // 4}"


def check_direct(attribute: int, subject_name: str | None, value: Stored, where: str) -> None:
    """`SchemaError` for reserved system attributes and impossible declarations, in direct writes."""
    if attribute >= genesis.GENESIS_TX:
        return
    if attribute in AUDIT:
        raise errors.SchemaError(
            f"{where}: {genesis.SYSTEM[attribute][0]} is written by fgraph itself", param=where, hint="leave it out"
        )
    if attribute in DECLARING:
        _check_declaration(attribute, subject_name, value, where)
    if attribute in DEFINITION and subject_name is None:
        raise errors.SchemaError(f"{where}: a shape needs a name", param=where, hint='give the record an "id"')


def _check_declaration(attribute: int, subject_name: str | None, value: Stored, where: str) -> None:
    field = genesis.SYSTEM[attribute][0]
    if not identities.is_attribute(subject_name):
        raise errors.SchemaError(
            f"{where}: {field} describes attributes, and {errors.quote(subject_name)} is no attribute name",
            param=where,
            hint="name the attribute as namespace/name",
        )
    if attribute == genesis.VECTOR_MODEL and value.text is not None and not value.text.strip():
        raise errors.SchemaError(f"{where}: the vector model is blank", param=where, hint="name the model")
