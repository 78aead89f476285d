"""Every public write as one action on a prepared file, for the tests that let it fail."""

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import fgraph
from tests.portable.making import GENESIS, SECOND, connect, event, second_event, story, stream

LONG = bool(os.environ.get("FGRAPH_TEST_LONG"))
Action = Callable[[fgraph.Db], object]


def fixed_ids(start: int) -> Callable[[], str]:
    """Event ids that are the same in every run, so that outcomes can be compared byte for byte."""
    numbers = itertools.count(start)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012x}"


def opened(path: Path, start: int = 0x9000) -> fgraph.Db:
    return connect(path, event_factory=fixed_ids(start))


def prepared(path: Path) -> None:
    """A closed file with a history, a shape, and derived rows that are not right."""
    db = opened(path, 0x1000)
    story(db)
    db.declare_shape("shape/task", required=["task/owner"])
    db.transact({"id": "task/1", "fgraph/shape": {"ref": "shape/task"}, "task/owner": {"ref": "ada"}})
    db._store.connection.execute("DELETE FROM fgraph_fts WHERE rowid = 30")
    db._store.connection.execute("INSERT INTO fgraph_blobs VALUES (zeroblob(32), 'orphan')")
    db.close()


def pristine(path: Path) -> None:
    opened(path, 0x1000).close()


def batch(size: int) -> list[dict]:
    return [
        {"id": f"item/{number}", "item/text": f"text number {number}", "item/next": {"ref": f"item/{number + 1}"}}
        for number in range(size)
    ]


def source_snapshot() -> str:
    return story(connect(event_factory=fixed_ids(0x2000))).snapshot()


def many_events(count: int) -> str:
    events = [event(), second_event()]
    for number in range(count):
        identity = f"aaaaaaaa-0000-4000-8000-{number:012x}"
        events.append(
            event(
                event=identity,
                at=GENESIS + (3 + number) * SECOND,
                created=[],
                asserted=[[f"e{number}", "n/v", number, "int"], [f"e{number}", "n/t", f"words {number}", "text"]],
            )
        )
    return stream(*events)


SNAPSHOT = source_snapshot()
EVENTS = many_events(6)
MANIFEST_SOURCE = connect()
MANIFEST_SOURCE.declare("extra/attr", type="int", doc="extra")
MANIFEST = MANIFEST_SOURCE.schema_manifest()


def speculate(db: fgraph.Db) -> None:
    with db.speculate() as trial:
        trial.transact({"id": "a", "n/v": 1})
        trial.undo(trial.transact({"id": "a", "n/v": 2}).tx)


# name: (what lies there before, the write)
ACTIONS: dict[str, tuple[Callable[[Path], None], Action]] = {
    "transact": (prepared, lambda db: db.transact({"id": "ada", "user/age": 50, "n/long": "long " * 100}, by="x")),
    "batch": (prepared, lambda db: db.transact(batch(50), operation_id="batch:1")),
    "cas": (prepared, lambda db: db.transact(["cas", "ada", "user/mail", "ada@example.org", "a@example.org"])),
    "supersede without history": (prepared, lambda db: db.transact({"id": "values", "v/vector": {"vector": [1, 1]}})),
    "retract an entity": (prepared, lambda db: db.transact([["retract", "values"], ["retract", "mallory"]])),
    "retract": (prepared, lambda db: db.retract("ada", "note/tag")),
    "declare": (prepared, lambda db: db.declare("user/age", type="int", doc="years")),
    "declare_shape": (prepared, lambda db: db.declare_shape("shape/new", required=["user/age"])),
    "apply_schema_manifest": (prepared, lambda db: db.apply_schema_manifest(MANIFEST)),
    "undo": (prepared, lambda db: db.undo(max(fact["tx"] for fact in db.history("task/1")))),
    "excise": (prepared, lambda db: db.excise("ada", operation_id="excise:1")),
    "apply": (prepared, lambda db: db.apply(EVENTS)),
    "apply_summary": (prepared, lambda db: db.apply_summary(EVENTS)),
    "restore": (pristine, lambda db: db.restore(SNAPSHOT)),
    "repair": (prepared, lambda db: db.doctor(repair=True)),
    "compact": (prepared, lambda db: db.compact()),
    "speculate": (prepared, speculate),
}
