"""One database from declarations to excision, with every id, row, event text and hash known beforehand."""

import hashlib

import pytest

import fgraph
from tests.write.support import GENESIS, SECOND, event_text, fact_rows, tables, triples

EVENTS = {
    78: "65c431c1-75b0-434a-8092-8504cb47e07b",
    79: "3f32aced-9f14-402f-9b95-e45fee8178dc",
    80: "00000000-0000-4000-8000-000000000080",
    81: "16e41b18-c2a5-49e6-ba16-1c78ed2e77e2",
}
N1 = "d07be4c6-80cf-50fa-b99a-c6d9761baea3"
ANONYMOUS = "efbc04e9-5467-56ec-8b31-65b31b6644ee"
FIRST = [
    {
        "id": "ops",
        "team/tags": ["infra", "oncall"],
        "team/lead": {"id": "mira", "person/name": "Mira"},
        "team/size": 4,
    },
    ["assert", {"tmp": "n1"}, "note/about", {"ref": "ops"}],
    {"note/text": "anonymous"},
]
SECOND_WRITE = [
    {"id": "ops", "team/size": 5, "team/tags": ["infra", "night"]},
    ["retract", "ops", "team/tags", "oncall"],
]
OPTIONS = {
    "by": "ana",
    "source": "import",
    "meta": {"batch": 2},
    "tx": {"audit/tag": "v1"},
    "operation_id": "import:1",
    "if_basis_tx": 68,
}


def at(second: int) -> int:
    return GENESIS + second * SECOND


@pytest.fixture
def reports():
    """The reports of six transactions on one database, which comes first."""
    given = iter(["00000000-0000-4000-8000-000000000066", "00000000-0000-4000-8000-000000000068", *EVENTS.values()])
    with fgraph.connect(":memory:", clock=GENESIS, event_factory=lambda: next(given)) as db:
        db.declare("team/lead", ref=True)
        db.declare("team/tags", many=True)
        yield (
            db,
            db.transact(FIRST, **OPTIONS),
            db.transact(SECOND_WRITE),
            db.undo(79, by="ana", operation_id="undo:1"),
            db.excise("mira", operation_id="ex:1", if_basis_tx=80),
        )


def test_ids_come_in_order_of_first_appearance_and_the_transaction_last(reports):
    db = reports[0]
    rows = [(number, name or gid.hex()) for number, name, gid, tx in tables(db)["fgraph_ids"] if tx == 78]
    assert rows == [
        (69, "ops"),
        (70, "mira"),
        (71, "person/name"),
        (72, "team/size"),
        (73, N1.replace("-", "")),
        (74, "note/about"),
        (75, ANONYMOUS.replace("-", "")),
        (76, "note/text"),
        (77, "audit/tag"),
        (78, EVENTS[78].replace("-", "")),
    ]


def test_the_report_shows_the_basis_the_new_short_names_and_the_facts_in_row_order(reports):
    report = reports[1]
    assert list(report) == ["status", "event", "basis_tx", "tx", "at", "ids", "asserted", "retracted"]
    head = {key: report[key] for key in ("status", "event", "basis_tx", "tx", "at", "ids", "retracted")}
    assert head == {
        "status": "applied",
        "event": EVENTS[78],
        "basis_tx": 68,
        "tx": 78,
        "at": at(3),
        "ids": {"ops": 69, "mira": 70, "n1": 73},
        "retracted": [],
    }
    assert report["asserted"][0] == {
        "id": 44,
        "e": 78,
        "a": "fgraph/at",
        "v": {"instant": "2026-01-01T00:00:03.000000Z"},
        "tx": 78,
        "rx": None,
    }
    assert triples(report["asserted"]) == [
        (78, "fgraph/by", "ana"),
        (78, "fgraph/source", "import"),
        (78, "fgraph/meta", {"json": {"batch": 2}}),
        ("mira", "person/name", "Mira"),
        ("ops", "team/lead", {"ref": "mira"}),
        ("ops", "team/size", 4),
        ("ops", "team/tags", "infra"),
        ("ops", "team/tags", "oncall"),
        (73, "note/about", {"ref": "ops"}),
        (75, "note/text", "anonymous"),
        (78, "audit/tag", "v1"),
    ]
    assert [fact["id"] for fact in report["asserted"]] == list(range(44, 56))


def test_the_fact_rows_hold_tags_and_inline_values(reports):
    assert [row[1:5] for row in fact_rows(reports[0], 44) if row[5] == 78 and row[1] != 70] == [
        (78, 1, at(3), 5),
        (78, 2, "ana", 4),
        (78, 3, "import", 4),
        (78, 4, '{"batch":2}', 10),
        (69, 72, 4, 2),
        (69, 67, "infra", 4),
        (69, 67, "oncall", 4),
        (73, 74, 69, 0),
        (75, 76, "anonymous", 4),
        (78, 77, "v1", 4),
    ]


def test_the_event_is_the_canonical_text_of_the_transaction():
    given = iter(["00000000-0000-4000-8000-000000000066", "00000000-0000-4000-8000-000000000068", EVENTS[78]])
    with fgraph.connect(":memory:", clock=GENESIS, event_factory=lambda: next(given)) as db:
        db.declare("team/lead", ref=True)
        db.declare("team/tags", many=True)
        db.transact(FIRST, **OPTIONS)
        text = event_text(db, 78)
        stored = db.receipt(78)
    assert text == (
        '{"asserted":[["mira","person/name","Mira","text"],["ops","team/lead",{"ref":"mira"},"ref"],'
        '["ops","team/size",4,"int"],["ops","team/tags","infra","text"],["ops","team/tags","oncall","text"],'
        f'[{{"eid":"{N1}"}},"note/about",{{"ref":"ops"}},"ref"],[{{"eid":"{ANONYMOUS}"}},"note/text","anonymous","text"]],'
        f'"at":{at(3)},"by":"ana","created":["ops","mira","person/name","team/size",{{"eid":"{N1}"}},"note/about",'
        f'{{"eid":"{ANONYMOUS}"}},"note/text","audit/tag"],"event":"{EVENTS[78]}","fgraph":"event/1",'
        '"meta":{"batch":2},"retracted":[],"source":"import","tx_facts":[["audit/tag","v1","text"]]}'
    )
    digest = "cd43b22141c93a1de2c45600ac7826c8b36f63fec71a8ce2df6f3f08dc866403"
    assert hashlib.sha256(text.encode()).hexdigest() == digest
    assert stored["event_hash"] == f"sha256:{digest}"
    assert stored["request_hash"] == "sha256:8a6dcb67429353557bafcc040314ecc91792f47418df0d9e92b0b6f4afeb04ad"


def test_a_correction_supersedes_and_does_not_repeat_what_is_there(reports):
    report = reports[2]
    assert triples(report["asserted"]) == [("ops", "team/size", 5), ("ops", "team/tags", "night")]
    assert [(fact["id"], fact["tx"], fact["rx"]) for fact in report["retracted"]] == [(50, 78, 79), (52, 78, 79)]


def test_undo_asserts_anew_what_was_ended_and_says_what_it_undoes(reports):
    db, report = reports[0], reports[3]
    assert [(fact["id"], fact["e"], fact["a"], fact["v"]) for fact in report["asserted"]][1:] == [
        (60, 80, "fgraph/by", "ana"),
        (61, "ops", "team/size", 4),
        (62, "ops", "team/tags", "oncall"),
        (63, 80, "fgraph/undoes", {"ref": 79}),
    ]
    assert [(fact["id"], fact["rx"]) for fact in report["retracted"]] == [(57, 80), (58, 80)]
    assert f'"tx_facts":[["fgraph/undoes",{{"ref":{{"eid":"{EVENTS[79]}"}}}},"ref"]]' in event_text(db, 80)
    stored = tables(db)["fgraph_events"][-2]
    assert stored[4].hex() == "de72dbe017ed605dfc3a3c5a3ebed5d39ae802899cea5b3e35be29e7e5c4eff1"


def test_excision_redacts_the_events_that_mention_the_entity(reports):
    db, report = reports[0], reports[4]
    assert [(fact["id"], fact["e"], fact["a"], fact["v"]) for fact in report["asserted"]][1:] == [
        (65, 81, "fgraph/excised", {"ref": "mira"})
    ]
    assert [(fact["id"], fact["rx"]) for fact in report["retracted"]] == [(48, 81), (49, 81)]
    assert report["ids"] == {}
    assert event_text(db, 78) is None and event_text(db, 79) is not None
    text = event_text(db, 81)
    assert text.endswith(f'"redacted":true,"redacts":["{EVENTS[78]}"],"retracted":[]}}')
    digest = "1dbe58a52e64a85df15bea9cbfeb8c88fd95ea5f6ff53fa26262bc17f704935e"
    assert hashlib.sha256(text.encode()).hexdigest() == digest


@pytest.mark.parametrize(
    ("before", "data", "ids", "tx"),
    [
        (None, {"id": "ada", "person/name": "Ada", "person/age": 36}, "ada person/age person/name", 68),
        (
            None,
            [{"id": "z", "b/b": {"ref": "q"}, "a/a": 1}, ["assert", "y", "c/c", {"ref": "z2"}], {"n/n": "anon"}],
            "z a/a b/b q y c/c z2 - n/n",
            74,
        ),
        ("p/refu", {"id": "newrec", "p/refu": {"ref": "fresh"}, "a/a": 1}, "p/refu fresh newrec a/a", 70),
        (None, [["retract", {"tmp": "k"}], {"id": "w", "a/a": 1}], "w a/a", 67),
        (None, [{"id": {"tmp": "k"}, "b/b": 1}, ["retract", {"tmp": "k"}], {"id": "w", "a/a": 1}], "b/b w a/a", 68),
    ],
    ids=["attributes by code point", "references after attributes", "unique probe first", "unused tempid", "no gap"],
)
def test_allocation_order(db, before, data, ids, tx):
    if before:
        db.declare(before, ref=True, unique=True)
    report = db.transact(data)
    names = [name or "-" for number, name, _, _ in tables(db)["fgraph_ids"] if number > 64]
    names = [name for number, name in enumerate(names, 65) if number not in (66 if before else 0, report["tx"])]
    assert (" ".join(names), report["tx"]) == (ids, tx)


def test_a_transaction_without_data_takes_one_id(db):
    assert db.transact([], by="x")["tx"] == 65
    assert tables(db)["fgraph_meta"][-1] == ("next_id", 66)


def test_an_anonymous_entity_gets_a_global_id_from_the_event_and_its_place():
    event = "3c9647da-b9ec-4460-8cee-6e924ceb2449"
    with fgraph.connect(":memory:", clock=GENESIS, event_factory=lambda: event) as db:
        db.transact([{"id": f"n{number}"} for number in range(7)] + [["assert", {"tmp": "x"}, "v/v", 1]])
        assert db.entity({"eid": "ede6a6e5-c40e-58e2-8b39-62f15bf1aec3"})["v/v"] == 1
