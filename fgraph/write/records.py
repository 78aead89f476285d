"""Records: maps of attributes that find or create their entity, with lists, nested records and upserts."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fgraph import errors
from fgraph.file import genesis
from fgraph.schema.shapes import DEFINITION
from fgraph.values import logical
from fgraph.values.logical import REF, Stored
from fgraph.write import position
from fgraph.write.operations import TX
from fgraph.write.resolve import Resolver, check_token


class Owned(NamedTuple):
    """A unique value of a record, and the entity that holds it already."""

    entity: int
    attribute: str
    wire: object


PROVENANCE = ("fgraph/at", "fgraph/by", "fgraph/source", "fgraph/meta")


def read_record(resolver: Resolver, record: Mapping, where: str) -> int | None:
    """Take in one record and its nested ones; returns its entity, None for a record that selects nothing."""
    names = attribute_names(record, where)
    if not names:
        return _bare(resolver, record, where)
    entity = _entity(resolver, record, names, where)
    resolver.guard(entity, where)
    for name in names:
        _attribute(resolver, entity, name, record[name], where)
    return entity


def read_transaction_facts(resolver: Resolver, record: Mapping) -> None:
    """Take in the `tx` option: facts about the transaction itself."""
    names = attribute_names(record, "tx")
    if "id" in record:
        raise errors.SchemaError("tx: id cannot be set", param="tx", hint="the transaction names itself; leave id out")
    for name in names:
        _check_transaction_attribute(resolver, name)
        number = resolver.attribute(name, "tx")
        for value in _values(resolver, name, number, record[name], "tx"):
            resolver.add(TX, number, value, "tx")


def attribute_names(record: Mapping, where: str) -> list[str]:
    """The keys of a record other than `id`, by code point; `TypeError` when one is not text."""
    names = [key for key in record if key != "id"]
    for key in names:
        if not isinstance(key, str):
            raise errors.TypeError(f"{where} has the key {errors.quote(key)}", param=where, hint="keys are text")
    return sorted(names)


def _bare(resolver: Resolver, record: Mapping, where: str) -> int | None:
    """A record without attributes: it may create a name, and otherwise only checks its selector."""
    if "id" not in record:
        return None
    selector = record["id"]
    if logical.is_single(selector, "tmp"):
        return resolver.allocation.tokens.get(check_token(selector["tmp"], where))
    return resolver.entity(selector, where)


def _entity(resolver: Resolver, record: Mapping, names: list[str], where: str) -> int:
    owned = _owned(resolver, record, names, where)
    if "id" not in record:
        return resolver.allocation.anonymous() if owned is None else owned.entity
    selector = record["id"]
    if logical.is_single(selector, "tmp"):
        return _tempid(resolver, check_token(selector["tmp"], where), owned, where)
    entity = resolver.entity(selector, where)
    if owned is not None and owned.entity != entity:
        raise _contradiction(where, f"is about {describe(resolver, entity)}, but", resolver, [owned])
    return entity


def _tempid(resolver: Resolver, token: str, owned: Owned | None, where: str) -> int:
    bound = resolver.allocation.tokens.get(token)
    if bound is None:
        return resolver.allocation.bind(token, resolver.allocation.anonymous() if owned is None else owned.entity)
    if owned is not None and owned.entity != bound:
        raise _contradiction(where, f"uses {_token(token)}, which stands for another entity, but", resolver, [owned])
    return bound


def _owned(resolver: Resolver, record: Mapping, names: list[str], where: str) -> Owned | None:
    """The unique value of the record that an entity holds already, if there is one such entity."""
    owners: dict[int, Owned] = {}
    if resolver.position.uniques:
        for name in names:
            number = resolver.allocation.id_of(name)
            if number in resolver.position.uniques:
                for value, wire in _probed(resolver, record[name], name):
                    for entity in resolver.owners(number, value):
                        owners.setdefault(entity, Owned(entity, name, wire))
    if len(owners) > 1:
        raise _contradiction(where, "names several entities at once:", resolver, list(owners.values()))
    return owners.popitem()[1] if owners else None


def _probed(resolver: Resolver, wires: object, where: str) -> Iterator[tuple[Stored, object]]:
    for wire in wires if isinstance(wires, list) else [wires]:
        try:
            yield resolver.value(wire, where), wire
        except (errors.NotFound, errors.TypeError):
            # The same value is judged again when it is asserted, with its own error.
            continue


def _attribute(resolver: Resolver, entity: int, name: str, wires: object, where: str) -> None:
    number = resolver.attribute(name, where)
    if not isinstance(wires, list):
        resolver.add(entity, number, _value(resolver, name, number, wires, where), where)
        return
    for value in _values(resolver, name, number, wires, where):
        resolver.add(entity, number, value, where)


def _values(resolver: Resolver, name: str, attribute: int, wires: object, where: str) -> Iterator[Stored]:
    """The values of one attribute, each resolved just before it is asserted; duplicates collapse."""
    if not isinstance(wires, list):
        yield _value(resolver, name, attribute, wires, where)
        return
    if not resolver.position.of(attribute).many:
        raise errors.Conflict(
            f"{where}: {name} takes one value for an entity, not a list",
            param=name,
            hint=f"declare {name} many, or give one value",
        )
    for wire in wires:
        yield _value(resolver, name, attribute, wire, where)


def _value(resolver: Resolver, name: str, attribute: int, wire: object, where: str) -> Stored:
    if type(wire) in logical.SCALARS or not logical.is_map(wire) or logical.is_wrapper(wire):
        return resolver.value(wire, name)
    if resolver.position.of(attribute).type != "ref":
        raise errors.TypeError(
            f"{where}: {name} is not declared as ref, so it cannot hold the record {errors.quote(dict(wire))}",
            param=name,
            hint=f'declare {name} as ref, or wrap the value as {{"json": ..}}',
        )
    return Stored(REF, _child(resolver, wire, where))


def _child(resolver: Resolver, record: Mapping, where: str) -> int:
    """The entity of a nested record, which exists even when the record says nothing about it."""
    entity = read_record(resolver, record, where)
    if entity is None:
        entity = resolver.entity(record["id"], where) if "id" in record else resolver.allocation.anonymous()
    resolver.guard(entity, where)
    return entity


def _check_transaction_attribute(resolver: Resolver, name: str) -> None:
    number = genesis.NAMES.get(name)
    if name in PROVENANCE:
        raise errors.SchemaError(f"tx: {name} has its own option", param="tx", hint=f"use {name.split('/')[1]}=")
    if resolver.direct and number in (*position.AUDIT, *position.DECLARING, *DEFINITION):
        raise errors.SchemaError(f"tx: {name} does not describe a transaction", param="tx", hint="leave it out")


def _contradiction(where: str, what: str, resolver: Resolver, owned: list[Owned]) -> errors.Conflict:
    holders = [f"{describe(resolver, each.entity)} has {each.attribute} {errors.quote(each.wire)}" for each in owned]
    return errors.Conflict(
        f"{where} {what} {' and '.join(sorted(holders))}",
        param=where,
        hint="a unique value has one owner; write about that one, or use another value",
    )


def _token(token: str) -> str:
    return f"tempid {errors.quote(token)}"


def describe(resolver: Resolver, entity: int) -> str:
    """An entity as the caller knows it: its tempid, its name, else its id."""
    for token, number in resolver.allocation.tokens.items():
        if number == entity:
            return _token(token)
    if entity == TX:
        return "the transaction"
    if resolver.allocation.is_new(entity):
        name = resolver.name_of(entity)
        return "a new entity" if name is None else errors.quote(name)
    return errors.quote(resolver.reader.label(entity))
