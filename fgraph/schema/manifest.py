"""schema/1 manifests: the declarations and shapes of a file as one portable document (docs/modeling.md)."""

import hashlib
from collections.abc import Mapping

from fgraph import errors, limits
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.schema import snapshot
from fgraph.schema.declarations import Declared, declarations
from fgraph.values import canonical
from fgraph.values.logical import TYPES

VERSION = "schema/1"
HINT = "compare with the manifest that the file itself exports"
KEYS = frozenset({"fgraph", "digest", "attributes", "shapes"})
ATTRIBUTE_KEYS = frozenset({"name", "declared"})
SHAPE_KEYS = frozenset({"name", "required", "allowed", "closed"})


def export(reader: Reader) -> dict:
    """The manifest of the schema at the basis, without system attributes."""
    known = declarations(reader)
    attributes = [
        {"name": name, "declared": known.of(number).fields()}
        for name, number in snapshot.attribute_names(reader).items()
    ]
    shapes = [item for item in snapshot.shape_items(reader) if isinstance(item["name"], str)]
    return _finished(attributes, [closed_over(item) for item in shapes])


def compare(reader: Reader, manifest: object) -> dict:
    """`{"basis_tx", "valid", "current_digest", "desired_digest", "changes"}` of a manifest against the file."""
    desired, current = normalise(manifest), export(reader)
    changes = _changes("attribute", current, desired) + _changes("shape", current, desired)
    return {
        "basis_tx": reader.basis,
        "valid": not changes,
        "current_digest": current["digest"],
        "desired_digest": desired["digest"],
        "changes": changes,
    }


def normalise(manifest: object) -> dict:
    """The one form of a manifest: sorted, without empty declarations, its digest computed anew.

    Raises `SchemaError` for anything that is not a manifest, naming the place.
    """
    if not isinstance(manifest, Mapping) or manifest.get("fgraph") != VERSION:
        raise _fault("manifest", f'is not a map with "fgraph": "{VERSION}"')
    _check_keys("manifest", manifest, KEYS, exact=False)
    attributes = [_attribute(item, where) for where, item in _items(manifest, "attributes")]
    shapes = [_shape(item, where) for where, item in _items(manifest, "shapes")]
    for kind, found in (("attribute", attributes), ("shape", shapes)):
        _check_distinct(kind, found)
    return _finished(attributes, shapes)


def _finished(attributes: list[dict], shapes: list[dict]) -> dict:
    manifest = {
        "attributes": sorted((item for item in attributes if item["declared"]), key=lambda item: item["name"]),
        "fgraph": VERSION,
        "shapes": sorted(shapes, key=lambda item: item["name"]),
    }
    digest = hashlib.sha256(canonical.canonical(manifest).encode()).hexdigest()
    return {**manifest, "digest": f"sha256:{digest}"}


def _changes(kind: str, current: dict, desired: dict) -> list[dict]:
    key = f"{kind}s"
    before = {item["name"]: item for item in current[key]}
    after = {item["name"]: item for item in desired[key]}
    changed = (name for name in sorted(before.keys() | after.keys()) if before.get(name) != after.get(name))
    return [
        {"kind": kind, "name": name, "before": _side(kind, before.get(name)), "after": _side(kind, after.get(name))}
        for name in changed
    ]


def _side(kind: str, item: dict | None) -> dict | None:
    return item["declared"] if item is not None and kind == "attribute" else item


def _items(manifest: Mapping, key: str) -> list[tuple[str, object]]:
    found = manifest.get(key, [])
    if not isinstance(found, list):
        raise _fault(key, "is not a list")
    return [(f"{key}[{position}]", item) for position, item in enumerate(found)]


def _attribute(item: object, where: str) -> dict:
    _check_keys(where, item, ATTRIBUTE_KEYS)
    name, declared = item["name"], item["declared"]
    identities.check_attribute(name, where)
    _refuse_system(name, where)
    if not isinstance(declared, Mapping):
        raise _fault(where, f"declared is {errors.quote(declared)}, not a map")
    for field, value in declared.items():
        _check_field(field, value, f"{where} {name}")
    return {"name": name, "declared": dict(declared)}


def _check_field(field: object, value: object, where: str) -> None:
    if field not in Declared._fields:
        raise _fault(where, f"declares {errors.quote(field)}; use one of {', '.join(sorted(Declared._fields))}")
    if field == "type":
        good = isinstance(value, str) and value in TYPES
    elif field == "dims":
        good = isinstance(value, int) and not isinstance(value, bool) and 0 < value <= limits.INT_MAX
    elif field in ("doc", "vector_model"):
        good = isinstance(value, str) and canonical.is_unicode(value) and (field == "doc" or bool(value.strip()))
    else:
        good = isinstance(value, bool)
    if not good:
        raise _fault(where, f"declares {field} as {errors.quote(value)}")


def _shape(item: object, where: str) -> dict:
    _check_keys(where, item, SHAPE_KEYS)
    identities.check_name(item["name"], where)
    _refuse_system(item["name"], where)
    if not isinstance(item["closed"], bool):
        raise _fault(where, f"closed is {errors.quote(item['closed'])}, not a bool")
    lists = {key: attribute_list(item[key], f"{where} {key}") for key in ("required", "allowed")}
    return closed_over({"name": item["name"], **lists, "closed": item["closed"]})


def attribute_list(names: object, where: str, *, kinds: tuple = (list,), hint: str = HINT) -> list[str]:
    """Distinct attribute names by code point; `SchemaError` unless `names` is a list of them."""
    if not isinstance(names, kinds):
        raise _fault(where, f"is {errors.quote(names)}, not a list of attribute names", hint)
    return sorted({identities.check_attribute(name, where) for name in names})


def closed_over(shape: dict) -> dict:
    """A closed shape allows what it requires."""
    if not shape["closed"]:
        return shape
    return {**shape, "allowed": sorted({*shape["allowed"], *shape["required"]})}


def _check_keys(where: str, item: object, keys: frozenset, *, exact: bool = True) -> None:
    if not isinstance(item, Mapping):
        raise _fault(where, f"is {errors.quote(item)}, not a map")
    extra = [key for key in item if key not in keys]
    if extra:
        raise _fault(where, f"has the unknown key {errors.quote(extra[0])}")
    if exact and len(item) != len(keys):
        raise _fault(where, f"lacks {', '.join(sorted(keys - item.keys()))}")


def _check_distinct(kind: str, items: list[dict]) -> None:
    seen: set[str] = set()
    for item in items:
        if item["name"] in seen:
            raise _fault("manifest", f"holds the {kind} {errors.quote(item['name'])} twice")
        seen.add(item["name"])


def _refuse_system(name: str, where: str) -> None:
    if name in genesis.NAMES:
        raise _fault(where, f"names the system attribute {name}, which cannot be changed")


def _fault(where: str, what: str, hint: str = HINT) -> errors.SchemaError:
    return errors.SchemaError(f"{where} {what}", param=where, hint=hint)
