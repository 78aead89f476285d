"""Streams that were cut or mixed up on the way: taken whole, or refused with the file as before and still usable."""

import pytest

import fgraph
from tests.care.actions import fixed_ids
from tests.portable.making import connect, event, second_event, stream, tail


def source() -> fgraph.Db:
    db = connect(event_factory=fixed_ids(0x3000))
    db.transact([{"id": "ada", "n/t": "Grüße"}, {"n/about": {"ref": "ada"}}], by="kim", operation_id="op:1")
    db.transact({"id": "ada", "n/t": "other"})
    return db


EVENTS = stream(event(), second_event())
SNAPSHOT = source().snapshot()
LINES = {"events": EVENTS.splitlines(keepends=True), "snapshot": SNAPSHOT.splitlines(keepends=True)}


def attempt(db: fgraph.Db, kind: str, data: str | bytes) -> bool:
    """Take a stream in; whether it went well. The outcome is undone, and after a refusal nothing may have changed."""
    before = db.snapshot()
    taken = False
    with db.speculate() as trial:
        try:
            (trial.apply if kind == "events" else trial.restore)(data)
            taken = True
            assert trial.doctor()["ok"]
        except fgraph.FGraphError:
            assert trial.snapshot() == before
    assert db.snapshot() == before
    return taken


@pytest.mark.parametrize("kind", ["events", "snapshot"])
def test_cut_at_every_byte(kind):
    """Every prefix: of events those that end with a whole record are taken, of a snapshot only the whole stream."""
    text = "".join(LINES[kind])
    data = text.encode()
    whole = {0} if kind == "events" else set()
    for line in LINES[kind] if kind == "events" else [text]:
        end = max(whole, default=0) + len(line.encode())
        whole |= {end - 1, end}
    whole |= {0} if kind == "events" else set()
    db = connect()
    for length in range(len(data) + 1):
        piece = data[:length].decode(errors="ignore") if length % 2 else data[:length].decode(errors="surrogateescape")
        assert attempt(db, kind, piece) == (length in whole), length
    assert attempt(db, kind, text)
    assert db.doctor()["ok"]


@pytest.mark.parametrize("kind", ["events", "snapshot"])
def test_every_line_removed_doubled_and_swapped(kind):
    """Events are each complete, and order decides; a snapshot is sealed as a whole."""
    lines = LINES[kind]
    db = connect()
    for place in range(len(lines)):
        removed = lines[:place] + lines[place + 1 :]
        doubled = lines[: place + 1] + lines[place:]
        swapped = [*lines[:place], *lines[place + 1 : place + 2], lines[place], *lines[place + 2 :]]
        for changed in (removed, doubled, swapped):
            expected = kind == "events" or changed == lines
            assert attempt(db, kind, "".join(changed)) is expected, (place, changed)
    assert db.doctor()["ok"]


def test_a_stream_cut_twenty_bytes_before_its_end_names_the_line_and_leaves_a_fresh_file_usable(tmp_path):
    db = connect(tmp_path / "f.db")
    with pytest.raises(fgraph.TypeError, match="line 2"):
        db.apply(EVENTS[:-20])
    assert db.stats()["transactions"] == 1
    db.apply(EVENTS)
    assert tail(db) == EVENTS


def test_a_byte_changed_anywhere_in_a_snapshot_is_noticed():
    """Each byte of the stream gets another value once."""
    data = SNAPSHOT.encode()
    db = connect()
    for place in range(len(data)):
        changed = data[:place] + bytes((data[place] ^ 1,)) + data[place + 1 :]
        text = changed.decode(errors="surrogateescape")
        # White space outside of strings is free, and so is the case of nothing else.
        assert not attempt(db, "snapshot", text) or text.split() == SNAPSHOT.split(), place
