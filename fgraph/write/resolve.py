"""From records and operations to normalised operations: selectors become identities, values their stored form."""

from fgraph import errors, limits
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.read import selectors
from fgraph.schema.declarations import declarations
from fgraph.values import logical
from fgraph.values.logical import VECTOR, Stored
from fgraph.write import position
from fgraph.write.allocation import Allocation
from fgraph.write.committed import Committed, Triple
from fgraph.write.operations import TX, Add, Operation, Remove, Swap
from fgraph.write.position import Position
from fgraph.write.request import Item

ATTRIBUTE_FORM = "write the attribute as namespace/name"
INFERRED_TYPE = logical.encode_text("vector")


class Resolver:
    """Reads the input once, in order, and collects `operations` and new identities.

    Lookups and owners of unique values are looked for in the committed state; names and tempids also in what came
    earlier in the input. With `direct` off (replay) reserved system attributes may be written.
    """

    def __init__(self, reader: Reader, start: int, *, direct: bool = True) -> None:
        self.reader = reader
        self.allocation = Allocation(reader.store.registry, start)
        self.position = Position(declarations(reader))
        self.operations: list[Operation] = []
        self.direct = direct
        self._attributes: dict[str, int] = {}
        self._subjects: set[int] = {TX}
        self.committed = Committed(reader)
        # Owners of unique values asserted so far, for upserts.
        self._owners: dict[Triple, int] = {}

    # -- operations ---------------------------------------------------------------------------------------------------

    def operation(self, item: Item) -> None:
        """Take in one assert, retract or compare-and-set."""
        {"assert": self._assert, "retract": self._retract, "cas": self._cas}[item.operation](*item.content, item.where)

    def _assert(self, selector: object, attribute: object, wire: object, where: str) -> None:
        entity = self.entity(selector, where)
        self.guard(entity, where)
        number = self.attribute(attribute, where)
        self.add(entity, number, self.value(wire, str(attribute)), where)

    def _retract(self, selector: object, *rest: object) -> None:
        *arguments, where = rest
        entity = self._retracted_entity(selector, where)
        if entity is None:
            return
        self.guard(entity, where)
        number, value = None, None
        if arguments:
            number = self._known_attribute(arguments[0], where)
            if number is None:
                return
        if len(arguments) == 2:
            value = logical.encode_value(arguments[1], lambda inner: self.existing(inner, where), where)
            self._check_kind(str(arguments[0]), number, value, where)
        self.remove(entity, number, value, where)

    def _cas(self, selector: object, attribute: object, old: object, new: object, where: str) -> None:
        entity = self.existing(selector, where)
        self.guard(entity, where)
        if not isinstance(attribute, str):
            raise errors.TypeError(
                f"{where}: the attribute is {errors.quote(attribute)}, not text", param=where, hint=ATTRIBUTE_FORM
            )
        identities.check_attribute(attribute, where)
        number = self.allocation.committed(attribute)
        if number is None:
            raise errors.NotFound(
                f"{where}: attribute {attribute} does not exist",
                param=where,
                code="unknown_attribute",
                hint="assert the first value instead",
            )
        before = self._side(old, lambda inner: self.existing(inner, where), where)
        if before is not None:
            self._check_kind(attribute, number, before, where)
        after = self._side(new, lambda inner: self.reference(inner, attribute), attribute)
        refused = after is not None and self._prepare(entity, number, after, where)
        self.operations.append(Swap(entity, number, before, after, where, refused))

    def _side(self, wire: object, resolve: logical.Resolve, where: str) -> Stored | None:
        """One side of a compare-and-set; None for `{"missing": true}`."""
        if logical.is_single(wire, "missing"):
            if wire["missing"] is True:
                return None
            raise errors.TypeError(
                f"{where}: missing is {errors.quote(wire['missing'])}", param=where, hint='write {"missing": true}'
            )
        return logical.encode_value(wire, resolve, where)

    # -- what the operations are made of ------------------------------------------------------------------------------

    def add(self, entity: int, attribute: int, value: Stored, where: str) -> None:
        """Assert one fact, after the declarations that a first vector brings along."""
        refused = self._prepare(entity, attribute, value, where)
        self.operations.append(Add(entity, attribute, value, where, refused))
        if attribute in self.position.uniques:
            self._owners.setdefault((attribute, value.tag, value.value), entity)

    def remove(self, entity: int, attribute: int | None, value: Stored | None, where: str) -> None:
        """Retract a fact, a cell or an entity."""
        self.position.retracted(entity, attribute, value)
        self.operations.append(Remove(entity, attribute, value, where))

    def _prepare(self, entity: int, attribute: int, value: Stored, where: str) -> bool:
        """Checks and inferences before an assertion; tells whether the schema here refuses the value."""
        if value.tag == VECTOR:
            self._infer_vector(attribute, len(value.payload) // 4, where)
        refused = self.position.refuses(attribute, value)
        if attribute < genesis.GENESIS_TX:
            if self.direct:
                position.check_direct(attribute, self.name_of(entity), value, where)
            if not refused:
                self.position.asserted(entity, attribute, value)
        return refused

    def _infer_vector(self, attribute: int, dims: int, where: str) -> None:
        declared = self.position.of(attribute)
        if declared.type is None:
            self._declare(attribute, genesis.TYPE, INFERRED_TYPE, where)
        if declared.type in (None, "vector") and declared.dims is None:
            self._declare(attribute, genesis.DIMS, Stored(logical.INT, dims), where)

    def _declare(self, attribute: int, field: int, value: Stored, where: str) -> None:
        self.position.asserted(attribute, field, value)
        self.operations.append(Add(attribute, field, value, where))

    def value(self, wire: object, where: str) -> Stored:
        """The stored form of an asserted value; references may create names."""
        if type(wire) is str:
            return logical.encode_text(wire, where)
        return logical.encode_value(wire, lambda inner: self.reference(inner, where), where)

    def owners(self, attribute: int, value: Stored) -> set[int]:
        """Who holds a unique value: the committed owner, and whoever it was asserted for earlier in the input."""
        found = {self._owners.get((attribute, value.tag, value.value))}
        if not self.allocation.is_new(attribute):
            found.add(self.committed.owner(attribute, value))
        return found - {None}

    def _check_kind(self, name: str, attribute: int, value: Stored, where: str) -> None:
        if self.position.refuses(attribute, value):
            declared = self.position.of(attribute)
            why = position.mismatch(name, declared, value, lambda number: errors.quote(self.reader.label(number)))
            raise errors.TypeError(f"{where}: {why}", param=where, hint="write the value in the declared type")

    # -- selectors ----------------------------------------------------------------------------------------------------

    def entity(self, selector: object, where: str) -> int:
        """The subject of an assertion: unknown names are created, tempids allocate."""
        if isinstance(selector, str):
            return self.allocation.name(selector, where)
        if logical.is_single(selector, "tmp"):
            token = check_token(selector["tmp"], where)
            number = self.allocation.tokens.get(token)
            return self.allocation.bind(token, self.allocation.anonymous()) if number is None else number
        return self.committed.resolve(selector, where, self.allocation.start)

    # A reference in an asserted value follows the same rules as a subject, without the guard.
    reference = entity

    def existing(self, selector: object, where: str) -> int:
        """What must exist before this transaction: the subject of a CAS, a value to retract or to compare with."""
        if isinstance(selector, str):
            number = self.allocation.committed(selector)
            if number is None:
                raise selectors.not_found(selector, where)
            return number
        if logical.is_single(selector, "tmp"):
            raise errors.TypeError(
                f"{where}: a tempid names nothing that could be compared or retracted",
                param=where,
                hint="name an entity that exists",
            )
        return self.committed.resolve(selector, where, self.allocation.start)

    def _retracted_entity(self, selector: object, where: str) -> int | None:
        """The subject of a retraction; None when there is nothing that could be retracted."""
        if isinstance(selector, str):
            return self.allocation.id_of(selector)
        if logical.is_single(selector, "tmp"):
            return self.allocation.tokens.get(check_token(selector["tmp"], where))
        return self.committed.resolve(selector, where, self.allocation.start)

    def attribute(self, name: object, where: str) -> int:
        """The id of an attribute name, created where it is new."""
        number = self._attributes.get(name) if isinstance(name, str) else None
        if number is None:
            number = self.allocation.name(identities.check_attribute(name, where), where)
            self._attributes[name] = number
        return number

    def _known_attribute(self, name: object, where: str) -> int | None:
        if not isinstance(name, str):
            raise errors.SchemaError(
                f"{where}: the attribute is {errors.quote(name)}, not text", param=where, hint=ATTRIBUTE_FORM
            )
        return self.allocation.id_of(name)

    def guard(self, entity: int, where: str) -> None:
        """`Unsupported` when the subject is a system entity or a transaction."""
        if entity in self._subjects or self.allocation.is_new(entity):
            return
        if entity <= limits.GENESIS_TX or self._is_transaction(entity):
            raise errors.Unsupported(
                f"{where}: {errors.quote(self.reader.label(entity))} is a system or transaction entity",
                param=where,
                hint="facts about a transaction are given with the tx option of the write that makes it",
            )
        self._subjects.add(entity)

    def _is_transaction(self, entity: int) -> bool:
        identity = self.reader.store.registry.by_id(entity)
        return identity is not None and identity.created_tx == entity

    def name_of(self, entity: int) -> str | None:
        """The name of a subject, committed or new."""
        if self.allocation.is_new(entity):
            return self.allocation.created[entity - self.allocation.start].name
        found = self.reader.store.registry.by_id(entity)
        return None if found is None else found.name


def check_token(token: object, where: str) -> str:
    """The token of a tempid; `TypeError` unless it is non-empty text."""
    if not isinstance(token, str) or not token:
        raise errors.TypeError(
            f"{where}: the tempid {errors.quote(token)} is not a non-empty text", param=where, hint='write {"tmp": "a"}'
        )
    return token
