"""One entity in a short answer: which attributes and values are shown, what is left out, and slices of long values."""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.mcp import answers
from fgraph.read import entity as entities
from fgraph.read import render
from fgraph.schema.declarations import declarations
from fgraph.values.logical import REF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.file.reader import Reader

OMITTED = "omitted"  # attribute names hold a slash, so this key is free


class Cell:
    """The values of one attribute from some point on, and how many there are in all."""

    __slots__ = ("count", "many", "values")

    def __init__(self, values: list, count: int, many: bool) -> None:
        self.values = values
        self.count = count
        self.many = many

    @property
    def value(self) -> object:
        """As the entity map shows it."""
        return self.values if self.many else self.values[-1]


def overview(reader: Reader, entity: int, depth: int) -> tuple[dict, dict]:
    """The data for a whole entity, and how many attributes and values were left out of it."""
    counts = _counts(reader, entity)
    names = sorted(counts)
    cells = {
        name: _cell(reader, entity, counts[name], 0, limits.MCP_VALUES, depth)
        for name in names[: limits.MCP_ATTRIBUTES]
    }
    shown = _as_much_as_fits({name: answers.without_vectors(cell.value) for name, cell in cells.items()})
    omitted = {name: {"from": 0, "of": counts[name][1], "unit": "values"} for name in names if name not in shown}
    omitted.update({name: gap for name, part in shown.items() if (gap := _gap(cells[name], part))})
    data = dict(shown)
    if omitted:
        ordered = {name: omitted[name] for name in names if name in omitted}
        data[OMITTED] = _listed(ordered, limits.MCP_DEFAULT_CHARS - answers.size(shown) - limits.MCP_FRAME_CHARS)
    return data, _left_out(counts, cells, shown)


def _counts(reader: Reader, entity: int) -> dict[str, tuple[int, int]]:
    """Attribute name to attribute id and number of visible facts."""
    sql = f"""
        SELECT a, count(*)
        FROM fgraph_facts INDEXED BY {"fgraph_eavt" if reader.live else "fgraph_hist"}
        WHERE e = ? AND {reader.visible()}
        GROUP BY a
    """
    return {str(reader.label(number)): (number, count) for number, count in reader.fetch(sql, (entity,))}


def _cell(reader: Reader, entity: int, attribute: tuple[int, int], start: int, most: int, depth: int) -> Cell:
    number, count = attribute
    many = declarations(reader).many(number)
    # Of a one-value attribute the last fact stands, should damage have left several.
    rows = entities.facts_of(reader, entity, number, start, most) if many else entities.facts_of(reader, entity, number)
    return Cell([_value(reader, row, entity, depth) for row in rows], count, many)


def _value(reader: Reader, row: tuple, root: int, depth: int) -> object:
    """The value of one fact; at depth 2 a link is opened, unless it leads back or to something large."""
    link = render.render_value(reader, row[4], row[3], row[7])
    if depth < 2 or row[4] != REF or row[3] == root:
        return link
    opened = entities.entity(reader, row[3], 1)
    return opened if answers.size(opened) <= limits.MCP_OPENED_CHARS else link


def _as_much_as_fits(candidates: dict) -> dict:
    room = limits.MCP_DEFAULT_CHARS - limits.MCP_FRAME_CHARS
    for most in limits.MCP_EXCERPTS:
        shorter = answers.cut_inside(candidates, most)
        if answers.size(shorter) + limits.MCP_OMITTED_CHARS <= room:
            return shorter
    return _one_by_one(shorter, room - limits.MCP_OMITTED_CHARS)


def _one_by_one(shorter: dict, room: int) -> dict:
    shown: dict = {}
    for name, value in shorter.items():
        left = room - answers.size(name) - 2
        if isinstance(value, list):
            value = value[: answers.leading(value, left - 2)]
            if not value:
                continue
        elif answers.size(value) > left:
            continue
        shown[name] = value
        room = left - answers.size(value)
    return shown


def _gap(cell: Cell, shown: object) -> dict | None:
    """What of one attribute is not in the answer, and where to continue; None when all of it is."""
    whole = answers.without_vectors(cell.value)
    if cell.many:
        if len(shown) < cell.count:
            return {"from": len(shown), "of": cell.count, "unit": "values"}
        cut = next((index for index, pair in enumerate(zip(whole, shown, strict=True)) if pair[0] != pair[1]), None)
        return None if cut is None else {"from": cut, "of": cell.count, "unit": "values", "value_truncated": True}
    if shown == whole:
        return None
    start = len(shown) - len(answers.MARK) if isinstance(shown, str) else 0
    return {"from": start, "of": len(_text_of(whole)), "unit": "characters", "value_truncated": True}


def _listed(omitted: dict, room: int) -> dict:
    """The gaps that fit, and how many attributes more have one."""
    listed: dict = {}
    for count, (name, gap) in enumerate(omitted.items()):
        room -= answers.size({name: gap})
        if room < 0:
            return {**listed, "more": len(omitted) - count}
        listed[name] = gap
    return listed


def _left_out(counts: dict, cells: dict[str, Cell], shown: dict) -> dict:
    values = {
        name: cells[name].count - len(part)
        for name, part in shown.items()
        if cells[name].many and len(part) < cells[name].count
    }
    found: dict = {}
    if len(shown) < len(counts):
        found["attributes"] = len(counts) - len(shown)
    if values:
        found["values"] = values
    return found


def one_attribute(reader: Reader, entity: int, name: str, start: int, depth: int) -> dict:
    """The data for one attribute from a character or a value on, and where to continue."""
    attribute = _counts(reader, entity).get(name)
    if attribute is None:
        return {}
    room = limits.MCP_DEFAULT_CHARS - 2 * answers.size(name) - limits.MCP_FRAME_CHARS
    cell = _cell(reader, entity, attribute, start, limits.MCP_ITEMS_MAX, depth)
    if cell.many:
        _check_start(name, start, cell.count, "values")
        return _values_from(name, cell, start, room)
    if start == 0 and answers.size(cell.value) <= room:
        return {name: cell.value}
    return _text_from(name, _text_of(cell.value), start, room)


def _values_from(name: str, cell: Cell, start: int, room: int) -> dict:
    # The first value gets all the room it needs, so that a long one can be read further than in an overview.
    for most in (room // 2, *limits.MCP_EXCERPTS):
        shorter = [answers.cut_value(value, most) for value in cell.values]
        fitting = answers.leading(shorter, room)
        if fitting:
            break
    data: dict = {name: shorter[:fitting]}
    gap: dict = {}
    if start + fitting < cell.count:
        gap = {"from": start + fitting, "of": cell.count, "unit": "values"}
    if shorter[:fitting] != cell.values[:fitting]:
        gap["value_truncated"] = True
    return {**data, OMITTED: {name: gap}} if gap else data


def _text_from(name: str, text: str, start: int, room: int) -> dict:
    _check_start(name, start, len(text), "characters")
    part = text[start : start + room]
    while answers.size(part) > room:
        part = part[: len(part) * room // answers.size(part) - 1]
    end = start + len(part)
    gap: dict = {"of": len(text), "unit": "characters", "value_truncated": True}
    if end < len(text):
        gap["from"] = end
    return {name: part, OMITTED: {name: gap}}


def _check_start(name: str, start: int, length: int, unit: str) -> None:
    if start and start >= length:
        raise errors.TypeError(
            f"from is {start}, and {name} has {length} {unit}",
            code="out_of_range",
            param="from",
            hint=f"use 0 to {max(0, length - 1)}",
        )


def _text_of(value: object) -> str:
    """The text that slices are cut from: the value itself, or the JSON of one that is no text."""
    return value if isinstance(value, str) else answers.compact(value)
