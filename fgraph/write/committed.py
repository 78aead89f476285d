"""What selectors and unique values mean in the committed state, asked one by one or looked up beforehand for many."""

from collections.abc import Iterable

from fgraph import errors, limits
from fgraph.file import identities
from fgraph.file.reader import Reader
from fgraph.read import selectors
from fgraph.schema.declarations import declarations
from fgraph.values import canonical, logical
from fgraph.values.logical import Stored
from fgraph.write import present

WRITE_FORMS = 'use a name, an integer id, {"eid": uuid}, [unique attribute, value] or {"tmp": token}'
PLAIN = frozenset({str, int, float, bool})
# (attribute, tag, stored value)
Triple = tuple[int, int, object]


class Committed:
    """Answers about the state before the transaction; the writer lock keeps them true until its end."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        # None: looked up, and owned by nobody.
        self._owners: dict[Triple, int | None] = {}
        self._by_gid: dict[bytes, int] = {}

    def preload(self, values: Iterable[tuple[int, Stored]], ids: Iterable[int], gids: Iterable[bytes]) -> None:
        """Look the owners of many unique values, many ids and many global ids up in few statements."""
        triples = {(attribute, value.tag, value.value) for attribute, value in values}
        self._owners |= dict.fromkeys(triples)
        # The lowest owner comes last and stays: the one that a single look-up finds.
        for fact in sorted(present.holders(self._reader, triples), key=lambda fact: -fact.e):
            self._owners[(fact.a, fact.value.tag, fact.value.value)] = fact.e
        wanted = {number for number in ids if limits.INT_MIN <= number <= limits.INT_MAX}
        self._reader.warm(wanted.union(owner for owner in self._owners.values() if owner is not None))
        found = self._reader.store.registry.by_gids(gids)
        self._by_gid |= {gid: identity.id for gid, identity in found.items()}

    def owner(self, attribute: int, value: Stored) -> int | None:
        """The entity that holds a value of an attribute."""
        triple = (attribute, value.tag, value.value)
        if triple not in self._owners:
            self._owners[triple] = selectors.owner(self._reader, attribute, value)
        return self._owners[triple]

    def resolve(self, selector: object, where: str, start: int) -> int:
        """The identity that a selector other than a tempid names; ids from `start` on do not exist yet."""
        if not selectors.is_formed(selector):
            raise selectors.ill_formed(selector, where, WRITE_FORMS)
        if isinstance(selector, int) and selector >= start:
            canonical.check_int64(selector, where)
            raise selectors.not_found(selector, where)
        found = self._preloaded(selector, where)
        return selectors.resolve(self._reader, selector, where) if found is None else found

    def lookup(self, selector: list | tuple) -> tuple[int, Stored] | None:
        """Attribute and value of a plain `[unique attribute, value]` that is in order; None for any other."""
        name, wire = selector
        number = self._reader.id_of(name) if isinstance(name, str) else None
        if number is None or type(wire) not in PLAIN:
            return None
        declared = declarations(self._reader).of(number)
        try:
            value = logical.encode_value(wire, int)  # a plain value holds no reference that would be resolved
        except errors.FGraphError:
            return None
        return (number, value) if declared.unique and declared.type == value.type else None

    def _preloaded(self, selector: object, where: str) -> int | None:
        if self._by_gid and logical.is_single(selector, "eid"):
            return self._by_gid.get(identities.parse_uuid(selector["eid"], where))
        if self._owners and isinstance(selector, list | tuple) and len(selector) == 2:
            found = self.lookup(selector)
            return None if found is None else self.owner(*found)
        return None
