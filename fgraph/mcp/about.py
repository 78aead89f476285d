"""One entity in a short answer: which attributes and values are shown, what is left out, and slices of long values."""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.mcp import answers

OMITTED = "omitted"  # attribute names hold a slash, so this key is free
_REF_BYTES = 4_000  # of a linked entity that is opened; a larger one stays a link
_OMITTED_ROOM = 1_500  # characters kept for the list of what was left out


def overview(full: dict, links: dict) -> tuple[dict, dict]:
    """The data for a whole entity, and how many attributes and values were cut.

    `full` is the entity map, `links` the same with every reference unopened, for those that are too large.
    """
    full = answers.without_vectors(full)
    candidates = {name: _first_values(_openable(full[name], links[name])) for name in sorted(full)}
    shown = _as_much_as_fits(dict(list(candidates.items())[: limits.MCP_ATTRIBUTES]))
    omitted = {name: gap for name in candidates if (gap := _gap(full[name], shown.get(name)))}
    data = dict(shown)
    if omitted:
        data[OMITTED] = _listed(omitted, limits.MCP_DEFAULT_CHARS - answers.size(shown) - answers.FRAME)
    return data, _counts(full, shown)


def _openable(value: object, link: object) -> object:
    if isinstance(value, list) and isinstance(link, list):
        return [_openable(*pair) for pair in zip(value, link, strict=True)]
    return link if value != link and answers.size(value) > _REF_BYTES else value


def _first_values(value: object) -> object:
    return value[: limits.MCP_VALUES] if isinstance(value, list) else value


def _as_much_as_fits(candidates: dict) -> dict:
    room = limits.MCP_DEFAULT_CHARS - answers.FRAME
    for most in answers.EXCERPTS:
        shorter = {name: _cut(value, most) for name, value in candidates.items()}
        if answers.size(shorter) + _OMITTED_ROOM <= room:
            return shorter
    return _one_by_one(shorter, room - _OMITTED_ROOM)


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


def _cut(value: object, most: int) -> object:
    if isinstance(value, list):
        return [_cut(item, most) for item in value]
    if isinstance(value, dict) and all("/" in name for name in value):
        return {name: _cut(item, most) for name, item in value.items()}
    return answers.cut_value(value, most)


def _gap(value: object, shown: object) -> dict | None:
    """What of one attribute is not in the answer, and where to continue; None when all of it is."""
    if shown is None:
        return {"from": 0, **_extent(value)}
    if isinstance(value, list):
        if len(shown) < len(value):
            return {"from": len(shown), **_extent(value)}
        cut = next((index for index, pair in enumerate(zip(value, shown, strict=True)) if pair[0] != pair[1]), None)
        return None if cut is None else {"from": cut, **_extent(value), "value_truncated": True}
    if shown == value:
        return None
    start = len(shown) - len(answers.MARK) if isinstance(shown, str) else 0
    return {"from": start, **_extent(value), "value_truncated": True}


def _extent(value: object) -> dict:
    if isinstance(value, list):
        return {"of": len(value), "unit": "values"}
    return {"of": len(_text_of(value)), "unit": "characters"}


def _listed(omitted: dict, room: int) -> dict:
    """The gaps that fit, and how many attributes more have one."""
    listed: dict = {}
    for count, (name, gap) in enumerate(omitted.items()):
        room -= answers.size({name: gap})
        if room < 0:
            return {**listed, "more": len(omitted) - count}
        listed[name] = gap
    return listed


def _counts(full: dict, shown: dict) -> dict:
    values = {
        name: len(full[name]) - len(part)
        for name, part in shown.items()
        if isinstance(part, list) and len(part) < len(full[name])
    }
    counts: dict = {}
    if len(shown) < len(full):
        counts["attributes"] = len(full) - len(shown)
    if values:
        counts["values"] = values
    return counts


def one_attribute(name: str, value: object, start: int) -> dict:
    """The data for one attribute from a character or a value on, and where to continue."""
    room = limits.MCP_DEFAULT_CHARS - 2 * answers.size(name) - answers.FRAME
    if isinstance(value, list):
        return _values_from(name, value, start, room)
    if start == 0 and answers.size(value) <= room:
        return {name: value}
    return _text_from(name, _text_of(value), start, room)


def _values_from(name: str, values: list, start: int, room: int) -> dict:
    _check_start(name, start, len(values), "values")
    rest = values[start:]
    # The first value gets all the room it needs, so that a long one can be read further than in an overview.
    for most in (room // 2, *answers.EXCERPTS):
        shorter = [answers.cut_value(value, most) for value in rest[: limits.MCP_ITEMS_MAX]]
        fitting = answers.leading(shorter, room)
        if fitting:
            break
    data: dict = {name: shorter[:fitting]}
    if start + fitting < len(values):
        data[OMITTED] = {name: {"from": start + fitting, "of": len(values), "unit": "values"}}
    if shorter[:fitting] != rest[:fitting]:
        data.setdefault(OMITTED, {}).setdefault(name, {})["value_truncated"] = True
    return data


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
