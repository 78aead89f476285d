"""After an excision the bytes are gone: from the pages, the free ones too, the index, the log, and every stream."""

import os
import sqlite3

import pytest

import fgraph
from tests.portable.making import connect

WORD = "zebraquux"
SECRET = f"TOPSECRETVALUE {WORD}"
LONG = "TOPSECRETVALUE " + f"{WORD} padding " * 60


def raw(path) -> bytes:
    """Everything on the disk that belongs to the file."""
    parts = [path.parent / name for name in os.listdir(path.parent) if name.startswith(path.name)]
    return b"".join(part.read_bytes() for part in parts)


def residue(path) -> list[str]:
    # The index keeps words in lower case and without what they share with their neighbour, hence the tail of each.
    data = raw(path).lower()
    return [word for word in (WORD, "ebraquux", "topsecretvalue", "opsecretvalue") if word.encode() in data]


def fill(db: fgraph.Db) -> None:
    for number in range(40):
        db.transact({"id": f"other{number}", "n/t": f"harmless words {number}", "n/to": {"ref": "victim"}})


@pytest.mark.parametrize("others", [0, 1], ids=["alone", "beside an open reader"])
def test_no_byte_of_an_excised_text_is_left(tmp_path, others):
    path = tmp_path / "e.db"
    db = connect(path)
    readers = [connect(path, read_only=True) for _ in range(others)]
    fill(db)
    db.transact({"id": "victim", "n/t": SECRET, "n/long": LONG, "n/bytes": {"bytes": "VE9QU0VDUkVUVkFMVUU="}})
    db.transact({"id": "victim", "n/t": SECRET + " changed", "n/json": {"json": [SECRET]}})
    db.transact(["retract", "victim", "n/long"])
    fill(db)
    assert residue(path)
    db.excise("victim")
    assert residue(path) == []
    for reader in readers:
        assert SECRET not in reader.snapshot()
        reader.close()
    assert db.doctor()["ok"]
    db.close()
    assert residue(path) == []


def test_no_later_stream_holds_it(tmp_path):
    db = connect(tmp_path / "e.db")
    db.transact({"id": "victim", "n/t": SECRET})
    db.excise("victim")
    db.backup(tmp_path / "copy.db")
    fgraph_copy = connect(tmp_path / "restored.db")
    fgraph_copy.restore(db.snapshot())
    texts = [db.snapshot(), str(db.event_records()), str(db.history("victim")), fgraph_copy.snapshot()]
    assert not any(WORD in text for text in texts)
    assert residue(tmp_path / "copy.db") == residue(tmp_path / "restored.db") == []


def test_history_that_was_not_kept_leaves_no_byte_either(tmp_path):
    path = tmp_path / "n.db"
    db = connect(path)
    db.declare("n/secret", nohistory=True)
    db.transact({"id": "a", "n/secret": LONG})
    db.transact({"id": "a", "n/secret": "nothing"})
    db.compact()
    # The event of the first transaction still says what was written; only an excision erases that.
    assert WORD in str(db.event_records())
    db.excise("a")
    assert residue(path) == []


def test_a_file_that_another_program_wrote_carelessly_is_cleaned_by_compact(tmp_path):
    path = tmp_path / "c.db"
    db = connect(path)
    db.transact({"id": "victim", "n/t": SECRET, "n/long": LONG})
    db.close()
    careless = sqlite3.connect(path)
    careless.execute("PRAGMA secure_delete = OFF")
    careless.execute("CREATE TABLE extra (t)")
    careless.executemany("INSERT INTO extra VALUES (?)", [(LONG,)] * 50)
    careless.execute("DROP TABLE extra")
    careless.commit()
    careless.close()
    db = connect(path)
    db.excise("victim")
    assert residue(path)
    db.compact()
    assert residue(path) == []
