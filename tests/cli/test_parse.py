"""How the words of a command line are read."""

import pytest

from fgraph import errors
from fgraph.cli.parse import UsageError, is_integer, parse


def values(*words: str) -> dict:
    return parse(list(words)).values


def usage_fault(*words: str) -> str:
    with pytest.raises(UsageError) as caught:
        parse(list(words))
    return str(caught.value)


def test_options_and_arguments_may_be_mixed():
    assert values("history", "skerry", "--limit", "3", "light/range")["limit"] == 3
    assert values("history", "--limit=3", "skerry", "light/range")["attr"] == "light/range"


def test_an_option_swallows_the_next_word_whatever_it_looks_like():
    given = values("search", "--text", "--json")
    assert (given["text"], given["json"]) == ("--json", False)
    assert values("get", "x", "--depth", "-1")["depth"] == -1
    assert parse(["--db", "get", "info"]).command.name == "info"


def test_two_hyphens_end_the_options():
    assert values("get", "--", "-w")["ref"] == "-w"
    assert (values("diff", "--", "-1", "5")["t1"], values("diff", "--", "-1", "5")["t2"]) == ("-1", "5")


def test_a_lone_hyphen_and_an_empty_word_are_arguments():
    assert values("add", "-")["data"] == "-"
    assert values("get", "")["ref"] == ""


@pytest.mark.parametrize(
    ("words", "path"),
    [
        (["get", "x"], None),
        (["--db", "a", "get", "x"], "a"),
        (["get", "x", "--db", "b"], "b"),
        (["--db", "a", "get", "x", "--db", "b"], "b"),
        (["get", "--db", "b", "x", "--db", "c"], "c"),
        (["--db", "", "get", "x"], ""),
    ],
)
def test_the_database_option_after_the_command_wins_and_the_last_one_counts(words, path):
    assert values(*words)["db"] == path


@pytest.mark.parametrize("words", [["--json", "get", "x"], ["get", "x", "--json"], ["get", "--json", "x"]])
def test_json_may_stand_on_either_side(words):
    assert values(*words)["json"] is True


def test_repeatable_options_gather_and_others_take_the_last():
    given = values("search", "--filter", "1", "--filter", "2", "--k", "3", "--k", "4")
    assert (given["filter"], given["k"]) == (["1", "2"], 4)


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ([], "many", None),
        (["--many"], "many", True),
        (["--one"], "many", False),
        (["--many", "--many"], "many", True),
        (["--not-unique"], "unique", False),
        (["--history"], "nohistory", False),
        (["--ref", "--no-ref"], "ref", False),
        (["--no-ref", "--ref"], "ref", True),
        ([], "ref", False),
    ],
)
def test_flags_say_yes_no_or_nothing(words, field, value):
    assert values("declare", "a/b", *words)[field] is value


@pytest.mark.parametrize(
    "words",
    [
        ["declare", "a/b", "--many", "--one"],
        ["declare", "a/b", "--unique", "--not-unique"],
        ["declare", "a/b", "--nohistory", "--history"],
        ["shape", "s", "--closed", "--open"],
    ],
)
def test_opposite_flags_exclude_each_other(words):
    assert "exclude each other" in usage_fault(*words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch"], 'no command "nosuch"'),
        (["hstory"], "did you mean history?"),
        ([""], 'no command ""'),
        (["export"], 'no command "export"'),
        (["--json"], "a command is missing"),
        (["get"], "REF is missing"),
        (["get", "a", "b"], 'no place for "b"; several words in one place need quotes'),
        (["info", "b"], 'no place for "b"'),
        (["get", "a", "--dep", "1"], "did you mean --depth?"),
        (["get", "a", "--depth"], "--depth needs a value"),
        (["get", "a", "--depth", "x"], 'whole number, not "x"'),
        (["get", "a", "--json=true"], "--json takes no value"),
        (["get", "a", "--query-budget", "5"], 'no option "--query-budget" here'),
        (["get", "-w"], 'no option "-w" here'),
        (["tail", "--json"], 'no option "--json" here'),
        (["snapshot", "--json"], 'no option "--json" here'),
        (["mcp", "--json"], 'no option "--json" here'),
        (["version", "--json"], 'no option "--json" here'),
        (["version", "--db", "x"], 'no option "--db" here'),
        (["excise", "x", "--if-basis-tx", "64"], "--operation-id TEXT is required"),
        (["excise", "x", "--operation-id", "o"], "--if-basis-tx TX is required"),
        (["info", "--format", "xml"], "--format is one of auto, json, indent, table"),
        (["--query-budget", "x", "version"], "--query-budget takes a whole number"),
    ],
)
def test_wrong_usage_is_named(words, said):
    assert said in usage_fault(*words)


def test_a_budget_in_the_environment_must_be_a_number_for_every_command(monkeypatch):
    monkeypatch.setenv("FGRAPH_QUERY_BUDGET", "many")
    assert "FGRAPH_QUERY_BUDGET takes a whole number" in usage_fault("version")
    monkeypatch.setenv("FGRAPH_QUERY_BUDGET", "")
    assert values("version")["query_budget"] is None
    monkeypatch.setenv("FGRAPH_QUERY_BUDGET", "-5")
    assert values("info")["query_budget"] == -5
    assert values("--query-budget", "7", "info")["query_budget"] == 7


@pytest.mark.parametrize("text", ["0", "-1", "+7", "99999999999999999999"])
def test_whole_numbers_are_ascii_digits_with_a_sign(text):
    assert is_integer(text)


@pytest.mark.parametrize("text", ["", "-", "1_0", " 7 ", "٦٥", "1.0", "0x1", "1e3", "--1"])
def test_nothing_else_is_a_whole_number(text):
    assert not is_integer(text)


def test_a_number_of_absurd_length_is_a_typed_error():
    with pytest.raises(errors.TypeError):
        parse(["tx", "9" * 5000])


@pytest.mark.parametrize(
    "words", [["--help"], ["get", "--help"], ["get", "-h"], ["-h"], ["--db", "x", "get", "--help"]]
)
def test_help_is_asked_for_at_any_place(words):
    assert parse(words).wants_help
