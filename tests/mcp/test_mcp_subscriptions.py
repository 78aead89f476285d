"""Subscriptions in both eras: what is acknowledged, what fires, and what ends them."""

from __future__ import annotations

import pytest

from fgraph.database import connect
from tests.mcp.clients import PREFIX, InProcess, envelope

SID = f"{PREFIX}subscriptionId"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "watched.db"


@pytest.fixture
def client(path):
    with InProcess(path) as client:
        client.open()
        yield client


def listen(client: InProcess, uris: list[str], id: object = "listen:1", **more: object) -> object:
    wanted = {"resourceSubscriptions": uris, **more}
    client.ask("subscriptions/listen", {"notifications": wanted, "_meta": envelope()}, id=id)
    return client.receive()


def updated(client: InProcess) -> dict:
    message = client.receive()
    assert message["method"] == "notifications/resources/updated"
    return message["params"]


def write_elsewhere(path, **facts: object) -> None:
    """A commit through another handle, as another process would make it."""
    with connect(path) as db:
        db.transact({key.replace("__", "/"): value for key, value in facts.items()})


@pytest.mark.parametrize("id", ["listen:0", 0, 17])
def test_a_stream_is_acknowledged_with_what_will_fire(client, id):
    message = listen(
        client,
        ["fgraph://schema", "fgraph://changes?since=64", "fgraph://tx/64", "nonsense", "fgraph://schema"],
        id=id,
        toolsListChanged=True,
    )
    assert message == {
        "jsonrpc": "2.0",
        "method": "notifications/subscriptions/acknowledged",
        "params": {"_meta": {SID: id}, "notifications": {"resourceSubscriptions": ["fgraph://schema"]}},
    }


def test_a_stream_for_nothing_is_held_open_quietly(client):
    assert listen(client, [])["params"]["notifications"] == {}
    assert client.is_silent()


def test_a_commit_of_another_process_is_told_once(client, path):
    listen(client, ["fgraph://changes"], id="w")
    write_elsewhere(path, id="a", x__y=1)
    assert updated(client) == {"uri": "fgraph://changes", "_meta": {SID: "w"}}
    client.request("ping")
    assert client.kept == []


def test_an_own_commit_is_told_too(client):
    assert client.request("resources/subscribe", {"uri": "fgraph://changes"})["result"] == {}
    client.ask("tools/call", {"name": "remember", "arguments": {"operation_id": "1", "text": "x"}}, id="write")
    messages = [client.receive(), client.receive()]
    assert [message.get("method") for message in messages] == [None, "notifications/resources/updated"]
    assert messages[1]["params"] == {"uri": "fgraph://changes"}


def test_nothing_is_told_about_what_happened_before(client, path):
    write_elsewhere(path, id="a", x__y=1)
    listen(client, ["fgraph://changes", "fgraph://schema", "fgraph://entity/a"])
    client.call("schema")
    assert client.kept == []


@pytest.mark.parametrize(
    ("uri", "facts", "fires"),
    [
        ("fgraph://entity/a", {"id": "a", "x/y": 2}, True),
        ("fgraph://entity/a", {"id": "b", "x/y": 2}, False),
        ("fgraph://entity/new", {"id": "new", "x/y": 2}, True),
        ("fgraph://schema", {"id": "a", "x/y": 2}, False),
        ("fgraph://schema", {"id": "a", "x/new": 2}, True),
        ("fgraph://schema", {"id": "x/y", "fgraph/many": True}, True),
        ("fgraph://schema", {"id": "s", "fgraph/shape-required": [{"ref": "x/y"}]}, True),
    ],
)
def test_an_address_fires_for_what_it_shows(client, path, uri, facts, fires):
    write_elsewhere(path, id="a", x__y=1)
    listen(client, [uri, "fgraph://changes"])
    with connect(path) as db:
        db.transact(facts)
    expected = {uri, "fgraph://changes"} if fires else {"fgraph://changes"}
    assert {updated(client)["uri"] for _ in expected} == expected
    assert client.is_silent()


def test_a_retraction_fires(client, path):
    write_elsewhere(path, id="a", x__y=1)
    listen(client, ["fgraph://entity/a"])
    with connect(path) as db:
        db.retract("a")
    assert updated(client)["uri"] == "fgraph://entity/a"


def test_a_burst_of_commits_is_told_at_a_bounded_pace(client, monkeypatch):
    monkeypatch.setattr("fgraph.limits.MCP_UPDATE_SECONDS", 60.0)
    listen(client, ["fgraph://changes"])
    for number in range(20):
        client.call("remember", operation_id=str(number), text="x")
    told = [message for message in client.kept if message.get("method") == "notifications/resources/updated"]
    assert len(told) == 1


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"notifications": []},
        {"notifications": {"toolsListChanged": "yes"}},
        {"notifications": {"resourceSubscriptions": "fgraph://schema"}},
        {"notifications": {"resourceSubscriptions": [5]}},
    ],
)
def test_a_malformed_listen_is_refused_without_acknowledgement(client, params):
    answer = client.stateless("subscriptions/listen", params)
    assert answer["error"]["code"] == -32602
    assert client.kept == []


def test_after_a_cancel_nothing_carries_the_id_and_it_is_free_again(client):
    listen(client, ["fgraph://changes"], id="s")
    client.notify("notifications/cancelled", {"requestId": "s"})
    client.call("remember", operation_id="1", text="x")
    assert client.kept == []
    assert listen(client, ["fgraph://changes"], id="s")["params"]["_meta"] == {SID: "s"}


def test_an_open_stream_keeps_its_id(client):
    listen(client, [], id="s")
    assert client.request("ping", id="s")["error"]["code"] == -32600


def test_subscribing_and_unsubscribing(client):
    uri = {"uri": "fgraph://entity/a"}
    for _ in range(2):
        assert client.request("resources/subscribe", uri)["result"] == {}
    assert client.request("resources/unsubscribe", uri)["result"] == {}
    client.call("remember", operation_id="1", key="a", text="x")
    assert client.kept == []


@pytest.mark.parametrize("uri", ["fgraph://tx/64", "fgraph://schema?prefix=a", "fgraph://entity/%ff", "x"])
def test_what_cannot_be_watched_is_refused(client, uri):
    error = client.request("resources/subscribe", {"uri": uri})["error"]
    assert (error["code"], error["data"]) == (-32602, {"uri": uri})


def test_the_65th_open_subscription_is_refused(client):
    for number in range(63):
        listen(client, [], id=number)
    client.request("resources/subscribe", {"uri": "fgraph://schema"})
    refused = listen(client, [], id="one too many")
    assert (refused["id"], refused["error"]["code"]) == ("one too many", -32603)
    assert client.request("resources/subscribe", {"uri": "fgraph://changes"})["error"]["code"] == -32603
    client.notify("notifications/cancelled", {"requestId": 0})
    assert listen(client, [], id="fits again")["method"] == "notifications/subscriptions/acknowledged"


def test_open_streams_get_a_final_result_at_the_end(path):
    client = InProcess(path)
    listen(client, [], id="first")
    listen(client, ["fgraph://changes"], id=2)
    final = client.close()
    assert [message["id"] for message in final] == ["first", 2]
    for message in final:
        assert message["result"]["resultType"] == "complete"
        assert message["result"]["_meta"][SID] == message["id"]
