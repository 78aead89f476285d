"""Commands about the program itself: version, completion."""

from fgraph import __version__
from fgraph.cli import completion as scripts
from fgraph.cli import machine
from fgraph.cli.call import Call
from fgraph.cli.parse import UsageError, did_you_mean


def version(call: Call) -> None:
    machine.write(f"{__version__}\n")


def completion(call: Call) -> None:
    shell = call["shell"]
    if shell not in scripts.SCRIPTS:
        near = did_you_mean(shell, scripts.SCRIPTS)
        raise UsageError(f"there is no script for {shell}{near}; known are {', '.join(scripts.SCRIPTS)}", call.command)
    machine.write(scripts.script(shell))
