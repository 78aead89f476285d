"""How a read names an entity: local id, name, `{"eid": uuid}` or `[unique attribute, value]` (docs/concepts.md)."""

from fgraph import errors, limits
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.schema.declarations import declarations
from fgraph.values import canonical, logical
from fgraph.values.logical import Stored

FORMS = 'use a name, an integer id, {"eid": uuid} or [unique attribute, value]'


def resolve(reader: Reader, selector: object, param: str = "entity", room: int = limits.DOCUMENT_DEPTH) -> int:
    """The identity that a selector names at the reader's basis.

    Raises `NotFound` when there is none, `TypeError` for an ill-formed selector, `SchemaError` for a lookup by an
    attribute that is not unique, `TooLarge` for more than `room` lookups inside one another.
    """
    found = find(reader, selector, param, room)
    if found is None:
        raise _not_yet(reader, selector, param) or not_found(selector, param)
    return found


def find(reader: Reader, selector: object, param: str = "entity", room: int = limits.DOCUMENT_DEPTH) -> int | None:
    """As `resolve`, but None for a well-formed selector that names nothing."""
    if isinstance(selector, str):
        if not canonical.is_unicode(selector):
            raise canonical.lone_surrogate(param)
        return reader.id_of(selector)
    if isinstance(selector, int) and not isinstance(selector, bool):
        canonical.check_int64(selector, param)
        return None if reader.identity(selector) is None else selector
    if logical.is_single(selector, "eid"):
        found = reader.store.registry.by_gid(identities.parse_uuid(selector["eid"], param))
        return found.id if found is not None and found.created_tx <= reader.basis else None
    if isinstance(selector, list | tuple) and len(selector) == 2:
        return _lookup(reader, selector[0], selector[1], param, room)
    raise ill_formed(selector, param, FORMS)


def is_formed(selector: object) -> bool:
    """Whether a value has one of the forms of a selector, whatever it names."""
    if isinstance(selector, list | tuple):
        return len(selector) == 2
    is_number = isinstance(selector, int) and not isinstance(selector, bool)
    return is_number or isinstance(selector, str) or logical.is_single(selector, "eid")


def ill_formed(selector: object, param: str, forms: str) -> errors.TypeError:
    """The error for what is no selector; `forms` says what would be one."""
    return errors.TypeError(f"{param} {errors.quote(selector)} is not a selector", param=param, hint=forms)


def not_found(selector: object, param: str = "entity") -> errors.NotFound:
    """The error for a selector that names nothing."""
    return errors.NotFound(
        f"{param} {errors.quote(selector)} does not exist", param=param, hint="check the spelling, or search for it"
    )


def _not_yet(reader: Reader, selector: object, param: str) -> errors.NotFound | None:
    """The error for a name or id that came after the basis; None where it is not there at all, or cannot be told."""
    registry = reader.store.registry
    if isinstance(selector, str):
        later = registry.by_name(selector)
    else:
        later = registry.by_id(selector) if isinstance(selector, int) else None
    if later is None or later.created_tx <= reader.basis:
        return None
    return errors.NotFound(
        f"{param} {errors.quote(selector)} was not there yet at transaction {reader.basis}",
        param=param,
        hint=f"it came with transaction {later.created_tx}; read at that one or a later one",
    )


def _lookup(reader: Reader, attribute: object, wire: object, param: str, room: int) -> int | None:
    if room == 0:
        raise errors.TooLarge(
            f"{param}: lookups are nested deeper than {limits.DOCUMENT_DEPTH} levels",
            param=param,
            hint="look the inner entity up first",
        )
    if not isinstance(attribute, str) or not canonical.is_unicode(attribute):
        raise errors.SchemaError(
            f"{param}: the attribute of a lookup is {errors.quote(attribute)}, not text", param=param, hint=FORMS
        )
    number = reader.id_of(attribute)
    if number is None:
        return None
    declared = declarations(reader).of(number)
    if not declared.unique:
        raise errors.SchemaError(
            f"{param}: {attribute} is not unique, so it cannot be used in a lookup",
            param=param,
            hint="declare it unique, or name the entity",
        )
    value = logical.encode_value(wire, lambda inner: resolve(reader, inner, param, room - 1), param)
    check_type(attribute, declared.type, value, param)
    return owner(reader, number, value)


def owner(reader: Reader, attribute: int, value: Stored) -> int | None:
    """The entity that holds this value of this attribute at the basis, lowest id first."""
    sql = f"""
        SELECT e FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a = ? AND t = ? AND v = ? AND {reader.visible()}
        ORDER BY e LIMIT 1
    """
    rows = reader.fetch(sql, (attribute, value.tag, value.value))
    return rows[0][0] if rows else None


def check_attribute(name: object, where: str, forms: str) -> str:
    """The name, if it can be that of an attribute, else `QueryError`; `forms` says what may stand there."""
    if not identities.is_attribute(name):
        raise errors.QueryError(f"{where}: {errors.quote(name)} is not an attribute name", param=where, hint=forms)
    if name.startswith(genesis.PREFIX) and name not in genesis.NAMES:
        raise errors.QueryError(
            f"{where}: {errors.quote(name)} is not one of the system attributes",
            param=where,
            hint=f"those are {', '.join(sorted(genesis.NAMES))}",
        )
    return name


def check_type(attribute: str, declared: str | None, value: Stored, param: str) -> None:
    """`TypeError` unless the value has the declared type of its attribute."""
    if declared is not None and value.type != declared:
        raise errors.TypeError(
            f"{param}: {attribute} takes values of type {declared}, not {value.type}",
            param=param,
            hint=f"write the value as {declared}",
        )
