"""From the words to the exit status: parse, run the command's handler, print its outcome, report what goes wrong."""

from collections.abc import Callable
from importlib import import_module

from fgraph import errors
from fgraph.cli import faults, machine
from fgraph.cli.call import Call, Outcome
from fgraph.cli.parse import Parsed, UsageError, parse
from fgraph.cli.table import WRITES, Command

CLOSED_PIPE = 1


def run(words: list[str]) -> int:
    """Run one command line and return its exit status; nothing is raised."""
    as_json = False
    try:
        parsed = parse([machine.decoded(word) for word in words])
        as_json = bool(parsed.values.get("json"))
        if parsed.command is None or parsed.wants_help:
            return _root_request(parsed)
        return _command(Call(parsed))
    except UsageError as fault:
        return _usage_error(words, fault)
    except machine.OutputError as fault:
        return CLOSED_PIPE if fault.closed else faults.report(fault, as_json=as_json)
    except KeyboardInterrupt as fault:
        return faults.interrupted(fault, "nothing was changed")
    except Exception as fault:
        return faults.report(fault, as_json=as_json)


def _command(call: Call) -> int:
    command = call.command
    terms: list[int] = []
    try:
        if command.access == WRITES:
            _end_on_sigterm(terms)
        outcome = _handler(command)(call)
        return _print(call, outcome)
    except UsageError as fault:
        raise UsageError(str(fault), fault.command or command) from None
    except KeyboardInterrupt as fault:
        # What comes while SQLite works is swallowed there, and only an interrupt is left of it.
        return faults.interrupted(faults.Terminated() if terms else fault, call.changed)


def _handler(command: Command) -> Callable[[Call], Outcome | int | None]:
    module, _, name = command.handler.partition(":")
    return getattr(import_module(f"fgraph.cli.commands.{module}"), name)


def _print(call: Call, outcome: Outcome | int | None) -> int:
    """Print what a handler answered; one that has printed by itself gives only a status, or nothing."""
    if not isinstance(outcome, Outcome):
        return outcome or 0
    style = call.style
    if style == "table" and outcome.view is not None:
        lines = outcome.view.lines(call.screen())
        machine.write("".join(f"{line}\n" for line in lines))
    else:
        machine.write(machine.rendered(outcome.value, "json" if style == "json" else "indent"))
    return outcome.status


def _root_request(parsed: Parsed) -> int:
    if parsed.values.get("version"):
        from fgraph import __version__

        machine.write(f"{__version__}\n")
    elif parsed.values.get("help"):
        from fgraph.cli import usage

        machine.write(usage.command_help(parsed.command) if parsed.command else usage.root_help())
    else:
        from fgraph.cli import completion

        install = bool(parsed.values.get("install_completion"))
        machine.write(completion.root_request(parsed.values["shell"], install=install))
    return 0


def _usage_error(words: list[str], fault: UsageError) -> int:
    from fgraph.cli import usage
    from fgraph.cli.layout import clean

    if not words:
        machine.write(usage.root_help())
    else:
        machine.complain(usage.usage_error(errors.clip(clean(str(fault))), fault.command))
    return faults.USAGE


def _end_on_sigterm(terms: list[int]) -> None:
    """Let SIGTERM end the command like Ctrl-C; each one that comes is noted in `terms`."""
    import signal  # reading commands do without it

    def stop(signum: int, frame: object) -> None:
        terms.append(signum)
        raise faults.Terminated

    signal.signal(signal.SIGTERM, stop)
