"""From operations and the present state to a delta: the facts to add and the facts to end (docs/writing.md)."""

from collections.abc import Callable
from typing import NamedTuple

from fgraph import errors
from fgraph.file.reader import Reader
from fgraph.file.rows import Fact
from fgraph.values.logical import REF, VECTOR, Stored
from fgraph.write import present
from fgraph.write.operations import Add, Describe, Operation, Remove, Swap, wording
from fgraph.write.present import Cell, Key

Many = Callable[[int], bool]


class Delta(NamedTuple):
    """What a transaction changes: assertions in input order, ended facts in the order in which they were ended."""

    added: list[Add]
    removed: list[Fact]


def plan(
    reader: Reader, operations: list[Operation], many: Many, is_new: Callable[[int], bool], name: Describe
) -> Delta:
    """Work the operations through, in order.

    `many` is the cardinality of an attribute after the transaction, `is_new` tells identities that this transaction
    creates, `name` describes an identity for messages. Raises `Conflict` for two values in a one-value cell and for a
    compare-and-set that does not match, `SchemaError` for one on a many-valued attribute.
    """
    working = Working(operations, many, name)
    _check_isolation(operations, name)
    _load(reader, working, operations, is_new)
    for operation in operations:
        if isinstance(operation, Add):
            working.add(operation)
        elif isinstance(operation, Swap):
            working.swap(operation)
        else:
            working.remove(operation)
    return Delta(list(working.added.values()), list(working.removed.values()))


def _check_isolation(operations: list[Operation], name: Describe) -> None:
    """`Conflict` when a cell under compare-and-set is touched by anything else in the transaction."""
    swapped = {(swap.e, swap.a): swap for swap in operations if isinstance(swap, Swap)}
    if not swapped:
        return
    owners = {entity for entity, _ in swapped}
    for operation in operations:
        mine = swapped.get((operation.e, operation.a))
        whole = operation.a is None and operation.e in owners
        if whole or (mine is not None and mine is not operation):
            raise errors.Conflict(
                f"{operation.where} touches a cell of {name(operation.e)} that a cas in this transaction compares",
                param=operation.where,
                hint="send it in a transaction of its own",
            )


def _load(reader: Reader, working: "Working", operations: list[Operation], is_new: Callable[[int], bool]) -> None:
    """Read the present state of everything the operations touch."""
    cells: list[Cell] = []
    exact: list[tuple] = []
    whole: list[int] = []
    for operation in operations:
        if is_new(operation.e) or operation.e < 0:
            continue
        value = None if isinstance(operation, Swap) else operation.value
        if operation.a is None:
            whole.append(operation.e)
        elif value is None or value.tag == VECTOR or not working.many[operation.a]:
            cells.append((operation.e, operation.a))
        else:
            exact.append((operation.e, operation.a, value.value, value.tag))
    for facts in (present.cells(reader, cells), present.exact(reader, exact), present.entities(reader, whole)):
        for fact in facts:
            working.know(fact)
    for fact in present.inbound(reader, whole):
        working.know(fact, target=fact.value.value)


class Working:
    """Committed facts plus the effects so far, indexed by cell, by entity and by reference target."""

    def __init__(self, operations: list[Operation], many: Many, name: Describe) -> None:
        attributes = {operation.a for operation in operations}
        self.many = {attribute: many(attribute) for attribute in attributes if attribute is not None}
        self.added: dict[tuple[Cell, Key], Add] = {}
        self.removed: dict[int, Fact] = {}
        self._name = name
        self._subjects = {operation.e for operation in operations}
        # The indexes by entity and by target serve the retraction of whole entities only.
        self._retracts_entities = None in attributes
        self._committed: dict[Cell, dict[Key, Fact]] = {}
        # Keys that were asserted for a cell; those that were cancelled since are not in `added`.
        self._pending: dict[Cell, list[Key]] = {}
        # The value that this transaction asserted for a one-value cell, whether or not it had to be written.
        self._chosen: dict[Cell, Stored] = {}
        self._cells_of: dict[int, dict[Cell, None]] = {}
        self._cells_to: dict[int, dict[Cell, None]] = {}

    def know(self, fact: Fact, target: int | None = None) -> None:
        """Take in one committed live fact; `target` is the entity it refers to, where that entity is retracted."""
        cell = (fact.e, fact.a)
        self._committed.setdefault(cell, {})[present.identity(fact.value)] = fact
        self._cells_of.setdefault(fact.e, {})[cell] = None
        if target is not None:
            self._cells_to.setdefault(target, {})[cell] = None

    def add(self, operation: Add) -> None:
        """Assert a fact; in a one-value cell it takes the place of the committed value."""
        value = operation.value
        cell, key = (operation.e, operation.a), value.key
        single = not self.many[operation.a]
        if single and self._chosen.setdefault(cell, value) != value:
            raise self._two_values(operation, self._chosen[cell])
        committed = self._committed.get(cell)
        if committed is not None:
            if single:
                self._end([fact for fact in self._live(cell) if present.identity(fact.value) != key])
            if key in committed:
                self.removed.pop(committed[key].id, None)
                return
        if (cell, key) not in self.added:
            self._put(cell, key, operation)

    def swap(self, operation: Swap) -> None:
        """Compare the cell with the expected value, then change it."""
        cell = (operation.e, operation.a)
        if self.many[operation.a]:
            raise many_valued(operation, self._name)
        live = self._live(cell)
        if len(live) > 1:
            raise errors.FormatError(
                f"the one-value attribute {self._name(operation.a)} of {self._name(operation.e)} holds several values",
                hint="run doctor, and restore a backup",
            )
        current = live[0] if live else None
        if (None if current is None else present.identity(current.value)) != (operation.old and operation.old.key):
            raise self._mismatch(operation, current)
        if operation.new is not None and operation.old is not None and operation.new.key == operation.old.key:
            return
        self._end(live)
        if operation.new is not None:
            self._put(cell, operation.new.key, Add(*cell, operation.new, operation.where, operation.refused))

    def remove(self, operation: Remove) -> None:
        """Retract a fact, a cell, or an entity with the references to it."""
        if operation.a is None:
            self._remove_entity(operation.e)
            return
        cell = (operation.e, operation.a)
        self._end(self._live(cell, operation.value))
        self._cancel(cell, operation.value)

    def _remove_entity(self, entity: int) -> None:
        own = self._cells_of.get(entity, NONE)
        to = Stored(REF, entity)
        to_it = self._cells_to.get(entity, NONE)
        pointing = [fact for cell in to_it if cell[0] != entity for fact in self._live(cell, to)]
        near = [fact for fact in pointing if fact.e in self._subjects]
        self._end([*(fact for cell in own for fact in self._live(cell)), *near])
        self._end([fact for fact in pointing if fact.e not in self._subjects])
        for cell in own:
            self._cancel(cell)
        for cell in to_it:
            self._cancel(cell, to)

    def _live(self, cell: Cell, value: Stored | None = None) -> list[Fact]:
        """The committed facts of a cell that still stand, or the one with this value."""
        facts = self._committed.get(cell, NONE)
        found = facts.values() if value is None else filter(None, (facts.get(value.key),))
        return [fact for fact in found if fact.id not in self.removed]

    def _end(self, facts: list[Fact]) -> None:
        self.removed.update((fact.id, fact) for fact in sorted(facts))

    def _put(self, cell: Cell, key: Key, operation: Add) -> None:
        self.added[(cell, key)] = operation
        self._pending.setdefault(cell, []).append(key)
        if self._retracts_entities:
            self._cells_of.setdefault(cell[0], {})[cell] = None
            if key[0] == REF:
                self._cells_to.setdefault(key[1], {})[cell] = None

    def _cancel(self, cell: Cell, value: Stored | None = None) -> None:
        """Take back what this transaction asserted for a cell, or one value of it; the cell is free again."""
        for key in self._pending.pop(cell, ()) if value is None else (value.key,):
            self.added.pop((cell, key), None)
        chosen = self._chosen.get(cell)
        if chosen is not None and (value is None or chosen.key == value.key):
            del self._chosen[cell]

    def _two_values(self, operation: Add, chosen: Stored) -> errors.Conflict:
        attribute = self._name(operation.a)
        return errors.Conflict(
            f"{operation.where}: {wording(chosen, self._name)} and {wording(operation.value, self._name)} for the "
            f"one-value attribute {attribute} of {self._name(operation.e)} in one transaction",
            param=operation.where,
            hint=f"send one of them, or declare {attribute} many",
        )

    def _mismatch(self, operation: Swap, current: Fact | None) -> errors.Conflict:
        expected = "no value" if operation.old is None else wording(operation.old, self._name)
        holds = "no value" if current is None else wording(current.value, self._name)
        return errors.Conflict(
            f"{operation.where}: cas expected {expected} as {self._name(operation.a)} of {self._name(operation.e)}, "
            f"which holds {holds}",
            param=operation.where,
            hint="read the entity again and decide anew",
        )


NONE: dict = {}


def many_valued(operation: Swap, name: Describe) -> errors.SchemaError:
    """The error for a compare-and-set where one value cannot be meant."""
    return errors.SchemaError(
        f"{operation.where}: a cas needs a one-value attribute, and {name(operation.a)} is many-valued",
        param=operation.where,
        hint="assert and retract single values instead",
    )
