"""What the pages for agents say about the server is what the server takes."""

import json
import re
import subprocess
import sys

import pytest

from fgraph.cli import clients
from tests.docs import markdown

AGENTS = markdown.ROOT / "docs" / "agents.md"
SKILL = markdown.ROOT / "docs" / "skills" / "fgraph-memory" / "SKILL.md"
FRONT_MATTER = re.compile(r"---\nname: (?P<name>[a-z0-9-]{1,64})\ndescription: (?P<description>.{1,1024})\n---\n")


@pytest.fixture(scope="module")
def tools(tmp_path_factory):
    """The input schemas of the server's tools by name."""
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    requests = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    done = subprocess.run(
        [sys.executable, str(markdown.ROOT / "fgraph.py"), "--db", "memory.db", "mcp", "--write"],
        cwd=tmp_path_factory.mktemp("server"),
        input="".join(f"{json.dumps(request)}\n" for request in requests),
        capture_output=True,
        text=True,
        timeout=60,
    )
    return {tool["name"]: tool["inputSchema"] for tool in json.loads(done.stdout.splitlines()[1])["result"]["tools"]}


def test_the_paragraph_is_the_one_that_setup_prints():
    lines = AGENTS.read_text(encoding="utf-8").split("\n")
    quoted = "\n".join(line.removeprefix("> ") for line in lines if line.startswith("> "))
    assert quoted == clients.advice(clients.Server(name="memory", program=[], database="", write=True))


def test_the_skill_begins_with_its_name_and_when_to_use_it():
    found = FRONT_MATTER.match(SKILL.read_text(encoding="utf-8"))
    assert found["name"] == SKILL.parent.name


def test_the_arguments_in_the_skill_are_those_of_remember(tools):
    examples = [json.loads(block.text) for block in markdown.blocks(SKILL) if block.kind == "json"]
    assert len(examples) == 2
    for example in examples:
        assert example.keys() <= tools["remember"]["properties"].keys()
        assert example.keys() >= set(tools["remember"]["required"])


def test_the_tools_that_the_pages_name_exist(tools):
    for page in (AGENTS, SKILL):
        text = page.read_text(encoding="utf-8")
        named = set(re.findall(r"(?:[Cc]all|for .*?,) `([a-z]+)`", text))
        assert named <= tools.keys(), page.name


def test_the_codes_in_the_skill_are_those_of_conflicts():
    rows = re.findall(r"^\| `([a-z_]+)` \|", SKILL.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == ["code", "stale_basis", "fact_conflict", "operation_reused", "writer_busy"]
