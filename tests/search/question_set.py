"""The question set: hand-written notes, and questions with the note that answers each."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "questions"


class Question(NamedTuple):
    """A question in one of five styles, and the entity that holds its answer."""

    style: str
    answer: str
    text: str


def notes() -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each source with its notes, as (entity, text) in the order they were written."""
    for path in sorted(FOLDER.glob("notes-*.txt")):
        for block in path.read_text(encoding="utf-8").split("== ")[1:]:
            source, *lines = block.splitlines()
            yield source, [tuple(line.split(" ", 1)) for line in lines]


def questions() -> list[Question]:
    """All questions."""
    lines = (FOLDER / "questions.txt").read_text(encoding="utf-8").splitlines()
    return [Question(*(part.strip() for part in line.split("|"))) for line in lines]


def fill(db) -> None:
    """Write the notes the way an agent does: one after the other, each with its source."""
    for source, lines in notes():
        for entity, text in lines:
            db.transact({"id": entity, "memory/text": text}, source=source)
