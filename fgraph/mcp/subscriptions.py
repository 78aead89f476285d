"""Watched addresses: who asked for which, since when, and what a new transaction means for them."""

from __future__ import annotations

import threading
import time

from fgraph import errors, limits
from fgraph.file import genesis
from fgraph.file.identities import is_attribute
from fgraph.mcp import uris
from fgraph.mcp.protocol import SUBSCRIPTION_KEY
from fgraph.mcp.wire import INTERNAL_ERROR, Fault, notification
from fgraph.read import selectors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fgraph.file.reader import Reader
    from fgraph.mcp.host import Host
    from fgraph.mcp.uris import Address

Head = tuple[str, int]  # the file that is open, and its newest transaction
_SCHEMA_ATTRIBUTES = (*genesis.DECLARATIONS, genesis.SHAPE_REQUIRED, genesis.SHAPE_ALLOWED, genesis.SHAPE_CLOSED)


class Watch:
    """One address for one subscriber; `stream` is the id of a listen request, None for a subscribe request."""

    __slots__ = ("address", "pending", "since", "sent_at", "stream", "uri")

    def __init__(self, stream: str | int | None, uri: str, since: Head | None) -> None:
        self.stream = stream
        self.uri = uri
        self.address = uris.parse(uri)
        self.since = since
        self.pending = False
        self.sent_at = -limits.MCP_UPDATE_SECONDS


class Subscriptions:
    """All watches of a session. The reader adds and removes them, the worker looks for what they wait for."""

    def __init__(self, host: Host, nudge: Callable[[], None]) -> None:
        self._host = host
        self._nudge = nudge
        self._lock = threading.Lock()
        self._watches: dict[tuple[str | int | None, str], Watch] = {}
        self._streams: set[str | int] = set()
        self._head: Head | None = None
        self._head_wanted = False
        self._head_known = threading.Event()

    # -- the reader's side --------------------------------------------------------------------------------------------

    def add(self, uri: str) -> None:
        """`resources/subscribe`."""
        since = self._newest()
        with self._lock:
            if (None, uri) not in self._watches:
                self._check_room()
                self._watches[None, uri] = Watch(None, uri, since)

    def remove(self, uri: str) -> None:
        """`resources/unsubscribe`."""
        with self._lock:
            self._watches.pop((None, uri), None)

    def open_stream(self, stream: str | int, accepted: list[str]) -> list[Watch]:
        """`subscriptions/listen`: reserve the stream; its watches, which `start` sets going."""
        since = self._newest() if accepted else None
        with self._lock:
            self._check_room()
            self._streams.add(stream)
        return [Watch(stream, uri, since) for uri in accepted]

    def start(self, watches: list[Watch]) -> None:
        """Begin to tell about changes, once the stream is acknowledged."""
        with self._lock:
            self._watches.update({(watch.stream, watch.uri): watch for watch in watches})
        self._nudge()

    def close_stream(self, stream: str | int) -> None:
        """Forget a stream with all its watches."""
        with self._lock:
            self._streams.discard(stream)
            for key in [key for key in self._watches if key[0] == stream]:
                del self._watches[key]

    def _check_room(self) -> None:
        subscribed = sum(key[0] is None for key in self._watches)
        if len(self._streams) + subscribed >= limits.MCP_SUBSCRIPTIONS:
            raise Fault(INTERNAL_ERROR, f"Subscription limit reached: {limits.MCP_SUBSCRIPTIONS} are open")

    def _newest(self) -> Head | None:
        """The newest transaction now, asked of the worker; the last one it saw where it is too busy to look."""
        self._head_known.clear()
        self._head_wanted = True
        self._nudge()
        self._head_known.wait(limits.MCP_BASELINE_SECONDS)
        return self._head

    # -- the worker's side --------------------------------------------------------------------------------------------

    def patience(self) -> float | None:
        """Seconds until the next look at the file; None while nobody waits for anything."""
        with self._lock:
            if any(watch.pending for watch in self._watches.values()):
                return limits.MCP_UPDATE_SECONDS
            return limits.MCP_WATCH_SECONDS if self._watches else None

    def look(self, send: Callable[[dict], None]) -> None:
        """Find out what changed and tell those who watch it."""
        with self._lock:
            watches = list(self._watches.values())
        if not watches and not self._head_wanted:
            return
        self._head_wanted = False
        try:
            self._refresh(watches)
        except errors.FGraphError:
            pass  # no file at the moment: nothing to tell
        self._head_known.set()
        for watch in watches:
            self._tell(watch, send)

    def _refresh(self, watches: list[Watch]) -> None:
        with self._host.store().reading() as reader:
            head = self._head = (self._host.fingerprint, reader.basis)
            for watch in watches:
                if watch.since != head:
                    watch.pending = watch.pending or _is_touched(reader, watch, head)
                    watch.since = head

    def _tell(self, watch: Watch, send: Callable[[dict], None]) -> None:
        now = time.monotonic()
        with self._lock:
            still_there = self._watches.get((watch.stream, watch.uri)) is watch
        if not still_there or not watch.pending or now - watch.sent_at < limits.MCP_UPDATE_SECONDS:
            return
        watch.pending, watch.sent_at = False, now
        params: dict = {"uri": watch.uri}
        if watch.stream is not None:
            params["_meta"] = {SUBSCRIPTION_KEY: watch.stream}
        send(notification("notifications/resources/updated", params))


def _is_touched(reader: Reader, watch: Watch, head: Head) -> bool:
    """Whether something in (since, head] changed what the address shows."""
    if watch.since is None or watch.since[0] != head[0]:
        return True  # the file has appeared, or is another one
    since = watch.since[1]
    if watch.address.kind == "changes":
        return True
    if watch.address.kind == "schema":
        return _schema_touched(reader, since)
    return _entity_touched(reader, watch.address, since)


def _schema_touched(reader: Reader, since: int) -> bool:
    fields = ",".join(map(str, _SCHEMA_ATTRIBUTES))
    declared = f"""
        SELECT 1 FROM fgraph_facts INDEXED BY fgraph_avet
        WHERE a IN ({fields}) AND (tx > ? OR rx > ?)
        LIMIT 1
    """
    named = "SELECT name FROM fgraph_ids WHERE created_tx > ? AND name IS NOT NULL"
    if reader.fetch(declared, (since, since)):
        return True
    return any(is_attribute(name) for (name,) in reader.fetch(named, (since,)))


def _entity_touched(reader: Reader, address: Address, since: int) -> bool:
    number = selectors.find(reader, uris.selector(address.name))
    if number is None:
        return False
    sql = """
        SELECT 1 FROM fgraph_facts INDEXED BY fgraph_hist
        WHERE e = ? AND (tx > ? OR rx > ?)
        LIMIT 1
    """
    return bool(reader.fetch(sql, (number, since, since)))
