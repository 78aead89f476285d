"""Do the entities that a transaction touched obey their shapes, and are changed shapes well defined."""

from collections.abc import Iterable
from typing import NamedTuple

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.schema import shapes
from fgraph.schema.shapes import DEFINITION, Shape
from fgraph.write import present
from fgraph.write.final import Outcome
from fgraph.write.operations import TX

ASSIGNMENTS = "SELECT 1 FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = ? AND rx IS NULL LIMIT 1"
ASSIGNED = "SELECT e FROM fgraph_facts INDEXED BY fgraph_vaet WHERE v = ? AND t = 0 AND a = ? AND rx IS NULL"


class Final(NamedTuple):
    """One fact as it stands after the transaction."""

    e: int
    a: int
    value: object


def check(result: Outcome) -> None:
    """`SchemaError` for the lowest entity that breaks its shape, and for a shape that is defined badly."""
    touched = {fact.e for fact in result.delta.removed} | {add.e for add in result.delta.added}
    changed = _changed_definitions(result)
    if result.direct:
        for number in sorted(changed):
            _check_definition(result, number)
    if not _any_assignment(result):
        return
    for number in changed:
        touched.update(entity for (entity,) in result.reader.fetch(ASSIGNED, (number, genesis.SHAPE)))
    judged = (entity for entity in touched if not 0 <= entity <= genesis.GENESIS_TX)
    # The transaction itself gets the highest id of all, so it is judged last.
    _check_entities(result, sorted(judged, key=lambda entity: (entity == TX, entity)))


def _changed_definitions(result: Outcome) -> set[int]:
    changed = {fact.e for fact in result.delta.removed if fact.a in DEFINITION}
    return changed | {add.e for add in result.delta.added if add.a in DEFINITION}


def _any_assignment(result: Outcome) -> bool:
    if any(add.a == genesis.SHAPE for add in result.delta.added):
        return True
    return bool(result.reader.fetch(ASSIGNMENTS, (genesis.SHAPE,)))


def _check_entities(result: Outcome, entities: list[int]) -> None:
    assigned = {fact.e: fact.value for fact in _final(result, entities, (genesis.SHAPE,))}
    definitions = _definitions(result, set(assigned.values()))
    shaped = [entity for entity in entities if entity in assigned and definitions[assigned[entity]] != Shape()]
    attributes: dict[int, set[int]] = {entity: set() for entity in shaped}
    for fact in _final(result, shaped):
        attributes[fact.e].add(fact.a)
    for entity in shaped:
        for violation in shapes.violations(definitions[assigned[entity]], attributes[entity]):
            # A definition is judged where it changes, so that an old unsound one does not block writes.
            if violation.code != "shape_definition":
                raise _broken(result, entity, assigned[entity], violation)


def _definitions(result: Outcome, numbers: set[int]) -> dict[int, Shape]:
    facts: dict[int, list[tuple[int, object]]] = {number: [] for number in numbers}
    for fact in _final(result, sorted(numbers), DEFINITION):
        facts[fact.e].append((fact.a, fact.value))
    return {number: shapes.shape_of(its) for number, its in facts.items()}


def _final(result: Outcome, entities: list[int], attributes: Iterable[int] | None = None) -> list[Final]:
    """The facts of some entities after the transaction."""
    removed = {fact.id for fact in result.delta.removed}
    wanted = set(entities)
    facts = [
        Final(fact.e, fact.a, fact.value.value)
        for fact in present.entities(result.reader, entities, attributes)
        if fact.id not in removed
    ]
    facts += [
        Final(add.e, add.a, add.value.value)
        for add in result.delta.added
        if add.e in wanted and (attributes is None or add.a in attributes)
    ]
    return facts


def _check_definition(result: Outcome, number: int) -> None:
    shape = _definitions(result, {number})[number]
    name = result.name(number)
    for member in sorted(shape.required | shape.allowed):
        if not identities.is_attribute(result.plain_name(member)):
            raise errors.SchemaError(
                f"shape {name} names {result.name(member)}, which is no attribute",
                param=name,
                hint="name attributes only",
            )
    if shape.closed and not shape.required <= shape.allowed:
        missing = result.name(min(shape.required - shape.allowed))
        raise errors.SchemaError(
            f"the closed shape {name} requires {missing} without allowing it",
            param=name,
            hint=f"allow {missing} as well",
        )


def _broken(result: Outcome, entity: int, shape: int, violation: shapes.Violation) -> errors.SchemaError:
    subject = "the transaction" if entity == TX else result.name(entity)
    attribute = result.name(violation.attribute)
    why = f"lacks {attribute}, which" if violation.code == "required" else f"has {attribute}, which the closed"
    verb = "requires" if violation.code == "required" else "does not allow"
    shape_name = f"shape {result.name(shape)}"
    return errors.SchemaError(
        f"{subject} {why} {shape_name} {verb}", param=str(subject), hint="change the facts, or the shape"
    )
