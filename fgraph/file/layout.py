"""Format v2: the markers, tables, indexes and views of the file, and the check that a file holds just these."""

import sqlite3

from fgraph import errors

APPLICATION_ID = 0x66677261
FORMAT_VERSION = 2

TABLES = {
    "fgraph_meta": ("key text not null primary key", "value any not null"),
    "fgraph_ids": (
        "id integer not null primary key",
        "name text unique",
        "gid blob unique",
        "created_tx integer not null",
        "check ((name is null) <> (gid is null))",
        "check (gid is null or (typeof(gid) = 'blob' and length(gid) = 16))",
        "check (created_tx >= 64)",
    ),
    "fgraph_events": (
        "tx integer not null primary key",
        "event_hash blob not null",
        "event_data text",
        "operation_id text unique",
        "request_hash blob",
        "check (typeof(event_hash) = 'blob' and length(event_hash) = 32)",
        "check (event_data is null or typeof(event_data) = 'text')",
        "check (request_hash is null or (typeof(request_hash) = 'blob' and length(request_hash) = 32))",
        "check ((operation_id is null) = (request_hash is null))",
    ),
    "fgraph_facts": (
        "id integer not null primary key autoincrement",
        "e integer not null",
        "a integer not null",
        "v any not null",
        "t integer not null",
        "tx integer not null",
        "rx integer",
        "check (t between 0 and 10)",
        "check (rx is null or rx > tx)",
    ),
    "fgraph_blobs": ("hash blob not null primary key", "data any not null"),
}
INDEXES = {
    "fgraph_ids_created": "index fgraph_ids_created on fgraph_ids (created_tx, id)",
    "fgraph_eavt": "unique index fgraph_eavt on fgraph_facts (e, a, v, t) where rx is null",
    "fgraph_avet": "index fgraph_avet on fgraph_facts (a, t, v, e, tx, rx, id)",
    "fgraph_vaet": "index fgraph_vaet on fgraph_facts (v, a, e) where rx is null and t = 0",
    "fgraph_hist": "index fgraph_hist on fgraph_facts (e, a, tx)",
    "fgraph_txin": "index fgraph_txin on fgraph_facts (tx)",
    "fgraph_txout": "index fgraph_txout on fgraph_facts (rx) where rx is not null",
}
FTS = 'virtual table fgraph_fts using fts5( text, tokenize = "unicode61 remove_diacritics 2" )'
VIEWS = {
    "fgraph_view": (
        "select f.id, f.e, i.name as attribute,"
        " case when f.t in (7, 8, 9) then (select b.data from fgraph_blobs b where b.hash = f.v) else f.v end as value,"
        " f.t as tag, f.tx, f.rx from fgraph_facts f join fgraph_ids i on i.id = f.a"
    ),
    "fgraph_now": "select * from fgraph_view where rx is null",
}
SHADOWS = tuple(f"fgraph_fts_{part}" for part in ("data", "idx", "content", "docsize", "config"))


def statements() -> dict[str, str]:
    """The SQL that creates each object, by name, in an order that works."""
    sql = {name: f"create table {name} ( {', '.join(items)} ) strict" for name, items in TABLES.items()}
    sql["fgraph_fts"] = f"create {FTS}"
    sql.update({name: f"create {text}" for name, text in INDEXES.items()})
    sql.update({name: f"create view {name} as {text}" for name, text in VIEWS.items()})
    return sql


def create(connection: sqlite3.Connection) -> None:
    """Create every object and set both markers, inside the caller's transaction."""
    for sql in statements().values():
        connection.execute(sql)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")


def is_initialised(connection: sqlite3.Connection) -> bool:
    """True for a sound fgraph file, False for a database with nothing in it; only reads.

    Raises `FormatError` for everything else: a foreign database, another format version, changed or missing objects.
    """
    encoding = connection.execute("PRAGMA encoding").fetchone()[0]
    if encoding != "UTF-8":
        raise errors.FormatError(f"the database is encoded in {encoding}, not UTF-8", hint="choose another path")
    markers = tuple(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    found = {
        (kind, name): sql or ""
        for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_schema")
        if not name.startswith("sqlite_")
    }
    if not found and markers == (0, 0):
        return False
    _check_version(*markers)
    if ("table", "fgraph_meta") not in found:
        raise errors.FormatError(
            "the database belongs to another program, or is an fgraph file that was only partly copied",
            hint="choose another path, or restore a backup",
        )
    _check_markers(*markers)
    _check_objects(found)
    return True


def normalised(sql: str) -> str:
    """SQL text as layouts are compared: one blank for any run of white space, lower case."""
    return " ".join(sql.split()).lower()


def _check_version(application_id: int, version: int) -> None:
    if application_id == APPLICATION_ID and version > FORMAT_VERSION:
        raise errors.FormatError(
            f"the file has format {version}, which is newer than this program's format {FORMAT_VERSION}",
            hint="use a newer fgraph",
        )


def _check_markers(application_id: int, version: int) -> None:
    if (application_id, version) != (APPLICATION_ID, FORMAT_VERSION):
        raise errors.FormatError(
            f"the file's markers are {application_id} and {version}, not {APPLICATION_ID} and {FORMAT_VERSION}",
            hint="if the file was reloaded from a dump, set application_id and user_version again",
        )


def _check_objects(found: dict[tuple[str, str], str]) -> None:
    """`found` is the SQL of each object by type and name: a trigger may bear the name of a table."""
    expected = {(_kind(name), name): normalised(sql) for name, sql in statements().items()}
    shadows = {("table", name) for name in SHADOWS}
    for kind, name in (*expected, *sorted(shadows)):
        if (kind, name) not in found:
            raise _layout_fault(f"the {kind} {name} is missing")
    for place, sql in expected.items():
        actual = normalised(found[place])
        if actual != sql:
            raise _layout_fault(f"{place[1]} has text {_digest(actual)}, not {_digest(sql)}")
    extra = sorted(found.keys() - expected.keys() - shadows)
    if extra:
        kind, name = extra[0]
        raise _layout_fault(f"the {kind} {errors.quote(name)} does not belong into an fgraph file")


def _kind(name: str) -> str:
    return "index" if name in INDEXES else "view" if name in VIEWS else "table"


def _digest(sql: str) -> str:
    import hashlib  # loads OpenSSL: not before it is needed

    return hashlib.sha256(sql.encode()).hexdigest()[:12]


def _layout_fault(what: str) -> errors.FormatError:
    return errors.FormatError(
        f"the file's layout is not format {FORMAT_VERSION}: {what}",
        hint="remove what was added by hand, or restore a backup",
    )
