"""Do the entities that a transaction touched obey their shapes, and are changed shapes well defined."""

from collections import Counter
from typing import NamedTuple

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.schema import shapes
from fgraph.schema.shapes import DEFINITION, Shape
from fgraph.values.logical import REF
from fgraph.write import present
from fgraph.write.final import Outcome
from fgraph.write.operations import TX

ASSIGNMENTS = "SELECT 1 FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = ? AND rx IS NULL LIMIT 1"


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
        for number, shape in sorted(_definitions(result, changed).items()):
            _check_definition(result, number, shape)
    if not _any_assignment(result):
        return
    assignments = ((genesis.SHAPE, REF, number) for number in changed)
    touched.update(fact.e for fact in present.holders(result.reader, assignments))
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
    attributes = _attributes(result, shaped)
    for entity in shaped:
        shape = definitions[assigned[entity]]
        # A definition is judged where it changes, so that an old unsound one does not block writes.
        sound = shape._replace(allowed=shape.allowed | shape.required)
        for violation in shapes.violations(sound, attributes[entity]):
            raise _broken(result, entity, assigned[entity], violation)


def _attributes(result: Outcome, entities: list[int]) -> dict[int, set[int]]:
    """The attributes of some entities after the transaction, found without reading all their facts."""
    found: dict[int, set[int]] = {entity: set() for entity in entities}
    for entity, attribute in present.attributes(result.reader, entities):
        found[entity].add(attribute)
    ended = Counter((fact.e, fact.a) for fact in result.delta.removed if fact.e in found)
    for entity, attribute, live in present.counts(result.reader, ended, max(ended.values(), default=0) + 1):
        if live <= ended[(entity, attribute)]:
            found[entity].discard(attribute)
    for add in result.delta.added:
        if add.e in found:
            found[add.e].add(add.a)
    return found


def _definitions(result: Outcome, numbers: set[int]) -> dict[int, Shape]:
    facts: dict[int, list[tuple[int, object]]] = {number: [] for number in numbers}
    for fact in _final(result, sorted(numbers), DEFINITION):
        facts[fact.e].append((fact.a, fact.value))
    return {number: shapes.shape_of(its) for number, its in facts.items()}


def _final(result: Outcome, entities: list[int], attributes: tuple[int, ...]) -> list[Final]:
    """The facts with some attributes of some entities after the transaction."""
    wanted = set(entities)
    cells = ((entity, attribute) for entity in entities for attribute in attributes)
    facts = [
        Final(fact.e, fact.a, fact.value.value)
        for fact in present.cells(result.reader, cells)
        if fact.id not in result.removed
    ]
    facts += [
        Final(add.e, add.a, add.value.value) for add in result.delta.added if add.a in attributes and add.e in wanted
    ]
    return facts


def _check_definition(result: Outcome, number: int, shape: Shape) -> None:
    param = result.plain_name(number)
    for member in sorted(shape.required | shape.allowed):
        if not identities.is_attribute(result.plain_name(member)):
            raise errors.SchemaError(
                f"shape {result.name(number)} names {result.name(member)}, which is no attribute",
                param=param,
                hint="name attributes only",
            )
    if shape.closed and not shape.required <= shape.allowed:
        missing = result.name(min(shape.required - shape.allowed))
        raise errors.SchemaError(
            f"the closed shape {result.name(number)} requires {missing} without allowing it",
            param=param,
            hint=f"allow {missing} as well",
        )


def _broken(result: Outcome, entity: int, shape: int, violation: shapes.Violation) -> errors.SchemaError:
    subject = result.name(entity)
    attribute = result.name(violation.attribute)
    why = f"lacks {attribute}, which" if violation.code == "required" else f"has {attribute}, which the closed"
    verb = "requires" if violation.code == "required" else "does not allow"
    shape_name = f"shape {result.name(shape)}"
    return errors.SchemaError(
        f"{subject} {why} {shape_name} {verb}",
        param=result.plain_name(entity),
        hint="change the facts, or the shape",
    )
