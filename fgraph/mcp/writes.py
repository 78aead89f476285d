"""The writing tools: what they ask of the database, and under which request they can be repeated."""

from __future__ import annotations

from fgraph import errors
from fgraph.file import identities
from fgraph.mcp.call import Call, selector
from fgraph.mcp.notes import EMBEDDING, TEXT, drop_stale_vectors
from fgraph.read import events, receipts, selectors
from fgraph.read.entity import facts_of
from fgraph.values import logical
from fgraph.values.canonical import parse_json
from fgraph.write import transact, undo
from fgraph.write.request import Item, Options, request_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fgraph.file.reader import Reader
    from fgraph.file.store import Store
    from fgraph.mcp.answers import Answer
    from fgraph.report import TxReport
    from fgraph.write.resolve import Resolver

_OPERATIONS = ("assert", "retract")


def remember(call: Call, given: dict) -> Answer:
    """`remember`: a note, structured facts, or both, as one transaction."""
    text, key, facts = given.get("text"), given.get("key"), given.get("facts")
    _check_note(text, key)
    if text is None and facts in (None, []):
        hint = "Give a note as text, entity maps as facts, or both."
        raise errors.TypeError("remember needs text or facts", code="missing_argument", param="text", hint=hint)
    options = Options(
        by=call.author,
        source=given.get("source"),
        operation_id=given["operation_id"],
        if_basis_tx=given.get("if_basis_tx"),
    )
    options.check_form()
    vector = _vector(call, facts, text, key, options) if text is not None and call.embedder is not None else None
    data = _data(facts, text, key, vector)
    digest = _digest(data, options)

    def fill(resolver: Resolver) -> None:
        transact.read_data(resolver, data)
        drop_stale_vectors(resolver)

    return call.write(lambda store: transact.guarded(store, options, digest, fill))


def _check_note(text: str | None, key: str | None) -> None:
    if text is not None and not text.strip():
        raise errors.TypeError("text is blank", param="text", hint="say what to remember, or leave text out")
    if key is not None and text is None:
        raise errors.TypeError("key needs text", param="key", hint="give text too, or name the entity by id in facts")
    if key is not None:
        identities.check_name(key, "key")


def _data(facts: object, text: str | None, key: str | None, vector: list[float] | None) -> list:
    """What is written, which is also what the request hash covers."""
    data: list = []
    if facts is not None and facts != []:
        many = isinstance(facts, list) and not (facts and isinstance(facts[0], str) and _is_one(facts, text))
        data = list(facts) if many else [facts]
    if text is not None:
        note: dict = {TEXT: text}
        if key is not None:
            note["id"] = key
        if vector is not None:
            note[EMBEDDING] = {"vector": vector}
        data.append(note)
    return data


def _is_one(facts: list, text: str | None) -> bool:
    """Whether a list is one bare operation. A bare compare-and-set alone is passed on as it is."""
    return facts[0] in _OPERATIONS or (facts[0] == "cas" and text is not None)


def _digest(data: list, options: Options) -> bytes:
    """The request hash; every writing tool requires an operation id, so each of its requests has one."""
    return request_hash({"data": data, "options": options.hashed()})


def _vector(call: Call, facts: object, text: str, key: str | None, options: Options) -> list[float]:
    """The vector of a note: that of the first attempt where this is a repetition, else a new one."""
    if "vector" not in call.notes:
        with call.reading() as (_, reader):
            earlier = _earlier_vector(reader, facts, text, key, options)
            if earlier is None and receipts.of_operation(reader, options.operation_id) is None:
                transact.check_basis(reader, options.if_basis_tx)
        call.notes["vector"] = earlier or _embed(call, text)
    return call.notes["vector"]


def _embed(call: Call, text: str) -> list[float]:
    call.progress.step(0, 2, "embedding")
    vector = call.embedder.embed(text)
    if not any(vector):
        hint = "Tell the user that the embedding command gives no usable vector for this text."
        raise errors.TypeError("the embedding of the text is all zero", code="embedder_failed", param="text", hint=hint)
    call.progress.step(1, 2, "committing")
    return vector


def _earlier_vector(reader: Reader, facts: object, text: str, key: str | None, options: Options) -> list[float] | None:
    """The vector with which this very request was carried out before; the embedder may give another one today."""
    sql = "SELECT tx, request_hash FROM fgraph_events WHERE operation_id = ? AND event_data IS NOT NULL"
    for tx, stored in reader.fetch(sql, (options.operation_id,)):
        for receipt in events.receipts(reader, tx - 1, tx):
            for row in events.record_of(receipt)["asserted"]:
                if row[1] != EMBEDDING:
                    continue
                vector = [float(number) for number in row[2]["vector"]]
                if _digest(_data(facts, text, key, vector), options) == stored:
                    return vector
    return None


def forget(call: Call, given: dict) -> Answer:
    """`forget`: retract one value, one attribute, or a whole entity with the links to it."""
    if "value" in given and "attribute" not in given:
        raise errors.TypeError("value needs attribute", param="value", hint="name the attribute that holds the value")
    if "attribute" in given:
        identities.check_attribute(given["attribute"])
    operation = ["retract", *(given[name] for name in ("entity", "attribute", "value") if name in given)]
    options = Options(by=call.author, operation_id=given["operation_id"], if_basis_tx=given["if_basis_tx"])
    options.check_form()
    # The request is what was sent; what it means is decided by the state that it meets.
    digest = _digest(operation, options)

    def fill(resolver: Resolver) -> None:
        reader = resolver.reader
        entity = selector(reader, given["entity"])
        content = [entity, *operation[2:]]
        if "value" in given:
            content[2] = _meant_value(reader, entity, given["attribute"], given["value"])
        resolver.operation(Item("retract", tuple(content), "forget"))
        drop_stale_vectors(resolver)

    return call.write(lambda store: transact.guarded(store, options, digest, fill))


def _meant_value(reader: Reader, entity: object, attribute: str, value: object) -> object:
    """The live value that a text means: the text itself, else what it says as JSON, else still the text.

    Answers show integral floats without a fraction, so a number also means the equal live one of the other kind.
    """
    live = _live_values(reader, entity, attribute)
    if isinstance(value, str):
        decoded = None if any(isinstance(one, str) and one == value for one in live) else _decoded(value)
        value = value if decoded is None else decoded
    if isinstance(value, int | float) and not isinstance(value, bool):
        same = [one for one in live if one == value and not isinstance(one, bool)]
        return next((one for one in same if type(one) is type(value)), same[0] if same else value)
    return value


def _decoded(text: str) -> object:
    """The scalar or wrapper that a text writes as JSON, else None."""
    try:
        value = parse_json(text, "value")
    except errors.FGraphError:
        return None
    return None if isinstance(value, list) else value


def _live_values(reader: Reader, entity: object, attribute: str) -> list:
    number, wanted = selectors.find(reader, entity), reader.id_of(attribute)
    if number is None or wanted is None:
        return []
    return [logical.render(row[4], row[3], row[7], reader.label) for row in facts_of(reader, number, wanted)]


def undo_transaction(call: Call, given: dict) -> Answer:
    """`undo`: a new transaction that reverses an earlier one."""
    options = Options(by=call.author, operation_id=given["operation_id"], if_basis_tx=given["if_basis_tx"])

    def perform(store: Store) -> TxReport:
        return undo.undo(store, given["tx"], options)

    return call.write(perform)
