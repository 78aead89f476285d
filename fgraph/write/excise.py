"""Excision: every trace of an entity is erased, and only the fact that it happened is kept (docs/operations.md)."""

import sqlite3

from fgraph import errors
from fgraph.file import genesis, identities, rows
from fgraph.file.identities import Identity
from fgraph.file.reader import Reader
from fgraph.file.rows import Fact
from fgraph.file.store import Store
from fgraph.read import events, render, selectors
from fgraph.report import TxReport
from fgraph.values.logical import INSTANT, REF, Stored
from fgraph.write import commit, event, transact
from fgraph.write.commit import Provenance
from fgraph.write.request import Options


def excise(store: Store, selector: object, options: Options) -> TxReport:
    """Erase all facts of, about and pointing at an entity, live and ended, and the events that mention it.

    The identity and its name stay. Raises `NotFound`, `Unsupported` for system entities and transactions, `Conflict`
    when the entity was excised before and nothing is left to erase.
    """
    store.check_writable()
    options.check_form()
    digest = options.digest({"operation": "excise", "ref": selector})
    provenance = Provenance(operation_id=options.operation_id, request_hash=digest)
    report = transact.under_lock(store, options, digest, lambda reader: _excise(reader, selector, provenance))
    if report.status == "applied":
        _truncate_log(store)
    return report


def _excise(reader: Reader, selector: object, provenance: Provenance) -> TxReport:
    entity = selectors.resolve(reader, selector)
    _guard(reader, entity)
    about = _facts_about(reader, entity)
    doomed = [fact for fact in about if not _is_marker(reader, fact)]
    mentioning = _mentioning(reader, entity)
    if about and not doomed and not mentioning:
        raise errors.Conflict(
            f"{errors.quote(reader.label(entity))} was excised before, and nothing is left to erase",
            hint="nothing to do",
        )
    affected = {fact.tx for fact in doomed} | {fact.rx for fact in doomed if fact.rx is not None} | mentioning
    affected.discard(genesis.GENESIS_TX)
    tx = commit.next_id(reader)
    at = reader.store.clock.after(commit.latest_at(reader))
    gid = commit.new_event_id(reader, tx)
    first, second = commit.fact_ids(reader, 2)
    kept = [
        Fact(first, tx, genesis.AT, Stored(INSTANT, at), tx),
        Fact(second, tx, genesis.EXCISED, Stored(REF, entity), tx),
    ]
    text = _event_text(reader, gid, at, affected)
    _write(reader, Identity(tx, None, gid, tx), kept, doomed, affected)
    commit.insert_event(reader, tx, text, provenance)
    commit.advance(reader, tx)
    # Kept words and vectors of other rooms may be those of the entity.
    reader.store.drop_caches()
    return TxReport(
        status="applied",
        event=identities.uuid_text(gid),
        basis_tx=reader.basis,
        tx=tx,
        at=at,
        asserted=commit.shown(reader, kept, None),
        retracted=commit.shown(reader, doomed, tx),
    )


def _guard(reader: Reader, entity: int) -> None:
    is_transaction = reader.fetch("SELECT 1 FROM fgraph_events WHERE tx = ?", (entity,))
    if entity <= genesis.GENESIS_TX or is_transaction:
        raise errors.Unsupported(
            f"{errors.quote(reader.label(entity))} is a system or transaction entity",
            param="entity",
            hint="only application entities can be excised",
        )


def _facts_about(reader: Reader, entity: int) -> list[Fact]:
    """Every row, live or ended, that has the entity as subject, as attribute or as reference."""
    attributes = [number for (number,) in reader.fetch(rows.DISTINCT_ATTRIBUTES)]
    found = {}
    conditions = [("f.e = ?", "fgraph_hist", (entity,)), ("f.a = ?", "fgraph_avet", (entity,))]
    conditions += [
        (f"f.a IN ({identities.placeholders(chunk)}) AND f.t = 0 AND f.v = ?", "fgraph_avet", (*chunk, entity))
        for chunk in identities.chunks(attributes)
    ]
    for condition, index, parameters in conditions:
        sql = f"""
            SELECT {render.FACT_COLUMNS}
            FROM fgraph_facts f INDEXED BY {index}
            {render.BLOB_JOIN}
            WHERE {condition}
        """
        for row in reader.fetch(sql, parameters):
            found[row[0]] = render.stored_fact(row)
    return [found[number] for number in sorted(found)]


def _is_marker(reader: Reader, fact: Fact) -> bool:
    """Whether a fact is the record of an earlier excision, which stays."""
    return fact.a == genesis.EXCISED and fact.e == fact.tx and _is_redaction(reader, fact.tx)


def _is_redaction(reader: Reader, tx: int) -> bool:
    receipt = next(events.receipts(reader, tx - 1, tx), None)
    return receipt is not None and receipt.text is not None and events.is_redaction(events.record_of(receipt))


def _mentioning(reader: Reader, entity: int) -> set[int]:
    """Transactions whose retained event mentions the entity; a substring test keeps parsing to the likely ones."""
    selected = reader.store.registry.by_id(entity).selector
    sql = f"""
        SELECT {events.COLUMNS}
        FROM fgraph_events v
        LEFT JOIN fgraph_ids i ON i.id = v.tx
        WHERE v.tx > ? AND instr(v.event_data, ?) > 0
    """
    likely = [events.Receipt(*row) for row in reader.fetch(sql, (genesis.GENESIS_TX, event.selector_text(selected)))]
    return {receipt.tx for receipt in likely if selected in events.mentions(events.record_of(receipt))}


def _event_text(reader: Reader, gid: bytes, at: int, affected: set[int]) -> str:
    redacted = sorted(identities.uuid_text(reader.store.registry.by_id(tx).gid) for tx in affected)
    listed = ",".join(f'"{each}"' for each in redacted)
    return event.document(
        {
            "event": f'"{identities.uuid_text(gid)}"',
            "at": str(at),
            "created": "[]",
            "asserted": "[]",
            "retracted": "[]",
            "redacted": "true",
            "redacts": f"[{listed}]",
        }
    )


def _write(reader: Reader, own: Identity, kept: list[Fact], doomed: list[Fact], affected: set[int]) -> None:
    connection = reader.connection
    identities.insert(connection, [own])
    rows.insert(connection, kept)
    rows.delete(connection, doomed)
    connection.executemany(
        "UPDATE fgraph_events SET event_data = NULL WHERE tx = ?", [(tx,) for tx in sorted(affected)]
    )
    # Deleted words linger in the segments of the index until it is written anew. Merging them would do as well, but
    # each time adds levels to the index, of which full-text search refuses more than 2,000.
    connection.execute("INSERT INTO fgraph_fts (fgraph_fts) VALUES ('rebuild')")


def _truncate_log(store: Store) -> None:
    """Empty the write-ahead log, which still holds the erased pages; other readers may prevent it for now."""
    if store.connection.in_transaction:
        return
    try:
        store.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error:
        pass  # the excision is committed; the log is emptied by a later checkpoint
