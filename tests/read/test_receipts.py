"""`receipt`: what is recorded about one transaction."""

import pytest

from fgraph import errors
from tests.read.workshop import AT

GENESIS_HASH = "sha256:1613e2e6ba98ad4cdbb185fc193d02dd2c472737d811abadf0350d1d5f888191"


def test_a_receipt_tells_the_basis_the_event_and_the_provenance(still):
    receipt = still.receipt(74)
    assert receipt == {
        "read_basis_tx": 76,
        "basis_tx": 73,
        "tx": 74,
        "event": "31b273ae-6349-4d7d-b106-0158b87dffac",
        "event_hash": "sha256:63037ef4bad2b833fc1cf98f60607ea387acb29275272fd17094253a9eae3724",
        "operation_id": None,
        "request_hash": None,
        "at": AT + 3_000_000,
        "source": "meter",
        "facts": [],
    }
    assert list(receipt)[-1] == "facts"


def test_the_receipt_of_genesis_rests_on_itself(still):
    receipt = still.receipt(64)
    assert (receipt["basis_tx"], receipt["at"], receipt["event_hash"]) == (64, AT, GENESIS_HASH)


def test_meta_is_shown_when_it_was_given_also_as_null(db):
    tx = db.transact([], by="kim", meta=None).tx
    assert db.receipt(tx)["meta"] is None
    tx = db.transact([], by="kim", meta={"json": {"a": 1}}).tx
    assert db.receipt(tx)["meta"] == {"json": {"a": 1}}
    assert "meta" not in db.receipt(db.transact([], by="kim").tx)


def test_long_provenance_comes_back_whole(db):
    tx = db.transact([], by="k" * 300, source="s" * 3_000).tx
    receipt = db.receipt(tx)
    assert (receipt["by"], receipt["source"]) == ("k" * 300, "s" * 3_000)
    assert db.history(tx)[0]["by"] == "k" * 300


def test_facts_about_the_transaction_itself_are_listed(db):
    tx = db.transact([], tx={"m/ticket": "T-1", "m/uses": [{"ref": "lathe"}]}).tx
    assert [(fact["e"], fact["a"], fact["v"], fact["tx"]) for fact in db.receipt(tx)["facts"]] == [
        (tx, "m/ticket", "T-1", tx),
        (tx, "m/uses", {"ref": "lathe"}, tx),
    ]


def test_an_operation_shows_its_id_and_the_hash_of_its_request(db):
    report = db.transact({"id": "belt", "m/watts": 1}, operation_id="op-1")
    receipt = db.receipt(report.tx)
    assert receipt["operation_id"] == "op-1"
    assert receipt["request_hash"].startswith("sha256:") and len(receipt["request_hash"]) == 71


def test_a_receipt_read_through_a_view_names_its_basis(still):
    assert still.at(74).receipt(74) == still.receipt(74) | {"read_basis_tx": 74}


@pytest.mark.parametrize("tx", [65, 67, -5, 0, 77, (1 << 63) - 1])
def test_what_is_no_transaction_is_not_found(still, tx):
    with pytest.raises(errors.NotFound) as caught:
        still.receipt(tx)
    assert caught.value.code == "unknown_transaction"


def test_a_transaction_after_the_basis_is_not_found(still):
    with pytest.raises(errors.NotFound):
        still.at(73).receipt(74)


@pytest.mark.parametrize("tx", [True, None, 74.0, "74", [74], {"eid": "x"}, 1 << 63, -(1 << 63) - 1], ids=repr)
def test_a_transaction_is_named_by_an_integer(still, tx):
    with pytest.raises(errors.TypeError) as caught:
        still.receipt(tx)
    assert caught.value.param == "tx"
