"""Small command lines and what they come to: status, error type, and which files are there afterwards."""

import json

import pytest

SUM = '{"find":["?a","?b"],"where":[["?a","x/y","?v"],["?b","x/z","?w"]]}'
CHAIN = "[" * 81 + "]" * 81

# Command line, status, and the error's type or a JSON value that standard output must equal.
ON_A_FRESH_FILE = [
    (["add", "nope"], 1, "TypeError"),
    (["add", "null"], 1, "TypeError"),
    (["add", "5"], 1, "TypeError"),
    (["add", '"x"'], 1, "TypeError"),
    (["add", '{"id":"a","b":1}'], 1, "SchemaError"),
    (["add", '{"id":"a","id":"b"}'], 1, "TypeError"),
    (["add", '{"id":"w","t/x":9223372036854775808}'], 1, "TypeError"),
    (["add", '{"id":"w","t/x":1e400}'], 1, "TypeError"),
    (["add", '{"id":"w","t/x":NaN}'], 1, "TypeError"),
    (["add", '[[{"id":"zz"}]]'], 1, "TypeError"),
    (["add", CHAIN], 1, "TooLarge"),
    (["add", "@missing.json"], 1, "FormatError"),
    (["add", "@"], 1, "FormatError"),
    (["add", "@."], 1, "FormatError"),
    (["add", "{}", "--batch-size", "0"], 2, "usage"),
    (["add", "{}", "--batch-size", "10001"], 2, "usage"),
    (["add", "{}", "--operation-id-prefix", "p"], 2, "usage"),
    (["add", "{}", "--batch-size", "2", "--operation-id", "a", "--operation-id-prefix", "p"], 2, "usage"),
    (["add", "{}", "--batch-size", "2", "--operation-id-prefix", "p" * 504], 1, "TypeError"),
    (["add", "{}", "--operation-id", ""], 1, "TypeError"),
    (["add", "{}", "--if-basis-tx", "63"], 1, "TypeError"),
    (["add", "{}", "--if-basis-tx", "99999999999999999999"], 1, "TypeError"),
    (["add", "{}", "--meta", "{"], 1, "TypeError"),
    (["q", "bad"], 1, "TypeError"),
    (["q", "[]"], 1, "QueryError"),
    (["q", '{"find":["?e"],"where":[["?e","x/y","?v"]]}', "--args", "[1]"], 1, "TypeError"),
    (["q", '{"find":["?e"],"where":[["?e","x/y","?v"]]}', "--args", "@q.json"], 1, "TypeError"),
    (["q", '{"find":["?e"],"where":[["?e","x/y","?v"]]}', "--at", "yesterday"], 2, "usage"),
    (["explain", "[]"], 1, "TypeError"),
    (["datoms", "--components", "{}"], 1, "TypeError"),
    (["datoms", "--limit", "0"], 1, "QueryError"),
    (["datoms", "eatv"], 1, "QueryError"),
    (["datoms", "--cursor", "xx"], 1, "QueryError"),
    (["search"], 1, "TypeError"),
    (["search", "--text", "x", "--k", "0"], 1, "TypeError"),
    (["search", "--text", "x", "--match", "most"], 1, "TypeError"),
    (["search", "--text", "x", "--filter", "5"], 1, "TypeError"),
    (["search", "--text", "x", "--embed-cmd", "cat"], 1, "TypeError"),
    (["recall", "  "], 1, "TypeError"),
    (["remember", " "], 1, "TypeError"),
    (["remember", "x", "--key", ""], 1, "TypeError"),
    (["schema-check", "bad"], 1, "TypeError"),
    (["schema-check", "{}"], 1, "SchemaError"),
    (["schema-apply", "5"], 1, "SchemaError"),
    (["get", "x", "--depth", "abc"], 2, "usage"),
    (["get", "64", "--depth", "-1"], 1, "QueryError"),
    (["get", "x", "--at", "soon"], 2, "usage"),
    (["get", "x", "--at", "2026-13-01T00:00:00Z"], 1, "TypeError"),
    (["get", ""], 1, "NotFound"),
    (["get", "nobody"], 1, "NotFound"),
    (["get", "99999999999999999999"], 1, "TypeError"),
    (["tx", "abc"], 2, "usage"),
    (["tx", "65"], 1, "NotFound"),
    (["tx", "99999999999999999999"], 1, "TypeError"),
    (["undo", "64"], 1, "Unsupported"),
    (["undo", "99"], 1, "NotFound"),
    (["diff", "1"], 2, "usage"),
    (["diff", "64", "1"], 1, "NotFound"),
    (["tail", "--since", "abc"], 2, "usage"),
    (["tail", "--since", "63"], 1, "TypeError"),
    (["tail", "--since", "9223372036854775808"], 1, "TypeError"),
    (["tail", "--until", "63"], 1, "TypeError"),
    (["tail", "--limit", "0"], 1, "TypeError"),
    (["tail", "--limit", "99999999999999999999"], 1, "TypeError"),
    (["watch", "--since", "64", "--limit", "-1"], 1, "TypeError"),
    (["watch", "--since", "999999", "--limit", "1"], 1, "NotFound"),
    (["history", "fgraph/at", "--limit", "0"], 1, "TypeError"),
    (["declare", "t/x"], 1, "SchemaError"),
    (["declare", "bad", "--many"], 1, "SchemaError"),
    (["declare", "t/x", "--type", "nope"], 1, "SchemaError"),
    (["declare", "t/x", "--ref", "--type", "text"], 1, "SchemaError"),
    (["excise", "x"], 2, "usage"),
    (["excise", "x", "--operation-id", "o", "--if-basis-tx", "64"], 1, "NotFound"),
    (["apply", "nope.ndjson"], 1, "FormatError"),
    (["apply", "."], 1, "FormatError"),
    (["apply", "--batch-size", "0"], 1, "TypeError"),
    (["restore", "nope"], 1, "FormatError"),
    (["restore"], 1, "TypeError"),
    (["backup", "s.db"], 1, "Conflict"),
    (["backup", ""], 1, "Conflict"),
    (["backup", "."], 1, "Conflict"),
    (["backup", "nodir/b.db"], 1, "FormatError"),
    (["setup", "emacs"], 2, "usage"),
    (["setup", "codex", "--name", "a b"], 2, "usage"),
    (["completion", "tcsh"], 2, "usage"),
    (["import-memory", "nope.jsonl"], 1, "FormatError"),
    (["--query-budget", "0", "info"], 1, "TypeError"),
    (["--query-budget", "x", "info"], 2, "usage"),
    (["--db", ":memory:", "info"], 1, "ReadOnly"),
    (["--db", ".", "init"], 1, "FormatError"),
    (["--db", "text.txt", "init"], 1, "FormatError"),
    (["--db", "nodir/x.db", "init"], 1, "FormatError"),
    (["--db", "", "init"], 1, "FormatError"),
    (["tail"], 0, ""),
    (["tail", "--since", "999999"], 0, ""),
    (["apply"], 0, {"already_applied": 0, "applied": 0, "basis_tx": 64, "events": 0, "noop": 0}),
    (["retract", "nobody"], 0, "noop"),
    (["retract", "nobody", "x/y"], 0, "noop"),
    (["add", "{}"], 0, "noop"),
    (["add", "[]"], 0, "noop"),
]


@pytest.fixture(scope="module")
def outcomes(module_shell):
    """Every line run on one fresh file; none of them may change it."""
    module_shell.env["FGRAPH_DB"] = "s.db"
    module_shell.write("text.txt", "no database, but long enough to look at: " * 40)
    lines = [words for words, _, _ in ON_A_FRESH_FILE]
    _, *ran, after = module_shell.many([["init"], *lines, ["--json", "info"]])
    return dict(zip(map(tuple, lines), ran, strict=True)), after


@pytest.mark.parametrize(("words", "status", "wanted"), ON_A_FRESH_FILE, ids=lambda part: str(part)[:60])
def test_on_a_fresh_file(outcomes, words, status, wanted):
    ran = outcomes[0][tuple(words)]
    assert ran.status == status, ran
    if status == 2:
        assert ran.out == ""
        assert ran.err.startswith("usage: fgraph")
        assert ran.err.splitlines()[-3].startswith("Try 'fgraph")
        assert ran.err.splitlines()[-1].startswith("Error: ")
    elif status == 1:
        assert ran.out == ""
        assert ran.err.startswith(f"{wanted}: ")
        assert ran.err.count("\n") == 1
        assert "Traceback" not in ran.err
        assert len(ran.err) < 600
    else:
        assert ran.err == ""
        assert wanted == (ran.json["status"] if wanted == "noop" else ran.json if wanted else ran.out)


def test_none_of_them_changed_the_file(outcomes):
    figures = json.loads(outcomes[1].out)
    assert (figures["facts"], figures["transactions"], figures["entities"]) == (39, 1, 18)


# Command lines that must not leave a file where there was none.
LEAVING_NOTHING = [
    (["add", ""], "TypeError"),
    (["add", "   "], "TypeError"),
    (["add", "-"], "TypeError"),
    (["add", "nope"], "TypeError"),
    (["add", '{"id":"a","b":1}'], "SchemaError"),
    (["add", "-", "--batch-size", "5"], "TypeError"),
    (["add", '{"id":"a","b":1}', "--batch-size", "5"], "SchemaError"),
    (["add", "@missing", "--batch-size", "5"], "FormatError"),
    (["apply", "nope"], "FormatError"),
    (["restore"], "TypeError"),
    (["restore", "nope"], "FormatError"),
    (["remember", ""], "TypeError"),
    (["info"], "NotFound"),
    (["get", "a"], "NotFound"),
    (["q", "bad"], "NotFound"),
    (["tail"], "NotFound"),
    (["tail", "--follow"], "NotFound"),
    (["retract", "a"], "NotFound"),
    (["undo", "70"], "NotFound"),
    (["excise", "a", "--operation-id", "o", "--if-basis-tx", "64"], "NotFound"),
    (["doctor", "--repair"], "NotFound"),
    (["compact"], "NotFound"),
    (["forget", "a"], "NotFound"),
    (["backup", "b.db"], "NotFound"),
]


def test_a_failure_leaves_no_file_behind(shell):
    ran = shell.many([["--db", f"{number}.db", *words] for number, (words, _) in enumerate(LEAVING_NOTHING)])
    said = [(status, err.partition(":")[0]) for status, _, err in ran]
    assert said == [(1, error) for _, error in LEAVING_NOTHING]
    assert list(shell.folder.iterdir()) == []


def test_a_clock_that_is_no_number_is_refused_before_the_file_is_made(shell):
    for clock in ("soon", "", "1.5", "999999999999999999999"):
        ran = shell.run("init", FGRAPH_CLOCK=clock)
        assert (ran.status, ran.out) == (1, "")
        assert ran.err.startswith("TypeError: ")
    assert list(shell.folder.iterdir()) == []


def test_a_refused_file_stays_as_it_was(shell):
    path = shell.write("text.txt", "no database, but long enough to look at: " * 40)
    before = path.read_bytes()
    assert shell.run("--db", "text.txt", "add", '{"id":"a"}').err.startswith("FormatError: ")
    assert path.read_bytes() == before
    assert [entry.name for entry in shell.folder.iterdir()] == ["text.txt"]


def test_the_work_of_a_query_is_bounded(shell):
    records = json.dumps([{"id": f"e{number}", "x/y": number, "x/z": number} for number in range(20)])
    assert shell.run("add", records).status == 0
    ran = shell.run("--query-budget", "50", "q", SUM)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("TooLarge: ")


def test_no_words_at_all_show_the_help_on_standard_output(shell):
    ran = shell.run()
    assert (ran.status, ran.err) == (2, "")
    assert ran.out.startswith("usage: fgraph [--db PATH] [--json] [--query-budget N] COMMAND")


def test_with_json_an_error_comes_as_an_object_as_well(shell):
    ran = shell.run("--json", "get", "nobody", "--db", "none.db")
    first, second = ran.err.splitlines()
    assert first.startswith("NotFound: ")
    fault = json.loads(second)
    assert fault["ok"] is False
    assert fault["error"]["type"] == "NotFound"
    assert first == f"NotFound: {fault['error']['message']}; {fault['error']['hint']}"


def test_messages_stay_on_one_line_and_hide_no_controls(shell):
    shell.run("init")
    ran = shell.run("get", "a\x1b[31m\nb\u202ec" + "x" * 2000)
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err
    assert "\u202e" not in ran.err
    assert len(ran.err) < 600
