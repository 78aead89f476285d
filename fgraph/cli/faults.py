"""What goes wrong, as one line on standard error and an exit status."""

import os
import sys

from fgraph import errors
from fgraph.cli import machine
from fgraph.cli.call import suits_colour

TYPED, USAGE, INTERRUPTED, TERMINATED = 1, 2, 130, 143

# What to do with input of which a part is committed.
GOES_ON = "when this is mended, the same command goes on from there"
WOULD_REPEAT = "remove the lines that are committed before you run it again"


class Terminated(KeyboardInterrupt):
    """SIGTERM arrived; like Ctrl-C, with another exit status."""


def report(fault: BaseException, *, as_json: bool) -> int:
    """Say what happened and give the exit status. With `as_json` a second line holds the same as an object."""
    from fgraph.cli.layout import clean  # only a fault needs it, and only tables besides

    error = _typed(fault)
    if os.environ.get("FGRAPH_DEBUG") == "1":
        import traceback  # loaded for those who look for a fault of ours

        machine.complain("".join(traceback.format_exception(fault)))
    name = "InternalError" if error is None else type(error).__name__
    message = f"{type(fault).__name__}: {fault}; FGRAPH_DEBUG=1 shows where" if error is None else str(error)
    machine.complain(f"{_painted(name)}: {errors.clip(clean(message))}\n")
    if as_json:
        machine.complain(_as_object(name, error, message))
    return TYPED


def with_committed(fault: errors.FGraphError, what: str, advice: str) -> errors.FGraphError:
    """The same fault, whose hint also says what of the input is committed, and how the rest can follow."""
    hint = "; ".join(filter(None, [fault.hint, f"committed before it: {what}", advice]))
    return type(fault)(fault.message, code=fault.code, param=fault.param, hint=hint)


def interrupted(fault: KeyboardInterrupt, changed: str) -> int:
    """The status after Ctrl-C or SIGTERM, having said what is committed."""
    machine.complain(f"Interrupted: {changed}\n")
    return TERMINATED if isinstance(fault, Terminated) else INTERRUPTED


def _typed(fault: BaseException) -> errors.FGraphError | None:
    """The typed form of a fault, or None for one that is a bug of ours."""
    import sqlite3  # some commands never open a file

    if isinstance(fault, errors.FGraphError):
        return fault
    if isinstance(fault, machine.OutputError):
        return errors.FormatError(f"standard output cannot be written: {fault}", hint="send the output elsewhere")
    if isinstance(fault, MemoryError):
        return errors.TooLarge("there is not enough memory", hint="send smaller pieces, for example with --batch-size")
    if isinstance(fault, RecursionError):
        return errors.TooLarge("the input is nested too deep", hint="flatten it")
    if isinstance(fault, sqlite3.Error):
        return errors.FormatError(f"SQLite says: {fault}", hint="run doctor on the file")
    if isinstance(fault, OSError):
        where = f": {fault.filename}" if fault.filename else ""
        return errors.FormatError(
            f"{fault.strerror or fault}{where}", hint="check the path, its permissions and free space"
        )
    return None


def _painted(name: str) -> str:
    """The type in bold red where standard error is a colour terminal; the text stays the same."""
    return f"\x1b[1;31m{name}\x1b[0m" if suits_colour(sys.stderr) else name


def _as_object(name: str, error: errors.FGraphError | None, message: str) -> str:
    import json  # loaded when an object is asked for

    fields = {
        "type": name,
        "code": error.code if error else "internal",
        "message": errors.clip(error.message if error else message),
        "hint": error.hint if error else None,
        "param": error.param if error else None,
    }
    known = {key: value for key, value in fields.items() if value is not None}
    return json.dumps({"error": known, "ok": False}, separators=(",", ":"), sort_keys=True) + "\n"
