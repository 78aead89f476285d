"""The question set: hand-written notes, and questions with the note that answers each."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "questions"
TUNED, UNTOUCHED = "tuned", "untouched"  # the weights of the ranking were chosen on the first file only
CONVERSATION = "conversation"  # about one talk of two people, looked at when the rules of the ranking were chosen
TALKS = ("talk-1", "talk-2")  # about two talks of some twenty sessions, which were only measured
NOTES = "notes-*.txt"


class Question(NamedTuple):
    """A question, its style or what it asks for, and the entities any of which is an answer."""

    style: str
    answers: tuple[str, ...]
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
    parts = ([part.strip() for part in line.split("|")] for line in lines)
    return [Question(style, tuple(answers.split()), text) for style, answers, text in parts]


def fill(db, files: str = NOTES, sourced: bool = True) -> None:
    """Write the notes the way an agent does: one after the other, each with its source or all without."""
    for source, lines in notes(files):
        for entity, text in lines:
            db.transact({"id": entity, "memory/text": text}, source=source if sourced else None)


def fill_apart(db, files: str) -> None:
    """Write a talk session by session, who speaks and what is said as two facts of an entity."""
    for source, lines in notes(files):
        spoken = ((entity, *line.split(": ", 1)) for entity, line in lines)
        db.transact([{"id": entity, "turn/by": who, "turn/text": text} for entity, who, text in spoken], source=source)


def places(db, asked: list[Question]) -> list[int]:
    """For each question the place of its first answer among ten hits, 0 where there is none."""
    found = []
    for question in asked:
        entities = [hit["entity"] for hit in db.search(question.text).hits]
        found.append(next((place for place, entity in enumerate(entities, 1) if entity in question.answers), 0))
    return found


def share(found: list[int], most: int) -> float:
    """The share of questions whose answer stands among the first `most` hits."""
    return sum(0 < place <= most for place in found) / len(found)
