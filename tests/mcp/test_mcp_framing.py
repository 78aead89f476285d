"""From bytes to messages: what each kind of line is answered with."""

from __future__ import annotations

import json

import pytest

from fgraph.mcp import wire
from tests.mcp.clients import InProcess, opening

PING = '{"jsonrpc":"2.0","id":"after","method":"ping"}'
LIMIT = 16_777_216


@pytest.fixture
def client():
    with InProcess(":memory:") as client:
        yield client


def refusal(client: InProcess, line: str | bytes) -> dict:
    """The error a line gets, which must be followed by an answer to the next request."""
    client.line(line)
    message = client.receive()
    client.line(PING)
    assert client.receive()["id"] == "after"
    return message


@pytest.mark.parametrize("line", [b"", b"   ", b"\t \t", b"\r", b" \r"])
def test_blank_lines_are_ignored(client, line):
    client.line(line)
    client.line(PING)
    assert client.receive()["id"] == "after"


def test_a_carriage_return_before_the_line_feed_is_white_space(client):
    client.line(PING + "\r")
    assert client.receive()["id"] == "after"


def test_the_last_line_needs_no_line_feed():
    client = InProcess(":memory:")
    client.write(PING.encode())
    assert [message["id"] for message in client.close()] == ["after"]


def test_a_byte_order_mark_is_dropped_from_the_first_line_only(client):
    client.line(b"\xef\xbb\xbf" + PING.encode())
    assert client.receive()["id"] == "after"
    assert refusal(client, b"\xef\xbb\xbf" + PING.encode())["error"]["code"] == -32700


@pytest.mark.parametrize(
    "line",
    [
        b"hello",
        b'{"jsonrpc":"2.0","id":1,"method":"pi',
        b'{"jsonrpc":"2.0","id":1,"method":"ping"}{"jsonrpc":"2.0","id":2,"method":"ping"}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":NaN}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":-Infinity}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"caf\xe9"}}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"jsonrpc":"2.0","id":' + b"9" * 4_301 + b',"method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"),
    ],
)
def test_what_is_no_json_gets_one_parse_error_without_id(client, line):
    message = refusal(client, line)
    assert message["error"]["code"] == -32700
    assert "id" not in message


@pytest.mark.parametrize("line", ["5", '"x"', "null", "true", "{}", "[]", "[1]"])
def test_json_that_is_no_message_gets_an_invalid_request_without_id(client, line):
    message = refusal(client, line)
    assert message["error"]["code"] == -32600
    assert "id" not in message


@pytest.mark.parametrize("ident", ["null", "true", "1.5", "2.0", "1e3", "[]", "{}", '"\\ud800"'])
def test_an_id_that_is_no_string_or_integer_is_not_repeated(client, ident):
    message = refusal(client, f'{{"jsonrpc":"2.0","id":{ident},"method":"ping"}}')
    assert message["error"]["code"] == -32600
    assert "id" not in message


@pytest.mark.parametrize("ident", ["", "7", 7, 0, -1, 10**29, "x" * 5_000])
def test_ids_come_back_as_they_were_sent(client, ident):
    answer = client.request("ping", id=ident)
    assert answer["id"] == ident
    assert type(answer["id"]) is type(ident)


@pytest.mark.parametrize(
    "line",
    [
        '{"id":3,"method":"ping"}',
        '{"jsonrpc":"1.0","id":3,"method":"ping"}',
        '{"jsonrpc":2,"id":3,"method":"ping"}',
        '{"jsonrpc":"2.0","id":3}',
        '{"jsonrpc":"2.0","id":3,"method":5}',
        '{"jsonrpc":"2.0","id":3,"method":null}',
    ],
)
def test_a_malformed_request_is_answered_under_its_id(client, line):
    message = refusal(client, line)
    assert (message["id"], message["error"]["code"]) == (3, -32600)


@pytest.mark.parametrize("params", ["[]", '"x"', "5", "true"])
def test_params_must_be_an_object(client, params):
    message = refusal(client, f'{{"jsonrpc":"2.0","id":3,"method":"ping","params":{params}}}')
    assert (message["id"], message["error"]["code"]) == (3, -32602)


def test_null_params_are_no_params(client):
    client.line('{"jsonrpc":"2.0","id":3,"method":"ping","params":null}')
    assert client.receive()["result"] == {}


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":8,"result":{}}',
        '{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"x"}}',
        '{"jsonrpc":"1.0","method":"ping"}',
        '{"jsonrpc":"2.0","method":5}',
        '{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}',
        '{"jsonrpc":"2.0","method":"notifications/x","params":[]}',
        '{"jsonrpc":"2.0","method":"tools/call","params":{"name":"undo","arguments":{}}}',
    ],
)
def test_answers_and_notifications_get_no_answer(client, line):
    client.line(line)
    client.line(PING)
    assert client.receive()["id"] == "after"


def test_a_call_without_id_is_not_carried_out(client):
    client.open()
    client.notify("tools/call", {"name": "remember", "arguments": {"operation_id": "x", "text": "note"}})
    assert client.refused("receipt", operation_id="x")["type"] == "NotFound"


def test_other_top_level_keys_are_ignored(client):
    client.line('{"jsonrpc":"2.0","id":3,"method":"ping","extra":[1]}')
    assert client.receive()["result"] == {}


@pytest.mark.parametrize("escape", ["\\ud800", "\\uDC00", "\\ud83d x"])
def test_an_unpaired_surrogate_in_params_is_a_bad_param(client, escape):
    client.open()
    call = f'{{"name":"recall","arguments":{{"query":"{escape}"}}}}'
    message = refusal(client, f'{{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{call}}}')
    assert (message["id"], message["error"]["code"]) == (3, -32602)


def test_a_paired_surrogate_escape_is_a_character(client):
    client.open()
    client.line(
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"remember","arguments":'
        '{"operation_id":"x","key":"smile","text":"\\ud83d\\ude00"}}}'
    )
    assert "result" in client.receive()
    assert client.data("about", entity="smile") == {"memory/text": "😀"}


def test_a_method_with_an_unpaired_surrogate_is_refused_without_id(client):
    assert "id" not in refusal(client, '{"jsonrpc":"2.0","id":3,"method":"\\ud800"}')


def padded_ping(size: int) -> bytes:
    frame = b'{"jsonrpc":"2.0","id":"big","method":"ping","params":{"pad":""}}'
    return frame.replace(b'""', b'"' + b"x" * (size - len(frame)) + b'"')


def test_the_longest_line_is_served_and_one_byte_more_is_refused(client):
    client.line(padded_ping(LIMIT))
    assert client.receive()["id"] == "big"
    message = refusal(client, padded_ping(LIMIT + 1))
    assert message["error"] == {"code": -32600, "message": f"Invalid request: message exceeds {LIMIT} bytes"}
    assert "id" not in message


def test_a_long_line_is_not_kept():
    lines = wire.Lines(limit=10)
    assert list(lines.feed(b"x" * 8)) == []
    assert list(lines.feed(b"x" * 8)) == [None]
    assert list(lines.feed(b"x" * 1_000_000)) == []
    assert lines.rest() is None
    assert list(lines.feed(b"rest\nnext\n")) == [b"next"]


def test_lines_are_cut_at_line_feeds_only():
    lines = wire.Lines()
    fed = "a\u2028b\rc\x0bd\n\ne".encode()
    assert list(lines.feed(fed)) == ["a\u2028b\rc\x0bd".encode(), b""]
    assert lines.rest() == b"e"


def test_lines_may_come_in_any_pieces():
    text = b"first\nsecond\nthird"
    for size in range(1, len(text) + 1):
        lines = wire.Lines()
        pieces = [text[start : start + size] for start in range(0, len(text), size)]
        found = [line for piece in pieces for line in lines.feed(piece)]
        assert [*found, lines.rest()] == [b"first", b"second", b"third"]


def test_a_batch_is_answered_with_one_array(client):
    client.open("2025-03-26")
    client.send(
        [
            {"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "schema"}},
            {"jsonrpc": "2.0", "method": "notifications/x"},
            {"jsonrpc": "2.0", "id": "b", "method": "ping"},
            7,
            {"jsonrpc": "2.0", "id": "c", "method": "initialize", "params": opening()},
        ]
    )
    answers = client.receive()
    assert [answer.get("id") for answer in answers] == ["a", "b", None, "c"]
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, None, -32600, -32600]


def test_a_batch_of_notifications_has_no_answer(client):
    client.open("2025-03-26")
    client.send([{"jsonrpc": "2.0", "method": "notifications/x"}] * 3)
    assert client.is_silent()


@pytest.mark.parametrize("size", [0, 101])
def test_a_batch_has_1_to_100_members(client, size):
    client.open("2025-03-26")
    client.send([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(size)])
    message = client.receive()
    assert message["error"]["code"] == -32600
    assert "id" not in message


def test_a_batch_of_100_is_served(client):
    client.open("2025-03-26")
    client.send([{"jsonrpc": "2.0", "id": number, "method": "ping"} for number in range(100)])
    assert [answer["id"] for answer in client.receive()] == list(range(100))


@pytest.mark.parametrize("version", [None, "2024-11-05", "2025-06-18", "2025-11-25"])
def test_other_versions_have_no_batches(client, version):
    if version:
        client.open(version)
    client.send([{"jsonrpc": "2.0", "id": 1, "method": "ping"}])
    message = client.receive()
    assert message["error"]["code"] == -32600
    assert "id" not in message


def test_all_characters_survive_and_lines_stay_lines(client):
    client.open()
    text = 'quote " back \\ tab \t feed \n return \r separators \u2028\u2029\u0085 smile 😀 é \x7f end'
    client.call("remember", operation_id="x", key="odd", text=text)
    assert client.data("about", entity="odd") == {"memory/text": text}


def test_numbers_beyond_the_range_of_a_double_are_a_tool_error_in_arguments_only(client):
    client.open()
    client.line('{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":1e999}}')
    assert client.receive()["result"] == {}
    call = '{"name":"recall","arguments":{"query":"x","k":1e999}}'
    client.line(f'{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{call}}}')
    assert json.loads(client.receive()["result"]["content"][0]["text"])["error"]["type"] == "TypeError"


def test_a_key_twice_is_a_tool_error_in_arguments_only(client):
    client.open()
    client.line('{"jsonrpc":"2.0","id":3,"method":"ping","method":"tools/list"}')
    assert "tools" in client.receive()["result"]
    call = '{"name":"about","arguments":{"entity":"a","entity":"b"}}'
    client.line(f'{{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{call}}}')
    assert "twice" in json.loads(client.receive()["result"]["content"][0]["text"])["error"]["message"]
