"""The front door for Python: `connect` and `Db`, which hands each call to the room that does the work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fgraph import errors, limits
from fgraph.file import paths
from fgraph.file.clock import Clock, EventIds
from fgraph.file.store import Store, View
from fgraph.read import entity as entities
from fgraph.write.omitted import OMITTED

if TYPE_CHECKING:
    from fgraph.datalog.results import Result
    from fgraph.report import TxReport
    from fgraph.search.result import SearchResult
    from fgraph.write.request import Options


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
        self._store: Store | View = Store(
            paths.resolve_path(path),
            clock=Clock(clock),
            event_ids=EventIds(event_factory),
            read_only=bool(read_only),
            budget=query_budget,
        )

    @classmethod
    def over(cls, store: Store | View) -> Db:
        """A handle on a file that is open already, or on a view of it."""
        handle = cls.__new__(cls)
        handle._store = store
        return handle

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
        """Several reads of one state of the file: `with db.reading() as basis_tx: ...`.

        `basis_tx` is the newest transaction of that state, for `if_basis_tx` of a write that rests on the reads.
        """
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
        from fgraph.write import transact  # writing costs start-up time, which reads need not pay

        options = _options(by, source, meta, tx, operation_id, if_basis_tx)
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
        from fgraph.write import transact  # as above

        if attr is None and value is not None:
            raise errors.TypeError("value without attr", param="value", hint="name the attribute as well")
        operation = ["retract", ref, *(part for part in (attr, value) if part is not None)]
        options = _options(by, source, meta, None, operation_id, if_basis_tx)
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
        """Declare something about an attribute; what is left out stays as it is (docs/modeling.md).

        `type` is one of text, int, float, bool, ref, instant, bytes, vector, json; `ref` is short for `type="ref"`.
        `many` allows several values, `unique` refuses a value that another entity has, `nohistory` keeps only the
        present value, `dims` is the length of vectors. `SchemaError` where stored facts or other declarations disagree.
        """
        from fgraph.write import declare  # as above

        fields = {
            "type": type,
            "many": many,
            "unique": unique,
            "nohistory": nohistory,
            "dims": dims,
            "doc": doc,
            "vector_model": vector_model,
        }
        options = _options(by, source, meta, None, operation_id, if_basis_tx)
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
        """Replace the definition of a shape: the attributes its entities need and, when closed, may have.

        An entity follows a shape by its fact `fgraph/shape`. `SchemaError` where one that does would break the new
        definition (docs/modeling.md).
        """
        from fgraph.write import declare  # as above

        options = _options(by, source, meta, None, operation_id, if_basis_tx)
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
        """Make the schema equal to a schema/1 manifest; identities and data stay (docs/modeling.md)."""
        from fgraph.write import declare  # as above

        options = _options(by, source, meta, None, operation_id, if_basis_tx)
        return declare.apply_manifest(self._store, manifest, options)

    def undo(
        self,
        transaction: int,
        *,
        by: str | None = None,
        source: str | None = None,
        meta: object = OMITTED,
        strict: bool = False,
        operation_id: str | None = None,
        if_basis_tx: int | None = None,
    ) -> TxReport:
        """Commit the inverse of a transaction, marked `fgraph/undoes` (docs/writing.md).

        What it asserted and is still there is retracted, what it retracted is asserted again; with `strict` it is a
        `Conflict` if that overwrites a later value. `NotFound` for what is no transaction.
        """
        from fgraph.write import undo  # as above

        options = _options(by, source, meta, None, operation_id, if_basis_tx)
        return undo.undo(self._store, transaction, options, strict=strict)

    def excise(self, ref: object, *, operation_id: str | None = None, if_basis_tx: int | None = None) -> TxReport:
        """Erase every trace of an entity from the file, history and stored events included (docs/operations.md).

        This cannot be undone. The report is about the transaction that records that it happened.
        """
        from fgraph.write import excise  # as above

        options = _options(operation_id=operation_id, if_basis_tx=if_basis_tx)
        return excise.excise(self._store, ref, options)

    # -- reading ------------------------------------------------------------------------------------------------------

    def entity(self, ref: object, depth: int = 1) -> dict:
        """The facts of an entity as a map: attribute to value, or to a list where the attribute is `many`.

        A reference is `{"ref": name}`; from `depth` 2 on it is the map of what it refers to, that many levels deep.
        `NotFound` for an unknown entity, `TooLarge` beyond 100,000 facts.
        """
        with self._store.reading() as reader:
            return entities.entity(reader, ref, depth)

    def history(self, ref: object, attr: str | None = None) -> list[dict]:
        """All retained facts of an entity, oldest first, with who asserted and who ended each.

        A fact plus `at` (microseconds), `by`, `source` of its transaction and, once ended, `rx_at`, `rx_by`,
        `rx_source`; authors and sources only where given. `NotFound` for an unknown entity or attribute.
        """
        from fgraph.read import timeline  # as above

        with self._store.reading() as reader:
            return timeline.history(reader, ref, attr)

    def why(self, ref: object, attr: str | None = None) -> list[dict]:
        """The visible facts of an entity, each with the transaction that asserted it.

        A fact plus `provenance`, the map of that transaction: `fgraph/at`, `fgraph/by`, `fgraph/source`,
        `fgraph/meta` and what else it says about itself. Errors as for `history`.
        """
        from fgraph.read import timeline  # as above

        with self._store.reading() as reader:
            return timeline.why(reader, ref, attr)

    def diff(self, t1: object, t2: object) -> dict:
        """What was asserted and retracted after `t1`, up to `t2`: `{"asserted": [fact], "retracted": [fact]}`.

        Both are moments as for `at`. `QueryError` when `t1` is the later one.
        """
        from fgraph.read import timeline  # as above

        with self._store.reading() as reader:
            return timeline.diff(reader, t1, t2)

    def changes(self, since: object, until: object = None) -> dict:
        """As `diff`, up to the newest transaction where `until` is left out."""
        from fgraph.read import timeline  # as above

        with self._store.reading() as reader:
            return timeline.changes(reader, since, until)

    def receipt(self, transaction: int) -> dict:
        """What is recorded about one transaction.

        `read_basis_tx`, `basis_tx` (the transaction before), `tx`, `event`, `event_hash`, `operation_id`,
        `request_hash`, `at`, and `by`, `source`, `meta`, `imported_at` where given; `facts` are its others about
        itself. `NotFound` for what is no transaction.
        """
        from fgraph.read import receipts  # as above

        with self._store.reading() as reader:
            return receipts.receipt(reader, transaction)

    def stats(self) -> dict:
        """Nine figures about the file at the basis.

        `application_id`, `attributes`, `blobs`, `entities`, `facts`, `format_version`, `live_facts`, `size` (bytes),
        `transactions`.
        """
        from fgraph.read import stats  # as above

        with self._store.reading() as reader:
            return stats.stats(reader)

    def q(self, query: object = None, args: Mapping | None = None, **clauses: object) -> Result:
        """Answer a Datalog query, given as a map or by keywords; `args` are its inputs (docs/queries.md).

        `QueryError` for anything wrong with the query, `TooLarge` when it takes more than `query_budget` units of work.
        """
        from fgraph.datalog import engine  # the query engine costs start-up time

        if query is not None and clauses:
            raise errors.QueryError("a query and keywords were given", param="query", hint="give one of them")
        with self._store.reading() as reader:
            return engine.run(reader, clauses if query is None else query, args)

    def explain(self, query: object, args: Mapping | None = None, *, analyze: bool = False) -> dict:
        """The plan of a query; with `analyze` it is run, and each step shows its rows and work (docs/queries.md).

        `basis_tx`, `source`, `work_limit`, `warnings`, and `clauses` in the order they run, each with its `access`.
        """
        from fgraph.datalog import explain  # as above

        with self._store.reading() as reader:
            return explain.explain(reader, query, args, analyze=analyze)

    def pull(self, ref: object, pattern: object) -> dict:
        """The parts of an entity that a pattern names (docs/queries.md)."""
        from fgraph.read import pull  # as above

        with self._store.reading() as reader:
            return pull.pull(reader, ref, pattern)

    def datoms(
        self,
        index: str = "eavt",
        components: list | tuple = (),
        *,
        source: str = "current",
        limit: int = limits.DATOMS_SHOWN,
        cursor: str | None = None,
    ) -> dict:
        """One page of datoms in index order: `{"basis_tx", "items", "next_cursor"}` (docs/queries.md).

        `index` is eavt, avet or vaet, `components` fixes its leading parts, `limit` is 1 to 1,000. `next_cursor`,
        None at the end, gives the next page of the same state. `QueryError` for a cursor of another request.
        """
        from fgraph.read import datoms  # as above

        with self._store.reading() as reader:
            return datoms.datoms(reader, index, components, source, limit, cursor)

    def search(
        self,
        text: str | None = None,
        vector: list | tuple | None = None,
        k: int = limits.SEARCH_HITS,
        expand: int = 0,
        filters: list | tuple = (),
        vector_attribute: str | None = None,
        text_attributes: list | tuple = (),
        match: str = "any",
        **options: object,
    ) -> SearchResult:
        """The `k` entities (1 to 100) that fit a text, a vector, or both (docs/search.md).

        `match` is "any" (every word counts) or "all" (every word is required); `expand`, 0 to 3, adds what lies so
        many references away; `filters` are `[attribute, value]` pairs; `vector` needs `vector_attribute`.
        `Unsupported` on a view, `TooLarge` beyond `query_budget`.
        """
        from fgraph.search import engine  # as above

        with self._store.reading() as reader:
            return engine.search(
                reader, text, vector, k, expand, filters, vector_attribute, text_attributes, match=match, **options
            )

    def event_records(self, since: int = limits.GENESIS_TX, through: int | None = None) -> list[dict]:
        """The event/1 records after transaction `since`, up to `through` or the basis (docs/operations.md)."""
        from fgraph.portable import events  # as above

        with self._store.reading() as reader:
            return events.event_records(reader, since, through)

    def follow(self, since: object = None, *, interval: float = 0.5) -> Iterator[dict]:
        """The event/1 records after a moment, then those that come, for ever; `interval` in seconds."""
        from fgraph.portable import events  # as above

        return events.follow(self._store, since, interval)

    def schema(self, prefix: str | None = None, *, include_system: bool = False) -> dict:
        """Every attribute and shape: `{"attributes", "basis_tx", "digest", "shapes"}` (docs/modeling.md).

        An attribute has `name`, `declared` (only what was), `effective` (with the defaults) and `observed` (`types`,
        `live_facts`, `entities`). `prefix` is that of the name.
        """
        from fgraph.schema import snapshot  # as above

        with self._store.reading() as reader:
            return snapshot.schema(reader, prefix, include_system)

    def attributes(self, prefix: str | None = None, *, include_system: bool = False) -> list[dict]:
        """A short item for each attribute: `name`, `types`, `facts`, `many`, `unique`, `nohistory`, and `dims`, `doc`,
        `vector_model` where declared."""
        from fgraph.schema import snapshot  # as above

        with self._store.reading() as reader:
            return snapshot.attributes(reader, prefix, include_system)

    def validate(self, ref: object) -> dict:
        """How an entity stands against the shape it follows: `{"basis_tx", "valid", "violations"}`."""
        from fgraph.read import validation  # as above

        with self._store.reading() as reader:
            return validation.validate(reader, ref)

    def schema_manifest(self) -> dict:
        """The declarations and shapes as a schema/1 manifest (docs/modeling.md)."""
        from fgraph.schema import manifest as manifests  # as above

        with self._store.reading() as reader:
            return manifests.export(reader)

    def check_schema_manifest(self, manifest: Mapping) -> dict:
        """How the schema differs from a manifest.

        `{"basis_tx", "changes", "current_digest", "desired_digest", "valid"}`; a change has `kind`, `name`, `before`
        and `after`.
        """
        from fgraph.schema import manifest as manifests  # as above

        with self._store.reading() as reader:
            return manifests.compare(reader, manifest)

    def at(self, value: object) -> Db:
        """A read-only view as of a transaction, a time, or `{"eid": uuid}` of a transaction.

        An integer that is no transaction is microseconds; text is RFC 3339. `NotFound` before the first transaction.
        """
        from fgraph.read import moments  # as above

        with self._store.reading() as reader:
            basis = moments.resolve(reader, value)
        return Db.over(self._store.view(basis))

    def since(self, value: object) -> Db:
        """A read-only view at this basis in which reads see only what is newer than `value`, taken as `at` takes it.

        These are `q`, `pull`, `entity`, `datoms` and `why`; `history`, `diff` and `changes` also show what ended after
        it. The schema, `validate`, `receipt`, `event_records` and `stats` stay those of the basis; `search` is refused.
        """
        from fgraph.read import moments  # as above

        with self._store.reading() as reader:
            return Db.over(self._store.view(reader.basis, moments.resolve(reader, value)))

    # -- moving and caring --------------------------------------------------------------------------------------------

    def apply(self, source: object) -> list[TxReport]:
        """Apply an event/1 stream, all or nothing; one report an event (docs/operations.md)."""
        from fgraph.portable import replay  # moving data is rare, and need not cost start-up time

        return replay.apply(self._store, source)

    def apply_summary(self, source: object) -> dict:
        """As `apply`, with counts: `already_applied`, `applied`, `basis_tx`, `events`, `noop`."""
        from fgraph.portable import replay  # as above

        return replay.apply_summary(self._store, source)

    def iter_snapshot(self) -> Iterator[str]:
        """The lines of a snapshot/1 stream at the basis of the handle."""
        from fgraph.portable import snapshot  # as above

        return snapshot.iter_snapshot(self._store)

    def snapshot(self, writer: object = None) -> str | None:
        """A snapshot/1 stream as text, or written to `writer`."""
        from fgraph.portable import snapshot  # as above

        return snapshot.snapshot(self._store, writer)

    def restore(self, source: object) -> None:
        """Fill a file that holds nothing yet from a snapshot/1 stream."""
        from fgraph.portable import restore  # as above

        restore.restore(self._store, source)

    def backup(self, path: object, *, progress: Callable[[int, int], None] | None = None) -> None:
        """Copy the live file to a new path, verified (docs/operations.md).

        `progress` is told steps done and steps in all: pages to copy, then rows to examine in the copy.
        """
        from fgraph.portable import backup  # as above

        backup.backup(self._store.live, path, progress)

    def doctor(self, *, repair: bool = False, progress: Callable[[int, int], None] | None = None) -> dict:
        """Check everything the file promises; `repair` rebuilds what is derived (docs/operations.md).

        The report says `ok`, lists `problems` in words, and has figures about what was checked and repaired.
        `progress` is told rows done and rows in all, each counted once for every group of checks.
        """
        from fgraph.care import doctor  # as above

        return doctor.doctor(self._store if repair else self._store.live, repair, progress)

    def compact(self, *, progress: Callable[[int, int], None] | None = None) -> dict:
        """Shrink the file: full-text index, free pages, write-ahead log (docs/operations.md).

        `{"bytes_before", "bytes_after", "bytes_won", "log_emptied"}`. `progress` is told rows done and rows in all,
        each row twice: copied, and written back; it must not use the handle.
        """
        from fgraph.care import compact  # as above

        return compact.compact(self._store, progress)


class _Rollback(Exception):
    """Leaves a speculation."""


def _options(*given: object, **named: object) -> Options:
    from fgraph.write.request import Options  # as above

    return Options(*given, **named)


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


def restore_backup(
    snapshot: object,
    path: object,
    *,
    clock: object = None,
    event_factory: object = None,
    progress: Callable[[int, int], None] | None = None,
) -> Db:
    """A copy of the backup file `snapshot` at a new `path`, checked, and opened for writing (docs/operations.md).

    `progress` is told steps as for `Db.backup`.
    """
    from fgraph.portable import backup  # moving data is rare, and need not cost start-up time

    resolved = backup.restore_backup(snapshot, path, clock, event_factory, progress)
    return Db(resolved, clock=clock, event_factory=event_factory)
