"""The HTML file: it needs nothing else, and nothing stored in it becomes markup."""

import hashlib
import os
import re
from base64 import b64encode
from html.parser import HTMLParser

import pytest

import fgraph
from fgraph import errors
from fgraph.view import page as pages

NASTY = "</script><script>window.hit=1</script><!-- & \u202e\u2066 \u2028 \ufeff \x85 <img src=x onerror=hit()>"


class Tags(HTMLParser):
    """Start tags with their attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict]] = []
        self.raw: list[tuple[str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.cdata_elem:
            self.raw.append((self.cdata_elem, data))


def test_stored_text_adds_no_element_to_the_page(db, page_of):
    empty = [tag for tag, _ in Tags(page_of(db).text).tags]
    db.declare("x/y", doc=NASTY)
    db.transact({"id": "<b>name</b>", "x/y": NASTY}, by=NASTY, source=NASTY, meta={NASTY: NASTY}, operation_id="<i>")
    page = page_of(db)
    assert [tag for tag, _ in Tags(page.text).tags] == empty
    assert page.present("<b>name</b>") == [("x/y", NASTY)]


def test_no_character_of_stored_text_can_reorder_or_hide_the_source(db, page_of):
    db.transact({"id": "e\u202e", "x/y": NASTY})
    written = page_of(db).text
    assert not re.search("[\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\x80-\x9f]", written)


def test_the_file_name_is_escaped_in_the_title(page_of, tmp_path):
    with fgraph.connect(tmp_path / "<svg onload=x>&\u202e.db") as db:
        written = page_of(db).text
    assert "<title>&lt;svg onload=x&gt;&amp;\ufffd.db</title>" in written


def test_the_page_names_no_address_and_loads_nothing(db, page_of):
    db.transact({"id": "e", "x/y": 1})
    for tag, attributes in Tags(page_of(db).text).tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form", "audio", "video")
        assert not {"src", "href", "action", "data", "srcset"} & attributes.keys(), tag


def test_the_content_policy_allows_just_the_style_and_the_script_of_the_page(db, page_of):
    found = Tags(page_of(db).text)
    policy = next(attributes["content"] for tag, attributes in found.tags if "http-equiv" in attributes)
    style = next(text for tag, text in found.raw if tag == "style")
    script = [text for tag, text in found.raw if tag == "script"][-1]
    for name, text in (("style-src", style), ("script-src", script)):
        digest = b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")


def test_the_script_makes_no_markup_from_text():
    for name in pages.SCRIPTS:
        text = pages._asset(name)
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", text), name


def test_one_state_gives_the_same_bytes_each_time(db, page_of):
    db.transact({"id": "e", "x/y": "a"})
    assert page_of(db).text == page_of(db).text


def test_the_report_says_what_the_file_holds(db, write, tmp_path):
    db.transact([{"id": "a", "x/y": 1}, {"id": "b", "x/y": 1}])
    report = write(db, entities=1)
    target = tmp_path / "memory.html"
    assert report == {
        "path": str(target),
        "basis_tx": 68,
        "bytes": target.stat().st_size,
        "entities": {"shown": 1, "total": 2},
        "transactions": {"shown": 2, "total": 2},
        "contested": {"shown": 0, "total": 0},
        "left_out": ["1 of 2 entities: the page holds those touched last."],
    }


def test_the_file_is_for_its_owner_only(db, write, tmp_path):
    write(db)
    assert (tmp_path / "memory.html").stat().st_mode & 0o777 == 0o600


def test_a_page_replaces_an_earlier_page(db, write, tmp_path):
    write(db)
    db.transact({"id": "new-name", "x/y": 1})
    write(db)
    assert '"new-name"' in (tmp_path / "memory.html").read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["memory.html"]


@pytest.mark.parametrize("content", [b"", b"<!doctype html>\n<p>mine", b"SQLite format 3\0"])
def test_a_file_that_is_no_page_is_left_alone(db, write, tmp_path, content):
    target = tmp_path / "memory.html"
    target.write_bytes(content)
    with pytest.raises(errors.Conflict, match="not a page") as caught:
        write(db)
    assert caught.value.param == "output"
    assert target.read_bytes() == content


def test_what_is_no_regular_file_is_left_alone(db, write, tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("folder", "pipe"):
        with pytest.raises(errors.Conflict, match="not a page"):
            write(db, name)


def test_an_empty_path_is_refused(db):
    with db._store.reading() as reader, pytest.raises(errors.TypeError, match="output is empty"):
        pages.write(reader, "")


def test_a_folder_that_does_not_exist_is_named(db, write, tmp_path):
    with pytest.raises(errors.FormatError) as refused:
        write(db, "missing/memory.html")
    assert str(refused.value) == f"the folder {tmp_path / 'missing'} does not exist; create it first"
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written_is_a_typed_error(db, write, tmp_path):
    with pytest.raises(errors.ReadOnly, match="cannot write"):
        write(db, "nul\0.html")
    assert list(tmp_path.iterdir()) == []
