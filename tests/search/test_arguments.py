"""The arguments of a search: what is refused, with which error, and in which order it is looked at."""

import array
import math

import pytest

import fgraph
from tests.search.benches import hits, pumps


@pytest.fixture(scope="module")
def db():
    with pumps() as db:
        yield db


VECTOR = {"vector": [1, 0], "vector_attribute": "n/emb"}
REFUSED = [
    ({}, fgraph.TypeError, "text"),
    ({"text": "   \n"}, fgraph.TypeError, "text"),
    ({"text": ""}, fgraph.TypeError, "text"),
    ({"text": 7}, fgraph.TypeError, "text"),
    ({"text": b"pump"}, fgraph.TypeError, "text"),
    ({"vector": "10", "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": b"10", "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": 1.5, "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": {"vector": [1, 0]}, "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": [1, 0]}, fgraph.TypeError, "vector_attribute"),
    ({"text": "pump", "vector_attribute": "n/emb"}, fgraph.TypeError, "vector_attribute"),
    ({"vector": [1, 0], "vector_attribute": "  "}, fgraph.TypeError, "vector_attribute"),
    ({"text": "pump", "k": 0}, fgraph.TypeError, "k"),
    ({"text": "pump", "k": 101}, fgraph.TypeError, "k"),
    ({"text": "pump", "k": True}, fgraph.TypeError, "k"),
    ({"text": "pump", "k": 3.0}, fgraph.TypeError, "k"),
    ({"text": "pump", "k": None}, fgraph.TypeError, "k"),
    ({"text": "pump", "expand": 4}, fgraph.TypeError, "expand"),
    ({"text": "pump", "expand": -1}, fgraph.TypeError, "expand"),
    ({"text": "pump", "filters": "n/kind"}, fgraph.TypeError, "filters"),
    ({"text": "pump", "filters": [["n/kind", "x"]] * 17}, fgraph.TypeError, "filters"),
    ({"text": "pump", "filters": [["n/kind"]]}, fgraph.TypeError, "filters.0"),
    ({"text": "pump", "filters": [["n/kind", "x"], "ab"]}, fgraph.TypeError, "filters.1"),
    ({"text": "pump", "filters": [[7, "x"]]}, fgraph.TypeError, "filters.0"),
    ({"text": "pump", "filters": [["n/kind", None]]}, fgraph.TypeError, "filters.0"),
    ({"text": "pump", "filters": [["n/link", "n2"]]}, fgraph.TypeError, "filters.0"),
    ({"text": "pump", "filters": [["n/link", {"ref": "nobody"}]]}, fgraph.NotFound, "filters.0"),
    ({"text": "pump", "text_attributes": "n/text"}, fgraph.TypeError, "text_attributes"),
    ({"text": "pump", "text_attributes": [""]}, fgraph.TypeError, "text_attributes.0"),
    ({"text": "pump", "text_attributes": ["n/text"] * 17}, fgraph.TypeError, "text_attributes"),
    ({"text": "pump", "text_attributes": ["no/such"]}, fgraph.NotFound, "text_attributes"),
    ({"text": "pump", "text_attributes": ["n/emb"]}, fgraph.TypeError, "text_attributes"),
    ({"vector": [], "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": [1, True], "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": [1, "0"], "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": [1, math.nan], "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": [1, 1e39], "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": [0, 0], "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": [1e-60, 0], "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"vector": [1, 0], "vector_attribute": "no/such"}, fgraph.NotFound, "vector_attribute"),
    ({"vector": [1, 0], "vector_attribute": "n/tags"}, fgraph.TypeError, "vector_attribute"),
    ({"vector": [1, 0], "vector_attribute": "n/text"}, fgraph.TypeError, "vector_attribute"),
    ({"vector": [1, 0, 0], "vector_attribute": "n/emb"}, fgraph.TypeError, "vector"),
    ({"text": "pump", "match": "some"}, fgraph.TypeError, "match"),
    ({"text": "pump", "match": None}, fgraph.TypeError, "match"),
    ({"text": "pump", "fuzzy": True}, fgraph.TypeError, "fuzzy"),
]


@pytest.mark.parametrize(("arguments", "error", "param"), REFUSED)
def test_bad_arguments_are_refused_and_named(db, arguments, error, param):
    with pytest.raises(error) as caught:
        db.search(**arguments)
    assert type(caught.value) is error
    assert caught.value.param == param


def test_a_view_of_the_past_cannot_be_searched(db):
    with pytest.raises(fgraph.Unsupported):
        db.at(70).search(7)


def test_the_first_fault_in_order_is_reported(db):
    faults = {"text": "pump", "vector": [1], "k": 0, "filters": 5, "text_attributes": ["no/such"]}
    order = []
    for repair in ({"vector": None}, {"k": 1}, {"filters": ()}, {"text_attributes": ()}):
        with pytest.raises(fgraph.FGraphError) as caught:
            db.search(**faults)
        order.append(caught.value.param)
        faults.update(repair)
    assert order == ["vector_attribute", "k", "filters", "text_attributes"]


def test_text_attributes_are_not_looked_at_without_words(db):
    assert db.search("!!!", text_attributes=["no/such"]).hits == []


def test_blank_text_beside_a_vector_counts_as_none(db):
    assert hits(db.search(" ", **VECTOR)) == ["n1", "n2"]


def test_tuples_and_arrays_are_sequences(db):
    given = {"vector": array.array("f", [1, 0]), "vector_attribute": "n/emb"}
    assert hits(db.search(**given, filters=(("n/kind", "plan"),))) == ["n2"]


def test_a_filter_takes_the_exact_value_only():
    with fgraph.connect(":memory:") as db:
        db.transact([{"id": "a", "p/text": "oak", "p/n": 1}, {"id": "b", "p/text": "oak", "p/n": 1.0}])
        assert hits(db.search("oak", filters=[["p/n", 1]])) == ["a"]
        assert hits(db.search("oak", filters=[["p/n", 1.0]])) == ["b"]


def test_system_attributes_may_be_filtered():
    with fgraph.connect(":memory:") as db:
        report = db.transact({"id": "a", "p/text": "oak"}, by="kim", tx={"p/text": "oak too"})
        assert hits(db.search("oak", filters=[["fgraph/by", "kim"]])) == [report.tx]


def test_the_result_is_a_mapping_of_five_fields(db):
    result = db.search("valve")
    assert list(result) == ["basis_tx", "hits", "expanded", "truncated", "work_used"]
    assert (len(result), result["basis_tx"], result.basis_tx) == (5, 78, 78)
    assert result.to_dict() == dict(result)
    with pytest.raises(KeyError):
        result["rows"]
    with pytest.raises(AttributeError):
        result.hits = []


def test_the_budget_is_met_exactly_or_refused(tmp_path):
    path = tmp_path / "a.db"
    with fgraph.connect(path) as db:
        db.transact([{"id": f"e{number}", "p/text": "oak"} for number in range(4)])
    with fgraph.connect(path, query_budget=4) as db:
        assert db.search("oak", match="all").work_used == 4
        assert db.search("oak").work_used == 4
    with fgraph.connect(path, query_budget=3) as db:
        for match in ("all", "any"):
            with pytest.raises(fgraph.TooLarge) as caught:
                db.search("oak", match=match)
            assert caught.value.code == "work_budget"
