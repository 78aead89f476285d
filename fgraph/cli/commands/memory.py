"""The agent's three verbs for people and scripts: remember, recall, forget."""

from __future__ import annotations

import json
import os
import shlex

from fgraph import errors
from fgraph.cli import machine, place
from fgraph.cli.call import Call, Outcome, view
from fgraph.cli.commands.writing import GUARDS, written
from fgraph.cli.embedding import vector_of
from fgraph.cli.refs import is_id, unmistakable
from fgraph.cli.source import STDIN, content, json_word, plain
from fgraph.mcp.notes import EMBEDDING, TEXT, drop_stale_vectors
from fgraph.report import TxReport
from fgraph.write import transact
from fgraph.write.request import Options, request_hash
from fgraph.write.resolve import Resolver


def remember(call: Call) -> Outcome:
    """Keep one note; a note with a key replaces the one that has it."""
    text = _note(call["text"])
    note: dict[str, object] = {TEXT: text}
    if call["key"] is not None:
        if not call["key"]:
            raise errors.TypeError("--key is empty", param="key", hint="give the note a name, or leave --key out")
        note["id"] = _key(call["key"])
    if call["embed_cmd"] is not None:
        note[EMBEDDING] = {"vector": vector_of(text, call["embed_cmd"])}
    options = Options(by=author(call), **call.given(*GUARDS, "source"))
    with place.writing(call, only_if_written=True) as db:
        return written(call, _write(db, [note], options))


def recall(call: Call) -> Outcome:
    """Find text by any of its words, best first; by its meaning as well where notes have comparable vectors."""
    query = plain(call["query"], "QUERY")
    if not query.strip():
        raise errors.TypeError("QUERY is blank", param="query", hint="give a word or a question")
    vector = None if call["embed_cmd"] is None else vector_of(query, call["embed_cmd"])
    options = {
        "k": call["k"],
        "expand": call["expand"],
        "filters": [json_word(word, "--filter") for word in call["filter"]],
        "text_attributes": call["attribute"],
    }
    with place.reading(call) as db, db.reading():
        if vector is not None and any(vector) and len(vector) == _note_dimensions(db):
            options |= {"vector": vector, "vector_attribute": EMBEDDING}
        result = db.search(query, **options).to_dict()
    return Outcome(result, view("tables.hits", result))


def forget(call: Call) -> Outcome:
    """Retract an entity, an attribute or one value; the history keeps it."""
    options = Options(by=author(call), **call.given(*GUARDS))
    with place.writing(call, create=False) as db:
        ref = unmistakable(db, call["ref"])
        operation = ["retract", ref]
        if call["attr"] is not None:
            operation.append(call["attr"])
        if call["value"] is not None:
            operation.append(_value(db, ref, call["attr"], plain(call["value"], "VALUE")))
        return written(call, _write(db, operation, options), "show.forgotten")


def author(call: Call) -> str:
    """Who writes: `--by`, else the login name."""
    if call["by"] is not None:
        return plain(call["by"], "--by")
    return f"cli:{os.environ.get('USER') or _account()}"


def _account() -> str:
    import getpass  # seldom needed

    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # an account without a name, as in some containers
        return "unknown"


def _write(db: place.Db, data: list, options: Options) -> TxReport:
    """One transaction, in which the vector of a text that ends here ends as well; that is no part of the request."""
    options.check_form()
    digest = None
    if options.operation_id is not None:
        digest = request_hash({"data": data, "options": options.hashed()})

    def fill(resolver: Resolver) -> None:
        transact.read_data(resolver, data)
        drop_stale_vectors(resolver)

    return transact.guarded(db._store, options, digest, fill)


def _note(word: str) -> str:
    text = content(word, "TEXT").removesuffix("\n") if word == STDIN else plain(word, "TEXT")
    if not text.strip():
        raise errors.TypeError("TEXT is blank", param="text", hint="give the note some words")
    return text


def _key(word: str) -> str:
    key = plain(word, "--key")
    if is_id(key):
        name = shlex.quote(json.dumps({"id": key}))
        machine.complain(f"Warning: --key {key} reads like an id; where a command asks for REF, write {name}\n")
    return key


def _note_dimensions(db: place.Db) -> int | None:
    """How long the vectors of the notes are, where there are any."""
    attributes = {item["name"]: item for item in db.schema(EMBEDDING)["attributes"]}
    return attributes[EMBEDDING]["effective"]["dims"] if EMBEDDING in attributes else None


def _value(db: place.Db, ref: object, attribute: str, word: str) -> object:
    """The text itself where it is a live value, else what it decodes to as JSON, else the text."""
    try:
        held = [fact["v"] for fact in db.why(ref, attribute)]
    except errors.NotFound:
        held = []
    if word in [value for value in held if isinstance(value, str)]:
        return word
    try:
        value = json_word(word, "VALUE")
    except errors.FGraphError:
        return word
    return word if value is None or isinstance(value, list) else value
