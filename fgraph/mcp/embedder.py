"""The local embedding command: one bounded child process a text, without a shell, killed with all it started."""

from __future__ import annotations

import math
import os
import time

from fgraph import errors, limits
from fgraph.values.canonical import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable


def parse_command(command: str) -> list[str]:
    """The argument vector of an embedding command: a JSON array of strings, or the name of one executable."""
    command = command.strip()
    if not command:
        raise _failed("the embedding command is empty")
    if not command.startswith("["):
        argv: object = [command]
    else:
        try:
            argv = parse_json(command, "the embedding command")
        except errors.FGraphError as fault:
            raise _failed(fault.message) from None
    if not isinstance(argv, list) or not argv or not all(isinstance(part, str) and part for part in argv):
        raise _failed("the embedding command must be a JSON array of non-empty strings")
    if any("\0" in part for part in argv):
        raise _failed("the embedding command holds a NUL character")
    return argv


class Embedder:
    """Runs the command; `kill` may be called from another thread or a signal handler.

    `stopped` is asked all the time while the command runs; once it says yes, the command is killed.
    """

    def __init__(self, command: str, stopped: Callable[[], bool] = lambda: False) -> None:
        self._command = command
        self._stopped = stopped
        self._starting = False
        self._child: subprocess.Popen | None = None
        self._known: dict[str, list[float]] = {}

    def fault(self) -> str | None:
        """What is wrong with the form of the command, if anything."""
        try:
            parse_command(self._command)
        except errors.FGraphError as fault:
            return fault.message
        return None

    def query(self, text: str) -> list[float]:
        """The vector of a query; the last few are kept."""
        vector = self._known.pop(text, None) or self.embed(text)
        self._known[text] = vector
        while len(self._known) > limits.EMBED_CACHE:
            del self._known[next(iter(self._known))]
        return vector

    def embed(self, text: str) -> list[float]:
        """The vector of one text, in float32 precision."""
        argv = parse_command(self._command)
        return parse_vector(self._output(argv, text.encode("utf-8")))

    def kill(self, patience: float = 0.0) -> None:
        """End the running command, if any, with its whole process group.

        With `patience` (seconds) a command that is just being started is waited for, so that none is left behind.
        """
        give_up = time.monotonic() + patience
        while self._starting and time.monotonic() < give_up:
            time.sleep(limits.EMBED_POLL_SECONDS / 10)
        child = self._child
        if child is not None:
            _kill_group(child)

    def _output(self, argv: list[str], text: bytes) -> bytes:
        self._starting = True
        try:
            child = self._child = _start(argv)
        finally:
            self._starting = False
        try:
            talk = _Talk(child, text, self._stopped)
            return talk.run()
        finally:
            _kill_group(child)
            self._child = None
            child.wait()
            for pipe in (child.stdin, child.stdout):
                pipe.close()


class _Talk:
    """The exchange with one child: feed its input, collect its output, watch the clock."""

    def __init__(self, child: subprocess.Popen, text: bytes, stopped: Callable[[], bool]) -> None:
        self._child = child
        self._text = memoryview(text)
        self._stopped = stopped
        self._out: list[bytes] = []
        self._size = 0
        self._deadline = time.monotonic() + limits.EMBED_SECONDS

    def run(self) -> bytes:
        import selectors  # with subprocess: loaded when the first text is embedded

        child = self._child
        drained_at = math.inf
        with selectors.DefaultSelector() as ready:
            for pipe in (child.stdin, child.stdout):
                os.set_blocking(pipe.fileno(), False)
            ready.register(child.stdout, selectors.EVENT_READ)
            if self._text:
                ready.register(child.stdin, selectors.EVENT_WRITE)
            else:
                child.stdin.close()
            while child.stdout in ready.get_map():
                self._check_time()
                for key, _ in ready.select(limits.EMBED_POLL_SECONDS):
                    if not self._move(key.fileobj):
                        ready.unregister(key.fileobj)
                if child.poll() is not None:
                    # What it started may keep the pipe open: take what is there, and do not wait for more.
                    drained_at = min(drained_at, time.monotonic() + limits.EMBED_DRAIN_SECONDS)
                    if not ready.select(0) or time.monotonic() >= drained_at:
                        break
        return self._finish()

    def _move(self, pipe: object) -> bool:
        """Write or read once; False when this direction is done."""
        if pipe is self._child.stdin:
            return self._feed()
        chunk = os.read(pipe.fileno(), limits.EMBED_READ_BYTES)
        self._size += len(chunk)
        if self._size > limits.EMBED_OUTPUT_BYTES:
            raise _failed(f"the embedding command wrote more than {limits.EMBED_OUTPUT_BYTES} bytes")
        self._out.append(chunk)
        return bool(chunk)

    def _feed(self) -> bool:
        pipe = self._child.stdin
        try:
            self._text = self._text[os.write(pipe.fileno(), self._text[: limits.EMBED_READ_BYTES]) :]
        except BlockingIOError:
            return True
        except BrokenPipeError:
            self._text = self._text[:0]
        if not self._text:
            pipe.close()
        return bool(self._text)

    def _check_time(self) -> None:
        if self._stopped():
            raise errors.QueryError("the call was cancelled", code="cancelled")
        if time.monotonic() >= self._deadline:
            raise errors.TypeError(
                f"the embedding command took more than {limits.EMBED_SECONDS:.0f} seconds",
                code="embedder_timeout",
                hint="Send the identical request again, or tell the user.",
            )

    def _finish(self) -> bytes:
        while self._child.poll() is None:
            self._check_time()
            time.sleep(limits.EMBED_POLL_SECONDS / 10)
        output = b"".join(self._out)
        _decode(output)
        code = self._child.returncode
        if code:
            ended = f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"
            raise _failed(f"the embedding command {ended}")
        return output


def _start(argv: list[str]) -> subprocess.Popen:
    import subprocess  # slow to load, and most servers never embed

    try:
        return subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            close_fds=True,
            start_new_session=True,
            bufsize=0,
        )
    except (OSError, ValueError) as fault:
        reason = getattr(fault, "strerror", None) or "it is not a program"
        raise _failed(
            f"the embedding command {errors.quote(argv[0])} did not start: {reason}"
            + ('; with arguments it is written ["program", "argument"]' if len(argv) == 1 and " " in argv[0] else "")
        ) from None


def _kill_group(child: subprocess.Popen) -> None:
    import signal

    try:
        if hasattr(os, "killpg"):
            os.killpg(child.pid, signal.SIGKILL)
        else:
            child.kill()
    except OSError:
        pass  # all gone already


def parse_vector(output: bytes) -> list[float]:
    """The vector an embedding command printed: one JSON array of finite numbers, rounded to float32."""
    import array

    try:
        found = parse_json(_decode(output), "the output of the embedding command")
    except errors.TypeError as fault:
        raise _failed(fault.message) from None
    if not isinstance(found, list) or not found:
        raise _failed("the embedding command printed no JSON array of numbers")
    for number in found:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise _failed("the embedding command printed something else than numbers")
    try:
        rounded = list(array.array("f", found))
    except OverflowError:
        rounded = [math.inf]
    if not all(map(math.isfinite, rounded)):
        raise _failed("the embedding command printed a number beyond the range of float32")
    return rounded


def _decode(output: bytes) -> str:
    try:
        return output.decode("utf-8")
    except UnicodeDecodeError:
        raise _failed("the embedding command printed bytes that are not UTF-8") from None


def _failed(message: str) -> errors.TypeError:
    return errors.TypeError(message, code="embedder_failed", hint="Tell the user to check the --embed-cmd option.")
