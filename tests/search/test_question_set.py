"""How often the right note is found for a hand-written question set."""

import pytest

import fgraph
from tests.search import question_set

STYLES = {"sentence", "keywords", "identifier", "paraphrase", "other"}


@pytest.fixture(scope="module")
def db():
    with fgraph.connect(":memory:") as db:
        question_set.fill(db)
        yield db


def test_the_set_is_large_and_its_answers_exist():
    entities = [entity for _, lines in question_set.notes() for entity, _ in lines]
    asked = question_set.questions(question_set.TUNED) + question_set.questions(question_set.UNTOUCHED)
    assert len(entities) == len(set(entities)) >= 600
    assert len(asked) >= 150
    assert {question.style for question in asked} == STYLES
    assert {answer for question in asked for answer in question.answers} <= set(entities)


@pytest.mark.parametrize("name", [question_set.TUNED, question_set.UNTOUCHED])
def test_the_right_note_is_among_the_first(db, name):
    found = question_set.places(db, question_set.questions(name))
    assert question_set.share(found, 5) >= 0.85
    assert question_set.share(found, 1) >= 0.65


@pytest.mark.parametrize("sourced", [True, False])
def test_the_turn_that_answers_is_found_in_a_long_conversation(sourced):
    with fgraph.connect(":memory:") as db:
        question_set.fill(db, f"{question_set.CONVERSATION}-notes.txt", sourced)
        found = question_set.places(db, question_set.questions(question_set.CONVERSATION)[::2])
        assert question_set.share(found, 10) >= 0.8


def test_a_turn_that_answers_is_found_in_talks_that_nothing_was_tuned_on():
    """One talk as an agent writes it turn by turn, the other session by session with the speaker apart."""
    found = []
    for talk, fill in zip(question_set.TALKS, (question_set.fill, question_set.fill_apart), strict=True):
        with fgraph.connect(":memory:") as db:
            fill(db, f"{talk}-notes.txt")
            found += question_set.places(db, question_set.questions(talk)[::2])
    assert len(found) > 150
    assert question_set.share(found, 10) >= 0.64
