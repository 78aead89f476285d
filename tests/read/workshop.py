"""A small store of machines and parts, written in five transactions, on which the reads are specified.

Ids: 65 `m/uses`, 67 `lathe`, 68 `m/name`, 69 `gearbox`, 70 `motor`, 71 `m/watts`, 72 `belt`; transactions 66, 73-76.
"""

import pytest

import fgraph

AT = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z; transaction n of the five is n seconds later
SEED = "workshop"


def open_workshop(path: object = ":memory:", **options: object) -> fgraph.Db:
    """A new store with the five transactions, whose event ids come from SEED."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FGRAPH_EVENT_SEED", SEED)
        db = fgraph.connect(path, clock=AT, **options)
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
