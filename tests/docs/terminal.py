"""A folder like a fresh checkout, and a terminal in which a reader would run the commands of a page."""

import errno
import os
import pty
import subprocess
import sys
from pathlib import Path

from tests.docs.markdown import ROOT

PARTS = ("fgraph.py", "fgraph", "docs", "pyproject.toml", ".packaging", "README.md", "LICENSE")
SHIM = """\
#!/bin/sh
exec '{python}' '{launcher}' "$@"
"""
SECONDS = 60


class Terminal:
    """Runs shell blocks one after the other; what they leave in the folder stays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "checkout"
        self.folder.mkdir()
        for part in PARTS:
            (self.folder / part).symlink_to(ROOT / part)
        programs, home = folder / "bin", folder / "home"
        programs.mkdir()
        home.mkdir()
        self._program(programs / "fgraph", SHIM.format(python=sys.executable, launcher=ROOT / "fgraph.py"))
        self._program(programs / "python3", f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
        self.env = {
            "PATH": os.pathsep.join([str(programs), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(home),
            "PIP_NO_INDEX": "1",
            "TERM": "xterm",
            "NO_COLOR": "1",
            "COLUMNS": "100",
            "TZ": "UTC",
            "LANG": "C.UTF-8",
            "USER": "ana",
            "LOGNAME": "ana",
            "FGRAPH_CLOCK": "1767225600000000",
            "FGRAPH_EVENT_SEED": "docs",
        }

    def run(self, script: str) -> str:
        """What one block shows on the terminal; a failing command, or a word on standard error, is a failed test."""
        screen, inside = pty.openpty()
        process = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self.folder,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=inside,
            stderr=subprocess.PIPE,
        )
        os.close(inside)
        shown = _all_of(screen)
        _, complaint = process.communicate(timeout=SECONDS)
        assert (process.returncode, complaint.decode()) == (0, ""), f"{script}\n{shown}"
        return shown

    @staticmethod
    def _program(path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)


def _all_of(screen: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(screen, 65_536)
        except OSError as fault:
            if fault.errno != errno.EIO:  # what Linux says when the last writer has gone
                raise
            part = b""
        if not part:
            os.close(screen)
            return b"".join(parts).decode().replace("\r\n", "\n")
        parts.append(part)
