"""What people see, on a real terminal of fixed size.

transcript.txt holds the session of the human views. `FGRAPH_RECORD=1 pytest tests/cli/test_terminal.py` writes it anew;
look at every line that changed.
"""

import os
import pty
import re
import shlex
import sys
import tempfile
from pathlib import Path

import pytest

from tests.cli.conftest import ROOT

TRANSCRIPT = Path(__file__).with_name("transcript.txt")
FILES = {
    "m.json": '{"fgraph":"schema/1","attributes":[{"name":"light/tags","declared":{"many":true,"doc":"Words"}}]}',
    "batch.ndjson": '{"id":"b1","buoy/depth":4}\n{"id":"b2","buoy/depth":7}\n{"id":"b3","buoy/depth":9}\n',
    "memory.jsonl": '{"type":"entity","name":"Ada","entityType":"person","observations":["likes gales"]}\n',
}
KEEPER = '{"id":"skerry","light/keeper":{"id":"mara","keeper/since":1998},"light/range":18}'
ESCAPE = "\x1b["


def command_lines() -> list[str]:
    return [line for line in TRANSCRIPT.read_text(encoding="utf-8").split("\n") if line.startswith("$ fgraph ")]


def seen(shell, line: str) -> str:
    """A command line and all that it shows, with the folders of this machine renamed."""
    status, out, _ = shell.on_terminal(*shlex.split(line.removeprefix("$ fgraph ")), TERM="dumb", FGRAPH_DB="lights.db")
    for real, shown in ((sys.executable, "/python3"), (str(shell.folder), "/harbour"), (str(ROOT), "/fgraph")):
        out = out.replace(real, shown)
    out = re.sub(r"(size +)[0-9.]+ KiB", r"\1SIZE", out)
    out = re.sub(r"^[0-9.]+ KiB now, [0-9.]+ [KiB]+ won", "SIZE now, SIZE won", out)
    return f"{line}\n{out}" + (f"[{status}]\n" if status else "")


@pytest.fixture
def harbour(shell):
    """A shell in a folder whose path is short enough to be shown whole."""
    with tempfile.TemporaryDirectory() as folder:
        shell.folder = Path(folder).resolve()
        yield shell


def test_the_views_look_as_recorded(harbour):
    shell = harbour
    for name, content in FILES.items():
        shell.write(name, content)
    parts = []
    for line in command_lines():
        for name, stream in (("events.ndjson", "tail"), ("snapshot.ndjson", "snapshot")):
            if name in line:
                shell.write(name, shell.run(stream, FGRAPH_DB="lights.db").out)
        parts.append(seen(shell, line))
    if os.environ.get("FGRAPH_RECORD"):
        TRANSCRIPT.write_text("\n".join(parts), encoding="utf-8")
    for part, recorded in zip(parts, TRANSCRIPT.read_text(encoding="utf-8").split("\n$ "), strict=True):
        assert part.removeprefix("$ ").rstrip("\n") == recorded.removeprefix("$ ").rstrip("\n")


def test_no_line_of_a_view_is_wider_than_the_terminal(shell):
    shell.run("add", '{"id":"skerry","light/range":18}', "--by", "ana " * 20, "--source", "survey " * 20)
    shell.run("add", '{"id":"skerry","light/text":"' + "word " * 200 + '"}')
    for columns in (40, 60):
        for words in (["get", "skerry"], ["history", "skerry"], ["why", "skerry"], ["schema"], ["recall", "word"],
                      ["tx", "67"], ["info"], ["doctor"], ["diff", "64", "69"]):  # fmt: skip
            out = shell.on_terminal(*words, columns=columns, TERM="dumb").out
            assert "Error" not in out
            assert max(map(len, out.splitlines())) <= columns, (columns, words, out)


def test_wide_cuts_nothing(shell):
    shell.run("add", '{"id":"skerry","light/text":"' + "word " * 200 + '"}')
    assert "word " * 199 + "word" in shell.on_terminal("get", "skerry", "--wide", columns=40).out
    assert "…" in shell.on_terminal("get", "skerry", columns=40).out


def test_what_an_entity_refers_to_is_nested_at_depth_two(shell):
    shell.run("declare", "light/keeper", "--ref")
    shell.run("add", KEEPER)
    assert shell.on_terminal("get", "skerry", "--depth", "2", TERM="dumb").out == (
        "skerry              (id 67, basis tx 71)\n  light/keeper\n    keeper/since    1998\n  light/range       18\n"
    )


@pytest.mark.parametrize(
    ("env", "options", "coloured"),
    [
        ({}, [], True),
        ({"NO_COLOR": ""}, [], True),
        ({"NO_COLOR": "1"}, [], False),
        ({"TERM": "dumb"}, [], False),
        ({"NO_COLOR": "1"}, ["--color", "always"], True),
        ({}, ["--color", "never"], False),
        ({}, ["--json"], False),
    ],
)
def test_colour_follows_the_terminal_the_environment_and_the_option(shell, env, options, coloured):
    shell.run("add", '{"id":"skerry","light/range":18}')
    out = shell.on_terminal("history", "skerry", *options, **{"TERM": "xterm", **env}).out
    assert (ESCAPE in out) is coloured


def test_without_a_terminal_there_is_no_colour_unless_it_is_asked_for(shell):
    shell.run("add", '{"id":"skerry","light/range":18}')
    assert ESCAPE not in shell.run("get", "skerry", "--format", "table", TERM="xterm").out
    assert ESCAPE in shell.run("get", "skerry", "--format", "table", "--color", "always").out


def test_an_error_shows_its_type_in_colour_and_the_same_words(shell):
    plain = shell.run("get", "nobody", "--db", "none.db").err
    shown = shell.on_terminal("get", "nobody", "--db", "none.db", TERM="xterm").out
    assert shown == plain.replace("NotFound", "\x1b[1;31mNotFound\x1b[0m", 1)


def test_matched_words_are_marked(shell):
    shell.run("add", '{"id":"note","log/text":"relit after the gale"}')
    assert "after the \x1b[1;33mgale\x1b[0m" in shell.on_terminal("search", "--text", "gale", TERM="xterm").out
    assert "after the [gale]" in shell.on_terminal("search", "--text", "gale", TERM="dumb").out


def test_a_suggested_command_names_the_file_that_was_given_and_is_never_cut(shell):
    database = f"{'my memory ' * 5}.db"
    shell.run("--db", database, "remember", "gone soon", "--key", "k")
    shell.run("--db", database, "forget", "k")
    for words in (["get", "k", "--db", database], ["--db", database, "why", "k"]):
        last = shell.on_terminal(*words, TERM="dumb").out.splitlines()[-1]
        assert last == f"  its history: fgraph --db '{database}' history 65"
    last = shell.on_terminal("--db", database, "forget", "k", TERM="dumb").out.splitlines()[-1]
    assert last == f"  see what there is: fgraph --db '{database}' recall WORDS"
    last = shell.on_terminal("get", "k", FGRAPH_DB=database, TERM="dumb").out.splitlines()[-1]
    assert last == "  its history: fgraph history 65"


def test_a_note_found_by_its_key_is_shown_with_its_text(shell):
    shell.run("remember", "Only [Thursdays]", "--key", "deploy-window")
    found = shell.on_terminal("recall", "deploy", TERM="dumb").out.splitlines()
    assert found[1:3] == ["       memory/text  Only [Thursdays]", "       matched  [deploy]-window memory/text"]
    found = shell.on_terminal("recall", "thursdays", TERM="dumb").out.splitlines()
    assert found[1] == "       memory/text  Only [[Thursdays]]"
    assert len(found) == 4


@pytest.mark.parametrize(
    ("options", "start"), [(["--json"], "{"), (["--format", "json"], "{"), (["--format", "indent"], "{\n")]
)
def test_a_format_can_be_forced_on_a_terminal(shell, options, start):
    shell.run("add", '{"id":"skerry","light/range":18}')
    assert shell.on_terminal("get", "skerry", *options).out.startswith(start)


def test_an_id_is_shown_with_its_name(shell):
    shell.run("add", '{"id":"skerry","light/range":18}')
    assert shell.on_terminal("get", "65", TERM="dumb").out.startswith("skerry           (id 65, basis tx 67)\n")


def test_a_server_that_waits_for_a_person_says_so(shell):
    leader, follower = pty.openpty()
    process = shell.start("mcp", "--write", stdin=follower)
    os.close(follower)
    said = process.stderr.readline()
    os.write(leader, b"\x04")
    out, err = process.communicate(timeout=20)
    os.close(leader)
    assert said == b"Waiting for an agent's requests, one JSON-RPC message a line; end with Ctrl-D.\n"
    assert (process.returncode, out, err) == (0, b"", b"")


def test_reading_from_the_terminal_is_announced(shell):
    leader, follower = pty.openpty()
    process = shell.start("add", "-", stdin=follower)
    os.close(follower)
    assert process.stderr.readline() == b"Reading from the terminal; end with Ctrl-D.\n"
    os.write(leader, b'{"id":"a"}\n\x04')
    out, err = process.communicate(timeout=20)
    os.close(leader)
    assert (process.returncode, err) == (0, b"")
