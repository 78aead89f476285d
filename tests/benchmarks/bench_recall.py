"""How often the right note is found: python3 tests/benchmarks/bench_recall.py [-v]

Asks the questions of tests/search/questions; -v also names those whose note does not come first.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "search")]

import question_set  # noqa: E402

import fgraph  # noqa: E402


def main() -> None:
    with fgraph.connect(":memory:") as db:
        question_set.fill(db)
        for name in (question_set.TUNED, question_set.UNTOUCHED):
            ask(db, name, name)
    for sourced, title in ((True, "a conversation"), (False, "the same without sources")):
        with fgraph.connect(":memory:") as db:
            question_set.fill(db, question_set.TALK, sourced)
            ask(db, question_set.CONVERSATION, title)


def ask(db: fgraph.Db, name: str, title: str) -> None:
    asked = question_set.questions(name)
    found = question_set.places(db, asked)
    print(title)
    for style in sorted({question.style for question in asked}):
        report(style, [place for question, place in zip(asked, found, strict=True) if question.style == style])
    report("all", found)
    for question, place in zip(asked, found, strict=True) if "-v" in sys.argv else ():
        if place != 1:
            print(f"    {place or '-':>2} {question.answer:6} {question.text}")


def report(what: str, found: list[int]) -> None:
    first, five, ten = (question_set.share(found, most) for most in (1, 5, 10))
    print(f"  {what:11} {len(found):4} questions   first {first:.1%}   in five {five:.1%}   in ten {ten:.1%}")


if __name__ == "__main__":
    main()
