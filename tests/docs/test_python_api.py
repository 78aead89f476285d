"""docs/python-api.md says what the docstrings say, about every public name."""

import fgraph
from tests.docs import api


def test_the_reference_is_that_of_the_docstrings():
    assert api.PAGE.read_text(encoding="utf-8").partition(api.BEGIN)[2] == f"\n{api.reference()}"


def test_every_public_method_is_on_the_page():
    listed = {name for names in api.METHODS.values() for name in names}
    assert listed == {name for name in dir(fgraph.Db) if not name.startswith("_")} - api.INTERNAL


def test_every_public_name_of_the_package_is_on_the_page():
    reference = api.reference()
    for name in set(fgraph.__all__) - {"__version__"}:
        assert f"`fgraph.{name}" in reference or f"| `{name}`" in reference or f"## {name}" in reference, name


def test_every_public_name_has_a_docstring():
    for name in api.METHODS:
        for method in api.METHODS[name]:
            assert getattr(fgraph.Db, method).__doc__, method
    for name in set(fgraph.__all__) - {"__version__"}:
        assert getattr(fgraph, name).__doc__, name
