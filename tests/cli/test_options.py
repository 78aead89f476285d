"""What the options of single commands do."""

import json
import shutil

import pytest

# 65 light/range, 66 skerry ... : each line of the fixture is one transaction.
SKERRY = [
    ["add", '{"id":"skerry","light/range":18}', "--by", "ana"],  # tx 67
    ["add", '{"id":"skerry","light/range":21}', "--by", "mara"],  # tx 68
    ["add", '{"id":"skerry","light/range":24}'],  # tx 69
]


@pytest.fixture(scope="module")
def written(module_shell):
    """Three transactions on one value, one second apart, from 2026-01-01 00:00:01 UTC."""
    assert [ran.status for ran in module_shell.many(SKERRY, FGRAPH_DB="s.db")] == [0, 0, 0]
    return module_shell.folder / "s.db"


@pytest.fixture
def skerry(shell, written):
    """A shell with a database of its own that holds what was written."""
    shell.env["FGRAPH_DB"] = "s.db"
    shutil.copy(written, shell.folder)
    return shell


@pytest.mark.parametrize(
    ("at", "value"),
    [
        ("67", 18),
        ("68", 21),
        ("1767225602000000", 21),
        ("1767225602999999", 21),
        ("2026-01-01T00:00:01Z", 18),
        ("2026-01-01T01:00:02.5+01:00", 21),
        ("2030-01-01T00:00:00Z", 24),
    ],
)
def test_an_entity_is_read_as_of_a_transaction_or_a_time(skerry, at, value):
    assert skerry.run("--json", "get", "skerry", "--at", at).json == {"light/range": value}


def test_a_time_that_is_none_shows_the_usage_of_its_command(skerry):
    assert skerry.run("get", "skerry", "--at", "soon").err.startswith("usage: fgraph get ")


def test_a_query_is_answered_as_of_a_transaction(skerry):
    query = '{"find":["?r"],"where":[["skerry","light/range","?r"]]}'
    assert skerry.run("--json", "q", query, "--at", "67").json["rows"] == [[18]]
    assert skerry.run("--json", "q", query).json["rows"] == [[24]]


def test_a_query_may_come_from_a_file_or_from_standard_input(skerry):
    query = '{"find":["?r"],"where":[["skerry","light/range","?r"]]}'
    skerry.write("q.json", query)
    assert skerry.run("--json", "q", "@q.json").json == skerry.run("--json", "q", "-", stdin=query).json


def test_history_can_be_limited_to_the_newest(skerry):
    assert [fact["v"] for fact in skerry.run("--json", "history", "skerry", "--limit", "2").json] == [21, 24]


def test_a_log_lists_the_latest_transactions_and_goes_on_before_one(skerry):
    same = {"operation_id": None, "asserted": 1, "entities": 1, "about": ["skerry"]}
    newest = same | {"tx": 69, "at": 1767225603000000, "retracted": 1}
    oldest = same | {"tx": 67, "at": 1767225601000000, "retracted": 0, "by": "ana"}
    assert skerry.run("--json", "log", "--limit", "1").json == [newest]
    assert skerry.run("--json", "log", "--before", "68").json == [oldest]
    assert skerry.run("log", "--limit", "1", "--format", "table").out.endswith("\nmore: --before 69\n")


def test_a_log_has_a_largest_size(skerry):
    for number in ("0", "1001"):
        ran = skerry.run("log", "--limit", number)
        assert (ran.status, ran.err) == (1, f"TypeError: --limit is {number}; give a number from 1 to 1000\n")


def test_a_tail_has_both_ends(skerry):
    def values(*options: str) -> list[int]:
        return [json.loads(line)["asserted"][-1][2] for line in skerry.run("tail", *options).out.splitlines()]

    assert values() == [18, 21, 24]
    assert values("--since", "67") == [21, 24]
    assert values("--until", "68") == [18, 21]
    assert values("--since", "67", "--until", "68") == [21]
    assert values("--limit", "1") == [18]
    assert values("--follow", "--until", "68") == [18, 21]
    assert values("--since", "69") == []


def test_undo_can_refuse_to_overwrite(skerry):
    ran = skerry.run("undo", "67", "--strict")
    assert ran.status == 0, ran.err  # nothing of it is left to take back
    assert skerry.run("undo", "68", "--strict").err.startswith("Conflict: ")
    assert skerry.run("--json", "undo", "68", "--by", "ana").json["status"] == "applied"
    assert skerry.run("--json", "get", "skerry").json == {"light/range": 18}


def test_a_strict_check_ends_with_status_one(skerry):
    skerry.run("declare", "light/code", "--type", "text")
    skerry.write("other.json", '{"fgraph":"schema/1","attributes":[]}')
    skerry.write("same.json", skerry.run("schema-export").out)
    for name, status in (("other.json", 1), ("same.json", 0)):
        assert skerry.run("schema-check", f"@{name}").status == 0
        assert skerry.run("schema-check", f"@{name}", "--strict").status == status
    assert skerry.run("doctor", "--strict").status == 0
    assert skerry.run("validate", "skerry", "--strict").status == 0


def test_a_guard_refuses_what_was_decided_on_an_older_state(skerry):
    ran = skerry.run("add", '{"id":"skerry","light/range":30}', "--if-basis-tx", "68")
    assert ran.err.startswith("Conflict: ")
    assert skerry.run("retract", "skerry", "--if-basis-tx", "69").status == 0


@pytest.mark.parametrize(
    ("word", "status", "said"),
    [
        ('"24"', 1, "TypeError"),
        ("24", 0, "applied"),
        ("25", 0, "noop"),
        ("remote", 1, "TypeError"),
        ("null", 1, "TypeError"),
        ("{", 1, "TypeError"),
    ],
)
def test_the_value_of_a_retract_is_json(skerry, word, status, said):
    skerry.run("declare", "light/range", "--type", "int")
    ran = skerry.run("--json", "retract", "skerry", "light/range", word)
    assert (ran.status, ran.json["status"] if status == 0 else ran.err.partition(":")[0]) == (status, said)


def test_a_stream_can_be_taken_in_by_parts(skerry):
    events = skerry.run("tail").out
    ran = skerry.run("--db", "r.db", "--json", "apply", "--batch-size", "2", stdin=events)
    assert ran.json == {"already_applied": 0, "applied": 3, "basis_tx": 69, "events": 3, "noop": 0}
    again = skerry.run("--db", "r.db", "--json", "apply", "--batch-size", "2", stdin=events + "{\n")
    assert again.err.startswith("TypeError: the record on line 4 is not JSON")
    assert "; committed before it: 2 events; " in again.err
    assert skerry.run("--db", "r.db", "tail").out == events


def test_a_failed_part_of_a_stream_keeps_the_advice_of_its_fault_and_names_the_line(skerry):
    first, second, third = skerry.run("tail").out.splitlines(keepends=True)
    stream = first + second + "\n" + first.replace('"at":1767225601000000', '"at":1767225609000000') + third
    ran = skerry.run("--db", "r.db", "apply", "--batch-size", "2", stdin=stream)
    assert ran.err.startswith("Conflict: line 4: the file has another event ")
    assert ran.err.endswith(
        "; one of the files was changed; committed before it: 2 events; "
        "when this is mended, the same command goes on from there\n"
    )


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("ending", [b"\n", b"\r\n"])
@pytest.mark.parametrize("command", ["apply", "restore"])
def test_streams_may_have_a_mark_and_carriage_returns(skerry, mark, ending, command):
    stream = skerry.run("tail" if command == "apply" else "snapshot").out.encode()
    skerry.write("stream.ndjson", mark + stream.replace(b"\n", ending))
    assert skerry.run("--db", "r.db", command, "stream.ndjson").status == 0
    assert skerry.run("--db", "r.db", "tail").out == skerry.run("tail").out


def test_a_stream_in_utf_16_is_refused_by_its_name(skerry):
    skerry.write("stream.ndjson", skerry.run("tail").out.encode("utf-16"))
    ran = skerry.run("--db", "r.db", "apply", "stream.ndjson")
    assert ran.err.startswith('FormatError: "stream.ndjson" is UTF-16 text; save it as UTF-8')
    assert not (skerry.folder / "r.db").exists()


def test_a_stream_that_breaks_off_changes_nothing_and_names_the_line(skerry):
    skerry.write("stream.ndjson", skerry.run("tail").out[:-20])
    ran = skerry.run("--db", "r.db", "apply", "stream.ndjson")
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("TypeError: ")
    assert "line 3" in ran.err
    assert not (skerry.folder / "r.db").exists()


def test_watch_tells_each_fact_with_its_author(skerry):
    lines = skerry.run("watch", "--since", "67", "--limit", "1").out.splitlines()
    same = {"a": "light/range", "e": "skerry", "tx": 68, "at": 1767225602000000, "by": "mara", "source": None}
    assert [json.loads(line) for line in lines] == [same | {"v": 18, "added": False}, same | {"v": 21, "added": True}]


def test_compacting_tells_what_was_won(skerry):
    result = skerry.run("--json", "compact").json
    assert result["bytes_won"] == result["bytes_before"] - result["bytes_after"]
    assert skerry.run("compact", "--format", "table").out.endswith(" won\n")
