"""A database whose times and event ids are known beforehand, as for the tests of writing."""

from tests.write.conftest import _known_environment, db, shared  # noqa: F401
