"""One event/1 record coming in, checked up to where the receiving file matters (docs/streams.md)."""

import hashlib
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file import identities
from fgraph.portable import tuples
from fgraph.portable.lines import Line
from fgraph.portable.tuples import Key
from fgraph.read import events
from fgraph.values import verbatim

RESERVED = frozenset({"fgraph/at", "fgraph/by", "fgraph/source", "fgraph/meta", "fgraph/excised", "fgraph/imported-at"})


class Incoming(NamedTuple):
    """An event as it came: its record, canonical text and digest, and its id."""

    record: dict
    text: str
    digest: bytes
    gid: bytes
    where: str


class Wire(NamedTuple):
    """One fact of an event: the entity (None for the transaction), the attribute, and the value with its type."""

    entity: Key | None
    attribute: str
    value: object
    type: object


class Content(NamedTuple):
    """The parts of a checked event, in the order in which identities are allocated."""

    created: list[Key]
    retracted: list[Wire]
    asserted: list[Wire]
    about: list[Wire]


def parse(line: Line) -> Incoming:
    """The event of one line, as far as it has to be understood to tell whether it is known already.

    Raises `TypeError` unless it is strict JSON, an event/1 record without unknown keys, with a canonical event id;
    `TooLarge` for nesting and size.
    """
    record, text = verbatim.canonical_text(line.text, f"the record on {line.where}")
    where = line.where
    if not isinstance(record, dict) or record.get("fgraph") != events.FORMAT:
        raise errors.TypeError(
            f"{where} is not an {events.FORMAT} record", param="source", hint="send the output of tail"
        )
    unknown = record.keys() - events.KNOWN
    if unknown:
        raise errors.TypeError(
            f"{where} has the key {errors.quote(min(unknown))}",
            param="source",
            hint="redaction records and stubs cannot be applied" if "redacted" in unknown else "leave it out",
        )
    gid = tuples.event_key(record.get("event"), f"{where}: event")
    data = text.encode()
    if len(data) > limits.EVENT_BYTES:
        raise errors.TooLarge(f"{where}: the event has {len(data)} bytes", hint=f"at most {limits.EVENT_BYTES}")
    return Incoming(record, text, hashlib.sha256(data).digest(), gid, where)


def content(event: Incoming) -> Content:
    """The parts of an event that is new to the file; `TypeError` where one is malformed.

    Raises `Conflict` for an anonymous identity that does not derive from the event and its position in `created`.
    """
    record, where = event.record, event.where
    if not events.is_time(record.get("at")):
        raise errors.TypeError(
            f"{where}: at is {errors.quote(record.get('at'))}", param="at", hint="integer microseconds"
        )
    for name in (*events.LISTS, "tx_facts"):
        if not isinstance(record.get(name, [] if name == "tx_facts" else None), list):
            raise errors.TypeError(f"{where}: {name} is {errors.quote(record.get(name))}, not a list", param=name)
    created = [_created(event, selector) for selector in record["created"]]
    retracted = [_fact(fact, f"{where}: retracted") for fact in record["retracted"]]
    asserted = [_fact(fact, f"{where}: asserted") for fact in record["asserted"]]
    about = [_transaction_fact(fact, f"{where}: tx_facts") for fact in record.get("tx_facts", ())]
    for name in ("by", "source"):
        if not isinstance(record.get(name, ""), str):
            raise errors.TypeError(f"{where}: {name} is {errors.quote(record[name])}, not text", param=name)
    _check_derived(event, created)
    return Content(created, retracted, asserted, sorted(about, key=lambda fact: fact.attribute))


def _created(event: Incoming, selector: object) -> Key:
    key = tuples.selector_key(selector, f"{event.where}: created")
    if key == event.gid:
        raise errors.Conflict(f"{event.where}: created lists the event itself", param="created")
    if isinstance(key, str):
        identities.check_name(key, f"{event.where}: created")
    return key


def _fact(fact: object, where: str) -> Wire:
    if not isinstance(fact, list) or len(fact) != 4 or not isinstance(fact[1], str):
        raise errors.TypeError(f"{where}: {errors.quote(fact)} is not [entity, attribute, value, type]", param=where)
    entity, attribute, value, kind = fact
    return Wire(tuples.selector_key(entity, where), attribute, value, kind)


def _transaction_fact(fact: object, where: str) -> Wire:
    if not isinstance(fact, list) or len(fact) != 3 or not isinstance(fact[0], str):
        raise errors.TypeError(f"{where}: {errors.quote(fact)} is not [attribute, value, type]", param=where)
    if fact[0] in RESERVED:
        raise errors.SchemaError(f"{where}: {fact[0]} is written by fgraph itself", param=where, hint="leave it out")
    return Wire(None, *fact)


def _check_derived(event: Incoming, created: list[Key]) -> None:
    """Anonymous identities carry the id that their event and their first place in `created` give them."""
    seen: set[Key] = set()
    for ordinal, key in enumerate(created):
        if isinstance(key, bytes) and key not in seen and key != identities.derived_gid(event.gid, ordinal):
            raise errors.Conflict(
                f"{event.where}: created lists {identities.uuid_text(key)}, which does not derive from its event",
                param="created",
                hint="apply only what another fgraph file gave out",
            )
        seen.add(key)
