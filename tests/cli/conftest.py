"""Running the command line in a folder of its own, with a fixed clock, as real processes."""

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = ROOT / "fgraph.py"
TERMINAL_ROWS = 40
CLEAN = ("FGRAPH_", "NO_COLOR", "COLUMNS", "TERM", "PYTHONDONTWRITEBYTECODE")


class Ran(NamedTuple):
    """What one command line did."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> object:
        return json.loads(self.out)


class ForkServer:
    """Processes forked off a warm interpreter (forkserver.py); a fraction of the cost of starting one."""

    def __init__(self, folder: Path) -> None:
        self._files = [folder / name for name in ("stdin", "stdout", "stderr")]
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("forkserver.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )

    def run(self, words: list[str], folder: Path, env: dict[str, str], given: bytes) -> Ran:
        """One process with files for its streams."""
        for path, content in zip(self._files, (given, b"", b""), strict=True):
            path.write_bytes(content)
        status = self._ask(words, folder, env, self._files)
        return Ran(status, *(path.read_bytes().decode() for path in self._files[1:]))

    def run_on_terminal(self, words: list[str], folder: Path, env: dict[str, str], columns: int) -> Ran:
        """One process on a terminal of its own; `out` is all that came to it, with plain line feeds."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", TERMINAL_ROWS, columns, 0, 0))
        seen = bytearray()
        reader = threading.Thread(target=_read_all, args=(leader, seen))
        reader.start()
        status = self._ask(words, folder, env, [Path(os.ttyname(follower))] * 3)
        os.close(follower)
        reader.join(timeout=20)
        os.close(leader)
        return Ran(status, seen.decode().replace("\r\n", "\n"), "")

    def _ask(self, words: list[str], folder: Path, env: dict[str, str], files: list[Path]) -> int:
        request = {"program": str(LAUNCHER), "words": words, "folder": str(folder), "env": env}
        self._process.stdin.write(json.dumps(request | {"files": list(map(str, files))}) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=20)


class Shell:
    """A folder and an environment to run command lines in."""

    def __init__(self, folder: Path, server: ForkServer, pycache: Path) -> None:
        self.folder = folder
        self._server = server
        self.env = {name: value for name, value in os.environ.items() if not name.startswith(CLEAN)}
        self.env |= {"FGRAPH_CLOCK": "1767225600000000", "FGRAPH_EVENT_SEED": "lighthouse", "TZ": "UTC", "USER": "tess"}
        # The interpreter's own cache may not be writable or wanted; the tests bring one.
        self.env["PYTHONPYCACHEPREFIX"] = str(pycache)

    def words(self, *words: str) -> list[str]:
        """The command line for an interpreter of its own."""
        return [sys.executable, str(LAUNCHER), *words]

    def run(self, *words: str, stdin: bytes | str = b"", **env: str) -> Ran:
        """One process, forked."""
        return self._server.run(list(words), self.folder, self.env | env, _octets(stdin))

    def on_terminal(self, *words: str, columns: int = 80, **env: str) -> Ran:
        """One process, forked, on a terminal."""
        return self._server.run_on_terminal(list(words), self.folder, self.env | env, columns)

    def many(self, lines: list[list[str]], **env: str) -> list[Ran]:
        """One process after the other."""
        return [self.run(*words, **env) for words in lines]

    def spawn(self, *words: str, stdin: bytes | str = b"", **env: str) -> Ran:
        """One process with an interpreter of its own."""
        options = {"cwd": self.folder, "env": self.env | env, "timeout": 60}
        done = subprocess.run(self.words(*words), input=_octets(stdin), capture_output=True, **options)
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *words: str, **options: object) -> subprocess.Popen:
        """A process of its own that goes on; Ctrl-C reaches it, even where the tests run in the background."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.PIPE} | options
        return subprocess.Popen(
            self.words(*words), cwd=self.folder, env=self.env, preexec_fn=_heed_interrupts, **options
        )

    def write(self, name: str, content: bytes | str) -> Path:
        """A file in the folder."""
        path = self.folder / name
        path.write_bytes(_octets(content))
        return path


def _heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _read_all(descriptor: int, seen: bytearray) -> None:
    while True:
        try:
            chunk = os.read(descriptor, 65_536)
        except OSError:  # Linux says so when the last writer is gone
            return
        if not chunk:
            return
        seen += chunk


def _octets(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content


@pytest.fixture(scope="session")
def pycache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache of compiled modules for all processes of the run."""
    return tmp_path_factory.mktemp("pycache")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ForkServer]:
    """The warm interpreter."""
    made = ForkServer(tmp_path_factory.mktemp("streams"))
    yield made
    made.close()


@pytest.fixture
def shell(tmp_path: Path, server: ForkServer, pycache: Path) -> Shell:
    """A shell in an empty folder."""
    return Shell(tmp_path, server, pycache)


@pytest.fixture(scope="module")
def module_shell(tmp_path_factory: pytest.TempPathFactory, server: ForkServer, pycache: Path) -> Shell:
    """A shell whose folder the tests of one module share."""
    return Shell(tmp_path_factory.mktemp("shared"), server, pycache)
