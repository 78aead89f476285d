"""A database whose times and event ids are known beforehand."""

import pytest

import fgraph
from tests.write.support import GENESIS


@pytest.fixture(autouse=True, scope="module")
def _known_environment():
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("FGRAPH_EVENT_SEED", "tests")
        environment.delenv("FGRAPH_CLOCK", raising=False)
        yield


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
