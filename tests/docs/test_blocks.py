"""Every command and program on these pages is run, in order, and shows what the page says it shows.

A `sh` block runs in a terminal in a folder that looks like a fresh checkout, with a fixed clock; a `python` block runs
in that folder too, with the names of the Python blocks before it; the `text` block right after either is its answer.
"""

import contextlib
import io
import json
import os
import re
import tomllib
from pathlib import Path

import pytest

import fgraph
from tests.docs import markdown
from tests.docs.terminal import Terminal

PAGES = (
    "README.md",
    "docs/README.md",
    "docs/agents.md",
    "docs/architecture.md",
    "docs/changelog.md",
    "docs/concepts.md",
    "docs/datalog-by-example.md",
    "docs/examples/README.md",
    "docs/operations.md",
    "docs/python-api.md",
    "docs/queries.md",
    "docs/quickstart.md",
    "docs/search.md",
    "docs/view.md",
)
# What a page takes for granted. 15 names and one transaction: it has id 80.
NAMES = ",".join(f'{{"id":"n{number}"}}' for number in range(13))
BEFORE = {"docs/operations.md": f"""fgraph add '[{{"id":"mara","person/name":"Mara"}},{NAMES}]'"""}
# Names that the programs of a page take for granted.
GIVEN = {"docs/queries.md": lambda: {"db": fgraph.connect(":memory:")}}
# Run elsewhere: word for word by .ci/run, since it runs these very tests.
TEST_COMMAND = "python3 -m venv .venv && .venv/bin/pip install --quiet -e '.[dev]' && .venv/bin/python -m pytest -q\n"
WORK = re.compile(r"[0-9,]+ units? of work")
KINDS = {"sh", "python", "json", "toml", "text", "markdown"}


@pytest.fixture
def terminal(tmp_path):
    return Terminal(tmp_path)


@pytest.mark.parametrize("name", PAGES)
def test_the_blocks_of_a_page_do_what_it_says(name, terminal):
    names = GIVEN.get(name, dict)()
    terminal.run(BEFORE.get(name, ""))
    for block in markdown.blocks(markdown.ROOT / name):
        where = f"{name}:{block.line}"
        assert block.kind in KINDS, where
        if block.kind == "sh" and block.text != TEST_COMMAND:
            shown = terminal.run(block.text.replace(" --follow ", " --no-follow "))  # that would never end
        elif block.kind == "python":
            shown = run_python(block.text, names, terminal.folder)
        else:
            parse(block)
            continue
        if block.answer is not None:
            assert settled(shown) == settled(block.answer), where


def settled(answer: str) -> str:
    """An answer without the work spent on it: how much that is, is no promise of a page."""
    return WORK.sub("some work", answer)


def run_python(program: str, names: dict, folder: Path) -> str:
    """What a program prints; its names stay in `names`."""
    shown, before = io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(shown):
            exec(compile(program, "<page>", "exec"), names)
    finally:
        os.chdir(before)
    return shown.getvalue()


def parse(block: markdown.Block) -> None:
    """Data on a page is at least well formed."""
    if block.kind == "json":
        json.loads(block.text)
    elif block.kind == "toml":
        tomllib.loads(block.text)


def test_the_test_command_of_the_readme_is_what_every_change_must_pass():
    assert TEST_COMMAND in [block.text for block in markdown.blocks(markdown.ROOT / "README.md")]
    script = (markdown.ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert re.search(f"^{re.escape(TEST_COMMAND)}", script, re.MULTILINE)


def test_every_page_with_commands_is_run_by_a_test():
    tests = [path.read_text(encoding="utf-8") for path in (markdown.ROOT / "tests").rglob("*.py")]
    for page in markdown.pages():
        name = page.relative_to(markdown.ROOT).as_posix()
        if name not in PAGES and any(block.kind in ("sh", "python") for block in markdown.blocks(page)):
            assert any(page.name in text for text in tests), f"no test runs the commands of {name}"
