"""New identities of one transaction: names, anonymous entities and tempids, numbered in order of first appearance."""

from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file import identities
from fgraph.file.identities import Identity, Registry


class Created(NamedTuple):
    """A new identity with its provisional id; anonymous ones have no name, replayed ones bring their gid."""

    id: int
    name: str | None
    gid: bytes | None = None


class Allocation:
    """Hands out ids from `start` upwards; what is not used in the end is dropped by `finish`."""

    def __init__(self, registry: Registry, start: int) -> None:
        self.start = start
        self.created: list[Created] = []
        self.tokens: dict[str, int] = {}
        self._registry = registry
        self._known: dict[str, int] = {}
        self._absent: set[str] = set()
        self._new_names: set[str] = set()
        # Tokens and new short names, in order of first appearance: what the report shows.
        self._mentioned: dict[str, int] = {}

    def is_new(self, number: int) -> bool:
        return number >= self.start

    def id_of(self, name: str) -> int | None:
        """The id of a name that exists already or was created earlier in this transaction."""
        number = self._known.get(name)
        if number is None and name not in self._absent:
            found = self._registry.by_name(name)
            if found is None:
                return None
            number = self._known[name] = found.id
        return number

    def preload(self, names: set[str]) -> None:
        """Look many names up in few statements; the writer lock keeps the answer true until the end."""
        found = self._registry.by_names(names)
        self._known.update((name, identity.id) for name, identity in found.items())
        self._absent = names - found.keys()

    def committed(self, name: str) -> int | None:
        """The id of a name that existed before this transaction."""
        return None if name in self._new_names else self.id_of(name)

    def name(self, name: str, where: str = "data") -> int:
        """The id of a name, created where it is new."""
        number = self.id_of(name)
        if number is None:
            number = self._add(identities.check_name(name, f"{where} name"), None)
            self._known[name] = number
            self._new_names.add(name)
            if "/" not in name:
                self._mention(name, number)
        return number

    def anonymous(self, gid: bytes | None = None) -> int:
        """A new anonymous entity."""
        return self._add(None, gid)

    def bind(self, token: str, number: int) -> int:
        """Let a tempid stand for an entity from here on."""
        self.tokens[token] = number
        self._mention(token, number)
        return number

    def mention(self, key: str, number: int) -> None:
        """Show an identity under this key in the report."""
        self._mentioned[key] = number

    def finish(self, used: set[int]) -> "Finished":
        """Drop the anonymous identities that are not in `used` and close up the numbering; names always stay."""
        kept = [created for created in self.created if created.name is not None or created.id in used]
        if len(kept) == len(self.created):
            moved = None
        else:
            moved = {created.id: number for number, created in enumerate(kept, start=self.start)}
            kept = [created._replace(id=moved[created.id]) for created in kept]
        ids = {
            key: number if moved is None else moved.get(number, number)
            for key, number in self._mentioned.items()
            if moved is None or number < self.start or number in moved
        }
        return Finished(kept, moved, ids, self.start + len(kept))

    def _mention(self, key: str, number: int) -> None:
        if key in self.tokens and key in self._new_names and "/" not in key:
            raise errors.Conflict(
                f"{errors.quote(key)} is both a tempid and a new name in this transaction",
                param="data",
                hint="rename the tempid; the report could not tell the two apart",
            )
        self._mentioned[key] = number

    def _add(self, name: str | None, gid: bytes | None) -> int:
        number = self.start + len(self.created)
        # The transaction's own id comes after all others and has to fit as well.
        if number >= limits.INT_MAX - 1:
            raise out_of_ids()
        self.created.append(Created(number, name, gid))
        return number


class Finished(NamedTuple):
    """The identities that are really created, the renumbering (None: none was needed) and the transaction's id."""

    created: list[Created]
    moved: dict[int, int] | None
    ids: dict[str, int]
    tx: int

    def final(self, number: int) -> int:
        return number if self.moved is None else self.moved.get(number, number)

    def identities(self, event: bytes) -> list[Identity]:
        """The registry rows, the transaction's own last."""
        rows = [
            Identity(
                number,
                name,
                None if name is not None else gid or identities.derived_gid(event, ordinal),
                self.tx,
            )
            for ordinal, (number, name, gid) in enumerate(self.created)
        ]
        rows.append(Identity(self.tx, None, event, self.tx))
        return rows


def out_of_ids() -> errors.TooLarge:
    """The error when every local id of entities, or of fact rows, up to 2^63 - 2 is taken."""
    return errors.TooLarge(
        f"the file has no ids left: they end below {limits.INT_MAX}",
        hint="move the facts to a new file with a snapshot",
    )
