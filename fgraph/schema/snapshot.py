"""The schema as users see it: every attribute with what is declared and observed, and every shape."""

import hashlib
from typing import NamedTuple

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.schema import shapes
from fgraph.schema.declarations import declarations
from fgraph.values import canonical, logical


class Observed(NamedTuple):
    """What the live facts of one attribute look like."""

    types: list[str]
    live_facts: int
    entities: int


UNUSED = Observed([], 0, 0)


def schema(reader: Reader, prefix: object = None, include_system: object = False) -> dict:
    """`{"basis_tx", "digest", "attributes", "shapes"}`, attributes by name, shapes by entity id.

    `prefix` keeps the attribute names that begin with it; shapes are not filtered. `TypeError` for arguments of
    another kind. `digest` covers names and declarations, not counts.
    """
    names = attribute_names(reader, prefix, include_system)
    observed = observations(reader, list(names.values()))
    described = [
        {"name": name, "declared": declared.fields(), "effective": declared.effective()}
        for name, declared in ((name, declarations(reader).of(number)) for name, number in names.items())
    ]
    shapes_now = shape_items(reader)
    digest = hashlib.sha256(canonical.canonical({"attributes": described, "shapes": shapes_now}).encode()).hexdigest()
    for item in described:
        item["observed"] = observed.get(names[item["name"]], UNUSED)._asdict()
    return {
        "basis_tx": reader.basis,
        "digest": f"sha256:{digest}",
        "attributes": described,
        "shapes": shapes_now,
    }


def attributes(reader: Reader, prefix: object = None, include_system: object = False) -> list[dict]:
    """One short item an attribute, by name: `name, types, facts, many, unique, nohistory` and what else is declared."""
    names = attribute_names(reader, prefix, include_system)
    observed = observations(reader, list(names.values()))
    return [_item(reader, name, number, observed.get(number, UNUSED)) for name, number in names.items()]


def attribute_names(reader: Reader, prefix: object = None, include_system: object = False) -> dict[str, int]:
    """Name to id of every visible name that matches the attribute grammar, by code point."""
    if prefix is not None and not isinstance(prefix, str):
        raise errors.TypeError(
            f"prefix is {errors.quote(prefix)}, not text", param="prefix", hint="give the beginning of a name, or None"
        )
    if not isinstance(include_system, bool):
        raise errors.TypeError(
            f"include_system is {errors.quote(include_system)}", param="include_system", hint="give True or False"
        )
    rows = reader.fetch("SELECT name, id FROM fgraph_ids WHERE name LIKE '%/%' AND created_tx <= ?", (reader.basis,))
    return {
        name: number
        for name, number in sorted(rows)
        if identities.is_attribute(name)
        and name.startswith(prefix or "")
        and (include_system or not name.startswith(genesis.PREFIX))
    }


def observations(reader: Reader, attribute_ids: list[int]) -> dict[int, Observed]:
    """What the visible facts of some attributes look like, by one pass over their index entries."""
    found: dict[int, Observed] = {}
    for chunk in identities.chunks(attribute_ids):
        sql = f"""
            SELECT a, count(*), count(DISTINCT e), group_concat(DISTINCT t)
            FROM fgraph_facts INDEXED BY fgraph_avet
            WHERE a IN ({identities.placeholders(chunk)}) AND {reader.visible()}
            GROUP BY a
        """
        for number, live, entities, tags in reader.fetch(sql, chunk):
            types = sorted({logical.type_of(int(tag)) for tag in tags.split(",")})
            found[number] = Observed(types, live, entities)
    return found


def shape_items(reader: Reader) -> list[dict]:
    """Every entity with a shape definition, by entity id: `{"name", "required", "allowed", "closed"}`."""
    fields = ",".join(map(str, shapes.DEFINITION))
    sql = f"""
        SELECT e, a, v FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a IN ({fields}) AND {reader.visible()}
    """
    facts: dict[int, list[tuple[int, object]]] = {}
    for entity, attribute, value in reader.fetch(sql):
        facts.setdefault(entity, []).append((attribute, value))
    members = {value for its in facts.values() for attribute, value in its if attribute != genesis.SHAPE_CLOSED}
    reader.warm(members.union(facts))
    return [_shape_item(reader, entity, shapes.shape_of(facts[entity])) for entity in sorted(facts)]


def _shape_item(reader: Reader, entity: int, shape: shapes.Shape) -> dict:
    return {
        "name": reader.label(entity),
        "required": sorted((reader.label(number) for number in shape.required), key=str),
        "allowed": sorted((reader.label(number) for number in shape.allowed), key=str),
        "closed": shape.closed,
    }


def _item(reader: Reader, name: str, number: int, observed: Observed) -> dict:
    declared = declarations(reader).of(number)
    types = set(observed.types) | ({declared.type} if declared.type else set())
    effective = declared.effective()
    item = {"name": name, "types": sorted(types), "facts": observed.live_facts}
    item |= {field: effective[field] for field in ("many", "unique", "nohistory")}
    item |= {field: effective[field] for field in ("dims", "doc", "vector_model") if effective[field] is not None}
    return item
