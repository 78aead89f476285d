"""Commands that move lines: tail, watch, apply, snapshot, restore."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from itertools import islice
from typing import BinaryIO

from fgraph import errors
from fgraph.cli import faults, machine, place, show
from fgraph.cli.call import Call, Outcome, Screen, view
from fgraph.cli.follow import Follower
from fgraph.cli.layout import count
from fgraph.cli.progress import Progress, counted, counting
from fgraph.cli.source import Line, lines, opened
from fgraph.values.canonical import canonical

PLACE = re.compile(r"\A((?:the record on )?line )([0-9]+)\b")  # with which a fault in a stream begins


def tail(call: Call) -> None:
    """event/1 lines, oldest first; with --follow until Ctrl-C, which ends after a whole line."""
    limit = call.amount("limit")
    with place.reading(call) as db:
        follower = Follower(db, call["since"], follow=call["follow"], until=call["until"])
        machine.write_lines(islice(follower.events(), limit), at_once=True)


def watch(call: Call) -> None:
    """One line a fact as it is written, from now on or from a given transaction."""
    limit = call.amount("limit")
    with place.reading(call) as db:
        with db.reading() as newest:
            since = newest if call["since"] is None else db.receipt(call["since"])["tx"]
        follower = Follower(db, since, follow=True, until=None)
        render = _watched(call)
        for moment in islice(follower.moments(), limit):
            machine.write_lines(render(moment), at_once=True)


def _watched(call: Call) -> Callable[[show.Moment], Iterator[str]]:
    if call.style != "table":
        return _watched_records
    screen: Screen = call.screen()
    return lambda moment: (f"{line}\n" for line in show.watched(screen, moment))


def _watched_records(moment: show.Moment) -> Iterator[str]:
    for change in show.ends_first(moment.changes):
        record = {
            "tx": moment.tx, "at": moment.at, "by": moment.by, "source": moment.source,
            "added": change.sign == "+", "e": change.entity, "a": change.attribute, "v": change.value,
        }  # fmt: skip
        yield canonical(record) + "\n"


def snapshot(call: Call) -> None:
    """The whole database as snapshot/1 lines."""
    with place.reading(call) as db, counting(call, "snapshot", "record") as progress:
        machine.write_lines(counted(db.iter_snapshot(), progress))


def apply(call: Call) -> Outcome:
    """Take in event/1 lines, all or nothing; with --batch-size in parts that stay."""
    size = call.amount("batch_size")
    stream, name = opened(call["source"], at_path=False)
    with (
        stream,
        place.writing(call, only_if_written=True) as db,
        _taking_in(call, "apply", "event", stream) as progress,
    ):
        numbered = _numbered(stream, name, progress)
        result = db.apply_summary(_texts(numbered)) if size is None else _apply_batches(call, db, numbered, size)
        call.changed = f"{count(result['events'], 'event')} taken in"
    details = {"new": result["applied"], "known": result["already_applied"]}
    return Outcome(result, view("show.counters", "took in", result["events"], "event", details, result["basis_tx"]))


def _apply_batches(call: Call, db: place.Db, numbered: Iterator[Line], size: int) -> dict[str, int]:
    total = dict(db.apply_summary(()))
    while batch := list(islice(numbered, size)):
        try:
            part = db.apply_summary(_texts(batch))
        except errors.FGraphError as fault:
            fault.message = PLACE.sub(lambda place: f"{place[1]}{batch[int(place[2]) - 1].number}", fault.message)
            if not total["events"]:
                raise
            raise faults.with_committed(fault, count(total["events"], "event"), faults.GOES_ON) from fault
        for key in ("already_applied", "applied", "events", "noop"):
            total[key] += part[key]
        total["basis_tx"] = part["basis_tx"]
        call.changed = f"{count(total['events'], 'event')} taken in"
    return total


def restore(call: Call) -> Outcome:
    """Fill an empty database from snapshot/1 lines."""
    stream, name = opened(call["source"], at_path=False)
    with stream, place.writing(call, only_if_written=True) as db:
        with _taking_in(call, "restore", "record", stream) as progress:
            db.restore(_texts(_numbered(stream, name, progress)))
        call.changed = "the snapshot is restored"
        with db.reading() as basis:
            result = {"basis_tx": basis, "ok": True}
    return Outcome(result, view("show.counters", "restored", progress.done, "record", {}, basis))


def _taking_in(call: Call, what: str, unit: str, stream: BinaryIO) -> AbstractContextManager[Progress]:
    """A progress line that knows how much there is where the stream is a file."""
    size = os.fstat(stream.fileno()).st_size
    return counting(call, what, unit, size or None)


def _numbered(stream: BinaryIO, name: str, progress: Progress) -> Iterator[Line]:
    return counted(lines(stream, name), progress, lambda line: line.size)


def _texts(numbered: Iterable[Line]) -> Iterator[str]:
    return (line.text for line in numbered)
