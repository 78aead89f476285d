"""Names, attribute names and global ids: their grammar, and the cached registry that resolves them."""

import re
import sqlite3
from collections.abc import Iterable, Iterator

from fgraph import errors, limits
from fgraph.file import genesis
from fgraph.values.canonical import is_unicode, lone_surrogate

ATTRIBUTE = re.compile(r"[a-z0-9][a-z0-9._-]*/[a-z0-9][a-z0-9._-]*")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
UUID_TEXT = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
HEX = re.compile(r"[0-9a-fA-F]{32}")


def check_name(name: object, param: str = "id") -> str:
    """`name` itself if it may name an entity: 1 to 512 UTF-8 bytes, no control characters, not a new `fgraph/...`."""
    text = check_label(name, param)
    if text.startswith(genesis.PREFIX) and text not in genesis.NAMES:
        raise errors.SchemaError(
            f"{param} {errors.quote(text)} is in the reserved namespace fgraph/",
            param=param,
            hint="choose another name",
        )
    return text


def check_label(name: object, param: str) -> str:
    """`name` itself if it has the form of an entity name or an operation id."""
    if not isinstance(name, str):
        raise errors.TypeError(
            f"{param} is {errors.quote(name)}, not text",
            param=param,
            hint=f"give 1 to {limits.NAME_BYTES} bytes of text",
        )
    try:
        size = len(name) if name.isascii() else len(name.encode())
    except UnicodeEncodeError:
        raise lone_surrogate(param) from None
    if not 1 <= size <= limits.NAME_BYTES:
        raise errors.TypeError(
            f"{param} {errors.quote(name)} has {size} bytes", param=param, hint=f"use 1 to {limits.NAME_BYTES}"
        )
    if CONTROL.search(name):
        raise errors.TypeError(
            f"{param} {errors.quote(name)} holds a control character",
            param=param,
            hint="leave out tabs, line feeds and other characters below U+0020 or from U+007F to U+009F",
        )
    return name


def check_attribute(name: object, param: str = "attribute") -> str:
    """`name` itself if it may name an attribute: `namespace/name` in lower-case ASCII, not a new `fgraph/...`."""
    if not isinstance(name, str) or not ATTRIBUTE.fullmatch(name):
        raise errors.SchemaError(
            f"{param} {errors.quote(name)} is not an attribute name",
            param=param,
            hint="write namespace/name with a-z, 0-9, '.', '_' and '-'",
        )
    # Of what a name must be, the grammar leaves these two open.
    if len(name) > limits.NAME_BYTES or name.startswith(genesis.PREFIX):
        check_name(name, param)
    return name


def is_attribute(name: object) -> bool:
    """Whether a name matches the attribute grammar."""
    return isinstance(name, str) and ATTRIBUTE.fullmatch(name) is not None


def stamped(data: bytes, version: int) -> bytes:
    """Sixteen bytes with UUID version and RFC 4122 variant set."""
    return data[:6] + bytes((data[6] & 0x0F | version << 4,)) + data[7:8] + bytes((data[8] & 0x3F | 0x80,)) + data[9:16]


def derived_gid(event: bytes, ordinal: int) -> bytes:
    """The global id of the anonymous identity at this position among those its transaction allocated."""
    import hashlib  # loads OpenSSL: not before it is needed

    return stamped(hashlib.sha1(event + ordinal.to_bytes(8, "big"), usedforsecurity=False).digest()[:16], 5)


def uuid_text(gid: bytes) -> str:
    """Hyphenated lower-case text of sixteen bytes."""
    text = gid.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def parse_uuid(value: object, param: str = "eid") -> bytes:
    """Sixteen bytes from a UUID object or its text; case, braces and hyphens are free."""
    if hasattr(value, "hex") and hasattr(value, "urn"):
        value = str(value)
    if isinstance(value, str):
        bare = value.lower().removeprefix("urn:").removeprefix("uuid:").strip("{}").replace("-", "")
        if HEX.fullmatch(bare):
            return bytes.fromhex(bare)
    raise errors.TypeError(
        f"{param} {errors.quote(value)} is not a UUID", param=param, hint="write its 32 hexadecimal digits"
    )


def event_id(value: object, param: str = "event") -> bytes:
    """Sixteen bytes of an RFC 4122 UUID of version 1 to 5, given as an object or as hyphenated text."""
    text = str(value).lower() if isinstance(value, str) or hasattr(value, "urn") else ""
    if UUID_TEXT.fullmatch(text) and text[14] in "12345" and text[19] in "89ab":
        return bytes.fromhex(text.replace("-", ""))
    raise errors.TypeError(
        f"{param} {errors.quote(value)} is not an RFC 4122 UUID of version 1 to 5", param=param, hint="use uuid.uuid4()"
    )


class Identity:
    """One row of the registry."""

    __slots__ = ("id", "name", "gid", "created_tx")

    def __init__(self, id: int, name: str | None, gid: bytes | None, created_tx: int) -> None:
        self.id = id
        self.name = name
        self.gid = gid
        self.created_tx = created_tx

    @property
    def label(self) -> str | int:
        """How results show it: its name, else its local id."""
        return self.id if self.name is None else self.name

    @property
    def selector(self) -> str | dict:
        """How events and snapshots name it: its name, else `{"eid": uuid}`."""
        return {"eid": uuid_text(self.gid)} if self.name is None else self.name


def insert(connection: sqlite3.Connection, new: Iterable[Identity]) -> None:
    """Write the rows of new identities."""
    connection.executemany(
        "INSERT INTO fgraph_ids (id, name, gid, created_tx) VALUES (?, ?, ?, ?)",
        [(identity.id, identity.name, identity.gid, identity.created_tx) for identity in new],
    )


class Registry:
    """Identities by id, name and gid, read through a bounded cache.

    What was found stays valid until another process commits or a transaction is rolled back, when the store calls
    `forget`; what was not found is asked again each time.
    """

    COLUMNS = "SELECT id, name, gid, created_tx FROM fgraph_ids"

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._by_id: dict[int, Identity] = {}
        self._by_name: dict[str, Identity] = {}

    def forget(self) -> None:
        """Drop everything that was cached."""
        self._by_id.clear()
        self._by_name.clear()

    def add(self, found: Iterable[Identity]) -> None:
        """Keep identities that were just written."""
        if len(self._by_id) > limits.NAME_CACHE:
            self.forget()
        for identity in found:
            self._by_id[identity.id] = identity
            if identity.name is not None:
                self._by_name[identity.name] = identity

    def by_id(self, number: int) -> Identity | None:
        found = self._by_id.get(number)
        return self._one("WHERE id = ?", number) if found is None else found

    def by_name(self, name: str) -> Identity | None:
        found = self._by_name.get(name)
        return self._one("WHERE name = ?", name) if found is None and is_unicode(name) else found

    def by_gid(self, gid: bytes) -> Identity | None:
        return self._one("WHERE gid = ?", gid)

    def warm_ids(self, numbers: Iterable[int]) -> None:
        """Load many identities in few statements."""
        missing = [number for number in set(numbers) if number not in self._by_id]
        self._load("id", missing)

    def by_names(self, names: Iterable[str]) -> dict[str, Identity]:
        """The existing ones among many names, loaded in few statements."""
        wanted = set(names)
        found = {name: self._by_name[name] for name in wanted if name in self._by_name}
        loaded = self._load("name", [name for name in wanted if name not in found and is_unicode(name)])
        return found | {identity.name: identity for identity in loaded}

    def by_gids(self, gids: Iterable[bytes]) -> dict[bytes, Identity]:
        """The existing ones among many gids, loaded in few statements."""
        return {identity.gid: identity for identity in self._load("gid", list(set(gids)))}

    def _load(self, column: str, keys: list) -> list[Identity]:
        loaded: list[Identity] = []
        for chunk in chunks(keys):
            sql = f"{self.COLUMNS} WHERE {column} IN ({placeholders(chunk)})"
            loaded += [Identity(*row) for row in self._connection.execute(sql, chunk)]
        self.add(loaded)
        return loaded

    def _one(self, condition: str, key: object) -> Identity | None:
        row = self._connection.execute(f"{self.COLUMNS} {condition}", (key,)).fetchone()
        if row is None:
            return None
        identity = Identity(*row)
        self.add((identity,))
        return identity


def chunks(items: list) -> Iterator[list]:
    """Slices short enough to be bound as parameters of one statement."""
    for start in range(0, len(items), limits.BATCH_PARAMETERS):
        yield items[start : start + limits.BATCH_PARAMETERS]


def placeholders(items: list) -> str:
    """As many question marks as items, for an IN list."""
    return ",".join("?" * len(items))
