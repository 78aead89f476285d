"""Checks of the identities: their names and global ids, the allocator and the two settings of the file."""

from fgraph import errors, limits
from fgraph.care import findings as listing
from fgraph.care.findings import Findings
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader

SETTINGS = ("created_at", "next_id")

MALFORMED = """
    SELECT id FROM fgraph_ids
    WHERE (name IS NULL) = (gid IS NULL)
        OR (gid IS NOT NULL AND (typeof(gid) <> 'blob' OR length(gid) <> 16))
        OR id <= 0
        OR id BETWEEN 19 AND 63
    ORDER BY id
"""
NO_TRANSACTION = """
    SELECT DISTINCT i.created_tx FROM fgraph_ids i INDEXED BY fgraph_ids_created
    LEFT JOIN fgraph_events v ON v.tx = i.created_tx
    WHERE v.tx IS NULL
"""


def check(reader: Reader, findings: Findings) -> None:
    """Everything about `fgraph_ids` and `fgraph_meta`."""
    _settings(reader, findings)
    _system_names(reader, findings)
    _names(reader, findings)
    for (number,) in reader.connection.execute(MALFORMED):
        findings.fatal(f"identity {number} has no place in a file: its number, name or global id is impossible")
    for (number,) in reader.connection.execute(NO_TRANSACTION):
        created = listing.rows(reader.connection.execute("SELECT id FROM fgraph_ids WHERE created_tx = ?", (number,)))
        findings.fatal(f"identities {created} were created by {number}, which is no transaction")


def _settings(reader: Reader, findings: Findings) -> None:
    settings = dict(reader.fetch("SELECT key, value FROM fgraph_meta ORDER BY key"))
    for key in settings.keys() - set(SETTINGS):
        findings.fatal(f"fgraph_meta has the row {errors.quote(key)}, which does not belong there")
    for key in SETTINGS:
        if type(settings.get(key)) is not int:
            findings.fatal(f"fgraph_meta has no integer {key}")
            return
    highest = reader.fetch("SELECT max(id) FROM fgraph_ids")[0][0]
    if settings["next_id"] != (highest or 0) + 1:
        findings.fatal(f"next_id is {settings['next_id']}, and the highest identity is {highest}")
    if settings["next_id"] >= limits.INT_MAX:
        findings.fatal("the file has no identities left")
    _sequence(reader, findings)
    time = reader.fetch("SELECT v FROM fgraph_facts WHERE id = 1")
    if not time or time[0][0] != settings["created_at"]:
        findings.fatal("created_at in fgraph_meta is not the time of the genesis transaction")


def _sequence(reader: Reader, findings: Findings) -> None:
    highest = reader.fetch("SELECT max(id) FROM fgraph_facts")[0][0]
    given = reader.fetch("SELECT seq FROM sqlite_sequence WHERE name = 'fgraph_facts'")
    if not given or given[0][0] < (highest or 0):
        findings.fatal(f"the counter of fact rows stands below the highest of them, {highest}")


def _system_names(reader: Reader, findings: Findings) -> None:
    rows = reader.fetch("SELECT id, name, created_tx FROM fgraph_ids WHERE id < 19 ORDER BY id")
    if rows != [(number, name, genesis.GENESIS_TX) for number, (name, _, _) in genesis.SYSTEM.items()]:
        findings.fatal("identities 1 to 18 are not the system attributes")
    gid = reader.fetch("SELECT gid FROM fgraph_ids WHERE id = ?", (genesis.GENESIS_TX,))
    if gid != [(genesis.GENESIS_GID,)]:
        findings.fatal("identity 64 is not the genesis transaction")


def _names(reader: Reader, findings: Findings) -> None:
    rows = reader.connection.execute("SELECT id, name FROM fgraph_ids WHERE name IS NOT NULL AND id > 18")
    for number, name in rows:
        try:
            identities.check_name(name, f"the name of identity {number}")
        except errors.FGraphError as fault:
            findings.fatal(fault.message)
