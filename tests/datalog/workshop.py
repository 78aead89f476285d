"""What the tests of the query engine ask of the workshop: rules about its parts, and rows with bare names."""

import fgraph
from tests.read.workshop import AT, open_workshop

CLOCK, workshop = AT, open_workshop

NEEDS_RIGHT = [
    {"head": ["needs", "?x", "?y"], "body": [["?x", "m/uses", "?y"]]},
    {"head": ["needs", "?x", "?y"], "body": [["?x", "m/uses", "?z"], {"rule": ["needs", "?z", "?y"]}]},
]
NEEDS_LEFT = [
    {"head": ["needs", "?x", "?y"], "body": [["?x", "m/uses", "?y"]]},
    {"head": ["needs", "?x", "?y"], "body": [{"rule": ["needs", "?x", "?z"]}, ["?z", "m/uses", "?y"]]},
]


def rows(db: fgraph.Db, where: list, *find: object, args: object = None, **more: object) -> list[list]:
    """The rows of a query, references shown by their bare names."""
    found = db.q({"find": list(find), "where": where, **more}, args).rows
    return [[bare(value) for value in row] for row in found]


def bare(value: object) -> object:
    return value["ref"] if isinstance(value, dict) and list(value) == ["ref"] else value
