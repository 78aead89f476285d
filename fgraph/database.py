"""The front door for Python: `connect` and `Db`, which hands each call to the room that does the work."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from fgraph import errors, limits
from fgraph.file import opening
from fgraph.file.clock import Clock, EventIds
from fgraph.file.store import Store, View
from fgraph.read import entity as entities
from fgraph.read import moments, receipts, stats, timeline, validation
from fgraph.report import TxReport
from fgraph.schema import manifest as manifests
from fgraph.schema import snapshot as schemas
from fgraph.write import declare, excise, transact, undo
from fgraph.write.request import OMITTED, Options


class Db:
    """One fgraph file, or a historical view of it (`at`).

    A handle belongs to the thread that opened it. Every read sees one state of the file; every write is one SQLite
    transaction. All errors are subclasses of `fgraph.FGraphError`. Specified in docs/python-api.md.
    """

    def __init__(
        self,
        path: object,
        *,
        clock: object = None,
        read_only: bool = False,
        query_budget: int = limits.QUERY_BUDGET,
        event_factory: object = None,
    ) -> None:
        """Open `path`, creating and initialising a missing file unless `read_only`.

        `clock` is integer microseconds or a callable, `event_factory` a callable giving UUIDs, `query_budget` the work
        units of one query or search.
        """
        if isinstance(query_budget, bool) or not isinstance(query_budget, int) or query_budget < 1:
            raise errors.TypeError(
                f"query_budget is {errors.quote(query_budget)}", param="query_budget", hint="give an integer from 1"
            )
        self._store: Store | View = Store(
            opening.resolve_path(path),
            clock=Clock(clock),
            event_ids=EventIds(event_factory),
            read_only=bool(read_only),
            budget=query_budget,
        )

    @property
    def path(self) -> str:
        """The absolute path of the file, or `:memory:`."""
        return self._store.path

    def __enter__(self) -> Db:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file; on a view, detach the view only. A second call does nothing."""
        self._store.close()

    def interrupt(self) -> None:
        """Stop the call that is running on this handle with `QueryError`; may be called from any thread."""
        self._store.interrupt()

    # -- scopes -------------------------------------------------------------------------------------------------------

    @contextmanager
    def reading(self) -> Iterator[int]:
        """Several reads of one state of the file: `with db.reading() as basis_tx: ...`."""
        with self._store.reading() as reader:
            yield reader.basis

    @contextmanager
    def speculate(self) -> Iterator[Db]:
        """Writes and reads inside the block see each other; at its end everything is rolled back.

        `ReadOnly` on a read-only handle or a view, `Unsupported` inside another one.
        """
        self._store.check_writable()
        if self._store.connection.in_transaction:
            raise errors.Unsupported("speculate cannot be nested", hint="use one block")
        try:
            with self._store.writing():
                yield self
                raise _Rollback
        except _Rollback:
            pass

    # -- writing ------------------------------------------------------------------------------------------------------

    def transact(
        self,
        data: object,
        *,
        source: str | None = None,
        by: str | None = None,
        meta: object = OMITTED,
        tx: Mapping | None = None,
        operation_id: str | None = None,
        if_basis_tx: int | None = None,
    ) -> TxReport:
        """Write records and operations as one transaction (docs/writing.md).

        `data` is a record, an operation, or a list of those. `by`, `source`, `meta` (any JSON) and `tx` (a map of
        attribute to value) are recorded about the transaction. With `operation_id` an exact retry is answered
        `already_applied`; with `if_basis_tx` the write is a `Conflict` unless that is the newest transaction.
        """
        options = Options(by, source, meta, tx, operation_id, if_basis_tx)
        return transact.transact(self._store, data, options)

    add = transact

    def retract(
        self,
        ref: object,
        attr: str | None = None,
        value: object = None,
        *,
        by: str | None = None,
        source: str | None = None,
        meta: object = OMITTED,
        operation_id: str | None = None,
        if_basis_tx: int | None = None,
    ) -> TxReport:
        """Retract one value, all values of an attribute, or a whole entity with the references to it.

        What is not there is silently nothing; a `value` without `attr` is a `TypeError`.
        """
        if attr is None and value is not None:
            raise errors.TypeError("value without attr", param="value", hint="name the attribute as well")
        operation = ["retract", ref, *(part for part in (attr, value) if part is not None)]
        options = Options(by, source, meta, None, operation_id, if_basis_tx)
        return transact.transact(self._store, operation, options)

    def declare(
        self,
        attr: str,
        *,
        type: str | None = None,
        ref: bool = False,
        many: bool | None = None,
        unique: bool | None = None,
        nohistory: bool | None = None,
        dims: int | None = None,
        doc: str | None = None,
        vector_model: str | None = None,
        by: str | None = None,
        source: str | None = None,
        meta: object = OMITTED,
        operation_id: str | None = None,
        if_basis_tx: int | None = None,
    ) -> TxReport:
        """Declare something about an attribute; what is left out stays as it is (docs/modeling.md)."""
        fields = {
            "type": type,
            "many": many,
            "unique": unique,
            "nohistory": nohistory,
            "dims": dims,
            "doc": doc,
            "vector_model": vector_model,
        }
        options = Options(by, source, meta, None, operation_id, if_basis_tx)
        return declare.declare(self._store, attr, fields, ref, options)

    def declare_shape(
        self,
        name: str,
        *,
        required: list | tuple = (),
        allowed: list | tuple = (),
        closed: bool = False,
        by: str | None = None,
        source: str | None = None,
        meta: object = OMITTED,
        operation_id: str | None = None,
        if_basis_tx: int | None = None,
    ) -> TxReport:
        """Replace the definition of a shape: the attributes its entities need and, when closed, may have."""
        options = Options(by, source, meta, None, operation_id, if_basis_tx)
        return declare.declare_shape(self._store, name, required, allowed, closed, options)

    def apply_schema_manifest(
        self,
        manifest: Mapping,
        *,
        by: str | None = None,
        source: str | None = None,
        meta: object = OMITTED,
        operation_id: str | None = None,
        if_basis_tx: int | None = None,
    ) -> TxReport:
        """Make the schema equal to a schema/1 manifest; identities and data stay."""
        options = Options(by, source, meta, None, operation_id, if_basis_tx)
        return declare.apply_manifest(self._store, manifest, options)

    def undo(
        self,
        transaction: int,
        *,
        by: str | None = None,
        strict: bool = False,
        operation_id: str | None = None,
        if_basis_tx: int | None = None,
    ) -> TxReport:
        """Commit the inverse of a transaction; `strict` refuses to overwrite later values."""
        options = Options(by=by, operation_id=operation_id, if_basis_tx=if_basis_tx)
        return undo.undo(self._store, transaction, options, strict=strict)

    def excise(self, ref: object, *, operation_id: str | None = None, if_basis_tx: int | None = None) -> TxReport:
        """Erase every trace of an entity from the file (docs/operations.md). This cannot be undone."""
        options = Options(operation_id=operation_id, if_basis_tx=if_basis_tx)
        return excise.excise(self._store, ref, options)

    # -- reading ------------------------------------------------------------------------------------------------------

    def entity(self, ref: object, depth: int = 1) -> dict:
        """The facts of an entity as a map; references expand to maps down to `depth`."""
        with self._store.reading() as reader:
            return entities.entity(reader, ref, depth)

    def history(self, ref: object, attr: str | None = None) -> list[dict]:
        """All retained facts of an entity with who asserted and who ended each."""
        with self._store.reading() as reader:
            return timeline.history(reader, ref, attr)

    def why(self, ref: object, attr: str | None = None) -> list[dict]:
        """The visible facts of an entity, each with the transaction that asserted it."""
        with self._store.reading() as reader:
            return timeline.why(reader, ref, attr)

    def diff(self, t1: object, t2: object) -> dict:
        """What was asserted and retracted after `t1`, up to `t2` (transactions or times)."""
        with self._store.reading() as reader:
            return timeline.diff(reader, t1, t2)

    def changes(self, since: object, until: object = None) -> dict:
        """What was asserted and retracted after `since`, up to `until` or the newest transaction."""
        with self._store.reading() as reader:
            return timeline.changes(reader, since, until)

    def receipt(self, transaction: int) -> dict:
        """What is recorded about one transaction."""
        with self._store.reading() as reader:
            return receipts.receipt(reader, transaction)

    def stats(self) -> dict:
        """Nine figures about the file at the basis."""
        with self._store.reading() as reader:
            return stats.stats(reader)

    def schema(self, prefix: str | None = None, *, include_system: bool = False) -> dict:
        """Every attribute and shape, with a digest of the declarations."""
        with self._store.reading() as reader:
            return schemas.schema(reader, prefix, include_system)

    def attributes(self, prefix: str | None = None, *, include_system: bool = False) -> list[dict]:
        """A short item for each attribute."""
        with self._store.reading() as reader:
            return schemas.attributes(reader, prefix, include_system)

    def validate(self, ref: object) -> dict:
        """How an entity stands against the shape it is assigned to."""
        with self._store.reading() as reader:
            return validation.validate(reader, ref)

    def schema_manifest(self) -> dict:
        """The schema as a schema/1 manifest."""
        with self._store.reading() as reader:
            return manifests.export(reader)

    def check_schema_manifest(self, manifest: Mapping) -> dict:
        """How the schema differs from a manifest."""
        with self._store.reading() as reader:
            return manifests.compare(reader, manifest)

    def at(self, value: object) -> Db:
        """A read-only view as of a transaction, a time, or `{"eid": uuid}` of a transaction."""
        with self._store.reading() as reader:
            basis = moments.resolve(reader, value)
        view = Db.__new__(Db)
        view._store = self._store.view(basis)
        return view


class _Rollback(Exception):
    """Leaves a speculation."""


def connect(
    path: object = "fgraph.db",
    *,
    clock: object = None,
    read_only: bool = False,
    query_budget: int = limits.QUERY_BUDGET,
    event_factory: object = None,
) -> Db:
    """Open a database file; arguments as for `Db`."""
    return Db(path, clock=clock, read_only=read_only, query_budget=query_budget, event_factory=event_factory)
