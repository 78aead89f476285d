"""Writing snapshots: the lines, the basis they are taken at, and what is read meanwhile."""

import hashlib
import io

import pytest

import fgraph
from fgraph.values.canonical import canonical
from tests.portable.making import GENESIS, connect, records, story

EXAMPLE = """\
{"basis":"1059adb4-3ea0-4534-9f1d-6d8be378efc2","created_at":1767225600000000,"fgraph":"snapshot/1","format":2}
{"receipt":{"at":1767225601000000,"created":["skerry","light/range"],"event":"45a119e9-b2bb-4d5e-ae39-2b726579fde9",\
"event_data":{"asserted":[["skerry","light/range",18,"int"]],"at":1767225601000000,"created":["skerry","light/range"],\
"event":"45a119e9-b2bb-4d5e-ae39-2b726579fde9","fgraph":"event/1","retracted":[]},\
"event_hash":"227b0dbaa6c0bf438f9c66e9251f185d138a7eb2ab00013a2db40aed51f5847c","operation_id":"op1",\
"origin_at":1767225601000000,"request_hash":"45caa4fc2d3592b711b34bb5a087a0db6fa4fae899c50d996f5c0386030e5729"}}
{"receipt":{"at":1767225602000000,"created":[{"eid":"5e095268-3c3b-50cc-aa0e-21c6154ae595"},"n/t"],\
"event":"1059adb4-3ea0-4534-9f1d-6d8be378efc2","event_data":{"asserted":[["skerry","light/range",21,"int"],\
[{"eid":"5e095268-3c3b-50cc-aa0e-21c6154ae595"},"n/t","anon","text"]],"at":1767225602000000,\
"created":[{"eid":"5e095268-3c3b-50cc-aa0e-21c6154ae595"},"n/t"],"event":"1059adb4-3ea0-4534-9f1d-6d8be378efc2",\
"fgraph":"event/1","retracted":[["skerry","light/range",18,"int"]]},\
"event_hash":"94d5f017feafb3241db1a36b0ed5e817084362fca484c813c63bb9ad8b5ad88f","operation_id":null,\
"origin_at":1767225602000000,"request_hash":null}}
{"fact":[{"eid":"45a119e9-b2bb-4d5e-ae39-2b726579fde9"},"fgraph/at",{"instant":"2026-01-01T00:00:01.000000Z"},\
"instant","45a119e9-b2bb-4d5e-ae39-2b726579fde9",null]}
{"fact":["skerry","light/range",18,"int","45a119e9-b2bb-4d5e-ae39-2b726579fde9",\
"1059adb4-3ea0-4534-9f1d-6d8be378efc2"]}
{"fact":[{"eid":"1059adb4-3ea0-4534-9f1d-6d8be378efc2"},"fgraph/at",{"instant":"2026-01-01T00:00:02.000000Z"},\
"instant","1059adb4-3ea0-4534-9f1d-6d8be378efc2",null]}
{"fact":["skerry","light/range",21,"int","1059adb4-3ea0-4534-9f1d-6d8be378efc2",null]}
{"fact":[{"eid":"5e095268-3c3b-50cc-aa0e-21c6154ae595"},"n/t","anon","text","1059adb4-3ea0-4534-9f1d-6d8be378efc2",null]}
{"facts":5,"fgraph":"end","receipts":2,"sha256":"5db8e123c28f60e2a2456636ffead81deeba2f9565a69cb08009efc8bd749cc4"}
"""


def test_a_worked_snapshot_byte_for_byte(monkeypatch):
    monkeypatch.setenv("FGRAPH_EVENT_SEED", "snap2")
    db = connect()
    db.transact({"id": "skerry", "light/range": 18}, operation_id="op1")
    db.transact([{"id": "skerry", "light/range": 21}, {"n/t": "anon"}])
    assert db.snapshot() == EXAMPLE


def test_a_file_without_transactions_has_a_header_and_a_footer():
    header, footer = records(connect().snapshot())
    assert header == {
        "basis": "00000000-0000-4000-8000-000000000040",
        "created_at": GENESIS,
        "fgraph": "snapshot/1",
        "format": 2,
    }
    assert footer["sha256"] == "cb923270289361b4f60cdc1a78988a6b210e518f1b44c845fd13fdde383847ae"


def test_each_line_is_canonical_and_the_footer_seals_them():
    text = story(connect()).snapshot()
    lines = [f"{line}\n" for line in text.removesuffix("\n").split("\n")]
    assert [canonical(record) + "\n" for record in records(text)] == lines
    footer = records(text)[-1]
    assert footer["sha256"] == hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
    assert footer["receipts"] == sum(line.startswith('{"receipt"') for line in lines)
    assert footer["facts"] == sum(line.startswith('{"fact"') for line in lines)


def test_three_ways_to_the_same_text(tmp_path):
    for db in (story(connect(tmp_path / "s.db")), story(connect())):
        out = io.StringIO()
        assert db.snapshot(out) is None
        assert out.getvalue() == db.snapshot() == "".join(db.iter_snapshot())


def test_a_view_is_taken_at_its_basis(tmp_path):
    db = connect(tmp_path / "v.db")
    first = db.transact({"id": "a", "n/v": 1})
    then = db.snapshot()
    db.transact({"id": "a", "n/v": 2})
    view = db.at(first.tx)
    assert view.snapshot() == "".join(view.iter_snapshot()) == then
    assert db.snapshot() != then


def test_a_view_between_a_transaction_and_its_excision_cannot_be_restored_so_it_is_refused(tmp_path):
    db = connect(tmp_path / "x.db")
    db.transact({"id": "a", "n/v": 1})
    between = db.transact({"id": "b", "n/v": 1})
    excision = db.excise("a")
    with pytest.raises(fgraph.Unsupported, match=str(excision.tx)):
        db.at(between.tx).snapshot()
    assert db.at(excision.tx).snapshot() == db.snapshot()


def test_lines_come_from_one_state_while_others_write(tmp_path):
    db = connect(tmp_path / "w.db")
    db.transact({"id": "a", "n/v": 1})
    before = db.snapshot()
    lines = db.iter_snapshot()
    taken = [next(lines)]
    db.transact({"id": "a", "n/v": 2})  # through the same handle
    connect(tmp_path / "w.db").transact({"id": "a", "n/v": 3})  # and through another
    assert "".join(taken + list(lines)) == before


def test_a_snapshot_given_up_half_way_leaves_the_handle_usable(tmp_path):
    db = story(connect(tmp_path / "g.db"))
    lines = db.iter_snapshot()
    next(lines)
    lines.close()
    db.transact({"id": "a", "n/v": 1})
    assert db.doctor()["ok"]


def test_inside_a_speculation_the_snapshot_shows_it(tmp_path):
    db = connect(tmp_path / "s.db")
    with db.speculate() as trial:
        trial.transact({"id": "a", "n/v": 1})
        assert "".join(trial.iter_snapshot()) == trial.snapshot()
        assert '"a"' in trial.snapshot()
    assert '"a"' not in db.snapshot()


@pytest.mark.parametrize("writer", [5, "path.ndjson"])
def test_a_writer_must_be_able_to_write(writer):
    with pytest.raises(fgraph.TypeError):
        connect().snapshot(writer)
