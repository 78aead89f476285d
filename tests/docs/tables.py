"""The tables of a Markdown page, as rows of cells."""

from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def rows(page: str, *heads: str) -> list[list[str]]:
    """The rows of every table of a page whose header begins with these cells."""
    found: list[list[str]] = []
    head: list[str] | None = None
    for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            head = None
            continue
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        cells = [cell.strip("| ") for cell in cells]
        if head is None:
            head = cells
        elif head[: len(heads)] == list(heads) and not set(line) <= set("|-"):
            found.append(cells)
    assert found, f"{page} has no table {heads}"
    return found


def code(cell: str) -> str:
    """The text between backticks."""
    assert cell.startswith("`") and cell.endswith("`"), cell
    return cell[1:-1]
