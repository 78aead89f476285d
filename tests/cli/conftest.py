"""Running the command line in a folder of its own, with a fixed clock, as real processes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = ROOT / "fgraph.py"
DRIVER = Path(__file__).with_name("driver.py")
CLEAN = ("FGRAPH_", "NO_COLOR", "COLUMNS", "TERM", "PYTHONDONTWRITEBYTECODE")


class Ran(NamedTuple):
    """What one command line did."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return json.loads(self.out)


class Shell:
    """A folder and an environment to run command lines in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(CLEAN)}
        self.env |= {"FGRAPH_CLOCK": "1767225600000000", "FGRAPH_EVENT_SEED": "lighthouse", "TZ": "UTC", "USER": "tess"}

    def words(self, *words: str) -> list[str]:
        return [sys.executable, str(LAUNCHER), *words]

    def run(self, *words: str, stdin: bytes | str = b"", **env: str) -> Ran:
        """One process."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            self.words(*words), input=given, capture_output=True, cwd=self.folder, env=self.env | env, timeout=60
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *words: str, **options: object) -> subprocess.Popen:
        """A process that goes on."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.PIPE} | options
        return subprocess.Popen(self.words(*words), cwd=self.folder, env=self.env, **options)

    def many(self, lines: list[list[str]], **env: str) -> list[Ran]:
        """Many command lines, one after the other in one process, each without input."""
        done = subprocess.run(
            [sys.executable, str(DRIVER)],
            input=json.dumps(lines).encode(),
            capture_output=True,
            cwd=self.folder,
            env=self.env | env | {"PYTHONPATH": str(ROOT)},
            timeout=120,
        )
        assert done.returncode == 0, done.stderr.decode()
        return [Ran(*ran) for ran in json.loads(done.stdout)]

    def write(self, name: str, content: bytes | str) -> Path:
        path = self.folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path


@pytest.fixture(scope="session")
def pycache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of compiled modules for all processes of the run."""
    return tmp_path_factory.mktemp("pycache")


@pytest.fixture
def shell(tmp_path: Path, pycache: Path) -> Shell:
    """A shell in an empty folder."""
    made = Shell(tmp_path)
    made.env["PYTHONPYCACHEPREFIX"] = str(pycache)
    return made


@pytest.fixture(scope="module")
def module_shell(tmp_path_factory: pytest.TempPathFactory, pycache: Path) -> Shell:
    """A shell whose folder the tests of one module share."""
    made = Shell(tmp_path_factory.mktemp("shared"))
    made.env["PYTHONPYCACHEPREFIX"] = str(pycache)
    return made
