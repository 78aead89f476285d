"""Commands that search through many entities: q, explain, datoms, search."""

from fgraph import errors
from fgraph.cli import place, tables
from fgraph.cli.call import Call, Outcome
from fgraph.cli.moments import moment_argument
from fgraph.cli.source import json_content, json_word, plain


def q(call: Call) -> Outcome:
    with place.reading(call) as live:
        query, args = _query(call)
        db = live if call["at"] is None else live.at(moment_argument(call["at"], "--at"))
        result = db.q(query, args).to_dict()
    return Outcome(result, lambda screen: tables.query(screen, result, None))


def explain(call: Call) -> Outcome:
    query, args = _query(call)
    with place.reading(call) as db:
        result = db.explain(query, args)
    return Outcome(result, lambda screen: tables.plan(screen, result, query))


def _query(call: Call) -> tuple[object, object]:
    query = json_content(call["query"], "QUERY")
    args = None if call["args"] is None else json_word(call["args"], "--args")
    if args is not None and not isinstance(args, dict):
        raise errors.TypeError(f"--args is {errors.quote(args)}", hint='give an object, as in {"?min": 10}')
    return query, args


def datoms(call: Call) -> Outcome:
    components = json_word(call["components"], "--components")
    if not isinstance(components, list):
        raise errors.TypeError(f"--components is {errors.quote(components)}", hint='give an array, as in ["skerry"]')
    with place.reading(call) as db:
        options = {"source": call["source"], "limit": call["limit"], "cursor": call["cursor"]}
        page = db.datoms(call["index"], components, **options)
    return Outcome(page, lambda screen: tables.datoms(screen, page))


def search(call: Call) -> Outcome:
    options = {
        "text": None if call["text"] is None else plain(call["text"], "--text"),
        "vector": None if call["vector"] is None else json_word(call["vector"], "--vector"),
        "k": call["k"],
        "expand": call["expand"],
        "filters": [json_word(word, "--filter") for word in call["filter"]],
        "vector_attribute": call["vector_attribute"],
        "text_attributes": call["text_attribute"],
        "match": call["match"],
    }
    with place.reading(call) as db:
        result = db.search(**options).to_dict()
    return Outcome(result, lambda screen: tables.hits(screen, result))
