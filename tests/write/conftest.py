"""A database whose times and event ids are known beforehand."""

import pytest

import fgraph
from tests.write.support import GENESIS


@pytest.fixture(autouse=True)
def _known_environment(monkeypatch):
    monkeypatch.setenv("FGRAPH_EVENT_SEED", "tests")
    monkeypatch.delenv("FGRAPH_CLOCK", raising=False)


@pytest.fixture
def db():
    """An empty database in memory; each transaction comes one second after the last."""
    with fgraph.connect(":memory:", clock=GENESIS) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared():
    """An empty database for the tests of a module whose writes are all refused or taken back."""
    with fgraph.connect(":memory:", clock=GENESIS) as opened:
        yield opened
