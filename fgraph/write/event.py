"""The canonical event/1 text of a transaction, built from its facts (docs/streams.md)."""

from collections.abc import Callable, Iterable

from fgraph import errors, limits
from fgraph.read.events import FORMAT
from fgraph.values import canonical, instants, logical
from fgraph.values.canonical import float_text, quote_string
from fgraph.values.logical import BOOL, FLOAT, INSTANT, INT, JSON, REF, TEXT, VECTOR, Stored

Selector = Callable[[int], str]
# (entity, attribute, value)
Triple = tuple[int, int, Stored]


def value_text(value: Stored, selector: Selector) -> str:
    """The canonical JSON of the wire form of a value; `selector` gives the JSON of an identity."""
    tag, stored, payload = value
    if tag == TEXT:
        return quote_string(stored)
    if tag == REF:
        return f'{{"ref":{selector(stored)}}}'
    if tag == INT:
        return str(stored)
    if tag == FLOAT:
        return float_text(stored)
    if tag == BOOL:
        return "true" if stored else "false"
    if tag == INSTANT:
        return f'{{"instant":"{instants.format_instant(stored)}"}}'
    if tag == JSON:
        return f'{{"json":{stored}}}'
    if tag == VECTOR:
        numbers = logical.render_payload(VECTOR, payload)["vector"]
        return f'{{"vector":[{",".join(map(float_text, numbers))}]}}'
    return canonical.canonical(logical.render_stored(value, lambda number: number))


def selector_text(selector: str | dict) -> str:
    """The canonical JSON of a name or of `{"eid": uuid}`."""
    return quote_string(selector) if isinstance(selector, str) else f'{{"eid":"{selector["eid"]}"}}'


class EventWriter:
    """Renders facts of one transaction; texts of identities are made once each."""

    def __init__(self, selector: Callable[[int], str | dict]) -> None:
        self._selector = selector
        self._texts: dict[int, str] = {}

    def selector(self, number: int) -> str:
        """The JSON of an identity: its name, or `{"eid": uuid}`."""
        text = self._texts.get(number)
        if text is None:
            text = self._texts[number] = selector_text(self._selector(number))
        return text

    def facts(self, triples: Iterable[Triple]) -> str:
        """A list of `[entity, attribute, value, type]`."""
        texts = [f"[{self.selector(entity)},{self._pair(attribute, value)}]" for entity, attribute, value in triples]
        return f"[{','.join(texts)}]"

    def transaction_facts(self, pairs: Iterable[tuple[int, Stored]]) -> str:
        """A list of `[attribute, value, type]`."""
        return f"[{','.join(f'[{self._pair(attribute, value)}]' for attribute, value in pairs)}]"

    def _pair(self, attribute: int, value: Stored) -> str:
        return f'{self.selector(attribute)},{value_text(value, self.selector)},"{value.type}"'


def document(parts: dict[str, str]) -> str:
    """The event with these keys and canonical texts of their values; `TooLarge` above the bound of one event."""
    parts = {**parts, "fgraph": quote_string(FORMAT)}
    text = "{" + ",".join(f'"{key}":{parts[key]}' for key in sorted(parts)) + "}"
    size = len(text) if text.isascii() else len(text.encode())
    if size > limits.EVENT_BYTES:
        raise errors.TooLarge(
            f"the transaction's event has {size} bytes",
            hint=f"an event has at most {limits.EVENT_BYTES}; write in parts",
        )
    return text
