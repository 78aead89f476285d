"""Every link of README.md and docs/ leads somewhere."""

import pytest

from tests.docs import markdown


@pytest.mark.parametrize("page", markdown.pages(), ids=lambda page: str(page.relative_to(markdown.ROOT)))
def test_links_lead_to_files_and_headings_that_exist(page):
    assert [fault for target in markdown.links(page) if (fault := markdown.fault(page, target))] == []


def test_every_page_is_reachable_from_the_readme():
    seen, waiting = set(), [markdown.ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in seen:
            continue
        seen.add(page)
        for target in markdown.links(page):
            there = (page.parent / target.partition("#")[0]).resolve()
            if there.suffix == ".md" and there.exists():
                waiting.append(there)
    assert sorted(str(page.relative_to(markdown.ROOT)) for page in set(markdown.pages()) - seen) == []


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("README.md", None),
        ("docs/no-such.md", "docs/no-such.md: no such file"),
        ("README.md#no-such-heading", "README.md#no-such-heading: no such heading"),
        ("../elsewhere", "../elsewhere: no such file"),
        ("https://example.org/", None),
    ],
)
def test_a_broken_link_is_noticed(target, expected):
    assert markdown.fault(markdown.ROOT / "README.md", target) == expected
