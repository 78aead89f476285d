"""What the receipt and the payload of a transaction promise, held against the identities and facts that follow them."""

from typing import NamedTuple

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.portable import tuples
from fgraph.portable.tuples import Key
from fgraph.values import verbatim
from fgraph.values.logical import Stored

TIMES = (genesis.AT, genesis.IMPORTED_AT)


class Group:
    """The facts that one transaction asserted, compared with its receipt and its payload."""

    def __init__(self, tx: int, at: int, origin_at: int, payload: dict | None) -> None:
        self.tx = tx
        self._at = at
        self._origin_at = origin_at
        self._promised = None if payload is None else {_comparable(fact) for fact in payload["asserted"]}
        self._seen: set[tuple] = set()
        self._times: dict[int, object] = {}

    @classmethod
    def of_genesis(cls) -> "Group":
        """What stands before the first transaction; there is nothing to compare."""
        group = cls(genesis.GENESIS_TX, 0, 0, None)
        group._times = {genesis.AT: 0}
        return group

    def take(self, e: int, a: int, value: Stored, content: list, where: str) -> None:
        """Check one fact of this transaction."""
        if e != self.tx and self._promised is not None:
            fact = _comparable(content)
            if fact not in self._promised:
                raise errors.Conflict(f"{where}: the payload of the fact's event does not assert it, or not twice")
            self._promised.remove(fact)
            return
        key = (e, a, *value.key)
        if key in self._seen:
            raise errors.Conflict(f"{where}: the transaction asserts this fact twice")
        self._seen.add(key)
        if e == self.tx and a in TIMES:
            self._times[a] = value.value

    def close(self) -> None:
        """`Conflict` when the times in the receipt are not those in the facts."""
        at = self._times.get(genesis.AT)
        if at != self._at or self._times.get(genesis.IMPORTED_AT, at) != self._origin_at:
            raise errors.Conflict(f"the times in the receipt of transaction {self.tx} are not those of its facts")


class Payload(NamedTuple):
    """What a payload says about identities: those it lists, and those its facts mention."""

    listed: list[Key]
    asserted: set[Key]
    mentioned: set[Key]


def check_created(record: dict, gid: bytes, created: list[Key], known: dict[Key, int], where: str) -> None:
    """A receipt creates what its payload lists and was not there before, then what else the payload mentions."""
    payload = _payload(record, where)
    expected = [key for key in payload.listed if key not in known and (isinstance(key, str) or key in payload.asserted)]
    further = created[len(expected) :]
    if created[: len(expected)] != expected or not payload.mentioned.issuperset(further):
        raise errors.Conflict(f"{where}: created is not what the payload of the event creates")
    positions = {key: ordinal for ordinal, key in reversed(list(enumerate(payload.listed)))}
    for key in expected:
        if isinstance(key, bytes) and key != identities.derived_gid(gid, positions[key]):
            raise errors.Conflict(
                f"{where}: {identities.uuid_text(key)} is not derived from its event and its position"
            )


def _payload(record: dict, where: str) -> Payload:
    listed = list(dict.fromkeys(tuples.selector_key(selector, where) for selector in record["created"]))
    asserted = _mentions(record["asserted"], where) | _mentions(
        [[None, *fact] for fact in record.get("tx_facts", ()) if isinstance(fact, list)], where
    )
    return Payload(listed, asserted, asserted | _mentions(record["retracted"], where))


def _mentions(facts: list, where: str) -> set[Key]:
    """The identities in a list of facts; an entity of None stands for the transaction."""
    found: set[Key] = set()
    for fact in facts:
        if not isinstance(fact, list) or len(fact) != 4 or not isinstance(fact[1], str):
            raise errors.TypeError(f"{where}: {errors.quote(fact)} is not a fact", param=where)
        if fact[0] is not None:
            found.add(tuples.selector_key(fact[0], where))
        found.add(fact[1])
        if fact[3] == "ref":
            found.add(tuples.ref_key(fact[2], where))
    return found


def _comparable(fact: list) -> tuple:
    """Entity, attribute, value and type of a fact in a form that can be compared and hashed."""
    entity, attribute, value, tag = fact[:4]
    if isinstance(entity, dict):
        entity = (entity.get("eid"),)
    if isinstance(value, dict):
        ref = value.get("ref")
        value = (ref,) if isinstance(ref, str) else (verbatim.ENCODER.encode(value),)
    return entity, attribute, value, tag
