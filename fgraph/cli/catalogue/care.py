"""Commands about the file and the program itself."""

from fgraph.cli.catalogue.common import CARE, SHELLS
from fgraph.cli.table import NOTHING, WRITES, Argument, Command, flag

COMMANDS = (
    Command("info", CARE, "Show what the file holds", "file:info", examples=("info",)),
    Command(
        "doctor", CARE, "Check every rule the file must obey", "file:doctor", WRITES,
        options=(
            flag("--repair", "rebuild what can be rebuilt"),
            flag("--strict", "exit with status 1 when something is wrong"),
        ),
        examples=("doctor",),
    ),
    Command(
        "compact", CARE, "Give unused space back", "file:compact", WRITES,
        examples=("compact",),
    ),
    Command(
        "completion", CARE, "Print the completion script of a shell", "about:completion", NOTHING,
        arguments=(Argument("shell", "bash, zsh or fish", choices=SHELLS),),
        examples=("completion bash",),
    ),
    Command(
        "version", CARE, "Print the version", "about:version", NOTHING,
        examples=("version",), takes_json=False, takes_db=False,
    ),
)  # fmt: skip
