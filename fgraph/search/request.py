"""A search request: its arguments, checked in the documented order before anything is looked up."""

import re
import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.file.reader import Reader
from fgraph.read import selectors
from fgraph.schema.declarations import declarations
from fgraph.values import logical
from fgraph.values.canonical import is_unicode, lone_surrogate
from fgraph.values.logical import VECTOR, Stored

# Letters, digits and `_`, with the combining marks that full-text search counts as part of a letter.
TOKEN = re.compile("\\w[\\w\u0300-\u036f]*")
MATCHES = ("any", "all")


class Filter(NamedTuple):
    """Only entities that hold this value; an attribute that nobody knows has no id."""

    attribute: int | None
    value: Stored


class VectorQuery(NamedTuple):
    """The query vector as the float32 values that it was rounded to, and the attribute it is compared with."""

    attribute: int
    elements: tuple[float, ...]


class Request(NamedTuple):
    """What is looked for, and how much of it."""

    text: str
    tokens: tuple[str, ...]
    vector: VectorQuery | None
    k: int
    expand: int
    filters: tuple[Filter, ...]
    text_attributes: tuple[int, ...]
    match: str

    @property
    def list_cap(self) -> int:
        """Entities of one candidate list."""
        wanted = limits.SEARCH_LIST_PER_HIT * self.k
        return min(limits.SEARCH_LIST_MAX, max(limits.SEARCH_LIST_MIN, wanted))


def check(
    reader: Reader,
    text: object,
    vector: object,
    k: object,
    expand: object,
    filters: object,
    vector_attribute: object,
    text_attributes: object,
    options: Mapping[str, object],
) -> Request:
    """The checked request; raises `Unsupported`, `TypeError` or `NotFound` at the first thing wrong with it."""
    if not reader.live:
        raise errors.Unsupported("a view of the past cannot be searched", hint="search the present, then look back")
    match = _match(options)
    wanted = _text(text)
    if wanted is None and vector is None:
        raise errors.TypeError("neither text nor vector is given", param="text", hint="give at least one of them")
    elements = _sequence(vector, "vector")
    attribute = _vector_attribute(elements, vector_attribute)
    _integer("k", k, 1, limits.SEARCH_K)
    _integer("expand", expand, 0, limits.SEARCH_EXPAND)
    pairs = _pairs(filters)
    names = _names(text_attributes)
    tokens = _tokens(wanted or "")
    return Request(
        text=wanted or "",
        tokens=tokens,
        filters=tuple(_filter(reader, number, *pair) for number, pair in enumerate(pairs)),
        text_attributes=tuple(_text_attribute(reader, name) for name in names) if tokens else (),
        vector=None if elements is None else _vector(reader, attribute, elements),
        k=k,
        expand=expand,
        match=match,
    )


def _match(options: Mapping[str, object]) -> str:
    for name in options:
        if name != "match":
            raise errors.TypeError(f"search has no option {errors.quote(name)}", param=name, hint="the option is match")
    match = options.get("match", "any")
    if match not in MATCHES:
        raise errors.TypeError(f"match is {errors.quote(match)}", param="match", hint='use "any" or "all"')
    return match


def _text(text: object) -> str | None:
    """The text, or None where it is blank or absent."""
    if text is not None and not isinstance(text, str):
        raise errors.TypeError(f"text is {errors.quote(text)}, not text", param="text")
    if text and not is_unicode(text):
        raise lone_surrogate("text")
    return text if text and not text.isspace() else None


def _tokens(text: str) -> tuple[str, ...]:
    """The words of the text; of a very long one each only once, because full-text search takes its time for each."""
    tokens = TOKEN.findall(text)
    return tuple(tokens if len(tokens) <= limits.SEARCH_TOKENS else dict.fromkeys(tokens))


def _sequence(value: object, param: str) -> list | None:
    if value is None and param == "vector":
        return None
    plain = isinstance(value, Sequence) or (hasattr(value, "__getitem__") and hasattr(value, "__len__"))
    if not plain or isinstance(value, str | bytes | bytearray | Mapping):
        raise errors.TypeError(f"{param} is {errors.quote(value)}, not a list", param=param)
    return list(value)


def _vector_attribute(elements: list | None, name: object) -> str | None:
    if name is not None and (not isinstance(name, str) or not name.strip()):
        raise errors.TypeError(
            f"vector_attribute is {errors.quote(name)}", param="vector_attribute", hint="name an attribute"
        )
    if (elements is None) != (name is None):
        raise errors.TypeError(
            "vector and vector_attribute belong together", param="vector_attribute", hint="give both or neither"
        )
    return name


def _integer(param: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise errors.TypeError(
            f"{param} is {errors.quote(value)}", param=param, hint=f"use an integer from {least} to {most}"
        )


def _pairs(filters: object) -> list[tuple]:
    """The filters as pairs whose first half is text."""
    pairs = _sequence(filters, "filters")
    _count("filters", pairs, limits.SEARCH_FILTERS)
    for number, pair in enumerate(pairs):
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise errors.TypeError(
                f"filters: {errors.quote(pair)} is not a pair",
                param=f"filters.{number}",
                hint="write [attribute, value]",
            )
    return [tuple(pair) for pair in pairs]


def _names(text_attributes: object) -> list[str]:
    names = _sequence(text_attributes, "text_attributes")
    _count("text_attributes", names, limits.SEARCH_TEXT_ATTRIBUTES)
    for number, name in enumerate(names):
        if not isinstance(name, str) or not name:
            raise errors.TypeError(
                f"text_attributes: {errors.quote(name)} is not a name", param=f"text_attributes.{number}"
            )
    return names


def _count(param: str, items: list, most: int) -> None:
    if len(items) > most:
        raise errors.TypeError(f"{param} has {len(items)} items", param=param, hint=f"give at most {most}")


def _filter(reader: Reader, number: int, name: str, wire: object) -> Filter:
    param = f"filters.{number}"
    value = logical.encode_value(wire, lambda inner: selectors.resolve(reader, inner, param), param)
    attribute = reader.id_of(name)
    if attribute is not None:
        selectors.check_type(name, declarations(reader).type_of(attribute), value, param)
    return Filter(attribute, value)


def _known_attribute(reader: Reader, name: str, param: str, wanted: str) -> tuple[int, str | None]:
    """Id and declared type of an attribute that may hold values of the `wanted` type."""
    attribute = reader.id_of(name)
    if attribute is None:
        raise errors.NotFound(
            f"{param} {errors.quote(name)} does not exist",
            param=param,
            code="unknown_attribute",
            hint="list the schema for the attributes in use",
        )
    declared = declarations(reader).type_of(attribute)
    if declared not in (None, wanted):
        raise errors.TypeError(f"{param}: {name} holds values of type {declared}, not {wanted}", param=param)
    return attribute, declared


def _text_attribute(reader: Reader, name: str) -> int:
    return _known_attribute(reader, name, "text_attributes", "text")[0]


def _vector(reader: Reader, name: str, elements: list) -> VectorQuery:
    if not elements:
        raise errors.TypeError("vector is empty", param="vector")
    if len(elements) > limits.VECTOR_ELEMENTS:
        raise errors.TypeError(
            f"vector has {len(elements)} elements", param="vector", hint=f"at most {limits.VECTOR_ELEMENTS}"
        )
    data = logical.pack_vector(elements, "vector")
    rounded = struct.unpack(f"<{len(elements)}f", data)
    if not any(rounded):
        raise errors.TypeError("vector is all zero, so it has no direction", param="vector")
    attribute, declared = _known_attribute(reader, name, "vector_attribute", "vector")
    dims = declarations(reader).of(attribute).dims or _dims_in_use(reader, attribute)
    if dims is None and declared is None:
        raise errors.TypeError(f"vector_attribute: {name} holds no vector", param="vector_attribute")
    if dims is not None and dims != len(elements):
        raise errors.TypeError(
            f"vector has {len(elements)} elements, the vectors of {name} have {dims}", param="vector"
        )
    return VectorQuery(attribute, rounded)


def _dims_in_use(reader: Reader, attribute: int) -> int | None:
    """Elements of the oldest live vector of an attribute."""
    sql = """
        SELECT length(b.data) / 4
        FROM fgraph_facts f INDEXED BY fgraph_avet
        JOIN fgraph_blobs b ON b.hash = f.v
        WHERE f.a = ? AND f.t = ? AND f.rx IS NULL
        ORDER BY f.id
        LIMIT 1
    """
    rows = reader.fetch(sql, (attribute, VECTOR))
    return rows[0][0] if rows else None
