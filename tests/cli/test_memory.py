"""remember, recall, forget and import-memory."""

import json

import pytest

from fgraph.cli.memory_names import attribute_part, entity_name, original_name, original_word


def live_texts(shell, ref: str) -> list:
    return [fact["v"] for fact in shell.run("--json", "why", ref).json if fact["a"] == "memory/text"]


def test_a_note_is_text_in_and_text_out(shell):
    report = shell.run("--json", "remember", "Deploys happen on Tuesday", "--source", "handbook").json
    assert [(fact["a"], fact["v"]) for fact in report["asserted"][1:]] == [
        ("fgraph/by", "cli:tess"), ("fgraph/source", "handbook"), ("memory/text", "Deploys happen on Tuesday"),
    ]  # fmt: skip
    hit = shell.run("--json", "recall", "when do we deploy").json["hits"][0]
    assert (hit["entity"], hit["pull"]) == (65, {"memory/text": "Deploys happen on Tuesday"})


@pytest.mark.parametrize(
    "text", ["null", "[1,2]", '{"ref":"x"}', "true", "123", "?e", "fgraph/at", "  two blanks", "@file"]
)
def test_a_note_is_never_read_as_anything_else(shell, text):
    shell.run("remember", text, "--key", "note")
    assert live_texts(shell, "note") == [text]


def test_a_key_keeps_one_text_and_its_history(shell):
    shell.run("remember", "on Tuesday", "--key", "deploy-day", "--by", "ana")
    shell.run("remember", "on Wednesday", "--key", "deploy-day", "--by", "mara")
    assert live_texts(shell, "deploy-day") == ["on Wednesday"]
    history = shell.run("--json", "history", "deploy-day").json
    assert [(fact["v"], fact["by"], fact.get("rx_by")) for fact in history] == [
        ("on Tuesday", "ana", "mara"), ("on Wednesday", "mara", None),
    ]  # fmt: skip
    assert shell.run("--json", "recall", "tuesday").json["hits"] == []


def test_a_note_may_come_from_standard_input(shell):
    shell.run("remember", "-", "--key", "long", stdin="two\nlines\n")
    assert live_texts(shell, "long") == ["two\nlines"]


@pytest.mark.parametrize(
    ("env", "name"), [({}, "tess"), ({"USER": "", "LOGNAME": "mara"}, "mara"), ({"USER": "ben", "LOGNAME": "x"}, "ben")]
)
def test_a_note_is_signed_with_the_login_name(shell, env, name):
    shell.run("remember", "Deploys happen on Tuesday", "--key", "k", **env)
    assert shell.run("--json", "why", "k").json[0]["provenance"]["fgraph/by"] == f"cli:{name}"


def test_the_same_request_again_changes_nothing(shell):
    words = ["--json", "remember", "once", "--key", "k", "--operation-id", "note-1"]
    assert [shell.run(*words).json["status"] for _ in range(2)] == ["applied", "already_applied"]


def test_forgetting_ends_facts_and_keeps_them_in_history(shell):
    shell.run("remember", "to be gone", "--key", "k")
    report = shell.run("--json", "forget", "k").json
    assert [fact["v"] for fact in report["retracted"]] == ["to be gone"]
    assert len(shell.run("--json", "history", "k").json) == 1


def test_digits_that_name_one_entity_and_number_another_are_not_guessed_at(shell):
    shell.run("remember", "the first", "--key", "first")
    kept = shell.run("remember", "the second", "--key", "65")
    assert kept.err == 'Warning: --key 65 reads like an id; where a command asks for REF, write \'{"id": "65"}\'\n'
    ran = shell.run("forget", "65")
    assert (ran.status, ran.err) == (1, (
        'TypeError: REF 65 is the id of one entity and the name of another; '
        """write '{"id":65}' for the one with that id, or '{"id":"65"}' for the one with that name\n"""
    ))  # fmt: skip
    for ref, text in (('{"id":"65"}', "the second"), ('{"id":65}', "the first")):
        assert [fact["v"] for fact in shell.run("--json", "forget", ref).json["retracted"]] == [text]


def test_digits_that_mean_one_entity_are_enough(shell):
    shell.run("remember", "the first", "--key", "99")
    assert len(shell.run("--json", "forget", "99").json["retracted"]) == 1
    shell.run("remember", "the first", "--key", "99")
    assert len(shell.run("--json", "forget", "65").json["retracted"]) == 1


@pytest.mark.parametrize("words", [["kk"], ["k", "memory/txt"], ["k", "memory/text", "to be gone?"]])
def test_forgetting_what_is_not_there_says_so(shell, words):
    shell.run("remember", "to be gone", "--key", "k")
    ran = shell.on_terminal("forget", *words, TERM="dumb")
    assert (ran.status, ran.out.splitlines()[1:]) == (0, [
        "  nothing matched, so nothing was forgotten; the transaction itself is recorded",
        "  see what there is: fgraph recall WORDS",
    ])  # fmt: skip
    assert shell.run("--json", "forget", *words).json["status"] == "applied"


@pytest.mark.parametrize(
    ("value", "word"), [("null", "null"), (7, "7"), ("7", "7"), ("plain", "plain"), (True, "true")]
)
def test_one_value_is_forgotten_by_its_text_else_by_its_json(shell, value, word):
    shell.run("add", json.dumps({"id": "k", "x/v": value, "x/w": 1}))
    report = shell.run("--json", "forget", "k", "x/v", word).json
    assert [fact["v"] for fact in report["retracted"]] == [value]


def test_a_vector_goes_with_the_text_it_was_made_of(shell):
    embedder = '["sh","-c","cat >/dev/null; echo [1,0]"]'
    shell.run("remember", "first", "--key", "k", "--embed-cmd", embedder)
    assert shell.run("--json", "get", "k").json["memory/embedding"] == {"vector": [1.0, 0.0]}
    assert shell.run("--json", "recall", "elsewhere", "--embed-cmd", embedder).json["hits"][0]["entity"] == "k"
    shell.run("remember", "second", "--key", "k")
    assert shell.run("--json", "get", "k").json == {"memory/text": "second"}


@pytest.mark.parametrize(
    "words", [["remember", "x"], ["recall", "x"], ["search", "--text", "x", "--vector-attribute", "a/b"]]
)
def test_a_failing_embedding_command_is_told_to_the_person_who_gave_it(shell, words):
    ran = shell.run("--json", *words, "--embed-cmd", "false")
    line, record = ran.err.splitlines()
    assert line.startswith("TypeError: the embedding command ended with status 1; give --embed-cmd a program, ")
    assert json.loads(record)["error"]["param"] == "embed_cmd"


# -- import-memory ----------------------------------------------------------------------------------------------------

GRAPH = [
    {"type": "entity", "name": "Ada Lovelace", "entityType": "person", "observations": ["wrote notes", "likes gales"]},
    {"type": "entity", "name": "fgraph/engine", "entityType": "machine", "observations": []},
    {"type": "relation", "from": "Ada Lovelace", "to": "fgraph/engine", "relationType": "writes for"},
    {"type": "relation", "from": "Ada Lovelace", "to": "Charles", "relationType": "knows"},
    {"type": "entity", "name": "Ada Lovelace", "entityType": "person", "observations": ["likes gales", "counts"]},
]


def as_lines(records: list) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def test_a_memory_file_becomes_facts_with_their_source(shell):
    shell.write("memory.jsonl", "\ufeff" + as_lines(GRAPH).replace("\n", "\r\n\n"))
    result = shell.run("--json", "import-memory", "memory.jsonl").json
    assert {key: result[key] for key in ("entities", "observations", "relations")} == {
        "entities": 2, "observations": 3, "relations": 2,
    }  # fmt: skip
    assert shell.run("--json", "get", "Ada Lovelace").json == {
        "memory/kind": "person",
        "memory/observation": ["wrote notes", "likes gales", "counts"],
        "relation/knows": [{"ref": "Charles"}],
        "relation/writes.-for": [{"ref": "%66graph/engine"}],
    }
    assert shell.run("--json", "get", "relation/writes.-for").json["fgraph/doc"] == "writes for"
    receipt = shell.run("--json", "tx", str(result["report"]["tx"])).json
    assert (receipt["by"], receipt["source"]) == ("cli:tess", "memory.jsonl")


def test_importing_again_changes_nothing_and_a_longer_file_adds_what_is_new(shell):
    shell.write("memory.jsonl", as_lines(GRAPH))
    shell.run("import-memory", "memory.jsonl")
    assert shell.run("--json", "import-memory", "memory.jsonl").json["report"]["status"] == "already_applied"
    more = {"type": "entity", "name": "Charles", "entityType": "person", "observations": ["builds"]}
    shell.write("memory.jsonl", as_lines([*GRAPH, more]))
    added = shell.run("--json", "import-memory", "memory.jsonl").json["report"]["asserted"]
    assert [(fact["e"], fact["v"]) for fact in added if fact["a"].startswith("memory/")] == [
        ("Charles", "person"), ("Charles", "builds"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        '{"type":"entity"',
        "[]",
        '{"type":"thing","name":"x"}',
        '{"type":"entity","name":"","entityType":"t","observations":[]}',
        '{"type":"entity","name":"x","entityType":5,"observations":[]}',
        '{"type":"entity","name":"x","entityType":"t","observations":"o"}',
        '{"type":"entity","name":"x","entityType":"t","observations":[1]}',
        '{"type":"relation","from":"x","to":"y"}',
        '{"type":"entity","name":"x","name":"y","entityType":"t","observations":[]}',
    ],
)
def test_a_damaged_line_is_named_and_nothing_is_imported(shell, line):
    ran = shell.run("import-memory", "-", stdin=as_lines(GRAPH[:1]) + "\n" + line + "\n")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("TypeError: line 3 ")
    assert list(shell.folder.iterdir()) == []


def test_a_file_without_a_memory_is_refused_and_creates_nothing(shell):
    ran = shell.run("import-memory", "-", stdin="\n")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith(
        "TypeError: standard input holds no entity and no relation; nothing was imported; a line "
    )
    assert list(shell.folder.iterdir()) == []


@pytest.mark.parametrize(
    ("word", "part"),
    [
        ("knows", "knows"),
        ("works_at", "works_at"),
        ("part-of.v2", "part-of.v2"),
        ("works at", "works.-at"),
        ("worksAt", "works.uat"),
        ("WORKS_AT", "works_at.x"),
        ("DEPENDS ON", "depends.-on.x"),
        ("é", "x.y.c3.a9"),
        ("Uses", "x.y.uuses"),
        ("_private", "x.y_private"),
        ("a.b0", "a.2eb0"),
        ("a.-b", "a.2e-b"),
        ("end.x", "end.2ex"),
        ("x.y", "x.2ey"),
        ("日本", "x.y.e6.97.a5.e6.9c.ac"),
    ],
)
def test_a_relation_type_is_mapped_by_a_reversible_rule(word, part):
    assert attribute_part(word) == part
    assert original_word(part) == word


@pytest.mark.parametrize(
    ("name", "mapped"),
    [
        ("Ada Lovelace", "Ada Lovelace"),
        ("100% done", "100% done"),
        ("a%41", "a%2541"),
        ("two\nlines", "two%0Alines"),
        ("fgraph/at", "%66graph/at"),
        ("%66graph/at", "%2566graph/at"),
        ("\x85", "%C2%85"),
        ("日本", "日本"),
    ],
)
def test_an_entity_name_is_mapped_by_a_reversible_rule(name, mapped):
    assert entity_name(name) == mapped
    assert original_name(mapped) == name
