"""Is the state after the transaction allowed: value types, uniqueness, and changed declarations (docs/modeling.md)."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from fgraph import errors
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.schema.declarations import FIELDS, Declarations, Declared, declarations, plain
from fgraph.values.logical import TYPES, Stored
from fgraph.write import effects, present
from fgraph.write.effects import Delta
from fgraph.write.operations import Add, Operation, Remove, Swap
from fgraph.write.position import fits, mismatch


class Outcome(NamedTuple):
    """A delta with the declarations before and after it, and what is needed to judge it."""

    reader: Reader
    delta: Delta
    before: Declarations
    after: Declarations
    changed: set[int]
    name: Callable[[int], str]
    plain_name: Callable[[int], str | None]
    direct: bool

    def facts_of(self, attribute: int) -> Iterator[tuple[int, Stored, bool]]:
        """(entity, value, asserted now) of every live fact of an attribute after the transaction."""
        removed = {fact.id for fact in self.delta.removed}
        for fact in present.of_attribute(self.reader, attribute):
            if fact.id not in removed:
                yield fact.e, fact.value, False
        for add in self.delta.added:
            if add.a == attribute:
                yield add.e, add.value, True


def final_many(reader: Reader, operations: list[Operation], is_new: Callable[[int], bool]) -> Callable[[int], bool]:
    """The cardinality of attributes after all declarations of the request, wherever they stand."""
    committed = declarations(reader)
    schema = [operation for operation in operations if _declares(operation)]
    if not schema:
        return committed.many
    delta = effects.plan(reader, schema, lambda attribute: attribute in genesis.MANY_VALUED, is_new, str)
    return committed.changed(_declared_changes(delta)).many


def outcome(
    reader: Reader,
    delta: Delta,
    name: Callable[[int], str],
    plain_name: Callable[[int], str | None],
    *,
    direct: bool,
) -> Outcome:
    """The delta with the schema around it.

    `name` describes an identity in messages, `plain_name` gives its name or None. `direct` is off in replay.
    """
    before = declarations(reader)
    changes = list(_declared_changes(delta))
    after = before.changed(changes) if changes else before
    return Outcome(reader, delta, before, after, {entity for entity, _, _ in changes}, name, plain_name, direct)


def check(result: Outcome, operations: list[Operation]) -> None:
    """Raise unless the final state obeys the final declarations."""
    _check_values(result, operations)
    _check_unique(result)
    for attribute in sorted(result.changed):
        _check_declaration(result, attribute)


def _declares(operation: Operation) -> bool:
    if isinstance(operation, Swap):
        return False
    return operation.a is None or operation.a in FIELDS


def _declared_changes(delta: Delta) -> Iterator[tuple[int, int, object]]:
    """(entity, declaration attribute, value or None) in an order in which the last word counts."""
    for fact in delta.removed:
        if fact.a in FIELDS:
            yield fact.e, fact.a, None
    for add in delta.added:
        if add.a in FIELDS:
            yield add.e, add.a, plain(add.value.tag, add.value.value, add.value.payload)


def _check_values(result: Outcome, operations: list[Operation]) -> None:
    """Every asserted value must fit the final declaration of its attribute."""
    for operation in operations:
        if isinstance(operation, Remove):
            continue
        value = operation.value if isinstance(operation, Add) else operation.new
        if value is None:
            continue
        declared = result.after.of(operation.a)
        if declared.type is None and declared.dims is None or fits(declared, value):
            continue
        fault = errors.TypeError if operation.refused else errors.SchemaError
        raise fault(
            f"{operation.where}: {mismatch(result.name(operation.a), declared, value)}",
            param=operation.where,
            hint="write the value in the declared type, or change the declaration",
        )


def _check_unique(result: Outcome) -> None:
    """No value of a unique attribute on two entities, as far as this transaction asserted one of them."""
    owners: dict[tuple[int, int, object], Add] = {}
    for add in result.delta.added:
        if result.after.unique(add.a):
            triple = (add.a, add.value.tag, add.value.value)
            other = owners.setdefault(triple, add)
            if other.e != add.e:
                raise _taken(result, add, other.e)
    removed = {fact.id for fact in result.delta.removed}
    for fact in sorted(present.holders(result.reader, owners)):
        add = owners[(fact.a, fact.value.tag, fact.value.value)]
        if fact.id not in removed and fact.e != add.e:
            raise _taken(result, add, fact.e)


def _taken(result: Outcome, add: Add, owner: int) -> errors.Conflict:
    return errors.Conflict(
        f"{add.where}: this value of {result.name(add.a)}, which is unique, belongs to {result.name(owner)}",
        param=add.where,
        hint=f"write about {result.name(owner)}, or choose another value",
    )


def _check_declaration(result: Outcome, attribute: int) -> None:
    """The rules among the declarations of one attribute, and its live values against them."""
    declared, name = result.after.of(attribute), result.name(attribute)
    if declared == result.before.of(attribute):
        return
    for broken, why in _rules(declared):
        if broken:
            raise errors.SchemaError(f"{name}: {why}", param=name, hint="change the declarations together")
    if declared._replace(doc=None, nohistory=None) != result.before.of(attribute)._replace(doc=None, nohistory=None):
        _check_live(result, attribute, declared)


def _rules(declared: Declared) -> list[tuple[bool, str]]:
    """Pairs of (is broken, sentence)."""
    kind = declared.type
    return [
        (
            kind is not None and kind not in TYPES,
            f"{errors.quote(kind)} is not a type; use one of {', '.join(sorted(TYPES))}",
        ),
        (declared.dims is not None and declared.dims <= 0, f"dims is {declared.dims}, and must be 1 or more"),
        (declared.dims is not None and kind != "vector", "dims needs the type vector"),
        (declared.vector_model is not None and kind != "vector", "vector_model needs the type vector"),
        (bool(declared.unique) and kind in (None, "json", "vector"), "unique needs a type other than json and vector"),
    ]


def _check_live(result: Outcome, attribute: int, declared: Declared) -> None:
    name = result.name(attribute)
    holders: dict[int, Stored] = {}
    owners: dict[tuple[int, object], int] = {}
    for entity, value, _ in result.facts_of(attribute):
        if not fits(declared, value):
            raise errors.SchemaError(
                f"{mismatch(name, declared, value)}, and {result.name(entity)} holds such a value",
                param=name,
                hint="retract or convert the values first",
            )
        if not declared.many and holders.setdefault(entity, value) is not value:
            raise errors.SchemaError(
                f"{result.name(entity)} holds several values of {name}, so it cannot take one value only",
                param=name,
                hint="retract the others in the same transaction",
            )
        if declared.unique and owners.setdefault(value.key, entity) != entity:
            raise errors.SchemaError(
                f"{result.name(entity)} and {result.name(owners[value.key])} hold the same value of {name}",
                param=name,
                hint="make the values differ before declaring it unique",
            )
