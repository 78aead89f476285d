"""Ctrl-C while SQLite works: `sqlite3` swallows it and leaves an interrupted statement, which is no damage."""

from collections.abc import Callable

import pytest

import fgraph
from tests.care.actions import Action, opened, prepared

STEPS = 40  # of SQLite's virtual machine between two moments at which a Ctrl-C can come

# name: (the call, how many of these moments lie between two that are tried)
CALLS: dict[str, tuple[Action, int]] = {
    "doctor": (lambda db: db.doctor(), 61),
    "repair": (lambda db: db.doctor(repair=True), 151),
    "compact": (lambda db: db.compact(), 11),
}


def interrupting(moment: int, met: list[int]) -> Callable[[], None]:
    """A progress handler that Ctrl-C hits at one moment, counted from 0; `met` takes down all that pass."""

    def handler() -> None:
        met.append(len(met))
        if met[-1] == moment:
            raise KeyboardInterrupt

    return handler


def is_interrupted(action: Action, db: fgraph.Db) -> bool:
    try:
        action(db)
    except KeyboardInterrupt:
        return True
    return False


@pytest.mark.parametrize("name", CALLS)
def test_it_ends_the_call_and_is_no_finding(tmp_path, name):
    prepared(tmp_path / "f.db")
    db = opened(tmp_path / "f.db")
    action, stride = CALLS[name]
    moment, met = 0, []
    db._store.connection.set_progress_handler(interrupting(moment, met), STEPS)
    while is_interrupted(action, db):
        assert not db._store.connection.in_transaction
        moment, met = moment + stride, []
        db._store.connection.set_progress_handler(interrupting(moment, met), STEPS)
    assert len(met) <= moment
    assert moment > 8 * stride
