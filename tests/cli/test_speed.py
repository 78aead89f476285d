"""How long a command takes to start, as a ratio to an interpreter in the same run."""

import resource
import subprocess
import sys

ROUNDS = 6
ATTEMPTS = 4
VERSION_LIMIT, GET_LIMIT = 1.6, 2.5


def cheapest(lines: dict[str, list[str]], shell) -> dict[str, float]:
    """The least processor time of several runs of each command line, in turns: a busy machine is no slow program."""
    best = dict.fromkeys(lines, float("inf"))
    for _ in range(ROUNDS):
        for name, words in lines.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(words, cwd=shell.folder, env=shell.env, stdout=subprocess.DEVNULL, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            took = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            best[name] = min(best[name], took)
    return best


def test_version_and_get_start_fast(shell):
    shell.env["FGRAPH_DB"] = "s.db"
    shell.run("add", '{"id":"skerry","light/range":18}')
    lines = {
        "nothing": [sys.executable, "-c", "pass"],
        # Where the interpreter's own start loads no libraries, these two take longer than all of ours.
        "libraries": [sys.executable, "-c", "import sqlite3, json"],
        "version": shell.words("version"),
        "get": shell.words("get", "skerry"),
        "info": shell.words("info"),
    }
    cheapest(lines, shell)  # compiles what was not compiled
    for _ in range(ATTEMPTS):
        took = cheapest(lines, shell)
        version = took["version"] / took["nothing"]
        reads = max(took["get"], took["info"]) / took["libraries"]
        if version <= VERSION_LIMIT and reads <= GET_LIMIT:
            return
    raise AssertionError({name: seconds / took["nothing"] for name, seconds in took.items()})


def test_version_loads_nothing_it_does_not_need(shell):
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", *shell.words("version")[1:]], env=shell.env, capture_output=True, text=True
    )
    after = ran.stderr.partition("fgraph\n")[2]
    loaded = {line.split("|")[2].strip() for line in after.splitlines() if line.count("|") == 2}
    assert loaded == {"fgraph.cli", "fgraph.cli.main"}


def test_get_loads_neither_the_engines_nor_argparse(shell):
    shell.env["FGRAPH_DB"] = "s.db"
    shell.run("add", '{"id":"skerry","light/range":18}')
    code = (
        "import sys; from fgraph.cli.main import main; main(['get', 'skerry']); "
        "print(*[name for name in sys.modules if name.startswith(('fgraph.datalog', 'fgraph.search', 'fgraph.mcp', "
        "'fgraph.portable', 'fgraph.care', 'argparse', 'subprocess', 'fgraph.cli.usage', 'fgraph.cli.show'))])"
    )
    root = shell.words()[1].rpartition("/")[0]
    ran = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, {root!r}); {code}"],
        env=shell.env,
        cwd=shell.folder,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.splitlines()[-1] == ""
