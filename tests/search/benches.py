"""Small files that the search tests ask, and short forms of answers."""

from collections.abc import Iterable

import fgraph


def pumps() -> fgraph.Db:
    """Four notes with texts, tags, links and vectors of two elements."""
    db = fgraph.connect(":memory:")
    db.declare("n/emb", type="vector", dims=2)
    db.declare("n/link", ref=True, many=True)
    db.declare("n/tags", type="text", many=True)
    db.transact(
        [
            {
                "id": "n1",
                "n/title": "Pump seal",
                "n/text": "replace the pump seal every spring",
                "n/kind": "howto",
                "n/emb": {"vector": [1, 0]},
                "n/link": {"ref": "n2"},
            },
            {
                "id": "n2",
                "n/text": "spring cleaning",
                "n/kind": "plan",
                "n/emb": {"vector": [0, 1]},
                "n/link": {"ref": "n3"},
            },
            {"id": "n3", "n/text": "pump pump pump", "n/kind": "howto", "n/tags": ["pump", "valve"]},
            {"id": "n4", "n/text": "Crème brûlée", "n/emb": {"vector": [0, 0]}},
        ],
        by="kim",
        source="log",
    )
    return db


def notes(*texts: str, **named: str) -> fgraph.Db:
    """One note for each text, written one after the other: t0, t1, ..., then the named ones."""
    db = fgraph.connect(":memory:")
    for entity, text in {**{f"t{number}": text for number, text in enumerate(texts)}, **named}.items():
        db.transact({"id": entity, "note/text": text})
    return db


def hits(result: fgraph.SearchResult) -> list:
    """The entities of the hits."""
    return [hit["entity"] for hit in result.hits]


def snippets(result: fgraph.SearchResult) -> dict:
    """Entity to the excerpts of its keyword evidence."""
    return {hit["entity"]: [fact["snippet"] for fact in hit["matched"] if "snippet" in fact] for hit in result.hits}


def asked(db: fgraph.Db, questions: Iterable[str]) -> dict:
    """Question to the entities found for it."""
    return {question: hits(db.search(question)) for question in questions}
