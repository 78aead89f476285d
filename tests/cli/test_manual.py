"""The manual, the help and the parser say the same, and every example works."""

import shlex
import shutil
from importlib import import_module

import pytest

from fgraph.cli import clients, completion, table, usage
from fgraph.cli.catalogue import COMMANDS, MODULES, common
from fgraph.cli.catalogue.common import GROUPS
from fgraph.values import logical
from tests.cli.manual import BEGIN, MANUAL, reference

FACTS = [
    ["declare", "light/keeper", "--ref", "--doc", "Who tends the lamp"],
    ["declare", "light/tags", "--many"],
    [
        "add",
        '{"id":"skerry","light/range":18,"light/tags":["granite","remote"],"light/keeper":{"ref":"mara"}}',
        "--by",
        "ana",
    ],
    ["add", '{"id":"skerry","light/range":21}', "--by", "mara", "--source", "gauge"],
]
MEMORY = '{"type":"entity","name":"Ada","entityType":"person","observations":["Likes gales"]}\n'


def test_the_reference_in_the_manual_is_that_of_the_parser():
    assert MANUAL.read_text(encoding="utf-8").partition(BEGIN)[2] == "\n" + reference()


def test_the_root_help_lists_every_command_in_its_group_and_every_shared_option():
    text = usage.root_help()
    for name, command in COMMANDS.items():
        assert f"\n  {name:<15}{command.summary}\n" in text
    assert [text.index(f"\n{group}:\n") for group in GROUPS] == sorted(text.index(f"\n{group}:\n") for group in GROUPS)
    for word in ("--db PATH", "--json", "--query-budget N", "FGRAPH_DB", "FGRAPH_QUERY_BUDGET"):
        assert word in text


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_lists_all_it_takes(name):
    command = COMMANDS[name]
    text = usage.command_help(command)
    for argument in command.arguments:
        assert f"\n  {argument.metavar} " in text
    for option in table.accepted(command):
        assert f"\n  {option.flag}" in text
        assert option.env in text
    assert command.examples
    assert all(f"\n  fgraph {example}\n" in text for example in command.examples)


def test_help_fits_eighty_columns():
    for text in [usage.root_help(), *(usage.command_help(command) for command in COMMANDS.values())]:
        lines, _, examples = text.partition("\nexamples:\n")
        assert max(map(len, lines.splitlines())) <= 80


@pytest.fixture(scope="module")
def prepared(module_shell):
    """A folder with the files that the examples name, and a database that each example gets a copy of."""
    shell = module_shell
    shell.env["FGRAPH_DB"] = "prepared.db"
    for ran in shell.many(FACTS):
        assert ran.status == 0, ran.err
    events, snapshot, schema = (shell.run(word).out for word in ("tail", "snapshot", "schema-export"))
    shell.write("events.ndjson", events)
    shell.write("snapshot.ndjson", snapshot)
    shell.write("schema.json", schema)
    shell.write("facts.ndjson", '{"id":"farne","light/range":12}\n')
    shell.write("memory.jsonl", MEMORY)
    return shell


def test_every_example_works(prepared):
    lines = [(command, shlex.split(example)) for command in COMMANDS.values() for example in command.examples]
    ready = []
    for number, (command, words) in enumerate(lines):
        if command.name == "mcp":
            continue
        copy = f"{number}.db"
        if command.name not in ("init", "restore"):
            shutil.copy(prepared.folder / "prepared.db", prepared.folder / copy)
        ready.append([*words, "--db", copy] if command.takes_db else words)
    for words, ran in zip(ready, prepared.many(ready), strict=True):
        assert (ran.status, ran.err) == (0, ""), words


def test_the_server_of_the_example_starts_and_ends_with_its_input(prepared):
    ran = prepared.spawn(*shlex.split(COMMANDS["mcp"].examples[0]))
    assert (ran.status, ran.out, ran.err) == (0, "", "")


def test_help_and_usage_errors_touch_no_file(shell):
    lines = [["--help"], ["get", "--help"], ["version"], ["get"], ["nosuch"]]
    assert [ran.status for ran in shell.many(lines, FGRAPH_DB="")] == [0, 0, 0, 2, 2]
    assert list(shell.folder.iterdir()) == []


def test_the_fixed_words_of_the_table_are_those_of_the_code():
    assert set(common.TYPES) == logical.TYPES
    assert list(common.SHELLS) == list(completion.SCRIPTS)
    assert list(common.CLIENTS) == list(clients.CLIENTS)


def test_the_index_names_the_commands_that_each_module_describes():
    for module, names in MODULES.items():
        described = import_module(f"fgraph.cli.catalogue.{module}").COMMANDS
        assert [command.name for command in described] == names.split()
        assert len({command.group for command in described}) == 1
