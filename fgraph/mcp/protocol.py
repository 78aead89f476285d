"""The two protocol eras: which one a request is in, what it must carry, and how its result is dressed.

Handshake era: versions up to 2025-11-25, opened by `initialize`. Stateless era: 2026-07-28, where every request
carries its version and capabilities in `params._meta`. Each request is judged alone; the only state is the
handshake record of the last accepted `initialize`.
"""

from __future__ import annotations

from fgraph import errors, limits
from fgraph.mcp.wire import INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION, Fault, Request

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
STATELESS_VERSION = "2026-07-28"
SUPPORTED = (STATELESS_VERSION, *HANDSHAKE_VERSIONS)
BATCH_VERSION = "2025-03-26"
LINKS_SINCE = "2025-06-18"  # the first version with resource_link content

META_PREFIX = "io.modelcontextprotocol/"
VERSION_KEY = META_PREFIX + "protocolVersion"
CAPABILITIES_KEY = META_PREFIX + "clientCapabilities"
CLIENT_KEY = META_PREFIX + "clientInfo"
LOG_LEVEL_KEY = META_PREFIX + "logLevel"
SERVER_KEY = META_PREFIX + "serverInfo"
SUBSCRIPTION_KEY = META_PREFIX + "subscriptionId"

LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
CAPABILITIES = {"tools": {}, "resources": {"subscribe": True}, "completions": {}}
UNKNOWN_CLIENT = "unknown"

_SHARED_METHODS = frozenset(
    (
        "tools/list",
        "tools/call",
        "resources/list",
        "resources/templates/list",
        "resources/read",
        "completion/complete",
    )
)
QUEUED_METHODS = frozenset(("tools/call", "resources/read", "completion/complete"))
HANDSHAKE_METHODS = _SHARED_METHODS | {"initialize", "ping", "resources/subscribe", "resources/unsubscribe"}
STATELESS_METHODS = _SHARED_METHODS | {"server/discover", "subscriptions/listen"}

# Results that a stateless client may cache, with the time they stay fresh.
_CACHEABLE = {
    "server/discover": limits.MCP_LIST_TTL_MS,
    "tools/list": limits.MCP_LIST_TTL_MS,
    "resources/list": limits.MCP_LIST_TTL_MS,
    "resources/templates/list": limits.MCP_LIST_TTL_MS,
    "resources/read": 0,
}


class Handshake:
    """What the last accepted `initialize` settled."""

    __slots__ = ("client", "version")

    def __init__(self, version: str, client: str) -> None:
        self.version = version
        self.client = client


class Context:
    """What one request was asked under, fixed when its line is read."""

    __slots__ = ("client", "progress_token", "version")

    def __init__(self, version: str, client: str, progress_token: str | int | None = None) -> None:
        self.version = version
        self.client = client
        self.progress_token = progress_token

    @property
    def stateless(self) -> bool:
        return self.version == STATELESS_VERSION

    @property
    def has_links(self) -> bool:
        return self.version >= LINKS_SINCE


def judge(request: Request, handshake: Handshake | None) -> Context:
    """The context a request is served in, or the `Fault` it gets."""
    method, params = request.method, request.params
    meta = params.get("_meta")
    meta = meta if isinstance(meta, dict) else {}
    if method == "initialize" and isinstance(params.get("protocolVersion"), str):
        return _opening(params)
    if any(key in meta for key in (VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY)):
        return _stateless(method, meta)
    if method == "ping":
        return Context(handshake.version if handshake else HANDSHAKE_VERSIONS[0], UNKNOWN_CLIENT)
    if handshake is None:
        raise _without_version(method)
    if method not in HANDSHAKE_METHODS:
        raise unknown_method(method)
    if method == "initialize":
        raise Fault(INVALID_PARAMS, "params.protocolVersion must be a string")
    return Context(handshake.version, handshake.client, _progress_token(meta))


def unknown_method(method: str) -> Fault:
    """The error for a method that is not served in this era."""
    shown = errors.clip(method)
    return Fault(METHOD_NOT_FOUND, f"Method not found: {shown}", shown or None)


def _opening(params: dict) -> Context:
    if not isinstance(params.get("capabilities"), dict):
        raise Fault(INVALID_PARAMS, "params.capabilities must be an object")
    if not _is_client(params.get("clientInfo")):
        raise Fault(INVALID_PARAMS, "params.clientInfo must be an object with the strings name and version")
    asked = params["protocolVersion"]
    version = asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0]
    return Context(version, clean_client(params["clientInfo"]["name"]))


def _stateless(method: str, meta: dict) -> Context:
    missing = [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]
    if missing:
        raise Fault(INVALID_PARAMS, f"params._meta lacks {' and '.join(missing)}")
    version = meta[VERSION_KEY]
    if not isinstance(version, str):
        raise Fault(INVALID_PARAMS, f"params._meta: {VERSION_KEY} must be a string")
    if version != STATELESS_VERSION:
        data = {"supported": list(SUPPORTED), "requested": version}
        raise Fault(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
    if method not in STATELESS_METHODS:
        raise unknown_method(method)
    if not isinstance(meta[CAPABILITIES_KEY], dict):
        raise Fault(INVALID_PARAMS, f"params._meta: {CAPABILITIES_KEY} must be an object")
    if CLIENT_KEY in meta and not _is_client(meta[CLIENT_KEY]):
        raise Fault(INVALID_PARAMS, f"params._meta: {CLIENT_KEY} must hold the strings name and version")
    if LOG_LEVEL_KEY in meta and meta[LOG_LEVEL_KEY] not in LOG_LEVELS:
        raise Fault(INVALID_PARAMS, f"params._meta: {LOG_LEVEL_KEY} must be one of {', '.join(LOG_LEVELS)}")
    client = clean_client(meta[CLIENT_KEY]["name"]) if CLIENT_KEY in meta else UNKNOWN_CLIENT
    return Context(STATELESS_VERSION, client, _progress_token(meta))


def _without_version(method: str) -> Fault:
    if method == "initialize":
        return Fault(INVALID_PARAMS, "params.protocolVersion must be a string")
    if method in STATELESS_METHODS - _SHARED_METHODS:
        return Fault(INVALID_PARAMS, f"params._meta lacks {VERSION_KEY} and {CAPABILITIES_KEY}")
    if method in HANDSHAKE_METHODS:
        way_out = f"send initialize first, or put {VERSION_KEY} and {CAPABILITIES_KEY} into params._meta"
        return Fault(INVALID_PARAMS, f"No protocol version: {way_out}")
    return unknown_method(method)


def _is_client(info: object) -> bool:
    return isinstance(info, dict) and isinstance(info.get("name"), str) and isinstance(info.get("version"), str)


def _progress_token(meta: dict) -> str | int | None:
    if "progressToken" not in meta:
        return None
    token = meta["progressToken"]
    if isinstance(token, bool) or not isinstance(token, str | int):
        raise Fault(INVALID_PARAMS, "params._meta.progressToken must be a string or an integer")
    return token


def clean_client(name: str) -> str:
    """A client's name as it is recorded with its writes: one printable line of at most 256 bytes."""
    if not name.isascii() or not name.isprintable():
        import unicodedata  # only odd names pay for loading the tables

        hidden = ("Cc", "Cf", "Cs")
        name = "".join("_" if unicodedata.category(char) in hidden else char for char in name)
    name = name.encode("utf-8")[: limits.MCP_CLIENT_BYTES].decode("utf-8", "ignore")
    return name if name.strip() else UNKNOWN_CLIENT


def dress(context: Context, method: str, value: dict, server: dict) -> dict:
    """A method's own result with what its era wants around it; `server` is name and version."""
    if not context.stateless:
        return value
    dressed = {"resultType": "complete", **value}
    if method in _CACHEABLE:
        dressed["ttlMs"] = _CACHEABLE[method]
        dressed["cacheScope"] = "private"
    dressed["_meta"] = {**value.get("_meta", {}), SERVER_KEY: server}
    return dressed
