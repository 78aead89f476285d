"""One command line in the making: its values, how it prints, and what it has committed so far."""

import os
import sys
from importlib import import_module
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.cli.parse import Parsed
from fgraph.cli.table import Command

PROGRAM = "fgraph"


class Screen(NamedTuple):
    """The surface that tables are drawn on; `program` begins the commands that they suggest for the same file."""

    width: int
    colour: bool = False
    wide: bool = False
    program: str = PROGRAM


class View(NamedTuple):
    """A function `module.name` of this package that draws for people, and what it draws after the screen."""

    where: str
    arguments: tuple[object, ...]

    def lines(self, screen: Screen) -> list[str]:
        """The lines on this screen. The module is loaded now: programs never need it."""
        module, _, name = self.where.partition(".")
        return getattr(import_module(f"fgraph.cli.{module}"), name)(screen, *self.arguments)


class Outcome(NamedTuple):
    """What a command answers: a value for programs, how people see it, and the exit status."""

    value: object
    view: View | None = None
    status: int = 0


def view(where: str, *arguments: object) -> View:
    """Short for the common construction of a `View`."""
    return View(where, arguments)


class Call:
    """The values of one command line by field; `changed` says what an interruption leaves behind."""

    __slots__ = ("command", "values", "changed")

    def __init__(self, parsed: Parsed) -> None:
        self.command: Command = parsed.command
        self.values = parsed.values
        self.changed = "nothing was changed"

    def __getitem__(self, field: str) -> object:
        return self.values[field]

    def given(self, *fields: str) -> dict[str, object]:
        """Those of the fields that have a value: keyword arguments for a call that has its own defaults."""
        return {field: self.values[field] for field in fields if self.values[field] is not None}

    def amount(self, field: str, most: int = limits.INT_MAX) -> int | None:
        """A number of things, from one to `most`; None where it was not given."""
        number = self.values[field]
        if number is not None and not 1 <= number <= most:
            flag = f"--{field.replace('_', '-')}"
            hint = "give a number from 1 up" if most == limits.INT_MAX else f"give a number from 1 to {most}"
            raise errors.TypeError(f"{flag} is {errors.quote(number)}", param=field, hint=hint)
        return number

    @property
    def style(self) -> str:
        """How to print: "json", "indent" or "table"."""
        chosen = "json" if self.values["json"] else self.values["format"]
        if chosen != "auto":
            return chosen
        return "table" if on_terminal(sys.stdout) else "indent"

    def screen(self) -> Screen:
        """The terminal's width and abilities, as the options and the environment have them."""
        return Screen(_width(), self._colour(), bool(self.values["wide"]), self._program())

    def _program(self) -> str:
        if self.values["db"] is None:
            return PROGRAM
        import shlex  # only tables suggest commands

        return f"{PROGRAM} --db {shlex.quote(self.values['db'])}"

    def _colour(self) -> bool:
        chosen = self.values["color"]
        if chosen != "auto":
            return chosen == "always"
        return suits_colour(sys.stdout)


def on_terminal(stream: object) -> bool:
    """Whether a standard stream is open and a terminal."""
    return stream is not None and stream.isatty()


def suits_colour(stream: object) -> bool:
    """Whether a standard stream is a terminal for which the environment does not forbid colour."""
    return on_terminal(stream) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _width() -> int:
    try:
        columns = int(os.environ.get("COLUMNS", ""))
    except ValueError:
        columns = 0
    if columns <= 0:
        try:
            columns = os.get_terminal_size(1).columns
        except OSError:
            columns = limits.CLI_COLUMNS
    return max(columns or limits.CLI_COLUMNS, limits.CLI_COLUMNS_LEAST)
