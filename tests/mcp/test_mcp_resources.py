"""Resource addresses: documents, pages, errors and completion."""

from __future__ import annotations

import base64
import hashlib
import json

import pytest

from fgraph import limits
from fgraph.database import connect
from fgraph.mcp import uris
from tests.mcp.clients import InProcess, envelope

TEMPLATES = [
    "fgraph://schema{?prefix,cursor}",
    "fgraph://entity/{selector}{?at,cursor}",
    "fgraph://tx/{tx}",
    "fgraph://changes{?since,cursor}",
    "fgraph://event/{event}{?basis,offset,digest}",
]


@pytest.fixture
def client():
    with InProcess(":memory:") as client:
        client.open()
        yield client


def fault(client: InProcess, uri: str) -> dict:
    error = client.request("resources/read", {"uri": uri})["error"]
    assert error["data"]["uri"] == uri
    return error


def pages(client: InProcess, uri: str | None) -> list[dict]:
    found = []
    while uri is not None:
        found.append(client.read(uri))
        uri = found[-1].get("next_uri")
    return found


@pytest.mark.parametrize(
    ("uri", "kind", "name", "query"),
    [
        ("fgraph://schema", "schema", None, {}),
        ("fgraph://schema?prefix=a%2F&cursor=x", "schema", None, {"prefix": "a/", "cursor": "x"}),
        ("fgraph://schema?prefix=a+b&prefix=c&other=1#part", "schema", None, {"prefix": "a+b", "other": "1"}),
        ("fgraph://entity/project%3Aship-day", "entity", "project:ship-day", {}),
        ("fgraph://entity/project:ship-day?at=72", "entity", "project:ship-day", {"at": "72"}),
        ("fgraph://entity/a,b&c", "entity", "a,b&c", {}),
        ("fgraph://entity/%2Fabs", "entity", "/abs", {}),
        ("fgraph://entity/..%2Fx", "entity", "../x", {}),
        ("fgraph://entity/C:x", "entity", "C:x", {}),
        ("fgraph://entity/%C3%A9", "entity", "é", {}),
        ("fgraph://tx/75?x=1", "tx", "75", {"x": "1"}),
    ],
)
def test_addresses_are_taken_apart(uri, kind, name, query):
    found = uris.parse(uri)
    assert (found.kind, found.name, found.query) == (kind, name, query)


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "FGRAPH://schema",
        "fgraph:schema",
        "fgraph://schema/",
        "fgraph://entity",
        "fgraph://entity/",
        "fgraph://entity/a/b",
        "fgraph://tx",
        "fgraph://changes/1",
        "http://x",
    ],
)
def test_other_addresses_name_nothing(client, uri):
    assert uris.parse(uri) is None
    assert fault(client, uri)["code"] == -32002
    stateless = client.request("resources/read", {"uri": uri, "_meta": envelope()})["error"]
    assert (stateless["code"], stateless["data"]) == (-32602, {"uri": uri})


@pytest.mark.parametrize("part", ["%ff", "%E0%A4%A", "%", "%zz", "a%2"])
def test_percent_signs_must_be_utf_8(client, part):
    error = fault(client, f"fgraph://entity/{part}")
    assert (error["code"], error["data"]["error"]) == (-32602, "TypeError")


@pytest.mark.parametrize("uri", [None, 5, []])
def test_the_uri_must_be_a_string(client, uri):
    assert client.request("resources/read", {"uri": uri})["error"]["code"] == -32602


def test_the_answer_repeats_the_address_as_it_was_sent(client):
    uri = "fgraph://entity/fgraph%2Fat?unknown=1#x"
    contents = client.request("resources/read", {"uri": uri})["result"]["contents"]
    assert [one["uri"] for one in contents] == [uri]
    assert contents[0]["mimeType"] == "application/json"


@pytest.mark.parametrize("name", ["/abs", "../x", "C:x", "a b", "é/ü", "100%", "with?mark#hash", "person/ada"])
def test_every_name_can_be_addressed(client, name):
    client.call("remember", operation_id="x", key=name, text="here")
    document = client.read(uris.build("entity", name))
    assert [item["v"] for item in document["items"]] == ["here"]


def test_an_entity_is_addressed_by_name_number_or_uuid(client):
    number = client.data("remember", operation_id="x", text="unnamed")["asserted"][-1]["e"]
    event = client.data("receipt", operation_id="x")["event"]
    assert client.read(f"fgraph://entity/{number}")["items"][0]["v"] == "unnamed"
    by_uuid = client.read(f"fgraph://entity/{event.upper()}")
    assert [item["a"] for item in by_uuid["items"]] == ["fgraph/at", "fgraph/by"]
    assert client.read("fgraph://entity/nobody")["items"] == []
    for strange in ("%D9%A3", "9" * 5_000, "0" * 32, "99999999999999999999"):
        assert client.read(f"fgraph://entity/{strange}")["items"] == []


def test_an_entity_is_read_as_of_a_transaction_or_a_time(tmp_path, monkeypatch):
    monkeypatch.setenv("FGRAPH_CLOCK", "1767225600000000")
    with InProcess(tmp_path / "at.db") as client:
        client.open()
        old = client.call("remember", operation_id="1", key="k", text="old")["basis_tx"]
        client.call("remember", operation_id="2", key="k", text="new")
        for at in (str(old), "2026-01-01T00:00:01Z", "1767225601500000"):
            document = client.read(uris.build("entity", "k", at=at))
            assert (document["basis_tx"], document["items"][0]["v"]) == (old, "old")
        assert client.read("fgraph://entity/k?at=64") == {"basis_tx": 64, "items": []}
        for at in ("xyz", "", "--5", "9" * 30, "9" * 5_000):
            assert fault(client, f"fgraph://entity/k?at={at}")["data"]["error"] == "TypeError"
        assert fault(client, "fgraph://entity/k?at=65")["data"]["error"] == "NotFound"


def test_entity_pages_are_pinned_and_cover_everything(client):
    facts = [{"id": "x/n", "fgraph/many": True}, {"id": "e", "x/n": list(range(250))}]
    basis = client.call("remember", operation_id="1", facts=facts)["basis_tx"]
    first = client.read("fgraph://entity/e")
    client.call("remember", operation_id="2", facts=[["assert", "e", "x/n", 999]])
    rest = pages(client, first["next_uri"])
    assert [len(page["items"]) for page in (first, *rest)] == [100, 100, 50]
    assert {page["basis_tx"] for page in (first, *rest)} == {basis}
    assert [item["v"] for page in (first, *rest) for item in page["items"]] == list(range(250))
    assert set(first["items"][0]) == {"e", "a", "v", "tx", "added", "fact_id"}
    for other in ("fgraph://entity/f", "fgraph://entity/e?at=64"):
        glue = "&" if "?" in other else "?"
        moved = other + glue + first["next_uri"].partition("?")[2]
        assert fault(client, moved)["data"]["code"] == "invalid_cursor"


def test_fat_values_fill_pages_by_bytes(client):
    facts = [{"id": "x/n", "fgraph/many": True}, {"id": "fat", "x/n": [f"{n:03}" + "y" * 3_000 for n in range(100)]}]
    client.call("remember", operation_id="1", facts=facts)
    client.call("remember", operation_id="2", key="huge", text="z" * 200_000)
    found = [item["v"][:3] for page in pages(client, "fgraph://entity/fat") for item in page["items"]]
    assert sorted(found) == [f"{n:03}" for n in range(100)]
    item = client.read("fgraph://entity/huge")["items"][0]
    assert item["value_truncated"] is True
    assert len(item["v"].encode()) <= 65_536


def test_schema_pages_hold_100_attributes_and_shapes_in_one_sequence(client):
    shapes = [{"id": f"shape-{n}", "fgraph/shape-required": [{"ref": "x/a0"}]} for n in range(60)]
    client.call("remember", operation_id="1", facts=[{"id": "e", **{f"x/a{n}": n for n in range(60)}}, *shapes])
    found = pages(client, "fgraph://schema")
    assert [(len(page["attributes"]), len(page["shapes"])) for page in found] == [(60, 40), (0, 20)]
    narrowed = pages(client, "fgraph://schema?prefix=x%2Fa1")
    assert [item["name"] for item in narrowed[0]["attributes"]] == ["x/a1"] + [f"x/a{n}" for n in range(10, 20)]


def test_a_transaction_is_addressed_by_number_or_event(client):
    tx = client.call("remember", operation_id="1", text="x", source="s")["basis_tx"]
    document = client.read(f"fgraph://tx/{tx}")
    receipt = client.data("receipt", tx=tx)
    assert document == {**receipt, "truncated": False}
    assert client.read(f"fgraph://tx/{receipt['event']}") == document
    for missing in ("65", "nobody", "10000", "9" * 5_000, "00000000-0000-4000-8000-000000000000"):
        assert fault(client, f"fgraph://tx/{missing}")["code"] == -32002


def test_changes_are_the_stored_events(tmp_path):
    with InProcess(tmp_path / "events.db") as client:
        client.open()
        _check_changes(client)
        with connect(tmp_path / "events.db", read_only=True) as db:
            assert db.event_records(64) == client.read("fgraph://changes")["events"]


def _check_changes(client: InProcess) -> None:
    for number in range(3):
        client.call("remember", operation_id=str(number), text=f"note {number}")
    document = client.read("fgraph://changes?since=64")
    assert "next_uri" not in document
    assert [event["asserted"][0][2] for event in document["events"]] == ["note 0", "note 1", "note 2"]
    assert client.read(f"fgraph://changes?since={document['basis_tx']}")["events"] == []
    assert client.read("fgraph://changes?since=000064") == document
    assert client.read("fgraph://changes") == document


def test_change_pages_are_pinned(client):
    for number in range(105):
        client.call("remember", operation_id=str(number), text=f"note {number}")
    first = client.read("fgraph://changes")
    client.call("remember", operation_id="later", text="later")
    second = client.read(first["next_uri"])
    assert (len(first["events"]), len(second["events"])) == (100, 5)
    assert first["basis_tx"] == second["basis_tx"]
    assert "next_uri" not in second


@pytest.mark.parametrize("since", ["63", "64x", "", "-1", str(2**63), "9" * 5_000, "٦٤"])
def test_changes_begin_at_a_transaction_number(client, since):
    assert fault(client, uris.build("changes", since=since))["data"]["error"] == "TypeError"


def test_an_oversized_event_is_read_in_chunks(client):
    client.call("remember", operation_id="1", text="before")
    client.call("remember", operation_id="2", text="é" * 100_000)
    client.call("remember", operation_id="3", text="after")
    first, second, third = pages(client, "fgraph://changes")
    assert [len(page["events"]) for page in (first, second, third)] == [1, 0, 1]
    oversized = second["oversized_event"]
    chunks = pages(client, oversized["uri"])
    payload = b"".join(base64.b64decode(chunk["data"]) for chunk in chunks)
    assert [chunk["offset"] for chunk in chunks] == [0, 131_072]
    assert len(payload) == oversized["bytes"]
    assert hashlib.sha256(payload).hexdigest() == oversized["event_hash"]
    assert json.loads(payload)["asserted"][0][2] == "é" * 100_000


def test_the_last_event_may_be_the_oversized_one(client):
    client.call("remember", operation_id="1", text="x" * 200_000)
    document = client.read("fgraph://changes")
    assert document["events"] == []
    assert "next_uri" not in document


def test_event_chunks_check_what_they_are_asked_for(client):
    tx = client.call("remember", operation_id="1", text="x")["basis_tx"]
    receipt = client.data("receipt", tx=tx)
    event, digest = receipt["event"], receipt["event_hash"].removeprefix("sha256:")

    def uri(**changes: object) -> str:
        query = {"basis": tx, "offset": 0, "digest": digest, **changes}
        return uris.build("event", query.pop("event", event), **query)

    assert client.read(uri())["encoding"] == "base64"
    assert client.read(uri(offset=None))["offset"] == 0
    for changes, kind in (
        ({"event": event.upper()}, "TypeError"),
        ({"event": "x"}, "TypeError"),
        ({"basis": None}, "TypeError"),
        ({"basis": "064"}, "TypeError"),
        ({"basis": 65}, "TypeError"),
        ({"basis": 10**6}, "TypeError"),
        ({"offset": 10**6}, "TypeError"),
        ({"offset": "-1"}, "TypeError"),
        ({"digest": None}, "TypeError"),
        ({"digest": digest.upper()}, "TypeError"),
        ({"digest": "0" * 64}, "Conflict"),
        ({"basis": 64}, "Conflict"),
    ):
        error = fault(client, uri(**changes))
        assert (error["code"], error["data"]["error"]) == (-32602, kind), changes
    missing = uri(event="00000000-0000-4000-8000-000000000000")
    assert fault(client, missing)["data"]["error"] == "NotFound"


def test_a_page_over_the_cap_of_one_answer_is_an_error_with_its_address(client):
    # A control character takes six bytes of JSON: one value that was cut to size can be too large all the same.
    client.call("remember", operation_id="odd", key="odd", text="\x01" * limits.MCP_VALUE_SHOWN_BYTES)
    uri = "fgraph://entity/odd"
    error = client.request("resources/read", {"uri": uri})["error"]
    assert error["code"] == -32603
    assert (error["data"]["uri"], error["data"]["code"]) == (uri, "response_too_large")
    assert client.data("about", entity="odd", attribute="memory/text")["memory/text"].startswith("\x01")


def test_a_very_long_description_of_an_attribute_is_cut_in_the_schema(client):
    client.call("remember", operation_id="doc", facts=[{"id": "x/doc", "fgraph/doc": "d" * limits.MCP_ANSWER_BYTES}])
    (item,) = (item for item in client.read("fgraph://schema")["attributes"] if item["name"] == "x/doc")
    assert item["value_truncated"] is True


def test_a_bad_cursor_in_an_address_is_the_clients_mistake(client):
    for uri in ("fgraph://schema", "fgraph://entity/e", "fgraph://changes"):
        for cursor in ("", "zz", "e30"):
            error = fault(client, f"{uri}?cursor={cursor}")
            assert error["code"] == -32602
            assert (error["data"]["code"], error["data"]["retry"]) == ("invalid_cursor", "restart")


# -- completion -------------------------------------------------------------------------------------------------------


def completion(client: InProcess, template: str, name: str, value: str) -> dict:
    params = {"ref": {"type": "ref/resource", "uri": template}, "argument": {"name": name, "value": value}}
    return client.request("completion/complete", params)["result"]["completion"]


def test_names_and_transactions_are_completed(client):
    facts = [
        {"id": "service:billing", "svc/owner": "Noor", "svc/port": 80},
        {"id": "service:ledger", "note/x": 1},
        {"id": "123", "note/x": 1},
        {"id": "svc/unused"},
    ]
    head = client.call("remember", operation_id="1", facts=facts)["basis_tx"]
    schema, entity, tx, changes, event = TEMPLATES
    assert completion(client, schema, "prefix", "svc/") == {
        "values": ["svc/owner", "svc/port"],
        "total": 2,
        "hasMore": False,
    }
    assert completion(client, schema, "prefix", "")["values"] == ["note/", "svc/"]
    assert completion(client, entity, "selector", "service:")["values"] == ["service:billing", "service:ledger"]
    assert completion(client, entity, "selector", "12")["values"] == []
    assert completion(client, entity, "selector", "fgraph/")["values"] == []
    assert completion(client, tx, "tx", "")["values"] == [str(head), "64"]
    assert completion(client, changes, "since", "6")["values"][-1] == "64"
    assert completion(client, entity, "at", "x")["values"] == []
    assert completion(client, event, "basis", "")["values"] == [str(head)]
    for template, name in ((schema, "cursor"), (event, "digest"), (event, "offset"), (event, "event")):
        assert completion(client, template, name, "")["values"] == []


def test_at_most_100_values_are_completed(client):
    client.call("remember", operation_id="1", facts=[{"id": f"name-{n:03}", "x/y": n} for n in range(150)])
    found = completion(client, TEMPLATES[1], "selector", "name-")
    assert (len(found["values"]), found["hasMore"]) == (100, True)
    assert "total" not in found
    client.call("remember", operation_id="2", facts=[{"id": f"other-{n:03}", "x/y": n} for n in range(100)])
    found = completion(client, TEMPLATES[1], "selector", "other-")
    assert (len(found["values"]), found["hasMore"], found["total"]) == (100, False, 100)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": "fgraph://nope"}, "argument": {"name": "a", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": TEMPLATES[2]}, "argument": {"name": "nope", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": TEMPLATES[2]}, "argument": {"name": "tx", "value": 5}},
        {"ref": {"type": "ref/resource", "uri": TEMPLATES[2]}, "argument": "tx"},
    ],
)
def test_completion_needs_one_of_our_templates_and_its_variable(client, params):
    assert client.request("completion/complete", params)["error"]["code"] == -32602
