"""`match="all"`: every word in one fact, full-text order, exact units."""

import unicodedata

import pytest

from tests.search.benches import hits, notes, pumps, snippets


@pytest.fixture(scope="module")
def db():
    with pumps() as db:
        yield db


# text, further arguments, hits with their excerpts, units
CALLS = [
    ("pump", {}, {"n3": ["[pump] [pump] [pump]"], "n1": ["[Pump] seal"]}, 4),
    ("pump seal", {}, {"n1": ["[Pump] [seal]"]}, 2),
    ("pump spring", {}, {"n1": ["replace the [pump] seal every [spring]"]}, 1),
    ("pump_seal", {}, {"n1": ["[Pump seal]"]}, 2),
    ("creme BRULEE", {}, {"n4": ["[Crème] [brûlée]"]}, 1),
    ("pump zebra", {}, {}, 0),
    ("pum", {}, {}, 0),
    ("!!!", {}, {}, 0),
    ("pump", {"filters": [["n/kind", "howto"]]}, {"n3": ["[pump] [pump] [pump]"], "n1": ["[Pump] seal"]}, 6),
    ("pump", {"filters": [["n/kind", "howto"], ["n/tags", "valve"]]}, {"n3": ["[pump] [pump] [pump]"]}, 7),
    ("pump", {"filters": [["n/kind", "x"], ["n/kind", "howto"]]}, {}, 4),
    ("pump", {"filters": [["no/such", "x"]]}, {}, 4),
    ("pump", {"text_attributes": ["n/title"]}, {"n1": ["[Pump] seal"]}, 1),
]


@pytest.mark.parametrize(("text", "further", "expected", "units"), CALLS)
def test_hits_excerpts_and_units(db, text, further, expected, units):
    result = db.search(text, match="all", **further)
    assert snippets(result) == expected
    assert hits(result) == list(expected)
    assert result.work_used == units
    assert not result.truncated


def test_a_hit_shows_fact_provenance_and_the_whole_entity(db):
    (hit,) = db.search("valve", match="all").hits
    assert hit == {
        "entity": "n3",
        "score": 1 / 61,
        "matched": [
            {
                "id": 63,
                "e": "n3",
                "a": "n/tags",
                "v": "valve",
                "tx": 78,
                "rx": None,
                "at": hit["matched"][0]["at"],
                "by": "kim",
                "source": "log",
                "snippet": "[valve]",
            }
        ],
        "pull": {"n/kind": "howto", "n/tags": ["pump", "valve"], "n/text": "pump pump pump"},
    }
    assert isinstance(hit["matched"][0]["at"], int)


def test_fusion_adds_reciprocal_ranks_of_both_lists(db):
    result = db.search("pump", vector=[1, 0], vector_attribute="n/emb", k=3, expand=2, match="all")
    assert [(hit["entity"], hit["score"]) for hit in result.hits] == [
        ("n1", 1 / 62 + 1 / 61),
        ("n3", 1 / 61),
        ("n2", 1 / 62),
    ]
    assert [fact["a"] for fact in result.hits[0]["matched"]] == ["n/title", "n/emb"]
    assert result.expanded == []
    assert result.work_used == 4 + 3 + 4


def test_equal_scores_are_ordered_by_the_entity_as_text():
    with notes("apple", "pear") as db:
        db.declare("note/emb", type="vector", dims=1)
        db.transact([{"id": "t1", "note/emb": {"vector": [1]}}, {"id": "t0", "note/emb": {"vector": [-1]}}])
        result = db.search("pear apple", vector=[1], vector_attribute="note/emb", match="all")
        assert hits(result) == ["t1", "t0"]
        db.transact({"id": "a", "note/text": "plum"})
        result = db.search("plum", vector=[1], vector_attribute="note/emb", match="all")
        assert hits(result) == ["a", "t1", "t0"]


def test_the_list_ends_at_the_first_entity_beyond_its_cap():
    with notes() as db:
        db.transact([{"id": f"e{number}", "note/text": "same words"} for number in range(60)])
        one = db.search("same", k=1, match="all")
        assert (len(one.hits), one.work_used, one.truncated) == (1, 51, True)
        twelve = db.search("same", k=12, match="all")
        assert (len(twelve.hits), twelve.work_used, twelve.truncated) == (12, 60, False)
        assert hits(twelve)[:3] == ["e0", "e1", "e2"]


def test_repeated_and_filtered_entities_cost_units_but_take_no_places():
    with notes() as db:
        db.declare("note/line", type="text", many=True)
        db.transact([{"id": "many", "note/line": [f"word {'x ' * n}" for n in range(300)]}, {"id": "one"}])
        db.transact({"id": "one", "note/line": "a word among rather many other ones " * 9, "note/kind": "k"})
        result = db.search("word", k=1, match="all", filters=[["note/kind", "k"]])
        assert hits(result) == ["one"]
        assert result.work_used == 1 + 301
        assert not result.truncated


def test_rows_of_system_attributes_are_neither_found_nor_counted():
    with notes() as db:
        for number in range(300):
            db.transact({"id": f"e{number}", "note/n": number}, source="quarry", by="quarry")
        db.transact({"id": "own", "note/text": "the quarry of the village, far out"})
        result = db.search("quarry", match="all")
        assert hits(result) == ["own"]
        assert result.work_used == 1


def test_decomposed_letters_are_part_of_their_word():
    with notes("two cafés in town") as db:
        assert hits(db.search(unicodedata.normalize("NFD", "cafés"), match="all")) == ["t0"]


def test_retracted_texts_are_not_found():
    with notes("brass valve") as db:
        db.retract("t0", "note/text", "brass valve")
        assert hits(db.search("valve", match="all")) == []
        assert hits(db.search("valve")) == []
