"""docs/architecture.md is true of the code: the floors, the names, the sizes."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs import markdown

PAGE = markdown.ROOT / "docs" / "architecture.md"
PACKAGE = markdown.ROOT / "fgraph"
LAUNCHERS = {"__init__", "__main__"}
CROWDED = 600  # lines
TEXT = PAGE.read_text(encoding="utf-8")


class Module:
    """One module of the package: its room, its text, and what it imports."""

    def __init__(self, path: Path) -> None:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        self.name = ".".join(("fgraph", *(parts[:-1] if parts[-1] == "__init__" else parts)))
        self.room = parts[0]
        self.text = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.text)

    def imports(self, names: set[str], *, lazy: bool) -> Iterator[str]:
        """The modules it imports; with `lazy`, inside functions too. What only type checkers see does not count."""
        waiting = list(self.tree.body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
                continue
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "fgraph":
                for alias in node.names:
                    whole = f"{node.module}.{alias.name}"
                    yield whole if whole in names else node.module
            elif isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names if alias.name in names)
            if lazy:
                waiting += ast.iter_child_nodes(node)


@pytest.fixture(scope="module")
def modules() -> dict[str, Module]:
    """Every module by its dotted name."""
    return {module.name: module for module in map(Module, PACKAGE.rglob("*.py"))}


def floors() -> dict[str, int]:
    """The height of each room, from the table of the page; the lowest is 0."""
    table = TEXT.partition("## The floors")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| [^|]+ \| ([^|]+) \|", table, re.MULTILINE)
    named = [re.findall(r"`([a-z]+)`", row) for row in rows if "`" in row]
    return {room: height for height, row in enumerate(reversed(named)) for room in row}


def test_every_room_has_its_place_and_there_is_no_other(modules):
    assert floors().keys() == {module.room for module in modules.values()} - LAUNCHERS


def test_modules_import_only_from_floors_below(modules):
    heights, names = floors(), set(modules)
    rooms = {name: module.room for name, module in modules.items()}
    uphill = [
        f"{name} imports {target}"
        for name, module in modules.items()
        for target in module.imports(names, lazy=True)
        if not LAUNCHERS & {module.room, rooms[target]}
        and rooms[target] != module.room
        and heights[rooms[target]] >= heights[module.room]
    ]
    assert uphill == []


def test_no_module_is_part_of_an_import_circle(modules):
    graph = {name: set(module.imports(set(modules), lazy=False)) for name, module in modules.items()}
    while leaves := [name for name, wanted in graph.items() if not wanted & graph.keys()]:
        for name in leaves:
            del graph[name]
    assert sorted(graph) == []


def test_each_module_begins_with_one_sentence_about_what_lives_there(modules):
    first = {name: (ast.get_docstring(module.tree) or "").partition("\n\n")[0] for name, module in modules.items()}
    assert [name for name, sentence in first.items() if not sentence.endswith(".")] == []


def test_no_module_is_crowded(modules):
    assert [name for name, module in modules.items() if len(module.text.splitlines()) > CROWDED] == []


def test_the_modules_that_the_page_names_exist():
    walk = TEXT.partition("## How a call walks through")[2].partition("\n## ")[0]
    named = re.findall(r"\b([a-z]+/[a-z_]+)\b", walk)
    named += [found.removesuffix(".py") for found in re.findall(r"`([a-z]+/[a-z_/]*(?:\.py)?)`", TEXT)]
    assert len(named) > 25
    assert [name for name in named if not (PACKAGE / f"{name}.py").exists() and not (PACKAGE / name).is_dir()] == []


def test_the_modules_named_beside_others_exist_in_the_same_room():
    for line in TEXT.partition("## How a call walks through")[2].partition("\n## ")[0].split("\n"):
        beside = re.findall(r"\b([a-z_]+\.py)\b", line)
        rooms = set(re.findall(r"\b([a-z]+)/[a-z_]+\b", line))
        assert [name for name in beside if not any((PACKAGE / room / name).exists() for room in rooms)] == []
