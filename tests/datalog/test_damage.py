"""Values that no program of ours wrote, met by predicates, arithmetic and aggregates."""

from pathlib import Path

import pytest

import fgraph
from tests.datalog.workshop import rows
from tests.file.making import change

VALUE = ["?e", "k/v", "?v"]
UNSAFE = "PRAGMA ignore_check_constraints = ON"


def damaged_file(path: Path, values: tuple, damage: str) -> Path:
    """A file where entity `e` has these values of `k/v`, of which the integer 2 is damaged."""
    with fgraph.connect(path) as db:
        db.declare("k/v", many=True)
        db.transact({"id": "e", "k/v": list(values)})
    change(path, UNSAFE, f"UPDATE fgraph_facts SET {damage} WHERE v = 2 AND t = 2 AND e > 64")
    return path


PREDICATES = {
    "arithmetic": (["+", "?v", 1, "?w"], "v = 'x'", (1, 2)),
    "arithmetic on bytes": (["/", 1, "?v", "?w"], "v = x'00'", (1, 2)),
    "arithmetic on a tag that does not exist": (["+", "?v", 1, "?w"], "t = 99", (1, 2)),
    "a comparison among numbers": (["<", "?v", "?v"], "t = 3, v = 'x'", (1, 2, "y")),
    "a comparison with a tag that does not exist": (["<", "?v", 5], "t = 99", (1, 2)),
    "a text test of a number": (["contains", "?v", "x"], "t = 4, v = 5", (2, "x" * 300)),
    "a text test of a key without payload": (["contains", "?v", "x"], "t = 8, v = zeroblob(32)", (2, "x")),
}


@pytest.mark.parametrize(("clause", "damage", "values"), PREDICATES.values(), ids=PREDICATES.keys())
def test_a_clause_that_meets_a_damaged_value_says_so_and_sends_to_doctor(
    tmp_path: Path, clause: list, damage: str, values: tuple
) -> None:
    path = damaged_file(tmp_path / "facts.db", values, damage)
    with (
        fgraph.connect(path) as db,
        pytest.raises(fgraph.FormatError, match="the file is damaged") as caught,
    ):
        db.q({"find": ["?e"], "where": [VALUE, clause]})
    assert "doctor" in caught.value.hint


def test_a_value_with_an_impossible_tag_is_not_skipped_where_all_others_have_one_type(tmp_path: Path) -> None:
    path = damaged_file(tmp_path / "facts.db", (1, 2), "t = 99")
    with fgraph.connect(path) as db:
        for source in ("current", "history"):
            with pytest.raises(fgraph.FormatError, match="tag 99"):
                db.q({"find": ["?v"], "where": [VALUE], "source": source})
        assert rows(db, [["?e", "k/v", 1]], "?e") == [["e"]]


DAMAGES = {
    "text among integers": ("v = 'x'", (1, 2)),
    "text among numbers": ("v = 'x'", (1, 2, 2.5)),
    "a tag that does not exist among integers": ("t = 99", (1, 2)),
    "a tag that does not exist among numbers": ("t = 99", (1, 2, 2.5)),
}


@pytest.mark.parametrize(("damage", "values"), DAMAGES.values(), ids=DAMAGES.keys())
@pytest.mark.parametrize("function", ["sum", "avg", "max"])
def test_an_aggregate_of_a_damaged_value_is_a_format_error(
    tmp_path: Path, damage: str, values: tuple, function: str
) -> None:
    path = damaged_file(tmp_path / "facts.db", values, damage)
    with fgraph.connect(path) as db, pytest.raises(fgraph.FormatError):
        rows(db, [VALUE], [function, "?v"])
