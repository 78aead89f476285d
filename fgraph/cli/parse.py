"""From the words of a command line to one command with its values.

argparse does not parse here: an option that takes a value must take the next word even when that begins with a hyphen,
which argparse refuses, and importing it would cost a tenth of a whole `get`. It lays out the help texts, from the same
table (usage.py).
"""

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.cli import table
from fgraph.cli.catalogue import COMMANDS
from fgraph.cli.table import FLAG, INTEGER, Argument, Command, Option

DIGITS = frozenset("0123456789")
UNSET = object()


class UsageError(Exception):
    """The command line itself is wrong; `command` is the command it was for, where one was named."""

    def __init__(self, message: str, command: Command | None = None) -> None:
        super().__init__(message)
        self.command = command


class Parsed(NamedTuple):
    """What was asked for. Without a command it is a request of the root: help, or one of ROOT_ONLY."""

    command: Command | None
    values: dict[str, object]

    @property
    def wants_help(self) -> bool:
        return bool(self.values.get("help"))


def parse(words: list[str]) -> Parsed:
    """The command and all its values, defaults filled in. Raises `UsageError`."""
    shared, rest = _options(words, (*table.ROOT, *table.ROOT_ONLY), until_word=True)
    if shared.get("help") or any(shared.get(option.field) for option in table.ROOT_ONLY):
        return Parsed(None, shared | {"shell": rest[0] if rest else None})
    if "query_budget" not in shared:
        shared["query_budget"] = _budget_from_environment()
    if not rest:
        raise UsageError("a command is missing")
    command = COMMANDS.get(rest[0])
    if command is None:
        raise UsageError(f"there is no command {errors.quote(rest[0])}{did_you_mean(rest[0], COMMANDS)}")
    try:
        given, positional = _options(rest[1:], table.accepted(command))
        if given.get("help"):
            return Parsed(command, given)
        values = _with_defaults(command, shared | given)
        _place_arguments(command, positional, values)
    except UsageError as fault:
        raise UsageError(str(fault), command) from None
    return Parsed(command, values)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A half-sentence that names the nearest known word, or nothing."""
    import difflib  # only a usage error needs it

    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]}?" if near else ""


def unknown(kind: str, word: str, known: Iterable[str], command: Command | None) -> UsageError:
    """The error about a word that is none of the `known` ones."""
    message = f"there is no {kind} {errors.quote(word)}{did_you_mean(word, known)}; known are {', '.join(known)}"
    return UsageError(message, command)


def is_integer(text: str) -> bool:
    """Whether `text` is a whole number as the command line spells them: ASCII digits, perhaps a sign."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    return bool(digits) and DIGITS.issuperset(digits)


def to_integer(text: str, what: str) -> int:
    """The number itself. Raises `UsageError` for other text, `TypeError` for one of absurd length."""
    if not is_integer(text):
        raise UsageError(f"{what} takes a whole number, not {errors.quote(text)}")
    if len(text) > limits.INTEGER_DIGITS:
        raise errors.TypeError(f"{what} has {len(text)} digits", hint="integers fit 64 signed bits")
    return int(text)


def _options(
    words: list[str], known: tuple[Option, ...], *, until_word: bool = False
) -> tuple[dict[str, object], list[str]]:
    """The given options by field, and the words that are none; `until_word` stops at the first of those."""
    by_flag = {option.flag: option for option in known}
    given: dict[str, object] = {}
    chosen: dict[str, Option] = {}
    others: list[str] = []
    queue = iter(words)
    for word in queue:
        if word == "--":
            return given, [*others, *queue]
        if not _is_option(word):
            others.append(word)
            if until_word:
                return given, [*others, *queue]
            continue
        option, value = _one_option("--help" if word == "-h" else word, queue, by_flag)
        _refuse_opposites(chosen, option)
        given[option.field] = [*given.get(option.field, ()), value] if option.repeat else value
        if option.field == "help":
            break
    return given, others


def _is_option(word: str) -> bool:
    return len(word) > 1 and word[0] == "-"


def _one_option(word: str, queue: Iterator[str], by_flag: dict[str, Option]) -> tuple[Option, object]:
    name, equals, attached = word.partition("=")
    option = by_flag.get(name)
    if option is None:
        raise UsageError(f"there is no option {errors.quote(name)} here{did_you_mean(name, by_flag)}")
    if option.kind == FLAG:
        if equals:
            raise UsageError(f"{name} takes no value")
        return option, option.value
    value = attached if equals else next(queue, None)
    if value is None:
        raise UsageError(f"{name} needs a value: {name} {option.metavar}")
    return option, to_integer(value, name) if option.kind == INTEGER else value


def _refuse_opposites(chosen: dict[str, Option], option: Option) -> None:
    before = chosen.setdefault(option.field, option)
    if before.flag != option.flag and not option.toggle:
        raise UsageError(f"{before.flag} and {option.flag} exclude each other")


def _with_defaults(command: Command, given: dict[str, object]) -> dict[str, object]:
    values: dict[str, object] = {}
    for option in (*table.accepted(command), table.DB, table.JSON, table.BUDGET, *table.SHARED):
        value = given.get(option.field, UNSET)
        if value is UNSET and option.required:
            raise UsageError(f"{option.flag} {option.metavar} is required")
        if value is UNSET:
            value = [] if option.repeat else option.default
        if option.choices and option in table.SHARED and value not in option.choices:
            raise UsageError(f"{option.flag} is one of {', '.join(option.choices)}, not {errors.quote(value)}")
        values.setdefault(option.field, value)
    return values


def _place_arguments(command: Command, words: list[str], values: dict[str, object]) -> None:
    if len(words) > len(command.arguments):
        extra = errors.quote(words[len(command.arguments)])
        quotes = "; several words in one place need quotes" if command.arguments else ""
        raise UsageError(f"{command.name} has no place for {extra}{quotes}")
    for index, argument in enumerate(command.arguments):
        if index < len(words):
            values[argument.field] = _argument(argument, words[index])
        elif argument.required:
            raise UsageError(f"{argument.metavar} is missing: {argument.help}")
        else:
            values[argument.field] = argument.default


def _argument(argument: Argument, word: str) -> object:
    return to_integer(word, argument.metavar) if argument.kind == INTEGER else word


def _budget_from_environment() -> int | None:
    text = os.environ.get(table.BUDGET.env, "")
    return to_integer(text, table.BUDGET.env) if text else None
