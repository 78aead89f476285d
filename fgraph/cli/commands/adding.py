"""The add command: one document, one document a line, or batches of lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from fgraph import errors, limits
from fgraph.cli import faults, place
from fgraph.cli.call import Call, Outcome, view
from fgraph.cli.commands.writing import signed, written
from fgraph.cli.layout import count
from fgraph.cli.parse import UsageError
from fgraph.cli.progress import Progress, counting
from fgraph.cli.source import JSON_BLANKS, STDIN, Line, content, hinted, json_line, lines, opened, plain
from fgraph.values.canonical import SYNTAX, parse_json

WHAT = "DATA"
GUARD_NAMES = {"operation_id": "--operation-id", "if_basis_tx": "--if-basis-tx"}
# Of an item in one transaction, as faults of writes name it: before the fault of a value, else as the argument.
POSITION = re.compile(r"data\[([0-9]+)\]")


class Item(NamedTuple):
    """The JSON document of one line."""

    line: int
    value: object


def add(call: Call) -> Outcome:
    _check_options(call)
    return _add_batches(call) if call["batch_size"] is not None else _add_whole(call)


def _check_options(call: Call) -> None:
    size, prefix = call["batch_size"], call["operation_id_prefix"]
    if size is not None and not 1 <= size <= limits.ADD_BATCH:
        raise UsageError(f"--batch-size goes from 1 to {limits.ADD_BATCH}, not {size}", call.command)
    if prefix is None:
        return
    if size is None:
        raise UsageError("--operation-id-prefix needs --batch-size", call.command)
    if call["operation_id"] is not None:
        raise UsageError("--operation-id and --operation-id-prefix exclude each other", call.command)
    if len(plain(prefix, "--operation-id-prefix").encode()) > limits.PREFIX_BYTES:
        raise errors.TypeError(
            f"--operation-id-prefix is longer than {limits.PREFIX_BYTES} bytes", hint="take a shorter one"
        )


# -- one document, or one a line --------------------------------------------------------------------------------------


def _add_whole(call: Call) -> Outcome:
    options = signed(call)
    text = content(call["data"], WHAT).strip(JSON_BLANKS)
    with hinted(call["data"]):
        items, one = _documents(text)
    if not one:
        _refuse_guards(call, "lines that are transactions of their own")
    with place.writing(call, only_if_written=True) as db:
        if one:
            return written(call, db.transact(items[0].value, **options))
        return _add_lines(call, db, items, options)


def _add_lines(call: Call, db: place.Db, items: list[Item], options: dict[str, object]) -> Outcome:
    reports = []
    with db._store.writing(), counting(call, "add", "transaction") as progress:
        for item in items:
            try:
                reports.append(dict(db.transact(item.value, **options)))
            except errors.FGraphError as fault:
                raise _located(fault, "data", f"line {item.line}") from fault
            progress.step()
    call.changed = f"{count(len(reports), 'transaction')} committed"
    return Outcome(reports, view("show.reports", reports))


def _documents(text: str) -> tuple[list[Item], bool]:
    """The JSON documents of a text, and whether there is one only. A syntax error makes it one document a line."""
    if not text:
        raise errors.TypeError(f"{WHAT} is empty", hint="give a record, an operation, or a list of them")
    try:
        return [Item(1, parse_json(text, WHAT))], True
    except errors.TypeError as fault:
        numbered = [Line(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip(JSON_BLANKS)]
        if fault.code != SYNTAX or len(numbered) < 2:
            raise
        return [_line_document(line, numbered[0].number, fault) for line in numbered], False


def _line_document(line: Line, first: int, whole: errors.TypeError) -> Item:
    try:
        return Item(line.number, json_line(line))
    except errors.TypeError as fault:
        if line.number != first or fault.code != SYNTAX:
            raise
        # Not even the first line stands alone: this was meant to be one document, so say where that one breaks.
        raise errors.TypeError(
            f"{whole.message}; nor is it one document per line", code=SYNTAX, hint=whole.hint
        ) from None


def _refuse_guards(call: Call, what: str) -> None:
    for field, name in GUARD_NAMES.items():
        if call[field] is not None:
            raise errors.TypeError(
                f"{name} cannot guard {what}", param=field, hint="use --batch-size with --operation-id-prefix"
            )


def _located(fault: errors.FGraphError, position: str, place: str) -> errors.FGraphError:
    """The same fault with its place in the input, instead of its position in the data of one transaction."""
    rest = fault.message.removeprefix(position)
    if rest.startswith(' "'):
        rest = f":{rest}"
    message = place + (rest if rest[:1] in (" ", ":") else f": {fault.message}")
    param = fault.param and fault.param.replace(position, "data", 1)
    return type(fault)(message, code=fault.code, param=param, hint=fault.hint)


# -- batches ----------------------------------------------------------------------------------------------------------


class Batch(NamedTuple):
    """Some items of the input that are committed together."""

    number: int
    items: list[Item]

    def located(self, fault: errors.FGraphError) -> errors.FGraphError:
        """A fault of the write with the line it is about, or all the lines of the batch where it is about none."""
        match = POSITION.match(fault.message) or POSITION.match(fault.param or "")
        if match:
            return _located(fault, match[0], f"line {self.items[int(match[1])].line}")
        first, last = self.items[0].line, self.items[-1].line
        return _located(fault, "data", f"line {first}" if first == last else f"lines {first} to {last}")


class Tally:
    """What the batches have done so far."""

    def __init__(self) -> None:
        self.counts = {"applied": 0, "already_applied": 0, "noop": 0}
        self.batches = 0
        self.items = 0
        self.tx: int | None = None
        self.basis_tx: int | None = None

    def add(self, report: Mapping[str, object], items: int) -> None:
        """Count one batch that was answered."""
        self.counts[report["status"]] += 1
        self.batches += 1
        self.items += items
        self.tx = report["tx"]
        self.basis_tx = report["basis_tx"] if report["tx"] is None else report["tx"]

    def result(self) -> dict[str, object]:
        """The summary that the command prints."""
        return {**self.counts, "basis_tx": self.basis_tx, "batches": self.batches, "items": self.items, "tx": self.tx}

    def summary(self) -> str:
        """What is committed, in words."""
        return f"{count(self.batches, 'batch', 'batches')} with {count(self.items, 'item')}"


def _add_batches(call: Call) -> Outcome:
    options = signed(call)
    tally = Tally()
    with place.writing(call, only_if_written=True) as db:
        try:
            with counting(call, "add", "item") as progress:
                for batch in _batches(call, progress):
                    _commit(call, db, batch, options, tally)
        except errors.FGraphError as fault:
            if not tally.batches:
                raise
            advice = faults.WOULD_REPEAT if call["operation_id_prefix"] is None else faults.GOES_ON
            raise faults.with_committed(fault, tally.summary(), advice) from fault
    result = tally.result()
    details = {f"batches {word.replace('_', ' ')}": number for word, number in tally.counts.items()}
    return Outcome(result, view("show.counters", "added", tally.items, "item", details, tally.basis_tx))


def _commit(call: Call, db: place.Db, batch: Batch, options: dict[str, object], tally: Tally) -> None:
    if call["operation_id_prefix"] is not None:
        options = options | {"operation_id": f"{call['operation_id_prefix']}:{batch.number:08d}"}
    try:
        report = db.transact([item.value for item in batch.items], **options)
    except errors.FGraphError as fault:
        raise batch.located(fault) from fault
    tally.add(report, len(batch.items))
    call.changed = f"{tally.summary()} committed"


def _batches(call: Call, progress: Progress) -> Iterator[Batch]:
    """Batches as they fill up. A guarded one is held back until it is known that nothing follows."""
    size = call["batch_size"]
    guarded = any(call[field] is not None for field in GUARD_NAMES)
    number, items = 0, []
    for item in _items(call):
        if len(items) == size:
            _refuse_guards(call, "more than one batch")
        items.append(item)
        progress.step()
        if len(items) == size and not guarded:
            yield Batch(number, items)
            number, items = number + 1, []
    if items:
        yield Batch(number, items)
    elif not number:
        raise errors.TypeError(f"{WHAT} is empty", hint="give a document on each line")


def _items(call: Call) -> Iterator[Item]:
    for line in _input_lines(call["data"]):
        if line.text.strip(JSON_BLANKS):
            item = json_line(line)
            if not isinstance(item, dict) and not (isinstance(item, list) and item and isinstance(item[0], str)):
                raise errors.TypeError(
                    f"line {line.number} is neither a record nor an operation", hint="write one of them on each line"
                )
            yield Item(line.number, item)


def _input_lines(word: str) -> Iterator[Line]:
    if word != STDIN and not word.startswith("@"):
        yield from (Line(number, text) for number, text in enumerate(plain(word, WHAT).split("\n"), 1))
        return
    stream, name = opened(word, at_path=True)
    with stream:
        yield from lines(stream, name)
