"""Commands about declarations and shapes: schema, declare, shape, validate and the manifest commands."""

from fgraph.cli import place
from fgraph.cli.call import Call, Outcome, view
from fgraph.cli.commands.writing import signed, written
from fgraph.cli.refs import with_entity
from fgraph.cli.source import json_content, plain

DECLARED = ("type", "many", "unique", "nohistory", "dims", "doc", "vector_model")


def schema(call: Call) -> Outcome:
    with place.reading(call) as db:
        result = db.schema(call["prefix"], include_system=call["system"])
    return Outcome(result, view("tables.schema", result))


def declare(call: Call) -> Outcome:
    options = signed(call)
    if call["doc"] is not None:
        plain(call["doc"], "--doc")
    with place.writing(call) as db:
        return written(call, db.declare(call["attr"], ref=call["ref"], **call.given(*DECLARED), **options))


def shape(call: Call) -> Outcome:
    options = signed(call)
    lists = {"required": call["required"], "allowed": call["allowed"], "closed": call["closed"]}
    with place.writing(call) as db:
        return written(call, db.declare_shape(plain(call["name"], "NAME"), **lists, **options))


def validate(call: Call) -> Outcome:
    with place.reading(call) as db:
        result = with_entity(call["ref"], db.validate)
    status = int(call["strict"] and not result["valid"])
    return Outcome(result, view("tables.violations", result), status)


def schema_export(call: Call) -> Outcome:
    with place.reading(call) as db:
        return Outcome(db.schema_manifest())


def schema_check(call: Call) -> Outcome:
    manifest = json_content(call["manifest"], "MANIFEST")
    with place.reading(call) as db:
        result = db.check_schema_manifest(manifest)
    status = int(call["strict"] and not result["valid"])
    return Outcome(result, view("tables.drift", result), status)


def schema_apply(call: Call) -> Outcome:
    manifest = json_content(call["manifest"], "MANIFEST")
    options = signed(call)
    with place.writing(call) as db:
        return written(call, db.apply_schema_manifest(manifest, **options))
