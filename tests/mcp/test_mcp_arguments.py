"""What models send and what a tool makes of it."""

from __future__ import annotations

import pytest

from fgraph import errors
from fgraph.mcp.arguments import decode
from tests.mcp.clients import InProcess

DEEP = "[" * 80 + "]" * 80


@pytest.mark.parametrize(
    ("tool", "given", "taken"),
    [
        ("recall", {"query": "x", "k": 5}, {"query": "x", "k": 5}),
        ("recall", {"query": "x", "k": 5.0}, {"query": "x", "k": 5}),
        ("recall", {"query": "x", "k": "5"}, {"query": "x", "k": 5}),
        ("recall", {"query": "123"}, {"query": "123"}),
        ("recall", {"query": "x", "k": None, "expand": None, "detail": None}, {"query": "x"}),
        ("recall", {"query": "x", "filters": '[["a/b",1]]'}, {"query": "x", "filters": [["a/b", 1]]}),
        ("recall", {"query": "x", "wait_for_previous": True}, {"query": "x"}),
        ("receipt", {"tx": "-1"}, {"tx": -1}),
        ("receipt", {"tx": "0064"}, {"tx": 64}),
        ("schema", {"used": 1}, {"used": True}),
        ("schema", {"used": 0}, {"used": False}),
        ("schema", {"used": "true", "include_system": "false"}, {"used": True, "include_system": False}),
        ("schema", {"prefix": "null"}, {"prefix": "null"}),
        ("query", {"q": '{"find":["?e"]}', "args": None}, {"q": {"find": ["?e"]}}),
        ("query", {"q": {"find": []}, "args": '{"?x":1}'}, {"q": {"find": []}, "args": {"?x": 1}}),
        ("query", {"q": {}, "args": "null"}, {"q": {}}),
        ("datoms", {"components": '["a/b"]'}, {"components": ["a/b"]}),
        ("remember", {"operation_id": "o", "text": "[1,2]"}, {"operation_id": "o", "text": "[1,2]"}),
        ("remember", {"operation_id": "o", "text": "null"}, {"operation_id": "o", "text": "null"}),
        ("remember", {"operation_id": "o", "facts": '{"id":"a"}'}, {"operation_id": "o", "facts": {"id": "a"}}),
        ("remember", {"operation_id": "o", "facts": "null", "key": None}, {"operation_id": "o"}),
        ("about", {"entity": 65}, {"entity": 65}),
        ("about", {"entity": ["a/b", "v"]}, {"entity": ["a/b", "v"]}),
        ("about", {"entity": '{"eid":"x"}'}, {"entity": '{"eid":"x"}'}),
    ],
)
def test_accepted(tool, given, taken):
    assert decode(tool, given) == taken


@pytest.mark.parametrize(
    ("tool", "given", "code", "param"),
    [
        ("recall", {}, "missing_argument", "query"),
        ("recall", {"query": None}, "missing_argument", "query"),
        ("recall", {"query": 5}, "invalid_argument", "query"),
        ("recall", {"query": "x", "k": True}, "invalid_argument", "k"),
        ("recall", {"query": "x", "k": 2.5}, "invalid_argument", "k"),
        ("recall", {"query": "x", "k": "five"}, "invalid_argument", "k"),
        ("recall", {"query": "x", "k": "1_0"}, "invalid_argument", "k"),
        ("recall", {"query": "x", "k": " 5"}, "invalid_argument", "k"),
        ("recall", {"query": "x", "k": "٥"}, "invalid_argument", "k"),
        ("recall", {"query": "x", "k": 0}, "out_of_range", "k"),
        ("recall", {"query": "x", "k": 21}, "out_of_range", "k"),
        ("recall", {"query": "x", "k": "9" * 5_000}, "out_of_range", "k"),
        ("recall", {"query": "x", "expand": -1}, "out_of_range", "expand"),
        ("recall", {"query": "x", "expand": 3}, "out_of_range", "expand"),
        ("recall", {"query": "x", "detail": "short"}, "invalid_argument", "detail"),
        ("recall", {"query": "x", "qurey": "y"}, "unknown_argument", "qurey"),
        ("about", {"entity": "a", "depth": 3}, "out_of_range", "depth"),
        ("about", {"entity": "a", "depth": -1}, "out_of_range", "depth"),
        ("about", {"entity": "a", "at": 63}, "out_of_range", "at"),
        ("why", {"entity": "a", "limit": 0}, "out_of_range", "limit"),
        ("why", {"entity": "a", "limit": 101}, "out_of_range", "limit"),
        ("history", {"entity": "a", "order": "up"}, "invalid_argument", "order"),
        ("schema", {"used": "maybe"}, "invalid_argument", "used"),
        ("schema", {"used": 2}, "invalid_argument", "used"),
        ("query", {"q": "[1]"}, "invalid_argument", "q"),
        ("query", {"q": 5}, "invalid_argument", "q"),
        ("query", {"q": {}, "args": [1]}, "invalid_argument", "args"),
        ("remember", {"operation_id": "o", "facts": 5}, "invalid_argument", "facts"),
        ("remember", {"operation_id": "o", "facts": False}, "invalid_argument", "facts"),
        ("remember", {"operation_id": "o", "if_basis_tx": 63, "text": "x"}, "out_of_range", "if_basis_tx"),
        ("remember", {"operation_id": "o", "if_basis_tx": 2**63, "text": "x"}, "out_of_range", "if_basis_tx"),
        ("forget", {"entity": "a", "operation_id": "o"}, "missing_argument", "if_basis_tx"),
        ("undo", {"tx": True, "operation_id": "o", "if_basis_tx": 64}, "invalid_argument", "tx"),
    ],
)
def test_refused(tool, given, code, param):
    with pytest.raises(errors.TypeError) as caught:
        decode(tool, given)
    assert (caught.value.code, caught.value.param) == (code, param)
    assert caught.value.hint


@pytest.mark.parametrize("facts", ["hello", "{", "[1", '{"a":1,"a":2}', "NaN"])
def test_structures_sent_as_text_must_be_strict_json(facts):
    with pytest.raises(errors.TypeError):
        decode("remember", {"operation_id": "o", "facts": facts})


@pytest.mark.parametrize("name", ["attribute", "value"])
def test_null_never_widens_what_forget_retracts(name):
    given = {"entity": "a", "operation_id": "o", "if_basis_tx": 64, name: None}
    with pytest.raises(errors.TypeError) as caught:
        decode("forget", given)
    assert caught.value.param == name


def test_nesting_is_bounded():
    nested: list = []
    for _ in range(79):
        nested = [nested]
    with pytest.raises(errors.TooLarge):
        decode("remember", {"operation_id": "o", "facts": nested})
    with pytest.raises(errors.TooLarge):
        decode("remember", {"operation_id": "o", "facts": "[" + DEEP + "]"})
    assert decode("remember", {"operation_id": "o", "facts": nested[0]})


def test_a_mistyped_argument_is_named_with_its_neighbour_and_nothing_is_written():
    with InProcess(":memory:") as client:
        client.open()
        basis = client.call("remember", operation_id="1", facts=[{"id": "svc/api", "svc/owner": "Noor"}])["basis_tx"]
        error = client.refused("forget", entity="svc/api", atribute="svc/owner", operation_id="2", if_basis_tx=basis)
        assert (error["type"], error["code"], error["param"]) == ("TypeError", "unknown_argument", "atribute")
        for known in ("did you mean attribute?", "entity", "value", "operation_id", "if_basis_tx"):
            assert known in error["hint"]
        assert client.call("about", entity="svc/api") == {
            "ok": True,
            "basis_tx": basis,
            "data": {"svc/owner": "Noor"},
        }


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, -32602),
        ({"name": 5}, -32602),
        ({"name": "nope"}, -32602),
        ({"name": "schema", "arguments": [1]}, -32602),
        ({"name": "schema", "arguments": "x"}, -32602),
        ({"name": "remember", "arguments": {}}, -32602),
    ],
)
def test_calls_that_cannot_be_calls_are_protocol_errors(tmp_path, params, code):
    path = tmp_path / "call.db"
    InProcess(path).close()
    with InProcess(path, write=False) as client:
        client.open()
        answer = client.request("tools/call", params)
        assert answer["error"]["code"] == code
        if params.get("name") == "nope":
            assert answer["error"]["message"] == "Unknown tool: nope"
        if params.get("name") == "remember":
            assert "--write" in answer["error"]["message"]


@pytest.mark.parametrize(
    "extra", [{}, {"arguments": None}, {"arguments": {}, "task": {"ttl": 5}, "inputResponses": {}}]
)
def test_arguments_may_be_absent_and_what_we_never_asked_for_is_ignored(extra):
    with InProcess(":memory:") as client:
        client.open()
        params = {"name": "schema", "_meta": {"traceparent": "00-1-2-3", "vendor/x": 1}, **extra}
        assert client.request("tools/call", params)["result"]["structuredContent"]["ok"] is True
