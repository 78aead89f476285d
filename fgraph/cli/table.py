"""The words in which a command is described: its arguments, its options, and the options that all share."""

from typing import NamedTuple

from fgraph import limits

TEXT, INTEGER, FLAG = "text", "integer", "flag"

# How a command touches files. Commands that write files end at SIGTERM as at Ctrl-C, and say what stands. That goes by
# the command, whatever its options: doctor counts for its --repair.
NOTHING, READS, WRITES = "nothing", "reads", "writes"


class Argument(NamedTuple):
    """One positional argument; `choices` are the fixed words to complete, `files` asks for file names instead."""

    field: str
    help: str
    required: bool = True
    kind: str = TEXT
    default: object = None
    choices: tuple[str, ...] = ()
    files: bool = False

    @property
    def metavar(self) -> str:
        return self.field.upper()


class Option(NamedTuple):
    """One `--option`. Flags store `value`; two flags of one field exclude each other unless `toggle` is set."""

    flag: str
    help: str
    field: str
    kind: str = TEXT
    metavar: str = "TEXT"
    default: object = None
    value: object = True
    repeat: bool = False
    required: bool = False
    toggle: bool = False
    env: str = ""
    choices: tuple[str, ...] = ()
    files: bool = False


class Command(NamedTuple):
    """One command; `handler` is `module:function` below `fgraph.cli.commands`, `examples` follow `fgraph `."""

    name: str
    group: str
    summary: str
    handler: str
    access: str = READS
    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()
    examples: tuple[str, ...] = ()
    notes: str = ""
    takes_json: bool = True
    takes_db: bool = True


def text(flag: str, help: str, metavar: str = "TEXT", **more: object) -> Option:
    """An option that takes the next word as it is."""
    return Option(flag, help, field_of(flag), TEXT, metavar, **more)


def integer(flag: str, help: str, metavar: str = "INT", **more: object) -> Option:
    """An option that takes a whole number."""
    return Option(flag, help, field_of(flag), INTEGER, metavar, **more)


def flag(
    name: str, help: str, field: str = "", value: object = True, *, default: object = False, toggle: bool = False
) -> Option:
    """An option without a value."""
    return Option(name, help, field or field_of(name), FLAG, "", default, value, toggle=toggle)


def field_of(name: str) -> str:
    """The field that an option or argument fills, by the name that people see."""
    return name.lstrip("-").replace("-", "_").lower()


DB = text(
    "--db",
    "the database file; without it facts.fgraph in the current folder, or an existing fgraph.db",
    "PATH",
    env="FGRAPH_DB",
    files=True,
)
JSON = flag("--json", "print canonical JSON on one line")
BUDGET = integer(
    "--query-budget",
    f"work units one query or search may spend, {limits.QUERY_BUDGET} if not given",
    "N",
    env="FGRAPH_QUERY_BUDGET",
)
FORMAT = text(
    "--format",
    "how to print: auto is a table on a terminal and indented JSON elsewhere; json is --json",
    "auto|json|indent|table",
    default="auto",
    choices=("auto", "json", "indent", "table"),
)
COLOR = text(
    "--color",
    "colour in tables; auto is only on a terminal and without NO_COLOR",
    "auto|always|never",
    default="auto",
    choices=("auto", "always", "never"),
)
WIDE = flag("--wide", "never cut a table to the width of the terminal")
QUIET = flag("--quiet", "no progress on standard error")
HELP = flag("--help", "show this help and exit")

SHARED = (DB, JSON, FORMAT, COLOR, WIDE, QUIET)
ROOT = (DB, JSON, BUDGET, FORMAT, COLOR, WIDE, QUIET, HELP)
ROOT_ONLY = (
    flag("--version", "print the version and exit"),
    flag("--show-completion", "print the completion script of this shell, or of the one named after it, and exit"),
    flag("--install-completion", "write it to the completion folder of the current shell and exit"),
)


def accepted(command: Command) -> tuple[Option, ...]:
    """Every option that may stand after the name of `command`."""
    shared = [option for option in SHARED if option is not DB or command.takes_db]
    if not command.takes_json:
        shared = [option for option in shared if option in (DB, QUIET)]
    return command.options + tuple(shared) + (HELP,)
