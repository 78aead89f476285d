"""Declarations, shapes and manifests as ordinary writes (docs/modeling.md)."""

from collections.abc import Mapping

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.file.store import Store
from fgraph.report import TxReport
from fgraph.schema import manifest as manifests
from fgraph.schema.declarations import FIELDS
from fgraph.schema.shapes import DEFINITION
from fgraph.values.logical import TYPES
from fgraph.write import transact
from fgraph.write.request import Options
from fgraph.write.resolve import Resolver

NAME_OF_FIELD = {field: genesis.SYSTEM[number][0] for number, field in FIELDS.items()}
NAME_LIST = 'give a list such as ["person/name", "person/email"]'
SHAPE_PARTS = tuple(genesis.SYSTEM[number][0] for number in DEFINITION)


def declare(store: Store, attribute: object, fields: Mapping, ref: object, options: Options) -> TxReport:
    """Patch the declarations of one attribute; fields that are None say nothing.

    `SchemaError` for names and combinations that cannot be, `TypeError` for values of the wrong kind.
    """
    name = identities.check_attribute(attribute)
    given = {field: value for field, value in fields.items() if value is not None}
    for field, value in given.items():
        _check_field(field, value)
    if not isinstance(ref, bool):
        raise errors.TypeError(f"ref is {errors.quote(ref)}", param="ref", hint="give True or False")
    if ref:
        if given.setdefault("type", "ref") != "ref":
            raise errors.SchemaError(
                f"ref=True and type={errors.quote(given['type'])} contradict each other",
                param="ref",
                hint="give one of them",
            )
    if not given:
        raise errors.SchemaError(
            f"nothing is declared about {name}",
            param="attr",
            hint="give at least one of type, many, unique, nohistory, dims, doc",
        )
    if given.get("type", "vector") != "vector" and given.keys() & {"dims", "vector_model"}:
        raise errors.SchemaError(
            f"dims and vector_model need the type vector, not {given['type']}", param="type", hint='give type="vector"'
        )
    record = {"id": name, **{NAME_OF_FIELD[field]: value for field, value in given.items()}}
    return transact.transact(store, record, options)


def declare_shape(
    store: Store, name: object, required: object, allowed: object, closed: object, options: Options
) -> TxReport:
    """Replace the definition of one shape; `SchemaError` for arguments that cannot define one."""
    if not isinstance(name, str):
        raise errors.SchemaError(f"the shape's name is {errors.quote(name)}", param="name", hint="give text")
    if not isinstance(closed, bool):
        raise errors.SchemaError(f"closed is {errors.quote(closed)}", param="closed", hint="give True or False")
    needs = manifests.attribute_list(required, "required", kinds=(list, tuple), hint=NAME_LIST)
    may = manifests.attribute_list(allowed, "allowed", kinds=(list, tuple), hint=NAME_LIST)
    identities.check_name(name, "name")
    shape = manifests.closed_over({"name": name, "required": needs, "allowed": may, "closed": closed})
    data = [*(["retract", name, part] for part in SHAPE_PARTS), _shape_record(**shape)]
    return transact.transact(store, data, options)


def _shape_record(name: str, required: list[str], allowed: list[str], closed: bool) -> dict:
    """The record that defines a shape."""
    record: dict = {"id": name, "fgraph/shape-closed": closed}
    for key, names in (("fgraph/shape-allowed", allowed), ("fgraph/shape-required", required)):
        if names:
            record[key] = [{"ref": each} for each in names]
    return record


def apply_manifest(store: Store, manifest: object, options: Options) -> TxReport:
    """Make the schema equal to a manifest: declare what it says, take back what it leaves out."""
    desired = manifests.normalise(manifest)

    def fill(resolver: Resolver) -> None:
        transact.read_data(resolver, _manifest_data(resolver.reader, desired))

    options.check_form()
    digest = options.digest({"operation": "schema-apply", "manifest": desired, **options.hashed()})
    return transact.guarded(store, options, digest, fill)


def _manifest_data(reader: Reader, desired: dict) -> list:
    """The operations that lead from the present schema to a manifest; unchanged facts cancel out in planning."""
    current = manifests.export(reader)
    data: list = []
    for name in _names(current, desired, "attributes"):
        data += [["retract", name, genesis.SYSTEM[number][0]] for number in genesis.DECLARATIONS]
    for item in desired["attributes"]:
        data.append({"id": item["name"], **{NAME_OF_FIELD[key]: value for key, value in item["declared"].items()}})
    for name in _names(current, desired, "shapes"):
        data += [["retract", name, part] for part in SHAPE_PARTS]
    return data + [_shape_record(**item) for item in desired["shapes"]]


def _names(current: dict, desired: dict, key: str) -> list[str]:
    return sorted({item["name"] for manifest in (current, desired) for item in manifest[key]})


def _check_field(field: str, value: object) -> None:
    if field == "type":
        if not isinstance(value, str) or value not in TYPES:
            raise errors.SchemaError(
                f"{errors.quote(value)} is not a type", param="type", hint="use one of " + ", ".join(sorted(TYPES))
            )
    elif field == "vector_model":
        if not isinstance(value, str) or not value.strip():
            raise errors.SchemaError(f"vector_model is {errors.quote(value)}", param=field, hint="name the model")
    elif field == "dims":
        if isinstance(value, bool) or not isinstance(value, int):
            raise errors.TypeError(f"dims is {errors.quote(value)}", param="dims", hint="give an integer from 1")
    elif not isinstance(value, str if field == "doc" else bool):
        raise errors.TypeError(
            f"{field} is {errors.quote(value)}", param=field, hint="doc is text, the flags are bools"
        )
