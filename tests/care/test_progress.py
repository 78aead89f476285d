"""What care tells of how far it has come: rows done and rows in all, known beforehand."""

from collections.abc import Callable
from itertools import pairwise

import pytest

import fgraph
from tests.care.actions import batch
from tests.care.test_doctor import overwrite_root
from tests.portable.making import connect

# A new file: 18 system attributes and genesis, its event, its facts, their texts.
IDS, EVENTS, FACTS, TEXTS = 19, 1, 39, 36
EVERYTHING = IDS + EVENTS + FACTS + TEXTS
# The identities, the facts, the receipts with their facts, the schema; then all pages, and the derived rows.
EXAMINED = IDS + FACTS + (EVENTS + FACTS) + FACTS + EVERYTHING + TEXTS

Told = list[tuple[int, int]]


def told_by(call: Callable[[Callable[[int, int], None]], object]) -> Told:
    told: Told = []
    call(lambda *numbers: told.append(numbers))
    return told


def check(told: Told, total: int) -> None:
    """What is done never grows less, the total stays, and in the end it is reached."""
    assert {numbers[1] for numbers in told} == {total}
    done = [numbers[0] for numbers in told]
    assert done == sorted(done)
    assert done[-1] == total


def test_doctor_counts_the_rows_of_each_group_of_checks(tmp_path):
    db = connect(tmp_path / "f.db")
    told = told_by(lambda progress: db.doctor(progress=progress))
    check(told, EXAMINED)
    assert told[0] == (IDS, EXAMINED)


def test_doctor_counts_each_payload_with_its_facts(tmp_path):
    db = connect(tmp_path / "f.db")
    for number in range(5):
        db.transact([{"id": f"e{number}", "n/v": number}, {"id": f"f{number}", "n/v": number}])
    told = told_by(lambda progress: db.doctor(progress=progress))
    steps = [later[0] - earlier[0] for earlier, later in pairwise(told)]
    assert steps.count(3) == 5  # a payload and the two facts it asserts, five times; no other passage has three rows


def test_a_repair_examines_twice_and_rebuilds_the_texts_in_between(tmp_path):
    db = connect(tmp_path / "f.db")
    check(told_by(lambda progress: db.doctor(repair=True, progress=progress)), 2 * EXAMINED + TEXTS)


def test_two_threads_count_together(tmp_path):
    db = connect(tmp_path / "f.db")
    db.transact([{"id": f"e{number}", "n/t": f"{number} " + "long " * 40} for number in range(4_000)])
    db.close()
    db = connect(tmp_path / "f.db", read_only=True)
    assert db.stats()["size"] > 1_048_576
    ids, events, facts, texts = IDS + 4_002, EVENTS + 1, FACTS + 4_001, TEXTS + 4_000
    pages = ids + events + facts + texts
    check(told_by(lambda progress: db.doctor(progress=progress)), ids + 3 * facts + events + pages + texts)


def test_a_damaged_table_has_no_rows_to_tell_of(tmp_path):
    path = tmp_path / "f.db"
    connect(path).close()
    overwrite_root(path, "fgraph_blobs")
    reports = []
    db = connect(path, read_only=True)
    check(told_by(lambda progress: reports.append(db.doctor(progress=progress))), EXAMINED)
    assert not reports[0]["ok"]


def test_compact_counts_each_row_as_it_is_copied_and_as_it_is_written_back(tmp_path):
    db = connect(tmp_path / "f.db")
    check(told_by(lambda progress: db.compact(progress=progress)), 2 * EVERYTHING)
    db.transact(batch(2_000))
    told = told_by(lambda progress: db.compact(progress=progress))
    check(told, told[0][1])
    assert len(told) > 3


def test_a_backup_counts_pages_and_then_the_rows_of_the_copy(tmp_path):
    db = connect(tmp_path / "f.db")
    db.compact()
    pages = db.stats()["size"] // 4_096
    told = told_by(lambda progress: db.backup(tmp_path / "copy.db", progress=progress))
    check(told, pages + EXAMINED)
    assert told[0] == (pages, pages + EXAMINED)
    back = told_by(lambda progress: fgraph.restore_backup(tmp_path / "copy.db", tmp_path / "b.db", progress=progress))
    assert back == told


CALLS: dict[str, Callable[[fgraph.Db, object], object]] = {
    "doctor": lambda db, progress: db.doctor(progress=progress),
    "repair": lambda db, progress: db.doctor(repair=True, progress=progress),
    "compact": lambda db, progress: db.compact(progress=progress),
    "backup": lambda db, progress: db.backup(f"{db.path}.copy", progress=progress),
    "restore_backup": lambda db, progress: fgraph.restore_backup(db.path, f"{db.path}.back", progress=progress),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_the_function_raises_comes_through_and_nothing_is_changed(tmp_path, name):
    class Enough(Exception):
        pass

    def stop(done: int, total: int) -> None:
        raise Enough

    db = connect(tmp_path / "f.db")
    db.transact(batch(2_000))
    before = db.snapshot()
    with pytest.raises(Enough):
        CALLS[name](db, stop)
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix not in (".db-wal", ".db-shm")) == ["f.db"]
    assert db.snapshot() == before
    assert db.transact({"id": "later", "n/v": 1}).status == "applied"


@pytest.mark.parametrize("name", CALLS)
def test_it_must_be_something_to_call(tmp_path, name):
    db = connect(tmp_path / "f.db")
    with pytest.raises(fgraph.TypeError, match="progress is 5; give a function that takes"):
        CALLS[name](db, 5)
    assert [path.name for path in tmp_path.iterdir() if path.suffix in (".copy", ".back")] == []
