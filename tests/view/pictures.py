"""Takes the pictures of docs/view.md: run it after a change of how the page looks.

    python3 tests/view/pictures.py
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "docs" / "pictures"
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))

import fgraph  # noqa: E402
from fgraph.view import page  # noqa: E402
from tests.view.browser import Browser  # noqa: E402

SERVICES = [
    {"id": "api", "service/port": 8080, "service/needs": [{"ref": "db"}, {"ref": "cache"}]},
    {"id": "cache", "service/port": 6379, "service/needs": [{"ref": "db"}], "service/owner": {"ref": "ben"}},
    {"id": "db", "service/port": 5432, "service/owner": {"ref": "ben"}},
    {"id": "web", "service/port": 443, "service/needs": [{"ref": "api"}], "service/owner": {"ref": "ana"}},
    {"id": "worker", "service/needs": [{"ref": "db"}, {"ref": "queue"}], "service/owner": {"ref": "ben"}},
    {"id": "queue", "service/port": 5672},
]
DECISIONS = [
    {"id": "adr-2", "decision/title": "One deployment a week", "decision/about": [{"ref": "api"}, {"ref": "web"}]},
    {"id": "adr-4", "decision/title": "Deploy after the nightly backup", "decision/about": [{"ref": "db"}]},
]
NOTES = ("We deploy on Tuesdays.", "We deploy on Thursdays; on Tuesdays the backup runs.")


def write(folder: Path) -> tuple[Path, int]:
    """The page of a small project, and the id of one of its services."""
    with fgraph.connect(folder / "project.db", clock=1_767_949_200_000_000) as db:
        db.declare("service/needs", ref=True, many=True, doc="What must run before this can")
        db.declare("service/owner", ref=True, doc="Who answers for it")
        db.declare("decision/about", ref=True, many=True)
        api = db.transact(SERVICES, by="ana", source="compose file").ids["api"]
        db.transact(DECISIONS, by="ben", source="docs/adr")
        db.transact({"id": "deploy-day", "memory/text": NOTES[0]}, by="mcp:claude-code", source="chat with Ana")
        db.transact({"id": "deploy-day", "memory/text": NOTES[1]}, by="ana", source="handbook")
        db.transact({"id": "api", "service/port": 9090}, by="ben", source="ticket 17")
        with db._store.reading() as reader:
            page.write(reader, str(folder / "memory.html"))
    return folder / "memory.html", api


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        path, api = write(Path(name))
        browser = Browser(Path(name) / "profile")
        browser.screen(1000, 640)
        browser.open(path, f"#entity/{api}")
        browser.picture(PICTURES / "view-entity.png")
        browser.screen(1000, 640, dark=True)
        browser.open(path, "#graph")
        browser.wait("document.querySelector('.graph svg').getAttribute('viewBox')")
        browser.picture(PICTURES / "view-graph-dark.png")
        browser.screen(390, 640)
        browser.open(path, "#contested")
        browser.picture(PICTURES / "view-contested-narrow.png")
        browser.close()
