"""Restoring snapshot/1 into a pristine file, in one write transaction (docs/streams.md)."""

import hashlib
from collections.abc import Iterator

from fgraph import errors, limits
from fgraph.care import doctor
from fgraph.file import genesis
from fgraph.file.reader import Reader
from fgraph.file.store import Store
from fgraph.portable import lines, snapshot
from fgraph.portable.lines import Line
from fgraph.portable.rebuild import Rebuild
from fgraph.read import events
from fgraph.values import verbatim
from fgraph.values.canonical import quote_string

HEADER, RECEIPT, FACT, FOOTER = "header", "receipt", "fact", "footer"
FOOTER_KEYS = {"facts", "fgraph", "receipts", "sha256"}
ADVICE = "transfer the snapshot again, or take it again at its source"
FACT_OPENING = '{"fact":['


def restore(store: Store, source: object) -> None:
    """Fill a pristine file (nothing but genesis) with the receipts and facts of a snapshot stream.

    `source` is a text, a reader or an iterable of records. All or nothing: after any error the file is as before.
    Raises `ReadOnly`, `Conflict` for a file that is not pristine and for a stream that contradicts itself or its
    digest, `TypeError` for malformed records, `FormatError` when the outcome would not be sound, `TooLarge`.
    """
    store.check_writable()
    with store.writing() as reader:
        stream = Stream(lines.records(source, limits.SNAPSHOT_LINE_BYTES))
        header = stream.header()
        _check_pristine(reader)
        _fill(reader, stream, header)
        store.drop_caches()
        _check_outcome(reader)


def _check_pristine(reader: Reader) -> None:
    if reader.basis != genesis.GENESIS_TX:
        raise errors.Conflict(
            f"{reader.store.path} holds transactions already", hint="restore into a new file, or use apply"
        )


def _check_outcome(reader: Reader) -> None:
    problems = doctor.logical_problems(reader)
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise errors.FormatError(f"the snapshot is not sound: {problems[0]}{more}", hint="take it again at its source")


def _fill(reader: Reader, stream: "Stream", header: dict) -> None:
    """Write the body; what is wrong with a record is held back until the digest of the whole stream was checked."""
    rebuild = Rebuild(reader, header["created_at"])
    held: errors.FGraphError | None = None
    for number, (kind, content) in enumerate(stream.body()):
        if number % limits.RESTORE_BATCH_FACTS == 0:
            reader.store.check_cancelled()
        if held is None:
            try:
                with lines.advised(ADVICE):
                    rebuild.receipt(content, stream.where) if kind == RECEIPT else rebuild.fact(content, stream.where)
            except errors.FGraphError as fault:
                held = fault
    stream.check_footer()
    if held is not None:
        raise held
    with lines.advised(ADVICE):
        rebuild.finish(header["basis"])


class Stream:
    """The records of a snapshot in their prescribed order, hashed and counted as they pass."""

    def __init__(self, records: Iterator[Line]) -> None:
        self._records = records
        self._digest = hashlib.sha256()
        self._unhashed: list[str] = []
        self._room = limits.SNAPSHOT_HASH_BYTES
        self._counts = {RECEIPT: 0, FACT: 0}
        self._footer: dict | None = None
        self.where = "line 1"

    def header(self) -> dict:
        """The first record, checked."""
        record, text = self._next("the stream is empty")
        if not isinstance(record, dict) or record.get("fgraph") != snapshot.FORMAT:
            raise self._wrong(f"is not the header of a {snapshot.FORMAT} stream")
        version = record.get("format")
        if isinstance(version, bool) or version != snapshot.VERSION:
            raise self._wrong(f"has format {errors.quote(version)}, not {snapshot.VERSION}")
        if not events.is_time(record.get("created_at")):
            raise self._wrong(f"has the time {errors.quote(record.get('created_at'))}, not integer microseconds")
        if not isinstance(record.get("basis"), str):
            raise self._wrong(f"has the basis {errors.quote(record.get('basis'))}, not an event id")
        self._hash(text)
        return record

    def body(self) -> Iterator[tuple[str, object]]:
        """(kind, content) of each receipt and fact; ends after the footer, which must be the last record."""
        while True:
            record, text = self._next("the stream ends before its footer")
            kind = _kind(record)
            if kind is None or (kind == RECEIPT and self._counts[FACT]):
                raise self._wrong("is no receipt, fact or footer, or stands in the wrong place")
            if kind == FOOTER:
                break
            self._hash(text)
            self._counts[kind] += 1
            yield kind, record[kind]
        self._footer = record
        if next(self._records, None) is not None:
            raise errors.TypeError(f"the stream goes on after its footer in {self.where}", param="source", hint=ADVICE)

    def check_footer(self) -> None:
        """Compare the footer with what has passed: the digest first, then the counts."""
        footer = self._footer
        if footer.keys() != FOOTER_KEYS or not isinstance(footer["sha256"], str):
            raise self._wrong("is not a footer with facts, receipts and sha256")
        counts = {"receipts": self._counts[RECEIPT], "facts": self._counts[FACT]}
        for name in counts:
            if type(footer[name]) is not int or footer[name] < 0:
                raise self._wrong(f"has {errors.quote(footer[name])} {name}, which is no count")
        self._hash_gathered()
        if footer["sha256"] != self._digest.hexdigest():
            raise errors.Conflict("the stream was changed: its digest is another", hint="transfer it again")
        for name, count in counts.items():
            if footer[name] != count:
                raise self._wrong(f"counts {footer[name]} {name}, and there are {count}")

    def _next(self, otherwise: str) -> tuple[object, str]:
        line = next(self._records, None)
        if line is None:
            raise errors.TypeError(otherwise, param="source", hint="transfer the whole snapshot")
        self.where = line.where
        if line.text.startswith(FACT_OPENING):
            record = _plain_fact(line.text)
            if record is not None:
                return record, line.text
        with lines.advised(ADVICE):
            return verbatim.canonical_text(line.text, f"the record on {line.where}")

    def _hash(self, text: str) -> None:
        self._unhashed.append(text)
        self._room -= len(text)
        if self._room < 0:
            self._hash_gathered()

    def _hash_gathered(self) -> None:
        self._digest.update("".join(f"{text}\n" for text in self._unhashed).encode())
        self._unhashed.clear()
        self._room = limits.SNAPSHOT_HASH_BYTES

    def _wrong(self, what: str) -> errors.TypeError:
        return errors.TypeError(f"{self.where} {what}", param="source", hint=ADVICE)


def _plain_fact(text: str) -> dict | None:
    """The record of a canonical line with a fact of the frequent kinds, by composing its text again; else None."""
    record = verbatim.parse_loosely(text)
    content = record.get(FACT) if isinstance(record, dict) else None
    if not isinstance(content, list) or len(content) != 6:
        return None
    parts = ["null" if part is None else _composed(part) for part in content]
    return record if None not in parts and f"{FACT_OPENING}{','.join(parts)}]}}" == text else None


def _composed(part: object) -> str | None:
    """The canonical text of a text, an integer or a wrapper of one text; None for anything else."""
    kind = type(part)
    if kind is str:
        return quote_string(part)
    if kind is int:
        return str(part)
    if kind is dict and len(part) == 1:
        ((key, inner),) = part.items()
        if type(inner) is str:
            return f"{{{quote_string(key)}:{quote_string(inner)}}}"
    return None


def _kind(record: object) -> str | None:
    if not isinstance(record, dict):
        return None
    if record.get("fgraph") == "end":
        return FOOTER
    if len(record) == 1:
        (key,) = record
        return key if key in (RECEIPT, FACT) else None
    return None
