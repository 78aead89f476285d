"""Commands about the file as a whole: init, info, backup, doctor, compact."""

from __future__ import annotations

from fgraph.cli import machine, place
from fgraph.cli.call import Call, Outcome, view
from fgraph.cli.progress import counting


def init(call: Call) -> Outcome:
    with place.writing(call) as db:
        return _stats(db)


def info(call: Call) -> Outcome:
    with place.reading(call) as db:
        return _stats(db)


def _stats(db: place.Db) -> Outcome:
    with db.reading() as basis:
        stats = db.stats()
    return Outcome(stats, view("tables.info", db.path, stats, basis))


def backup(call: Call) -> Outcome:
    with place.reading(call) as db, counting(call, "backup", "step") as progress:
        db.backup(machine.file_name(call["dest"]), progress=progress.reach)
        call.changed = "the copy is made"
    dest = machine.printable(call["dest"])
    return Outcome({"path": dest}, view("tables.copied", dest))


def doctor(call: Call) -> Outcome:
    repair = call["repair"]
    opened = place.writing(call, create=False) if repair else place.reading(call)
    with opened as db, counting(call, "doctor", "row") as progress:
        report = db.doctor(repair=repair, progress=progress.reach)
        if repair:
            call.changed = "the repair is done"
    return Outcome(report, view("tables.checkup", report), int(call["strict"] and not report["ok"]))


def compact(call: Call) -> Outcome:
    with place.writing(call, create=False) as db, counting(call, "compact", "row") as progress:
        result = db.compact(progress=progress.reach)
        call.changed = "the file is compacted"
    return Outcome(result, view("tables.compacted", result))
