"""Does one entity obey the shape it is assigned to (docs/modeling.md)."""

from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.read import selectors
from fgraph.schema.shapes import Violation, shape_of, violations
from fgraph.values.logical import REF

MESSAGES = {
    "shape_definition": "the closed shape requires an attribute that it does not allow",
    "required": "the required attribute is missing",
    "allowed": "the closed shape does not allow the attribute",
}


def validate(reader: Reader, selector: object) -> dict:
    """`{"basis_tx", "valid", "violations"}` of one entity against the shape it is assigned to.

    Raises `NotFound` for an unknown entity; one without a shape is valid.
    """
    entity = selectors.resolve(reader, selector)
    sql = f"SELECT a, v, t FROM fgraph_facts WHERE e = ? AND {reader.visible()} ORDER BY id"
    facts = reader.fetch(sql, (entity,))
    present = {attribute for attribute, _, _ in facts}
    shapes = [value for attribute, value, tag in facts if attribute == genesis.SHAPE and tag == REF]
    found = []
    for number in shapes:
        shape = shape_of((attribute, value) for attribute, value, _ in reader.fetch(sql, (number,)))
        found += [_shown(reader, entity, number, violation) for violation in violations(shape, present)]
    return {"basis_tx": reader.basis, "valid": not found, "violations": found}


def _shown(reader: Reader, entity: int, shape: int, violation: Violation) -> dict:
    return {
        "code": violation.code,
        "entity": reader.label(entity),
        "shape": reader.label(shape),
        "attribute": reader.label(violation.attribute),
        "message": MESSAGES[violation.code],
    }
