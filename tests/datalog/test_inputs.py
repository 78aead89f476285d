"""Inputs of every form, and arithmetic."""

import pytest

import fgraph
from tests.datalog.workshop import rows, workshop

WATTS = ["?e", "m/watts", "?w"]


@pytest.fixture(scope="module")
def db() -> fgraph.Db:
    return workshop()


def asked(db: fgraph.Db, where: list, find: list, inputs: list, args: object) -> list:
    return rows(db, where, *find, args=args, **{"in": inputs})


FORMS = [
    ("a scalar", [WATTS, [">", "?w", "?min"]], ["?e"], ["?min"], {"?min": 100}, [["lathe"], ["motor"]]),
    ("a reference", [["?x", "m/uses", "?y"]], ["?y"], ["?x"], {"?x": {"ref": "gearbox"}}, [["motor"]]),
    ("text is no entity", [["?x", "m/uses", "?y"]], ["?y"], ["?x"], {"?x": "gearbox"}, []),
    (
        "an input inside not only",
        [WATTS, {"not": [["?e", "m/name", "?n"]]}],
        ["?e"],
        ["?n"],
        {"?n": "Lathe"},
        [["gearbox"], ["motor"]],
    ),
    ("an input that is found itself", [], ["?x"], ["?x"], {"?x": 5}, [[5]]),
    ("a surplus value", [WATTS, ["=", "?w", "?x"]], ["?e"], ["?x"], {"?x": 40, "?y": 1}, [["gearbox"]]),
    ("a collection", [WATTS], ["?e", "?w"], [["?w", "..."]], {"?w": [40, 750, 7]}, [["gearbox", 40], ["motor", 750]]),
    ("an empty collection", [WATTS], ["?e"], [["?w", "..."]], {"?w": []}, []),
    (
        "a collection of several types",
        [["?e", "?a", "?v"]],
        ["?e"],
        [["?v", "..."]],
        {"?v": ["Belt", 40]},
        [["belt"], ["gearbox"]],
    ),
    ("a tuple", [["?e", "m/name", "?n"], WATTS], ["?e"], [["?n", "?w"]], {"?n ?w": ["Motor", 750]}, [["motor"]]),
    (
        "a relation",
        [["?e", "m/name", "?n"], WATTS],
        ["?e"],
        [[["?n", "?w"]]],
        {"?n ?w": [["Motor", 750], ["Gearbox", 41], ["Lathe", 1600]]},
        [["motor"], ["lathe"]],
    ),
    (
        "args in a list",
        [WATTS, [">", "?w", "?min"], ["<", "?w", "?max"]],
        ["?e"],
        ["?min", "?max"],
        [40, 1000],
        [["motor"]],
    ),
]


@pytest.mark.parametrize(
    ("where", "find", "inputs", "args", "expected"), [case[1:] for case in FORMS], ids=[case[0] for case in FORMS]
)
def test_inputs(db: fgraph.Db, where: list, find: list, inputs: list, args: object, expected: list) -> None:
    assert asked(db, where, find, inputs, args) == expected


@pytest.mark.parametrize(
    ("inputs", "args"),
    [
        ([["?x", "..."]], {"?x": 5}),
        ([["?x", "?y"]], {"?x ?y": [1]}),
        ([[["?x", "?y"]]], {"?x ?y": [[1, 2], [3]]}),
        (["?x"], [1, 2]),
    ],
)
def test_values_that_do_not_fit_their_form_are_refused(db: fgraph.Db, inputs: list, args: object) -> None:
    with pytest.raises(fgraph.QueryError):
        asked(db, [WATTS], ["?e"], inputs, args)


def test_an_input_may_be_a_relation_of_thousands(db: fgraph.Db) -> None:
    assert asked(db, [WATTS], ["?e"], [["?w", "..."]], {"?w": list(range(5_000))}) == [
        ["gearbox"],
        ["motor"],
        ["lathe"],
    ]
    with pytest.raises(fgraph.TooLarge):
        asked(db, [WATTS], ["?e"], [["?w", "..."]], {"?w": list(range(20_000))})


SUMS = [
    (["+", "?w", 1, "?x"], [1601, 41, 751]),
    (["-", "?w", 0.5, "?x"], [1599.5, 39.5, 749.5]),
    (["*", 2, "?w", "?x"], [3200, 80, 1500]),
    (["/", "?w", 2, "?x"], [800.0, 20.0, 375.0]),
    (["%", "?w", 100, "?x"], [0, 40, 50]),
]


@pytest.mark.parametrize(("clause", "expected"), SUMS, ids=[clause[0] for clause, _ in SUMS])
def test_arithmetic_binds_its_result(db: fgraph.Db, clause: list, expected: list) -> None:
    found = dict(map(tuple, rows(db, [WATTS, clause], "?e", "?x")))
    assert [found[name] for name in ("lathe", "gearbox", "motor")] == expected


def test_a_bound_result_is_a_condition(db: fgraph.Db) -> None:
    assert rows(db, [WATTS, ["+", "?w", 10, 50]], "?e") == [["gearbox"]]
    assert rows(db, [WATTS, ["?f", "m/watts", "?v"], ["+", "?w", 710, "?v"]], "?e", "?f") == [["gearbox", "motor"]]


def test_a_result_joins_and_compares(db: fgraph.Db) -> None:
    where = [WATTS, ["*", "?w", 2, "?x"], [">", "?x", 100], ["?e", "m/name", "?n"]]
    assert rows(db, where, "?n", "?x") == [["Lathe", 3200], ["Motor", 1500]]


def test_instants_and_integers_make_instants(db: fgraph.Db) -> None:
    where = [[74, "fgraph/at", "?a"], [73, "fgraph/at", "?b"], ["-", "?a", "?b", "?d"], ["+", "?b", 500000, "?c"]]
    assert rows(db, where, "?d", "?c") == [[1_000_000, {"instant": "2026-01-01T00:00:02.500000Z"}]]


BAD = [
    ["+", "?n", 1, "?x"],
    ["/", "?w", 0, "?x"],
    ["*", "?w", 9_223_372_036_854_775_807, "?x"],
    ["*", "?w", 1e308, "?x"],
    ["%", "?w", 1.5, "?x"],
]


@pytest.mark.parametrize("clause", BAD, ids=str)
def test_arithmetic_beyond_its_types_is_refused(db: fgraph.Db, clause: list) -> None:
    with pytest.raises(fgraph.QueryError):
        rows(db, [WATTS, ["?e", "m/name", "?n"], clause], "?x")
