"""The complete check of a file, and its report (docs/operations.md)."""

import sqlite3
from collections.abc import Callable

from fgraph import errors
from fgraph.care import declared, derived, facts, physical, receipts, registry
from fgraph.care.findings import Findings
from fgraph.care.repair import rebuild
from fgraph.file.reader import Reader
from fgraph.file.store import Store

COUNTERS = (
    "expected_fts_rows",
    "fts_rows",
    "fts_rows_rebuilt",
    "orphaned_blobs",
    "orphaned_blobs_removed",
    "schema_problems",
    "shape_violations",
    "unverifiable_event_hashes",
)
FAMILIES: tuple[tuple[str, Callable[[Reader, Findings], None]], ...] = (
    ("the identities", registry.check),
    ("the facts", facts.check),
    ("the receipts", receipts.check),
    ("the schema", declared.check),
    ("the derived rows", derived.check),
)


def doctor(store: Store, repair: object = False) -> dict:
    """Examine the whole file, whatever the view; with `repair` rebuild what is derived from the facts.

    The report has thirteen keys (docs/operations.md), and `warnings` when there are any; a problem that names a
    backup cannot be repaired. Without `repair` nothing is written. Raises `TypeError` unless `repair` is a bool,
    `ReadOnly` for a repair through a read-only handle, `FormatError` for a repair of fatal damage.
    """
    if not isinstance(repair, bool):
        raise errors.TypeError(f"repair is {errors.quote(repair)}", param="repair", hint="give True or False")
    if repair:
        return _repair(store)
    with store.reading() as reader:
        return _report(*_examine(reader))


def logical_problems(reader: Reader) -> list[str]:
    """What is fatally wrong with rows that were just written by the handle itself, pages and index aside."""
    findings = Findings()
    registry.check(reader, findings)
    facts.check(reader, findings)
    receipts.check(reader, findings, compare=False)
    declared.check(reader, findings)
    return findings.problems()


def _repair(store: Store) -> dict:
    store.check_writable()
    with store.writing() as reader:
        _, findings = _examine(reader)
        if not findings.sound:
            raise errors.FormatError(
                f"the file has damage that cannot be repaired: {findings.problems()[0]}", hint="restore a backup"
            )
        work = rebuild(reader)
        store.drop_caches()
        return {**_report(*_examine(reader)), **work, "repaired": True}


def _examine(reader: Reader) -> tuple[str, Findings]:
    findings = Findings()
    if not physical.has_layout(reader, findings):
        return physical.integrity(reader, findings), findings
    integrity = physical.integrity(reader, findings)
    for name, check in FAMILIES:
        try:
            check(reader, findings)
        except (sqlite3.DatabaseError, errors.FormatError, UnicodeDecodeError) as fault:
            reader.store.check_cancelled()
            findings.fatal(f"{name} cannot be read: {fault}")
    return integrity, findings


def _report(integrity: str, findings: Findings) -> dict:
    problems = findings.problems()
    report = {
        "ok": not problems,
        "integrity": integrity,
        "problems": problems,
        "repair_needed": findings.repairable,
        "repaired": False,
        **{name: findings.figures.get(name, 0) for name in COUNTERS},
    }
    warnings = findings.warnings()
    return {**report, "warnings": warnings} if warnings else report
