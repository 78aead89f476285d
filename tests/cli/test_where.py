"""Which file a command means, and what is said when it cannot be had."""

import os
import sqlite3

import pytest

needs_permissions = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read and write everything"
)


def add(shell, name: str, *words: str) -> None:
    assert shell.run(*words, "add", f'{{"id":"{name}"}}').status == 0


def names_in(shell, path: str) -> set[str]:
    rows = sqlite3.connect(shell.folder / path).execute("SELECT name FROM fgraph_ids WHERE id > 64")
    return {name for (name,) in rows if name}


def test_the_option_beats_the_environment_and_that_beats_the_default(shell):
    shell.env["FGRAPH_DB"] = "env.db"
    add(shell, "by-env")
    add(shell, "by-global", "--db", "global.db")
    assert shell.run("--db", "global.db", "add", '{"id":"by-local"}', "--db", "local.db").status == 0
    del shell.env["FGRAPH_DB"]
    add(shell, "by-default")
    found = {path: names_in(shell, path) for path in ("env.db", "global.db", "local.db", "facts.fgraph")}
    assert found == {
        "env.db": {"by-env"}, "global.db": {"by-global"}, "local.db": {"by-local"}, "facts.fgraph": {"by-default"},
    }  # fmt: skip


def test_an_old_default_stays_in_use_until_the_new_one_exists(shell):
    shell.run("--db", "fgraph.db", "init")
    add(shell, "old")
    assert not (shell.folder / "facts.fgraph").exists()
    shell.run("--db", "facts.fgraph", "init")
    add(shell, "new")
    assert (names_in(shell, "fgraph.db"), names_in(shell, "facts.fgraph")) == ({"old"}, {"new"})


@pytest.mark.parametrize("content", [b"", b"plain text, and enough of it to look at " * 20], ids=["empty", "text"])
def test_beside_an_old_default_a_new_one_that_is_no_database_stops_everything(shell, content):
    shell.run("--db", "fgraph.db", "init")
    path = shell.write("facts.fgraph", content)
    for words in (["info"], ["add", "{}"]):
        ran = shell.run(*words)
        assert ran.status == 1
        assert ran.err.startswith("FormatError: facts.fgraph is not an fgraph database")
        assert "--db facts.fgraph or --db fgraph.db" in ran.err
    assert path.read_bytes() == content


def test_a_dangling_link_counts_as_a_file(shell):
    (shell.folder / "fgraph.db").symlink_to("nowhere/at-all.db")
    assert shell.run("info").err.startswith(("FormatError: ", "NotFound: "))
    assert not (shell.folder / "facts.fgraph").exists()


@pytest.mark.parametrize("words", [["--db", "", "info"], ["info", "--db", ""], ["init", "--db="]])
def test_an_empty_path_is_refused(shell, words):
    ran = shell.run(*words)
    assert (ran.status, ran.err) == (
        1, "FormatError: the database path is empty; give --db a file name, or unset FGRAPH_DB for facts.fgraph\n",
    )  # fmt: skip


def test_the_home_folder_is_meant_in_every_mode(shell, tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    shell.env["HOME"] = str(home)
    for words in (["init"], ["add", '{"id":"a"}'], ["get", "a"], ["info"], ["doctor", "--repair"]):
        ran = shell.run("--db", "~/m.db", *words)
        assert (ran.status, ran.err) == (0, "")
    assert (home / "m.db").exists()
    assert list(shell.folder.iterdir()) == []


@pytest.mark.parametrize("name", ["with space.db", "a?b#c%41.db", "née.db", "file:x.db"])
def test_a_path_is_taken_as_it_is(shell, name):
    add(shell, "a", "--db", name)
    assert shell.run("--db", name, "get", "a").status == 0
    assert name in os.listdir(shell.folder)


def test_messages_show_the_absolute_path(shell):
    assert str(shell.folder / "none.db") in shell.run("--db", "./none.db", "info").err
    assert str(shell.folder / "none.db") in shell.run("--db", "./none.db", "retract", "a").err


def test_a_database_in_memory_can_be_written_but_not_found_again(shell):
    assert shell.run("--db", ":memory:", "--json", "init").json["size"] == 0
    assert shell.run("--db", ":memory:", "retract", "a").status == 0
    assert shell.run("--db", ":memory:", "info").err.startswith("ReadOnly: ")
    assert list(shell.folder.iterdir()) == []


def test_a_new_file_is_private(shell):
    shell.run("init")
    assert (shell.folder / "facts.fgraph").stat().st_mode & 0o777 == 0o600


@needs_permissions
def test_permissions_are_named(shell):
    shell.run("--db", "s.db", "init")
    path = shell.folder / "s.db"
    path.chmod(0o444)
    assert shell.run("--db", "s.db", "add", '{"id":"a"}').err.startswith("ReadOnly: ")
    path.chmod(0)
    assert shell.run("--db", "s.db", "info").err.startswith("FormatError: ")
