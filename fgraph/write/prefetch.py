"""Looks up what a large request mentions in few statements, before the request is read item by item."""

from collections.abc import Iterable, Mapping

from fgraph import errors
from fgraph.file import identities
from fgraph.values import logical
from fgraph.values.logical import Stored
from fgraph.write.committed import PLAIN
from fgraph.write.request import Item
from fgraph.write.resolve import Resolver

# Below this many items single look-ups are as fast.
WORTHWHILE = 4


def prefetch(resolver: Resolver, items: list[Item]) -> None:
    """Fill the caches of a resolver; it gives the same answers without, one statement each."""
    if len(items) < WORTHWHILE:
        return
    mentions = Mentions()
    for item in items:
        if item.operation is None:
            mentions.record(item.content)
        else:
            mentions.selector(item.content[0])
            mentions.values(item.content[2:])
            mentions.names.update(part for part in item.content[1:2] if isinstance(part, str))
    resolver.allocation.preload(mentions.names)
    lookups = filter(None, map(resolver.committed.lookup, mentions.lookups))
    resolver.committed.preload([*lookups, *_unique_values(resolver, mentions.records)], mentions.ids, mentions.gids)


class Mentions:
    """The names, ids, global ids, lookups and records that a request mentions, nested ones included."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.ids: set[int] = set()
        self.gids: set[bytes] = set()
        self.lookups: list[list | tuple] = []
        self.records: list[Mapping] = []

    def record(self, record: Mapping) -> None:
        self.records.append(record)
        for key, value in record.items():
            if key == "id":
                self.selector(value)
            elif isinstance(key, str):
                self.names.add(key)
                if type(value) not in PLAIN:
                    self.values(value if isinstance(value, list) else (value,))

    def values(self, values: Iterable) -> None:
        for value in values:
            if logical.is_single(value, "ref"):
                self.selector(value["ref"])
            elif logical.is_map(value):
                self.record(value)

    def selector(self, selector: object) -> None:
        if isinstance(selector, str):
            self.names.add(selector)
        elif isinstance(selector, int):
            self.ids.add(selector)
        elif isinstance(selector, list | tuple) and len(selector) == 2 and isinstance(selector[0], str):
            self.names.add(selector[0])
            self.lookups.append(selector)
        elif logical.is_single(selector, "eid"):
            try:
                self.gids.add(identities.parse_uuid(selector["eid"]))
            except errors.TypeError:
                pass  # refused with its place when its turn comes


def _unique_values(resolver: Resolver, records: list[Mapping]) -> list[tuple[int, Stored]]:
    """(attribute, value) of the plain unique values in records."""
    if not resolver.position.uniques:
        return []
    names = {name for name in set().union(*records) if isinstance(name, str) and name != "id"}
    numbers = {name: resolver.allocation.id_of(name) for name in names}
    unique = {name: number for name, number in numbers.items() if number in resolver.position.uniques}
    found = []
    for record in records:
        for name in unique.keys() & record.keys():
            wires = record[name]
            for wire in wires if isinstance(wires, list) else [wires]:
                found += _encoded(resolver, unique[name], wire)
    return found


def _encoded(resolver: Resolver, attribute: int, wire: object) -> list[tuple[int, Stored]]:
    if type(wire) not in PLAIN:
        return []  # a reference might create its name here, out of turn
    try:
        return [(attribute, resolver.value(wire, "value"))]
    except errors.FGraphError:
        return []  # judged with its own error when its turn comes
