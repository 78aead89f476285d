"""Files, and second processes, that several tests of this room need."""

import sqlite3
import subprocess
import sys
from pathlib import Path

from tests.compiled import cached_environment

ROOT = Path(__file__).resolve().parents[2]
GENESIS_AT = 1_767_225_600_000_000  # 2026-01-01T00:00:00Z
NOBODY = 65_534


def rows(path: object, sql: str) -> list[tuple]:
    """What another program reads from the file."""
    connection = sqlite3.connect(path)
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.close()


def change(path: object, *statements: str) -> None:
    """Change the file as another program would."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for sql in statements:
            connection.execute(sql)
    finally:
        connection.close()


def start(program: str, *arguments: object, **options: object) -> subprocess.Popen:
    """A second Python process; it talks over its pipes, one line at a time."""
    environment = {**cached_environment(), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
        **options,
    )


def run(program: str, *arguments: object) -> str:
    """The output of a second Python process that ends by itself."""
    process = start(program, *arguments)
    output, _ = process.communicate(timeout=30)
    assert process.returncode == 0, output
    return output


def run_as_nobody(program: str, *arguments: object) -> str:
    """As `run`, as a user to whom permissions apply."""
    drop = f"import os\nif os.getuid() == 0:\n    os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})\n"
    # Loaded beforehand: the interpreter's own folder may be closed to that user.
    load = "import hashlib, sqlite3, sys, fgraph, fgraph.database, fgraph.read.stats, fgraph.write.transact\n"
    return run(f"{load}{drop}{program}", *arguments)
