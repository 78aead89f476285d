"""What each kind of clause selects."""

import pytest

import fgraph
from tests.datalog.workshop import rows, workshop

NAME, WATTS, USES = ["?e", "m/name", "?n"], ["?e", "m/watts", "?w"], ["?e", "m/uses", "?f"]


@pytest.fixture(scope="module")
def db() -> fgraph.Db:
    return workshop()


ANSWERS = [
    ("a constant value", [["?e", "m/name", "Lathe"]], ["?e"], [["lathe"]]),
    ("text is never a reference", [["?e", "m/uses", "motor"]], ["?e"], []),
    ("a reference constant", [["?e", "m/uses", {"ref": "motor"}]], ["?e"], [["lathe"], ["gearbox"]]),
    ("an unknown reference matches nothing", [["?e", "m/uses", {"ref": "nobody"}]], ["?e"], []),
    ("an unknown entity matches nothing", [["nobody", "m/name", "?n"]], ["?n"], []),
    ("an unknown attribute matches nothing", [["?e", "no/such", "?n"]], ["?e"], []),
    ("an entity by its id", [[67, "m/name", "?n"]], ["?n"], [["Lathe"]]),
    ("an entity wrapped as a reference", [[{"ref": "belt"}, "m/name", "?n"]], ["?n"], [["Belt"]]),
    ("an int never equals a float in a pattern", [["?e", "m/watts", 40.0]], ["?e"], []),
    ("an attribute variable", [["belt", "?a", "?v"]], ["?a", "?v"], [["m/name", "Belt"]]),
    ("a value wherever it stands", [["?e", "?a", 40]], ["?e", "?a"], [["gearbox", "m/watts"]]),
    ("the transaction", [["lathe", "m/watts", "?w", "?t"]], ["?w", "?t"], [[1600, 74]]),
    ("a constant transaction", [["?e", "m/watts", "?w", 76]], ["?e"], [["motor"]]),
    ("added is true of the present", [["belt", "m/name", "?n", "_", "?d"]], ["?n", "?d"], [["Belt", True]]),
    ("nothing present was retracted", [["?e", "m/watts", "?w", "_", False]], ["?e"], []),
    (
        "a join",
        [USES, ["?f", "m/name", "?n"]],
        ["?e", "?n"],
        [["lathe", "Gearbox"], ["lathe", "Motor"], ["gearbox", "Motor"]],
    ),
    ("a value joined with an entity position", [["lathe", "?a", "?f"], ["?f", "m/watts", "?w"]], ["?w"], [[40], [750]]),
    ("one variable twice in a pattern", [["?e", "m/uses", "?e"]], ["?e"], []),
    ("equality across int and float", [WATTS, ["=", "?w", 40.0]], ["?e"], [["gearbox"]]),
    ("inequality across types is true", [["?e", "m/uses", "_"], ["!=", "?e", 67]], ["?e"], [["lathe"], ["gearbox"]]),
    ("a range", [WATTS, [">", "?w", 100]], ["?e"], [["lathe"], ["motor"]]),
    ("a range from the other side", [WATTS, [">", 100, "?w"]], ["?e"], [["gearbox"]]),
    ("two ends of a range", [WATTS, [">=", "?w", 40], ["<", "?w", 1600]], ["?e"], [["gearbox"], ["motor"]]),
    ("references compare by id", [USES, ["<", "?e", "?f"]], ["?f"], [["gearbox"], ["motor"]]),
    ("a needle", [NAME, ["contains", "?n", "ear"]], ["?e"], [["gearbox"]]),
    ("a beginning", [NAME, ["starts-with", "?n", "M"]], ["?e"], [["motor"]]),
    (
        "an empty needle is in everything",
        [NAME, ["contains", "?n", ""]],
        ["?e"],
        [["lathe"], ["gearbox"], ["motor"], ["belt"]],
    ),
    ("not", [NAME, {"not": [["?e", "m/watts", "_"]]}], ["?n"], [["Belt"]]),
    (
        "not of a join",
        [NAME, {"not": [["?e", "m/uses", "?f"], ["?f", "m/watts", 40]]}],
        ["?n"],
        [["Gearbox"], ["Motor"], ["Belt"]],
    ),
    (
        "not over an attribute nobody has",
        [NAME, {"not": [["?e", "no/such", "_"]]}],
        ["?n"],
        [["Lathe"], ["Gearbox"], ["Motor"], ["Belt"]],
    ),
    (
        "not over a constant that names nothing",
        [NAME, {"not": [["?e", "m/uses", {"ref": "nobody"}]]}],
        ["?n"],
        [["Lathe"], ["Gearbox"], ["Motor"], ["Belt"]],
    ),
    (
        "not inside not",
        [NAME, {"not": [["?e", "m/uses", "?f"], {"not": [["?f", "m/watts", 40]]}]}],
        ["?n"],
        [["Motor"], ["Belt"]],
    ),
    (
        "or as a filter",
        [NAME, {"or": [[["?e", "m/watts", 750]], [["?e", "m/watts", 40]]]}],
        ["?n"],
        [["Motor"], ["Gearbox"]],
    ),
    (
        "or that binds",
        [{"or": [[["?e", "m/uses", "?x"]], [["?e", "m/watts", "?x"]]]}],
        ["?x"],
        [["gearbox"], ["motor"], [40], [1600], [750]],
    ),
    (
        "or with an empty branch",
        [NAME, {"or": [[["?e", "m/watts", 40]], []]}],
        ["?n"],
        [["Gearbox"], ["Lathe"], ["Motor"], ["Belt"]],
    ),
    ("a predicate over constants", [["<", 2, 1], NAME], ["?n"], []),
]


@pytest.mark.parametrize(
    ("where", "find", "expected"), [case[1:] for case in ANSWERS], ids=[case[0] for case in ANSWERS]
)
def test_answers_in_canonical_order(db: fgraph.Db, where: list, find: list, expected: list) -> None:
    assert rows(db, where, *find) == expected


HISTORY = [
    (
        "each assertion and retraction",
        [["motor", "m/watts", "?v", "?t", "?d"]],
        ["?v", "?t", "?d"],
        [[750, 73, True], [750, 75, False], [750, 76, True]],
    ),
    (
        "values once where nothing tells them apart",
        [["?e", "m/watts", "?v"]],
        ["?e", "?v"],
        [["lathe", 1500], ["gearbox", 40], ["motor", 750], ["lathe", 1600]],
    ),
    (
        "only what was retracted",
        [["?e", "m/watts", "?v", "?t", False]],
        ["?e", "?v", "?t"],
        [["lathe", 1500, 74], ["motor", 750, 75]],
    ),
    ("one transaction", [["?e", "m/watts", "?v", 74]], ["?v"], [[1500], [1600]]),
]


@pytest.mark.parametrize(
    ("where", "find", "expected"), [case[1:] for case in HISTORY], ids=[case[0] for case in HISTORY]
)
def test_answers_over_history(db: fgraph.Db, where: list, find: list, expected: list) -> None:
    assert rows(db, where, *find, source="history") == expected


def test_a_view_answers_as_of_its_basis(db: fgraph.Db) -> None:
    assert rows(db.at(73), [WATTS], "?e", "?w") == [["lathe", 1500], ["gearbox", 40], ["motor", 750]]
    assert rows(db.at(75), [WATTS], "?e") == [["gearbox"], ["lathe"]]


def test_a_since_view_hides_what_was_asserted_before(db: fgraph.Db) -> None:
    view = db.since(73)
    assert rows(view, [WATTS], "?e", "?w") == [["lathe", 1600], ["motor", 750]]
    assert rows(view, [["?e", "m/watts", "?v", "?t", "?d"]], "?v", "?t", "?d", source="history") == [
        [1500, 74, False],
        [750, 75, False],
        [1600, 74, True],
        [750, 76, True],
    ]
    assert view.entity("lathe") == view.pull("lathe", ["*"]) == {"m/watts": 1600}
    assert [item["v"] for item in view.datoms("avet", ["m/watts"])["items"]] == [750, 1600]


def test_at_and_since_narrow_each_other(db: fgraph.Db) -> None:
    assert rows(db.at(74).since(73), [WATTS], "?e") == rows(db.since(73).at(74), [WATTS], "?e") == [["lathe"]]
    assert rows(db.since("2026-01-01T00:00:03Z"), [WATTS], "?e") == [["motor"]]
    with pytest.raises(fgraph.ReadOnly):
        db.since(73).transact({"id": "x", "m/name": "X"})


def test_long_and_short_texts_are_one_type() -> None:
    db = workshop()
    db.transact([{"id": "a", "t/text": "Z" * 300}, {"id": "b", "t/text": "A"}])
    assert rows(db, [["?e", "t/text", "?v"], ["<", "?v", "M"]], "?e") == [["b"]]
    assert rows(db, [["?e", "t/text", "?v"], ["starts-with", "?v", "ZZ"]], "?e") == [["a"]]
    assert rows(db, [["?e", "t/text", "Z" * 300]], "?e") == [["a"]]


def test_all_patterns_read_one_state() -> None:
    """A name that looks like a variable, and the text of a wildcard, are reached through inputs and references."""
    db = workshop()
    db.transact([{"id": "?odd", "m/name": "_"}])
    assert rows(db, [["?e", "m/name", "?s"]], "?e", **{"in": ["?s"], "args": {"?s": "_"}}) == [["?odd"]]
    assert rows(db, [["?e", "m/name", "?n"], ["=", "?e", {"ref": "?odd"}]], "?n") == [["_"]]


def test_the_order_of_clauses_does_not_change_the_answer(db: fgraph.Db) -> None:
    clauses = [NAME, ["?x", "m/uses", "?e"], ["?x", "m/watts", "?w"], [">", "?w", 100]]
    moved = [clauses[2], clauses[3], clauses[1], clauses[0]]
    assert (
        sorted(rows(db, clauses, "?n", "?x"))
        == sorted(rows(db, moved, "?n", "?x"))
        == [["Gearbox", "lathe"], ["Motor", "lathe"]]
    )
