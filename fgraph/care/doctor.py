"""The complete check of a file, and its report (docs/operations.md)."""

import sqlite3
from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.care import declared, derived, facts, physical, receipts, registry
from fgraph.care.beside import Beside
from fgraph.care.course import BLOBS, EVENTS, FACTS, IDS, TABLES, TEXTS, Course, Progress, check_progress, rows_of
from fgraph.care.findings import BACKUP_NEEDED, Findings
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


class Family(NamedTuple):
    """Some checks, by the name of what they read, and the tables that they go through."""

    name: str
    check: Callable[[Reader, Findings], None]
    tables: tuple[str, ...]


PAGES = TABLES
DERIVED = Family("the derived rows", derived.check, (TEXTS,))
REBUILT = (TEXTS,)


class Examined(NamedTuple):
    """SQLite's word on the pages, and everything else that was found."""

    integrity: str
    findings: Findings


def doctor(store: Store | View, repair: object = False, progress: Progress | None = None) -> dict:
    """Examine the whole file, whatever the view; with `repair` rebuild what is derived from the facts.

    The report has thirteen keys (docs/operations.md), and `warnings` when there are any; a problem that names a
    backup cannot be repaired. Without `repair` nothing is written. `progress` is told rows done and rows in all, the
    rows of a table counted for each group of checks that goes through it. Raises `TypeError` unless `repair` is a bool,
    `ReadOnly` for a repair through a read-only handle, `FormatError` for a repair of fatal damage.
    """
    if not isinstance(repair, bool):
        raise errors.TypeError(f"repair is {errors.quote(repair)}", param="repair", hint="give True or False")
    check_progress(progress)
    if repair:
        return _repair(store, progress)
    store.check()
    live = store.live
    helped = _is_worth_a_thread(live)
    with live.reading() as reader:
        course = course_of(rows_of(reader, progress), progress)
        beside = Beside(live, partial(_examine_pages, course=course.aside())) if helped else None
        try:
            return _report(*_examine(reader, course, beside))
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


def _repair(store: Store, progress: Progress | None) -> dict:
    store.check_writable()
    with store.writing() as reader:
        course = course_of(rows_of(reader, progress), progress, rounds=2)
        course.expect(*REBUILT)
        _, findings = _examine(reader, course)
        if not findings.sound:
            raise errors.FormatError(
                f"the file has damage that cannot be repaired: {findings.worst}", hint=BACKUP_NEEDED
            )
        with course.through(*REBUILT):
            work = rebuild(reader)
        store.drop_caches()
        return {**_report(*_examine(reader, course)), **work, "repaired": True}


def course_of(rows: Mapping[str, int], progress: Progress | None = None, *, rounds: int = 1) -> Course:
    """The course of so many examinations of a file whose tables have these rows."""
    course = Course(rows, progress)
    for tables in (*(family.tables for family in _families(course)), PAGES, DERIVED.tables):
        course.expect(*tables * rounds)
    return course


def _families(course: Course) -> tuple[Family, ...]:
    """The checks that need Python, in the order in which they run."""
    return (
        Family("the identities", registry.check, (IDS,)),
        Family("the facts", facts.check, (FACTS, BLOBS)),
        Family("the receipts", partial(receipts.check, passed=course.advance), (EVENTS, FACTS)),
        Family("the schema", declared.check, (FACTS,)),
    )


def _is_worth_a_thread(store: Store) -> bool:
    """Whether the file is large, and can be seen through a second connection as it is through this one."""
    if store.path == paths.MEMORY or store.connection.in_transaction:
        return False
    try:
        return paths.size(store.path) >= limits.DOCTOR_THREAD_BYTES
    except errors.FGraphError:
        return False


def _examine(reader: Reader, course: Course, beside: Beside[Examined] | None = None) -> Examined:
    findings = Findings()
    if not physical.has_layout(reader, findings):
        return Examined(physical.integrity(reader, findings), findings)
    _run(_families(course), reader, findings, course)
    pages = None if beside is None else beside.outcome(reader)
    if pages is None:
        pages = _examine_pages(reader, course)
    course.tell()
    return Examined(pages.integrity, pages.findings.followed_by(findings))


def _examine_pages(reader: Reader, course: Course) -> Examined:
    """The checks that are all SQL: pages and derived rows."""
    findings = Findings()
    with course.through(*PAGES):
        integrity = physical.integrity(reader, findings)
    _run((DERIVED,), reader, findings, course)
    return Examined(integrity, findings)


def _run(families: tuple[Family, ...], reader: Reader, findings: Findings, course: Course) -> None:
    for name, check, tables in families:
        try:
            with course.through(*tables):
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
