"""Looks up the names and unique values of a large request in few statements, before it is read item by item."""

from collections.abc import Iterable, Mapping

from fgraph import errors
from fgraph.write.request import Item
from fgraph.write.resolve import Resolver

# Below this many items single look-ups are as fast.
WORTHWHILE = 4
PLAIN = frozenset({str, int, float, bool})


def prefetch(resolver: Resolver, items: list[Item]) -> None:
    """Fill the caches of a resolver; it gives the same answers without, one statement each."""
    if len(items) < WORTHWHILE:
        return
    names: set[str] = set()
    for item in items:
        if item.operation is None:
            _collect(item.content, names)
        else:
            names.update(part for part in item.content[:2] if isinstance(part, str))
            _collect_values(item.content[2:], names)
    resolver.allocation.preload(names)
    if resolver.position.uniques:
        resolver.preload_owners(_unique_values(resolver, items))


def _collect(record: Mapping, names: set[str]) -> None:
    """The names that a record may mention: its own, its attributes, its references."""
    for key, value in record.items():
        if key == "id":
            if isinstance(value, str):
                names.add(value)
        elif isinstance(key, str):
            names.add(key)
            if type(value) not in PLAIN:
                _collect_values(value if isinstance(value, list) else (value,), names)


def _collect_values(values: Iterable, names: set[str]) -> None:
    for value in values:
        if isinstance(value, Mapping):
            if len(value) == 1 and isinstance(value.get("ref"), str):
                names.add(value["ref"])
            else:
                _collect(value, names)


def _unique_values(resolver: Resolver, items: list[Item]) -> list[tuple[int, int, object]]:
    """(attribute, tag, value) of the plain unique values in top-level records."""
    found = []
    by_name = {resolver.name_of(number): number for number in resolver.position.uniques}
    for item in items:
        if item.operation is None:
            for name in by_name.keys() & item.content.keys():
                wires = item.content[name]
                for wire in wires if isinstance(wires, list) else [wires]:
                    found += _encoded(resolver, by_name[name], wire)
    return found


def _encoded(resolver: Resolver, attribute: int, wire: object) -> list[tuple[int, int, object]]:
    if isinstance(wire, Mapping):
        return []  # a reference might create its name here, out of turn
    try:
        value = resolver.value(wire, "value")
    except errors.FGraphError:
        return []  # judged with its own error when its turn comes
    return [(attribute, value.tag, value.value)]
