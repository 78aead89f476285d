"""Times as the reader's clock shows them, and points in time that are named by them."""

import json
import time

import pytest

from fgraph import errors
from fgraph.cli.times import from_local, is_local, local_time

BERLIN = "Europe/Berlin"


@pytest.fixture
def in_zone(monkeypatch):
    """Sets the reader's zone."""

    def choose(zone: str) -> None:
        monkeypatch.setenv("TZ", zone)
        time.tzset()

    yield choose
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("microseconds", "zone", "shown"),
    [
        (1767225604000000, "UTC", "2026-01-01 00:00:04"),
        (1767225604000001, "UTC", "2026-01-01 00:00:04.000001"),
        (1767225604000000, "Asia/Tokyo", "2026-01-01 09:00:04"),
        (-1, "UTC", "1969-12-31 23:59:59.999999"),
        (-62135596800000000, "UTC", "0001-01-01 00:00:00"),
        (253402300799999999, "UTC", "9999-12-31 23:59:59.999999"),
        (1782864000000000, BERLIN, "2026-07-01 02:00:00"),
    ],
)
def test_a_time_is_the_readers_own_and_is_taken_back(in_zone, microseconds, zone, shown):
    in_zone(zone)
    assert local_time(microseconds) == shown
    assert is_local(shown)
    in_zone("UTC")
    utc = local_time(microseconds).replace(" ", "T")
    in_zone(zone)
    assert from_local(shown, "--at").startswith(utc)


def test_a_time_that_local_clocks_cannot_show_in_four_digits_is_shown_in_utc(in_zone):
    in_zone("Asia/Tokyo")
    assert local_time(253402300799000000) == "9999-12-31T23:59:59.000000Z"


@pytest.mark.parametrize(
    ("shown", "utc"),
    [
        # 2026-10-25 at 03:00 summer time (UTC+2) clocks in Berlin go back to 02:00 (UTC+1).
        ("2026-10-25 01:59:59", "2026-10-24T23:59:59.000000Z"),
        ("2026-10-25 03:00:00", "2026-10-25T02:00:00.000000Z"),
        # 2026-03-29 at 02:00 (UTC+1) they go forward to 03:00 (UTC+2).
        ("2026-03-29 01:59:59.5", "2026-03-29T00:59:59.500000Z"),
        ("2026-03-29 03:00:00", "2026-03-29T01:00:00.000000Z"),
    ],
)
def test_beside_a_change_of_the_clocks_a_time_is_clear(in_zone, shown, utc):
    in_zone(BERLIN)
    assert from_local(shown, "--at") == utc


def test_an_hour_that_comes_twice_is_refused_with_both_readings(in_zone):
    in_zone(BERLIN)
    with pytest.raises(errors.TypeError, match='the clocks here showed "2026-10-25 02:30:00.5" twice') as raised:
        from_local("2026-10-25 02:30:00.5", "--at")
    assert raised.value.hint == "write 2026-10-25T00:30:00.500000Z or 2026-10-25T01:30:00.500000Z"


@pytest.mark.parametrize(
    ("zone", "shown"), [(BERLIN, "2026-03-29 02:30:00"), ("Pacific/Apia", "2011-12-30 12:00:00")], ids=["hour", "day"]
)
def test_a_time_that_the_clocks_left_out_is_refused(in_zone, zone, shown):
    in_zone(zone)
    with pytest.raises(errors.TypeError, match="the clocks here were set forward over") as raised:
        from_local(shown, "--at")
    assert raised.value.hint == "write the time with its zone, as in 2026-01-31T12:00:00+01:00"


@pytest.mark.parametrize("text", ["2026-02-30 12:00:00", "2026-01-31 24:00:00", "0000-01-01 00:00:00"])
def test_a_date_that_does_not_exist_is_no_time(text):
    with pytest.raises(errors.TypeError, match=f'--at: "{text}" is no time'):
        from_local(text, "--at")


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-31",
        "2026-01-31 12",
        "2026-01-31T12:00",
        "2026-01-31T12:00:00",
        "2026-01-31 12:00:00Z",
        "2026-01-31 12:00:00.",
    ],
)
def test_other_forms_are_not_those_of_tables(text):
    assert not is_local(text)


def test_a_minute_is_its_first_moment(in_zone):
    in_zone("UTC")
    assert from_local("2026-01-31 12:00", "--at") == from_local("2026-01-31 12:00:00", "--at")
    with pytest.raises(errors.TypeError, match='--at: "2026-01-31 24:00" is no time'):
        from_local("2026-01-31 24:00", "--at")


def test_what_tables_print_names_a_point_in_time_wherever_one_is_asked(shell):
    shell.env |= {"TZ": BERLIN, "FGRAPH_DB": "s.db"}
    shell.run("add", '{"id":"skerry","light/range":18}')
    shell.run("add", '{"id":"skerry","light/range":21}')
    first, second = "2026-01-01 01:00:01", "2026-01-01 01:00:02"  # an hour ahead of UTC
    assert f"{first}  tx 67" in shell.run("history", "skerry", "--format", "table").out
    assert shell.run("--json", "get", "skerry", "--at", first).json == {"light/range": 18}
    query = '{"find":["?r"],"where":[["skerry","light/range","?r"]]}'
    assert shell.run("--json", "q", query, "--at", first).json["rows"] == [[18]]
    assert "as of tx 67" in shell.run("view", "--at", first, "--format", "table").out
    by_id = shell.run("--json", "diff", "67", "68").json
    for since, until in (
        (first, second),
        ("2026-01-01T00:00:01Z", "2026-01-01T01:00:02+01:00"),
        ("1767225601000000", second),
    ):
        assert shell.run("--json", "diff", since, until).json == by_id


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["get", "a", "--at", "soon"], 2, "Error: --at takes a transaction id, microseconds, a time like "),
        (["diff", "64", "soon"], 2, "Error: T2 takes a transaction id, microseconds, a time like "),
        (["get", "a", "--at", "2026-01-31"], 1, 'TypeError: --at: "2026-01-31" is not an instant; give a transaction '),
        (["diff", "2026-01-31T12:00:00", "64"], 1, 'TypeError: T1: "2026-01-31T12:00:00" is not an instant; give a '),
        (["get", "a", "--at", "1"], 1, "NotFound: --at 1 is no transaction, and as a time it lies before the first "),
    ],
)
def test_a_point_in_time_that_is_none_is_named_with_the_forms(shell, words, status, said):
    shell.run("add", '{"id":"a"}')
    ran = shell.run(*words)
    assert (ran.status, ran.out) == (status, "")
    assert said in ran.err


@pytest.mark.parametrize(
    ("words", "shown", "field"),
    [
        (["get", "a", "--at", "2026-01-31"], "--at: ", "at"),
        (["get", "a", "--at", "1"], "--at 1 is ", "at"),
        (["get", "a", "--at", "9" * 20], "--at holds ", "at"),
        (["diff", "64", "2026-02-30 12:00:00"], "T2: ", "t2"),
        (["diff", "2026-02-30T12:00:00Z", "64"], "T1: ", "t1"),
        (["log", "--before", "9" * 20], "--before holds ", "before"),
    ],
)
def test_the_message_names_the_option_and_the_object_its_field(shell, words, shown, field):
    shell.run("add", '{"id":"a"}')
    error = json.loads(shell.run("--json", *words).err.splitlines()[1])["error"]
    assert error["message"].startswith(shown)
    assert error["param"] == field
