"""`log`: the latest transactions, on the workshop (transactions 66 and 73 to 76, see workshop.py)."""

import pytest

from fgraph import errors, limits
from fgraph.read.log import log
from tests.read.workshop import AT


def logged(db, most: int = 10, before: int | None = None) -> list[dict]:
    with db._store.reading() as reader:
        return log(reader, most, before)


def test_a_transaction_is_listed_with_its_author_and_what_it_changed(still):
    assert [entry for entry in logged(still) if entry["tx"] in (73, 74)] == [
        {
            "tx": 74, "at": AT + 3_000_000, "source": "meter", "operation_id": None,
            "asserted": 1, "retracted": 1, "entities": 1, "about": ["lathe"],
        },
        {
            "tx": 73, "at": AT + 2_000_000, "by": "kim", "source": "sheet-1", "operation_id": None,
            "asserted": 10, "retracted": 0, "entities": 4, "about": ["lathe", "gearbox", "motor"],
        },
    ]  # fmt: skip


def test_the_newest_comes_first_and_genesis_is_left_out(still):
    assert [entry["tx"] for entry in logged(still)] == [76, 75, 74, 73, 66]


def test_a_log_goes_on_before_a_transaction(still):
    assert [entry["tx"] for entry in logged(still, 2)] == [76, 75]
    assert [entry["tx"] for entry in logged(still, 2, before=75)] == [74, 73]
    assert logged(still, 2, before=66) == []


def test_a_view_of_the_past_knows_no_later_transaction(still):
    assert [entry["tx"] for entry in logged(still.at(74))] == [74, 73, 66]


def test_facts_about_the_transaction_itself_are_not_counted(db):
    db.transact([], by="kim", operation_id="empty-1")
    newest = logged(db, 1)[0]
    counted = {name: newest[name] for name in ("asserted", "retracted", "entities", "about")}
    assert counted == {"asserted": 0, "retracted": 0, "entities": 0, "about": []}
    assert (newest["by"], newest["operation_id"]) == ("kim", "empty-1")


def test_an_end_beyond_64_bits_is_refused(still):
    with pytest.raises(errors.TypeError, match="before holds the integer"):
        logged(still, 1, before=limits.INT_MAX + 1)
