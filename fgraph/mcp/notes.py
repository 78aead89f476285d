"""Notes: the attributes they are kept under, and the vector that goes with a note's text."""

from __future__ import annotations

from fgraph.write.operations import Remove, Swap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.file.reader import Reader
    from fgraph.write.operations import Operation
    from fgraph.write.resolve import Resolver

TEXT = "memory/text"
EMBEDDING = "memory/embedding"


def drop_stale_vectors(resolver: Resolver) -> None:
    """Retract the vector of every note whose text the collected operations end without bringing a new vector.

    Otherwise a note that was forgotten or reworded would go on being found by the meaning of its old text.
    """
    reader = resolver.reader
    text, vector = reader.id_of(TEXT), reader.id_of(EMBEDDING)
    if text is None or vector is None:
        return
    on_text = [operation for operation in resolver.operations if operation.a == text]
    renewed = {operation.e for operation in resolver.operations if operation.a == vector}
    stale = {operation.e for operation in on_text if _ends_text(reader, operation, text)} - renewed
    for entity in sorted(stale):
        resolver.remove(entity, vector, None, EMBEDDING)


def _ends_text(reader: Reader, operation: Operation, text: int) -> bool:
    """Whether a committed live text of the entity ends by this operation."""
    sql = "SELECT t, v FROM fgraph_facts INDEXED BY fgraph_eavt WHERE e = ? AND a = ? AND rx IS NULL"
    rows = reader.fetch(sql, (operation.e, text))
    if isinstance(operation, Remove):
        value = operation.value
        return bool(rows) if value is None else (value.tag, value.value) in rows
    new = operation.new if isinstance(operation, Swap) else operation.value
    return any(new is None or (new.tag, new.value) != row for row in rows)
