"""The page in a real browser, from a file, with 10 and with 10,000 entities.

`FGRAPH_PICTURES=folder pytest tests/view/test_browser.py` keeps a screenshot of each view for a person to look at.
"""

import os
from pathlib import Path

import pytest

import fgraph
from fgraph.view import page
from fgraph.view.bounds import Bounds
from tests.view.browser import CHROMIUM, DRIVER, Browser

pytestmark = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="chromium and chromedriver are not installed (apt-get install chromium-driver)"
)
START = 1_767_225_600_000_000
NASTY = "</script><script>window.hit=1</script><img src=x onerror='window.hit=2'>\u202egnirts"
VIEWS = (
    "#entities", "#entity/{skerry}", "#graph", "#graph/{skerry}", "#timeline", "#tx/{basis}", "#contested", "#about",
)  # fmt: skip
CONTROLS = {"link", "button", "searchbox", "combobox", "table", "img"}
SCREENS = {
    "desktop": {"width": 1280, "height": 900},
    "phone": {"width": 390, "height": 844, "mobile": True},
    "dark": {"width": 1280, "height": 900, "dark": True},
}


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    made = Browser(tmp_path_factory.mktemp("profile"))
    yield made
    made.close()


def paged(db: fgraph.Db, folder: Path, **bounds: int) -> Path:
    with db._store.reading() as reader:
        page.write(reader, str(folder / "memory.html"), Bounds(**bounds))
    return folder / "memory.html"


@pytest.fixture(scope="module")
def ten(tmp_path_factory):
    """Ten entities: (the page, ids by name, the newest transaction)."""
    folder = tmp_path_factory.mktemp("ten")
    with fgraph.connect(folder / "lights.db", clock=START) as db:
        db.declare("light/keeper", ref=True, doc="Who tends the lamp")
        db.declare("light/near", ref=True, many=True)
        first = db.transact(
            [
                {"id": "skerry", "light/range": 18, "light/keeper": {"ref": "mara"}, "light/near": [{"ref": "farne"}]},
                {"id": "farne", "light/range": 11, "light/keeper": {"ref": "tom"}, "light/near": [{"ref": "bell"}]},
                {"id": "bell", "light/range": 28, "light/keeper": {"ref": "mara"}},
                {"id": "mara", "person/name": "Mara"},
                {"id": "tom", "person/name": "Tomás"},
                {"id": "note", "memory/text": NASTY},
                {"memory/text": "Lamp relit after the gale"},
                {"id": "long", "memory/text": "word " * 1000},
            ],
            by="ana",
            source="survey-7",
        )
        changed = {"id": "skerry", "light/range": 21}
        last = db.transact(changed, by="mara", source="log <b>12</b>", operation_id="log-12")
        yield paged(db, folder), first["ids"] | {"basis": last["tx"]}


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """10,000 entities, 9,999 tasks and the attribute between them, all on the page."""
    folder = tmp_path_factory.mktemp("many")
    with fgraph.connect(folder / "tasks.db", clock=START) as db:
        db.declare("task/needs", ref=True)
        for start in range(0, 10_000, 500):
            db.transact(
                [
                    {"id": f"task-{n:05}", "task/title": f"Title {n}", "task/needs": {"ref": f"task-{n // 7:05}"}}
                    for n in range(start, min(start + 500, 9_999))
                ],
                by=f"writer-{start % 3}",
            )
        yield paged(db, folder, entities=20_000)


@pytest.mark.parametrize("screen", SCREENS)
def test_every_view_fits_its_screen_and_logs_nothing(browser, ten, screen):
    path, ids = ten
    browser.screen(**SCREENS[screen])
    browser.complaints()
    browser.open(path, "#about")
    for number, view in enumerate(VIEWS):
        browser.go(view.format(**ids))
        assert browser.run("return document.documentElement.scrollWidth <= innerWidth"), view
        assert browser.run("return document.querySelectorAll('h1').length") == 1, view
        assert browser.run("return document.querySelector('h1').innerText.trim()"), view
        if folder := os.environ.get("FGRAPH_PICTURES"):
            browser.picture(Path(folder) / f"{screen}-{number}.png")
    assert browser.complaints() == []


def test_stored_markup_stays_text(browser, ten):
    path, ids = ten
    browser.screen(1280, 900)
    browser.open(path, f"#entity/{ids['note']}")
    assert browser.run("return window.hit ?? null") is None
    assert browser.run("return document.querySelectorAll('main script, main img, main b').length") == 0
    assert "</script><script>window.hit=1</script><img src=x onerror='window.hit=2'>U+202Egnirts" in browser.text()


def test_the_policy_of_the_page_stops_a_script_that_gets_in(browser, ten):
    browser.open(ten[0])
    browser.run("const s = document.createElement('script'); s.textContent = 'window.hit = 3'; document.body.append(s)")
    assert browser.run("return window.hit ?? null") is None
    assert any("Content Security Policy" in line for line in browser.complaints())


def test_search_finds_by_name_value_author_and_source(browser, ten):
    browser.open(ten[0])
    for words, expected in (("farne", 2), ("mara", 3), ("gale", 1), ("TOMAS", 1), ("survey-7 word", 1), ("nowhere", 0)):
        browser.type("input[type=search]", words)
        found = f"{expected} {'entity' if expected == 1 else 'entities'} of 10"
        browser.wait(f"document.querySelector('[role=status]').textContent === {found!r}")
        assert browser.run("return document.querySelectorAll('article').length") == expected


def test_an_entity_shows_why_it_is_so_and_what_was_before(browser, ten):
    path, ids = ten
    browser.open(path, f"#entity/{ids['skerry']}")
    shown = browser.text()
    assert "Contested: light/range (by another author than the value before, from another source" in shown
    assert "by mara · from log <b>12</b> · tx" in shown
    assert "before: 18" in shown
    assert "Who tends the lamp" in shown
    history = browser.run("return [...document.querySelectorAll('ul.changes')].map((list) => list.textContent)")
    assert history[0] == "−ended: light/range 18+added: light/range 21"


def test_the_contested_list_links_to_its_entity(browser, ten):
    path, ids = ten
    browser.open(path, "#contested")
    link = browser.run("return document.querySelector('article h2 a').getAttribute('href')")
    assert link == f"#entity/{ids['skerry']}"
    assert "1 contested value\n" in browser.text()


def test_the_timeline_filters_by_author(browser, ten):
    path, ids = ten
    browser.open(path, "#timeline")
    names = browser.run("return [...document.querySelectorAll('select option')].map((option) => option.textContent)")
    assert names == ["everybody", "ana", "mara"]
    browser.run("const it = document.querySelector('select'); it.value = '1'; it.dispatchEvent(new Event('change'))")
    headings = browser.run("return [...document.querySelectorAll('article h2')].map((it) => it.innerText)")
    assert len(headings) == 1
    assert headings[0].startswith(f"tx {ids['basis']} ")


def test_the_graph_pans_zooms_and_filters(browser, ten):
    browser.screen(1280, 900)
    browser.open(ten[0], "#graph")
    browser.wait("document.querySelector('svg').getAttribute('viewBox')")
    box = "return document.querySelector('.graph svg').getAttribute('viewBox').split(' ').map(Number)"
    press = "document.querySelector('.graph svg').dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0]}))"
    before = browser.run(box)
    browser.run(press, "ArrowRight")
    moved = browser.run(box)
    assert moved[0] > before[0] and moved[2:] == before[2:]
    browser.run(press, "+")
    assert browser.run(box)[2] == pytest.approx(0.8 * moved[2])
    drag = """
        const at = (type, x) => document.querySelector('.graph svg').dispatchEvent(
            new PointerEvent(type, {pointerId: 1, clientX: x, clientY: 100, bubbles: true}));
        at('pointerdown', 300); at('pointermove', 200); at('pointerup', 200);
    """
    before = browser.run(box)
    browser.run(drag)
    assert browser.run(box)[0] > before[0]
    assert browser.run("return document.querySelectorAll('.graph a').length") == 5
    choose = "const it = document.querySelector('select'); it.value = arguments[0]; "
    browser.run(choose + "it.dispatchEvent(new Event('change'))", "light/keeper")
    assert browser.text("[role=status]") == "5 nodes, 3 references"
    browser.type("input[type=search]", "tom")
    browser.wait("document.querySelector('[role=status]').textContent === '2 nodes, 1 reference'")


def test_a_keyboard_reaches_every_view_and_the_heading_is_read(browser, ten):
    path, ids = ten
    browser.open(path)
    for view in ("#graph", "#timeline", f"#entity/{ids['farne']}"):
        browser.go(view)
        assert browser.run("return document.activeElement.tagName") == "H1"
        assert browser.run("return document.querySelectorAll('nav [aria-current=page]').length") == 1


def test_a_screen_reader_is_told_what_everything_is(browser, ten):
    path, ids = ten
    browser.screen(**SCREENS["phone"])
    browser.open(path, "#about")
    for view in VIEWS[:-1]:
        browser.go(view.format(**ids))
        told = browser.accessible()
        assert {"main", "navigation", "heading"} <= {role for role, _ in told}, view
        unnamed = [role for role, name in told if role in CONTROLS and not name.strip()]
        assert unnamed == [], view
    browser.go(f"#entity/{ids['skerry']}")
    told = browser.accessible()
    assert ("table", "Present facts of skerry") in told
    assert ("rowheader", "light/range") in told  # a table still, though a phone lays it out in blocks


def test_dark_and_light_can_be_chosen(browser, ten):
    browser.screen(1280, 900, dark=True)
    browser.open(ten[0])
    colour = "return getComputedStyle(document.body).backgroundColor"
    assert browser.run(colour) == "rgb(21, 23, 27)"
    press = "const it = document.querySelector('header button'); it.click(); return it.textContent"
    assert [browser.run(press) for _ in range(2)] == ["Theme: dark", "Theme: light"]
    assert browser.run(colour) == "rgb(251, 251, 249)"


def test_ten_thousand_entities_are_searched_and_drawn_in_portions(browser, many):
    browser.screen(1280, 900)
    browser.open(many)
    assert browser.text("[role=status]") == "10,000 entities"
    assert browser.run("return document.querySelectorAll('article').length") == 100
    browser.run("document.querySelector('button.more').click()")
    assert browser.run("return document.querySelectorAll('article').length") == 200
    browser.type("input[type=search]", "task-09998")
    browser.wait("document.querySelector('[role=status]').textContent === '1 entity of 10,000'")
    browser.go("#graph")
    assert browser.text("[role=status]").startswith("150 nodes of 9,999, ")
