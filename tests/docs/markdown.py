"""The parts of a Markdown page that tests look at: fenced blocks, links, headings."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)(?P<mark>`{3,}|~{3,})(?P<kind>[^\n`]*)$")
LINK = re.compile(r"(?<!\\)!?\[[^\]]*\]\((?P<target>[^)\s]+)(?:\s+\"[^\"]*\")?\)")
HTML_LINK = re.compile(r"(?:href|src)=\"(?P<target>[^\"]+)\"")
CODE = re.compile(r"`[^`]*`")
HEADING = re.compile(r"^#{1,6} +(?P<text>.*?)#*$")


class Block(NamedTuple):
    """One fenced block: the word after the fence, its text, the line it begins at, and the block right after it."""

    kind: str
    text: str
    line: int
    answer: str | None = None


def pages() -> list[Path]:
    """README.md and everything under docs/."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(path: Path) -> list[Block]:
    """The fenced blocks of a page; a `text` block that follows another with only blank lines between is its answer."""
    found: list[Block] = []
    lines = path.read_text(encoding="utf-8").split("\n")
    number = 0
    last_end = None
    while number < len(lines):
        opening = FENCE.match(lines[number])
        if not opening:
            if lines[number].strip():
                last_end = None
            number += 1
            continue
        end = _closing(lines, number, opening["mark"])
        text = "".join(f"{line.removeprefix(opening['indent'])}\n" for line in lines[number + 1 : end])
        kind = opening["kind"].strip()
        if kind == "text" and last_end is not None:
            found[-1] = found[-1]._replace(answer=text)
        else:
            found.append(Block(kind, text, number + 1))
        number = last_end = end + 1
    return found


def links(path: Path) -> Iterator[str]:
    """The targets of all links outside code."""
    for line in _prose(path):
        bare = CODE.sub("``", line)
        for found in [*LINK.finditer(bare), *HTML_LINK.finditer(bare)]:
            yield found["target"]


def anchors(path: Path) -> set[str]:
    """The anchors that a code forge makes of the headings of a page."""
    made: set[str] = set()
    for line in _prose(path):
        heading = HEADING.match(line)
        if heading:
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading["text"]).strip().lower()
            base = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
            anchor, copies = base, 0
            while anchor in made:
                copies += 1
                anchor = f"{base}-{copies}"
            made.add(anchor)
    return made


def fault(page: Path, target: str) -> str | None:
    """What is wrong with a link on a page; None where nothing is, and for addresses elsewhere."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None
    name, _, anchor = target.partition("#")
    there = (page.parent / unquote(name)).resolve() if name else page
    if not there.exists():
        return f"{target}: no such file"
    if ROOT not in (there, *there.parents):
        return f"{target}: outside the project"
    if anchor and anchor not in anchors(there):
        return f"{target}: no such heading"
    return None


def _closing(lines: list[str], opening: int, mark: str) -> int:
    for number in range(opening + 1, len(lines)):
        if lines[number].strip() == mark:
            return number
    raise AssertionError(f"the fence at line {opening + 1} is never closed")


def _prose(path: Path) -> Iterator[str]:
    inside = ""
    for line in path.read_text(encoding="utf-8").split("\n"):
        fence = FENCE.match(line)
        if inside:
            if line.strip() == inside:
                inside = ""
        elif fence:
            inside = fence["mark"]
        else:
            yield line
