"""Checks of the fact rows: their numbers, what they refer to, their intervals and their physical values."""

from fgraph import errors, limits
from fgraph.care import findings as listing
from fgraph.care.findings import Findings
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.file.rows import DISTINCT_ATTRIBUTES
from fgraph.values import canonical, logical, verbatim

OUT_OF_RANGE = """
    SELECT id FROM fgraph_facts
    WHERE id <= 0 OR e <= 0 OR a <= 0 OR tx < 64 OR t NOT BETWEEN 0 AND 10 OR (rx IS NOT NULL AND rx <= tx)
    ORDER BY id
"""
# One branch for each tag, in the order of frequency; what is not true is an impossible value.
IMPOSSIBLE = f"""
    SELECT id, t FROM fgraph_facts
    WHERE NOT CASE t
        WHEN 4 THEN typeof(v) = 'text' AND length(CAST(v AS BLOB)) <= {limits.INLINE_BYTES}
        WHEN 2 THEN typeof(v) = 'integer'
        WHEN 0 THEN typeof(v) = 'integer' AND v > 0
        WHEN 5 THEN typeof(v) = 'integer' AND v BETWEEN {limits.INSTANT_MIN} AND {limits.INSTANT_MAX}
        WHEN 1 THEN typeof(v) = 'integer' AND v IN (0, 1)
        WHEN 3 THEN typeof(v) = 'real' AND v BETWEEN -1.7976931348623157e308 AND 1.7976931348623157e308
        WHEN 6 THEN typeof(v) = 'blob' AND length(v) <= {limits.INLINE_BYTES}
        WHEN 10 THEN typeof(v) = 'text' AND length(CAST(v AS BLOB)) <= {limits.VALUE_BYTES}
        ELSE typeof(v) = 'blob' AND length(v) = 32
    END
    ORDER BY id
"""
# (what, rows that use an identity with the first transaction that does, rows of one of them)
USES = (
    (
        "entity",
        "SELECT e AS number, min(tx) AS tx FROM fgraph_facts INDEXED BY fgraph_hist GROUP BY e",
        "SELECT id FROM fgraph_facts WHERE e = ?",
    ),
    (
        "attribute",
        "SELECT a AS number, min(tx) AS tx FROM fgraph_facts INDEXED BY fgraph_avet GROUP BY a",
        "SELECT id FROM fgraph_facts INDEXED BY fgraph_avet WHERE a = ?",
    ),
)
UNEXPLAINED = """
    SELECT used.number, i.created_tx
    FROM ({uses}) used
    LEFT JOIN fgraph_ids i ON i.id = used.number
    WHERE i.id IS NULL OR i.created_tx > used.tx
"""
UNEXPLAINED_REFERENCES = """
    SELECT f.id, f.v, i.created_tx
    FROM fgraph_facts f INDEXED BY fgraph_avet
    LEFT JOIN fgraph_ids i ON i.id = f.v
    WHERE f.a = ? AND f.t = 0 AND (i.id IS NULL OR i.created_tx > f.tx)
"""
BOUNDARIES = (
    ("tx", "SELECT DISTINCT tx AS number FROM fgraph_facts INDEXED BY fgraph_txin"),
    ("rx", "SELECT DISTINCT rx AS number FROM fgraph_facts INDEXED BY fgraph_txout WHERE rx IS NOT NULL"),
)


def check(reader: Reader, findings: Findings) -> None:
    """Everything about the rows of `fgraph_facts` and the blobs they use, one by one."""
    for (number,) in reader.connection.execute(OUT_OF_RANGE):
        findings.fatal(f"fact {number} has a number, a tag or an interval that is out of range")
    _genesis(reader, findings)
    _uses(reader, findings)
    _attribute_names(reader, findings)
    _boundaries(reader, findings)
    for number, tag in reader.connection.execute(IMPOSSIBLE):
        findings.fatal(f"fact {number} has an impossible value for tag {tag}")
    _texts(reader, findings)
    _json(reader, findings)
    _blobs(reader, findings)


def _genesis(reader: Reader, findings: Findings) -> None:
    rows = reader.fetch("SELECT id, e, a, v, t, rx FROM fgraph_facts WHERE tx = ? ORDER BY id", (genesis.GENESIS_TX,))
    at = rows[0][3] if rows else None
    expected = [(*row, None) for row in genesis.facts(at)]
    # The documentation texts are free: each implementation has its own words.
    found = [
        (*row[:3], own[3], *row[4:]) if own[2] == genesis.DOC and isinstance(row[3], str) else row
        for row, own in zip(rows, expected, strict=False)
    ]
    if len(rows) != len(expected) or found != expected:
        findings.fatal("the facts of the genesis transaction are not those that every file begins with")


def _uses(reader: Reader, findings: Findings) -> None:
    for what, uses, users in USES:
        for number, created_tx in reader.connection.execute(UNEXPLAINED.format(uses=uses)):
            facts = listing.rows(reader.connection.execute(users, (number,)))
            why = "is not registered" if created_tx is None else f"was only created in transaction {created_tx}"
            findings.fatal(f"{what} {number} of fact {facts} {why}")
    for attribute in _attributes(reader):
        for number, target, created_tx in reader.connection.execute(UNEXPLAINED_REFERENCES, (attribute,)):
            why = "is not registered" if created_tx is None else f"was only created in transaction {created_tx}"
            findings.fatal(f"fact {number} refers to {target}, which {why}")


def _attributes(reader: Reader) -> list[int]:
    return [row[0] for row in reader.fetch(DISTINCT_ATTRIBUTES)]


def _attribute_names(reader: Reader, findings: Findings) -> None:
    for number in _attributes(reader):
        row = reader.fetch("SELECT name FROM fgraph_ids WHERE id = ?", (number,))
        if row and not identities.is_attribute(row[0][0]):
            findings.fatal(
                f"identity {number}, {errors.quote(row[0][0])}, is used as an attribute and is no attribute name"
            )


def _boundaries(reader: Reader, findings: Findings) -> None:
    for column, numbers in BOUNDARIES:
        sql = f"""
            SELECT used.number FROM ({numbers}) used
            LEFT JOIN fgraph_events v ON v.tx = used.number
            WHERE v.tx IS NULL
        """
        for (number,) in reader.connection.execute(sql):
            facts = listing.rows(
                reader.connection.execute(f"SELECT id FROM fgraph_facts WHERE {column} = ?", (number,))
            )
            findings.fatal(f"{column} {number} of fact {facts} is no transaction")


def _texts(reader: Reader, findings: Findings) -> None:
    """Text that SQLite stores and Python cannot read: bytes that are not UTF-8."""
    for number, data in reader.connection.execute("SELECT id, CAST(v AS BLOB) FROM fgraph_facts WHERE t IN (4, 10)"):
        if not data.isascii():
            try:
                data.decode()
            except UnicodeDecodeError:
                findings.fatal(f"the text of fact {number} is not UTF-8")


def _json(reader: Reader, findings: Findings) -> None:
    for number, data in reader.connection.execute("SELECT id, CAST(v AS BLOB) FROM fgraph_facts WHERE t = 10"):
        value = verbatim.parse_canonical(data.decode(errors="replace"))
        if value is verbatim.NOT_CANONICAL or canonical.depth_exceeds(value, limits.VALUE_DEPTH):
            findings.fatal(f"the json value of fact {number} is not canonical")


def _blobs(reader: Reader, findings: Findings) -> None:
    keys = "SELECT DISTINCT t, v FROM fgraph_facts WHERE t IN (7, 8, 9) AND typeof(v) = 'blob' AND length(v) = 32"
    for tag, key in reader.connection.execute(keys):
        reader.store.check_cancelled()
        row = reader.connection.execute(
            "SELECT typeof(data), CAST(data AS BLOB) FROM fgraph_blobs WHERE hash = ?", (key,)
        ).fetchone()
        fault = "it is missing" if row is None else _blob_fault(tag, key, *row)
        if fault:
            users = "SELECT id FROM fgraph_facts WHERE t = ? AND v = ?"
            facts = listing.rows(reader.connection.execute(users, (tag, key)))
            findings.fatal(f"the payload of fact {facts} is damaged: {fault}")


def _blob_fault(tag: int, key: bytes, storage: str, data: bytes) -> str | None:
    try:
        logical.check_blob(tag, key, data.decode() if storage == "text" else data)
    except UnicodeDecodeError:
        return "it is not UTF-8"
    except errors.FormatError as fault:
        return fault.message
    return None
