"""Real work that is cancelled: long queries stop, writes roll back, and nobody waits for them meanwhile."""

from __future__ import annotations

import json
import threading

import pytest

from fgraph.database import connect
from tests.mcp.clients import InProcess
from tests.mcp.waiting import wait_until

ENDLESS = {
    "find": [["count", "?a"]],
    "where": [
        ["?a", "x/n", "?i"],
        ["?b", "x/n", "?j"],
        ["?c", "x/n", "?k"],
        ["?d", "x/n", "?l"],
        ["!=", "?i", "?j"],
        ["!=", "?k", "?l"],
    ],
}
BUDGET = 10**12


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("cancel") / "crowd.db"
    with connect(path) as db:
        db.transact([{"id": f"e{number}", "x/n": number} for number in range(600)])
    return path


@pytest.fixture
def client(path):
    with InProcess(path, budget=BUDGET) as client:
        client.open()
        client.call("schema")
        yield client


def start_endless(client: InProcess, id: object, **more: object) -> None:
    client.ask("tools/call", {"name": "query", "arguments": {"q": ENDLESS}, **more}, id=id)


def is_running(client: InProcess) -> bool:
    return client.service._current is not None


def test_everything_the_reader_answers_comes_while_a_query_runs(client):
    start_endless(client, "long")
    assert wait_until(lambda: is_running(client))
    client.request("ping")
    client.request("tools/list")
    client.stateless("server/discover")
    assert is_running(client)
    client.notify("notifications/cancelled", {"requestId": "long"})
    assert client.data("about", entity="e1") == {"x/n": 1}
    assert client.kept == []


def test_a_queued_write_that_is_cancelled_leaves_no_transaction(client):
    basis = client.call("schema")["basis_tx"]
    start_endless(client, "long")
    write = {"name": "remember", "arguments": {"operation_id": "never", "text": "never"}}
    client.ask("tools/call", write, id="write")
    client.notify("notifications/cancelled", {"requestId": "write"})
    client.notify("notifications/cancelled", {"requestId": "long"})
    assert client.call("schema")["basis_tx"] == basis
    assert client.refused("receipt", operation_id="never")["type"] == "NotFound"
    assert client.kept == []


def test_a_write_that_is_cancelled_before_its_commit_rolls_back(client, monkeypatch):
    basis = client.call("schema")["basis_tx"]
    reached, go = threading.Event(), threading.Event()
    begin = client._loop.jobs.begin_commit

    def held(job) -> None:
        reached.set()
        assert go.wait(5)
        begin(job)

    monkeypatch.setattr(client._loop.jobs, "begin_commit", held)
    write = {"name": "remember", "arguments": {"operation_id": "held", "text": "held back"}}
    client.ask("tools/call", write, id="write")
    assert reached.wait(5)
    client.notify("notifications/cancelled", {"requestId": "write"})
    client.request("ping")
    go.set()
    assert client.call("schema")["basis_tx"] == basis
    monkeypatch.undo()
    assert client.data("remember", operation_id="held", text="other")["status"] == "applied"
    assert client.kept == []


def test_a_long_query_reports_progress_only_when_asked(client):
    start_endless(client, "quiet")
    assert wait_until(lambda: is_running(client))
    client.notify("notifications/cancelled", {"requestId": "quiet"})
    start_endless(client, "watched", _meta={"progressToken": "t"})
    notes = [client.receive()["params"] for _ in range(2)]
    assert [note["progressToken"] for note in notes] == ["t", "t"]
    assert notes[0]["progress"] < notes[1]["progress"]
    client.notify("notifications/cancelled", {"requestId": "watched"})
    client.call("schema")
    time_of_cancel = len(client.kept)
    client.call("schema")
    assert len(client.kept) == time_of_cancel


def test_the_work_budget_ends_a_query_with_advice(path):
    with InProcess(path, budget=1_000) as client:
        client.open()
        error = client.refused("query", q=ENDLESS)
        assert (error["type"], error["code"], error["retry"]) == ("TooLarge", "work_budget", "fix")
        assert client.data("about", entity="e1") == {"x/n": 1}


def test_the_end_of_input_stops_a_query(path, monkeypatch):
    monkeypatch.setattr("fgraph.limits.MCP_DRAIN_SECONDS", 0.1)
    client = InProcess(path, budget=BUDGET)
    client.open()
    start_endless(client, "long")
    assert wait_until(lambda: is_running(client))
    assert client.close() == []
    assert wait_until(lambda: not is_running(client))


def test_query_pages_and_arguments(path):
    with InProcess(path) as client:
        client.open()
        every = {"find": ["?n"], "where": [["?e", "x/n", "?n"]], "order": [["?n", "asc"]]}
        first = client.data("query", q=every)
        assert first["rows"] == [[number] for number in range(100)]
        assert (first["truncated"], first["offset"]) == (True, 100)
        second = client.data("query", q=json.dumps({**every, "offset": first["offset"], "limit": 3}), args=None)
        assert second == {"columns": ["?n"], "rows": [[100], [101], [102]]}
        one = {"find": ["?e"], "in": ["?n"], "where": [["?e", "x/n", "?n"]]}
        for args in ({"?n": 7}, {"n": 7}, '{"n":7}'):
            assert client.data("query", q=one, args=args)["rows"] == [[{"ref": "e7"}]]
        assert client.refused("query", q=one, args={"n": 7, "?n": 7})["type"] == "TypeError"
        assert client.data("query", q={**every, "limit": 0})["rows"] == []
        assert len(client.data("query", q={**every, "limit": 1000})["rows"]) == 600
        for limit in (1001, -1, True, "5", None, 1.0):
            assert client.refused("query", q={**every, "limit": limit})["param"] == "q.limit"
        assert client.refused("query", q={**every, "nope": 1})["type"] == "QueryError"


def test_a_query_reads_as_of_an_earlier_transaction(path):
    with InProcess(path) as client:
        client.open()
        before = client.call("schema")["basis_tx"]
        after = client.call("remember", operation_id="at", facts=[{"id": "late", "x/late": 1}])["basis_tx"]
        q = {"find": ["?e"], "where": [["?e", "x/late", 1]]}
        assert client.call("query", q=q, at=before) == {
            "ok": True,
            "basis_tx": before,
            "data": {"columns": ["?e"], "rows": []},
        }
        assert client.call("query", q=q, at=after)["data"]["rows"] == [[{"ref": "late"}]]


def test_explain_shows_the_plan_and_refuses_what_query_would(path):
    with InProcess(path) as client:
        client.open()
        q = {"find": ["?e"], "where": [["?e", "x/n", 7]]}
        plan = client.data("explain", q=q)
        assert {"basis_tx", "source", "work_limit", "clauses", "warnings"} <= set(plan)
        for wrong in ({"limit": "x"}, {"limit": 1001}, {"find": ["?zz"]}, {"offset": -1}, {"order": [["?zz", "asc"]]}):
            assert client.refused("explain", q={**q, **wrong})["type"] in ("TypeError", "QueryError")
