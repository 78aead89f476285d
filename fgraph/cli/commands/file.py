"""Commands about the file as a whole: init, info, backup, doctor, compact."""

import os

from fgraph.cli import place, tables
from fgraph.cli.call import Call, Outcome
from fgraph.cli.layout import size
from fgraph.cli.progress import waiting


def init(call: Call) -> Outcome:
    with place.writing(call) as db:
        return _stats(db)


def info(call: Call) -> Outcome:
    with place.reading(call) as db:
        return _stats(db)


def _stats(db: place.Db) -> Outcome:
    stats = db.stats()
    return Outcome(stats, lambda screen: tables.info(screen, db.path, stats))


def backup(call: Call) -> Outcome:
    with place.reading(call) as db, waiting(call, "backup"):
        db.backup(call["dest"])
    printable = os.fsencode(call["dest"]).decode("utf-8", "replace")
    return Outcome({"path": printable}, lambda screen: [f"copied to {printable}"])


def doctor(call: Call) -> Outcome:
    repair = call["repair"]
    opened = place.writing(call, create=False) if repair else place.reading(call)
    with opened as db, waiting(call, "doctor"):
        report = db.doctor(repair=repair)
    return Outcome(report, lambda screen: tables.checkup(screen, report), int(call["strict"] and not report["ok"]))


def compact(call: Call) -> Outcome:
    with place.writing(call, create=False) as db, waiting(call, "compact"):
        result = db.compact()
    return Outcome(result, lambda screen: [f"{size(result['before'])} before, {size(result['after'])} now"])
