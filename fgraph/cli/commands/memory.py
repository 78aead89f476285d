"""The agent's three verbs for people and scripts: remember, recall, forget."""

import os

from fgraph import errors
from fgraph.cli import place, tables
from fgraph.cli.call import Call, Outcome
from fgraph.cli.commands.writing import GUARDS, written
from fgraph.cli.refs import existing
from fgraph.cli.source import STDIN, content, json_word, plain

TEXT, EMBEDDING = "memory/text", "memory/embedding"


def remember(call: Call) -> Outcome:
    """Keep one note; a note with a key replaces the one that has it."""
    text = _note(call["text"])
    note: dict[str, object] = {TEXT: text}
    if call["key"] is not None:
        if not call["key"]:
            raise errors.TypeError("--key is empty", param="key", hint="give the note a name, or leave --key out")
        note["id"] = plain(call["key"], "--key")
    options = call.given(*GUARDS, "source")
    with place.writing(call, only_if_written=True) as db:
        return written(call, db.transact([note], by=author(call), **options))


def recall(call: Call) -> Outcome:
    """Find text by any of its words, best first."""
    query = plain(call["query"], "QUERY")
    if not query.strip():
        raise errors.TypeError("QUERY is blank", param="query", hint="give a word or a question")
    options = {
        "text": query,
        "k": call["k"],
        "expand": call["expand"],
        "filters": [json_word(word, "--filter") for word in call["filter"]],
        "text_attributes": call["attribute"],
    }
    with place.reading(call) as db:
        result = db.search(**options).to_dict()
    return Outcome(result, lambda screen: tables.hits(screen, result))


def forget(call: Call) -> Outcome:
    """Retract an entity, an attribute or one value; the history keeps it."""
    with place.writing(call, create=False) as db:
        ref = existing(db, call["ref"])
        value = {} if call["value"] is None else {"value": _value(db, ref, call["attr"], plain(call["value"], "VALUE"))}
        return written(call, db.retract(ref, call["attr"], **value, by=author(call), **call.given(*GUARDS)))


def _note(word: str) -> str:
    text = content(word, "TEXT").removesuffix("\n") if word == STDIN else plain(word, "TEXT")
    if not text.strip():
        raise errors.TypeError("TEXT is blank", param="text", hint="give the note some words")
    return text


def author(call: Call) -> str:
    """Who writes: `--by`, else the login name."""
    if call["by"] is not None:
        return plain(call["by"], "--by")
    return f"cli:{os.environ.get('USER') or os.environ.get('USERNAME') or 'unknown'}"


def _value(db: place.Db, ref: object, attribute: str, word: str) -> object:
    """The text itself where it is a live value, else what it decodes to as JSON, else the text."""
    try:
        held = [fact["v"] for fact in db.why(ref, attribute)]
    except errors.NotFound:
        held = []
    if word in held:
        return word
    try:
        return json_word(word, "VALUE")
    except errors.TypeError:
        return word
