"""setup and completion: what is printed, and that nothing is edited."""

import json
import shlex
import subprocess
import sys
import tomllib

import pytest

from fgraph.cli.catalogue import COMMANDS
from fgraph.cli.catalogue.common import CLIENTS
from tests.cli.conftest import LAUNCHER, ROOT


@pytest.fixture(scope="module")
def told(module_shell):
    """What `setup` says of every client, read-only and writing, as objects and as text."""
    lines = [[*flags, "--db", "my db.fgraph", "setup", client, *write]
             for client in CLIENTS for write in ([], ["--write"]) for flags in (["--json"], [])]  # fmt: skip
    said = {}
    for words in lines:
        said[tuple(words)] = module_shell.run(*words)
    return module_shell, said


def server_words(client: str, snippet: str) -> list[str]:
    """The command line that a client makes of its snippet."""
    if client == "claude-code":
        words = shlex.split(snippet)
        assert words[:6] == ["claude", "mcp", "add", "--scope", "local", "memory"]
        return words[words.index("--") + 1 :]
    if client == "codex":
        entry = tomllib.loads(snippet)["mcp_servers"]["memory"]
        return [entry["command"], *entry["args"]]
    value = json.loads(snippet)
    entry = next(value[key] for key in ("mcp", "mcpServers", "servers") if key in value)["memory"]
    return entry["command"] if client == "opencode" else [entry["command"], *entry["args"]]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("write", [[], ["--write"]], ids=["read-only", "writing"])
def test_a_snippet_starts_this_very_program_on_the_absolute_path(told, client, write):
    shell, said = told
    object_ = said[("--json", "--db", "my db.fgraph", "setup", client, *write)].json
    words = server_words(client, object_["snippet"])
    assert words[1:] == [str(LAUNCHER), "--db", str(shell.folder / "my db.fgraph"), "mcp", *write]
    assert object_["command"] == words
    assert ("remember" in object_["instructions"]) is bool(write)
    text = said[("--db", "my db.fgraph", "setup", client, *write)].out
    assert all(line.strip() in text for line in object_["snippet"].splitlines())
    assert object_["instructions_file"] in text


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize(
    ("given", "passed_on"),
    [
        ("embed", "embed"),
        ("./my embed.py", "{folder}/my embed.py"),
        ('["./embed", "--model", "é"]', '["{folder}/embed", "--model", "é"]'),
        ('["embed", "data/model", "data", "other/model"]', '["embed", "{folder}/data/model", "data", "other/model"]'),
    ],
    ids=["on PATH", "a path", "with arguments", "with a file among the arguments"],
)
def test_a_snippet_passes_the_embedding_command_on(shell, client, given, passed_on):
    for name in ("embed", "my embed.py"):
        shell.write(name, "").chmod(0o755)
    (shell.folder / "data").mkdir()
    shell.write("data/model", "")
    shell.env["PATH"] = str(shell.folder)
    told = shell.run("--json", "--db", "m.db", "setup", client, "--embed-cmd", given).json
    words = server_words(client, told["snippet"])
    assert words[-3:] == ["mcp", "--embed-cmd", passed_on.replace("{folder}", str(shell.folder))]
    assert told["command"] == words


@pytest.mark.parametrize("given", ["", "[]", '["x"', '["x", 1]'])
def test_an_embedding_command_of_a_wrong_form_is_refused_before_it_is_passed_on(shell, given):
    ran = shell.run("setup", "codex", "--embed-cmd", given)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("TypeError: the embedding command ")
    assert "; give --embed-cmd a program, or a JSON array " in ran.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("./none", "{folder}/none does not exist; give the path of a program, or the name of one on the PATH"),
        ('["none"]', "none is no program on the PATH; give the path of a program, or the name of one on the PATH"),
        ("runs", "runs is not on the PATH; give its path: {folder}/runs"),
        ("./plain.py", '{folder}/plain.py is not executable; give its interpreter as well, as in '
         '["python3", "{folder}/plain.py"], or make it executable'),
    ],
)  # fmt: skip
def test_an_embedding_program_that_cannot_start_is_refused_with_the_way_out(shell, given, said):
    shell.write("plain.py", "")
    shell.write("runs", "").chmod(0o755)
    ran = shell.run("setup", "codex", "--embed-cmd", given)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err == f"TypeError: --embed-cmd: {said.replace('{folder}', str(shell.folder))}\n"


def test_setup_touches_nothing(told):
    assert list(told[0].folder.iterdir()) == []


def test_the_server_of_a_snippet_answers(told):
    _, said = told
    assert_answers(said[("--json", "--db", "my db.fgraph", "setup", "codex")].json["command"], ROOT)


@pytest.mark.parametrize("start", [["-m", "fgraph"], ["fgraph"]], ids=["as a module", "by the path of the package"])
def test_a_server_answers_in_any_folder_however_setup_was_started(tmp_path, start):
    words = [sys.executable, *start, "--json", "--db", "m.db", "setup", "codex"]
    told = json.loads(subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout)
    assert told["command"] == [sys.executable, str(ROOT / "fgraph"), "--db", str(ROOT / "m.db"), "mcp"]
    assert_answers(told["command"], tmp_path)


def assert_answers(words, folder):
    """That the server starts in the folder and greets."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    request = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    done = subprocess.run(words, input=request.encode() + b"\n", cwd=folder, capture_output=True, timeout=30)
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == "fgraph"


@pytest.mark.parametrize("shell_name", ["bash", "zsh", "fish"])
def test_a_completion_script_knows_every_command(shell, shell_name):
    script = shell.run("completion", shell_name).out
    assert all(name in script for name in COMMANDS)
    assert shell.run("--show-completion", SHELL=f"/bin/{shell_name}").out == script
    assert shell.run("--show-completion", shell_name, SHELL="/bin/ash").out == script


def complete(shell, *words: str) -> list[str]:
    """What bash offers for the last of the words."""
    script = shell.write("fgraph.bash", shell.run("completion", "bash").out)
    line = " ".join(["fgraph", *(shlex.quote(word) for word in words)])
    code = f"source {shlex.quote(str(script))}; COMP_WORDS=({line}); COMP_CWORD={len(words)}; _fgraph; "
    code += "printf '%s\\n' \"${COMPREPLY[@]}\""
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, cwd=shell.folder, check=True)
    return done.stdout.split("\n")[:-1]


def test_bash_completes_commands_options_words_and_files(shell):
    shell.write("facts.db", "")
    shell.write("events.ndjson", "")
    assert complete(shell, "schema-") == ["schema-export", "schema-check", "schema-apply"]
    assert complete(shell, "--db", "x.db", "hist") == ["history"]
    assert complete(shell, "get", "--de") == ["--depth"]
    assert complete(shell, "datoms", "v") == ["vaet"]
    assert complete(shell, "datoms", "--source", "h") == ["history"]
    assert complete(shell, "declare", "a/b", "--type", "in") == ["instant", "int"]
    assert complete(shell, "setup", "co") == ["codex", "copilot"]
    assert complete(shell, "--db", "fac") == ["facts.db"]
    assert complete(shell, "view", "--output", "fac") == ["facts.db"]
    assert complete(shell, "add", "@ev") == ["@events.ndjson"]
    assert complete(shell, "apply", "ev") == ["events.ndjson"]


@pytest.mark.parametrize(
    ("shell_name", "place"),
    [
        ("bash", ".local/share/bash-completion/completions/fgraph"),
        ("zsh", ".local/share/zsh/site-functions/_fgraph"),
        ("fish", ".config/fish/completions/fgraph.fish"),
    ],
)
def test_installing_writes_one_file_where_the_shell_looks_and_says_so(shell, shell_name, place):
    home = {"HOME": str(shell.folder), "SHELL": f"/bin/{shell_name}", "XDG_DATA_HOME": "", "XDG_CONFIG_HOME": ""}
    ran = shell.run("--install-completion", **home)
    assert ran.out.startswith(f"wrote {shell.folder / place}")
    assert [path for path in shell.folder.rglob("*") if path.is_file()] == [shell.folder / place]


def test_an_unknown_shell_is_told_what_to_do(shell):
    ran = shell.run("--install-completion", SHELL="/bin/ash")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith('Unsupported: the shell is "ash"; use completion bash|zsh|fish')
