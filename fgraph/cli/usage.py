"""Help and usage texts, laid out by argparse from the command table."""

import argparse  # loaded for help and usage errors only: see parse.py
import textwrap
from collections.abc import Iterable

from fgraph import limits
from fgraph.cli import table
from fgraph.cli.catalogue import COMMANDS
from fgraph.cli.catalogue.common import GROUPS
from fgraph.cli.table import Argument, Command, Option

ROOT_USAGE = "usage: fgraph [--db PATH] [--json] [--query-budget N] COMMAND [ARGS] [OPTIONS]\n"
ABOUT = """\
fgraph keeps facts in one SQLite file: who said what, when, from which source,
and what it replaced. Agents use it over MCP, people and scripts from here.
"""
WHICH_FILE = """\
The database is --db PATH, else FGRAPH_DB, else facts.fgraph in the current
folder (or fgraph.db where only that exists). Options that every command takes
may stand before or after it; the one after it wins.
"""


def root_help() -> str:
    """The help of `fgraph` itself: the commands by purpose, the shared options, which file is meant."""
    parts = [ROOT_USAGE, ABOUT]
    for group in GROUPS:
        parts.append(f"{group}:")
        parts.extend(f"  {name:<15}{command.summary}" for name, command in COMMANDS.items() if command.group == group)
        parts.append("")
    options = _parser("", "")
    _add_options(options.add_argument_group("options"), (*table.ROOT, *table.ROOT_ONLY))
    parts += [
        options.format_help().partition("\n\n")[2],
        WHICH_FILE,
        "fgraph COMMAND --help shows one command with examples.",
    ]
    return "\n".join(parts) + "\n"


def command_help(command: Command) -> str:
    """The help of one command."""
    examples = "\n".join(f"  fgraph {example}" for example in command.examples)
    parser = _parser(command.name, f"{command.summary}.\n\n{_wrap(command.notes)}".strip(), f"examples:\n{examples}")
    parser.usage = usage(command).removeprefix("usage: ")
    _add_arguments(parser.add_argument_group("arguments"), command.arguments)
    _add_options(parser.add_argument_group("options"), command.options)
    shared = [option for option in table.accepted(command) if option not in command.options]
    _add_options(parser.add_argument_group("options of every command"), shared)
    return parser.format_help()


def usage(command: Command | None) -> str:
    """The usage lines of a command, or of the root."""
    if command is None:
        return ROOT_USAGE
    parser = _parser(command.name, "")
    _add_arguments(parser, command.arguments)
    _add_options(parser, command.options)
    return parser.format_usage()


def usage_error(message: str, command: Command | None) -> str:
    """What is printed when the command line is wrong: usage, where to find help, the fault."""
    name = f"fgraph {command.name}" if command else "fgraph"
    return f"{usage(command)}Try '{name} --help' for help.\n\nError: {message}\n"


def describe(option: Option) -> str:
    """An option's help with its default and its environment variable."""
    notes = []
    if option.required:
        notes.append("required")
    if option.default not in (None, False):
        notes.append(f"default: {option.default}")
    if option.env:
        notes.append(f"env: {option.env}")
    return f"{option.help} ({'; '.join(notes)})" if notes else option.help


def describe_argument(argument: Argument) -> str:
    """An argument's help with its default."""
    return f"{argument.help} (default: {argument.default})" if argument.default else argument.help


def _parser(name: str, description: str, epilog: str = "") -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=f"fgraph {name}".strip(),
        description=description,
        epilog=epilog,
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(
            prog, max_help_position=30, width=limits.CLI_COLUMNS
        ),
        add_help=False,
    )
    parser.color = False  # Python 3.14 colours help; escapes would end up in pipes and in the docs
    return parser


def _add_arguments(group: argparse._ActionsContainer, arguments: tuple[Argument, ...]) -> None:
    for argument in arguments:
        group.add_argument(
            argument.field,
            metavar=argument.metavar,
            nargs=None if argument.required else "?",
            help=_escape(describe_argument(argument)),
        )


def _add_options(group: argparse._ActionsContainer, options: Iterable[Option]) -> None:
    for option in options:
        if option.kind == table.FLAG:
            group.add_argument(option.flag, action="store_true", help=_escape(describe(option)))
        else:
            group.add_argument(
                option.flag, metavar=option.metavar, required=option.required, help=_escape(describe(option))
            )


def _escape(help: str) -> str:
    return help.replace("%", "%%")


def _wrap(notes: str) -> str:
    return textwrap.fill(notes, limits.CLI_COLUMNS - 2)
