"""Writes the reference part of docs/cli.md from the command table: run it after a change there."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANUAL = ROOT / "docs" / "cli.md"
BEGIN = "<!-- Below this line tests/cli/manual.py writes; edit fgraph/cli/catalogue/ instead. -->\n"

if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

from fgraph.cli import table, usage  # noqa: E402
from fgraph.cli.catalogue import COMMANDS  # noqa: E402
from fgraph.cli.catalogue.common import GROUPS  # noqa: E402
from fgraph.cli.table import FLAG, Command, Option  # noqa: E402


def reference() -> str:
    """The reference part as it has to be."""
    parts = ["## Options of every command", "", *map(option_line, (*table.ROOT, *table.ROOT_ONLY)), ""]
    for group in GROUPS:
        parts += [f"## {group}", ""]
        for command in COMMANDS.values():
            if command.group == group:
                parts += command_part(command)
    return "\n".join(parts)


def command_part(command: Command) -> list[str]:
    line = " ".join(usage.usage(command).removeprefix("usage: ").split())
    parts = [f"### {command.name}", "", f"`{line}`", "", f"{command.summary}.", ""]
    if command.notes:
        parts += [command.notes, ""]
    arguments = [f"- `{argument.metavar}`: {usage.describe_argument(argument)}" for argument in command.arguments]
    listed = arguments + [option_line(option) for option in command.options]
    if listed:
        parts += [*listed, ""]
    return [*parts, "```sh", *(f"fgraph {example}" for example in command.examples), "```", ""]


def option_line(option: Option) -> str:
    metavar = "" if option.kind == FLAG else f" {option.metavar}"
    return f"- `{option.flag}{metavar}`: {usage.describe(option)}"


if __name__ == "__main__":
    text = MANUAL.read_text(encoding="utf-8").partition(BEGIN)[0]
    MANUAL.write_text(text + BEGIN + "\n" + reference(), encoding="utf-8")
