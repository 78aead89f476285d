"""The views that a sound file seldom shows, drawn from values; the others are in transcript.txt."""

import time

import pytest

from fgraph.care import doctor
from fgraph.cli import show, tables
from fgraph.cli.call import Screen
from fgraph.cli.layout import cells
from fgraph.cli.phrases import marked, signature, value_text

SCREEN = Screen(80)


@pytest.fixture(autouse=True)
def universal_time(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\x1b[31m", "two\\nlines\\u001b[31m"),
        ("18", '"18"'),
        ("-1.5e3", '"-1.5e3"'),
        ("1.2.3", "1.2.3"),
        ("true", '"true"'),
        ("true enough", "true enough"),
        ("→ mara", '"→ mara"'),
        (True, "true"),
        (18, "18"),
        (9007199254740993, "9007199254740993"),
        (2.0, "2"),
        (1e21, "1e+21"),
        (None, "none"),
        ({"ref": "mara"}, "→ mara"),
        ({"ref": 74}, "→ 74"),
        ({"instant": "1969-12-31T23:59:59.500000Z"}, "1969-12-31 23:59:59.500000"),
        ({"bytes": "AAE="}, "2 bytes AAE="),
        ({"bytes": ""}, "0 bytes "),
        ({"vector": [1.0, -0.5]}, "vector of 2: 1 -0.5"),
        ({"vector": [0.25] * 6}, "vector of 6: 0.25 0.25 0.25 0.25 …"),
        ({"vector_dims": 384}, "vector of 384"),
        ({"json": {"b": [1, None], "a": "x"}}, '{"a":"x","b":[1,null]}'),
        ({"json": "text"}, '"text"'),
        ([{"ref": "a"}], '[{"ref":"a"}]'),
    ],
)
def test_a_value_is_one_line(value, shown):
    assert value_text(value) == shown


@pytest.mark.parametrize(
    ("by", "source", "said"),
    [
        (None, None, ""),
        ("ana", None, "by ana"),
        (None, "log", "from log"),
        ("ana", "log", "by ana  from log"),
        ("", None, "by "),
        ("7", None, "by 7"),
    ],
)
def test_a_signature_says_what_is_known(by, source, said):
    assert signature(by, source) == said


@pytest.mark.parametrize(
    ("snippet", "plain", "coloured"),
    [
        ("after the [gale]", "after the [gale]", "after the \x1b[1;33mgale\x1b[0m"),
        ("[a] and [b]", "[a] and [b]", "\x1b[1;33ma\x1b[0m and \x1b[1;33mb\x1b[0m"),
        ("left [open", "left [open", "left [open"),
        ("no ] opening", "no ] opening", "no ] opening"),
    ],
)
def test_matches_are_marked_and_brackets_stay_without_colour(snippet, plain, coloured):
    assert marked(snippet, SCREEN) == plain
    assert marked(snippet, Screen(80, colour=True)) == coloured


def test_a_plan_shows_warnings_first_and_the_clauses_as_they_run():
    query = {"find": ["?e"], "where": [["?e", "?a", "SK1"], [">", "?r", 10], ["?e", "light/range", "?r"]]}
    plan = {
        "basis_tx": 78,
        "source": "current",
        "work_limit": 1000,
        "warnings": ["clause 0 looks at every fact"],
        "clauses": [
            {"ordinal": 0, "kind": "pattern", "access": "value-scan", "bound": []},
            {"ordinal": 2, "kind": "pattern", "access": "eavt/batch", "bound": ["?a", "?e"]},
            {"ordinal": 1, "kind": "predicate", "access": "filter", "bound": ["?a", "?e", "?r"]},
        ],
    }
    assert tables.plan(SCREEN, plan, query) == [
        "warning: clause 0 looks at every fact",
        "  1  value-scan  (pattern 0)",
        '       ["?e","?a","SK1"]',
        "  2  eavt/batch  (pattern 2)  with ?a ?e known",
        '       ["?e","light/range","?r"]',
        "  3  filter  (predicate 1)  with ?a ?e ?r known",
        '       [">","?r",10]',
        "current facts at tx 78, at most 1,000 units of work",
    ]


def test_a_page_of_datoms_tells_how_to_go_on():
    items = [
        {"e": "skerry", "a": "light/range", "v": 18, "tx": 77, "added": True, "fact_id": 51},
        {"e": 74, "a": "log/of", "v": {"ref": "skerry"}, "tx": 78, "added": False, "fact_id": 54},
    ]
    assert tables.datoms(SCREEN, {"basis_tx": 78, "items": items, "next_cursor": "abc"}) == [
        "e       a            v         tx  +/-",
        "skerry  light/range  18        77  +",
        "74      log/of       → skerry  78  -",
        "more: --cursor abc",
    ]
    assert tables.datoms(SCREEN, {"basis_tx": 78, "items": [], "next_cursor": None}) == ["no datoms"]


def attribute(name: str, declared: dict | None = None, facts: int = 0) -> dict:
    """An item of the schema snapshot."""
    declared = declared or {}
    effective = {"type": None, "dims": None, "doc": None, "many": False, "unique": False, "nohistory": False} | declared
    observed = {"types": ["text"] if facts else [], "live_facts": facts, "entities": facts}
    return {"name": name, "declared": declared, "effective": effective, "observed": observed}


def test_an_entity_whose_name_has_a_slash_is_not_shown_as_an_attribute():
    items = [
        attribute("doc/kind", {"type": "text"}), attribute("doc/title", facts=2), attribute("docs/readme.md"),
        attribute("shape/page"), attribute("src/main.py"),
    ]  # fmt: skip
    shape = {"name": "shape/page", "closed": False, "required": ["doc/title"], "allowed": []}
    assert tables.schema(SCREEN, {"attributes": items, "shapes": [shape]}) == [
        "attribute  type  many  unique  history  facts  doc",
        "doc/kind   text  one           kept         0",
        "doc/title  text  one           kept         2",
        "2 names not used as attributes: docs/readme.md, src/main.py",
        "",
        "shape shape/page",
        "  required  doc/title",
    ]
    assert tables.schema(SCREEN, {"attributes": items[2:3], "shapes": []}) == [
        "no attributes",
        "1 name not used as an attribute: docs/readme.md",
    ]


def test_drift_names_what_would_come_go_and_change():
    changes = [
        {"kind": "attribute", "name": "a/new", "before": None, "after": {"type": "text"}},
        {"kind": "attribute", "name": "a/old", "before": {"many": True}, "after": None},
        {"kind": "attribute", "name": "a/same", "before": {"type": "text"}, "after": {"type": "int"}},
    ]
    assert tables.drift(SCREEN, {"changes": changes}) == [
        "+ attribute a/new",
        "- attribute a/old",
        '~ attribute a/same  {"type":"text"} → {"type":"int"}',
    ]
    assert tables.drift(SCREEN, {"changes": []}) == ["in sync"]


def test_violations_are_a_line_each():
    item = {"code": "required", "entity": "skerry", "shape": "s", "attribute": "light/code", "message": "is missing"}
    assert tables.violations(SCREEN, {"violations": [item]}) == ["skerry  light/code  is missing"]
    assert tables.violations(SCREEN, {"violations": []}) == ["valid"]


def test_a_sick_file_gets_a_checklist():
    report = {
        "ok": False, "integrity": "ok", "problems": ["fact 51 has\x1b a bad tag"], "repair_needed": True,
        "repaired": False,
        "fts_rows": 40, "expected_fts_rows": 43, "orphaned_blobs": 2, "unverifiable_event_hashes": 1,
        "schema_problems": 1, "shape_violations": 0, "fts_rows_rebuilt": 0, "orphaned_blobs_removed": 0,
        "warnings": ["skerry is incomplete since excision in tx 83"],
    }  # fmt: skip
    assert tables.checkup(SCREEN, report) == [
        "not ok  integrity ok, 1 problem",
        "  - fact 51 has\\u001b a bad tag",
        "  [ ] full text 40/43",
        "  [ ] orphaned blobs 2",
        "  [ ] schema problems 1",
        "  [x] shape violations 0",
        "  [x] redacted events 1 (hash cannot be verified, expected)",
        "  [ ] doctor --repair can mend this",
        "  [x] note: skerry is incomplete since excision in tx 83",
    ]


@pytest.mark.parametrize(
    ("advice", "said"),
    [
        ("restore a backup", "restore a backup: doctor --repair cannot mend this"),
        ("run doctor with repair (fgraph doctor --repair)", "doctor --repair can mend this"),
    ],
)
def test_what_helps_a_sick_file_is_said_once_where_nothing_cuts_it(advice, said):
    figures = dict.fromkeys(doctor.COUNTERS, 0)
    problems = [f"the full-text rows of facts {numbers} differ from the live texts; {advice}" for numbers in (7, 8)]
    report = figures | {"ok": False, "integrity": "ok", "problems": problems, "repair_needed": True, "repaired": False}
    lines = tables.checkup(SCREEN, report)
    assert lines[1:3] == [f"  - the full-text rows of facts {n} differ from the live texts" for n in (7, 8)]
    assert lines[-1] == f"  [ ] {said}"


@pytest.mark.parametrize(
    ("details", "said"),
    [
        ({"new": 12400, "known": 0}, "took in 12,400 events (12,400 new), basis tx 99"),
        ({"new": 0, "known": 0}, "took in 12,400 events, basis tx 99"),
    ],
)
def test_bulk_work_is_told_in_one_sentence(details, said):
    assert show.counters(SCREEN, "took in", 12400, "event", details, 99) == [said]


def test_a_long_value_leaves_its_origin_to_the_next_line():
    origin = {"fgraph/at": {"instant": "2026-01-01T00:00:02Z"}, "fgraph/by": "ana", "fgraph/source": "handbook"}
    text = "We deploy on Thursdays; on Tuesdays the backup runs."
    facts = [{"e": "day", "a": "memory/text", "v": text, "tx": 68, "provenance": origin}]
    assert show.why(SCREEN, "day", 65, facts) == [
        "day",
        "  memory/text  We deploy on Thursdays; on Tuesdays the backup runs.",
        "      since 2026-01-01 00:00:02  tx 68  by ana  from handbook",
    ]
    assert len(show.why(SCREEN._replace(wide=True), "day", 65, facts)) == 2


def test_the_history_of_long_values_is_told_by_transaction():
    fact = {"tx": 68, "at": 1767225602000000, "by": "ana", "source": "handbook", "rx": None, "e": "day", "a": "m/t"}
    assert show.history(SCREEN, "day", 65, "m/t", [fact | {"v": "x" * 40}]) == [
        "day  m/t",
        "  2026-01-01 00:00:02  tx 68  by ana  from handbook",
        f"    + m/t  {'x' * 40}  live",
    ]
    assert show.history(SCREEN, "day", 65, "m/t", [fact | {"v": "x"}]) == [
        "day  m/t",
        "  2026-01-01 00:00:02  tx 68  +  x  live  by ana  from handbook",
    ]


def test_a_log_is_a_line_for_each_transaction_or_two_where_one_is_too_short():
    first = {"tx": 68, "at": 1767225602000000, "by": "ana", "operation_id": None}
    first |= {"asserted": 1200, "retracted": 0, "entities": 1004, "about": ["day", "night", 74]}
    last = {"tx": 69, "at": 1767225603000000, "source": "handbook", "operation_id": None}
    last |= {"asserted": 0, "retracted": 1, "entities": 1, "about": ["day"]}
    assert show.log(SCREEN._replace(width=100), [last, first], True) == [
        "2026-01-01 00:00:03  tx 69          -1  day                            from handbook",
        "2026-01-01 00:00:02  tx 68  +1,200      day, night, 74 and 1,001 more  by ana",
        "more: --before 68",
    ]
    assert show.log(Screen(60), [last, first], False) == [
        "2026-01-01 00:00:03  tx 69  from handbook",
        "          -1  day",
        "2026-01-01 00:00:02  tx 68  by ana",
        "  +1,200      day, night, 74 and 1,001 more",
    ]
    assert show.log(SCREEN, [], False) == ["no transactions"]


def test_a_fact_too_long_to_watch_on_one_line_stands_below_its_transaction():
    moment = show.Moment(68, None, "ana", "handbook", [show.Change("+", "day", "m/t", "x" * 20)])
    assert show.watched(SCREEN, moment) == [f"tx 68  + day  m/t  {'x' * 20}  by ana  from handbook"]
    assert show.watched(Screen(50), moment) == ["tx 68  by ana  from handbook", f"  + day  m/t  {'x' * 20}"]


def test_a_write_that_changes_no_fact_says_so():
    own = {"id": 50, "e": 68, "a": "fgraph/by", "v": "ana", "tx": 68, "rx": None}
    result = {"status": "applied", "tx": 68, "at": 1767225602000000, "basis_tx": 67, "ids": {}}
    assert show.report(SCREEN, result | {"asserted": [own], "retracted": []}) == [
        "applied  tx 68  2026-01-01 00:00:02  (after tx 67)",
        "  no fact changed; only the transaction and new names are recorded",
    ]


def test_forgetting_what_is_not_there_does_not_read_like_success():
    own = {"id": 50, "e": 68, "a": "fgraph/by", "v": "ana", "tx": 68, "rx": None}
    result = {"status": "applied", "tx": 68, "at": 1767225602000000, "basis_tx": 67, "ids": {}, "asserted": [own]}
    assert show.forgotten(SCREEN, result | {"retracted": []}) == [
        "applied  tx 68  2026-01-01 00:00:02  (after tx 67)",
        "  nothing matched, so nothing was forgotten; the transaction itself is recorded",
        "  see what there is: fgraph recall WORDS",
    ]


def test_a_difference_without_facts_says_so():
    assert show.diff(SCREEN, {"asserted": [], "retracted": []}) == ["no difference"]


def test_an_entity_without_facts_says_so_and_where_to_look():
    nothing = ["  no facts", "  its history: fgraph history 72"]
    assert show.entity(SCREEN, "mara", 72, 78, {}) == ["mara    (id 72, basis tx 78)", *nothing]
    assert show.why(SCREEN, "mara", 72, []) == ["mara", *nothing]
    assert show.history(SCREEN, "mara", 72, "keeper/since", []) == [
        "mara  keeper/since", "  no such facts, now or before", "  all there is: fgraph history 72",
    ]  # fmt: skip
    assert show.history(SCREEN, "mara", 72, None, []) == [
        "mara", "  no facts, now or before", "  what refers to it: fgraph datoms vaet --components '[72]'",
    ]  # fmt: skip


def test_what_an_undo_brought_back_says_which_transaction_it_undoes():
    origin = {"fgraph/at": {"instant": "2026-01-01T00:00:02Z"}, "fgraph/undoes": {"ref": 67}}
    fact = {"id": 50, "e": "k", "a": "m/t", "v": "x", "tx": 68, "rx": None}
    lines = show.why(SCREEN, "k", 65, [fact | {"provenance": origin}])
    assert lines == ["k", "  m/t  x  since 2026-01-01 00:00:02  tx 68  undoes tx 67"]
    lines = show.why(SCREEN, "k", 65, [fact | {"provenance": origin | {"fgraph/by": "ana"}}])
    assert lines[1].endswith("tx 68  undoes tx 67  by ana")


def test_an_undo_that_finds_nothing_to_undo_says_so():
    own = [{"id": 50, "e": 98, "a": "fgraph/at", "v": {"instant": "2026-01-01T00:00:02Z"}, "tx": 98, "rx": None},
           {"id": 51, "e": 98, "a": "fgraph/undoes", "v": {"ref": 96}, "tx": 98, "rx": None}]  # fmt: skip
    result = {"status": "applied", "tx": 98, "at": 1767225602000000, "basis_tx": 97, "ids": {}, "retracted": []}
    assert show.report(SCREEN, result | {"asserted": own}) == [
        "applied  tx 98  2026-01-01 00:00:02  (after tx 97)",
        "  + 98  fgraph/undoes  → 96",
        "  nothing was left to undo; the transaction itself is recorded",
    ]
    restored = {"id": 52, "e": "skerry", "a": "light/tags", "v": "remote", "tx": 98, "rx": None}
    assert "nothing" not in " ".join(show.report(SCREEN, result | {"asserted": [*own, restored]}))


def test_long_names_leave_room_for_what_stands_beside_them():
    facts = {f"light/{'x' * 60}": "granite", "light/range": 18}
    lines = show.entity(Screen(40), "灯台" * 30, 72, 78, facts)
    assert max(map(cells, lines)) <= 40
    assert lines[0].endswith("(id 72, basis tx 78)")
    assert lines[1].endswith("…  granite")
    assert show.why(Screen(40), "灯台" * 30, 72, [])[0] == "灯台" * 9 + "灯…"  # 19 of two cells and the mark
    evidence = {"a": f"light/{'x' * 60}", "v": "granite", "at": 0, "tx": 77}
    hit = {"entity": "灯台" * 30, "score": 0.5, "matched": [evidence]}
    found = {"hits": [hit], "expanded": [], "work_used": 1, "truncated": False}
    lines = tables.hits(Screen(40), found)
    assert max(map(cells, lines)) <= 40
    assert [line[-8:] for line in lines[:2]] == ["  0.5000", " granite"]
