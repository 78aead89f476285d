"""Retrieval with a local embedder: keep notes with vectors, then search by words, by likeness, and by both.

    python3 docs/examples/retrieval.py
"""

import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

from embed import embed  # noqa: E402

import fgraph  # noqa: E402

NOTES = {
    "pg-upgrade": "Upgraded PostgreSQL to version 16; the replica needs a manual restart afterwards.",
    "pool-size": "The connection pool is limited to 40, because the database server refuses more.",
    "ci-cache": "Continuous integration caches wheels for a week; clear it after changing a lock file.",
}
QUESTION = "postgres upgrading replicas"  # none of these is a word of a note


def main(database: Path) -> None:
    with fgraph.connect(database) as db:
        db.declare("memory/embedding", type="vector", dims=256, vector_model="letter-trigrams")
        for name, text in NOTES.items():
            note = {"id": name, "memory/text": text, "memory/embedding": {"vector": embed(text)}}
            db.transact(note, by="example", source="runbook")
        vector = embed(QUESTION)
        show("all words", db.search(text=QUESTION, match="all", k=2))
        show("any word", db.search(text=QUESTION, k=2))
        show("likeness", db.search(vector=vector, vector_attribute="memory/embedding", k=2))
        show("both", db.search(text=QUESTION, vector=vector, vector_attribute="memory/embedding", k=2))


def show(how: str, result: fgraph.SearchResult) -> None:
    hits = [f"{hit['entity']} {hit['score']:.4f}" for hit in result.hits]
    print(f"{how + ':':<11}{', '.join(hits) or 'nothing'}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder) / "notes.db")
