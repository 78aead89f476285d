"""Which cells a page calls contested, and why."""

import pytest


def said(db, values, attribute="x/y"):
    """One transaction for each (value, by, source); the value None ends the cell."""
    for value, by, source in values:
        options = {"by": by, "source": source}
        if value is None:
            db.retract("e", attribute, **options)
        else:
            db.transact({"id": "e", attribute: value}, **options)


@pytest.mark.parametrize(
    ("values", "reasons"),
    [
        ([(1, "ana", "s"), (2, "ana", "s")], None),
        ([(1, "ana", "s"), (2, "ana", "s"), (1, "ana", "s")], ["returned"]),
        ([(1, "ana", "s"), (2, "ana", "s"), (1, "ana", "s"), (3, "ana", "s")], ["returned"]),
        ([(1, "ana", "s"), (None, "ana", "s"), (1, "ana", "s")], ["returned"]),
        ([(1, "ana", "s"), (2, "ben", "s")], ["by"]),
        ([(1, "ana", "s"), (2, "ana", "t")], ["source"]),
        ([(1, "ana", "s"), (2, "ben", "t")], ["by", "source"]),
        ([(1, "ana", "s"), (2, None, "s")], ["by"]),
        ([(1, None, None), (2, None, None)], None),
        ([(1, "ana", "s"), (2, "ben", "s"), (3, "ben", "s")], None),
        ([(1, "ana", "s"), (2, "ben", "s"), (None, "cho", "s")], None),
        ([(1, "ana", "s"), (1, "ben", "t")], None),
        ([(1, "ana", "s"), (1.0, "ana", "s"), (True, "ana", "s")], None),
        ([("x" * 300, "ana", "s"), ("y", "ana", "s"), ("x" * 300, "ana", "s")], ["returned"]),
        ([("y", "a" * 300, "s"), ("z", "a" * 300, "s")], None),
    ],
)
def test_a_one_value_cell_is_contested_where_a_value_came_back_or_another_changed_it(db, page_of, values, reasons):
    said(db, values)
    assert page_of(db).contested() == ({("e", "x/y"): reasons} if reasons else {})


def test_a_cell_of_many_values_is_never_contested(db, page_of):
    db.declare("x/y", many=True)
    said(db, [("a", "ana", "s"), ("b", "ben", "t"), ("a", "ben", "t")])
    db.retract("e", "x/y", "a", by="ana")
    db.transact({"id": "e", "x/y": ["a"]}, by="ben")
    assert page_of(db).contested() == {}


def test_an_undone_change_is_a_value_that_came_back(db, page_of):
    said(db, [(1, "ana", "s")])
    changed = db.transact({"id": "e", "x/y": 2}, by="ana", source="s")["tx"]
    db.undo(changed, by="ana")
    assert page_of(db).contested() == {("e", "x/y"): ["returned", "source"]}


def test_a_view_is_judged_by_what_was_known_then(db, page_of):
    said(db, [(1, "ana", "s"), (2, "ana", "s")])
    before = db.stats()["transactions"]
    basis = db.receipt(max(fact["tx"] for fact in db.history("e")))["tx"]
    said(db, [(3, "ben", "s")])
    assert db.stats()["transactions"] == before + 1
    assert page_of(db.at(basis)).contested() == {}
    assert page_of(db).contested() == {("e", "x/y"): ["by"]}


def test_a_contested_cell_shows_its_newest_values_first(db, page_of):
    said(db, [(1, "ana", "s"), (2, "ana", "s"), (1, "ben", "s")])
    (cell,) = page_of(db).data["contested"]
    assert [fact[2] for fact in cell["values"]] == ["1", "2", "1"]
    assert cell["total"] == 3


def test_a_contested_cell_of_an_entity_left_out_is_still_listed_by_name(db, page_of):
    said(db, [(1, "ana", "s"), (2, "ben", "s")])
    db.transact({"id": "later", "x/z": 1})
    page = page_of(db, entities=1)
    assert list(page.entities) == ["later"]
    assert page.contested() == {("e", "x/y"): ["by"]}


def test_cells_beyond_the_bound_are_counted(db, page_of, monkeypatch):
    said(db, [(1, "ana", "s"), (2, "ben", "s")], "x/one")
    said(db, [(1, "ana", "s"), (2, "ben", "s")], "x/two")
    monkeypatch.setattr("fgraph.limits.VIEW_CONTESTED", 1)
    page = page_of(db)
    assert page.contested() == {("e", "x/two"): ["by"]}
    assert page.data["head"]["left_out"] == [
        "1 of 2 contested cells: the page holds those that changed last."
    ]
