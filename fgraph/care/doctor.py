"""The complete check of a file, and its report (docs/operations.md)."""

import sqlite3
from collections.abc import Callable
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.care import declared, derived, facts, physical, receipts, registry
from fgraph.care.beside import Beside
from fgraph.care.findings import Findings
from fgraph.care.repair import rebuild
from fgraph.file import faults, paths
from fgraph.file.reader import Reader
from fgraph.file.store import Store, View

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
Check = Callable[[Reader, Findings], None]
FAMILIES: tuple[tuple[str, Check], ...] = (
    ("the identities", registry.check),
    ("the facts", facts.check),
    ("the receipts", receipts.check),
    ("the schema", declared.check),
)
DERIVED: tuple[tuple[str, Check], ...] = (("the derived rows", derived.check),)


class Examined(NamedTuple):
    """SQLite's word on the pages, and everything else that was found."""

    integrity: str
    findings: Findings


def doctor(store: Store | View, repair: object = False) -> dict:
    """Examine the whole file, whatever the view; with `repair` rebuild what is derived from the facts.

    The report has thirteen keys (docs/operations.md), and `warnings` when there are any; a problem that names a
    backup cannot be repaired. Without `repair` nothing is written. Raises `TypeError` unless `repair` is a bool,
    `ReadOnly` for a repair through a read-only handle, `FormatError` for a repair of fatal damage.
    """
    if not isinstance(repair, bool):
        raise errors.TypeError(f"repair is {errors.quote(repair)}", param="repair", hint="give True or False")
    if repair:
        return _repair(store)
    store.check()
    live = store.live
    helped = _is_worth_a_thread(live)
    with live.reading() as reader:
        beside = Beside(live, _examine_pages) if helped else None
        try:
            return _report(*_examine(reader, beside))
        finally:
            if beside is not None:
                beside.stop()


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


def _is_worth_a_thread(store: Store) -> bool:
    """Whether the file is large, and can be seen through a second connection as it is through this one."""
    if store.path == paths.MEMORY or store.connection.in_transaction:
        return False
    try:
        return paths.size(store.path) >= limits.DOCTOR_THREAD_BYTES
    except errors.FGraphError:
        return False


def _examine(reader: Reader, beside: Beside[Examined] | None = None) -> Examined:
    findings = Findings()
    if not physical.has_layout(reader, findings):
        return Examined(physical.integrity(reader, findings), findings)
    _run(FAMILIES, reader, findings)
    pages = None if beside is None else beside.outcome(reader)
    if pages is None:
        pages = _examine_pages(reader)
    return Examined(pages.integrity, pages.findings.followed_by(findings))


def _examine_pages(reader: Reader) -> Examined:
    """The checks that are all SQL: pages and derived rows."""
    findings = Findings()
    integrity = physical.integrity(reader, findings)
    _run(DERIVED, reader, findings)
    return Examined(integrity, findings)


def _run(checks: tuple[tuple[str, Check], ...], reader: Reader, findings: Findings) -> None:
    for name, check in checks:
        try:
            check(reader, findings)
        except (sqlite3.DatabaseError, errors.FormatError, UnicodeDecodeError) as fault:
            if faults.is_interrupt(fault):
                raise
            findings.fatal(f"{name} cannot be read: {fault}")


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
