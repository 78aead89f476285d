"""Commands about the program itself: version, completion."""

from fgraph import __version__
from fgraph.cli import completion as scripts
from fgraph.cli import machine
from fgraph.cli.call import Call
from fgraph.cli.parse import unknown


def version(call: Call) -> None:
    machine.write(f"{__version__}\n")


def completion(call: Call) -> None:
    shell = call["shell"]
    if shell not in scripts.SCRIPTS:
        raise unknown("script for", shell, scripts.SCRIPTS, call.command)
    machine.write(scripts.script(shell))
