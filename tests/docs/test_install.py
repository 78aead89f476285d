"""Every way to install that docs/install.md shows works as it is written there, without a package index.

Python 3.12, 3.13 and 3.14 are tried where they are installed.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import fgraph
from tests.docs import markdown

PAGE = markdown.ROOT / "docs" / "install.md"
OTHER_VERSIONS = ("3.12", "3.13", "3.14")
SECONDS = 120


class Machine:
    """A folder with a checkout under `path/to/fgraph`, a clean HOME, and no package index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "work"
        checkout = self.folder / "path" / "to" / "fgraph"
        checkout.mkdir(parents=True)
        for part in ("fgraph", ".packaging"):
            shutil.copytree(markdown.ROOT / part, checkout / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("fgraph.py", "pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(markdown.ROOT / part, checkout / part)
        programs, home = folder / "bin", folder / "home"
        programs.mkdir()
        home.mkdir()
        (programs / "python3").write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
        (programs / "python3").chmod(0o755)
        self.env = {
            "PATH": os.pathsep.join([str(programs), "/usr/local/bin", "/usr/bin", "/bin"]),
            "HOME": str(home),
            "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_COMPILE": "1",  # half of the time of an install
        }

    def run(self, *command: str, **env: str) -> str:
        done = subprocess.run(
            command, cwd=self.folder, env=self.env | env, capture_output=True, text=True, timeout=SECONDS
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def shell(self, script: str) -> str:
        return self.run("bash", "-euo", "pipefail", "-c", script)


def script(word: str) -> str:
    """The one block of the page that holds a word."""
    (found,) = [block.text for block in markdown.blocks(PAGE) if block.kind == "sh" and word in block.text]
    return found


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    return Machine(tmp_path_factory.mktemp("machine"))


@pytest.fixture(scope="module")
def installed(machine):
    """The machine after `pip install`, and the version that was printed."""
    pip = find_spec("pip")
    if pip is None or find_spec("venv") is None:
        pytest.skip("this Python has no venv or no pip")
    text = script("install --quiet --no-index path")
    # Python's own part, several seconds of unpacking pip, is left out: the environment gets the pip that is here.
    made, rest = text.split("\n", 1)
    assert made == "python3 -m venv venv"
    machine.shell("python3 -m venv --without-pip venv")
    (packages,) = (machine.folder / "venv" / "lib").glob("python3*/site-packages")
    (packages / "pip").symlink_to(Path(pip.origin).parent)
    return machine, machine.shell(rest)


def test_it_runs_in_place(machine):
    assert machine.shell(script("fgraph.py version")) == f"{fgraph.__version__}\n"


def test_it_runs_as_a_folder_of_another_project(machine):
    assert machine.shell(script("myproject")) == f"{fgraph.__version__}\n"
    assert (machine.folder / "myproject" / "facts.fgraph").exists()
    assert machine.run("python3", "myproject/fgraph", "version") == f"{fgraph.__version__}\n"


def test_it_runs_as_one_file(machine):
    assert machine.shell(script("zipapp")) == f"{fgraph.__version__}\n"
    packed = machine.folder / "fgraph.pyz"
    assert os.access(packed, os.X_OK)
    machine.run("python3", str(packed), "--db", "one.db", "remember", "from one file")
    machine.run("python3", str(packed), "--db", "one.db", "view", "--output", "one.html")  # its parts are in the zip
    assert b"from one file" in (machine.folder / "one.html").read_bytes()


def test_pip_installs_it_without_an_index(installed):
    machine, shown = installed
    assert shown == f"{fgraph.__version__}\n"
    command = str(machine.folder / "venv" / "bin" / "fgraph")
    machine.run(command, "--db", "pip.db", "remember", "from pip")
    machine.run(command, "--db", "pip.db", "view", "--output", "pip.html")
    assert b"from pip" in (machine.folder / "pip.html").read_bytes()


@pytest.mark.skipif(shutil.which("pipx") is None, reason="pipx is not installed")
def test_pipx_installs_it_without_an_index(machine):
    programs = [machine.env["PATH"], str(Path(shutil.which("pipx")).parent)]
    machine.run("bash", "-euc", script("pipx"), PATH=os.pathsep.join(programs))
    command = Path(machine.env["HOME"]) / ".local" / "bin" / "fgraph"
    assert machine.run(str(command), "version") == f"{fgraph.__version__}\n"


def test_a_wheel_holds_every_file_of_the_package_and_nothing_else(installed):
    machine, _ = installed
    assert machine.shell(script("pip wheel")) == f"{fgraph.__version__}\n"
    (wheel,) = (machine.folder / "wheels").iterdir()
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    package = markdown.ROOT / "fgraph"
    files = {path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert names == {path.relative_to(markdown.ROOT).as_posix() for path in files}


def test_every_block_of_the_page_is_tried_above():
    assert len([block for block in markdown.blocks(PAGE) if block.kind == "sh"]) == 6


@pytest.mark.parametrize("version", OTHER_VERSIONS)
def test_it_runs_on_other_versions_of_python(machine, version):
    python = interpreter(version)
    if python is None:
        pytest.skip(f"Python {version} is not installed")
    launcher = "path/to/fgraph/fgraph.py"
    database = f"{version}.db"
    machine.run(python, launcher, "--db", database, "remember", "We deploy on Thursdays", "--key", "deploy-day")
    assert '"deploy-day"' in machine.run(python, launcher, "--db", database, "--json", "recall", "when do we deploy")
    assert '"ok":true' in machine.run(python, launcher, "--db", database, "--json", "doctor")


def interpreter(version: str) -> str | None:
    """A Python of that version that starts, on the path or among those of pyenv."""
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"))
    for candidate in (*map(str, pyenv), shutil.which(f"python{version}")):
        check = f"import sqlite3, sys; sys.exit('%d.%d' % sys.version_info[:2] != {version!r})"
        if candidate and subprocess.run([candidate, "-c", check], capture_output=True).returncode == 0:
            return candidate
    return None
