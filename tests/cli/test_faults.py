"""What goes wrong inside, as it is told outside."""

import json
import sqlite3

import pytest

from fgraph import errors
from fgraph.cli import faults, machine


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (errors.NotFound("no such entity", hint="check the spelling"), "NotFound: no such entity; check the spelling"),
        (sqlite3.DatabaseError("disk image is malformed"), "FormatError: SQLite says: disk image is malformed; "),
        (OSError(28, "No space left on device"), "FormatError: No space left on device"),
        (PermissionError(13, "Permission denied", "/x"), "FormatError: Permission denied: /x"),
        (MemoryError(), "TooLarge: there is not enough memory; "),
        (RecursionError("deep"), "TooLarge: the input is nested too deep; "),
        (machine.OutputError("No space left on device", False), "FormatError: standard output cannot be written: No "),
        (KeyError("x"), "InternalError: KeyError: 'x'; FGRAPH_DEBUG=1 shows where"),
    ],
)
def test_every_fault_is_one_line_with_a_type(fault, said, capsysbinary):
    assert faults.report(fault, as_json=False) == 1
    out, err = capsysbinary.readouterr()
    assert (out, err.count(b"\n")) == (b"", 1)
    assert err.decode().startswith(said)


def test_the_object_of_json_mode_has_all_that_is_known(capsysbinary):
    known = {"code": "stale_basis", "param": "if_basis_tx", "hint": "read again"}
    faults.report(errors.Conflict("stale\x1b", **known), as_json=True)
    line, record = capsysbinary.readouterr().err.decode().splitlines()
    assert line == "Conflict: stale\\u001b; read again"
    assert json.loads(record) == {"ok": False, "error": {"type": "Conflict", "message": "stale\x1b", **known}}
    assert "\x1b" not in record


def test_a_long_message_is_clipped(capsysbinary):
    faults.report(errors.TypeError("x" * 10_000), as_json=False)
    assert len(capsysbinary.readouterr().err) < 600


def test_the_place_is_shown_when_asked_for(capsysbinary, monkeypatch):
    monkeypatch.setenv("FGRAPH_DEBUG", "1")
    try:
        raise KeyError("x")
    except KeyError as fault:
        faults.report(fault, as_json=False)
    assert b"Traceback" in capsysbinary.readouterr().err


@pytest.mark.parametrize(
    ("fault", "status"), [(KeyboardInterrupt(), 130), (faults.Terminated(), 143)], ids=["Ctrl-C", "SIGTERM"]
)
def test_an_interruption_says_what_is_committed(fault, status, capsysbinary):
    assert faults.interrupted(fault, "nothing was changed") == status
    assert capsysbinary.readouterr().err == b"Interrupted: nothing was changed\n"


def test_without_a_standard_error_the_status_is_the_same(monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    assert faults.report(errors.NotFound("gone"), as_json=True) == 1
