"""How a word names an entity."""

import json

import pytest

from fgraph.cli.refs import readings

UUID = "d07be4c6-80cf-50fa-b99a-c6d9761baea3"


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("skerry", ["skerry"]),
        ("42", [42, "42"]),
        ("-7", [-7, "-7"]),
        ("+7", ["+7"]),
        ("1_0", ["1_0"]),
        (" 65 ", [" 65 "]),
        ("٦٥", ["٦٥"]),
        ("", [""]),
        ("-", ["-"]),
        ('["light/code","SK1"]', ['["light/code","SK1"]', ["light/code", "SK1"]]),
        (f'{{"eid":"{UUID}"}}', [f'{{"eid":"{UUID}"}}', {"eid": UUID}]),
        ('{"id":"42"}', ['{"id":"42"}', "42"]),
        ('{"id":42}', ['{"id":42}', 42]),
        ('{"id":true}', ['{"id":true}']),
        ('["only one"]', ['["only one"]']),
        ('{"ref":"x"}', ['{"ref":"x"}']),
        ("{broken", ["{broken"]),
    ],
)
def test_what_a_word_may_mean(word, meant):
    assert readings(word) == meant


@pytest.fixture(scope="module")
def harbour(module_shell):
    """Entities with awkward names: 65 `x/code` (unique), 67 `42`, 68 nameless, 69 the note's attribute."""
    shell = module_shell
    shell.env["FGRAPH_DB"] = "s.db"
    data = json.dumps([{"id": "42", "x/code": "A1"}, {"x/note": "nameless"}, {"id": "[1,2]", "x/code": "B2"}])
    shell.many([["declare", "x/code", "--type", "text", "--unique"], ["add", data]])
    return shell


def test_an_entity_whose_name_is_a_number_can_be_addressed(harbour):
    assert harbour.run("--json", "get", "42").json == {"x/code": "A1"}


def test_an_id_comes_before_a_name(harbour):
    assert harbour.run("--json", "get", "68").json == {"x/note": "nameless"}


def test_an_id_and_a_name_of_digits_can_be_told_apart(harbour):
    assert harbour.run("--json", "get", '{"id": "42"}').json == {"x/code": "A1"}
    assert harbour.run("--json", "get", '{"id": 68}').json == {"x/note": "nameless"}
    assert harbour.run("get", '{"id": "68"}').err.startswith("NotFound: ")


def test_the_owner_of_a_unique_value_is_found_by_it(harbour):
    assert harbour.run("--json", "get", '["x/code","A1"]').json == {"x/code": "A1"}
    assert harbour.run("get", '["x/code","none"]').err.startswith("NotFound: ")


def test_a_name_that_looks_like_json_comes_first(harbour):
    assert harbour.run("--json", "get", "[1,2]").json == {"x/code": "B2"}


def test_a_nameless_entity_is_found_by_its_stable_id(harbour):
    created = json.loads(harbour.run("tail").out.splitlines()[-1])["created"]
    eid = next(item for item in created if isinstance(item, dict))
    for words in (["get"], ["history"], ["why"], ["validate"]):
        assert harbour.run(*words, json.dumps(eid)).status == 0
    assert harbour.run("--json", "get", json.dumps(eid)).json == {"x/note": "nameless"}


def test_writes_read_a_word_alike(harbour):
    for word in ("42", '["x/code","B2"]'):
        ran = harbour.run("--json", "retract", word, "x/code")
        assert [fact["v"] for fact in ran.json["retracted"]] == [{"42": "A1"}.get(word, "B2")]
