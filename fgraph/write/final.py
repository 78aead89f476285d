"""Is the state after the transaction allowed: value types, uniqueness, and changed declarations (docs/modeling.md)."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from fgraph import errors
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.schema.declarations import FIELDS, NOTHING, Declarations, Declared, declarations, plain
from fgraph.values.logical import TYPES, Stored
from fgraph.write import effects, present
from fgraph.write.effects import Delta
from fgraph.write.operations import Add, Describe, Operation, Remove, Swap, wording
from fgraph.write.position import fits, mismatch


class Outcome(NamedTuple):
    """A delta with the declarations before and after it, and what is needed to judge it."""

    reader: Reader
    delta: Delta
    before: Declarations
    after: Declarations
    changed: set[int]
    removed: frozenset[int]
    is_new: Callable[[int], bool]
    name: Describe
    plain_name: Callable[[int], str | None]
    direct: bool


def intended(
    reader: Reader, operations: list[Operation], is_new: Callable[[int], bool], name: Describe
) -> Declarations:
    """The declarations after all those of the request, wherever they stand; those made by cas are left out."""
    committed = declarations(reader)
    fresh = {operation.e for operation in operations if operation.a in FIELDS}
    schema = [operation for operation in operations if _declares(operation, committed, fresh)]
    if not schema:
        return committed
    delta = effects.plan(reader, schema, lambda attribute: attribute in genesis.MANY_VALUED, is_new, name)
    return committed.changed(_declared_changes(delta))


def outcome(
    reader: Reader,
    delta: Delta,
    is_new: Callable[[int], bool],
    name: Describe,
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
    changed = {entity for entity, _, _ in changes if after.of(entity) != before.of(entity)}
    removed = frozenset(fact.id for fact in delta.removed)
    return Outcome(reader, delta, before, after, changed, removed, is_new, name, plain_name, direct)


def check_refused(operations: list[Operation], declared: Declarations, name: Describe) -> None:
    """`TypeError` for a value that neither the schema at its place of the input nor the intended one takes."""
    refused = [operation for operation in operations if not isinstance(operation, Remove) and operation.refused]
    # A cas may still change the declaration; then the values are judged once it is known to succeed.
    if refused and not any(isinstance(operation, Swap) and operation.a in FIELDS for operation in operations):
        check_values(refused, declared, name)


def check_values(operations: list[Operation], declared: Declarations, name: Describe) -> None:
    """Every asserted value must fit the declaration of its attribute; a cas needs one that is not many."""
    for operation in operations:
        if isinstance(operation, Remove):
            continue
        value = operation.new if isinstance(operation, Swap) else operation.value
        if isinstance(operation, Swap) and declared.many(operation.a):
            raise effects.many_valued(operation, name)
        its = declared.of(operation.a)
        if value is None or its.type is None and its.dims is None or fits(its, value):
            continue
        fault = errors.TypeError if operation.refused else errors.SchemaError
        raise fault(
            f"{operation.where}: {mismatch(name(operation.a), its, value, name)}",
            param=operation.where,
            hint="write the value in the declared type, or change the declaration",
        )


def check(result: Outcome) -> None:
    """Raise unless the final state obeys the final declarations."""
    _check_unique(result)
    changed = sorted(result.changed)
    for attribute in changed:
        _check_rules(result, attribute)
    stricter = [number for number in changed if _is_stricter(result.after.of(number), result.before.of(number))]
    for attribute, facts in _final_facts(result, stricter).items():
        _check_live(result, attribute, facts)


def _final_facts(result: Outcome, attributes: list[int]) -> dict[int, list[tuple[int, Stored]]]:
    """(entity, value) of the live facts of some attributes after the transaction."""
    found: dict[int, list[tuple[int, Stored]]] = {attribute: [] for attribute in attributes}
    committed = [attribute for attribute in attributes if not result.is_new(attribute)]
    for fact in present.of_attributes(result.reader, committed):
        if fact.id not in result.removed:
            found[fact.a].append((fact.e, fact.value))
    for add in result.delta.added if found else ():
        if add.a in found:
            found[add.a].append((add.e, add.value))
    return found


def _declares(operation: Operation, committed: Declarations, fresh: set[int]) -> bool:
    """Whether an operation other than a cas may change declarations."""
    if operation.a is None:
        return operation.e in fresh or committed.of(operation.e) is not NOTHING
    return operation.a in FIELDS and not isinstance(operation, Swap)


def _declared_changes(delta: Delta) -> Iterator[tuple[int, int, object]]:
    """(entity, declaration attribute, value or None) in an order in which the last word counts."""
    for fact in delta.removed:
        if fact.a in FIELDS:
            yield fact.e, fact.a, None
    for add in delta.added:
        if add.a in FIELDS:
            yield add.e, add.a, plain(add.value.tag, add.value.value, add.value.payload)


def _check_unique(result: Outcome) -> None:
    """No value of a unique attribute on two entities, as far as this transaction asserted one of them."""
    owners: dict[tuple[int, int, object], Add] = {}
    for add in result.delta.added:
        if result.after.unique(add.a):
            triple = (add.a, add.value.tag, add.value.value)
            other = owners.setdefault(triple, add)
            if other.e != add.e:
                raise _taken(result, add, other.e)
    for fact in sorted(present.holders(result.reader, owners)):
        add = owners[(fact.a, fact.value.tag, fact.value.value)]
        if fact.id not in result.removed and fact.e != add.e:
            raise _taken(result, add, fact.e)


def _taken(result: Outcome, add: Add, owner: int) -> errors.Conflict:
    holder = result.name(owner)
    return errors.Conflict(
        f"{add.where}: {result.name(add.e)} cannot take {wording(add.value, result.name)} as {result.name(add.a)}, "
        f"which is unique: it belongs to {holder}",
        param=add.where,
        hint=f"write about {holder}, or choose another value",
    )


def _check_rules(result: Outcome, attribute: int) -> None:
    """The rules among the declarations of one attribute."""
    for broken, why in _rules(result.after.of(attribute)):
        if broken:
            raise errors.SchemaError(
                f"{result.name(attribute)}: {why}",
                param=result.plain_name(attribute),
                hint="change the declarations together",
            )


def _is_stricter(after: Declared, before: Declared) -> bool:
    """Whether values that were allowed before may not be allowed any more."""
    return (
        after.type not in (None, before.type)
        or after.dims not in (None, before.dims)
        or bool(before.many) > bool(after.many)
        or bool(after.unique) > bool(before.unique)
    )


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
        (
            bool(declared.unique) and kind in (None, "json", "vector"),
            "unique needs a declared type other than json and vector",
        ),
    ]


def _check_live(result: Outcome, attribute: int, facts: list[tuple[int, Stored]]) -> None:
    """Judge the final (entity, value) facts of one attribute."""
    declared, param = result.after.of(attribute), result.plain_name(attribute)
    holders: dict[int, Stored] = {}
    owners: dict[tuple[int, object], int] = {}
    for entity, value in facts:
        if not fits(declared, value):
            raise errors.SchemaError(
                f"{mismatch(result.name(attribute), declared, value, result.name)}, which {result.name(entity)} holds",
                param=param,
                hint="retract or convert the values first",
            )
        if not declared.many and holders.setdefault(entity, value) is not value:
            raise errors.SchemaError(
                f"{result.name(entity)} holds several values of {result.name(attribute)}, "
                "so it cannot take one value only",
                param=param,
                hint="retract the others in the same transaction",
            )
        if declared.unique and owners.setdefault(value.key, entity) != entity:
            raise errors.SchemaError(
                f"{result.name(owners[value.key])} and {result.name(entity)} hold {wording(value, result.name)} "
                f"as {result.name(attribute)}, so it cannot be unique",
                param=param,
                hint="make the values differ before declaring it unique",
            )
