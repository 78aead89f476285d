"""The embedding command: how it is run, what it may answer, and what it must never do to the server."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from fgraph import errors
from fgraph.mcp.embedder import Embedder, parse_command, parse_vector
from tests.mcp.clients import InProcess
from tests.mcp.waiting import is_alive, wait_until

# Two numbers from the text: its length, and 1. Counts its runs in a file beside it.
COUNTING = """
import sys, pathlib
text = sys.stdin.buffer.read()
runs = pathlib.Path(sys.argv[1])
runs.write_text(str(int(runs.read_text()) + 1 if runs.exists() else 1))
print([len(text) + float(sys.argv[2]) * int(runs.read_text()), 1])
"""


def shell(script: str) -> str:
    return json.dumps(["sh", "-c", script])


def python(script: str, *arguments: object) -> str:
    return json.dumps([sys.executable, "-S", "-c", script, *map(str, arguments)])


@pytest.fixture
def counter(tmp_path):
    path = tmp_path / "runs"
    return path, python(COUNTING, path, 0)


def runs(path: Path) -> int:
    return int(path.read_text()) if path.exists() else 0


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("/usr/bin/embed", ["/usr/bin/embed"]),
        ("  /opt/my tools/embed ", ["/opt/my tools/embed"]),
        ('["embed","--model","a b"]', ["embed", "--model", "a b"]),
        ("embed; rm -rf $(x) | y", ["embed; rm -rf $(x) | y"]),
    ],
)
def test_a_command_is_one_program_or_a_json_array(command, argv):
    assert parse_command(command) == argv


@pytest.mark.parametrize("command", ["", "   ", "[", "[]", "[1]", '[""]', '["a",null]', '["a\\u0000b"]', "a\0b"])
def test_a_command_of_another_form_is_refused(command):
    with pytest.raises(errors.TypeError) as caught:
        parse_command(command)
    assert caught.value.code == "embedder_failed"


@pytest.mark.parametrize(
    ("output", "vector"),
    [
        (b"[1,2.5]", [1.0, 2.5]),
        (b" \n[0.1]\n", [0.10000000149011612]),
        (b"[-0.976562]", [-0.9765620231628418]),
        (b"[1e-60]", [0.0]),
    ],
)
def test_a_vector_is_rounded_to_float32(output, vector):
    assert parse_vector(output) == vector


@pytest.mark.parametrize(
    "output",
    [
        b"", b"text", b"[1] [2]", b"{}", b"[]", b"[true]", b'["a"]', b"[null]", b"[[1]]", b"[1e309]", b"[NaN]",
        b"[1e39]", b"[" + b"9" * 400 + b"]", b"[" + b"9" * 5_000 + b"]", b"\xef\xbb\xbf[1]", b"[1]\xff",
    ],
)  # fmt: skip
def test_anything_else_is_refused(output):
    with pytest.raises(errors.TypeError) as caught:
        parse_vector(output)
    assert caught.value.code == "embedder_failed"


def test_deep_nesting_is_too_large():
    with pytest.raises(errors.TooLarge):
        parse_vector(b"[" * 90 + b"]" * 90)


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (shell("echo '[1]'; exit 3"), "status 3"),
        (shell("kill -9 $$"), "signal 9"),
        (shell("printf '\\377'; exit 3"), "UTF-8"),
        (shell("head -c 1048577 /dev/zero | tr '\\0' ' '; sleep 60"), "1048576"),
        ("/nonexistent/embed", "did not start"),
        ("/", "did not start"),
    ],
)
def test_a_failing_command_is_a_typed_error(command, word):
    with pytest.raises(errors.TypeError, match=word):
        Embedder(command).embed("text")


def test_output_of_exactly_the_bound_is_taken():
    command = shell("printf '[1]'; head -c 1048573 /dev/zero | tr '\\0' ' '")
    assert Embedder(command).embed("x") == [1.0]


def test_the_whole_text_goes_in_and_nothing_else(tmp_path):
    heard = tmp_path / "heard"
    text = "é" * 300_000 + " no newline"
    Embedder(shell(f"cat > '{heard}'; echo '[1]'")).embed(text)
    assert heard.read_bytes() == text.encode()


def test_a_command_that_does_not_read_is_fine():
    assert Embedder(shell("exec <&-; echo '[1]'")).embed("x" * 1_000_000) == [1.0]


@pytest.mark.parametrize("start", ["sleep 30 &", "setsid sleep 30 & echo $! > '{pid}';"])
def test_what_the_command_leaves_running_is_not_waited_for(tmp_path, monkeypatch, start):
    monkeypatch.setattr("fgraph.limits.EMBED_SECONDS", 10.0)  # to wait for thirty would be an error
    pid = tmp_path / "pid"
    assert Embedder(shell(start.format(pid=pid) + " echo '[1,2]'")).embed("x") == [1.0, 2.0]
    if pid.exists():
        os.kill(int(pid.read_text()), 9)


def test_children_of_the_command_are_killed_with_it(tmp_path):
    pid = tmp_path / "pid"
    Embedder(shell(f"sleep 60 & echo $! > '{pid}'; echo '[1]'")).embed("x")
    assert wait_until(lambda: not is_alive(int(pid.read_text())))


def test_a_command_that_takes_too_long_is_killed(monkeypatch):
    monkeypatch.setattr("fgraph.limits.EMBED_SECONDS", 0.3)
    with pytest.raises(errors.TypeError) as caught:
        Embedder(shell("sleep 60")).embed("x")
    assert caught.value.code == "embedder_timeout"


def test_a_note_is_stored_with_its_vector_and_found_by_meaning(tmp_path, counter):
    path, command = counter
    with InProcess(tmp_path / "e.db", embed_cmd=command) as client:
        client.open()
        assert client.data("recall", query="anything")["hits"] == []
        report = client.data("remember", operation_id="1", key="k", text="seven letters")
        attributes = [(fact["e"], fact["a"], fact["v"]) for fact in report["asserted"]]
        assert ("k", "memory/embedding", {"vector": [13, 1]}) in attributes
        assert ("memory/embedding", "fgraph/dims", 2) in attributes
        client.data("remember", operation_id="2", facts=[{"id": "a", "x/y": 1}])
        assert runs(path) == 2
        hit = client.data("recall", query="unrelated word")["hits"][0]
        assert hit["entity"] == "k"
        assert hit["matched"][0]["v"] == {"vector_dims": 2}


def test_the_same_query_is_embedded_once(tmp_path, counter):
    path, command = counter
    with InProcess(tmp_path / "e.db", embed_cmd=command) as client:
        client.open()
        for _ in range(3):
            client.data("recall", query="the same")
        assert runs(path) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        {"operation_id": "", "text": "x"},
        {"operation_id": "1", "text": " "},
        {"operation_id": "1", "text": "x", "if_basis_tx": 65},
        {"operation_id": "1", "text": "x", "key": ""},
    ],
)
def test_a_request_that_cannot_succeed_is_not_embedded(tmp_path, counter, arguments):
    path, command = counter
    with InProcess(tmp_path / "e.db", embed_cmd=command) as client:
        client.open()
        client.refused("remember", **arguments)
        client.refused("recall", query=" ")
        assert runs(path) == 0


def test_an_exact_retry_is_recognised_though_the_embedder_answers_differently(tmp_path):
    path = tmp_path / "runs"
    with InProcess(tmp_path / "e.db", embed_cmd=python(COUNTING, path, 0.1)) as client:
        client.open()
        first = client.data("remember", operation_id="1", text="note")
        again = client.data("remember", operation_id="1", text="note")
        assert (again["status"], again["tx"]) == ("already_applied", first["tx"])
        assert runs(path) == 1
        assert client.refused("remember", operation_id="1", text="other")["code"] == "operation_reused"


def test_a_forgotten_note_is_not_found_by_its_old_meaning(tmp_path, counter):
    with InProcess(tmp_path / "e.db", embed_cmd=counter[1]) as client:
        client.open()
        basis = client.call("remember", operation_id="1", key="k", text="some words")["basis_tx"]
        report = client.data("forget", entity="k", attribute="memory/text", operation_id="2", if_basis_tx=basis)
        assert [fact["a"] for fact in report["retracted"]] == ["memory/text", "memory/embedding"]
        assert client.data("recall", query="anything at all")["hits"] == []


def test_a_new_text_without_an_embedder_takes_the_old_vector_away(tmp_path, counter):
    path = tmp_path / "e.db"
    with InProcess(path, embed_cmd=counter[1]) as client:
        client.open()
        client.call("remember", operation_id="1", key="k", text="old words")
        client.call("remember", operation_id="2", key="same", text="unchanged")
    with InProcess(path) as client:
        client.open()
        client.call("remember", operation_id="3", key="k", text="new words")
        client.call("remember", operation_id="4", key="same", text="unchanged")
        assert client.data("about", entity="k") == {"memory/text": "new words"}
        assert "memory/embedding" in client.data("about", entity="same")


@pytest.mark.parametrize("vector", ["[0,0]", "[1,2,3]"])
def test_a_query_vector_that_cannot_be_compared_means_words_alone(tmp_path, counter, vector):
    path = tmp_path / "e.db"
    with InProcess(path, embed_cmd=counter[1]) as client:
        client.open()
        client.call("remember", operation_id="1", key="k", text="findable words")
    with InProcess(path, embed_cmd=shell(f"echo '{vector}'")) as client:
        client.open()
        assert client.data("recall", query="findable")["hits"][0]["entity"] == "k"
        assert client.refused("remember", operation_id="2", text="x")["type"] == "TypeError"


def test_a_broken_command_is_a_short_error_and_the_server_goes_on(tmp_path):
    with InProcess(tmp_path / "e.db", embed_cmd="/nonexistent/embed") as client:
        client.open()
        error = client.refused("recall", query="x")
        assert (error["type"], error["code"], error["retry"]) == ("TypeError", "embedder_failed", "no")
        assert client.refused("remember", operation_id="1", text="x")["code"] == "embedder_failed"
        assert client.data("remember", operation_id="1", facts=[{"id": "a", "x/y": 1}])["status"] == "applied"
        assert "--embed-cmd" in error["hint"]


def test_a_command_line_in_one_word_is_told_how_arguments_are_written(tmp_path):
    with InProcess(tmp_path / "e.db", embed_cmd="embed --small") as client:
        client.open()
        assert client.refused("recall", query="x")["message"].endswith('written ["program", "argument"]')


def test_the_server_answers_while_the_command_runs_and_a_cancel_kills_it(tmp_path):
    pid = tmp_path / "pid"
    with InProcess(tmp_path / "e.db", embed_cmd=shell(f"echo $$ > '{pid}'; sleep 60; echo '[1]'")) as client:
        client.open()
        client.ask("tools/call", {"name": "recall", "arguments": {"query": "x"}}, id="slow")
        assert wait_until(lambda: pid.exists() and pid.read_text().strip() != "")
        client.request("ping")
        client.request("tools/list")
        assert is_alive(int(pid.read_text()))
        client.notify("notifications/cancelled", {"requestId": "slow"})
        assert wait_until(lambda: not is_alive(int(pid.read_text())))
        assert client.call("schema")["basis_tx"] == 64
        assert client.kept == []


def test_what_the_command_writes_to_its_own_streams_stays_off_the_wire(tmp_path):
    noisy = shell("echo noise >&2; cat >/dev/null; echo '[1]'")
    with InProcess(tmp_path / "e.db", embed_cmd=noisy) as client:
        client.open()
        assert client.data("recall", query="x")["hits"] == []


def test_progress_names_the_steps(tmp_path):
    with InProcess(tmp_path / "e.db", embed_cmd=shell("sleep 0.4; echo '[1]'")) as client:
        client.open()
        params = {"name": "recall", "arguments": {"query": "x"}, "_meta": {"progressToken": 0}}
        client.request("tools/call", params)
        assert [message["params"] for message in client.kept] == [
            {"progressToken": 0, "progress": 1, "total": 2, "message": "searching"}
        ]
