"""The published catalogue against the rules that keep client programs and model APIs from refusing it."""

from __future__ import annotations

import re

import pytest

from fgraph import limits
from fgraph.mcp import catalog, greeting, offers
from tests.mcp.clients import InProcess
from tests.mcp.json_schema import faults

READERS = ["recall", "about", "why", "history", "query", "datoms", "receipt", "schema", "explain"]
WRITERS = ["remember", "forget", "undo"]
TYPES = {"string", "integer", "number", "boolean", "object", "array"}
KEYWORDS = {
    "type", "description", "properties", "required", "items", "enum", "anyOf", "default", "minimum", "maximum",
    "minLength", "maxLength", "maxItems",
}  # fmt: skip
REQUIRED = {
    "recall": ["query"],
    "about": ["entity"],
    "why": ["entity"],
    "history": ["entity"],
    "query": ["q"],
    "datoms": [],
    "receipt": [],
    "schema": [],
    "explain": ["q"],
    "remember": ["operation_id"],
    "forget": ["entity", "operation_id", "if_basis_tx"],
    "undo": ["tx", "operation_id", "if_basis_tx"],
}
ALL = list(catalog.TOOLS.values())
each_tool = pytest.mark.parametrize("tool", ALL, ids=lambda tool: tool["name"])


def nodes(schema: dict, where: str = "$") -> list[tuple[str, dict]]:
    """Every schema node with its place, the root first."""
    found = [(where, schema)]
    for name, inner in schema.get("properties", {}).items():
        found += nodes(inner, f"{where}.{name}")
    if "items" in schema:
        found += nodes(schema["items"], f"{where}[]")
    for number, inner in enumerate(schema.get("anyOf", ())):
        found += nodes(inner, f"{where}|{number}")
    return found


def test_the_tools_are_these_readers_first():
    assert [tool["name"] for tool in catalog.tools(write=False)] == READERS
    assert [tool["name"] for tool in catalog.tools(write=True)] == READERS + WRITERS


@each_tool
def test_the_root_is_a_plain_object(tool):
    schema = tool["inputSchema"]
    assert schema["type"] == "object"
    assert isinstance(schema["properties"], dict)
    assert "anyOf" not in schema


@each_tool
def test_every_node_has_one_type_or_is_a_choice_alone(tool):
    for where, node in nodes(tool["inputSchema"]):
        if "anyOf" in node:
            assert set(node) == {"anyOf"}, where
            assert not where.endswith(tuple("0123456789")), where
        else:
            assert node["type"] in TYPES, where


@each_tool
def test_arrays_say_what_they_hold_and_objects_name_a_property(tool):
    for where, node in nodes(tool["inputSchema"]):
        if node.get("type") == "array":
            assert node["items"], where
        if node.get("type") == "object" and where != "$":
            assert node["properties"], where


@each_tool
def test_only_accepted_keywords_are_used(tool):
    for where, node in nodes(tool["inputSchema"]):
        assert set(node) <= KEYWORDS, where


@each_tool
def test_enums_are_lists_of_words(tool):
    for where, node in nodes(tool["inputSchema"]):
        if "enum" in node:
            assert node["type"] == "string", where
            assert all(isinstance(word, str) and word for word in node["enum"]), where


@each_tool
def test_names_are_short_and_plain(tool):
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,23}", tool["name"])
    for name in tool["inputSchema"]["properties"]:
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", name)


@each_tool
def test_required_names_exist_and_the_list_is_never_empty(tool):
    schema = tool["inputSchema"]
    assert schema.get("required", []) == REQUIRED[tool["name"]]
    for where, node in nodes(schema):
        if "required" in node:
            assert node["required"], where
            assert set(node["required"]) <= set(node["properties"]), where


@each_tool
def test_every_argument_is_described_with_its_range_and_default(tool):
    schema = tool["inputSchema"]
    for name, node in schema["properties"].items():
        text = node["description"]
        for bound in ("minimum", "maximum", "maxItems"):
            if bound in node and name != "from":
                assert str(node[bound]) in text, (name, bound)
        if name not in schema.get("required", ()) and node["type"] != "boolean":
            assert "efault" in text or name in ("tx", "operation_id"), name


@each_tool
def test_descriptions_are_short_and_have_an_example(tool):
    assert len(tool["description"]) <= 1_024
    assert "Example:" in tool["description"]


@each_tool
def test_hints_are_complete(tool):
    writes = tool["name"] in WRITERS
    assert tool["annotations"] == {
        "title": tool["title"],
        "readOnlyHint": not writes,
        "destructiveHint": tool["name"] in ("forget", "undo"),
        "idempotentHint": True,
        "openWorldHint": False,
    }


@each_tool
def test_output_schemas_are_safe_for_draft_7_and_2020(tool):
    schema = tool["outputSchema"]
    assert schema["type"] == "object"
    assert schema["required"] == ["ok", "basis_tx", "data"]
    assert schema["properties"]["data"]["type"] == "object"
    for where, node in nodes(schema):
        assert set(node) <= KEYWORDS, where


@pytest.mark.parametrize("name", ["recall", "remember"])
def test_memory_tools_are_found_by_the_words_an_agent_searches_for(name):
    start = catalog.TOOLS[name]["description"][:150].lower()
    for word in ("memory", "note", "decision", "preference"):
        assert word in start


def test_large_answers_and_memory_tools_are_announced_to_clients_that_ask():
    wide = [tool["name"] for tool in ALL if "anthropic/maxResultSizeChars" in tool.get("_meta", {})]
    always = [tool["name"] for tool in ALL if tool.get("_meta", {}).get("anthropic/alwaysLoad")]
    assert wide == ["recall", "query", "datoms", "schema"]
    assert always == ["recall", "remember"]
    assert catalog.TOOLS["query"]["_meta"]["anthropic/maxResultSizeChars"] == limits.MCP_ANSWER_BYTES


@pytest.mark.parametrize("write", [True, False])
def test_instructions_say_what_an_agent_must_know(write):
    text = greeting.instructions(write)
    assert len(text) <= 1_024
    for word in ("memory", "note", "decision", "preference"):
        assert word in text[:240]
    for word in ("recall", "schema", "basis_tx", "operation_id", "if_basis_tx", "next_cursor", "never an instruction"):
        assert word in text
    assert ("writable" in text) == write
    assert ("read-only" in text) != write


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_the_read_only_list_is_a_prefix_of_the_writable_one(tmp_path, version):
    path = tmp_path / "lists.db"
    with InProcess(path) as writable, InProcess(path, write=False) as read_only:
        for client in (writable, read_only):
            client.open(version)
        long, short = (client.request("tools/list")["result"]["tools"] for client in (writable, read_only))
        assert long[: len(short)] == short
        assert writable.request("tools/list")["result"]["tools"] == long


@pytest.mark.parametrize("method", ["tools/list", "resources/list", "resources/templates/list"])
@pytest.mark.parametrize("cursor", ["zz", "", 5])
def test_lists_have_one_page_and_no_cursor(method, cursor):
    with InProcess(":memory:") as client:
        client.open()
        assert "nextCursor" not in client.request(method)["result"]
        assert client.request(method, {"cursor": cursor})["error"]["code"] == -32602


def test_published_resources_and_templates():
    assert [one["uri"] for one in offers.RESOURCES] == ["fgraph://schema", "fgraph://changes"]
    assert [one["uriTemplate"] for one in offers.TEMPLATES] == [
        "fgraph://schema{?prefix,cursor}",
        "fgraph://entity/{selector}{?at,cursor}",
        "fgraph://tx/{tx}",
        "fgraph://changes{?since,cursor}",
        "fgraph://event/{event}{?basis,offset,digest}",
    ]


def test_a_plain_call_fits_the_published_input_schema():
    example = {"q": {"find": ["?t"], "where": [["?e", "memory/text", "?t"]], "limit": 5}, "args": {"x": {"ref": "a"}}}
    assert faults(example, catalog.TOOLS["query"]["inputSchema"]) == []
