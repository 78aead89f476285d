"""Answers that a client can show whole: short by default, whole on request, never beyond the cap."""

from __future__ import annotations

import json

import pytest

from fgraph import limits
from fgraph.database import connect
from fgraph.mcp import answers, catalog
from tests.mcp.clients import InProcess

SHORT = 8_000
CAP = 262_144
LONG = "The long note says: " + " ".join(f"sentence-{number}" for number in range(20_500))  # 300,000 characters
WORDS = "deploy release staging rollback owner ledger billing queue worker shard".split()


@pytest.fixture(scope="module")
def big_file(tmp_path_factory):
    """10,000 facts: a hub with many links, notes with long texts, a note that was rewritten often."""
    path = tmp_path_factory.mktemp("economy") / "big.db"
    with connect(path) as db:
        db.declare("hub/links", ref=True, many=True)
        db.declare("hub/words", many=True)
        notes = [
            {
                "id": f"note:{number}",
                "memory/text": f"deploy {' '.join(WORDS[number % 7 :])} {number} " + "and so on " * (number % 60),
                "note/kind": WORDS[number % len(WORDS)],
                "note/rank": number / 2,
                "note/topic": f"topic {number % 40}",
            }
            for number in range(2_000)
        ]
        hub = {
            "id": "hub",
            "hub/links": [{"ref": f"note:{number}"} for number in range(1_500)],
            "hub/words": [f"word {number} " + "x" * 900 for number in range(60)],
            **{f"hub/field-{number:02}": "y" * 700 for number in range(50)},
        }
        db.transact(notes, by="importer", source="a rather long source line that says where it all came from")
        db.transact([hub, {"id": "book", "memory/text": LONG}])
        for number in range(60):
            db.transact({"id": "rewritten", "memory/text": f"version {number} " + "z" * 600}, source=f"edit {number}")
        assert db.stats()["live_facts"] > 9_500
    return path


@pytest.fixture(scope="module")
def client(big_file):
    with InProcess(big_file, write=False) as client:
        client.open()
        yield client


def text_of(client: InProcess, tool: str, **arguments: object) -> str:
    result = client.tool(tool, **arguments)
    assert "structuredContent" in result, result
    return result["content"][0]["text"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("recall", {"query": "how do we deploy the staging queue"}),
        ("recall", {"query": "deploy", "expand": 2}),
        ("recall", {"query": "what does the long note say", "detail": "brief"}),
        ("about", {"entity": "hub"}),
        ("about", {"entity": "hub", "depth": 2}),
        ("about", {"entity": "book"}),
        ("about", {"entity": "book", "attribute": "memory/text"}),
        ("about", {"entity": "hub", "attribute": "hub/words"}),
        ("about", {"entity": "hub", "attribute": "hub/links", "depth": 2}),
        ("history", {"entity": "rewritten"}),
        ("history", {"entity": "hub"}),
        ("why", {"entity": "hub"}),
        ("why", {"entity": "note:7"}),
        ("datoms", {}),
        ("datoms", {"index": "avet", "components": ["memory/text"]}),
        ("schema", {}),
        ("schema", {"include_system": True}),
        ("receipt", {"tx": 64}),
    ],
)
def test_an_answer_is_short_where_no_size_is_named(client, tool, arguments):
    assert len(text_of(client, tool, **arguments)) < SHORT


def test_the_query_answer_is_short_too(client):
    q = {"find": ["?e", "?t"], "where": [["?e", "memory/text", "?t"]]}
    assert len(text_of(client, "query", q=q)) < SHORT
    data = client.data("query", q=q)
    assert data["truncated"] is True
    following = client.data("query", q={**q, "offset": data["offset"]})
    assert following["rows"][0] not in data["rows"]


@pytest.mark.parametrize(
    ("pattern", "shown"),
    [
        (["*"], [f"hub/field-{number:02}" for number in range(32)]),
        (["hub/words", "hub/links"], ["hub/links", "hub/words"]),
        ([{"hub/links": ["*"]}], ["hub/links"]),
    ],
    ids=["everything", "two attributes", "nested"],
)
def test_a_pulled_entity_of_thousands_of_values_is_shown_in_part(client, pattern, shown):
    q = {"find": [["pull", "?e", pattern]], "where": [["?e", "hub/field-00", "?v"]]}
    assert len(text_of(client, "query", q=q)) < SHORT
    data = client.data("query", q=q)
    assert len(data["rows"]) == 1 and data["value_truncated"] is True
    assert list(data["rows"][0][0]) == shown


def test_a_named_limit_brings_every_value_of_a_pulled_entity(client):
    q = {"find": [["pull", "?e", ["hub/links"]]], "where": [["?e", "hub/field-00", "?v"]], "limit": 1}
    assert len(client.data("query", q=q)["rows"][0][0]["hub/links"]) == 1_500


def test_short_pages_cover_a_timeline_without_gap(client):
    seen, offset = [], 0
    while offset is not None:
        page = client.data("history", entity="rewritten", offset=offset)
        seen += page["items"]
        assert page["truncated"] == ("offset" in page)
        offset = page.get("offset")
    assert [item["v"].split()[1] for item in seen] == [str(number) for number in range(60)]


def test_short_pages_cover_datoms_without_gap(client):
    seen, arguments = [], {"index": "avet", "components": ["note/rank"]}
    while True:
        page = client.data("datoms", **arguments)
        seen += [item["e"] for item in page["items"]]
        if page["next_cursor"] is None:
            break
        arguments["cursor"] = page["next_cursor"]
    assert seen == [f"note:{number}" for number in range(2_000)]


def test_names_are_never_cut(tmp_path):
    name = "n" * limits.NAME_BYTES
    many = [{"id": attribute, "fgraph/many": True} for attribute in ("x/link", "x/many")]
    links_and_texts = {"x/link": [{"ref": name}], "x/many": [f"{number} " + "v" * 600 for number in range(40)]}
    asked = {"history": {"entity": name}, "why": {"entity": name}, "datoms": {"components": [name]}}
    with InProcess(tmp_path / "names.db") as client:
        client.open()
        client.call("remember", operation_id="1", facts=[*many, {"id": name, **links_and_texts}])
        for tool, given in asked.items():
            items = client.data(tool, **given)["items"]
            assert {item["e"] for item in items} == {name}
            assert [item["v"] for item in items if item["a"] == "x/link"] == [{"ref": name}]
        assert client.data("about", entity=name)["x/link"] == [{"ref": name}]


def test_a_named_limit_gives_whole_values(client):
    cut = client.data("history", entity="rewritten")["items"][0]
    whole = client.data("history", entity="rewritten", limit=1)["items"][0]
    assert cut["v"] != whole["v"]
    assert cut["value_truncated"] is True
    assert "value_truncated" not in whole
    assert whole["v"] == "version 0 " + "z" * 600


def test_a_long_text_is_read_whole_in_slices(client):
    shown = client.data("about", entity="book")
    gap = shown["omitted"]["memory/text"]
    assert gap["of"] == len(LONG)
    assert gap["unit"] == "characters"
    assert LONG.startswith(shown["memory/text"].removesuffix("…"))
    text, start = "", 0
    while start is not None:
        data = client.data("about", entity="book", attribute="memory/text", **{"from": start})
        text += data["memory/text"]
        start = data["omitted"]["memory/text"].get("from") if "omitted" in data else None
    assert text == LONG


def test_a_long_list_is_read_whole_in_slices(client):
    found, start = [], 0
    while start is not None:
        data = client.data("about", entity="hub", attribute="hub/links", **{"from": start})
        found += data["hub/links"]
        start = data.get("omitted", {}).get("hub/links", {}).get("from")
    assert found == [{"ref": f"note:{number}"} for number in range(1_500)]


def test_about_says_what_it_left_out(client):
    result = client.tool("about", entity="hub")
    data = result["structuredContent"]["data"]
    omitted = data["omitted"]
    shown = [name for name in data if name != "omitted"]
    assert len(shown) <= 32
    assert all(len(value) <= 32 for value in data.values() if isinstance(value, list))
    assert len(set(shown) | set(omitted) - {"more"}) + omitted.get("more", 0) >= 52
    assert result["content"][1] == {
        "type": "resource_link",
        "uri": "fgraph://entity/hub",
        "name": "entity",
        "mimeType": "application/json",
    }
    assert result["_meta"]["fgraph/omitted"]["attributes"] == 52 - len(shown)


def test_older_protocols_get_no_link(big_file):
    with InProcess(big_file, write=False) as client:
        client.open("2025-03-26")
        assert len(client.tool("about", entity="hub")["content"]) == 1


@pytest.mark.parametrize("start", [310_000, 10**9])
def test_a_slice_begins_inside_the_value(client, start):
    error = client.refused("about", entity="book", attribute="memory/text", **{"from": start})
    assert (error["code"], error["param"]) == ("out_of_range", "from")


def test_from_needs_an_attribute(client):
    assert client.refused("about", entity="hub", **{"from": 5})["param"] == "from"


def test_recall_keeps_the_best_hits_and_says_that_there_are_more(client):
    short = client.data("recall", query="deploy staging queue", expand=1)
    whole = client.data("recall", query="deploy staging queue", k=10)
    assert short["truncated"] is True
    names = [hit["entity"] for hit in whole["hits"]]
    assert [hit["entity"] for hit in short["hits"]] == names[: len(short["hits"])]
    assert len(short["hits"]) >= 5


def test_brief_hits_hold_one_short_text(client):
    for hit in client.data("recall", query="deploy", detail="brief")["hits"]:
        assert set(hit) == {"entity", "score", "text", "tx", "by", "source"}
        assert len(hit["text"].encode()) <= 500


def test_an_answer_over_the_cap_is_shortened_before_it_is_refused(tmp_path):
    with InProcess(tmp_path / "cap.db") as client:
        client.open()
        for number in range(7):
            client.call("remember", operation_id=str(number), key=f"n{number}", text="needle " + "x" * 80_000)
        found = client.tool("recall", query="needle", k=10)
        assert len(found["content"][0]["text"].encode()) <= CAP
        assert len(found["structuredContent"]["data"]["hits"]) == 7
        page = client.data("history", entity="n0", limit=100)
        assert page["items"][0]["v"] == "needle " + "x" * 80_000


def test_a_300000_character_note_is_stored_and_readable_through_every_tool(tmp_path):
    with InProcess(tmp_path / "long.db") as client:
        client.open()
        report = client.data("remember", operation_id="long", key="big", text=LONG, source="book")
        assert report["status"] == "applied"
        fact = report["asserted"][-1]
        assert fact["value_truncated"] is True
        assert LONG.startswith(fact["v"].removesuffix("…"))
        for tool, arguments in (
            ("recall", {"query": "long note"}),
            ("recall", {"query": "long note", "k": 3}),
            ("about", {"entity": "big"}),
            ("why", {"entity": "big"}),
            ("why", {"entity": "big", "limit": 5}),
            ("history", {"entity": "big"}),
            ("history", {"entity": "big", "limit": 5}),
            ("datoms", {"components": ["big"]}),
            ("datoms", {"components": ["big"], "limit": 5}),
        ):
            text = text_of(client, tool, **arguments)
            assert "The long note says" in text
            assert len(text) < SHORT


def test_a_note_that_repeats_one_word_very_often_does_not_hold_up_the_server(tmp_path):
    with InProcess(tmp_path / "often.db") as client:
        client.open()
        client.call("remember", operation_id="1", key="often", text="all work and no play. " * 14_000)
        hit = client.data("recall", query="work and play")["hits"][0]
        assert hit["matched"][0]["snippet"].startswith("all work and no play")


@pytest.mark.parametrize("attribute", ["b/data", "b/json", "b/vector"])
def test_long_values_of_other_types_are_readable_in_slices(tmp_path, attribute):
    value = {
        "b/data": {"bytes": "QUJD" * 5_000},
        "b/json": {"json": {"items": [f"item {number}" for number in range(3_000)]}},
        "b/vector": {"vector": [number / 4 for number in range(4_000)]},
    }[attribute]
    with InProcess(tmp_path / "long.db") as client:
        client.open()
        client.call("remember", operation_id="1", facts=[["assert", "big", attribute, value]])
        text, start = "", 0
        while start is not None:
            data = client.data("about", entity="big", attribute=attribute, **{"from": start})
            text += data[attribute]
            start = data["omitted"][attribute].get("from")
        assert json.loads(text) == value


def test_long_vectors_are_shown_as_their_length(tmp_path):
    with InProcess(tmp_path / "vectors.db") as client:
        client.open()
        facts = [{"id": "v", "x/short": {"vector": [1, 2]}, "x/long": {"vector": [0.5] * 9}}]
        report = client.data("remember", operation_id="1", facts=facts)
        assert {"vector_dims": 9} in [fact["v"] for fact in report["asserted"]]
        expected = {"x/long": {"vector_dims": 9}, "x/short": {"vector": [1, 2]}}
        assert client.data("about", entity="v") == expected
        assert {"vector_dims": 9} in [item["v"] for item in client.data("why", entity="v")["items"]]
        page = client.data("datoms", components=["v", "x/long"])
        assert page["items"][0]["v"] == {"vector": [0.5] * 9}


def test_a_report_of_many_facts_is_shortened_but_committed(tmp_path):
    facts = [{"id": f"thing-{number}", "x/name": f"name {number} " + "n" * 50} for number in range(3_000)]
    with InProcess(tmp_path / "many.db") as client:
        client.open()
        result = client.tool("remember", operation_id="1", facts=facts)
        data = result["structuredContent"]["data"]
        assert (data["status"], data["truncated"]) == ("applied", True)
        assert len(result["content"][0]["text"].encode()) <= CAP
        assert result["content"][1]["uri"] == f"fgraph://tx/{data['tx']}"
        assert client.data("about", entity="thing-2999")["x/name"].startswith("name 2999")


def test_new_names_survive_in_a_report_unless_they_alone_are_too_much(tmp_path):
    with InProcess(tmp_path / "names.db") as client:
        client.open()
        some = [{"id": "n" * 500 + str(number), "x/y": number} for number in range(100)]
        assert len(client.data("remember", operation_id="1", facts=some)["ids"]) == 100
        many = [{"id": "m" * 500 + str(number), "x/y": number} for number in range(600)]
        report = client.data("remember", operation_id="2", facts=many)
        assert (report["ids"], report["truncated"]) == ({}, True)
        assert {"status", "event", "basis_tx", "tx", "at"} <= set(report)


def test_forget_and_undo_of_something_large_report_what_they_did(tmp_path):
    with InProcess(tmp_path / "large.db") as client:
        client.open()
        basis = client.call("remember", operation_id="1", facts={"id": "big", "d/b": "x" * 300_000})["basis_tx"]
        gone = client.call("forget", entity="big", operation_id="2", if_basis_tx=basis)
        assert gone["data"]["retracted"][0]["value_truncated"] is True
        back = client.call("undo", tx=gone["basis_tx"], operation_id="3", if_basis_tx=gone["basis_tx"])
        assert back["data"]["status"] == "applied"


def test_the_cap_is_exact():
    def envelope_of(size: int) -> answers.Answer:
        frame = len('{"basis_tx":64,"data":{"t":""},"ok":true}')
        return answers.Answer(64, {"t": "x" * (size - frame)})

    assert len(answers.result(envelope_of(CAP), has_links=True)["content"][0]["text"]) == CAP
    with pytest.raises(Exception, match="262144 bytes") as caught:
        answers.result(envelope_of(CAP + 1), has_links=True)
    assert caught.value.code == "response_too_large"


def test_integral_floats_and_large_integers_are_the_same_in_both_blocks(tmp_path):
    with InProcess(tmp_path / "numbers.db") as client:
        client.open()
        numbers = {"x/big": 9007199254740993, "x/low": -(2**63), "x/f": 2.0}
        facts = [["assert", "n", name, number] for name, number in numbers.items()]
        client.call("remember", operation_id="1", facts=facts)
        data = client.data("about", entity="n")
        assert data == {"x/big": 9007199254740993, "x/f": 2, "x/low": -(2**63)}
        assert type(data["x/f"]) is int
        page = client.data("datoms", components=["n", "x/big"])
        assert page["items"][0]["v"] == 9007199254740993


def test_every_description_says_how_to_get_more():
    for name in ("recall", "about", "why", "history", "query", "datoms", "schema"):
        text = catalog.TOOLS[name]["description"]
        assert any(word in text for word in ("offset", "next_cursor", "from=", "truncated")), name
