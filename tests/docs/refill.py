"""Writes the answers on the pages anew from what their blocks show; run it after a change of output, and read the diff.

python3 tests/docs/refill.py [PAGE ...]
"""

import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.docs import markdown  # noqa: E402
from tests.docs.terminal import Terminal  # noqa: E402
from tests.docs.test_blocks import BEFORE, GIVEN, PAGES, TEST_COMMAND, run_python  # noqa: E402


def refill(name: str) -> int:
    """Put the true answers into one page; how many were different."""
    path = markdown.ROOT / name
    text, changed, names = path.read_text(encoding="utf-8"), 0, GIVEN.get(name, dict)()
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(Path(folder))
        terminal.run(BEFORE.get(name, ""))
        for block in markdown.blocks(path):
            if block.kind == "sh" and block.text != TEST_COMMAND:
                shown = terminal.run(block.text.replace(" --follow ", " --no-follow "))
            elif block.kind == "python":
                shown = run_python(block.text, names, terminal.folder)
            else:
                continue
            if block.answer not in (None, shown):
                before = f"```{block.kind}\n{block.text}```\n\n```text\n"
                text = text.replace(f"{before}{block.answer}```", f"{before}{shown}```", 1)
                changed += 1
    path.write_text(text, encoding="utf-8")
    return changed


if __name__ == "__main__":
    for page in sys.argv[1:] or PAGES:
        print(f"{page}: {refill(page)} answers changed")
