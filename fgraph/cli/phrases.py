"""How one value, one entity name or one person's signature reads on a terminal."""

import re

from fgraph import limits
from fgraph.cli.call import Screen
from fgraph.cli.layout import clean, paint
from fgraph.cli.times import local_time
from fgraph.values.canonical import canonical, float_text
from fgraph.values.instants import parse_instant

ARROW = "→ "
AMBIGUOUS = re.compile(rf"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|none|{ARROW}.*", re.DOTALL)


def value_text(value: object) -> str:
    """A wire value in one safe line; a text that reads like another kind of value stands in quotes."""
    if isinstance(value, str):
        return f'"{clean(value)}"' if AMBIGUOUS.fullmatch(value) else clean(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return float_text(value)
    if isinstance(value, dict) and len(value) == 1:
        return _wrapped(*next(iter(value.items())), value)
    if isinstance(value, dict | list):
        return clean(canonical(value))
    return "none" if value is None else str(value)


def _wrapped(kind: str, inner: object, value: dict) -> str:
    if kind == "ref":
        return f"{ARROW}{name_text(inner)}"
    if kind == "instant":
        return local_time(parse_instant(inner) if isinstance(inner, str) else inner)
    if kind == "bytes":
        length = len(inner) * 3 // 4 - inner.count("=")
        shown = inner[: limits.CLI_BASE64_SHOWN]
        return f"{length} bytes {shown}{'' if shown == inner else '…'}"
    if kind == "vector":
        shown = inner[: limits.CLI_VECTOR_SHOWN]
        return f"vector of {len(inner)}: {' '.join(map(value_text, shown))}{'' if shown == inner else ' …'}"
    if kind == "vector_dims":
        return f"vector of {inner}"
    return clean(canonical(inner if kind == "json" else value))


def name_text(name: object) -> str:
    """An entity or attribute: its name, or its number where it has none."""
    return clean(name) if isinstance(name, str) else value_text(name)


def signature(by: object, source: object) -> str:
    """Who said it and where it comes from, as far as it is known."""
    parts = []
    if by is not None:
        parts.append(f"by {name_text(by)}")
    if source is not None:
        parts.append(f"from {name_text(source)}")
    return "  ".join(parts)


def marked(snippet: str, screen: Screen) -> str:
    """A search snippet with its [matched] words set off; the brackets stay where there is no colour."""
    text = clean(snippet)
    if not screen.colour:
        return text
    parts = text.split("[")
    painted = [parts[0]]
    for part in parts[1:]:
        word, closed, rest = part.partition("]")
        painted.append(paint(word, "mark", screen) + rest if closed else f"[{part}")
    return "".join(painted)
