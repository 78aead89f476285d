"""The store that the tests of the query engine ask: a lathe, its parts, and five writes under a fixed clock."""

import fgraph

CLOCK = 1_767_225_600_000_000

NEEDS_RIGHT = [
    {"head": ["needs", "?x", "?y"], "body": [["?x", "m/uses", "?y"]]},
    {"head": ["needs", "?x", "?y"], "body": [["?x", "m/uses", "?z"], {"rule": ["needs", "?z", "?y"]}]},
]
NEEDS_LEFT = [
    {"head": ["needs", "?x", "?y"], "body": [["?x", "m/uses", "?y"]]},
    {"head": ["needs", "?x", "?y"], "body": [{"rule": ["needs", "?x", "?z"]}, ["?z", "m/uses", "?y"]]},
]


def workshop(**options: object) -> fgraph.Db:
    """lathe (1500 then 1600 watts) uses gearbox and motor, gearbox (40) uses motor (750, retracted and set again)."""
    db = fgraph.connect(":memory:", clock=CLOCK, **options)
    db.declare("m/uses", ref=True, many=True)
    db.transact(
        [
            {"id": "lathe", "m/name": "Lathe", "m/watts": 1500, "m/uses": [{"ref": "gearbox"}, {"ref": "motor"}]},
            {"id": "gearbox", "m/name": "Gearbox", "m/watts": 40, "m/uses": {"ref": "motor"}},
            {"id": "motor", "m/name": "Motor", "m/watts": 750},
            {"id": "belt", "m/name": "Belt"},
        ],
        by="kim",
        source="sheet-1",
    )
    db.transact({"id": "lathe", "m/watts": 1600}, source="meter")
    db.retract("motor", "m/watts", 750)
    db.transact({"id": "motor", "m/watts": 750})
    return db


def rows(db: fgraph.Db, where: list, *find: object, args: object = None, **more: object) -> list[list]:
    """The rows of a query, references shown by their bare names."""
    found = db.q({"find": list(find), "where": where, **more}, args).rows
    return [[bare(value) for value in row] for row in found]


def bare(value: object) -> object:
    return value["ref"] if isinstance(value, dict) and list(value) == ["ref"] else value
