"""Commands that read one entity or one stretch of time: get, history, why, log, tx, diff."""

from __future__ import annotations

from fgraph import limits
from fgraph.cli import place
from fgraph.cli.call import Call, Outcome, view
from fgraph.cli.moments import moment, naming, reading_at
from fgraph.cli.refs import label, with_entity
from fgraph.values.canonical import check_int64


def get(call: Call) -> Outcome:
    with reading_at(call) as db, db.reading() as basis:
        facts, *title = with_entity(call["ref"], lambda ref: (db.entity(ref, call["depth"]), *_title(call, db, ref)))
    return Outcome(facts, view("show.entity", *title, basis, facts))


def history(call: Call) -> Outcome:
    limit = call.amount("limit")
    with place.reading(call) as db, db.reading():
        facts, *title = with_entity(
            call["ref"], lambda ref: (_past(db, ref, call["attr"], limit), *_title(call, db, ref))
        )
    return Outcome(facts, view("show.history", *title, call["attr"], facts))


def _title(call: Call, db: place.Db, ref: object) -> tuple:
    """The name and the id over a table; programs do without, and without what they cost."""
    return label(db, ref) if call.style == "table" else ()


def _past(db: place.Db, ref: object, attribute: str | None, limit: int | None) -> list[dict]:
    """Db.history, of which only the newest facts are read where there is a limit."""
    from fgraph.read import timeline  # as Db has it

    with db._store.reading() as reader:
        newest = timeline.history(reader, ref, attribute, limit=limit, newest_first=True)
    return newest[::-1]


def why(call: Call) -> Outcome:
    with place.reading(call) as db, db.reading():
        facts, *title = with_entity(call["ref"], lambda ref: (db.why(ref, call["attr"]), *_title(call, db, ref)))
    return Outcome(facts, view("show.why", *title, facts))


def log(call: Call) -> Outcome:
    from fgraph.read.log import log as latest  # the other commands of this file do without it

    limit, before = call.amount("limit", limits.LOG_MOST), call["before"]
    if before is not None:
        with naming("--before"):
            check_int64(before, "--before")
    with place.reading(call) as db, db._store.reading() as reader:
        found = latest(reader, limit + 1, before)
    transactions, has_more = found[:limit], len(found) > limit
    return Outcome(transactions, view("show.log", transactions, has_more))


def tx(call: Call) -> Outcome:
    with place.reading(call) as db, db.reading():
        receipt = db.receipt(call["tx"])
        people_look = call.style == "table"
        changes = db.diff(receipt["basis_tx"], receipt["tx"]) if people_look else None
    return Outcome(receipt, view("show.receipt", receipt, changes))


def diff(call: Call) -> Outcome:
    since, until = (moment(call[field], field.upper()) for field in ("t1", "t2"))
    with place.reading(call) as db:
        changes = db.diff(since, until)
    return Outcome(changes, view("show.diff", changes))
