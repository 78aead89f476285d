"""Commands that connect agents: mcp, setup."""

import os
import sys

from fgraph import errors, limits
from fgraph.cli import machine, place
from fgraph.cli.call import Call, Outcome, on_terminal
from fgraph.cli.embedding import from_anywhere
from fgraph.cli.parse import UsageError, unknown
from fgraph.cli.source import plain
from fgraph.file.paths import resolve_path

MODULE, FOR_PYTHON = "__main__.py", (".py", ".pyz")
NAME_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def mcp(call: Call) -> int:
    from fgraph.mcp.server import serve  # the other door; only this command goes through it

    path = place.path(call)
    if on_terminal(sys.stdin):
        machine.complain("Waiting for an agent's requests, one JSON-RPC message a line; end with Ctrl-D.\n")
    budget = limits.QUERY_BUDGET if call["query_budget"] is None else call["query_budget"]
    return serve(path, call["write"], budget, call["embed_cmd"])


def setup(call: Call) -> Outcome | None:
    """What to tell an agent program; as an object with --json, else as text that is ready to paste."""
    from fgraph.cli import clients

    client, name = call["client"], call["name"]
    if client not in clients.CLIENTS:
        raise unknown("client", client, clients.CLIENTS, call.command)
    if not NAME_CHARACTERS.issuperset(name) or not name:
        raise UsageError(f"--name {errors.quote(name)} is not made of letters, digits, - and _", call.command)
    embed = None if call["embed_cmd"] is None else from_anywhere(plain(call["embed_cmd"], "--embed-cmd"))
    server = clients.Server(name, program(), resolve_path(place.path(call)), call["write"], embed)
    if call.style == "json":
        return Outcome(clients.describe(client, server))
    machine.write(clients.instructions(client, server))
    return None


def program() -> list[str]:
    """The words that start this very program from any folder."""
    script = os.path.abspath(sys.argv[0])
    if os.path.basename(script) == MODULE:  # `-m fgraph`, which a client's folder need not find, is the package's path
        script = os.path.dirname(script)
    starts_alone = os.path.isfile(script) and os.access(script, os.X_OK) and not script.endswith(FOR_PYTHON)
    return [script] if starts_alone else [sys.executable, script]
