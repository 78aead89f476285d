"""The library's public calls: their parameters, in order, with kinds and defaults; more keywords may follow."""

import inspect

import pytest

import fgraph

OMITTED = type("Any private sentinel", (), {"__eq__": lambda self, other: repr(other) == "omitted"})()
REQUIRED = inspect.Parameter.empty
GUARDS = {"operation_id": None, "if_basis_tx": None}
OPEN = {"clock": None, "read_only": False, "query_budget": 100_000, "event_factory": None}
# name: (positional parameters, keyword-only parameters)
CALLS = {
    "transact": (
        {"data": REQUIRED},
        {"source": None, "by": None, "meta": OMITTED, "tx": None, **GUARDS},
    ),
    "retract": ({"ref": REQUIRED, "attr": None, "value": None}, {}),
    "declare": (
        {"attr": REQUIRED},
        {
            "type": None,
            "ref": False,
            **dict.fromkeys(("many", "unique", "nohistory", "dims", "doc", "vector_model")),
            **GUARDS,
        },
    ),
    "declare_shape": ({"name": REQUIRED}, {"required": (), "allowed": (), "closed": False, **GUARDS}),
    "validate": ({"ref": REQUIRED}, {}),
    "undo": ({"transaction": REQUIRED}, {"by": None, **GUARDS}),
    "excise": ({"ref": REQUIRED}, GUARDS),
    "schema_manifest": ({}, {}),
    "check_schema_manifest": ({"manifest": REQUIRED}, {}),
    "apply_schema_manifest": ({"manifest": REQUIRED}, GUARDS),
    "schema": ({"prefix": None}, {"include_system": False}),
    "attributes": ({"prefix": None}, {"include_system": False}),
    "receipt": ({"transaction": REQUIRED}, {}),
    "speculate": ({}, {}),
    "entity": ({"ref": REQUIRED, "depth": 1}, {}),
    "pull": ({"ref": REQUIRED, "pattern": REQUIRED}, {}),
    "q": ({"query": None, "args": None}, {}),
    "explain": ({"query": REQUIRED, "args": None}, {}),
    "datoms": ({"index": "eavt", "components": ()}, {"source": "current", "limit": 100, "cursor": None}),
    "search": (
        {
            "text": None,
            "vector": None,
            "k": 10,
            "expand": 0,
            "filters": (),
            "vector_attribute": None,
            "text_attributes": (),
        },
        {},
    ),
    "at": ({"value": REQUIRED}, {}),
    "history": ({"ref": REQUIRED, "attr": None}, {}),
    "why": ({"ref": REQUIRED, "attr": None}, {}),
    "diff": ({"t1": REQUIRED, "t2": REQUIRED}, {}),
    "changes": ({"since": REQUIRED, "until": None}, {}),
    "event_records": ({"since": 64, "through": None}, {}),
    "follow": ({"since": None}, {"interval": 0.5}),
    "apply": ({"source": REQUIRED}, {}),
    "apply_summary": ({"source": REQUIRED}, {}),
    "iter_snapshot": ({}, {}),
    "snapshot": ({"writer": None}, {}),
    "restore": ({"source": REQUIRED}, {}),
    "backup": ({"path": REQUIRED}, {}),
    "stats": ({}, {}),
    "doctor": ({}, {"repair": False}),
    "close": ({}, {}),
}


def check(call, positional: dict, keyword: dict) -> None:
    found = [each for each in inspect.signature(call).parameters.values() if each.name != "self"]
    leading = [each for each in found if each.kind is each.POSITIONAL_OR_KEYWORD][: len(positional)]
    assert {each.name: each.default for each in leading} == positional
    assert [each.name for each in leading] == list(positional)
    named = {each.name: each.default for each in found if each.kind is each.KEYWORD_ONLY}
    assert {name: named.get(name, REQUIRED) for name in keyword} == keyword
    assert REQUIRED not in named.values()


@pytest.mark.parametrize("name", CALLS)
def test_a_method_has_its_parameters(name):
    check(getattr(fgraph.Db, name), *CALLS[name])


def test_opening_takes_its_parameters():
    check(fgraph.connect, {"path": "fgraph.db"}, OPEN)
    check(fgraph.Db, {"path": REQUIRED}, OPEN)
    check(fgraph.restore_backup, {"snapshot": REQUIRED, "path": REQUIRED}, {"clock": None, "event_factory": None})


def test_the_package_exports_its_names():
    names = (
        "Conflict Db FGraphError FormatError NotFound QueryError ReadOnly Result SchemaError SearchResult TooLarge "
        "TxReport TypeError Unsupported connect restore_backup __version__"
    )
    assert [name for name in names.split() if not hasattr(fgraph, name)] == []
    assert not issubclass(fgraph.TypeError, TypeError) and issubclass(fgraph.TypeError, fgraph.FGraphError)


def test_a_call_that_python_refuses_is_python_s_own_error(db):
    for call in (
        lambda: db.transact([], "src"),
        lambda: db.transact(),
        lambda: db.transact([], unknown=1),
        lambda: db.undo(67, "ana"),
    ):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("name", ["retract", "declare", "declare_shape", "apply_schema_manifest"])
def test_provenance_and_guards_are_options_of_every_call_that_describes_facts(name):
    options = {"by": None, "source": None, "meta": OMITTED, **GUARDS}
    check(getattr(fgraph.Db, name), {}, options)
