"""What the reader can say by itself: the published lists, and whether params are good enough for the worker."""

from __future__ import annotations

from fgraph import errors
from fgraph.mcp import catalog, offers, uris
from fgraph.mcp.protocol import SUBSCRIPTION_KEY
from fgraph.mcp.wire import INVALID_PARAMS, Fault, notification

_LISTEN_FLAGS = ("toolsListChanged", "promptsListChanged", "resourcesListChanged")
_WATCHABLE = ("changes", "schema", "entity")


def listing(method: str, params: dict, write: bool) -> dict:
    """One of the three lists; each has one page."""
    if params.get("cursor") is not None:
        raise Fault(INVALID_PARAMS, f"params.cursor: {method} has one page and gives no cursor")
    if method == "tools/list":
        return {"tools": catalog.tools(write)}
    if method == "resources/list":
        return {"resources": list(offers.RESOURCES)}
    return {"resourceTemplates": list(offers.TEMPLATES)}


def tool_call(params: dict, write: bool) -> tuple[tuple[str, dict], bool]:
    """Name and arguments of `tools/call`, and whether the tool writes."""
    name, arguments = params.get("name"), params.get("arguments")
    if not isinstance(name, str):
        raise Fault(INVALID_PARAMS, "params.name must be a string")
    if name not in catalog.TOOLS:
        raise Fault(INVALID_PARAMS, f"Unknown tool: {errors.clip(name)}")
    writes = name in catalog.WRITERS
    if writes and not write:
        raise Fault(INVALID_PARAMS, f"Unknown tool: {name} (this server is read-only; start it with --write)")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, dict):
        raise Fault(INVALID_PARAMS, "params.arguments must be an object")
    return (name, arguments), writes


def uri(params: dict) -> str:
    """The address of `resources/read` and its kin."""
    found = params.get("uri")
    if not isinstance(found, str):
        raise Fault(INVALID_PARAMS, "params.uri must be a string")
    return found


def completion(params: dict) -> tuple[str, str, str]:
    """Template, variable and typed text of `completion/complete`."""
    ref, argument = params.get("ref"), params.get("argument")
    if not isinstance(ref, dict) or ref.get("type") != "ref/resource" or not isinstance(ref.get("uri"), str):
        raise Fault(INVALID_PARAMS, 'params.ref must be {"type":"ref/resource","uri":<a template of this server>}')
    if not isinstance(argument, dict) or not all(isinstance(argument.get(key), str) for key in ("name", "value")):
        raise Fault(INVALID_PARAMS, "params.argument must hold the strings name and value")
    template = ref["uri"]
    if template not in [one["uriTemplate"] for one in offers.TEMPLATES]:
        raise Fault(INVALID_PARAMS, f"No such template: {errors.clip(template)}", {"uri": template})
    if argument["name"] not in uris.variables_of(template):
        raise Fault(INVALID_PARAMS, f"The template has no variable {errors.quote(argument['name'])}")
    return template, argument["name"], argument["value"]


def watchable(params: dict) -> str:
    """The address of `resources/subscribe`."""
    found = uri(params)
    if not _is_watchable(found):
        what = "fgraph://schema, fgraph://changes and fgraph://entity/{selector} can be subscribed to"
        raise Fault(INVALID_PARAMS, f"No subscription for this address: {what}", {"uri": found})
    return found


def wanted_addresses(params: dict) -> list[str]:
    """Of the addresses that `subscriptions/listen` asks for, those whose changes will be told."""
    wanted = params.get("notifications")
    if not isinstance(wanted, dict):
        raise Fault(INVALID_PARAMS, "params.notifications must be an object")
    for flag in _LISTEN_FLAGS:
        if not isinstance(wanted.get(flag, False), bool):
            raise Fault(INVALID_PARAMS, f"params.notifications.{flag} must be a boolean")
    asked = wanted.get("resourceSubscriptions", [])
    if not isinstance(asked, list) or not all(isinstance(one, str) for one in asked):
        raise Fault(INVALID_PARAMS, "params.notifications.resourceSubscriptions must be an array of strings")
    return [one for one in dict.fromkeys(asked) if _is_watchable(one)]


def acknowledgement(stream: str | int, accepted: list[str]) -> dict:
    """The first message of a subscription stream: what will really be told."""
    granted = {"resourceSubscriptions": accepted} if accepted else {}
    params = {"_meta": {SUBSCRIPTION_KEY: stream}, "notifications": granted}
    return notification("notifications/subscriptions/acknowledged", params)


def _is_watchable(address: str) -> bool:
    try:
        parsed = uris.parse(address)
    except errors.FGraphError:
        return False
    return parsed is not None and parsed.kind in _WATCHABLE and "?" not in address
