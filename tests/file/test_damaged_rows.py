"""Rows that no program of ours wrote: every read of them is a `FormatError`, never another exception."""

import contextlib
import random

import pytest

import fgraph
from fgraph import errors
from tests.file.making import GENESIS_AT, change

WHOLE = "UPDATE fgraph_facts SET"
DAMAGES = {
    "a boolean of two": f"{WHOLE} v = 2, t = 1 WHERE id = 41",
    "a boolean that is text": f"{WHOLE} v = 'x', t = 1 WHERE id = 41",
    "an integer that is text": f"{WHOLE} v = 'x', t = 2 WHERE id = 41",
    "a float that is an integer": f"{WHOLE} v = 1, t = 3 WHERE id = 41",
    "an infinite float": f"{WHOLE} v = 9e999, t = 3 WHERE id = 41",
    "a text that is a number": f"{WHOLE} v = 5, t = 4 WHERE id = 41",
    "an inline text that is too long": f"{WHOLE} v = printf('%.300c', 'x'), t = 4 WHERE id = 41",
    "a text that is not UTF-8": f"{WHOLE} v = CAST(x'ff' AS TEXT), t = 4 WHERE id = 41",
    "an instant out of range": f"{WHOLE} v = 9e15 * 100, t = 5 WHERE id = 41",
    "an instant that is text": f"{WHOLE} v = '2026-01-01', t = 5 WHERE id = 41",
    "bytes that are text": f"{WHOLE} v = 'x', t = 6 WHERE id = 41",
    "inline bytes that are too long": f"{WHOLE} v = zeroblob(257), t = 6 WHERE id = 41",
    "a reference to zero": f"{WHOLE} v = 0, t = 0 WHERE id = 41",
    "a reference that is text": f"{WHOLE} v = 'ada', t = 0 WHERE id = 41",
    "json that is a number": f"{WHOLE} v = 5, t = 10 WHERE id = 41",
    "json that does not parse": f"{WHOLE} v = '[', t = 10 WHERE id = 41",
    "json that is not canonical": f"{WHOLE} v = '[1, 2]', t = 10 WHERE id = 41",
    "json with a lone surrogate": f"{WHOLE} v = '\"\\ud800\"', t = 10 WHERE id = 41",
    "a key that is an integer": f"{WHOLE} v = 5, t = 8 WHERE id = 41",
    "a key of 31 bytes": f"{WHOLE} v = zeroblob(31), t = 7 WHERE id = 41",
    "a key without payload": f"{WHOLE} v = zeroblob(32), t = 9 WHERE id = 41",
    "a payload that was cut": "UPDATE fgraph_blobs SET data = substr(data, 2)",
    "a payload that was changed": "UPDATE fgraph_blobs SET data = 'x' || substr(data, 2)",
    "a payload of another class": "UPDATE fgraph_blobs SET data = CAST(data AS BLOB)",
    "a payload that is not UTF-8": "UPDATE fgraph_blobs SET data = CAST(x'ff' || data AS TEXT)",
    "a payload that is gone": "DELETE FROM fgraph_blobs",
}
READS = {
    "entity": lambda db: db.entity("ada"),
    "history": lambda db: db.history("ada"),
    "why": lambda db: db.why("ada"),
    "diff": lambda db: db.diff(64, 70),
    "entity in a view": lambda db: db.at(70).entity("ada"),
    "a nested entity": lambda db: db.entity("friend", 3),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The bytes of a file: ada (65) with a short text in fact 41 and a long one in 42, and a friend; transaction 70."""
    path = tmp_path_factory.mktemp("made") / "facts.db"
    with fgraph.connect(path, clock=GENESIS_AT) as db:
        db.transact([{"id": "ada", "p/a": "short", "p/bio": "b" * 300}, {"id": "friend", "p/of": {"ref": "ada"}}])
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, made):
    path = tmp_path / "facts.db"
    path.write_bytes(made)
    return path


@pytest.mark.parametrize("sql", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_value_is_a_format_error_in_every_read(path, sql):
    change(path, sql)
    with fgraph.connect(path) as db:
        for name, read in READS.items():
            with pytest.raises(errors.FormatError):
                pytest.fail(f"{name} answered {read(db)!r}")


def test_the_file_is_sound_before_it_is_damaged(path):
    with fgraph.connect(path) as db:
        assert [fact["id"] for fact in db.history("ada")] == [41, 42]
        assert all(read(db) for read in READS.values())


TRANSACTION_DAMAGES = {
    "a time that is text": "UPDATE fgraph_facts SET v = 'now', t = 4 WHERE e = 70 AND a = 1",
    "a time that is an integer": "UPDATE fgraph_facts SET t = 2 WHERE e = 70 AND a = 1",
    "a time that is no integer": "UPDATE fgraph_facts SET v = 1.5 WHERE e = 70 AND a = 1",
    "no time": "DELETE FROM fgraph_facts WHERE e = 70 AND a = 1",
    "an event id that is gone": "UPDATE fgraph_ids SET gid = NULL, name = 'tx' WHERE id = 70",
}


@pytest.mark.parametrize("sql", TRANSACTION_DAMAGES.values(), ids=TRANSACTION_DAMAGES.keys())
def test_a_damaged_transaction_has_no_receipt(path, sql):
    change(path, sql)
    with fgraph.connect(path) as db, pytest.raises(errors.FormatError):
        db.receipt(70)


def test_a_meta_that_is_no_json_is_shown_as_it_is(path):
    """A tag of another type is `doctor`'s business; the read does not fall over it."""
    change(path, "INSERT INTO fgraph_facts (e, a, v, t, tx) VALUES (70, 4, 'text', 4, 70)")
    with fgraph.connect(path) as db:
        assert db.receipt(70)["meta"] == "text"


def test_a_reference_to_an_identity_that_is_gone_is_shown_as_its_number(path):
    change(path, "UPDATE fgraph_facts SET v = 999 WHERE t = 0 AND e = 68")
    with fgraph.connect(path) as db:
        assert db.entity("friend") == {"p/of": {"ref": 999}}


NEXT_ID = {
    "missing": ("DELETE FROM fgraph_meta WHERE key = 'next_id'", errors.FormatError),
    "text": ("UPDATE fgraph_meta SET value = '71' WHERE key = 'next_id'", errors.FormatError),
    "a float": ("UPDATE fgraph_meta SET value = 71.5 WHERE key = 'next_id'", errors.FormatError),
    "below the first": ("UPDATE fgraph_meta SET value = 64 WHERE key = 'next_id'", errors.FormatError),
    "one that is taken": ("UPDATE fgraph_meta SET value = 70 WHERE key = 'next_id'", errors.FormatError),
    "the last one": ("UPDATE fgraph_meta SET value = 9223372036854775807 WHERE key = 'next_id'", errors.TooLarge),
    "no room for two": ("UPDATE fgraph_meta SET value = 9223372036854775805 WHERE key = 'next_id'", errors.TooLarge),
}


@pytest.mark.parametrize(("sql", "error"), NEXT_ID.values(), ids=NEXT_ID.keys())
def test_a_damaged_counter_shows_at_the_next_write_and_harms_no_read(path, sql, error):
    change(path, sql)
    with fgraph.connect(path) as db:
        before = db.entity("ada")
        with pytest.raises(error):
            db.transact([{"id": "new", "p/new": 1}, {"id": "newer", "p/newest": 1}])
        assert db.entity("ada") == before
        assert db.stats()["transactions"] == 2


def test_a_file_without_transactions_is_a_format_error(path):
    change(path, "DELETE FROM fgraph_events")
    with fgraph.connect(path) as db, pytest.raises(errors.FormatError, match="no transactions"):
        db.stats()


def test_a_name_that_is_not_utf_8_is_a_format_error(path):
    change(path, "UPDATE fgraph_ids SET name = CAST(x'ff' AS TEXT) WHERE name = 'p/a'")
    with fgraph.connect(path) as db, pytest.raises(errors.FormatError):
        db.entity("ada")


CALLS = {
    **READS,
    "receipt": lambda db: db.receipt(70),
    "stats": lambda db: db.stats(),
    "schema": lambda db: db.schema(),
    "validate": lambda db: db.validate("ada"),
    "transact": lambda db: db.transact({"id": "ada", "p/a": "new", "p/bio": "n" * 300}),
    "retract": lambda db: db.retract("friend"),
}


def scribble(data: bytes, generator: random.Random) -> bytes:
    """The bytes with a few of them changed, most often in the header, the schema and the first rows."""
    found = bytearray(data)
    for _ in range(generator.choice([1, 2, 6])):
        place = int(len(found) * generator.random() ** 2)
        noise = generator.randbytes(generator.choice([1, 1, 8, 60]))
        found[place : place + len(noise)] = noise
    return bytes(found[: len(data)])


@pytest.mark.parametrize("seed", range(8))
def test_scribbled_bytes_never_raise_anything_else(path, made, seed):
    generator = random.Random(seed)
    for _ in range(5):
        path.write_bytes(scribble(made, generator))
        with contextlib.suppress(errors.FormatError), fgraph.connect(path) as db:
            for call in CALLS.values():
                with contextlib.suppress(errors.FGraphError):
                    call(db)


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9])
def test_a_file_that_was_cut_never_raises_anything_else(path, kept):
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * kept)])
    with pytest.raises(errors.FormatError):
        with fgraph.connect(path) as db:
            for read in READS.values():
                read(db)
            db.transact([{"id": f"n{number}", "p/t": "x" * 200} for number in range(500)])


@pytest.mark.parametrize("tag", [11, -1])
def test_a_tag_that_there_is_not_is_a_format_error_also_in_the_schema(path, tag):
    change(path, "PRAGMA ignore_check_constraints = ON", f"UPDATE fgraph_facts SET t = {tag} WHERE id = 41")
    with fgraph.connect(path) as db:
        for read in (*READS.values(), lambda db: db.schema(), lambda db: db.attributes()):
            with pytest.raises(errors.FormatError):
                read(db)
