"""Rules: unfolded ones, recursion from the bound side in every spelling, negation, what the caller binds."""

import pytest

import fgraph
from tests.datalog.workshop import CLOCK, NEEDS_LEFT, NEEDS_RIGHT, rows, workshop

NEEDS_BOTH = [
    NEEDS_RIGHT[0],
    {"head": ["needs", "?x", "?y"], "body": [{"rule": ["needs", "?x", "?z"]}, {"rule": ["needs", "?z", "?y"]}]},
]
NEEDS_OR = [
    NEEDS_RIGHT[0],
    {
        "head": ["needs", "?x", "?y"],
        "body": [["?x", "m/uses", "?z"], {"or": [[["?z", "m/uses", "?y"]], [{"rule": ["needs", "?z", "?y"]}]]}],
    },
]
NEEDS_APART = [
    NEEDS_RIGHT[0],
    {"head": ["needs", "?x", "?y"], "body": [{"rule": ["indirectly", "?x", "?y"]}]},
    {"head": ["indirectly", "?x", "?y"], "body": [["?x", "m/uses", "?z"], {"rule": ["needs", "?z", "?y"]}]},
]
SPELLINGS = {
    "right": NEEDS_RIGHT,
    "left": NEEDS_LEFT,
    "both sides": NEEDS_BOTH,
    "or": NEEDS_OR,
    "two rules": NEEDS_APART,
}
CALLS = [
    (["lathe", "?y"], [["gearbox"], ["motor"]]),
    (["?x", "motor"], [["lathe"], ["gearbox"]]),
    (["?x", "?y"], [["lathe", "gearbox"], ["lathe", "motor"], ["gearbox", "motor"]]),
    (["_", "?y"], [["gearbox"], ["motor"]]),
    ([67, "?y"], [["gearbox"], ["motor"]]),
    ([{"ref": "gearbox"}, "?y"], [["motor"]]),
    (["belt", "?y"], []),
    (["nobody", "?y"], []),
    (["?x", "?x"], []),
]


@pytest.fixture(scope="module")
def db() -> fgraph.Db:
    return workshop()


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize(("args", "expected"), CALLS, ids=[str(args) for args, _ in CALLS])
def test_every_spelling_answers_every_call(db: fgraph.Db, spelling: str, args: list, expected: list) -> None:
    find = list(dict.fromkeys(term for term in args if isinstance(term, str) and term.startswith("?")))
    where = [{"rule": ["needs", *args]}]
    assert sorted(rows(db, where, *find, rules=SPELLINGS[spelling])) == sorted(expected)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_with_a_limit_tuples_come_in_the_order_of_their_derivation(db: fgraph.Db, spelling: str) -> None:
    where = [{"rule": ["needs", "?x", "?y"]}]
    expected = [["lathe", "gearbox"], ["lathe", "motor"], ["gearbox", "motor"]]
    assert rows(db, where, "?x", "?y", rules=SPELLINGS[spelling], limit=9) == expected
    assert rows(db, where, "?x", "?y", rules=SPELLINGS[spelling], limit=1, offset=1) == expected[1:2]


def test_a_call_may_have_both_ends_bound(db: fgraph.Db) -> None:
    where = [{"rule": ["needs", "lathe", "motor"]}, ["belt", "m/name", "?n"]]
    assert rows(db, where, "?n", rules=NEEDS_RIGHT) == [["Belt"]]
    where[0] = {"rule": ["needs", "motor", "lathe"]}
    assert rows(db, where, "?n", rules=NEEDS_RIGHT) == []


@pytest.mark.parametrize("rules", [NEEDS_RIGHT, NEEDS_LEFT])
def test_calls_that_enter_a_rule_alike_each_find_their_own(db: fgraph.Db, rules: list) -> None:
    needs = [{"rule": ["needs", "lathe", "?y"]}, {"rule": ["needs", "gearbox", "?z"]}]
    neither = [{"not": [{"rule": ["needs", part, "?y"]}]} for part in ("motor", "gearbox")]
    assert rows(db, needs, "?y", "?z", rules=rules) == [["gearbox", "motor"], ["motor", "motor"]]
    assert rows(db, [*needs, *neither], "?y", "?z", rules=rules) == [["gearbox", "motor"]]


def test_a_bound_variable_enters_a_rule(db: fgraph.Db) -> None:
    where = [["?x", "m/watts", 40], {"rule": ["needs", "?x", "?y"]}]
    assert rows(db, where, "?y", rules=NEEDS_RIGHT) == rows(db, where, "?y", rules=NEEDS_LEFT) == [["motor"]]


def test_definitions_form_a_union_and_heads_may_repeat(db: fgraph.Db) -> None:
    rules = [
        {"head": ["pair", "?x", "?x"], "body": [["?x", "m/watts", 40]]},
        {"head": ["pair", "?x", "?y"], "body": [["?x", "m/uses", "?y"], ["?y", "m/watts", 40]]},
    ]
    assert rows(db, [{"rule": ["pair", "?a", "?b"]}], "?a", "?b", rules=rules) == [
        ["gearbox", "gearbox"],
        ["lathe", "gearbox"],
    ]
    assert rows(db, [{"rule": ["pair", "?a", "?a"]}], "?a", rules=rules) == [["gearbox"]]


def test_a_rule_without_arguments_is_a_flag(db: fgraph.Db) -> None:
    where = [["?e", "m/watts", 40], {"rule": ["on"]}]
    assert rows(db, where, "?e", rules=[{"head": ["on"], "body": []}]) == [["gearbox"]]
    assert rows(db, where, "?e", rules=[{"head": ["on"], "body": [["?x", "m/watts", 41]]}]) == []


def test_only_self_calls_derive_nothing(db: fgraph.Db) -> None:
    rules = [{"head": ["r", "?x"], "body": [{"rule": ["r", "?x"]}]}]
    assert rows(db, [{"rule": ["r", "?x"]}], "?x", rules=rules) == []
    assert rows(db, [{"rule": ["r", "?x"]}], "?x", rules=rules, limit=1) == []


def test_rules_may_call_each_other_in_a_circle() -> None:
    db = fgraph.connect(":memory:", clock=CLOCK)
    db.transact([{"id": f"c{i}", "c/next": {"ref": f"c{i + 1}"}} for i in range(6)])
    rules = [
        {"head": ["odd", "?x", "?y"], "body": [["?x", "c/next", "?y"]]},
        {"head": ["odd", "?x", "?y"], "body": [["?x", "c/next", "?z"], {"rule": ["even", "?z", "?y"]}]},
        {"head": ["even", "?x", "?y"], "body": [["?x", "c/next", "?z"], {"rule": ["odd", "?z", "?y"]}]},
    ]
    assert sorted(rows(db, [{"rule": ["odd", "c0", "?y"]}], "?y", rules=rules)) == [["c1"], ["c3"], ["c5"]]
    assert sorted(rows(db, [{"rule": ["even", "c0", "?y"]}], "?y", rules=rules, limit=9)) == [["c2"], ["c4"], ["c6"]]
    assert sorted(rows(db, [{"rule": ["even", "?x", "c3"]}], "?x", rules=rules)) == [["c1"]]


def test_a_rule_may_negate_what_does_not_lead_back_to_it(db: fgraph.Db) -> None:
    rules = [
        *NEEDS_RIGHT,
        {
            "head": ["apart", "?x", "?y"],
            "body": [
                ["?x", "m/name", "_"],
                ["?y", "m/name", "_"],
                ["!=", "?x", "?y"],
                {"not": [{"rule": ["needs", "?x", "?y"]}]},
            ],
        },
    ]
    found = rows(db, [{"rule": ["apart", "lathe", "?y"]}], "?y", rules=rules)
    assert found == [["belt"]]
    assert rows(db, [{"rule": ["apart", "motor", "?y"]}], "?y", rules=rules, limit=2) == [["lathe"], ["gearbox"]]


def test_a_recursive_rule_inside_not(db: fgraph.Db) -> None:
    where = [["?e", "m/name", "?n"], {"not": [{"rule": ["needs", "?e", "motor"]}]}]
    for spelling in SPELLINGS.values():
        assert rows(db, where, "?n", rules=spelling) == [["Motor"], ["Belt"]]


def test_a_head_variable_may_be_left_to_the_caller(db: fgraph.Db) -> None:
    rules = [{"head": ["small", "?w"], "body": [["<", "?w", 100]]}]
    where = [["?e", "m/watts", "?w"], {"rule": ["small", "?w"]}]
    assert rows(db, where, "?e", rules=rules) == [["gearbox"]]
    with pytest.raises(fgraph.QueryError, match="argument 1"):
        db.q({"find": ["?w"], "where": [{"rule": ["small", "?w"]}], "rules": rules})
    with pytest.raises(fgraph.QueryError, match="_"):
        db.q({"find": ["?e"], "where": [["?e", "m/watts", 40], {"rule": ["small", "_"]}], "rules": rules})


def test_a_recursion_may_count_its_steps(db: fgraph.Db) -> None:
    rules = [
        {"head": ["far", "?x", "?y", "?d"], "body": [["?x", "m/uses", "?y"], ["+", 0, 1, "?d"]]},
        {
            "head": ["far", "?x", "?y", "?d"],
            "body": [
                ["?x", "m/uses", "?z"],
                {"rule": ["far", "?z", "?y", "?c"]},
                ["+", "?c", 1, "?d"],
            ],
        },
    ]
    where = [{"rule": ["far", "lathe", "?y", "?d"]}]
    expected = [["gearbox", 1], ["motor", 1], ["motor", 2]]
    assert sorted(rows(db, where, "?y", "?d", rules=rules)) == expected
    assert sorted(rows(db, where, "?y", "?d", rules=rules, limit=9)) == expected


def test_a_constant_that_no_entity_can_be_is_refused_where_one_is_taken(db: fgraph.Db) -> None:
    with pytest.raises(fgraph.QueryError):
        db.q({"find": ["?y"], "where": [{"rule": ["needs", 1.5, "?y"]}], "rules": NEEDS_RIGHT})


def test_unused_rules_are_checked_and_not_evaluated(db: fgraph.Db) -> None:
    query = {"find": ["?e"], "where": [["?e", "m/name", "Lathe"]], "rules": NEEDS_RIGHT}
    assert db.explain(query, analyze=True)["work"] == 1


@pytest.fixture(scope="module")
def graphs() -> fgraph.Db:
    """A binary tree of 199 nodes, a chain of 300 and the same closed to a ring, a ring of 2,000."""
    db = fgraph.connect(":memory:", clock=CLOCK)
    db.transact([{"id": f"n{i}", "t/parent": {"ref": f"n{i // 2}"}} for i in range(2, 200)])
    db.transact([{"id": f"c{i}", "c/next": {"ref": f"c{i + 1}"}} for i in range(300)])
    db.transact([{"id": f"d{i}", "d/next": {"ref": f"d{(i + 1) % 300}"}} for i in range(300)])
    db.transact([{"id": f"r{i}", "r/next": {"ref": f"r{(i + 1) % 2000}"}} for i in range(2000)])
    return db


def closure(edge: str, left: bool) -> list[dict]:
    steps = [
        [{"rule": ["reach", "?x", "?z"]}, ["?z", edge, "?y"]],
        [["?x", edge, "?z"], {"rule": ["reach", "?z", "?y"]}],
    ]
    head = ["reach", "?x", "?y"]
    return [{"head": head, "body": [["?x", edge, "?y"]]}, {"head": head, "body": steps[not left]}]


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize(
    ("edge", "start", "reached", "most"),
    [
        ("t/parent", "n199", 7, 50),
        ("c/next", "c0", 300, 5_000),
        ("d/next", "d0", 300, 5_000),
        ("r/next", "r0", 2_000, 10_000),
    ],
)
def test_work_grows_with_the_edges_reached(
    graphs: fgraph.Db, left: bool, edge: str, start: str, reached: int, most: int
) -> None:
    query = {"find": ["?y"], "where": [{"rule": ["reach", start, "?y"]}], "rules": closure(edge, left)}
    analyzed = graphs.explain(query, analyze=True)
    assert analyzed["rows"] == reached
    assert analyzed["work"] <= most


@pytest.mark.parametrize("left", [False, True])
def test_common_ancestors_of_five_nodes(graphs: fgraph.Db, left: bool) -> None:
    where = [{"rule": ["reach", node, "?a"]} for node in ("n199", "n198", "n100", "n50", "n26")]
    query = {"find": ["?a"], "where": where, "rules": closure("t/parent", left)}
    assert sorted(row[0]["ref"] for row in graphs.q(query).rows) == ["n1", "n3", "n6"]
    assert graphs.explain(query, analyze=True)["work"] < 500


def test_a_rule_costs_about_what_its_body_costs_inline() -> None:
    db = fgraph.connect(":memory:", clock=CLOCK)
    db.transact([{"id": f"i{i}", "item/status": "pending" if i % 3 else "done"} for i in range(300)])
    rules = [{"head": ["pend", "?s"], "body": [["=", "?s", "pending"]]}]
    called = {"find": ["?e"], "where": [["?e", "item/status", "?s"], {"rule": ["pend", "?s"]}], "rules": rules}
    inline = {"find": ["?e"], "where": [["?e", "item/status", "?s"], ["=", "?s", "pending"]]}
    assert db.q(called).rows == db.q(inline).rows
    assert db.explain(called, analyze=True)["work"] <= 300


ODD_RULES = [
    (
        "a call that leaves an argument open",
        [{"rule": ["r", "?e", "?f"]}],
        [
            {"head": ["r", "?x", "?y"], "body": [["?x", "m/uses", "?y"]]},
            {"head": ["r", "?x", "?y"], "body": [{"rule": ["r", {"ref": "motor"}, "?f"]}, ["?x", "m/uses", "?y"]]},
        ],
    ),
    (
        "an argument that no body uses",
        [{"or": [[{"not": [{"rule": ["r", {"json": [1]}, "?e"]}]}]]}],
        [
            {"head": ["r", "?x", "?y"], "body": [["?f", "?a", "?x"]]},
        ],
    ),
]


@pytest.mark.parametrize(("where", "rules"), [case[1:] for case in ODD_RULES], ids=[case[0] for case in ODD_RULES])
def test_odd_rules_give_the_same_with_and_without_order(db: fgraph.Db, where: list, rules: list) -> None:
    where = [["?e", "m/watts", "_"], ["?e", "m/uses", "?f"], *where]
    found = rows(db, where, "?e", "?f", rules=rules)
    assert sorted(found) == sorted(rows(db, where, "?e", "?f", rules=rules, limit=99))
    assert len(found) == 3


def test_a_recursion_that_needs_its_caller_and_does_not_bind_it_inside_is_refused(db: fgraph.Db) -> None:
    rules = [
        {"head": ["r", "?x", "?y"], "body": [["?x", "m/uses", "?y"]]},
        {"head": ["r", "?x", "?y"], "body": [{"rule": ["r", "==", "?x"]}]},
        {"head": ["r", "?x", "?y"], "body": [{"rule": ["r", "?x", "motor"]}, {"rule": ["r", "?x", "gearbox"]}]},
    ]
    with pytest.raises(fgraph.QueryError, match="inside rule"):
        rows(db, [["?e", "m/watts", 40], {"rule": ["r", "?e", "?e"]}], "?e", rules=rules)


def test_a_deep_not_over_a_rule_with_constants_only(db: fgraph.Db) -> None:
    clause: object = {"rule": ["needs", "lathe", "motor"]}
    for _ in range(6):
        clause = {"not": [["?e", "m/name", "_"], clause]}
    found = rows(db, [["?e", "m/watts", 40], clause], "?e", rules=NEEDS_RIGHT)
    assert found == [["gearbox"]]


WIDE = [[f"?{place}", "m/uses", f"?{place + 1}"] for place in range(70)]


@pytest.mark.parametrize("source", ["current", "history"])
def test_a_body_may_have_more_patterns_than_one_statement_joins(source: str) -> None:
    """Round a ring of three, 70 steps lead from a to b, as one step does."""
    db = fgraph.connect(":memory:")
    db.transact([{"id": name, "m/uses": {"ref": after}} for name, after in ("ab", "bc", "ca")])
    rules = [
        {"head": ["far", "?x", "?y"], "body": [["?x", "m/uses", "?y"]]},
        {"head": ["far", "?0", "?y"], "body": [*WIDE, {"rule": ["far", "?70", "?y"]}]},
    ]
    found = rows(db, [{"rule": ["far", "a", "?y"]}], "?y", rules=rules, source=source)
    assert sorted(found) == [["a"], ["b"], ["c"]]
