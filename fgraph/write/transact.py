"""One write from request to report, in the order in which its checks are promised (docs/writing.md)."""

from collections.abc import Callable

from fgraph import errors
from fgraph.file.reader import Reader
from fgraph.file.store import Store
from fgraph.read import receipts
from fgraph.report import TxReport
from fgraph.write import commit, effects, final, prefetch, records, shaping
from fgraph.write.commit import Provenance
from fgraph.write.request import Options, items
from fgraph.write.resolve import Resolver

# Fills a resolver with operations, under the writer lock.
Fill = Callable[[Resolver], None]


def transact(store: Store, data: object, options: Options) -> TxReport:
    """Write records and operations as one transaction."""

    def fill(resolver: Resolver) -> None:
        read_data(resolver, data)
        if options.tx:
            records.read_transaction_facts(resolver, options.tx)

    options.check_form()
    digest = options.digest({"data": data, "options": options.hashed()})
    return guarded(store, options, digest, fill)


def read_data(resolver: Resolver, data: object) -> None:
    """Take in everything that `data` holds."""
    found = list(items(data))
    prefetch.prefetch(resolver, found)
    for item in found:
        try:
            if item.operation is None:
                records.read_record(resolver, item.content, item.where)
            else:
                resolver.operation(item)
        except errors.FGraphError as fault:
            if not fault.message.startswith(item.where):
                fault.message = f"{item.where}: {fault.message}"
            raise


def guarded(store: Store, options: Options, digest: bytes | None, fill: Fill, *, always: bool = False) -> TxReport:
    """Write the operations that `fill` reads, under the writer lock; with `always` even when they change nothing.

    `digest` is the request hash, needed with an operation id.
    """
    return under_lock(store, options, digest, lambda reader: write(reader, options, digest, fill, always=always))


def under_lock(store: Store, options: Options, digest: bytes | None, run: Callable[[Reader], TxReport]) -> TxReport:
    """Run one write under the writer lock, after the checks for a retry and for the basis."""
    with store.writing() as reader:
        options.check_kinds()
        earlier = _already_applied(reader, options.operation_id, digest)
        if earlier is not None:
            return earlier
        check_basis(reader, options.if_basis_tx)
        report = run(reader)
        if store.before_commit is not None:
            store.before_commit(report)
        return report


def _already_applied(reader: Reader, operation_id: str | None, digest: bytes | None) -> TxReport | None:
    """The report of an exact retry; `Conflict` when the id was used for another request."""
    if operation_id is None:
        return None
    found = reader.fetch("SELECT tx, request_hash FROM fgraph_events WHERE operation_id = ?", (operation_id,))
    if not found:
        return None
    tx, stored = found[0]
    if stored != digest:
        raise errors.Conflict(
            f"operation_id {errors.quote(operation_id)} was used for another request, in transaction {tx}",
            code="operation_reused",
            param="operation_id",
            hint="use a new operation_id for a new request",
        )
    return receipts.already_applied(reader, tx)


def check_basis(reader: Reader, basis: int | None) -> None:
    """`Conflict` when something was committed after the basis that the caller decided on."""
    if basis is not None and basis != reader.basis:
        raise errors.Conflict(
            f"if_basis_tx is {basis}, and the newest transaction is {reader.basis}",
            code="stale_basis",
            param="if_basis_tx",
            hint="read again what the decision rests on, then send the new basis with a new operation_id",
        )


def write(reader: Reader, options: Options, digest: bytes | None, fill: Fill, *, always: bool = False) -> TxReport:
    """Resolve, plan, check and commit; a noop when nothing would change and the options ask for no record."""
    resolver = Resolver(reader, commit.next_id(reader))
    fill(resolver)
    kept = digest if options.operation_id is not None else None
    provenance = Provenance(options.by, options.source, options.meta, options.operation_id, kept)
    return apply(reader, resolver, provenance, always=always or options.commits_alone)


def apply(reader: Reader, resolver: Resolver, provenance: Provenance, *, always: bool, brief: bool = False) -> TxReport:
    """Carry out the operations that a resolver has collected; a `brief` report is without the facts."""
    allocation = resolver.allocation

    def name(number: int) -> str:
        return records.describe(resolver, number)

    operations, is_new = resolver.operations, allocation.is_new
    intended = final.intended(reader, operations, is_new, name)
    final.check_refused(operations, intended, name)
    delta = effects.plan(reader, operations, intended.many, is_new, name)
    outcome = final.outcome(reader, delta, is_new, name, resolver.name_of, direct=resolver.direct)
    final.check_values(operations, outcome.after, name)
    if not (delta.added or delta.removed or always or _creates(resolver)):
        return TxReport(basis_tx=reader.basis, ids=allocation.finish(set()).ids)
    final.check(outcome)
    shaping.check(outcome)
    return commit.commit(reader, allocation, delta, provenance, outcome.after, brief=brief)


def _creates(resolver: Resolver) -> bool:
    return any(created.name is not None for created in resolver.allocation.created)
