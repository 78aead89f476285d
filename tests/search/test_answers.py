"""What an answer shows: pulls, excerpts, expansion, and how it is kept within its bound."""

import json

import fgraph
from fgraph.search.sizing import fit
from tests.search.benches import hits, notes, pumps


def size(result: fgraph.SearchResult) -> int:
    return len(json.dumps(result.to_dict(), ensure_ascii=False, separators=(",", ":")).encode())


def test_a_pull_shows_32_attributes_by_name_and_32_values_of_each():
    with fgraph.connect(":memory:") as db:
        db.declare("b/many", many=True)
        db.transact({"id": "x", "b/many": list(range(40)), **{f"a/{n:02}": n for n in range(31)}, "c/text": "oak"})
        (hit,) = db.search("oak").hits
        assert list(hit["pull"]) == [f"a/{n:02}" for n in range(31)] + ["b/many"]
        assert hit["pull"]["b/many"] == list(range(32))


def test_matched_text_and_excerpt_are_cut_at_2048_bytes():
    with notes("needle " + "é" * 1_100, "needle " + "x" * 2_041, "needle " + "x" * 2_042) as db:
        shown = {hit["entity"]: (hit["matched"][0], hit["pull"]) for hit in db.search("needle", match="all").hits}
        fact, pull = shown["t0"]
        assert fact["v"] == "needle " + "é" * 1_019 + "…"
        assert len(fact["v"].encode()) == 2_048
        assert fact["value_truncated"] and fact["snippet_truncated"]
        assert pull["note/text"] == "needle " + "é" * 1_100
        assert "value_truncated" not in shown["t1"][0]
        assert shown["t2"][0]["v"].endswith("x…")


def test_expansion_walks_links_both_ways_breadth_first():
    with pumps() as db:
        one = db.search("valve", expand=1, match="all")
        assert [(near["entity"], [fact["id"] for fact in near["via"]]) for near in one.expanded] == [("n2", [59])]
        assert one.work_used == 2
        two = db.search("valve", expand=2, match="all")
        assert [(near["entity"], [fact["id"] for fact in near["via"]]) for near in two.expanded] == [
            ("n2", [59]),
            ("n1", [59, 54]),
        ]
        assert two.work_used == 4
        assert "at" not in two.expanded[0]["via"][0]
        assert two.expanded[0]["pull"]["n/kind"] == "plan"


def test_expansion_ends_at_a_hundred_entities():
    with fgraph.connect(":memory:") as db:
        db.declare("b/to", ref=True, many=True)
        for count, truncated in ((99, False), (100, True)):
            name = f"hub{count}"
            db.transact(
                {"id": name, "b/text": f"centre {name}", "b/to": [{"ref": f"{name}-{n}"} for n in range(count)]}
            )
            result = db.search(name, expand=1, match="all")
            assert (len(result.expanded), result.truncated) == (count, truncated)


def test_a_link_to_itself_counts_once():
    with fgraph.connect(":memory:") as db:
        db.declare("b/to", ref=True)
        db.transact({"id": "loop", "b/text": "ring", "b/to": {"ref": "loop"}})
        assert db.search("ring", expand=3, match="all").work_used == 2


def test_a_giant_does_not_hide_the_others():
    with notes("needle " + "x" * 1_048_569, "needle small one") as db:
        result = db.search("needle")
        assert sorted(hits(result)) == ["t0", "t1"]
        assert result.truncated
        giant = next(hit for hit in result.hits if hit["entity"] == "t0")
        assert len(giant["pull"]["note/text"].encode()) == 2_048


def test_long_vectors_give_way_only_when_the_answer_is_too_large():
    with fgraph.connect(":memory:") as db:
        db.declare("p/emb", type="vector", dims=1_536)
        vectors = [[(n * k % 97) / 7 - 5.123 for k in range(1, 1_537)] for n in range(1, 51)]
        db.transact([{"id": f"e{n}", "p/emb": {"vector": vector}} for n, vector in enumerate(vectors)])
        few = db.search(vector=vectors[0], vector_attribute="p/emb", k=10)
        assert len(few.hits[0]["pull"]["p/emb"]["vector"]) == 1_536
        assert not few.truncated
        many = db.search(vector=vectors[0], vector_attribute="p/emb", k=50)
        assert len(many.hits) == 50
        assert many.hits[0]["pull"]["p/emb"] == {"vector_dims": 1_536}
        assert many.truncated


def test_cuts_come_in_order_until_the_bound_is_met():
    with fgraph.connect(":memory:") as db:
        db.declare("b/to", ref=True)
        for n in range(4):
            db.transact({"id": f"e{n}", "b/text": "oak " + "x" * 3_000, "b/to": {"ref": f"f{n}"}})
        whole = db.search("oak", expand=1)
        steps = {size(whole): "whole"}
        for bound in range(size(whole), 300, -400):
            smaller = fit(whole, bound)
            assert size(smaller) <= bound
            assert smaller.truncated == (smaller is not whole)
            first = smaller.hits[0] if smaller.hits else None
            if first is None:
                kind = "no hits"
            elif not first["matched"]:
                kind = f"{len(smaller.hits)} hits without matched"
            elif not smaller.expanded:
                kind = "no expanded"
            else:
                kind = "short pulls" if first["pull"]["b/text"].endswith("…") else "whole"
            steps[size(smaller)] = kind
        assert list(dict.fromkeys(steps.values())) == [
            "whole",
            "short pulls",
            "no expanded",
            "4 hits without matched",
            "3 hits without matched",
            "2 hits without matched",
            "1 hits without matched",
            "no hits",
        ]


def test_long_bytes_and_json_are_shown_by_their_size_when_cut():
    with fgraph.connect(":memory:") as db:
        values = {"b/bytes": b"\0" * 4_000, "b/json": {"json": ["x" * 3_000]}, "b/few": b"\0", "b/text": "oak"}
        db.transact({"id": "e", **values})
        (hit,) = fit(db.search("oak"), 2_000).hits
        assert hit["pull"]["b/bytes"] == {"bytes_length": 4_000}
        assert hit["pull"]["b/json"] == {"json_bytes": 3_004}
        assert hit["pull"]["b/few"] == {"bytes": "AA=="}
