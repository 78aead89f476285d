"""Commands that search through many entities: q, explain, datoms, search."""

from fgraph import errors
from fgraph.cli import place
from fgraph.cli.call import Call, Outcome, view
from fgraph.cli.embedding import vector_of
from fgraph.cli.moments import reading_at
from fgraph.cli.source import FORMS, json_content, json_word, plain


def q(call: Call) -> Outcome:
    """Db.q by its parts: the units of work that people are told are no part of its result."""
    from fgraph.datalog import engine  # the other commands of this file do without it

    with reading_at(call) as db:
        query, args = _query(call)
        with db._store.reading() as reader:
            result, execution = engine.attempt(engine.prepare(reader, query, args), engine.Run())
    answer, work = result.to_dict(), execution.meter.spent
    return Outcome(answer, view("tables.query", answer, work))


def explain(call: Call) -> Outcome:
    query, args = _query(call)
    if not isinstance(query, dict):
        raise errors.TypeError(f"QUERY is {errors.quote(query)}", param="query", hint="give a query object")
    with place.reading(call) as db:
        result = db.explain(query, args)
    return Outcome(result, view("tables.plan", result, query))


def _query(call: Call) -> tuple[object, object]:
    query = json_content(call["query"], "QUERY")
    args = None if call["args"] is None else json_word(call["args"], "--args")
    if args is not None and not isinstance(args, dict):
        raise errors.TypeError(f"--args is {errors.quote(args)}", hint=f"give an object, {FORMS['--args']}")
    return query, args


def _embedded(call: Call, options: dict[str, object]) -> list[float]:
    """The vector of the text, made by --embed-cmd."""
    if options["text"] is None or options["vector"] is not None or options["vector_attribute"] is None:
        raise errors.TypeError(
            "--embed-cmd makes the vector of --text", hint="give --text and --vector-attribute, and no --vector"
        )
    return vector_of(options["text"], call["embed_cmd"])


def datoms(call: Call) -> Outcome:
    components = json_word(call["components"], "--components")
    if not isinstance(components, list):
        hint = f"give an array, {FORMS['--components']}"
        raise errors.TypeError(f"--components is {errors.quote(components)}", hint=hint)
    with place.reading(call) as db:
        options = {"source": call["source"], "limit": call["limit"], "cursor": call["cursor"]}
        page = db.datoms(call["index"], components, **options)
    return Outcome(page, view("tables.datoms", page))


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
    if call["embed_cmd"] is not None:
        options["vector"] = _embedded(call, options)
    with place.reading(call) as db:
        result = db.search(**options).to_dict()
    return Outcome(result, view("tables.hits", result))
