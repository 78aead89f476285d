"""Transaction times and event ids: arguments, environment, machine."""

import os
import time
import uuid

import pytest

import fgraph
from fgraph import errors, limits

START = 1_767_225_600_000_000


def times(db: fgraph.Db, writes: int) -> list[int]:
    return [db.transact({"id": f"e{db.stats()['transactions']}", "p/n": 1}).at for _ in range(writes)]


def genesis_time(db: fgraph.Db) -> int:
    return db.receipt(64)["at"]


def test_an_injected_clock_that_stands_still_advances_by_a_second(tmp_path, monkeypatch):
    path = tmp_path / "facts.db"
    monkeypatch.setenv("FGRAPH_CLOCK", "100")
    with fgraph.connect(path) as db:
        assert genesis_time(db) == 100
        assert times(db, 3) == [1_000_100, 2_000_100, 3_000_100]
    monkeypatch.setenv("FGRAPH_CLOCK", "50")
    with fgraph.connect(path) as db:
        assert times(db, 1) == [4_000_100]
    monkeypatch.setenv("FGRAPH_CLOCK", "+9000000")
    with fgraph.connect(path) as db:
        assert times(db, 2) == [9_000_000, 10_000_000]


def test_a_callable_is_asked_once_for_genesis_and_once_for_each_commit():
    answers = iter([10, 20, 20, 15, 21])
    with fgraph.connect(":memory:", clock=lambda: next(answers)) as db:
        assert genesis_time(db) == 10
        assert times(db, 4) == [20, 1_000_020, 2_000_020, 3_000_020]
    assert list(answers) == []


def test_a_noop_and_a_refusal_consume_no_tick():
    asked = []

    def clock() -> int:
        asked.append(1)
        return START + len(asked)

    with fgraph.connect(":memory:", clock=clock) as db:
        db.transact({"id": "ada", "p/n": 1})
        assert db.transact({"id": "ada", "p/n": 1}).status == "noop"
        with pytest.raises(errors.SchemaError):
            db.transact({"id": "ada", "Bad/name": 1})
    assert len(asked) == 2


def test_a_callable_may_answer_in_rfc_3339_text():
    with fgraph.connect(":memory:", clock=lambda: "2026-01-01T00:00:00Z") as db:
        assert genesis_time(db) == START


@pytest.mark.parametrize("answer", [None, True, 1.5, b"1", "2026-01-01", [], limits.INSTANT_MAX + 1], ids=repr)
def test_any_other_answer_is_a_type_error_and_nothing_is_written(answer):
    answers = [START]
    with fgraph.connect(":memory:", clock=lambda: answers[-1]) as db:
        answers.append(answer)
        with pytest.raises(errors.TypeError, match="instant"):
            db.transact({"id": "ada", "p/n": 1})
        answers.append(START)
        assert db.transact({"id": "ada", "p/n": 1}).tx == 67, "nothing was allocated by the failure"


def test_the_last_moment_of_time_opens_a_file_and_takes_no_write(monkeypatch):
    monkeypatch.setenv("FGRAPH_CLOCK", "253402300799999999")
    with fgraph.connect(":memory:") as db:
        with pytest.raises(errors.TypeError, match="9999"):
            db.transact({"id": "ada", "p/n": 1})
        assert db.stats()["transactions"] == 1


def test_the_wall_clock_is_the_machine_s_and_steps_by_a_microsecond(monkeypatch):
    monkeypatch.delenv("FGRAPH_CLOCK", raising=False)
    before = time.time_ns() // 1000
    with fgraph.connect(":memory:") as db:
        assert before <= genesis_time(db) <= time.time_ns() // 1000
    moments = iter([START, START, START - 5_000_000, START + 7])
    monkeypatch.setattr(time, "time_ns", lambda: next(moments) * 1000)
    with fgraph.connect(":memory:") as db:
        assert genesis_time(db) == START
        assert times(db, 3) == [START + 1, START + 2, START + 7]


SEEDED = [
    ("seed-a", 65, "0b811358-eb4b-47e8-b22f-688b77e02643"),
    ("seed-a", 66, "53f1a761-f9ad-4338-a61d-b5e6de808ff0"),
    ("", 65, "448e7d13-4d2d-4518-9524-d828b6421598"),
    ("", 67, "51dd3428-e4d8-4908-a855-800730395516"),
    ("é", 65, "d86a8855-904a-473e-ab27-7571b244cf83"),
    ("workshop", 69, "80cc6c57-7e30-4cdd-9836-0468d4e53a3d"),
]


@pytest.mark.parametrize(("seed", "tx", "event"), SEEDED)
def test_a_seed_and_a_transaction_id_give_one_event_id(monkeypatch, seed, tx, event):
    monkeypatch.setenv("FGRAPH_EVENT_SEED", seed)
    with fgraph.connect(":memory:") as db:
        # Each name takes one identity, the transaction the next.
        reports = [db.transact([{"id": f"n{number}"} for number in range(65, tx)], by="kim")]
    assert [(report.tx, report.event) for report in reports] == [(tx, event)]


def test_the_seed_is_read_once_at_open(monkeypatch):
    monkeypatch.setenv("FGRAPH_EVENT_SEED", "seed-a")
    with fgraph.connect(":memory:") as db:
        monkeypatch.setenv("FGRAPH_EVENT_SEED", "other")
        assert db.transact([], by="kim").event == "0b811358-eb4b-47e8-b22f-688b77e02643"


def test_without_seed_event_ids_are_random_version_4(monkeypatch):
    monkeypatch.delenv("FGRAPH_EVENT_SEED", raising=False)
    with fgraph.connect(":memory:") as db:
        events = [uuid.UUID(db.transact([], by="kim").event) for _ in range(50)]
    assert len(set(events)) == 50
    assert {(event.version, event.variant) for event in events} == {(4, uuid.RFC_4122)}


EVENT = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"


@pytest.mark.parametrize(
    "given",
    [EVENT, EVENT.upper(), uuid.UUID(EVENT), *(EVENT[:14] + version + EVENT[15:] for version in "2345")],
    ids=str,
)
def test_a_factory_gives_rfc_4122_ids_of_versions_1_to_5(monkeypatch, given):
    monkeypatch.setenv("FGRAPH_EVENT_SEED", "not asked")
    with fgraph.connect(":memory:", event_factory=lambda: given) as db:
        assert db.transact([], by="kim").event == str(given).lower()


@pytest.mark.parametrize(
    "given",
    [
        "{" + EVENT + "}",
        EVENT.replace("-", ""),
        f"urn:uuid:{EVENT}",
        f" {EVENT}",
        str(uuid.UUID(int=0)),
        EVENT[:14] + "6" + EVENT[15:],
        EVENT[:14] + "7" + EVENT[15:],
        EVENT[:19] + "c" + EVENT[20:],
        EVENT[:19] + "7" + EVENT[20:],
        "x",
        None,
        5,
        uuid.UUID(EVENT).bytes,
        uuid.UUID,
    ],
    ids=repr,
)
def test_anything_else_from_a_factory_is_refused_and_nothing_is_written(given):
    with fgraph.connect(":memory:", event_factory=lambda: given) as db:
        with pytest.raises(errors.TypeError, match="UUID"):
            db.transact([], by="kim")
        assert db.stats()["transactions"] == 1


def test_an_event_id_that_is_in_use_is_a_conflict():
    with fgraph.connect(":memory:", event_factory=lambda: EVENT) as db:
        db.transact([], by="kim")
        with pytest.raises(errors.Conflict, match=EVENT):
            db.transact([], by="lee")


def test_what_a_callable_raises_comes_through_and_nothing_is_written():
    class Own(Exception):
        pass

    answers = [START]

    def clock() -> int:
        if not answers:
            raise Own
        return answers.pop()

    with fgraph.connect(":memory:", clock=clock) as db:
        with pytest.raises(Own):
            db.transact({"id": "ada", "p/n": 1})
        assert db.stats()["entities"] == 18


def test_seeds_are_bytes(monkeypatch):
    """A seed that is not UTF-8 is as good as any."""
    monkeypatch.setitem(os.environ, "FGRAPH_EVENT_SEED", os.fsdecode(b"\xff"))
    with fgraph.connect(":memory:") as db:
        assert uuid.UUID(db.transact([], by="kim").event).version == 4
