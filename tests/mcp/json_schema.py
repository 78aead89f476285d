"""A validator for the JSON Schema keywords that protocol schemas and our own catalogue use."""

from __future__ import annotations

KNOWN = {
    "$ref", "type", "properties", "required", "items", "anyOf", "allOf", "enum", "const", "additionalProperties",
    "minimum", "maximum", "minLength", "maxLength", "maxItems",
}  # fmt: skip
WITHOUT_EFFECT = {"$schema", "$defs", "definitions", "description", "format", "default", "title"}
TYPES = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


def faults(value: object, schema: dict, root: dict | None = None, where: str = "$") -> list[str]:
    """Every way in which `value` does not fit `schema`; empty when it fits."""
    root = schema if root is None else root
    strange = set(schema) - KNOWN - WITHOUT_EFFECT
    assert not strange, f"the validator does not know {strange}"
    found: list[str] = []
    if "$ref" in schema:
        found += faults(value, _resolve(schema["$ref"], root), root, where)
    if "type" in schema and not _is_of_type(value, schema["type"]):
        return [*found, f"{where} is {type(value).__name__}, not {schema['type']}"]
    if "const" in schema and value != schema["const"]:
        found.append(f"{where} is not {schema['const']!r}")
    if "enum" in schema and value not in schema["enum"]:
        found.append(f"{where} is not one of {schema['enum']}")
    found += _bounds(value, schema, where) + _members(value, schema, root, where)
    for part in schema.get("allOf", ()):
        found += faults(value, part, root, where)
    if "anyOf" in schema and all(faults(value, part, root, where) for part in schema["anyOf"]):
        found.append(f"{where} fits no alternative")
    return found


def _resolve(reference: str, root: dict) -> dict:
    found: dict = root
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def _is_of_type(value: object, wanted: str | list[str]) -> bool:
    names = [wanted] if isinstance(wanted, str) else wanted
    if isinstance(value, bool):
        return "boolean" in names
    return any(isinstance(value, TYPES[name]) for name in names)


def _bounds(value: object, schema: dict, where: str) -> list[str]:
    found = []
    if isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            found.append(f"{where} is out of range")
    if isinstance(value, str | list):
        least, most = schema.get("minLength", 0), schema.get("maxLength", schema.get("maxItems", len(value)))
        if not least <= len(value) <= most:
            found.append(f"{where} has the wrong length")
    return found


def _members(value: object, schema: dict, root: dict, where: str) -> list[str]:
    found: list[str] = []
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        found += [f"{where} lacks {name}" for name in schema.get("required", ()) if name not in value]
        others = schema.get("additionalProperties", True)
        for name, member in value.items():
            if name in properties:
                found += faults(member, properties[name], root, f"{where}.{name}")
            elif others is False:
                found.append(f"{where} has {name}")
            elif isinstance(others, dict):
                found += faults(member, others, root, f"{where}.{name}")
    if isinstance(value, list) and "items" in schema:
        for index, member in enumerate(value):
            found += faults(member, schema["items"], root, f"{where}[{index}]")
    return found
