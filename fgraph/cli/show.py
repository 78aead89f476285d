"""What people see of facts: entities, timelines, receipts and the reports of writes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fgraph import limits
from fgraph.cli.call import Screen
from fgraph.cli.layout import (
    GAP,
    INDENT,
    cells,
    clean,
    columns,
    count,
    cut,
    fit,
    indented,
    inside,
    padded,
    paint,
)
from fgraph.cli.phrases import name_text, signature, value_text
from fgraph.cli.times import local_time
from fgraph.values.instants import parse_instant

AT, BY, SOURCE, META = "fgraph/at", "fgraph/by", "fgraph/source", "fgraph/meta"
UNDOES = "fgraph/undoes"
PROVENANCE = frozenset({AT, BY, SOURCE, META})
GUTTER = 2 * GAP  # between an attribute and its value
HASH_LABEL = "sha256:"
NO_FACT = "no fact changed; only the transaction and new names are recorded"
NOTHING_FORGOTTEN = "nothing matched, so nothing was forgotten; the transaction itself is recorded"
SIGN_STYLES = {"+": "green", "-": "red"}


class Change(NamedTuple):
    """One line of a timeline: `sign` is "+" or "-", `live` marks what still holds."""

    sign: str
    entity: object
    attribute: object
    value: object
    live: bool = False


class Moment(NamedTuple):
    """One transaction of a timeline."""

    tx: int
    at: int | None
    by: object
    source: object
    changes: list[Change]


# -- entities ---------------------------------------------------------------------------------------------------------


def entity(screen: Screen, title: str, number: int, basis: int, facts: dict) -> list[str]:
    """An entity as an aligned table of its attributes; what it refers to is nested below."""
    rows = list(_attribute_rows(facts, INDENT))
    identity = f"(id {number}, basis tx {basis})"
    name = fit(clean(title), screen, cells(identity) + len(GUTTER))
    left = max([cells(name), *(cells(label) for label, _ in rows)]) + len(GUTTER)
    lead = left
    if not screen.wide:
        lead = min(left, screen.width - len(identity))
        left = min(left, screen.width - 2 * limits.CLI_COLUMN_LEAST)
    head = padded(name, lead) + identity
    labels = [padded(cut(label, left - len(GAP)), left) for label, _ in rows]
    body = [label + fit(value, screen, left) for label, (_, value) in zip(labels, rows, strict=True)]
    lines = [line.rstrip() for line in body] or _empty(screen, "no facts", "its history:", f"history {number}")
    return [paint(fit(head, screen), "bold", screen), *lines]


def _empty(screen: Screen, what: str, label: str, command: str) -> list[str]:
    """Why there is nothing below a title, and the command to look further, which is copied and so never cut."""
    return indented([fit(what, inside(screen)), f"{label} {clean(screen.program)} {command}"])


def _attribute_rows(facts: dict, indent: str) -> Iterator[tuple[str, str]]:
    for attribute, values in facts.items():
        label = indent + name_text(attribute)
        for value in values if isinstance(values, list) else [values]:
            if _is_entity_map(value):
                yield label, "" if value else "(no facts)"
                yield from _attribute_rows(value, indent + INDENT)
            else:
                yield label, value_text(value)
            label = indent


def _is_entity_map(value: object) -> bool:
    return isinstance(value, dict) and all("/" in key for key in value)


# -- timelines --------------------------------------------------------------------------------------------------------


def history(screen: Screen, title: str, number: int, attribute: str | None, facts: list[dict]) -> list[str]:
    """Every value as it came and went, oldest first, with who and from where."""
    moments: dict[int, Moment] = {}
    for fact in facts:
        at = Moment(fact["tx"], fact["at"], fact.get("by"), fact.get("source"), [])
        change = Change("+", fact["e"], fact["a"], fact["v"], fact["rx"] is None)
        moments.setdefault(fact["tx"], at).changes.append(change)
        if fact["rx"] is not None:
            end = Moment(fact["rx"], fact.get("rx_at"), fact.get("rx_by"), fact.get("rx_source"), [])
            change = Change("-", fact["e"], fact["a"], fact["v"])
            moments.setdefault(fact["rx"], end).changes.append(change)
    ordered = [moments[tx] for tx in sorted(moments)]
    pairs = [(item, change) for item in ordered for change in ends_first(item.changes)]
    rows = [_attribute_step(item, change) for item, change in pairs]
    head = clean(title) if attribute is None else f"{clean(title)}  {clean(attribute)}"
    if not facts:
        lines = _no_history(screen, number, attribute)
    elif attribute is not None and _all_fit(inside(screen), rows):
        lines = _signed_lines(screen, rows, [change.sign for _, change in pairs])
    else:
        lines = [line for item in ordered for line in _entity_step(screen, item)]
    return [paint(fit(head, screen), "bold", screen), *lines]


def _no_history(screen: Screen, number: int, attribute: str | None) -> list[str]:
    if attribute is not None:
        return _empty(screen, "no such facts, now or before", "all there is:", f"history {number}")
    return _empty(screen, "no facts, now or before", "what refers to it:", f"datoms vaet --components '[{number}]'")


def _entity_step(screen: Screen, item: Moment) -> list[str]:
    """What one transaction did to an entity, under a line of its own."""
    changes = ends_first(item.changes)
    rows = [[f"{one.sign} {name_text(one.attribute)}", value_text(one.value), "live" * one.live] for one in changes]
    lines = _signed_lines(inside(screen), rows, [one.sign for one in changes], fixed=(2,))
    return indented([_head(inside(screen), item), *lines])


def _attribute_step(item: Moment, change: Change) -> list[str]:
    """One change of one attribute, all on one line."""
    when = local_time(item.at) if item.at is not None else ""
    who = signature(item.by, item.source)
    return [when, f"tx {item.tx}", change.sign, value_text(change.value), "live" * change.live, who]


def why(screen: Screen, title: str, number: int, facts: list[dict]) -> list[str]:
    """Each present value with when, who, from where, and by undoing what; on a line of their own where it is long."""
    rows = []
    for fact in facts:
        origin = fact["provenance"]
        undoes = f"undoes tx {value_text(origin[UNDOES]['ref'])}" if UNDOES in origin else ""
        who = INDENT.join(filter(None, [undoes, signature(origin.get(BY), origin.get(SOURCE))]))
        rows.append(
            [name_text(fact["a"]), value_text(fact["v"]), f"since {value_text(origin[AT])}", f"tx {fact['tx']}", who]
        )
    inner = inside(screen)
    if _all_fit(inner, rows):
        lines = columns(rows, inner)
    else:
        values = columns([row[:2] for row in rows], inner)
        origins = [paint(fit(INDENT * 2 + "  ".join(row[2:]).rstrip(), inner), "dim", screen) for row in rows]
        lines = [line for pair in zip(values, origins, strict=True) for line in pair]
    below = indented(lines) or _empty(screen, "no facts", "its history:", f"history {number}")
    return [paint(fit(clean(title), screen), "bold", screen), *below]


def _all_fit(screen: Screen, rows: list[list[str]]) -> bool:
    """Whether rows need no cutting."""
    return screen.wide or all(cells(line) <= screen.width for line in columns(rows, screen._replace(wide=True)))


def diff(screen: Screen, changes: dict) -> list[str]:
    """What came and went, grouped by transaction."""
    moments = moments_of(changes["asserted"], changes["retracted"])
    lines = [line for item in moments for line in timeline(screen, item)]
    return lines or ["no difference"]


def log(screen: Screen, transactions: list[dict], has_more: bool) -> list[str]:
    """Each transaction with when, who, how much came and went, and about what; at last how to see older ones."""
    heads = [Moment(one["tx"], one["at"], one.get("by"), one.get("source"), []) for one in transactions]
    sums = [_sum(one) for one in transactions]
    pairs = list(zip(heads, sums, strict=True))
    rows = [[local_time(head.at), f"tx {head.tx}", *sum_, signature(head.by, head.source)] for head, sum_ in pairs]
    if _all_fit(screen, rows):
        lines = columns(rows, screen, right=(2, 3))
    else:
        details = indented(columns(sums, inside(screen), right=(0, 1), fixed=(0, 1)))
        lines = [line for head, detail in zip(heads, details, strict=True) for line in (_head(screen, head), detail)]
    if has_more:
        lines.append(f"more: --before {transactions[-1]['tx']}")
    return lines or ["no transactions"]


def _sum(transaction: dict) -> list[str]:
    """How many facts came, how many went, and what they are about."""
    came, went = transaction["asserted"], transaction["retracted"]
    others = transaction["entities"] - len(transaction["about"])
    about = ", ".join(map(name_text, transaction["about"])) or "no facts"
    return [f"+{came:,}" * bool(came), f"-{went:,}" * bool(went), f"{about} and {others:,} more" if others else about]


def timeline(screen: Screen, item: Moment) -> list[str]:
    """One transaction: a line for when and who, then its changes."""
    return [paint(_head(screen, item), "bold", screen), *change_lines(screen, item.changes)]


def _head(screen: Screen, item: Moment) -> str:
    """When it was, which transaction, and who."""
    when = f"{local_time(item.at)}  " if item.at is not None else ""
    return fit(f"{when}tx {item.tx}  {signature(item.by, item.source)}".rstrip(), screen)


def watched(screen: Screen, item: Moment) -> list[str]:
    """One transaction with when and who on each line, for a view that scrolls; else as in `diff`."""
    when = f"{local_time(item.at)}  " if item.at is not None else ""
    who = signature(item.by, item.source)
    tail = f"  {who}" if who else ""
    changes = ends_first(item.changes)
    lines = []
    for change in changes:
        fact = "  ".join([name_text(change.entity), name_text(change.attribute), value_text(change.value)])
        lines.append(f"{when}tx {item.tx}  {change.sign} {fact}{tail}")
    if not screen.wide and any(cells(line) > screen.width for line in lines):
        return timeline(screen, item)
    return [paint(line, SIGN_STYLES[change.sign], screen) for line, change in zip(lines, changes, strict=True)]


def change_lines(screen: Screen, changes: Iterable[Change]) -> list[str]:
    """Changes as aligned lines that begin with + or -."""
    ordered = ends_first(changes)
    # The sign shares a column with the entity, so that lines read like a patch.
    rows = [
        [f"{change.sign} {name_text(change.entity)}", name_text(change.attribute), value_text(change.value)]
        for change in ordered
    ]
    return _signed_lines(screen, rows, [change.sign for change in ordered])


def _signed_lines(screen: Screen, rows: list[list[str]], signs: list[str], fixed: tuple[int, ...] = ()) -> list[str]:
    """Rows as aligned and indented lines, each in the colour of its sign; the sign itself is in the text."""
    lines = columns(rows, inside(screen), fixed=fixed)
    return [paint(INDENT + line, SIGN_STYLES[sign], screen) for line, sign in zip(lines, signs, strict=True)]


def moments_of(asserted: list[dict], retracted: list[dict]) -> list[Moment]:
    """Facts grouped by the transaction that brought or ended them; the transactions' own facts become their heads."""
    heads: dict[int, dict[str, object]] = {}
    changes: dict[int, list[Change]] = {}
    for fact in asserted:
        if fact["e"] == fact["tx"] and fact["a"] in PROVENANCE:
            heads.setdefault(fact["tx"], {})[fact["a"]] = fact["v"]
            changes.setdefault(fact["tx"], [])
        else:
            changes.setdefault(fact["tx"], []).append(Change("+", fact["e"], fact["a"], fact["v"]))
    for fact in retracted:
        changes.setdefault(fact["rx"], []).append(Change("-", fact["e"], fact["a"], fact["v"]))
    return [_moment(tx, heads.get(tx, {}), changes[tx]) for tx in sorted(changes)]


def _moment(tx: int, head: dict[str, object], changes: list[Change]) -> Moment:
    at = head.get(AT)
    return Moment(tx, parse_instant(at["instant"]) if at else None, head.get(BY), head.get(SOURCE), changes)


def ends_first(changes: Iterable[Change]) -> list[Change]:
    """What ended, then what came: the order in which a change is understood."""
    return sorted(changes, key=lambda change: change.sign == "+")


# -- reports and receipts ---------------------------------------------------------------------------------------------


def report(screen: Screen, result: dict, empty: Sequence[str] = (INDENT + NO_FACT,)) -> list[str]:
    """What a write did; the `empty` lines stand below one that changed no fact."""
    if result["status"] == "noop":
        return [f"nothing changed (basis tx {result['basis_tx']})"]
    when = local_time(result["at"])
    if result["status"] == "already_applied":
        return [f"already applied  tx {result['tx']}  {when}"]
    head = f"applied  tx {result['tx']}  {when}  (after tx {result['basis_tx']})"
    changes = [change for item in moments_of(result["asserted"], result["retracted"]) for change in item.changes]
    lines = [paint(head, "bold", screen), *change_lines(screen, changes)]
    if not changes and not result["ids"]:
        lines += empty
    if [(change.entity, change.attribute) for change in changes] == [(result["tx"], UNDOES)]:
        lines.append(INDENT + "nothing was left to undo; the transaction itself is recorded")
    if result["ids"]:
        new = ", ".join(f"{clean(name)} = {number}" for name, number in result["ids"].items())
        lines.append(fit(f"{INDENT}ids: {new}", screen))
    return lines


def forgotten(screen: Screen, result: dict) -> list[str]:
    """What was forgotten; a mistyped name is not told from one that is gone, so both read alike."""
    return report(screen, result, _empty(screen, NOTHING_FORGOTTEN, "see what there is:", "recall WORDS"))


def reports(screen: Screen, results: list[dict]) -> list[str]:
    """What several writes did, one after the other."""
    return [line for result in results for line in report(screen, result)]


def receipt(screen: Screen, result: dict, changes: dict) -> list[str]:
    """A receipt as keys and values, then what the transaction changed."""
    rows = [["time", local_time(result["at"])]]
    for key, label in (("by", "by"), ("source", "source"), ("operation_id", "operation id")):
        if result.get(key) is not None:
            rows.append([label, name_text(result[key])])
    if "meta" in result:
        rows.append(["meta", value_text({"json": result["meta"]})])
    if "imported_at" in result:
        rows.append(["imported", local_time(result["imported_at"])])
    rows += [["after", f"tx {result['basis_tx']}"], ["event", result["event"]]]
    short = len(HASH_LABEL) + limits.CLI_HASH_SHOWN
    for key, label in (("event_hash", "event hash"), ("request_hash", "request hash")):
        if result[key]:
            rows.append([label, result[key] if screen.wide else result[key][:short]])
    rows += [[name_text(fact["a"]), value_text(fact["v"])] for fact in result["facts"]]
    lines = indented(columns(rows, inside(screen)))
    others = [change for item in moments_of(**changes) for change in item.changes if change.entity != result["tx"]]
    return [paint(f"tx {result['tx']}", "bold", screen), *lines, *change_lines(screen, others)]


def imported(screen: Screen, number: dict[str, int], result: dict) -> list[str]:
    """What an import found, and the transaction that took it in."""
    parts = [count(number["entities"], "entity", "entities")]
    parts += [count(number[f"{noun}s"], noun) for noun in ("observation", "relation")]
    return [", ".join(parts), *report(screen, result)[:1]]


def counters(screen: Screen, verb: str, total: int, noun: str, details: dict[str, int], basis: int) -> list[str]:
    """A bulk operation in one sentence."""
    parts = ", ".join(f"{number:,} {what}" for what, number in details.items() if number)
    return [fit(f"{verb} {count(total, noun)}{f' ({parts})' if parts else ''}, basis tx {basis}", screen)]
