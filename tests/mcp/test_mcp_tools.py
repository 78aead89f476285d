"""What each tool answers, on small files whose contents are known to the last fact."""

from __future__ import annotations

import hashlib
import json

import pytest

from fgraph.mcp.catalog import TOOLS
from tests.mcp.clients import InProcess

START = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z; every transaction is a second later


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setenv("FGRAPH_CLOCK", str(START))
    monkeypatch.setenv("FGRAPH_EVENT_SEED", "s")
    with InProcess(":memory:") as client:
        client.open(client="probe")
        yield client


def canonical_hash(document: dict) -> str:
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def instant(second: int) -> dict:
    return {"instant": f"2026-01-01T00:00:{second:02}.000000Z"}


# -- remember ---------------------------------------------------------------------------------------------------------


def test_a_keyed_note_is_one_transaction_with_its_provenance(client):
    envelope = client.call(
        "remember", key="project:ship-day", operation_id="v1", source="meeting:7", text="Team ships on Fridays"
    )
    assert envelope["basis_tx"] == 67
    assert envelope["data"] == {
        "status": "applied",
        "event": "99c70cc4-abb6-4a79-b2c1-ae8e86e4b3f2",
        "basis_tx": 64,
        "tx": 67,
        "at": START + 1_000_000,
        "ids": {"project:ship-day": 65},
        "asserted": [
            {"id": 40, "e": 67, "a": "fgraph/at", "v": instant(1), "tx": 67, "rx": None},
            {"id": 41, "e": 67, "a": "fgraph/by", "v": "mcp:probe", "tx": 67, "rx": None},
            {"id": 42, "e": 67, "a": "fgraph/source", "v": "meeting:7", "tx": 67, "rx": None},
            {"id": 43, "e": "project:ship-day", "a": "memory/text", "v": "Team ships on Fridays", "tx": 67, "rx": None},
        ],
        "retracted": [],
    }


def test_an_exact_retry_gets_the_first_receipt_however_far_the_file_has_gone(client):
    first = client.call("remember", operation_id="v1", key="a", text="one")
    client.call("remember", operation_id="v2", text="two")
    again = client.call("remember", operation_id="v1", key="a", text="one")
    assert again["basis_tx"] == first["basis_tx"]
    assert again["data"] == {
        **first["data"],
        "status": "already_applied",
        "ids": {},
        "asserted": [],
        "retracted": [],
    }


def test_a_key_supersedes_and_keeps_the_old_text_in_history(client):
    first = client.call("remember", operation_id="v1", key="day", text="Fridays")["basis_tx"]
    second = client.call("remember", operation_id="v2", key="day", text="Mondays", if_basis_tx=first)
    assert [(fact["v"], fact["rx"]) for fact in second["data"]["retracted"]] == [("Fridays", second["basis_tx"])]
    assert client.data("about", entity="day") == {"memory/text": "Mondays"}
    timeline = client.data("history", entity="day")["items"]
    assert [(item["v"], item["rx"]) for item in timeline] == [("Fridays", second["basis_tx"]), ("Mondays", None)]


def test_notes_without_a_key_are_added_each_time(client):
    numbers = []
    for operation in ("a", "b"):
        report = client.data("remember", operation_id=operation, text="the same words")
        numbers.append(report["asserted"][-1]["e"])
        assert report["ids"] == {}
    assert numbers[0] != numbers[1]
    assert [client.data("about", entity=number) for number in numbers] == [{"memory/text": "the same words"}] * 2


@pytest.mark.parametrize(
    "text", ["null", "[1,2]", '{"ref":"x"}', "true", "123", "?e", "fgraph/at", "  two leading blanks", '{"k":1}']
)
def test_texts_that_look_like_something_else_come_back_identical(client, text):
    client.call("remember", operation_id="x", key="null", text=text, source="null")
    assert client.data("about", entity="null") == {"memory/text": text}
    assert client.data("receipt", operation_id="x")["source"] == "null"


@pytest.mark.parametrize(
    ("facts", "hashed"),
    [
        ([{"id": "a", "x/y": 1}], [{"id": "a", "x/y": 1}]),
        ({"id": "a", "x/y": 1}, [{"id": "a", "x/y": 1}]),
        (["assert", "a", "x/y", 1], [["assert", "a", "x/y", 1]]),
        ([["assert", "a", "x/y", 1], {"id": "b"}], [["assert", "a", "x/y", 1], {"id": "b"}]),
        ('[{"id":"a","x/y":1}]', [{"id": "a", "x/y": 1}]),
    ],
)
def test_the_request_hash_covers_data_in_its_array_form(client, facts, hashed):
    client.call("remember", operation_id="x", facts=facts)
    expected = canonical_hash({"data": hashed, "options": {"by": "mcp:probe"}})
    assert client.data("receipt", operation_id="x")["request_hash"] == expected


def test_text_and_a_bare_operation_go_together(client):
    client.call("remember", operation_id="x", text="hi", facts=["assert", "ada", "p/m", 1])
    data = [["assert", "ada", "p/m", 1], {"memory/text": "hi"}]
    expected = canonical_hash({"data": data, "options": {"by": "mcp:probe"}})
    assert client.data("receipt", operation_id="x")["request_hash"] == expected


def test_a_bare_compare_and_set_works_alone_and_with_text(client):
    client.call("remember", operation_id="1", facts=[{"id": "op", "a/b": 3}])
    client.call("remember", operation_id="2", facts=["cas", "op", "a/b", 3, 4])
    client.call("remember", operation_id="3", facts=["cas", "op", "a/b", 4, 5], text="counted")
    assert client.data("about", entity="op") == {"a/b": 5}


def test_facts_may_declare_what_they_use(client):
    facts = [{"id": "person/tag", "fgraph/many": True}, {"id": "ada", "person/tag": ["x", "y"]}]
    client.call("remember", operation_id="x", facts=facts)
    assert client.data("about", entity="ada") == {"person/tag": ["x", "y"]}


def test_a_request_that_changes_nothing_still_has_a_receipt(client):
    client.call("remember", operation_id="1", key="k", text="same")
    again = client.call("remember", operation_id="2", key="k", text="same")
    assert again["data"]["status"] == "applied"
    assert again["basis_tx"] == again["data"]["tx"]
    assert client.call("remember", operation_id="3", facts={})["data"]["status"] == "applied"


@pytest.mark.parametrize(
    ("arguments", "kind", "code"),
    [
        ({"operation_id": "x"}, "TypeError", "missing_argument"),
        ({"operation_id": "x", "facts": []}, "TypeError", "missing_argument"),
        ({"text": "no id"}, "TypeError", "missing_argument"),
        ({"operation_id": "x", "text": ""}, "TypeError", "invalid_argument"),
        ({"operation_id": "x", "text": "  \n", "facts": [{"id": "a", "x/y": 1}]}, "TypeError", "invalid_argument"),
        ({"operation_id": "x", "key": "k"}, "TypeError", "invalid_argument"),
        ({"operation_id": "x", "key": "", "text": "t"}, "TypeError", "invalid_argument"),
        ({"operation_id": "x", "key": "fgraph/new", "text": "t"}, "SchemaError", "schema_rule"),
        ({"operation_id": "", "text": "t"}, "TypeError", "invalid_argument"),
        ({"operation_id": "x" * 513, "text": "t"}, "TypeError", "invalid_argument"),
        ({"operation_id": "é" * 257, "text": "t"}, "TypeError", "invalid_argument"),
        ({"operation_id": "a\nb", "text": "t"}, "TypeError", "invalid_argument"),
        ({"operation_id": "x", "facts": [[]]}, "TypeError", "invalid_argument"),
        ({"operation_id": "x", "facts": [{"id": "a", "b": 1}]}, "SchemaError", "schema_rule"),
        ({"operation_id": "x", "facts": [{"id": "a", "x/y": [1, 2]}]}, "Conflict", "fact_conflict"),
        ({"operation_id": "x", "text": "t", "if_basis_tx": 65}, "Conflict", "stale_basis"),
        ({"operation_id": "x", "text": "t" * 1_048_577}, "TooLarge", "value_too_large"),
    ],
)
def test_a_refused_remember_says_why_and_reserves_nothing(client, arguments, kind, code):
    error = client.refused("remember", **arguments)
    assert (error["type"], error["code"]) == (kind, code)
    assert client.call("schema")["basis_tx"] == 64
    assert client.call("remember", operation_id="x", text="fine")["data"]["status"] == "applied"


def test_an_operation_id_stands_for_one_request_by_one_client(client):
    client.call("remember", operation_id="x", text="one")
    other = client.refused("remember", operation_id="x", text="two")
    assert (other["type"], other["code"], other["retry"]) == ("Conflict", "operation_reused", "fix")
    client.open(client="another")
    assert client.refused("remember", operation_id="x", text="one")["code"] == "operation_reused"


# -- forget -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def people(client):
    client.call(
        "remember",
        operation_id="people",
        facts=[
            {"id": "p/pals", "fgraph/type": "ref", "fgraph/many": True},
            {"id": "p/boss", "fgraph/type": "ref"},
            {"id": "bob", "p/name": "Bob", "p/age": 37},
            {"id": "ada", "p/name": "Ada", "p/boss": {"ref": "bob"}, "p/pals": [{"ref": "bob"}, {"ref": "cyd"}]},
        ],
    )
    return client


def forget(client: InProcess, **arguments: object) -> dict:
    basis = client.call("schema")["basis_tx"]
    return client.data("forget", operation_id=f"forget at {basis}", if_basis_tx=basis, **arguments)


def gone(report: dict) -> list[tuple]:
    return [(fact["e"], fact["a"], fact["v"]) for fact in report["retracted"]]


def test_an_entity_goes_with_every_link_to_it(people):
    assert sorted(gone(forget(people, entity="bob")), key=str) == [
        ("ada", "p/boss", {"ref": "bob"}),
        ("ada", "p/pals", {"ref": "bob"}),
        ("bob", "p/age", 37),
        ("bob", "p/name", "Bob"),
    ]
    assert people.data("about", entity="ada") == {"p/name": "Ada", "p/pals": [{"ref": "cyd"}]}


def test_one_attribute_or_one_value_goes_alone(people):
    assert gone(forget(people, entity="ada", attribute="p/pals", value={"ref": "bob"})) == [
        ("ada", "p/pals", {"ref": "bob"})
    ]
    assert gone(forget(people, entity="ada", attribute="p/name")) == [("ada", "p/name", "Ada")]


@pytest.mark.parametrize("value", ["37", 37, 37.0])
def test_a_number_may_be_sent_as_text(people, value):
    assert gone(forget(people, entity="bob", attribute="p/age", value=value)) == [("bob", "p/age", 37)]


def test_a_link_may_be_sent_as_json_text(people):
    assert gone(forget(people, entity="ada", attribute="p/boss", value='{"ref":"bob"}')) == [
        ("ada", "p/boss", {"ref": "bob"})
    ]


@pytest.mark.parametrize("text", ["null", "37", '{"a":1}', "[1]", "true"])
def test_the_exact_text_is_meant_first(client, text):
    client.call("remember", operation_id="x", key="n", text=text)
    assert gone(forget(client, entity="n", attribute="memory/text", value=text)) == [("n", "memory/text", text)]


@pytest.mark.parametrize("number", [2.0, 2.5])
def test_a_float_is_found_by_the_number_that_answers_show(client, number):
    client.call("remember", operation_id="x", facts=[["assert", "n", "x/y", number]])
    shown = client.data("about", entity="n")["x/y"]
    assert len(gone(forget(client, entity="n", attribute="x/y", value=json.dumps(shown)))) == 1


def test_value_null_as_text_takes_away_nothing_else(people):
    assert gone(forget(people, entity="bob", attribute="p/name", value="null")) == []
    assert people.data("about", entity="bob") == {"p/age": 37, "p/name": "Bob"}


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"entity": "ada", "value": "x"}, "TypeError"),
        ({"entity": "ada", "attribute": "p/name", "value": None}, "TypeError"),
        ({"entity": "ada", "attribute": None}, "TypeError"),
        ({"entity": "ada", "attribute": "null"}, "SchemaError"),
        ({"entity": "ada", "attribute": ""}, "SchemaError"),
        ({"entity": 99_999}, "NotFound"),
        ({"entity": "ada", "attribute": "p/boss", "value": {"ref": "nobody"}}, "NotFound"),
        ({"entity": "ada", "attribute": "p/boss", "value": 5}, "TypeError"),
        ({"entity": 64}, "Unsupported"),
        ({"entity": "fgraph/at"}, "Unsupported"),
        ({"entity": True}, "TypeError"),
    ],
)
def test_a_doubtful_forget_takes_away_nothing(people, arguments, kind):
    basis = people.call("schema")["basis_tx"]
    error = people.refused("forget", operation_id="f", if_basis_tx=basis, **arguments)
    assert error["type"] == kind
    assert people.call("schema")["basis_tx"] == basis


def test_an_unknown_name_or_value_is_a_receipt_without_effect(people):
    calls = (
        {"entity": "nobody"},
        {"entity": "ada", "attribute": "x/unknown"},
        {"entity": "ada", "attribute": "p/name", "value": "?"},
    )
    for number, arguments in enumerate(calls):
        basis = people.call("schema")["basis_tx"]
        report = people.data("forget", operation_id=f"f{number}", if_basis_tx=basis, **arguments)
        assert (report["status"], report["retracted"]) == ("applied", [])


def test_an_unnamed_note_is_forgotten_by_its_number(client):
    number = client.data("remember", operation_id="n", text="loose note")["asserted"][-1]["e"]
    assert gone(forget(client, entity=str(number))) == [(number, "memory/text", "loose note")]


def test_a_name_of_digits_is_meant_before_the_number(client):
    client.call("remember", operation_id="n", key="65", text="named 65")
    assert client.data("about", entity="65") == {"memory/text": "named 65"}


def test_the_request_hash_of_forget_covers_what_was_sent(people):
    forget(people, entity="bob", attribute="p/age", value="37")
    operation = people.read("fgraph://changes")["events"][-1]
    receipt = people.data("receipt", tx=people.call("schema")["basis_tx"])
    assert operation["retracted"] == [["bob", "p/age", 37, "int"]]
    document = {"data": ["retract", "bob", "p/age", "37"], "options": {"by": "mcp:probe"}}
    assert receipt["request_hash"] == canonical_hash(document)


def test_a_stale_basis_ends_in_a_conflict_that_says_reread(people):
    people.call("remember", operation_id="later", text="something else")
    error = people.refused("forget", entity="ada", operation_id="f", if_basis_tx=64)
    assert (error["type"], error["code"], error["retry"]) == ("Conflict", "stale_basis", "reread")
    assert "ead again" in error["hint"]
    assert not any(digit in error["message"] for digit in "0123456789")


def test_recall_names_its_own_arguments(people):
    error = people.refused("recall", query="x", attributes=["p/nope"])
    assert (error["type"], error["param"].partition(".")[0]) == ("NotFound", "attributes")
    assert people.refused("recall", query="x", attributes=["p/name"] * 17)["type"] == "TypeError"
    assert people.refused("recall", query="x", filters=[["p/name", 5]] * 17)["type"] == "TypeError"
    found = people.data("recall", query="ada", attributes=["p/name"], filters=[["p/name", "Ada"]])
    assert [hit["entity"] for hit in found["hits"]] == ["ada"]


# -- undo -------------------------------------------------------------------------------------------------------------


def test_undo_restores_and_marks_itself(people):
    basis = people.call("schema")["basis_tx"]
    tx = people.call("forget", entity="bob", attribute="p/age", operation_id="f", if_basis_tx=basis)["basis_tx"]
    report = people.data("undo", tx=str(tx), operation_id="u", if_basis_tx=tx)
    assert [(fact["a"], fact["v"]) for fact in report["asserted"]][-2:] == [
        ("p/age", 37),
        ("fgraph/undoes", {"ref": tx}),
    ]
    document = {"by": "mcp:probe", "operation": "undo", "tx": tx}
    assert people.data("receipt", operation_id="u")["request_hash"] == canonical_hash(document)
    again = people.data("undo", tx=tx, operation_id="u2", if_basis_tx=report["tx"])
    assert [fact["a"] for fact in again["asserted"]] == ["fgraph/at", "fgraph/by", "fgraph/undoes"]


@pytest.mark.parametrize(
    ("tx", "kind"),
    [(64, "Unsupported"), (1, "Unsupported"), (65, "NotFound"), (10**6, "NotFound"), (2**63, "TypeError")],
)
def test_what_cannot_be_undone(people, tx, kind):
    basis = people.call("schema")["basis_tx"]
    assert people.refused("undo", tx=tx, operation_id="u", if_basis_tx=basis)["type"] == kind


# -- about, why, history, receipt -------------------------------------------------------------------------------------


def test_about_opens_links_at_depth_two(people):
    shallow = {"p/boss": {"ref": "bob"}, "p/name": "Ada", "p/pals": [{"ref": "bob"}, {"ref": "cyd"}]}
    assert people.data("about", entity="ada", depth=0) == shallow
    assert people.data("about", entity="ada") == shallow
    bob = {"p/age": 37, "p/name": "Bob"}
    assert people.data("about", entity="ada", depth=2) == {"p/boss": bob, "p/name": "Ada", "p/pals": [bob, {}]}


def test_about_reads_as_of_an_earlier_transaction(client):
    first = client.call("remember", operation_id="1", key="k", text="old")["basis_tx"]
    client.call("remember", operation_id="2", key="k", text="new")
    assert client.call("about", entity="k", at=first) == {
        "ok": True,
        "basis_tx": first,
        "data": {"memory/text": "old"},
    }
    for at in (first - 1, 10**6):
        assert client.refused("about", entity="k", at=at)["code"] == "unknown_transaction"


@pytest.mark.parametrize(
    ("entity", "kind", "code"),
    [
        ("nobody", "NotFound", "unknown_entity"),
        (10**6, "NotFound", "unknown_entity"),
        ({"eid": "00000000-0000-4000-8000-000000000000"}, "NotFound", "unknown_entity"),
        ({"eid": "x"}, "TypeError", "invalid_argument"),
        (1.5, "TypeError", "invalid_argument"),
        (True, "TypeError", "invalid_argument"),
        (["a", "b", "c"], "TypeError", "invalid_argument"),
        (["p/name", "Ada"], "SchemaError", "schema_rule"),
    ],
)
@pytest.mark.parametrize("tool", ["about", "why", "history"])
def test_entities_that_are_not_there(people, tool, entity, kind, code):
    error = people.refused(tool, entity=entity)
    assert (error["type"], error["code"]) == (kind, code)


def test_an_entity_may_be_named_in_every_form(people):
    number = people.data("remember", operation_id="n", text="unnamed")["asserted"][-1]["e"]
    mail = {"id": "p/mail", "fgraph/type": "text", "fgraph/unique": True}
    people.call("remember", operation_id="u", facts=[mail, {"id": "eve", "p/mail": "e@x"}])
    event = people.data("receipt", tx=64)["event"]
    assert people.data("about", entity=str(number)) == {"memory/text": "unnamed"}
    assert people.data("about", entity=["p/mail", "e@x"]) == {"p/mail": "e@x"}
    assert people.data("about", entity='["p/mail","e@x"]') == {"p/mail": "e@x"}
    for spelled in (event, event.upper(), event.replace("-", "")):
        assert people.data("about", entity={"eid": spelled}) == {"fgraph/at": instant(0)}


def test_a_known_entity_without_facts_is_an_empty_map(people):
    assert people.data("about", entity="cyd") == {}
    assert people.data("why", entity="cyd") == {"items": [], "truncated": False}


def test_why_carries_the_transaction_of_each_fact(client):
    client.call("remember", operation_id="1", key="day", text="Fridays", source="meeting:7")
    assert client.data("why", entity="day")["items"] == [
        {
            "id": 43,
            "e": "day",
            "a": "memory/text",
            "v": "Fridays",
            "tx": 67,
            "rx": None,
            "provenance": {"fgraph/at": instant(1), "fgraph/by": "mcp:probe", "fgraph/source": "meeting:7"},
        }
    ]


def test_history_can_be_paged_in_both_directions(client):
    for number in range(5):
        client.call("remember", operation_id=str(number), key="k", text=f"text {number}")
    first = client.data("history", entity="k", limit=2)
    assert ([item["v"] for item in first["items"]], first["truncated"]) == (["text 0", "text 1"], True)
    second = client.data("history", entity="k", limit=3, offset=first["offset"])
    assert ([item["v"] for item in second["items"]], second["truncated"]) == (["text 2", "text 3", "text 4"], False)
    newest = client.data("history", entity="k", limit=1, order="desc")
    assert [item["v"] for item in newest["items"]] == ["text 4"]
    assert client.data("history", entity="k", offset=10**18)["items"] == []


@pytest.mark.parametrize("tool", ["why", "history", "about"])
def test_an_unknown_attribute_is_named(people, tool):
    error = people.refused(tool, entity="ada", attribute="p/nope")
    assert (error["type"], error["code"], error["param"]) == ("NotFound", "unknown_attribute", "attribute")
    assert people.tool(tool, entity="cyd", attribute="p/name").get("isError") is None


def test_a_receipt_is_found_by_number_or_operation(client):
    tx = client.call("remember", operation_id="op-1", text="x", source="s")["basis_tx"]
    by_number, by_operation = client.data("receipt", tx=tx), client.data("receipt", operation_id="op-1")
    assert by_number == by_operation
    assert (by_number["by"], by_number["source"], by_number["basis_tx"]) == ("mcp:probe", "s", 64)
    assert client.refused("receipt")["type"] == "TypeError"
    assert client.refused("receipt", tx=tx, operation_id="op-1")["type"] == "TypeError"
    for arguments in ({"tx": 65}, {"tx": -5}, {"tx": 10**6}, {"operation_id": "never"}):
        assert client.refused("receipt", **arguments)["code"] == "unknown_transaction"
    assert client.refused("receipt", tx=2**63)["type"] == "TypeError"


def test_the_basis_of_an_answer_guards_a_later_write(client):
    basis = client.call("about", entity=64)["basis_tx"]
    client.call("remember", operation_id="1", text="in between")
    error = client.refused("remember", operation_id="2", text="late", if_basis_tx=basis)
    assert error["code"] == "stale_basis"


@pytest.mark.parametrize("tool", [name for name in TOOLS if name not in ("undo", "forget")])
def test_null_for_an_optional_argument_is_the_same_as_leaving_it_out(people, tool):
    schema = TOOLS[tool]["inputSchema"]
    needed = {
        "query": "ada",
        "entity": "ada",
        "q": {"find": ["?e"], "where": [["?e", "p/name", "?n"]]},
        "operation_id": "the same",
    }
    given = {name: needed[name] for name in schema.get("required", ())}
    given.update({"remember": {"text": "a note"}, "receipt": {"tx": 64}}.get(tool, {}))
    nulls = {name: None for name in schema["properties"] if name not in given}
    plain = people.call(tool, **given)
    padded = people.call(tool, **given, **nulls)
    if tool == "remember":
        plain["data"] = {**plain["data"], "status": "already_applied", "asserted": []}
    assert padded == plain


# -- schema -----------------------------------------------------------------------------------------------------------


def test_schema_pages_run_through_attributes_then_shapes(people):
    shape = {"id": "person", "fgraph/shape-required": [{"ref": "p/name"}], "fgraph/shape-closed": False}
    basis = people.call("remember", operation_id="shape", facts=[shape])["basis_tx"]
    pages, cursor = [], None
    while cursor or not pages:
        page = people.call("schema", prefix="p/", limit=2, **({"cursor": cursor} if cursor else {}))
        people.call("remember", operation_id=f"between {len(pages)}", facts=[{"id": "x", "p/later": 1}])
        assert page["basis_tx"] == page["data"]["basis_tx"] == basis
        pages.append(page["data"])
        cursor = page["data"]["next_cursor"]
        assert page["data"]["truncated"] == (cursor is not None)
    names = [item["name"] for page in pages for item in page["attributes"]]
    assert names == ["p/age", "p/boss", "p/name", "p/pals"]
    assert [item["name"] for page in pages for item in page["shapes"]] == ["person"]
    assert len({page["digest"] for page in pages}) == 1


def test_schema_lists_only_what_is_used_when_asked(client):
    client.call("remember", operation_id="1", facts=[{"id": "person/ada", "person/name": "Ada"}])
    names = [item["name"] for item in client.data("schema")["attributes"]]
    used = client.data("schema", used=True)
    assert (names, [item["name"] for item in used["attributes"]]) == (["person/ada", "person/name"], ["person/name"])
    assert used["digest"] == client.data("schema")["digest"]
    assert "fgraph/at" in [item["name"] for item in client.data("schema", include_system=True)["attributes"]]


@pytest.mark.parametrize("cursor", ["", "x" * 4_097, "a b", "eyJi=", "bnVsbB", "bnVsbA", "e30", "eyJi"])
@pytest.mark.parametrize("tool", ["schema", "datoms"])
def test_cursors_that_we_did_not_give_are_refused(client, tool, cursor):
    error = client.refused(tool, cursor=cursor)
    assert (error["type"], error["code"], error["retry"]) == ("QueryError", "invalid_cursor", "restart")


def test_a_cursor_belongs_to_its_request_and_its_file(people, tmp_path):
    cursor = people.data("schema", limit=1)["next_cursor"]
    assert people.tool("schema", limit=3, cursor=cursor).get("isError") is None
    for other in ({"prefix": "p/"}, {"include_system": True}, {"used": True}, {"prefix": ""}):
        assert people.refused("schema", cursor=cursor, **other)["code"] == "invalid_cursor"
    assert people.refused("datoms", cursor=cursor)["code"] == "invalid_cursor"
    with InProcess(tmp_path / "other.db") as stranger:
        stranger.open()
        stranger.call("remember", operation_id="1", facts=[{"id": "a", "x/y": 1, "x/z": 1}])
        assert stranger.refused("schema", cursor=cursor)["code"] == "invalid_cursor"
