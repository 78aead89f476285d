"""What tests of writing ask of a database: its logical rows, its live facts, and what a call ends in."""

import fgraph

GENESIS = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z in microseconds
SECOND = 1_000_000

TABLES = {
    "fgraph_meta": "key",
    "fgraph_ids": "id",
    "fgraph_events": "tx",
    "fgraph_facts": "id",
    "fgraph_blobs": "hash",
    "sqlite_sequence": "name",
}


def tables(db: fgraph.Db) -> dict[str, list[tuple]]:
    """All logical rows of the file."""
    connection = db._store.connection
    found = {
        table: connection.execute(f"SELECT * FROM {table} ORDER BY {key}").fetchall() for table, key in TABLES.items()
    }
    return found | {"fgraph_fts": connection.execute("SELECT rowid, text FROM fgraph_fts ORDER BY rowid").fetchall()}


def fact_rows(db: fgraph.Db, since: int = 40) -> list[tuple]:
    """(id, e, a, v, t, tx, rx) of the fact rows from an id on."""
    sql = "SELECT id, e, a, v, t, tx, rx FROM fgraph_facts WHERE id >= ? ORDER BY id"
    return db._store.connection.execute(sql, (since,)).fetchall()


def live(db: fgraph.Db, entity: object = None) -> set[tuple]:
    """(entity, attribute, value) of the live application facts, by label, values as text."""
    sql = "SELECT e, a, v, t FROM fgraph_facts WHERE rx IS NULL AND a > 64"
    label = {number: name or number for number, name in db._store.connection.execute("SELECT id, name FROM fgraph_ids")}
    found = set()
    for e, a, v, t in db._store.connection.execute(sql):
        if entity is None or label[e] == entity:
            found.add((label[e], label[a], f"->{label[v]}" if t == 0 else v))
    return found


def event_text(db: fgraph.Db, tx: int) -> str | None:
    return db._store.connection.execute("SELECT event_data FROM fgraph_events WHERE tx = ?", (tx,)).fetchone()[0]


def triples(facts: list[dict]) -> list[tuple]:
    """(e, a, v) of reported facts, without the transaction's own time."""
    return [(fact["e"], fact["a"], fact["v"]) for fact in facts if fact["a"] != "fgraph/at"]


def outcome(call, *arguments, **options) -> str:
    """What a write ends in: its status, or the name of the typed error. A builtin exception passes through."""
    try:
        return call(*arguments, **options)["status"]
    except fgraph.FGraphError as fault:
        return type(fault).__name__


def refused(db: fgraph.Db, call, *arguments, **options) -> fgraph.FGraphError:
    """The typed error of a call that must fail and leave every logical row as it was."""
    before = tables(db)
    try:
        result = call(*arguments, **options)
    except fgraph.FGraphError as fault:
        assert tables(db) == before
        assert not db._store.connection.in_transaction
        return fault
    raise AssertionError(f"not refused: {result!r}")
