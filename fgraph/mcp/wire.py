"""JSON-RPC 2.0 as lines of bytes: framing, reading, ids and error objects, with no idea of any method."""

from __future__ import annotations

import json

from fgraph import limits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
UNSUPPORTED_VERSION = -32022

NO_ID = object()  # the id of an error for a line whose id cannot be read: the member is left out

_BLANK = b" \t\r"
_MARK = b"\xef\xbb\xbf"
# Legal inside JSON text, but some line readers take them for line ends.
_LINE_SEPARATORS = (("\u2028", "\\u2028"), ("\u2029", "\\u2029"), ("\u0085", "\\u0085"))


class Fault(Exception):
    """A JSON-RPC error that goes back to the caller."""

    def __init__(self, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data


class Request:
    """A call that wants an answer under its id."""

    __slots__ = ("id", "method", "params")

    def __init__(self, id: str | int, method: str, params: dict) -> None:
        self.id = id
        self.method = method
        self.params = params


class Notification:
    """A message that is never answered."""

    __slots__ = ("method", "params")

    def __init__(self, method: str, params: dict) -> None:
        self.method = method
        self.params = params


class Refusal:
    """A message that is no request, with the error its sender gets."""

    __slots__ = ("fault", "id")

    def __init__(self, id: object, code: int, message: str) -> None:
        self.id = id
        self.fault = Fault(code, message)


class Repeated(dict):
    """An object whose text held one key twice; the last value stands, `key` tells which."""

    key = ""


class Lines:
    """Cuts a stream of bytes at line feeds and never holds more than one line of the allowed length."""

    def __init__(self, limit: int = limits.MCP_LINE_BYTES) -> None:
        self._limit = limit
        self._parts: list[bytes] = []
        self._size = 0
        self._skipping = False
        self._first = True

    def feed(self, chunk: bytes) -> Iterator[bytes | None]:
        """The lines completed by `chunk`, without line feeds; None stands for a line that is too long."""
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            yield from self._add(chunk[start:end])
            if not self._skipping:
                yield self._take()
            self._skipping = False
            start = end + 1
        yield from self._add(chunk[start:])

    def rest(self) -> bytes | None:
        """What stands after the last line feed when the stream ends."""
        return self._take() if self._parts else None

    def _add(self, part: bytes) -> Iterator[None]:
        if self._skipping:
            return
        self._parts.append(part)
        self._size += len(part)
        if self._size > self._limit:
            self._take()
            self._skipping = True
            yield None

    def _take(self) -> bytes:
        line = b"".join(self._parts)
        self._parts.clear()
        self._size = 0
        if self._first:
            self._first = False
            line = line.removeprefix(_MARK)
        return line


def blank(line: bytes) -> bool:
    """True for a line that holds nothing but white space."""
    return not line.strip(_BLANK)


def parse(line: bytes) -> object:
    """The JSON value of one line; `Fault` with the parse error code where it is not JSON."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        raise Fault(PARSE_ERROR, "Parse error: the line is not UTF-8") from None
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except RecursionError:
        raise Fault(PARSE_ERROR, "Parse error: the line is nested too deeply") from None
    except ValueError:
        raise Fault(PARSE_ERROR, "Parse error: the line is not JSON") from None


def _object(pairs: list[tuple[str, object]]) -> dict:
    found = dict(pairs)
    if len(found) == len(pairs):
        return found
    marked = Repeated(found)
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            marked.key = key
            break
        seen.add(key)
    return marked


def _no_constant(name: str) -> None:
    raise ValueError(name)


def maybe_unpaired(line: bytes) -> bool:
    """True where `line` may hold an unpaired surrogate: only an escape can bring one in."""
    return b"\\ud" in line or b"\\uD" in line


def unpaired(value: object) -> bool:
    """True where some text inside `value` holds an unpaired surrogate."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if not _encodable(item):
                return True
        elif isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
    return False


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def valid_id(value: object) -> bool:
    """A string or an integer; JSON true and 1.0 are neither."""
    if isinstance(value, str):
        return _encodable(value)
    return isinstance(value, int) and not isinstance(value, bool)


def read(value: object, suspicious: bool = False) -> Request | Notification | Refusal | None:
    """What one JSON value is; None for messages that need no reaction.

    `suspicious` says that the text may hold unpaired surrogates, so that its strings must be walked.
    """
    if not isinstance(value, dict):
        return Refusal(NO_ID, INVALID_REQUEST, "Invalid request: a message is a JSON object")
    if "method" not in value and ("result" in value or "error" in value):
        return None
    if "id" not in value:
        return _read_notification(value)
    ident = value["id"]
    if not valid_id(ident):
        return Refusal(NO_ID, INVALID_REQUEST, "Invalid request: id must be a string or an integer")
    if value.get("jsonrpc") != "2.0":
        return Refusal(ident, INVALID_REQUEST, 'Invalid request: jsonrpc must be "2.0"')
    return _read_request(ident, value, suspicious)


def _read_notification(value: dict) -> Notification | Refusal | None:
    if "method" not in value:
        return Refusal(NO_ID, INVALID_REQUEST, "Invalid request: method is missing")
    method = value["method"]
    params = value.get("params")
    if value.get("jsonrpc") != "2.0" or not isinstance(method, str) or not isinstance(params, dict | None):
        return None
    return Notification(method, params or {})


def _read_request(ident: str | int, value: dict, suspicious: bool) -> Request | Refusal:
    method = value.get("method")
    if not isinstance(method, str):
        wrong = "is missing" if "method" not in value else "must be a string"
        return Refusal(ident, INVALID_REQUEST, f"Invalid request: method {wrong}")
    if not _encodable(method):
        return Refusal(NO_ID, INVALID_REQUEST, "Invalid request: method holds an unpaired surrogate")
    params = value.get("params")
    if params is None:
        params = {}
    if not isinstance(params, dict):
        return Refusal(ident, INVALID_PARAMS, "Invalid params: params must be an object")
    if suspicious and unpaired(params):
        return Refusal(ident, INVALID_PARAMS, "Invalid params: a text holds an unpaired surrogate")
    return Request(ident, method, params)


def result(ident: str | int, value: dict) -> dict:
    """The answer to a request."""
    return {"jsonrpc": "2.0", "id": ident, "result": value}


def error(ident: object, fault: Fault) -> dict:
    """The error answer to a request; without `id` where that could not be read."""
    body: dict[str, object] = {"code": fault.code, "message": fault.message}
    if fault.data is not None:
        body["data"] = fault.data
    message: dict[str, object] = {"jsonrpc": "2.0"}
    if ident is not NO_ID:
        message["id"] = ident
    message["error"] = body
    return message


def notification(method: str, params: dict) -> dict:
    """A message to the client that wants no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def compact(value: object) -> str:
    """JSON without spaces; the form of every text the server sends."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def encode(message: object) -> bytes:
    """One line for the wire, line feed included."""
    text = compact(message)
    for raw, escaped in _LINE_SEPARATORS:
        if raw in text:
            text = text.replace(raw, escaped)
    return text.encode("utf-8", "replace") + b"\n"
