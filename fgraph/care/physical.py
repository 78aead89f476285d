"""Checks of the SQLite level: the objects of the file and the integrity of its pages."""

import sqlite3

from fgraph import errors
from fgraph.care.findings import Findings
from fgraph.file import faults, layout
from fgraph.file.reader import Reader

CLEAN = "ok"


def integrity(reader: Reader, findings: Findings) -> str:
    """SQLite's integrity check; the answer is its first row, all rows become problems."""
    try:
        rows = [str(row[0]) for row in reader.connection.execute("PRAGMA integrity_check")]
    except sqlite3.DatabaseError as fault:
        if faults.is_interrupt(fault):
            raise
        rows = [str(fault)]
    if rows == [CLEAN]:
        return CLEAN
    for row in rows:
        findings.fatal(f"SQLite finds: {' '.join(row.split())}")
    return " ".join(rows[0].split())


def has_layout(reader: Reader, findings: Findings) -> bool:
    """Whether the file still holds exactly the objects of format v2; nothing else can be examined where it does not."""
    try:
        if layout.is_initialised(reader.connection):
            return True
        findings.fatal("the file has no objects")
    except errors.FormatError as fault:
        findings.fatal(fault.message)
    except sqlite3.DatabaseError as fault:
        if faults.is_interrupt(fault):
            raise
        findings.fatal(f"the layout cannot be read: {fault}")
    return False
