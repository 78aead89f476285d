"""Search against floors measured in the same run: python3 tests/benchmarks/bench_search.py

60,000 full-text rows: a one-word search and a ten-word question against the bare ranked FTS5 queries of their words.
5,000 vectors of 384 floats: the first and the following searches against a bare loop of `math.dist`, and the first also
against reading and unpacking the vectors for that loop.
"""

import math
import random
import struct
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import fgraph  # noqa: E402

ROWS, VOCABULARY, VECTORS, DIMS = 60_000, 8_000, 5_000, 384


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/bench.db"
        chance = random.Random(7)
        words = write_texts(path, chance)
        write_vectors(path, chance)
        with fgraph.connect(path) as db:
            text_figures(db, words)
        vector_figures(path, chance)


def write_texts(path: str, chance: random.Random) -> list[str]:
    """Notes of 6 to 24 words, frequent ones as frequent as in natural language; the words, most frequent first."""
    words = [word_of(number) for number in range(VOCABULARY)]
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    with fgraph.connect(path) as db:
        for start in range(0, ROWS, 2_000):
            db.transact(
                [
                    {"id": f"n{number}", "note/text": " ".join(chance.choices(words, weights, k=chance.randint(6, 24)))}
                    for number in range(start, start + 2_000)
                ],
                source=f"batch:{start}",
            )
    return words


def word_of(number: int) -> str:
    """A pronounceable word for each number."""
    syllables = ("ka", "lo", "mi", "ren", "tu", "sol", "ve", "dan", "po", "hi", "bra", "net", "gu", "fis", "or", "wen")
    parts = [syllables[number % 16], syllables[number // 16 % 16], syllables[number // 256 % 16]]
    return "".join(parts) + ("x" if number >= 4_096 else "")


def write_vectors(path: str, chance: random.Random) -> None:
    with fgraph.connect(path) as db:
        db.declare("note/vector", type="vector", dims=DIMS)
        for start in range(0, VECTORS, 500):
            db.transact(
                [
                    {"id": f"v{number}", "note/vector": {"vector": [chance.gauss(0, 1) for _ in range(DIMS)]}}
                    for number in range(start, start + 500)
                ]
            )


def text_figures(db: fgraph.Db, words: list[str]) -> None:
    connection = db._store.connection
    sql = "SELECT rowid FROM fgraph_fts WHERE fgraph_fts MATCH ? ORDER BY rank LIMIT 10"
    for rank in (10, 40, 150):
        word = words[rank]
        count = connection.execute("SELECT count(*) FROM fgraph_fts WHERE fgraph_fts MATCH ?", (word,)).fetchone()[0]
        floor = best(lambda word=word: connection.execute(sql, (word,)).fetchall())
        ours = best(lambda word=word: db.search(word))
        report(f"one word in {count:,} rows", floor, ours)
    for first, step in ((5, 7), (20, 31), (200, 97)):
        ten = [words[first + step * place] for place in range(10)]
        expression = " OR ".join(ten)
        floor = best(lambda expression=expression: connection.execute(sql, (expression,)).fetchall())
        ours = best(lambda ten=ten: db.search(" ".join(ten)))
        report(f"ten words from rank {first}", floor, ours)


def vector_figures(path: str, chance: random.Random) -> None:
    query = tuple(struct.unpack(f"<{DIMS}f", struct.pack(f"<{DIMS}f", *(chance.gauss(0, 1) for _ in range(DIMS)))))
    wanted = {"vector": list(query), "vector_attribute": "note/vector"}
    sql = """
        SELECT b.data FROM fgraph_facts f JOIN fgraph_blobs b ON b.hash = f.v
        WHERE f.t = 7 AND f.rx IS NULL
    """
    unpack = struct.Struct(f"<{DIMS}f").unpack

    with fgraph.connect(path) as db:
        connection = db._store.connection

        def read_all() -> list[tuple[float, ...]]:
            return [unpack(blob) for (blob,) in connection.execute(sql)]

        def compare(unpacked: list[tuple[float, ...]]) -> list[float]:
            return [math.dist(query, vector) for vector in unpacked]

        first_floor = best(lambda: compare(read_all()))
        unpacked = read_all()
        floor = best(lambda: compare(unpacked))
    firsts = []
    for _ in range(9):
        with fgraph.connect(path) as db:
            firsts.append(once(lambda: db.search(**wanted)))
    with fgraph.connect(path) as db:
        following = best(lambda: db.search(**wanted))
    report("first vector search, against unpacked vectors", floor, min(firsts))
    report("first vector search, against reading and unpacking", first_floor, min(firsts))
    report("following vector searches", floor, following)


def once(call: Callable[[], object]) -> float:
    """Seconds of processor time: nothing here waits, and other programs may be running."""
    start = time.process_time()
    call()
    return time.process_time() - start


def best(call: Callable[[], object], rounds: int = 9) -> float:
    """The shortest of several runs."""
    call()
    return min(once(call) for _ in range(rounds))


def report(what: str, floor: float, ours: float) -> None:
    print(f"{what:50} floor {floor * 1000:8.2f} ms   search {ours * 1000:8.2f} ms   ratio {ours / floor:5.2f}")


if __name__ == "__main__":
    main()
