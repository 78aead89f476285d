"""Files that are made beside their place, and what killed processes leave of that."""

import os
import re
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fgraph.file import making


@contextmanager
def another_process(target: Path, *side_files: str) -> Iterator[None]:
    """A process that is making a file as long as this lasts; then it is killed."""
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with making.beside(str(target)) as content:
                for suffix in side_files:
                    Path(content + suffix).write_bytes(b"x")
                os.write(send, b"r")
                signal.pause()
        finally:
            os._exit(1)
    os.close(send)
    assert os.read(receive, 1) == b"r"
    os.close(receive)
    try:
        yield
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_the_file_is_private_and_its_folder_goes_with_the_work(tmp_path):
    with making.beside(str(tmp_path / "copy.db")) as content:
        (folder,) = names(tmp_path)
        assert re.fullmatch(r"\.copy\.db\.fgraph-[0-9a-f]{16}\.tmp", folder)
        assert stat.S_IMODE((tmp_path / folder).stat().st_mode) == 0o700
        assert stat.S_IMODE(os.stat(content).st_mode) == 0o600
        assert os.path.getsize(content) == 0
        Path(content + "-wal").write_bytes(b"x")
        os.rename(content, tmp_path / "copy.db")
    assert names(tmp_path) == ["copy.db"]


def test_an_error_in_the_work_leaves_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt), making.beside(str(tmp_path / "copy.db")):
        raise KeyboardInterrupt
    assert names(tmp_path) == []


def test_what_a_killed_process_left_goes_when_the_next_file_is_made_in_the_folder(tmp_path):
    with another_process(tmp_path / "copy.db", "-wal", "-shm", "-journal"):
        assert len(names(tmp_path)) == 1
    assert len(names(tmp_path)) == 1
    with making.beside(str(tmp_path / "other.db")):
        assert [name[:16] for name in names(tmp_path)] == [".other.db.fgraph"]


def test_what_a_living_process_makes_stays(tmp_path):
    with another_process(tmp_path / "copy.db", "-wal"):
        before = names(tmp_path)
        with making.beside(str(tmp_path / "copy.db")):
            pass
        assert names(tmp_path) == before
        assert names(tmp_path / before[0]) == ["content", "content-wal", "lock"]


@pytest.mark.parametrize(
    "name",
    [
        ".copy.db.0123456789abcdef.tmp",
        ".copy.db.fgraph-0123456789abcde.tmp",
        ".copy.db.fgraph-0123456789ABCDEF.tmp",
        "copy.db.fgraph-0123456789abcdef.tmp",
        ".copy.db.fgraph-0123456789abcdef.tmp.bak",
    ],
)
def test_a_folder_of_another_name_is_not_touched(tmp_path, name):
    (tmp_path / name).mkdir()
    (tmp_path / name / "lock").touch()
    with making.beside(str(tmp_path / "copy.db")):
        pass
    assert names(tmp_path) == [name]
    assert names(tmp_path / name) == ["lock"]


LEFT = ".copy.db.fgraph-0123456789abcdef.tmp"


def test_only_files_that_were_made_here_are_removed_from_a_folder(tmp_path):
    folder = tmp_path / LEFT
    folder.mkdir()
    for name in ("content", "lock", "letter.txt"):
        (folder / name).touch()
    with making.beside(str(tmp_path / "copy.db")):
        pass
    assert names(folder) == ["letter.txt"]


@pytest.mark.parametrize("content", [[], ["content"]], ids=["empty", "with a file"])
def test_a_folder_without_a_lock_goes_if_it_is_empty(tmp_path, content):
    folder = tmp_path / LEFT
    folder.mkdir()
    for name in content:
        (folder / name).touch()
    with making.beside(str(tmp_path / "copy.db")):
        pass
    assert names(tmp_path) == ([LEFT] if content else [])


def test_links_and_files_of_that_name_are_not_touched(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("content", "lock"):
        (elsewhere / name).touch()
    place = tmp_path / "place"
    place.mkdir()
    (place / LEFT).symlink_to(elsewhere)
    (place / LEFT.replace("0", "a")).touch()
    with making.beside(str(place / "copy.db")):
        pass
    assert names(place) == [LEFT, LEFT.replace("0", "a")]
    assert names(elsewhere) == ["content", "lock"]


def test_a_long_name_is_shown_in_part(tmp_path):
    with making.beside(str(tmp_path / ("a" + "é" * 30))) as content:
        assert os.path.basename(os.path.dirname(content)).startswith(".a" + "é" * 15 + ".fgraph-")
