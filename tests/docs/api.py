"""Writes the reference part of docs/python-api.md from the docstrings: run it after a change of a public name.

python3 tests/docs/api.py
"""

import inspect
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "python-api.md"
BEGIN = "<!-- Below this line tests/docs/api.py writes; edit the docstrings instead. -->\n"

if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import fgraph  # noqa: E402
from fgraph import errors  # noqa: E402

# Every public method of Db, in the order in which a reader wants them.
METHODS = {
    "Opening and closing": ("path", "close", "at", "since", "reading", "speculate", "interrupt"),
    "Writing": ("transact", "add", "retract", "undo", "excise"),
    "Describing": (
        "declare", "declare_shape", "schema", "attributes", "validate",
        "schema_manifest", "check_schema_manifest", "apply_schema_manifest",
    ),
    "Reading": ("entity", "pull", "why", "history", "diff", "changes", "receipt", "datoms", "stats"),
    "Asking": ("q", "explain", "search"),
    "Moving and caring": (
        "event_records", "follow", "apply", "apply_summary", "iter_snapshot", "snapshot", "restore", "backup",
        "doctor", "compact",
    ),
}  # fmt: skip
INTERNAL = {"over"}  # how the command line and the server make handles; no part of the library
OBJECTS = ("TxReport", "Result", "SearchResult")
LINK = re.compile(r"\bdocs/([a-z-]+)\.md\b")


def reference() -> str:
    """The reference part as it has to be."""
    parts = ["## Opening", ""]
    for name in ("connect", "restore_backup"):
        parts += entry(f"fgraph.{name}", getattr(fgraph, name))
    parts += ["## Db", "", text_of(fgraph.Db), ""]
    for title, names in METHODS.items():
        parts += [f"### {title}", ""]
        for name in names:
            parts += entry(f"Db.{name}", inspect.getattr_static(fgraph.Db, name))
    parts += ["## What calls answer", ""]
    for name in OBJECTS:
        parts += [f"**`fgraph.{name}`**", "", text_of(getattr(fgraph, name)), ""]
    parts += ["## Errors", "", "| class | raised when | default `code` |", "|---|---|---|"]
    classes = [item for item in vars(errors).values() if inspect.isclass(item) and issubclass(item, Exception)]
    parts += [f"| `{item.__name__}` | {text_of(item)} | `{item.default_code}` |" for item in classes]
    return "\n".join([*parts, ""])


def entry(name: str, item: object) -> list[str]:
    """One function, method or property."""
    if name == "Db.add":
        return ["**`Db.add`**", "", "The same function as `transact`.", ""]
    if isinstance(item, property):
        return [f"**`{name}`**", "", text_of(item), ""]
    return [f"**`{name}{signature(item)}`**", "", text_of(item), ""]


class NotGiven:
    """How the page shows a default that only says that nothing was given."""

    def __repr__(self) -> str:
        return "<not given>"


def signature(function: object) -> str:
    """The parameters without their annotations; those are in the code."""
    kept = []
    for part in inspect.signature(function).parameters.values():
        plain = isinstance(part.default, str | int | tuple | None) or part.default is part.empty
        default = part.default if plain else NotGiven()
        if part.name != "self":
            kept.append(part.replace(annotation=part.empty, default=default))
    return str(inspect.Signature(kept))


def text_of(item: object) -> str:
    """A docstring as Markdown, with the pages it names as links."""
    return LINK.sub(r"[\1](\1.md)", inspect.getdoc(item) or "")


if __name__ == "__main__":
    before = PAGE.read_text(encoding="utf-8").partition(BEGIN)[0]
    PAGE.write_text(f"{before}{BEGIN}\n{reference()}", encoding="utf-8")
