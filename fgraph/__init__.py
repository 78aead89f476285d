"""A temporal fact graph in one SQLite file: durable memory for coding agents that a person can trust."""

__version__ = "0.1.0"

# Loaded when first used, so that `import fgraph` costs nothing.
_HOMES = {
    "Db": "fgraph.database",
    "connect": "fgraph.database",
    "restore_backup": "fgraph.database",
    "Result": "fgraph.datalog.results",
    "SearchResult": "fgraph.search.result",
    "TxReport": "fgraph.report",
    **dict.fromkeys(
        (
            "Conflict",
            "FGraphError",
            "FormatError",
            "NotFound",
            "QueryError",
            "ReadOnly",
            "SchemaError",
            "TooLarge",
            "TypeError",
            "Unsupported",
        ),
        "fgraph.errors",
    ),
}
__all__ = sorted(["__version__", *_HOMES])


def __getattr__(name: str) -> object:
    from importlib import import_module  # not needed when nothing is asked for

    if name not in _HOMES:
        raise AttributeError(f"module 'fgraph' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
