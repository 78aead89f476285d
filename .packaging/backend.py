"""PEP 517 and PEP 660 build hooks of standard library alone, so that `pip install .` needs no package index."""

import base64
import gzip
import hashlib
import io
import os
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "fgraph"
SOURCE_ROOTS = (PACKAGE, "docs", "tests", ".packaging", "pyproject.toml", "README.md", "LICENSE", "fgraph.py")
SKIPPED = ("__pycache__", ".pytest_cache", ".ruff_cache")
EPOCH = 315_532_800  # seconds: 1980-01-01, the first day a zip file can express
FILE_MODE = 0o644


def get_requires_for_build_wheel(config_settings=None):
    return []


get_requires_for_build_sdist = get_requires_for_build_wheel
get_requires_for_build_editable = get_requires_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    files = {name: (ROOT / name).read_bytes() for name in _files(PACKAGE)}
    return _write_wheel(Path(wheel_directory), files)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(Path(wheel_directory), {f"__editable__.{PACKAGE}.pth": f"{ROOT}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    base = f"{project['name']}-{project['version']}"
    files = {name: (ROOT / name).read_bytes() for root in SOURCE_ROOTS for name in _files(root)}
    files["PKG-INFO"] = _metadata(project).encode()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size, entry.mtime, entry.mode = len(content), _timestamp(), FILE_MODE
            archive.addfile(entry, io.BytesIO(content))
    target = Path(sdist_directory) / f"{base}.tar.gz"
    with target.open("wb") as out, gzip.GzipFile("", "wb", fileobj=out, mtime=0) as zipped:
        zipped.write(packed.getvalue())
    return target.name


def _project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _files(root):
    """Paths under `root`, relative to the project, with forward slashes, in a fixed order."""
    start = ROOT / root
    found = [start] if start.is_file() else sorted(start.rglob("*"))
    wanted = [path for path in found if path.is_file() and not set(path.parts) & set(SKIPPED)]
    return [path.relative_to(ROOT).as_posix() for path in wanted if path.suffix != ".pyc"]


def _timestamp():
    return max(EPOCH, int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH)))


def _metadata(project):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Author: {project['authors'][0]['name']}",
        f"License-Expression: {project['license']}",
        *(f"License-File: {name}" for name in project["license-files"]),
        f"Keywords: {','.join(project['keywords'])}",
        *(f"Classifier: {name}" for name in project["classifiers"]),
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {name}" for name in project["dependencies"]),
    ]
    for extra, wanted in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines.extend(f'Requires-Dist: {name}; extra == "{extra}"' for name in wanted)
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + (ROOT / project["readme"]).read_text(encoding="utf-8")


def _write_wheel(directory, files):
    project = _project()
    stem = f"{project['name']}-{project['version']}"
    info = f"{stem}.dist-info"
    scripts = "".join(f"{name} = {target}\n" for name, target in sorted(project["scripts"].items()))
    files = files | {
        f"{info}/METADATA": _metadata(project).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: fgraph-backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{scripts}".encode(),
        **{f"{info}/licenses/{name}": (ROOT / name).read_bytes() for name in project["license-files"]},
    }
    record = "".join(f"{name},sha256={_digest(content)},{len(content)}\n" for name, content in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    target = directory / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, time.gmtime(_timestamp())[:6])
            entry.external_attr = (0o100000 | FILE_MODE) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return target.name


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
