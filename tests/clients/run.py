"""Drives the server with the official clients, installed into a temporary folder: python tests/clients/run.py

Needs Node.js, npm and the package registries. Prints what docs/clients.md records; ends with 1 when anything was
unexpected.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLAN = str(HERE / "plan.json")
TOOL_ERROR = 5  # the inspector's exit status where a tool answered with an error


def run(title: str, command: list, cwd: Path) -> bool:
    """One client with its output; True when it ended well."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, capture_output=True, text=True, timeout=300)
    print(f"## {title}\n")
    print((done.stdout + done.stderr).rstrip() or "(no output)")
    print(f"exit status {done.returncode}\n", flush=True)
    return done.returncode == 0


def quiet(command: list, cwd: Path) -> None:
    subprocess.run([str(word) for word in command], cwd=cwd, check=True, capture_output=True, timeout=600)


def server(folder: Path, name: str, *options: str) -> list:
    return [sys.executable, ROOT / "fgraph.py", "--db", folder / f"{name}.db", "mcp", *options]


def python_clients(folder: Path) -> list[bool]:
    outcomes = []
    for version, modes in (("1", ["session"]), ("2", ["session", "legacy", "auto"])):
        home = folder / f"python-{version}"
        quiet([sys.executable, "-m", "venv", home], folder)
        python = home / "bin" / "python"
        quiet([python, "-m", "pip", "install", "-q", f"mcp=={version}.*"], folder)
        installed = subprocess.run([python, "-m", "pip", "show", "mcp"], capture_output=True, text=True).stdout
        exact = installed.split("Version: ")[1].split()[0]
        for mode in modes:
            command = server(folder, f"python-{version}-{mode}", "--write")
            script = [python, HERE / "python_client.py", mode, PLAN, *command]
            outcomes.append(run(f"Python SDK {exact}, {mode}", script, folder))
    return outcomes


def node_clients(folder: Path) -> list[bool]:
    home = folder / "node"
    home.mkdir()
    (home / "package.json").write_text('{"private": true}')
    packages = ["@modelcontextprotocol/sdk@1", "@modelcontextprotocol/client@2", "@modelcontextprotocol/inspector@2"]
    quiet(["npm", "install", "--silent", *packages], home)
    script = home / "typescript_client.mjs"
    script.write_text((HERE / "typescript_client.mjs").read_text())
    outcomes = []
    for which, package in (("1", "sdk"), ("2", "client"), ("2-auto", "client")):
        exact = version_of(home, package)
        command = server(folder, f"typescript-{which}", "--write")
        outcomes.append(run(f"TypeScript {package} {exact}, {which}", ["node", script, which, PLAN, *command], home))
    return outcomes + inspector(folder, home)


def version_of(home: Path, package: str) -> str:
    described = home / "node_modules" / "@modelcontextprotocol" / package / "package.json"
    return json.loads(described.read_text())["version"]


def inspector(folder: Path, home: Path) -> list[bool]:
    """The inspector's command line: one process a request."""
    quiet([sys.executable, ROOT / "fgraph.py", "--db", folder / "inspector.db", "init"], folder)
    program = [home / "node_modules" / ".bin" / "mcp-inspector", "--cli", *server(folder, "inspector", "--write")]
    requests = (
        (0, ["--method", "tools/list"]),
        (0, ["--method", "resources/list"]),
        (0, ["--method", "resources/templates/list"]),
        (0, ["--method", "resources/read", "--uri", "fgraph://schema"]),
        (0, ["--method", "tools/call", "--tool-name", "remember", "--tool-arg", "operation_id=i1", "text=inspector"]),
        (0, ["--method", "tools/call", "--tool-name", "recall", "--tool-arg", "query=inspector"]),
        (TOOL_ERROR, ["--method", "tools/call", "--tool-name", "about", "--tool-arg", "entity=nobody"]),
    )
    outcomes = []
    exact = version_of(home, "inspector")
    for status, request in requests:
        done = subprocess.run(
            [str(word) for word in [*program, *request]], cwd=home, capture_output=True, text=True, timeout=120
        )
        print(f"## Inspector {exact}: {' '.join(request)}\n")
        print((done.stdout + done.stderr).strip()[:300])
        print(f"exit status {done.returncode}\n", flush=True)
        outcomes.append(done.returncode == status and bool(done.stdout.strip()))
    return outcomes


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        sys.exit(0 if all([*python_clients(place), *node_clients(place)]) else 1)
