"""The question set: hand-written notes, and questions with the note that answers each."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "questions"
TUNED, UNTOUCHED = "tuned", "untouched"  # the weights of the ranking were chosen on the first file only
CONVERSATION = "conversation"  # about one long talk of two people, with notes of its own
NOTES, TALK = "notes-*.txt", "conversation-notes.txt"


class Question(NamedTuple):
    """A question in one of five styles, and the entity that holds its answer."""

    style: str
    answer: str
    text: str


def notes(files: str = NOTES) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Each source with its notes, as (entity, text) in the order they were written."""
    for path in sorted(FOLDER.glob(files)):
        for block in path.read_text(encoding="utf-8").split("== ")[1:]:
            source, *lines = block.splitlines()
            yield source, [tuple(line.split(" ", 1)) for line in lines]


def questions(name: str) -> list[Question]:
    """The questions of one file."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return [Question(*(part.strip() for part in line.split("|"))) for line in lines]


def fill(db, files: str = NOTES, sourced: bool = True) -> None:
    """Write the notes the way an agent does: one after the other, each with its source or all without."""
    for source, lines in notes(files):
        for entity, text in lines:
            db.transact({"id": entity, "memory/text": text}, source=source if sourced else None)


def places(db, asked: list[Question]) -> list[int]:
    """For each question the place of its answer among the first ten hits, 0 where it is not there."""
    found = []
    for question in asked:
        entities = [hit["entity"] for hit in db.search(question.text).hits]
        found.append(entities.index(question.answer) + 1 if question.answer in entities else 0)
    return found


def share(found: list[int], most: int) -> float:
    """The share of questions whose answer stands among the first `most` hits."""
    return sum(0 < place <= most for place in found) / len(found)
