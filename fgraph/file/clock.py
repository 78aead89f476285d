"""Where transaction times and event ids come from: arguments, the environment, or the machine."""

import os
import re
import time
from collections.abc import Callable

from fgraph import errors, limits
from fgraph.file import identities
from fgraph.values import instants

CLOCK_VARIABLE = "FGRAPH_CLOCK"
SEED_VARIABLE = "FGRAPH_EVENT_SEED"
DECIMAL = re.compile(r"[+-]?[0-9]{1,19}")


class Clock:
    """Strictly increasing transaction times, in microseconds."""

    def __init__(self, clock: object = None) -> None:
        """`clock` is None (the environment, else the wall clock), an integer, or a callable."""
        self.step = limits.CLOCK_STEP_INJECTED
        if clock is None:
            text = os.environ.get(CLOCK_VARIABLE)
            if text is None:
                self.step = limits.CLOCK_STEP_WALL
                self._sample: Callable[[], object] = _wall_clock
                return
            if not DECIMAL.fullmatch(text):
                raise errors.TypeError(
                    f"{CLOCK_VARIABLE} is {errors.quote(text)}", hint="set it to integer microseconds since 1970"
                )
            clock = int(text)
        if isinstance(clock, int) and not isinstance(clock, bool):
            constant = instants.parse_instant(clock, "clock")
            self._sample = lambda: constant
        elif callable(clock):
            self._sample = clock
        else:
            raise errors.TypeError(
                f"clock is {errors.quote(clock)}", param="clock", hint="give integer microseconds or a callable"
            )

    def sample(self) -> int:
        """The present time of this clock."""
        return instants.parse_instant(self._sample(), "clock")

    def after(self, latest: int) -> int:
        """A time later than `latest`; `TypeError` when there is none before the year 10000."""
        now = self.sample()
        return now if now > latest else instants.parse_instant(latest + self.step, "clock")


class EventIds:
    """Sixteen-byte ids for new transactions."""

    def __init__(self, factory: Callable[[], object] | None = None) -> None:
        if factory is not None and not callable(factory):
            raise errors.TypeError(
                f"event_factory is {errors.quote(factory)}, which cannot be called",
                param="event_factory",
                hint="give a callable such as uuid.uuid4",
            )
        self._factory = factory
        seed = os.environ.get(SEED_VARIABLE) if factory is None else None
        self._seed = None if seed is None else os.fsencode(seed)

    def next(self, tx: int) -> bytes:
        """The id of transaction `tx`: from the factory, from the seed, or random."""
        import hashlib  # loads OpenSSL: not before it is needed

        if self._factory is not None:
            return identities.event_id(self._factory())
        if self._seed is None:
            return identities.stamped(os.urandom(16), 4)
        text = b"fgraph-event/1\0%s\0%d" % (self._seed, tx)
        return identities.stamped(hashlib.sha256(text).digest()[:16], 4)


def _wall_clock() -> int:
    """Microseconds since 1970 by the machine's clock."""
    return time.time_ns() // 1000
