"""How often the right note is found: python3 tests/benchmarks/bench_recall.py [-v]

Asks the questions of tests/search/questions, and the bare full-text table for comparison; -v also names those whose
note does not come first.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "search")]

import question_set  # noqa: E402

import fgraph  # noqa: E402
from fgraph import limits  # noqa: E402


def main() -> None:
    with fgraph.connect(":memory:") as db:
        question_set.fill(db)
        for name in (question_set.TUNED, question_set.UNTOUCHED):
            ask(db, name, name)
    for name in (question_set.CONVERSATION, *question_set.TALKS):
        for fill, title in ((question_set.fill, ""), (unsourced, ", no sources"), (question_set.fill_apart, ", apart")):
            with fgraph.connect(":memory:") as db:
                fill(db, f"{name}-notes.txt")
                ask(db, name, name + title)


def unsourced(db: fgraph.Db, files: str) -> None:
    question_set.fill(db, files, sourced=False)


def ask(db: fgraph.Db, name: str, title: str) -> None:
    asked = question_set.questions(name)
    found = question_set.places(db, asked)
    print(title)
    for style in sorted({question.style for question in asked}):
        report(style, [place for question, place in zip(asked, found, strict=True) if question.style == style])
    report("all", found)
    report("bare OR", [bare_place(db, question) for question in asked])
    for question, place in zip(asked, found, strict=True) if "-v" in sys.argv else ():
        if place != 1:
            print(f"    {place or '-':>2} {question.answers[0]:6} {question.text}")


def bare_place(db: fgraph.Db, question: question_set.Question) -> int:
    """The place of the first answer among ten entities that FTS5 alone ranks, any word of the question enough; or 0."""
    words = " OR ".join(f'"{word}"' for word in dict.fromkeys(re.findall(r"\w+", question.text.lower())))
    sql = """
        SELECT i.name
        FROM fgraph_fts
        JOIN fgraph_facts f ON f.id = fgraph_fts.rowid
        JOIN fgraph_ids i ON i.id = f.e
        WHERE fgraph_fts MATCH ? AND f.a >= ?
        ORDER BY fgraph_fts.rank
        LIMIT 40
    """
    entities = list(
        dict.fromkeys(name for (name,) in db._store.connection.execute(sql, (words, limits.FIRST_USER_ID)))
    )[:10]
    return next((place for place, entity in enumerate(entities, 1) if entity in question.answers), 0)


def report(what: str, found: list[int]) -> None:
    first, five, ten = (question_set.share(found, most) for most in (1, 5, 10))
    print(f"  {what:11} {len(found):4} questions   first {first:.1%}   in five {five:.1%}   in ten {ten:.1%}")


if __name__ == "__main__":
    main()
