"""The add command: one document, one document a line, batches, and what stays when something is wrong."""

import json

import pytest

TWO = '{"id":"a","x/n":1}\n{"id":"b","x/n":2}\n'


def names(shell, *wanted: str) -> list[bool]:
    """Which of the entities exist."""
    return [shell.run("get", name).status == 0 for name in wanted]


@pytest.mark.parametrize(
    "raw",
    [
        TWO.encode(),
        TWO.rstrip().encode(),
        TWO.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + TWO.encode(),
        TWO.replace("\n", "\n\n \n").encode(),
    ],
    ids=["plain", "no last line feed", "carriage returns", "UTF-8 mark", "blank lines"],
)
@pytest.mark.parametrize("way", ["-", "@lines.ndjson"])
def test_each_line_becomes_a_transaction_of_its_own(shell, raw, way):
    shell.write("lines.ndjson", raw)
    ran = shell.run("--json", "add", way, stdin=raw)
    assert ran.err == ""
    assert [(report["status"], list(report["ids"])) for report in ran.json] == [("applied", ["a"]), ("applied", ["b"])]


def test_lines_may_stand_in_the_argument_itself(shell):
    assert len(shell.run("--json", "add", TWO).json) == 2


def test_one_document_may_spread_over_lines(shell):
    report = shell.run("--json", "add", "-", stdin='[\n {"id": "a",\n  "x/n": 1}\n]\n').json
    assert report["ids"] == {"a": 65}


def test_a_separator_of_unicode_inside_a_string_breaks_no_line(shell):
    text = "before\u2028between\u0085after"
    lines = json.dumps({"id": "a", "x/t": text}, ensure_ascii=False) + '\n{"id":"b"}\n'
    assert len(shell.run("--json", "add", "-", stdin=lines).json) == 2
    assert shell.run("--json", "get", "a").json == {"x/t": text}


def test_utf_16_is_refused_by_its_name(shell):
    for options in ([], ["--batch-size", "2"]):
        ran = shell.run("add", "-", *options, stdin=TWO.encode("utf-16"))
        assert ran.status == 1
        assert ran.err.startswith("FormatError: standard input is UTF-16 text")


def test_lines_are_all_or_nothing(shell):
    shell.run("init")
    ran = shell.run("add", "-", stdin='{"id":"c3","t/x":1}\n{"id":"d3","t/x":null}\n')
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("TypeError: ")
    assert names(shell, "c3", "d3") == [False, False]


def test_a_bad_line_is_named_by_number_and_fault(shell):
    shell.run("init")
    ran = shell.run("add", "-", stdin='{"id":"a"}\n\n{"id":\n')
    assert ran.err == "TypeError: line 3 is not JSON at column 7: Expecting value\n"
    assert names(shell, "a") == [False]


def test_a_broken_document_is_named_where_it_breaks(shell):
    ran = shell.run("add", "-", stdin='[\n {"id": "a",\n  "x/n": }\n]\n')
    assert ran.err.startswith("TypeError: DATA is not JSON at line 3 column 10: ")
    assert "nor is it one document per line" in ran.err


@pytest.mark.parametrize("line", ['{"id":"a","id":"b"}', '{"id":"a","x/n":NaN}'])
def test_only_a_syntax_error_makes_lines_of_a_document(shell, line):
    ran = shell.run("add", "-", stdin=f"[{line},\n{line}]\n")
    assert ran.err.startswith("TypeError: DATA ")


def test_lines_take_no_guard(shell):
    shell.run("init")
    for guard in (["--operation-id", "o"], ["--if-basis-tx", "64"]):
        ran = shell.run("add", "-", *guard, stdin=TWO)
        assert (ran.status, ran.out) == (1, "")
        assert ran.err.startswith(f"TypeError: {guard[0]} cannot guard")


def test_a_write_is_signed_as_it_says(shell):
    shell.run("add", '{"id":"a","x/n":1}', "--by", "ana", "--source", "sheet 7", "--meta", '{"row":3}')
    receipt = shell.run("--json", "tx", "67").json
    assert (receipt["by"], receipt["source"], receipt["meta"]) == ("ana", "sheet 7", {"row": 3})


# -- batches ----------------------------------------------------------------------------------------------------------

FIVE = "".join(f'{{"id":"e{number}","x/n":{number}}}\n' for number in range(5))


def test_batches_commit_as_they_fill_and_can_be_repeated(shell):
    words = ["--json", "add", "-", "--batch-size", "2", "--operation-id-prefix", "load"]
    # e0 x/n e1 and the transaction, e2 e3 and the transaction, e4 and the transaction: 65 to 72.
    counted = {"basis_tx": 73, "batches": 3, "items": 5, "noop": 0, "tx": 73}
    assert shell.run(*words, stdin=FIVE).json == {"applied": 3, "already_applied": 0, **counted}
    assert shell.run(*words, stdin=FIVE).json == {"applied": 0, "already_applied": 3, **counted}
    assert shell.run("--json", "tx", "68").json["operation_id"] == "load:00000000"
    other = shell.run("add", "-", "--batch-size", "3", "--operation-id-prefix", "load", stdin=FIVE)
    assert other.err.startswith("Conflict: ")


def test_a_batch_that_changes_nothing_tells_the_head(shell):
    shell.run("add", "-", "--batch-size", "5", stdin=FIVE)
    again = shell.run("--json", "add", "-", "--batch-size", "5", stdin=FIVE).json
    assert again == {
        "applied": 0, "already_applied": 0, "basis_tx": 71, "batches": 1, "items": 5, "noop": 1, "tx": None,
    }  # fmt: skip


def test_earlier_batches_stay_when_a_line_is_bad_and_the_message_says_so(shell):
    bad = '{"id":"kept","x/n":1}\n\n{"id":"lost","x/n":\n'
    ran = shell.run("add", "-", "--batch-size", "1", stdin=bad)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.startswith("TypeError: line 3 is not JSON at column 20: ")
    assert "; committed before it: 1 batch with 1 item; " in ran.err
    assert names(shell, "kept", "lost") == [True, False]


CAS_ADVICE = "read the entity again and decide anew"
COMMITTED = "committed before it: 1 batch with 2 items"
REPEATS = f"{COMMITTED}; remove the lines that are committed before you run it again"
GOES_ON = f"{COMMITTED}; when this is mended, the same command goes on from there"


def test_a_command_with_operation_ids_goes_on_after_a_failed_batch_when_it_is_mended(shell):
    words = ["--json", "add", "-", "--batch-size", "2", "--operation-id-prefix", "load"]
    bad = '{"x/n":1}\n{"x/n":2}\n{"x/n":null}\n'
    assert shell.run(*words, stdin=bad).err.splitlines()[0].endswith(f"; {GOES_ON}")
    mended = shell.run(*words, stdin=bad.replace("null", "3")).json
    assert (mended["already_applied"], mended["applied"], mended["noop"]) == (1, 1, 0)


def test_a_failed_batch_keeps_the_advice_of_its_fault_and_names_the_line(shell):
    lines = '{"id":"a","x/n":1}\n\n{"id":"b","x/n":2}\n{"id":"c"}\n["cas","a","x/n",7,8]\n'
    ran = shell.run("--json", "add", "-", "--batch-size", "2", stdin=lines)
    line, record = ran.err.splitlines()
    fault = 'line 5: cas expected 7 as "x/n" of "a", which holds 1'
    assert line == f"Conflict: {fault}; {CAS_ADVICE}; {REPEATS}"
    error = json.loads(record)["error"]
    assert (error["message"], error["hint"], error["param"]) == (fault, f"{CAS_ADVICE}; {REPEATS}", "data")


def test_a_fault_of_a_first_batch_is_named_by_its_line_alone(shell):
    ran = shell.run("add", "-", "--batch-size", "2", stdin='{"id":"a","x/n":1}\n\n["cas","a","x/n",7,8]\n')
    assert ran.err == 'NotFound: line 3: "a" does not exist; check the spelling, or search for it\n'


@pytest.mark.parametrize("size", ["1", "2"])
def test_a_value_that_cannot_be_written_is_named_by_its_line_and_attribute(shell, size):
    ran = shell.run("--json", "add", "-", "--batch-size", size, stdin='{"id":"a","x/n":1}\n\n{"id":"b","x/n":null}\n')
    error = json.loads(ran.err.splitlines()[1])["error"]
    assert (error["message"], error["param"]) == ("line 3: x/n is null", "x/n")


def test_a_fault_that_is_about_no_item_names_the_lines_of_its_batch(shell):
    words = ["add", "-", "--batch-size", "2", "--operation-id-prefix", "load"]
    shell.run(*words, stdin='{"id":"a"}\n{"id":"b"}\n')
    ran = shell.run(*words, stdin='\n{"id":"a"}\n{"id":"c"}\n')
    assert ran.err.startswith('Conflict: lines 2 to 3: operation_id "load:00000000" ')


def test_a_line_that_cannot_be_written_is_named(shell):
    ran = shell.run("add", "-", stdin='{"id":"a","x/n":1}\n\n[{"id":"b"},{"id":"c","x":1}]\n')
    assert ran.err.startswith('SchemaError: line 3: data[1] "x" is not an attribute name; write namespace/name ')
    ran = shell.run("add", "-", stdin='{"id":"a","x/n":1}\n["cas","a","x/n",7,8]\n')
    assert ran.err == f'Conflict: line 2: cas expected 7 as "x/n" of "a", which holds 1; {CAS_ADVICE}\n'


def test_a_guard_is_for_a_single_batch(shell):
    shell.run("init")
    assert shell.run("add", "-", "--batch-size", "5", "--operation-id", "all", stdin=FIVE).status == 0
    for guard in (["--operation-id", "part"], ["--if-basis-tx", "71"]):
        ran = shell.run("add", "-", "--batch-size", "2", *guard, stdin=FIVE.replace("e", "f"))
        assert ran.err.startswith(f"TypeError: {guard[0]} cannot guard more than one batch")
    assert names(shell, "f0", "f4") == [False, False]


@pytest.mark.parametrize("line", ['[{"id":"a"}]', '"assert"', "5", "[]", "null"])
def test_an_item_that_is_neither_record_nor_operation_is_named_by_line(shell, line):
    ran = shell.run("add", "-", "--batch-size", "5", stdin=f'{{"id":"a"}}\n{line}\n')
    assert ran.err.startswith("TypeError: line 2 is neither a record nor an operation")


def test_operations_and_records_mix_in_batches(shell):
    lines = '["assert","a","x/n",1]\n{"id":"b","x/n":2}\n["retract","c"]\n'
    assert shell.run("--json", "add", "-", "--batch-size", "2", stdin=lines).json["items"] == 3
    assert names(shell, "a", "b") == [True, True]
