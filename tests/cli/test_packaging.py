"""The project's frame: what is packed, and that the launcher runs from anywhere (tests/docs installs it)."""

import hashlib
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import fgraph

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.fixture(scope="module")
def backend():
    spec = spec_from_file_location("backend", ROOT / ".packaging" / "backend.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_version_is_said_once_in_two_places():
    assert PROJECT["version"] == fgraph.__version__


def test_nothing_is_needed_at_run_time():
    assert PROJECT["dependencies"] == []


def test_the_wheel_holds_the_package_and_not_the_launcher(backend, tmp_path):
    name = backend.build_wheel(str(tmp_path))
    assert name == f"fgraph-{fgraph.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(tmp_path / name) as archive:
        names = archive.namelist()
        record = archive.read(f"fgraph-{fgraph.__version__}.dist-info/RECORD").decode()
    files = {path for path in (ROOT / "fgraph").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    info = {entry for entry in names if ".dist-info/" in entry}
    assert set(names) - info == {path.relative_to(ROOT).as_posix() for path in files}
    assert {entry.partition(".dist-info/")[2] for entry in info} == {
        "METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE",
    }  # fmt: skip
    assert [line.split(",")[0] for line in record.splitlines()] == names


@pytest.mark.parametrize("hook", ["build_wheel", "build_sdist"])
def test_the_same_source_gives_the_same_bytes(backend, tmp_path, hook):
    digests = []
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        name = getattr(backend, hook)(str(tmp_path / folder))
        digests.append(hashlib.sha256((tmp_path / folder / name).read_bytes()).hexdigest())
    assert digests[0] == digests[1]


def test_the_source_archive_builds_the_same_wheel(backend, tmp_path):
    wheel = backend.build_wheel(str(tmp_path))
    source = backend.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / source) as archive:
        archive.extractall(tmp_path, filter="data")
    unpacked = tmp_path / source.removesuffix(".tar.gz")
    (tmp_path / "again").mkdir()
    code = f"import backend; backend.build_wheel({str(tmp_path / 'again')!r})"
    subprocess.run([sys.executable, "-c", code], cwd=unpacked / ".packaging", check=True)
    assert (tmp_path / "again" / wheel).read_bytes() == (tmp_path / wheel).read_bytes()


def test_the_editable_wheel_points_at_the_checkout(backend, tmp_path):
    name = backend.build_editable(str(tmp_path))
    with zipfile.ZipFile(tmp_path / name) as archive:
        assert archive.read("__editable__.fgraph.pth").decode() == f"{ROOT}\n"


@pytest.mark.parametrize("flags", [[], ["-P"]])
def test_the_launcher_runs_the_package_beside_it(tmp_path, flags):
    for script, folder in ((ROOT / "fgraph.py", tmp_path), ("fgraph.py", ROOT), ("./fgraph.py", ROOT)):
        ran = subprocess.run([sys.executable, *flags, script, "version"], cwd=folder, capture_output=True, text=True)
        assert (ran.returncode, ran.stdout) == (0, f"{fgraph.__version__}\n"), ran.stderr


def test_the_module_runs_as_well():
    ran = subprocess.run([sys.executable, "-m", "fgraph", "version"], cwd=ROOT, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (0, f"{fgraph.__version__}\n")
