"""Everything one page holds, read at one basis and written as JSON."""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass, field

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.schema.declarations import declarations
from fgraph.view import contested, entities, transactions
from fgraph.view.bounds import Bounds
from fgraph.view.shown import Pen, identifier


@dataclass(frozen=True, slots=True)
class Count:
    """How many of a kind are on the page, and how many there are."""

    shown: int
    total: int

    def left_out(self) -> int:
        return self.total - self.shown


@dataclass(slots=True)
class Tally:
    """What the page takes up of the entities, and what it leaves out."""

    written: list[str] = field(default_factory=list)
    ids: set[int] = field(default_factory=set)
    bytes: int = 0
    facts_left: int = 0
    facts_cut: int = 0
    ended_left: int = 0
    ended_cut: int = 0

    def add(self, entity: entities.Entity, text: str) -> None:
        self.written.append(text)
        self.ids.add(entity.id)
        self.bytes += len(text)
        self.facts_left += entity.facts_total - len(entity.facts)
        self.facts_cut += entity.facts_total > len(entity.facts)
        self.ended_left += entity.ended_total - len(entity.ended)
        self.ended_cut += entity.ended_total > len(entity.ended)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The JSON text of a page, the name it goes by, and what it counts."""

    name: str
    basis: int
    json: str
    entities: Count
    transactions: Count
    contested: Count
    left_out: list[str]


def gather(reader: Reader, bounds: Bounds) -> Gathered:
    """Read the page's content at the reader's basis."""
    pen = Pen(reader, bounds.value_bytes)
    chosen, entity_total = entities.touched_last(reader, bounds.entities)
    tally = _entities(reader, chosen, bounds, pen)
    cells, cell_total = contested.contested(reader, pen)
    newest, tx_total = transactions.newest(reader, bounds.transactions)
    timeline = transactions.transactions(reader, pen.transactions.union(newest), pen)
    counts = (
        Count(len(tally.ids), entity_total),
        Count(len(timeline), tx_total),
        Count(len(cells), cell_total),
    )
    left_out = _left_out(*counts, tally, bounds, pen.cut_values)
    name = os.fsencode(os.path.basename(reader.store.path)).decode("utf-8", "replace")
    head = {
        "name": name,
        "basis": reader.basis,
        "newest": reader.live,
        "counts": [[count.shown, count.total] for count in counts],
        "left_out": left_out,
    }
    parts = {
        "head": dumped(head),
        "entities": f"[{','.join(tally.written)}]",
        "names": dumped(_names(reader, pen.identities - tally.ids)),
        "transactions": dumped(timeline),
        "contested": dumped(cells),
        "attributes": dumped(_attributes(reader, pen.attributes)),
    }
    text = "{" + ",\n".join(f'"{key}":{value}' for key, value in parts.items()) + "}"
    return Gathered(name, reader.basis, text, *counts, left_out)


def dumped(value: object) -> str:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _entities(reader: Reader, chosen: list[tuple[int, int]], bounds: Bounds, pen: Pen) -> Tally:
    tally = Tally()
    for entity in entities.entities(reader, chosen, bounds, pen):
        text = dumped(entity.as_list(reader))
        if tally.bytes + len(text) > limits.VIEW_PAGE_BYTES and tally.written:
            break
        tally.add(entity, text)
        pen.transactions.add(entity.touched)
    return tally


def _names(reader: Reader, ids: Iterable[int]) -> list[list]:
    """`[id, name or null]` of what is mentioned without being on the page itself."""
    numbers = sorted(ids)
    reader.warm(numbers)
    labels = ((number, reader.label(number)) for number in numbers)
    return [[identifier(number), label if isinstance(label, str) else None] for number, label in labels]


def _attributes(reader: Reader, ids: Iterable[int]) -> list[list]:
    """`[name, many-valued, documentation or null]` in the pen's order."""
    declared = declarations(reader)
    rows = ((reader.label(number), declared.of(number)) for number in ids)
    return [[str(name), bool(facts.many), facts.doc] for name, facts in rows]


def _left_out(
    shown: Count, timeline: Count, cells: Count, tally: Tally, bounds: Bounds, cut_values: int
) -> list[str]:
    """One sentence for each kind of thing that the page does not hold."""
    entity = ("entity", "entities")
    sentences = {
        f"{_of(shown, *entity)}: the page holds those touched last.": shown.left_out(),
        f"{_number(tally.facts_left, 'present fact')} of {_number(tally.facts_cut, *entity)}: "
        f"each shows its newest {bounds.facts:,}.": tally.facts_left,
        f"{_number(tally.ended_left, 'ended fact')} of {_number(tally.ended_cut, *entity)}: "
        f"each shows the {bounds.history:,} that ended last.": tally.ended_left,
        f"The rest of {_number(cut_values, 'value')} longer than {_number(bounds.value_bytes, 'byte')}.": cut_values,
        f"{_of(timeline, 'transaction')}: the page holds the newest, and those its facts name.": timeline.left_out(),
        f"{_of(cells, 'contested cell')}: the page holds those that changed last.": cells.left_out(),
    }
    return [sentence for sentence, number in sentences.items() if number]


def _of(count: Count, one: str, many: str = "") -> str:
    return f"{count.left_out():,} of {_number(count.total, one, many)}"


def _number(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
