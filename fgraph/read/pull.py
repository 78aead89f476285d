"""Chosen attributes of an entity as a map: patterns, one level of nesting, and reverse references."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file import identities
from fgraph.file.reader import Reader
from fgraph.read import render, selectors
from fgraph.read.entity import add_value
from fgraph.schema.declarations import declarations
from fgraph.values.logical import REF

FORMS = 'an item is "ns/name", "*", "ns/_name" for references to the entity, or {"ns/name": pattern}'


class Shape(NamedTuple):
    """A checked pattern: attribute ids, the shapes of nested ones, and reverse items as (key, attribute id or None)."""

    everything: bool
    attributes: frozenset[int]
    nested: Mapping[int, "Shape"]
    reverse: tuple[tuple[str, int | None], ...]


def pull(reader: Reader, ref: object, pattern: object) -> dict:
    """The attributes of one entity that the pattern names (docs/queries.md).

    Raises `QueryError` for a bad pattern, `NotFound` for an unknown entity, `TooLarge` beyond 100,000 facts.
    """
    shape = parse(reader, pattern)
    number = selectors.resolve(reader, ref)
    room = limits.ENTITY_FACTS

    def charge(facts: int) -> None:
        nonlocal room
        room -= facts
        if room < 0:
            raise errors.TooLarge(
                f"the answer holds more than {limits.ENTITY_FACTS} facts", param="pattern", hint="name fewer attributes"
            )

    return maps(reader, shape, [number], charge)[number]


# -- patterns ---------------------------------------------------------------------------------------------------------


def parse(reader: Reader, pattern: object, param: str = "pattern", depth: int = 0) -> Shape:
    """Check a pattern against the schema at the basis; `QueryError` names the item at fault."""
    if not isinstance(pattern, list | tuple):
        raise _refuse(f"{param} is {errors.quote(pattern)}, not an array", param)
    if depth > limits.QUERY_DEPTH:
        raise _refuse(f"{param} is nested more than {limits.QUERY_DEPTH} deep", param)
    everything = False
    attributes: set[int] = set()
    nested: dict[int, Shape] = {}
    reverse: dict[str, int | None] = {}
    for place, item in enumerate(pattern):
        where = f"{param}[{place}]"
        if isinstance(item, Mapping):
            number, shape = _nested(reader, item, where, depth)
            nested[number] = shape
        elif item == "*":
            everything = True
        elif isinstance(item, str) and "/_" in item:
            space, _, name = item.partition("/_")
            reverse[item] = reader.id_of(selectors.check_attribute(f"{space}/{name}", where, FORMS))
        else:
            found = reader.id_of(selectors.check_attribute(item, where, FORMS))
            attributes |= set() if found is None else {found}
    return Shape(everything, frozenset(attributes), nested, tuple(reverse.items()))


def _nested(reader: Reader, item: Mapping, where: str, depth: int) -> tuple[int, Shape]:
    if len(item) != 1:
        raise _refuse(f"{where} is {errors.quote(item)}", where)
    ((name, inner),) = item.items()
    if isinstance(name, str) and "/_" in name:
        raise _refuse(f"{where}: the reverse item {errors.quote(name)} cannot be nested", where, "write it as text")
    number = reader.id_of(selectors.check_attribute(name, where, FORMS))
    if number is None or not _leads_to_entities(reader, number):
        what = "is unknown" if number is None else "holds values that are no references"
        raise _refuse(f"{where}: {name} {what}", where, "nest only attributes that hold references")
    return number, parse(reader, inner, f"{where}.{name}", depth + 1)


def _leads_to_entities(reader: Reader, attribute: int) -> bool:
    if declarations(reader).type_of(attribute) == "ref":
        return True
    sql = f"""
        SELECT EXISTS (
            SELECT 1
            FROM fgraph_facts INDEXED BY fgraph_avet
            WHERE a = ? AND t > {REF} AND {reader.visible()}
        )
    """
    return not reader.fetch(sql, (attribute,))[0][0]


def _refuse(message: str, param: str, hint: str = FORMS) -> errors.QueryError:
    return errors.QueryError(message, param=param, hint=hint)


# -- maps -------------------------------------------------------------------------------------------------------------


def maps(reader: Reader, shape: Shape, numbers: Iterable[int], charge: Callable[[int], None]) -> dict[int, dict]:
    """The maps of many entities, in few statements; `charge` is told how many facts are looked at."""
    numbers = list(dict.fromkeys(numbers))
    top = _Level(reader, shape, numbers, charge)
    nested = {
        attribute: _Level(reader, below, top.targets(attribute), charge) for attribute, below in shape.nested.items()
    }
    return {number: top.map(number, nested) for number in numbers}


class _Level:
    """The facts, and the references from elsewhere, that one shape shows of some entities."""

    def __init__(self, reader: Reader, shape: Shape, numbers: list[int], charge: Callable[[int], None]) -> None:
        self._reader = reader
        self._shape = shape
        self._declared = declarations(reader)
        self._facts = _facts(reader, shape, numbers, charge)
        reverse = {attribute for _, attribute in shape.reverse if attribute is not None}
        self._sources = {attribute: _sources(reader, attribute, numbers, charge) for attribute in reverse}

    def targets(self, attribute: int) -> list[int]:
        """The entities that one attribute leads to."""
        rows = (row for facts in self._facts.values() for row in facts if row[2] == attribute and row[4] == REF)
        return list(dict.fromkeys(row[3] for row in rows))

    def map(self, number: int, nested: Mapping[int, "_Level"]) -> dict:
        """The map of one entity; references of nested attributes become maps, except one to the entity itself."""
        self._reader.store.check_cancelled()
        target: dict = {}
        for row in self._facts.get(number, ()):
            below = nested.get(row[2]) if row[4] == REF and row[3] != number else None
            if below is None:
                value = render.render_value(self._reader, row[4], row[3], row[7])
            else:
                value = below.map(row[3], {})
            add_value(self._reader, self._declared, target, row[2], value)
        for key, attribute in self._shape.reverse:
            sources = [] if attribute is None else self._sources[attribute].get(number, ())
            target[key] = [{"ref": label} for label in sources]
        return target


def _facts(reader: Reader, shape: Shape, numbers: list[int], charge: Callable[[int], None]) -> dict[int, list[tuple]]:
    """The facts that a shape shows, by entity, each in order of attribute, transaction and fact."""
    wanted = sorted(shape.attributes | shape.nested.keys())
    only = "" if shape.everything else f"AND f.a IN ({','.join(map(str, wanted))})"
    found: dict[int, list[tuple]] = {}
    for chunk in identities.chunks(numbers if shape.everything or wanted else []):
        sql = f"""
            SELECT {render.FACT_COLUMNS}
            FROM fgraph_facts f INDEXED BY {"fgraph_eavt" if reader.live else "fgraph_hist"}
            {render.BLOB_JOIN}
            WHERE f.e IN ({identities.placeholders(chunk)}) {only} AND {reader.shown("f")}
            ORDER BY f.e, f.a, f.tx, f.id
        """
        rows = reader.fetch(sql, chunk)
        charge(len(rows))
        render.warm_rows(reader, rows)
        for row in rows:
            found.setdefault(row[1], []).append(row)
    return found


def _sources(
    reader: Reader, attribute: int, numbers: list[int], charge: Callable[[int], None]
) -> dict[int, list[str | int]]:
    """What refers to each entity under one attribute, by fact id."""
    found: dict[int, list[str | int]] = {}
    for chunk in identities.chunks(numbers):
        sql = f"""
            SELECT f.v, f.e
            FROM fgraph_facts f INDEXED BY {"fgraph_vaet" if reader.live else "fgraph_avet"}
            WHERE f.v IN ({identities.placeholders(chunk)}) AND f.a = {attribute} AND f.t = {REF}
            AND {reader.shown("f")}
            ORDER BY f.id
        """
        rows = reader.fetch(sql, chunk)
        charge(len(rows))
        reader.warm(row[1] for row in rows)
        for target, source in rows:
            found.setdefault(target, []).append(reader.label(source))
    return found
