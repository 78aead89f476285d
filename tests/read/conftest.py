"""The workshop: one for each test that writes, one for all tests of a module that only read."""

import pytest

from tests.read.workshop import open_workshop


@pytest.fixture
def db():
    with open_workshop() as opened:
        yield opened


@pytest.fixture(scope="module")
def still():
    with open_workshop() as opened:
        yield opened
