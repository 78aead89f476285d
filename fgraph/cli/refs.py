"""How a word names an entity: by id, by name, or by a selector written as JSON."""

from collections.abc import Callable
from typing import TypeVar

from fgraph import errors
from fgraph.cli.parse import to_integer
from fgraph.cli.source import plain
from fgraph.database import Db
from fgraph.read.selectors import find, resolve
from fgraph.values.canonical import canonical, parse_json

Answer = TypeVar("Answer")
SIGNED_DIGITS = frozenset("-0123456789")


def with_entity(word: str, ask: Callable[[object], Answer]) -> Answer:
    """`ask` of the first reading of `word` that exists; the `NotFound` of the first reading where none does.

    Digits are an id, and the name only where there is no such id. JSON is a selector only where there is no such name.
    """
    first, *others = readings(word)
    try:
        return ask(first)
    except errors.NotFound as fault:
        for other in others:
            try:
                return ask(other)
            except errors.NotFound:
                continue
        raise fault from None


def existing(db: Db, word: str) -> object:
    """The first reading of `word` that exists; the first one where none does, for writes may name what is new."""
    choices = readings(word)
    with db._store.reading() as reader:
        found = (choice for choice in choices if find(reader, choice) is not None)
        return choices[0] if len(choices) == 1 else next(found, choices[0])


def unmistakable(db: Db, word: str) -> object:
    """As `existing`, but digits that are the id of one entity and the name of another are a `TypeError`."""
    choices = readings(word)
    if is_id(word):
        with db._store.reading() as reader:
            by_id, by_name = (find(reader, choice) for choice in choices)
            if None not in (by_id, by_name) and by_id != by_name:
                first, second = ("'" + canonical({"id": choice}, "REF") + "'" for choice in choices)
                raise errors.TypeError(
                    f"REF {word} is the id of one entity and the name of another",
                    param="ref",
                    hint=f"write {first} for the one with that id, or {second} for the one with that name",
                )
    return existing(db, word)


def label(db: Db, ref: object) -> tuple[str, int]:
    """An entity's name, or its id as text where it has none, and its id."""
    with db._store.reading() as reader:
        number = resolve(reader, ref)
        return str(reader.label(number)), number


def readings(word: str) -> list[object]:
    """What `word` may mean, the likeliest first."""
    word = plain(word, "REF")
    if is_id(word):
        return [to_integer(word, "REF"), word]
    if word[:1] in ("{", "["):
        selector = _selector(word)
        return [word] if selector is None else [word, selector]
    return [word]


def is_id(word: str) -> bool:
    """Whether `word` reads as an id first: ASCII digits, perhaps after a minus."""
    digits = word.removeprefix("-")
    return bool(digits) and "-" not in digits and SIGNED_DIGITS.issuperset(digits)


def _selector(word: str) -> object:
    try:
        value = parse_json(word, "REF")
    except errors.FGraphError:
        return None
    if isinstance(value, dict) and list(value) == ["id"] and type(value["id"]) in (int, str):
        return value["id"]
    is_stable_id = isinstance(value, dict) and list(value) == ["eid"]
    is_lookup = isinstance(value, list) and len(value) == 2
    return value if is_stable_id or is_lookup else None
