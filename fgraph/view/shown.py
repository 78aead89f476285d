"""How the page spells one fact: a short list, with the value as text of bounded length."""

from fgraph import limits
from fgraph.file.reader import Reader
from fgraph.values import canonical, logical

SAFE_INTEGER = (1 << 53) - 1  # the largest integer that a page's numbers keep exactly


class Pen:
    """Writes facts for the page, and notes the attributes, identities and transactions they mention."""

    def __init__(self, reader: Reader, value_bytes: int) -> None:
        self._reader = reader
        self._value_bytes = value_bytes
        self.attributes: dict[int, int] = {}  # id: position on the page
        self.identities: set[int] = set()
        self.transactions: set[int] = set()
        self.cut_values = 0

    def attribute(self, number: int) -> int:
        """The position of an attribute in the page's list of attributes."""
        return self.attributes.setdefault(number, len(self.attributes))

    def fact(self, row: tuple) -> list:
        """`[attribute, type, value, tx, rx or 0, (bytes of the whole value)]` of one row of FACT_COLUMNS.

        The value of a reference is an id, any other value is text; the last item is there where the text was cut.
        """
        _, _, attribute, value, tag, tx, rx, blob = row
        ended = self._reader.ended(rx)
        self.transactions.update(number for number in (tx, ended) if number is not None)
        head = [self.attribute(attribute), logical.TYPE_OF_TAG[tag]]
        text = plain_text(logical.render(tag, value, blob, str))
        if tag == logical.REF:
            self.identities.add(value)
            return [*head, identifier(value), tx, ended or 0]
        kept, size = self.cut(text)
        return [*head, kept, tx, ended or 0, *([size] if size else [])]

    def cut(self, text: str) -> tuple[str, int]:
        """The text within the bound, and the size of the whole in bytes, 0 where nothing was cut."""
        data = text.encode()
        if len(data) <= self._value_bytes:
            return text, 0
        self.cut_values += 1
        return data[: self._value_bytes].decode(errors="ignore"), len(data)


def plain_text(wire: object) -> str:
    """A value in wire form as a person reads it."""
    if isinstance(wire, str):
        return wire
    if isinstance(wire, bool):
        return "true" if wire else "false"
    if not isinstance(wire, dict):
        return repr(wire)
    ((kind, content),) = wire.items()
    if kind == "json":
        return canonical.canonical(content)
    if kind == "vector":
        first = ", ".join(map(repr, content[: limits.VIEW_VECTOR_SHOWN]))
        more = ", …" if len(content) > limits.VIEW_VECTOR_SHOWN else ""
        return f"[{first}{more}] ({len(content)} numbers)"
    return content


def identifier(number: int) -> int | str:
    """An id as the page holds it: a number, or text where a page's numbers would not be exact."""
    return number if number <= SAFE_INTEGER else str(number)
