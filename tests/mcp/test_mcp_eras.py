"""The two protocol eras on one pipe: which request is served how."""

from __future__ import annotations

import pytest

from tests.mcp.clients import PREFIX, InProcess, envelope, opening

HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
VERSION, CAPABILITIES = f"{PREFIX}protocolVersion", f"{PREFIX}clientCapabilities"
SUPPORTED = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]


@pytest.fixture
def client():
    with InProcess(":memory:") as client:
        yield client


def code(answer: dict) -> int:
    return answer["error"]["code"]


@pytest.mark.parametrize("version", HANDSHAKE)
def test_each_handshake_version_is_answered_with_itself(client, version):
    assert client.open(version)["result"]["protocolVersion"] == version


@pytest.mark.parametrize("version", ["2026-07-28", "2030-01-01", "1.0.0", ""])
def test_any_other_version_is_answered_with_the_newest_handshake_version(client, version):
    assert client.open(version)["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize(
    "change",
    [
        {"protocolVersion": None},
        {"protocolVersion": 5},
        {"capabilities": None},
        {"capabilities": []},
        {"clientInfo": None},
        {"clientInfo": {"name": "x"}},
        {"clientInfo": {"name": 1, "version": "1"}},
    ],
)
def test_an_incomplete_initialize_is_refused(client, change):
    params = {key: value for key, value in {**opening(), **change}.items() if value is not None}
    assert code(client.request("initialize", params)) == -32602


def test_the_handshake_answer_has_just_its_own_keys(client):
    result = client.open()["result"]
    assert set(result) == {"protocolVersion", "capabilities", "serverInfo", "instructions"}
    assert result["capabilities"] == {"tools": {}, "resources": {"subscribe": True}, "completions": {}}


def test_id_zero_is_answered_with_zero(client):
    answer = client.request("initialize", opening(), id=0)
    assert answer["id"] == 0
    assert "result" in answer


def test_before_any_handshake_a_list_names_both_ways_to_begin(client):
    answer = client.request("tools/list")
    assert code(answer) == -32602
    for word in ("initialize", VERSION, CAPABILITIES):
        assert word in answer["error"]["message"]


@pytest.mark.parametrize("method", ["prompts/list", "x/y", "", "tasks/get", "notifications/initialized"])
def test_before_any_handshake_an_unknown_method_is_unknown(client, method):
    assert code(client.request(method)) == -32601


def test_ping_is_answered_before_any_handshake(client):
    assert client.request("ping")["result"] == {}


def test_the_initialized_notification_alone_opens_nothing(client):
    client.notify("notifications/initialized")
    assert code(client.request("tools/list")) == -32602


def test_initialize_and_list_in_one_go_are_both_served_in_order(client):
    first = client.ask("initialize", opening())
    second = client.ask("tools/list")
    assert client.receive()["id"] == first
    assert client.receive()["id"] == second


def test_a_second_initialize_changes_later_answers(client):
    client.open("2025-11-25")
    client.call("remember", operation_id="one", text="by the first")
    client.open("2024-11-05", client="other")
    done = client.call("remember", operation_id="two", text="by the second")
    assert client.data("receipt", tx=done["basis_tx"])["by"] == "mcp:other"


def test_discovery_is_complete(client):
    result = client.stateless("server/discover")["result"]
    assert result["supportedVersions"] == SUPPORTED
    assert (result["ttlMs"], result["cacheScope"]) == (300_000, "private")
    assert result["capabilities"] == {"tools": {}, "resources": {"subscribe": True}, "completions": {}}


def test_discovery_without_client_information_is_served(client):
    assert "result" in client.stateless("server/discover", client=None)


def test_discovery_without_envelope_depends_on_the_handshake(client):
    assert code(client.request("server/discover")) == -32602
    client.open()
    assert code(client.request("server/discover")) == -32601


@pytest.mark.parametrize("missing", ["protocolVersion", "clientCapabilities"])
def test_an_envelope_that_lacks_a_key_is_told_which(client, missing):
    answer = client.request("tools/list", {"_meta": envelope(**{missing: None})})
    assert code(answer) == -32602
    assert f"{PREFIX}{missing}" in answer["error"]["message"]


@pytest.mark.parametrize("version", [7, [], True])
def test_a_version_that_is_no_string_is_a_bad_param(client, version):
    assert code(client.request("tools/list", {"_meta": envelope(protocolVersion=version)})) == -32602


def test_a_null_version_is_a_bad_param(client):
    assert code(client.request("tools/list", {"_meta": {VERSION: None, CAPABILITIES: {}}})) == -32602


@pytest.mark.parametrize("version", ["2025-11-25", "v999", ""])
def test_another_version_in_an_envelope_is_told_what_is_supported(client, version):
    error = client.request("tools/list", {"_meta": envelope(protocolVersion=version)})["error"]
    assert error["code"] == -32022
    assert error["data"] == {"supported": SUPPORTED, "requested": version}


@pytest.mark.parametrize(
    "meta",
    [
        envelope(clientCapabilities=5),
        envelope(clientInfo={"name": "x"}),
        envelope(clientInfo="x"),
        envelope(logLevel="loud"),
        {**envelope(), "progressToken": 1.5},
        {**envelope(), "progressToken": None},
        {**envelope(), "progressToken": True},
    ],
)
def test_a_malformed_envelope_is_a_bad_param(client, meta):
    assert code(client.request("tools/list", {"_meta": meta})) == -32602


def test_a_known_log_level_is_accepted(client):
    assert "result" in client.request("tools/list", {"_meta": envelope(logLevel="debug")})


@pytest.mark.parametrize(
    "method",
    [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "initialize",
        "prompts/list",
        "prompts/get",
        "notifications/cancelled",
    ],
)
def test_what_the_stateless_era_lacks_is_unknown_there(client, method):
    assert code(client.stateless(method, {"uri": "fgraph://schema"})) == -32601


@pytest.mark.parametrize("method", ["prompts/list", "logging/setLevel", "subscriptions/listen", "roots/list", "x"])
def test_what_the_handshake_era_lacks_is_unknown_there(client, method):
    client.open()
    answer = client.request(method, {"notifications": {}})
    assert code(answer) == -32601
    assert answer["error"]["data"] == method


def test_discovery_then_handshake_then_plain_calls_are_all_served(client):
    client.stateless("server/discover")
    client.open()
    assert "result" in client.request("tools/list")


def test_a_refused_version_does_not_lock_the_connection(client):
    refused = client.request("server/discover", {"_meta": envelope(protocolVersion="2027-01-01")})
    assert code(refused) == -32022
    client.open()
    assert "result" in client.request("tools/list")


def test_an_envelope_after_a_handshake_is_served_statelessly(client):
    client.open()
    client.call("remember", operation_id="a", text="a note")
    params = {"name": "schema", "arguments": {}}
    assert client.stateless("tools/call", params)["result"]["resultType"] == "complete"
    assert "resultType" not in client.request("tools/call", params)["result"]


def test_the_first_line_may_be_an_enveloped_list(client):
    result = client.stateless("tools/list")["result"]
    assert (result["ttlMs"], result["cacheScope"]) == (300_000, "private")


@pytest.mark.parametrize(
    ("client_name", "author"),
    [("acme-agent", "mcp:acme-agent"), (None, "mcp:unknown"), ("", "mcp:unknown"), ("a\nb\u202e", "mcp:a_b_")],
)
def test_a_stateless_write_is_signed_with_its_own_client(client, client_name, author):
    client.open(client="somebody-else")
    params = {"name": "remember", "arguments": {"operation_id": "one", "text": "note"}}
    done = client.stateless("tools/call", params, client=client_name)["result"]["structuredContent"]
    assert client.data("receipt", tx=done["basis_tx"])["by"] == author


def test_a_very_long_client_name_is_cut_at_a_character(client):
    client.open(client="é" * 200)
    done = client.call("remember", operation_id="one", text="note")
    assert client.data("receipt", tx=done["basis_tx"])["by"] == "mcp:" + "é" * 128


@pytest.mark.parametrize(
    ("method", "params", "lasts"),
    [
        ("tools/list", {}, 300_000),
        ("resources/list", {}, 300_000),
        ("resources/templates/list", {}, 300_000),
        ("resources/read", {"uri": "fgraph://schema"}, 0),
        ("tools/call", {"name": "schema"}, None),
        (
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "fgraph://tx/{tx}"},
                "argument": {"name": "tx", "value": ""},
            },
            None,
        ),
    ],
)
def test_each_method_is_dressed_for_its_era(client, method, params, lasts):
    result = client.stateless(method, params)["result"]
    assert result.get("ttlMs") == lasts
    client.open()
    plain = client.request(method, params)["result"]
    assert not {"resultType", "ttlMs", "cacheScope", "_meta"} & set(plain)
