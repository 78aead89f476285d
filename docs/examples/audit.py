"""Audit: who said what, who changed whose statement, and what one author's statements look like without a source.

    python3 docs/examples/audit.py
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import fgraph  # noqa: E402

# A fact and the author of the transaction that asserted it.
SAID = {
    "find": ["?who", ["count", "?tx"]],
    "where": [["?e", "limit/value", "?v", "?tx", True], ["?tx", "fgraph/by", "?who"]],
    "source": "history",
    "order": [["?who", "asc"]],
}
# Values of one author that another one ended.
OVERRULED = {
    "find": ["?e", "?v", "?first", "?second"],
    "where": [
        ["?e", "limit/value", "?v", "?tx", True],
        ["?e", "limit/value", "?v", "?end", False],
        ["?tx", "fgraph/by", "?first"],
        ["?end", "fgraph/by", "?second"],
        ["!=", "?first", "?second"],
    ],
    "source": "history",
    "order": [["?e", "asc"]],
}
# What holds now although nobody said where it comes from.
UNSOURCED = {
    "find": ["?e", "?v", "?who"],
    "where": [
        ["?e", "limit/value", "?v", "?tx"],
        ["?tx", "fgraph/by", "?who"],
        {"not": [["?tx", "fgraph/source", "_"]]},
    ],
    "order": [["?e", "asc"]],
}


def main(database: Path) -> None:
    with fgraph.connect(database) as db:
        db.transact({"id": "api-rate", "limit/value": 100}, by="ana", source="contract 7")
        db.transact({"id": "api-rate", "limit/value": 500}, by="mcp:helper")
        db.transact({"id": "upload", "limit/value": 25}, by="mcp:helper", source="src/upload.py")
        db.transact({"id": "upload", "limit/value": 20}, by="mcp:helper", source="src/upload.py")
        for who, number in db.q(SAID).rows:
            print(f"{who} stated {number}")
        for entity, value, first, second in db.q(OVERRULED).rows:
            print(f"{entity['ref']}: {second} ended the {value} of {first}")
        for entity, value, who in db.q(UNSOURCED).rows:
            print(f"{entity['ref']}: {value} by {who}, without a source")
        (fact,) = db.why("api-rate", "limit/value")
        print("undone:", db.undo(fact["tx"], by="ana").status)
        print("api-rate is", db.entity("api-rate")["limit/value"], "again")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder) / "limits.db")
