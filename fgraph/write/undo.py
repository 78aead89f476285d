"""Undo: the inverse of one transaction, committed as a new one (docs/writing.md)."""

from fgraph import errors
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.file.rows import Fact
from fgraph.file.store import Store
from fgraph.read import moments, receipts, render
from fgraph.report import TxReport
from fgraph.schema.declarations import declarations
from fgraph.values.logical import REF, Stored
from fgraph.write import present, transact
from fgraph.write.operations import TX, Add, Remove
from fgraph.write.request import Options
from fgraph.write.resolve import Resolver


def undo(store: Store, transaction: object, options: Options, *, strict: bool = False) -> TxReport:
    """Retract what a transaction asserted and is still live, assert anew what it ended.

    With `strict`, `Conflict` when a one-value cell to be restored holds a later value. Raises `Unsupported` for genesis
    and below, `NotFound` for an integer that is no transaction. Always commits, even when nothing is left to invert.
    """
    store.check_writable()
    number = receipts.check_transaction(transaction)
    if number <= genesis.GENESIS_TX:
        raise errors.Unsupported(f"transaction {number} cannot be undone", param="tx", hint="undo a later one")
    if not isinstance(strict, bool):
        raise errors.TypeError(f"strict is {errors.quote(strict)}", param="strict", hint="give True or False")
    options.check_form()
    digest = options.digest({"operation": "undo", "tx": number, **options.hashed()})
    return transact.guarded(store, options, digest, lambda resolver: _fill(resolver, number, strict), always=True)


def _fill(resolver: Resolver, transaction: int, strict: bool) -> None:
    reader = resolver.reader
    if not moments.is_transaction(reader, transaction):
        raise receipts.unknown(transaction)
    where = f"undo of {transaction}"
    restored = _facts(reader, "f.rx = ?", transaction)
    if strict:
        _check_cells(reader, restored, transaction)
    asserted = _facts(reader, "f.tx = ? AND f.rx IS NULL AND f.e <> f.tx", transaction)
    reader.warm({number for fact in restored for number in (fact.e, fact.a)})
    for fact in asserted:
        resolver.position.retracted(fact.e, fact.a, fact.value)
        resolver.operations.append(Remove(fact.e, fact.a, fact.value, where))
    for fact in restored:
        resolver.guard(fact.e, where)
        refused = resolver.position.refuses(fact.a, fact.value)
        resolver.operations.append(Add(fact.e, fact.a, fact.value, where, refused))
    resolver.operations.append(Add(TX, genesis.UNDOES, Stored(REF, transaction), where))


def _facts(reader: Reader, condition: str, transaction: int) -> list[Fact]:
    sql = f"""
        SELECT {render.FACT_COLUMNS}
        FROM {render.FACT_FROM}
        WHERE {condition}
        ORDER BY f.id
    """
    return [render.stored_fact(row) for row in reader.fetch(sql, (transaction,))]


def _check_cells(reader: Reader, restored: list[Fact], transaction: int) -> None:
    """`Conflict` when restoring would silently end a value that was written after the transaction."""
    declared = declarations(reader)
    single = [(fact.e, fact.a) for fact in restored if not declared.many(fact.a)]
    for fact in sorted(present.cells(reader, single)):
        if fact.tx != transaction:
            cell = f"{reader.label(fact.a)} of {errors.quote(reader.label(fact.e))}"
            raise errors.Conflict(
                f"{cell} was written again in transaction {fact.tx}",
                param="tx",
                hint="undo without strict, which puts the older value in its place",
            )
