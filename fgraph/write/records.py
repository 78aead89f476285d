"""Records: maps of attributes that find or create their entity, with lists, nested records and upserts."""

from collections.abc import Iterator, Mapping

from fgraph import errors
from fgraph.file import genesis
from fgraph.values import logical
from fgraph.values.logical import REF, Stored
from fgraph.write import position
from fgraph.write.operations import TX
from fgraph.write.resolve import Resolver, check_token, is_tempid

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
            _refuse_owned(resolver, name, number, value)
            resolver.add(TX, number, value, name)


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
    if is_tempid(selector):
        return resolver.allocation.tokens.get(check_token(selector["tmp"], where))
    return resolver.entity(selector, where)


def _entity(resolver: Resolver, record: Mapping, names: list[str], where: str) -> int:
    owner = _owner(resolver, record, names, where)
    if "id" not in record:
        return resolver.allocation.anonymous() if owner is None else owner
    selector = record["id"]
    if is_tempid(selector):
        return _tempid(resolver, check_token(selector["tmp"], where), owner, where)
    entity = resolver.entity(selector, where)
    if owner is not None and owner != entity:
        raise _two_owners(resolver, entity, owner, where)
    return entity


def _tempid(resolver: Resolver, token: str, owner: int | None, where: str) -> int:
    bound = resolver.allocation.tokens.get(token)
    if bound is None:
        return resolver.allocation.bind(token, resolver.allocation.anonymous() if owner is None else owner)
    if owner is not None and owner != bound:
        raise _two_owners(resolver, bound, owner, where)
    return bound


def _owner(resolver: Resolver, record: Mapping, names: list[str], where: str) -> int | None:
    """The one entity that already holds a unique value of the record."""
    owners: set[int] = set()
    if resolver.position.uniques:
        for name in names:
            number = resolver.allocation.id_of(name)
            if number in resolver.position.uniques:
                owners.update(_owners_of(resolver, number, record[name], name))
    if len(owners) > 1:
        raise _two_owners(resolver, *sorted(owners)[:2], where)
    return owners.pop() if owners else None


def _owners_of(resolver: Resolver, attribute: int, wires: object, where: str) -> Iterator[int]:
    for wire in wires if isinstance(wires, list) else [wires]:
        try:
            found = resolver.owner(attribute, resolver.value(wire, where))
        except (errors.NotFound, errors.TypeError):
            # The same value is judged again when it is asserted, with its own error.
            continue
        if found is not None:
            yield found


def _attribute(resolver: Resolver, entity: int, name: str, wires: object, where: str) -> None:
    number = resolver.attribute(name, where)
    if not isinstance(wires, list):
        resolver.add(entity, number, _value(resolver, name, number, wires, where), name)
        return
    for value in _values(resolver, name, number, wires, where):
        resolver.add(entity, number, value, name)


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
    if resolver.direct and number in (*position.AUDIT, *position.DECLARING, *position.SHAPE_DEFINITION):
        raise errors.SchemaError(f"tx: {name} does not describe a transaction", param="tx", hint="leave it out")


def _refuse_owned(resolver: Resolver, name: str, attribute: int, value: Stored) -> None:
    if attribute in resolver.position.uniques and resolver.owner(attribute, value) is not None:
        raise errors.Conflict(
            f"tx: another entity already holds this value of {name}, which is unique",
            param=name,
            hint="use another value",
        )


def _two_owners(resolver: Resolver, first: int, second: int, where: str) -> errors.Conflict:
    names = sorted((describe(resolver, first), describe(resolver, second)))
    return errors.Conflict(
        f"{where} names two entities at once: {names[0]} and {names[1]}",
        param=where,
        hint="its unique values belong to different entities; write about one of them",
    )


def describe(resolver: Resolver, entity: int) -> str:
    """An entity as the caller knows it: its tempid, its name, else its id."""
    for token, number in resolver.allocation.tokens.items():
        if number == entity:
            return f"tempid {errors.quote(token)}"
    if resolver.allocation.is_new(entity):
        name = resolver.allocation.created[entity - resolver.allocation.start].name
        return "a new entity" if name is None else errors.quote(name)
    return errors.quote(resolver.reader.label(entity))
