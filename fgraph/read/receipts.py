"""Receipts: what is recorded about one transaction."""

from fgraph import errors
from fgraph.file import genesis, identities
from fgraph.file.reader import Reader
from fgraph.read import render
from fgraph.report import TxReport
from fgraph.values import canonical, logical

PREVIOUS = "SELECT coalesce(max(tx), ?) FROM fgraph_events WHERE tx < ?"
KEYS = {
    genesis.AT: "at",
    genesis.BY: "by",
    genesis.SOURCE: "source",
    genesis.META: "meta",
    genesis.IMPORTED_AT: "imported_at",
}
TIMES = ("at", "imported_at")


def receipt(reader: Reader, transaction: object) -> dict:
    """`read_basis_tx, basis_tx, tx, event, event_hash, operation_id, request_hash, at, facts` and, where given, `by`,
    `source`, `meta`, `imported_at`.

    Raises `TypeError` unless the argument is a 64-bit integer, `NotFound` when it is no transaction up to the basis.
    """
    number = check_transaction(transaction)
    rows = reader.fetch(
        "SELECT event_hash, operation_id, request_hash FROM fgraph_events WHERE tx = ? AND tx <= ?",
        (number, reader.basis),
    )
    if not rows:
        raise unknown(number)
    event_hash, operation_id, request_hash = rows[0]
    shown = {
        "read_basis_tx": reader.basis,
        "basis_tx": previous(reader, number),
        "tx": number,
        "event": _event_of(reader, number),
        "event_hash": _hash(event_hash),
        "operation_id": operation_id,
        "request_hash": _hash(request_hash),
    }
    return shown | _about(reader, number)


def already_applied(reader: Reader, transaction: int) -> TxReport:
    """The report of a request that was carried out before, in this transaction."""
    return TxReport(
        status="already_applied",
        event=_event_of(reader, transaction),
        basis_tx=previous(reader, transaction),
        tx=transaction,
        at=_about(reader, transaction)["at"],
    )


def of_operation(reader: Reader, operation_id: str) -> int | None:
    """The transaction that was written under an operation id, None where there is none."""
    rows = reader.fetch("SELECT tx FROM fgraph_events WHERE operation_id = ? AND tx <= ?", (operation_id, reader.basis))
    return rows[0][0] if rows else None


def previous(reader: Reader, transaction: int) -> int:
    """The transaction before this one; genesis for genesis."""
    return reader.fetch(PREVIOUS, (genesis.GENESIS_TX, transaction))[0][0]


def _event_of(reader: Reader, transaction: int) -> str:
    """The event UUID of a transaction."""
    identity = reader.store.registry.by_id(transaction)
    if identity is None or identity.gid is None:
        raise errors.FormatError(f"transaction {transaction} has no event id", hint="run doctor, and restore a backup")
    return identities.uuid_text(identity.gid)


def check_transaction(transaction: object, param: str = "tx") -> int:
    """`TypeError` unless the argument is an integer of 64 bits."""
    if isinstance(transaction, bool) or not isinstance(transaction, int):
        raise errors.TypeError(
            f"{param} is {errors.quote(transaction)}", param=param, hint="give the integer id of a transaction"
        )
    return canonical.check_int64(transaction, param)


def unknown(transaction: int, param: str = "tx") -> errors.NotFound:
    """The error for an integer that is no transaction."""
    return errors.NotFound(
        f"{transaction} is no transaction",
        param=param,
        code="unknown_transaction",
        hint="transaction ids are shown by log, history, why and every report",
    )


def _about(reader: Reader, transaction: int) -> dict:
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM {render.FACT_FROM}
        WHERE f.e = ? AND {reader.visible("f")}
        ORDER BY f.id
    """
    about: dict = {}
    others = []
    for row in reader.fetch(sql, (transaction,)):
        key = KEYS.get(row[2])
        if key is None:
            others.append(row)
        elif key in TIMES:
            about[key] = render.render_micros(row)
        else:
            shown = render.render_value(reader, row[4], row[3], row[7])
            about[key] = shown["json"] if isinstance(shown, dict) and "json" in shown else shown
    if "at" not in about:
        raise logical.damaged(f"transaction {transaction} has no time")
    return about | {"facts": render.render_facts(reader, others)}


def _hash(digest: bytes | None) -> str | None:
    return None if digest is None else f"sha256:{digest.hex()}"
