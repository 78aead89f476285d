"""The examples of two guides run, in order, as they are printed."""

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("guide", "blocks"), [("writing.md", 7), ("modeling.md", 6)])
def test_the_examples_of_a_guide_run(guide, blocks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / guide).read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    assert len(found) == blocks
    names: dict = {}
    for block in found:
        line = text.count("\n", 0, block.start(1))
        exec(compile("\n" * line + block[1], str(DOCS / guide), "exec"), names)
    assert names["db"].doctor()["ok"]
    names["db"].close()
