"""The reference pages say what the code does: limits, errors, values and the file."""

import json
import re
from pathlib import Path

import pytest

from fgraph import errors, limits
from fgraph.file import genesis, layout
from fgraph.values import canonical, logical
from tests.docs.tables import DOCS, code, rows

PACKAGE = Path(errors.__file__).parent
CODE = re.compile(r'\bcode="([a-z_]+)"')


@pytest.mark.parametrize(("bound", "limit", "constant"), rows("limits.md", "bound", "limit", "constant"))
def test_each_limit_is_that_of_the_code(bound, limit, constant):
    number = limit.split()[0].replace(",", "")
    assert float(number) == float(getattr(limits, code(constant)))
    value = getattr(limits, code(constant))
    assert not isinstance(value, int) or int(number) == value


def test_every_limit_of_values_and_names_is_on_the_page():
    text = (PACKAGE / "limits.py").read_text()
    section = text[text.index("# Values") : text.index("# Identities")]
    expected = set(re.findall(r"^([A-Z0-9_]+) =", section, re.MULTILINE))
    assert expected <= {code(constant) for _, _, constant in rows("limits.md", "bound", "limit", "constant")}


def test_the_error_types_and_their_codes_are_those_of_the_code():
    listed = {code(name): code(usual) for name, _, usual in rows("errors.md", "type", "means")}
    classes = [item for item in vars(errors).values() if isinstance(item, type) and item is not errors.FGraphError]
    assert listed == {item.__name__: item.default_code for item in classes if issubclass(item, errors.FGraphError)}


def test_every_code_that_is_raised_is_explained_and_no_other():
    raised = {errors.FGraphError.default_code, canonical.SYNTAX}
    raised |= {item.default_code for item in errors.FGraphError.__subclasses__()}
    for path in PACKAGE.rglob("*.py"):
        raised |= set(CODE.findall(path.read_text(encoding="utf-8")))
    assert {code(word) for word, _ in rows("errors.md", "code", "what to do")} == raised


@pytest.mark.parametrize(("given", "shown"), rows("values.md", "in", "out"))
def test_a_value_comes_out_as_the_page_says(given, shown):
    stored = logical.encode_value(json.loads(code(given)), lambda content: 1)
    found = logical.render(stored.tag, stored.value, stored.payload, lambda number: number)
    expected = json.loads(code(shown))
    assert found == expected
    assert json.dumps(found) == json.dumps(expected), "with the types of numbers, and the order of keys"


@pytest.mark.parametrize(("given", "text"), rows("values.md", "in", "canonical"))
def test_canonical_json_is_as_the_page_says(given, text):
    assert canonical.canonical(json.loads(code(given))) == code(text)


def test_the_nine_types_are_those_of_the_code():
    assert {name for name, *_ in rows("values.md", "type", "written as")} == logical.TYPES


def test_the_layout_is_that_of_the_code():
    for name, _, columns in rows("file-format.md", "table", "holds", "columns"):
        items = layout.TABLES.get(code(name), ("text",))
        assert columns == ", ".join(f"`{item.split()[0]}`" for item in items if not item.startswith("check")), name
    for name, keys, _ in rows("file-format.md", "index", "keys"):
        assert f"({keys.split('`')[1]})" in layout.INDEXES[code(name)]
        assert ("unique" in keys) == layout.INDEXES[code(name)].startswith("unique")
    tables = {code(name) for name, *_ in rows("file-format.md", "table", "holds")}
    assert tables == layout.TABLES.keys() | {"fgraph_fts"}
    assert {code(name) for name, *_ in rows("file-format.md", "index", "keys")} == layout.INDEXES.keys()


def test_tags_and_system_attributes_are_those_of_the_code():
    assert [(int(tag), name) for tag, name, _ in rows("file-format.md", "`t`", "type")] == list(
        enumerate(logical.TYPE_OF_TAG)
    )
    found = rows("file-format.md", "id", "name", "type")
    assert {int(number): (code(name), kind, text) for number, name, kind, text in found} == genesis.SYSTEM
    text = (DOCS / "file-format.md").read_text()
    assert str(layout.APPLICATION_ID) in text and f"`user_version` is {layout.FORMAT_VERSION}" in text
