"""A sound file to open, copied instead of made anew for each test."""

import pytest

import fgraph
from tests.file.making import GENESIS_AT


@pytest.fixture(scope="session")
def new_file(tmp_path_factory):
    """The bytes of a new file."""
    path = tmp_path_factory.mktemp("new") / "facts.db"
    fgraph.connect(path, clock=GENESIS_AT).close()
    return path.read_bytes()


@pytest.fixture
def path(tmp_path, new_file):
    """A new file, closed again."""
    path = tmp_path / "facts.db"
    path.write_bytes(new_file)
    return path
