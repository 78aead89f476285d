"""The nine logical types: from a wire value to what the file stores, and back (docs/values.md)."""

import math
import struct
from base64 import b64decode, b64encode
from binascii import Error as Base64Error
from collections.abc import Callable, Mapping
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.values import canonical, instants, verbatim

REF, BOOL, INT, FLOAT, TEXT, INSTANT, BYTES, VECTOR, TEXT_REF, BYTES_REF, JSON = range(11)
TYPE_OF_TAG = ("ref", "bool", "int", "float", "text", "instant", "bytes", "vector", "text", "bytes", "json")
TYPES = frozenset(TYPE_OF_TAG)
TAGS_OF_TYPE = {name: tuple(tag for tag, its in enumerate(TYPE_OF_TAG) if its == name) for name in TYPES}
INDIRECT = (VECTOR, TEXT_REF, BYTES_REF)
TEXTS = (TEXT, TEXT_REF)
WRAPPERS = frozenset({"ref", "instant", "bytes", "vector", "json"})
SCALARS = frozenset({str, int, float, bool, list, type(None)})
SURELY_INLINE = limits.INLINE_BYTES // 4  # characters; each has at most four bytes
NEGATIVE_ZERO = b"\0\0\0\x80"  # a float32, little-endian

Resolve = Callable[[object], int]
Label = Callable[[int], object]


class Stored(NamedTuple):
    """What the file keeps of one value: tag and column `v`, and for the indirect tags the payload behind the key."""

    tag: int
    value: int | float | str | bytes
    payload: str | bytes | None = None

    @property
    def key(self) -> tuple[int, object]:
        """Two values are the same iff their keys are equal."""
        return self[:2]

    @property
    def type(self) -> str:
        return TYPE_OF_TAG[self.tag]

    @property
    def text(self) -> str | None:
        """The whole text of a text value, whichever way it is stored; None for other types."""
        if self.tag == TEXT:
            return self.value
        return self.payload if self.tag == TEXT_REF else None


def type_of(tag: int) -> str:
    """The logical type of a tag that was read from a file."""
    if tag not in range(len(TYPE_OF_TAG)):
        raise damaged(f"there is no value tag {errors.quote(tag)}")
    return TYPE_OF_TAG[tag]


def blob_key(tag: int, payload: str | bytes) -> bytes:
    """The 32-byte key under which a payload is kept; the tag is part of it."""
    import hashlib  # loads OpenSSL: not before it is needed

    data = payload.encode() if isinstance(payload, str) else payload
    return hashlib.sha256(bytes((tag,)) + data).digest()


def encode_value(wire: object, resolve_ref: Resolve, where: str = "value") -> Stored:
    """The stored form of one wire value.

    `resolve_ref` turns the content of `{"ref": ...}` into an identity. `where` names the value in messages.
    Raises `TypeError` for what is no value, `TooLarge` beyond 1 MiB, and whatever `resolve_ref` raises.
    """
    if isinstance(wire, str):
        return encode_text(wire, where)
    if isinstance(wire, bool):
        return Stored(BOOL, int(wire))
    if isinstance(wire, int):
        return Stored(INT, int(canonical.check_int64(wire, where)))
    if isinstance(wire, float):
        return _encode_float(wire, where)
    if isinstance(wire, bytes | bytearray | memoryview):
        return _store_bytes(bytes(wire), where)
    if is_map(wire):
        return _encode_wrapper(wire, resolve_ref, where)
    micros = datetime_micros(wire, where)
    if micros is not None:
        return Stored(INSTANT, micros)
    raise _no_value(wire, where)


def encode_text(text: str, where: str = "value") -> Stored:
    """The stored form of a text: inline up to 256 UTF-8 bytes, behind a key up to 1 MiB."""
    if type(text) is not str:
        text = str.__str__(text)
    if text.isascii():
        size = len(text)
    else:
        try:
            size = len(text.encode())
        except UnicodeEncodeError:
            raise canonical.lone_surrogate(where) from None
    if size <= limits.INLINE_BYTES:
        return Stored(TEXT, text)
    _check_size(size, where)
    return Stored(TEXT_REF, blob_key(TEXT_REF, text), text)


def encode_json(value: object, where: str = "value") -> Stored:
    """The stored form of any JSON value: its canonical text, always inline."""
    text = canonical.canonical(value, where, depth=limits.VALUE_DEPTH)
    _check_size(len(text.encode()), where)
    return Stored(JSON, text)


def is_map(value: object) -> bool:
    """Whether a value is a mapping; asking for a dict first, because the abstract question is ten times slower."""
    return isinstance(value, dict) or (type(value) not in SCALARS and isinstance(value, Mapping))


def is_single(value: object, key: str) -> bool:
    """Whether a value is a map of just this key, such as `{"eid": ...}`."""
    return is_map(value) and len(value) == 1 and key in value


def is_wrapper(value: object) -> bool:
    """Whether a wire value is a one-key typed wrapper such as `{"ref": ...}`."""
    return is_map(value) and len(value) == 1 and next(iter(value)) in WRAPPERS


def render(tag: int, value: object, blob: object, label: Label) -> object:
    """The wire form of a stored value; `blob` is the payload row of the indirect tags, `label` names an identity.

    Raises `FormatError` when the row cannot be what a sound file holds.
    """
    if tag == TEXT and type(value) is str and len(value) <= SURELY_INLINE:
        return value
    check_storage(tag, value)
    if tag in (INT, FLOAT, TEXT):
        return value
    if tag == BOOL:
        return value == 1
    if tag == REF:
        return {"ref": label(value)}
    if tag == INSTANT:
        return {"instant": instants.format_instant(value)}
    if tag == BYTES:
        return {"bytes": b64encode(value).decode()}
    if tag == JSON:
        return {"json": _parse_stored_json(value)}
    return render_payload(tag, check_blob(tag, value, blob))


def render_payload(tag: int, payload: str | bytes) -> object:
    """The wire form of an indirect value from its payload."""
    if tag == TEXT_REF:
        return payload
    if tag == BYTES_REF:
        return {"bytes": b64encode(payload).decode()}
    elements = struct.unpack(f"<{len(payload) // 4}f", payload)
    if not math.isfinite(sum(elements)):  # doubles cannot overflow here, so the sum is finite iff all elements are
        raise damaged("a vector holds what is no number")
    return {"vector": list(elements)}


def render_stored(stored: Stored, label: Label) -> object:
    """The wire form of a value that was just encoded, without looking at the file."""
    if stored.tag in INDIRECT:
        return render_payload(stored.tag, stored.payload)
    return render(stored.tag, stored.value, None, label)


def check_blob(tag: int, key: object, blob: object) -> str | bytes:
    """The payload behind an indirect value, after checking storage class, size and digest."""
    expected = str if tag == TEXT_REF else bytes
    if not isinstance(key, bytes) or len(key) != 32:
        raise damaged("an indirect value has no 32-byte key")
    if not isinstance(blob, expected):
        raise damaged("the payload of an indirect value is missing or of the wrong kind")
    size = len(blob.encode()) if isinstance(blob, str) else len(blob)
    if tag == VECTOR and (size == 0 or size % 4) or tag != VECTOR and size <= limits.INLINE_BYTES:
        raise damaged("the payload of an indirect value has an impossible length")
    if size > limits.VALUE_BYTES or blob_key(tag, blob) != key:
        raise damaged("the payload of an indirect value does not match its key")
    return blob


def damaged(what: str) -> errors.FormatError:
    """The error for a row that no sound file holds."""
    return errors.FormatError(f"the file is damaged: {what}", hint="run doctor, and restore a backup where it says so")


def _encode_float(value: float, where: str) -> Stored:
    if not -canonical.INF < value < canonical.INF:
        raise errors.TypeError(f"{where} is {value!r}", param=where, hint="only finite numbers can be kept")
    return Stored(FLOAT, float(value) + 0.0)  # adding zero turns -0.0 into 0.0


def _encode_wrapper(wire: Mapping, resolve_ref: Resolve, where: str) -> Stored:
    if not is_wrapper(wire):
        raise _no_value(wire, where)
    ((kind, content),) = wire.items()
    if kind == "ref":
        return Stored(REF, resolve_ref(content))
    if kind == "instant":
        aware = datetime_micros(content, where)
        return Stored(INSTANT, instants.parse_instant(content, where) if aware is None else aware)
    if kind == "bytes":
        return _store_bytes(_decode_base64(content, where), where)
    if kind == "vector":
        return encode_vector(content, where)
    return encode_json(content, where)


def encode_vector(content: object, where: str = "value") -> Stored:
    """The stored form of a list of numbers, each rounded to float32."""
    if not isinstance(content, list | tuple) or not content:
        raise errors.TypeError(
            f"{where}: {errors.quote(content)} is no vector", param=where, hint="give a non-empty list of numbers"
        )
    if len(content) > limits.VECTOR_ELEMENTS:
        raise errors.TooLarge(
            f"{where}: a vector of {len(content)} elements", param=where, hint=f"at most {limits.VECTOR_ELEMENTS}"
        )
    data = pack_vector(content, where)
    return Stored(VECTOR, blob_key(VECTOR, data), data)


def pack_vector(content: list | tuple, where: str) -> bytes:
    """Little-endian float32s with -0.0 made 0.0; `TypeError` names the first element that is not one."""
    for element in content:
        if isinstance(element, bool) or not isinstance(element, int | float):
            raise errors.TypeError(
                f"{where}: vector element {errors.quote(element)} is not a number",
                param=where,
                hint="give a list of finite numbers",
            )
    layout = f"<{len(content)}f"
    try:
        data = struct.pack(layout, *content)
        rounded = struct.unpack(layout, data)
    except (OverflowError, struct.error):
        raise _outside_float32(content, where) from None
    if not math.isfinite(sum(rounded)):
        raise _outside_float32(content, where)
    if NEGATIVE_ZERO in data:
        data = struct.pack(layout, *(element + 0.0 for element in rounded))
    return data


def _outside_float32(content: list | tuple, where: str) -> errors.TypeError:
    bound = limits.FLOAT32_MAX_ROUNDING
    element = next(element for element in content if not -bound < element < bound or abs(float(element)) >= bound)
    return errors.TypeError(
        f"{where}: vector element {errors.quote(element)} lies outside the float32 range",
        param=where,
        hint=f"the magnitude of an element is below {bound}",
    )


def _store_bytes(data: bytes, where: str) -> Stored:
    if len(data) <= limits.INLINE_BYTES:
        return Stored(BYTES, data)
    _check_size(len(data), where)
    return Stored(BYTES_REF, blob_key(BYTES_REF, data), data)


def _decode_base64(content: object, where: str) -> bytes:
    if isinstance(content, bytes | bytearray | memoryview):
        return bytes(content)
    if isinstance(content, str) and content.isascii() and not content.startswith("="):
        stripped = content.rstrip("=")
        try:
            if len(content) % 4 == 0 and len(content) - len(stripped) <= 2 and "=" not in stripped:
                return b64decode(content, validate=True)
        except (Base64Error, ValueError):
            pass
    raise errors.TypeError(
        f"{where}: {errors.quote(content)} is not base64", param=where, hint="use the standard alphabet with padding"
    )


def datetime_micros(value: object, where: str) -> int | None:
    """Microseconds of a datetime with a zone; None when the value is no datetime."""
    if isinstance(value, type) or not (hasattr(value, "utcoffset") and hasattr(value, "timetuple")):
        return None
    if value.utcoffset() is None:
        raise errors.TypeError(f"{where}: a datetime without a zone is no instant", param=where, hint="attach a tzinfo")
    moment = value.isoformat(timespec="microseconds")
    head, sign, zone = moment[:26], moment[26:27], moment[27:]
    if len(zone) != 5:
        raise errors.TypeError(
            f"{where}: the zone offset {zone} of the datetime is not whole minutes",
            param=where,
            hint="convert it to UTC",
        )
    return instants.parse_instant(f"{head}{sign}{zone}", where)


def _check_size(size: int, where: str) -> None:
    if size > limits.VALUE_BYTES:
        raise errors.TooLarge(
            f"{where} has {size} bytes", param=where, hint=f"a value has at most {limits.VALUE_BYTES} bytes; split it"
        )


def check_storage(tag: int, value: object) -> None:
    """`FormatError` unless column `v` holds what the tag promises."""
    kind = type(value)
    if tag in (REF, BOOL, INT, INSTANT):
        good = kind is int
        if tag == REF:
            good = good and value > 0
        elif tag == BOOL:
            good = good and value in (0, 1)
        elif tag == INSTANT:
            good = good and limits.INSTANT_MIN <= value <= limits.INSTANT_MAX
    elif tag == FLOAT:
        good = kind is float and -canonical.INF < value < canonical.INF
    elif tag == TEXT:
        good = kind is str and len(value.encode()) <= limits.INLINE_BYTES
    elif tag == BYTES:
        good = kind is bytes and len(value) <= limits.INLINE_BYTES
    elif tag == JSON:
        good = kind is str
    else:
        good = tag in INDIRECT
    if not good:
        raise damaged(f"a value with tag {tag} has an impossible stored form")


def _parse_stored_json(text: str) -> object:
    value = verbatim.parse_canonical(text)
    if value is verbatim.NOT_CANONICAL:
        raise damaged("a stored json value is not canonical JSON")
    # Only a text with that many brackets can be nested too deep; counting them is quick.
    if text.count("[") + text.count("{") > limits.VALUE_DEPTH and canonical.depth_exceeds(value, limits.VALUE_DEPTH):
        raise damaged("a stored json value is nested too deep")
    return value


def _no_value(wire: object, where: str) -> errors.TypeError:
    if wire is None:
        return errors.TypeError(f"{where} is null", param=where, hint='write {"json": null} to store a null')
    return errors.TypeError(
        f"{where}: {errors.quote(wire)} ({type(wire).__name__}) is not a value",
        param=where,
        hint='values are true, false, numbers, text, or one of {"ref": ..}, {"instant": ..}, {"bytes": ..}, '
        '{"vector": [..]}, {"json": ..}',
    )
