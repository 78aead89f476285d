"""The parts of a fact as streams write it: selectors, event ids and tagged values, checked (docs/streams.md)."""

from collections.abc import Callable

from fgraph import errors
from fgraph.file import identities
from fgraph.values import logical
from fgraph.values.logical import Stored

# A name, or the sixteen bytes of an anonymous identity or a transaction.
Key = str | bytes
RFC_VARIANT = "89ab"


def selector_key(selector: object, where: str) -> Key:
    """The name or global id that a selector stands for; names are not examined.

    Raises `TypeError` unless it is text or `{"eid": uuid}` with a lower-case, hyphenated RFC 4122 UUID.
    """
    if isinstance(selector, str):
        return selector
    if isinstance(selector, dict) and len(selector) == 1:
        text = selector.get("eid")
        if isinstance(text, str) and identities.UUID_TEXT.fullmatch(text) and text[19] in RFC_VARIANT:
            return bytes.fromhex(text.replace("-", ""))
    raise errors.TypeError(
        f"{where}: {errors.quote(selector)} is not a selector",
        param=where,
        hint='write a name, or {"eid": uuid} with a lower-case RFC 4122 UUID',
    )


def event_key(text: object, where: str) -> bytes:
    """The sixteen bytes of an event id in canonical spelling; `TypeError` for any other spelling or version."""
    if isinstance(text, str) and text == text.lower():
        return identities.event_id(text, where)
    raise errors.TypeError(
        f"{where} {errors.quote(text)} is not a lower-case, hyphenated UUID", param=where, hint="send it as it came"
    )


def ref_key(wire: object, where: str) -> Key:
    """The selector key inside `{"ref": selector}`."""
    if isinstance(wire, dict) and len(wire) == 1 and "ref" in wire:
        return selector_key(wire["ref"], where)
    raise errors.TypeError(
        f"{where}: {errors.quote(wire)} is not a reference", param=where, hint='write {"ref": selector}'
    )


def tagged_value(wire: object, tag: object, resolve: Callable[[Key], int], where: str) -> Stored:
    """The stored form of a wire value with its type beside it; `resolve` turns a selector key into an identity.

    An integer token is taken for a float, as canonical JSON writes integral floats without a fraction. Raises
    `TypeError` when value and type do not agree, `TooLarge` beyond the bounds of a value.
    """
    if tag == "text" and type(wire) is str:
        return logical.encode_text(wire, where)
    if tag == "ref":
        return Stored(logical.REF, resolve(ref_key(wire, where)))
    if tag == "float" and type(wire) is int:
        wire = float(wire)
    if not isinstance(tag, str) or tag not in logical.TYPES:
        raise errors.TypeError(
            f"{where}: {errors.quote(tag)} is not a type",
            param=where,
            hint=f"one of {', '.join(sorted(logical.TYPES))}",
        )
    stored = logical.encode_value(wire, lambda _: 0, where)
    if stored.type != tag:
        raise errors.TypeError(
            f"{where}: {errors.quote(wire)} is of type {stored.type}, not {tag}",
            param=where,
            hint="write the right type",
        )
    return stored
