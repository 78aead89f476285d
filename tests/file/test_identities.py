"""Names, attribute names and global ids: their grammar, their order and their derivation."""

import random
import uuid

import pytest

import fgraph
from fgraph import errors
from fgraph.file import identities

ACCEPTED_NAMES = [
    "A b", " lead", "trail ", "\u00a0", "\u200b", "\u2028", "\ufeff", "\u202e", "123", "65", "?x", "_", ":x", "id",
    "/", "a/b/c", "Person/Name", "assert", "fgraph", "FGRAPH/x", "fgraphx/y", "x" * 512, "é" * 256, "fgraph/at",
]  # fmt: skip
REFUSED_NAMES = {
    "empty": ("", errors.TypeError),
    "a tab": ("a\tb", errors.TypeError),
    "a NUL": ("a\0", errors.TypeError),
    "a C1 control": ("a\u0085", errors.TypeError),
    "a delete": ("\x7f", errors.TypeError),
    "513 bytes": ("x" * 513, errors.TypeError),
    "513 bytes in 257 letters": ("é" * 256 + "x", errors.TypeError),
    "an unpaired surrogate": ("\ud800", errors.TypeError),
    "a number": (5, errors.TypeError),
    "null": (None, errors.TypeError),
    "the reserved prefix alone": ("fgraph/", errors.SchemaError),
    "a new reserved name": ("fgraph/new", errors.SchemaError),
}
ACCEPTED_ATTRIBUTES = ["a/b", "0/0", "a.b/c", "a--b/c..d", "a_b/c_d", "fgraph.x/y", "fgraphx/y", "fgraph/doc"]
REFUSED_ATTRIBUTES = [
    "a", "/a", "a/", "a/b/c", "a//b", "A/b", "a/B", "é/b", "-a/b", "_a/b", ".a/b", "a/-b", "a/_b", "a b/c", "a/b ",
    "a/b\n", "a:b/c", "", "\ud800/a", "٣/a", "fgraph/new", None, 5, ["a/b"],
]  # fmt: skip


@pytest.fixture(scope="module")
def names():
    """One database for all names, which it has to keep apart."""
    with fgraph.connect(":memory:") as db:
        yield db


@pytest.mark.parametrize("name", ACCEPTED_NAMES, ids=ascii)
def test_a_name_is_stored_as_given(names, name):
    assert identities.check_name(name) == name
    if not name.startswith("fgraph/"):
        names.transact({"id": name, "p/n": 1})
        assert names.entity(name) == {"p/n": 1}
        assert names.history(name)[0]["e"] == name


@pytest.mark.parametrize(("name", "error"), REFUSED_NAMES.values(), ids=REFUSED_NAMES.keys())
def test_a_bad_name_is_refused(name, error):
    with pytest.raises(error) as caught:
        identities.check_name(name, "id")
    assert caught.value.param == "id"


@pytest.mark.parametrize("name", ACCEPTED_ATTRIBUTES)
def test_an_attribute_name(name):
    assert identities.check_attribute(name) == name


@pytest.mark.parametrize("name", REFUSED_ATTRIBUTES, ids=ascii)
def test_a_bad_attribute_name_is_a_schema_error(name):
    with pytest.raises(errors.SchemaError):
        identities.check_attribute(name)


def test_an_attribute_name_obeys_the_bound_of_names():
    assert identities.check_attribute("a/" + "b" * 510)
    with pytest.raises(errors.TypeError, match="512"):
        identities.check_attribute("a/" + "b" * 511)


def test_names_are_neither_normalised_nor_folded():
    with fgraph.connect(":memory:") as db:
        for number, name in enumerate(["é", "e\u0301", "E", "e", "e "]):
            db.transact({"id": name, "p/n": number})
        assert [db.entity(name)["p/n"] for name in ["é", "e\u0301", "E", "e", "e "]] == [0, 1, 2, 3, 4]


GIDS = [
    ("f6257e4b-caaf-4782-9d14-f9c7366985e4", 0, "128b2626-5c60-535b-a4b2-fd4f7b4accef"),
    ("f6257e4b-caaf-4782-9d14-f9c7366985e4", 6, "6f2871b0-30db-5946-be99-4217c262eb2a"),
    ("f6257e4b-caaf-4782-9d14-f9c7366985e4", 7, "18659831-ae12-5534-9997-769663234c9d"),
    ("1053e41e-9ff9-45b5-be91-078a3fcc2053", 1, "ef421b60-8506-576f-9076-fed7a86bf35a"),
    ("1053e41e-9ff9-45b5-be91-078a3fcc2053", 255, "a1d751a5-8e3a-5ff4-bf4b-bd6e8ca15282"),
    ("1053e41e-9ff9-45b5-be91-078a3fcc2053", 256, "8f68fd96-9e4a-51eb-90db-f676d4683a6b"),
]


@pytest.mark.parametrize(("event", "ordinal", "gid"), GIDS)
def test_an_anonymous_identity_has_a_global_id_derived_from_event_and_position(event, ordinal, gid):
    found = identities.derived_gid(uuid.UUID(event).bytes, ordinal)
    assert identities.uuid_text(found) == gid


def test_text_of_a_global_id_agrees_with_the_standard_library():
    generator = random.Random(9)
    for _ in range(200):
        value = uuid.UUID(bytes=generator.randbytes(16))
        assert identities.uuid_text(value.bytes) == str(value)
        for form in (str(value), str(value).upper(), value.hex, f"{{{value}}}", value.urn, value):
            assert identities.parse_uuid(form) == value.bytes


@pytest.mark.parametrize(
    "value", ["", "x", "1" * 31, "1" * 33, "g" * 32, "١" * 32, None, 5, b"1" * 16, ["1" * 32]], ids=ascii
)
def test_what_is_no_uuid_is_refused(value):
    with pytest.raises(errors.TypeError, match="UUID"):
        identities.parse_uuid(value)


def test_many_identities_are_found_in_few_statements():
    with fgraph.connect(":memory:") as db:
        db.transact([{"id": f"n{number}", "p/n": number} for number in range(1_200)])
        registry = db._store.registry
        registry.forget()
        statements: list[str] = []
        db._store.connection.set_trace_callback(statements.append)
        registry.warm_ids(range(65, 1_265))
        assert len(statements) <= 3
        registry.by_id(1_000)
        assert len(statements) <= 3
