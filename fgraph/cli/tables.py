"""What people see of the whole: query results, plans, pages, search hits, schema, checks and the state of the file."""

import os

from fgraph import limits
from fgraph.care.findings import BACKUP_NEEDED, apart
from fgraph.cli.call import Screen
from fgraph.cli.layout import (
    GAP,
    INDENT,
    cells,
    clean,
    columns,
    count,
    fit,
    fit_end,
    indented,
    inside,
    paint,
    size,
)
from fgraph.cli.phrases import ARROW, marked, name_text, signature, value_text
from fgraph.cli.times import local_time
from fgraph.file.genesis import SYSTEM

MARKS = str.maketrans("", "", "[]…")
SCANS = ("scan", "value-scan")


# -- queries ----------------------------------------------------------------------------------------------------------


def query(screen: Screen, result: dict, work: int | None = None) -> list[str]:
    """A query result as a table, with the number of rows and, where it is known, the work spent."""
    rows = [[_cell(cell) for cell in row] for row in result["rows"]]
    right = [index for index in range(len(result["columns"])) if _all_numbers(result["rows"], index)]
    table = columns(rows, screen, head=[clean(name) for name in result["columns"]], right=right)
    spent = "" if work is None else f", {count(work, 'unit')} of work"
    return [*table, paint(f"{count(len(rows), 'row')}{spent}", "dim", screen)]


def _cell(value: object) -> str:
    """A cell; what a row is about needs no arrow before its name."""
    text = value_text(value)
    return text.removeprefix(ARROW) if isinstance(value, dict) else text


def _all_numbers(rows: list[list], index: int) -> bool:
    return bool(rows) and all(type(row[index]) in (int, float) for row in rows)


def plan(screen: Screen, result: dict, query_: dict) -> list[str]:
    """A plan as numbered clauses in the order they run, warnings first."""
    lines = [paint(f"warning: {clean(warning)}", "yellow", screen) for warning in result["warnings"]]
    clauses = query_.get("where", [])
    for step, clause in enumerate(result["clauses"], 1):
        text = value_text({"json": clauses[clause["ordinal"]]}) if clause["ordinal"] < len(clauses) else ""
        bound = f"  with {' '.join(clause['bound'])} known" if clause["bound"] else ""
        style = "yellow" if clause["access"] in SCANS else "bold"
        lines.append(
            f"{step:>3}  {paint(clause['access'], style, screen)}  ({clause['kind']} {clause['ordinal']}){bound}"
        )
        lines.append(fit(f"       {text}", screen))
    bounds = (
        f"{result['source']} facts at tx {result['basis_tx']}, at most {count(result['work_limit'], 'unit')} of work"
    )
    return [*lines, paint(bounds, "dim", screen)]


def datoms(screen: Screen, page: dict) -> list[str]:
    """A page of an index, and how to get the next one."""
    rows = [
        [
            name_text(item["e"]),
            name_text(item["a"]),
            value_text(item["v"]),
            str(item["tx"]),
            "+" if item["added"] else "-",
        ]
        for item in page["items"]
    ]
    lines = columns(rows, screen, head=["e", "a", "v", "tx", "+/-"], right=[3]) if rows else []
    if page["next_cursor"]:
        lines.append(f"more: --cursor {page['next_cursor']}")
    return lines or ["no datoms"]


def hits(screen: Screen, result: dict) -> list[str]:
    """Search hits, best first, each with the passage that matched and who wrote it.

    Where the words are not in the value, as when a name met them, its beginning stands before what matched.
    """
    lines = []
    for rank, hit in enumerate(result["hits"], 1):
        place, score = f"{rank:>3}  ", f"  {hit['score']:.{limits.CLI_SCORE_DIGITS}f}"
        name = fit(name_text(hit["entity"]), screen, len(place) + len(score))
        lines.append(f"{place}{paint(name, 'bold', screen)}{score}")
        for evidence in hit["matched"]:
            lines += _evidence(screen, evidence)
    for neighbour in result["expanded"]:
        path = " → ".join([name_text(fact["a"]) for fact in neighbour["via"]])
        lines.append(fit(f"  +  {name_text(neighbour['entity'])}  by way of {path}", screen))
    tail = f"{count(len(result['hits']), 'hit')}, {count(result['work_used'], 'unit')} of work"
    return [*lines, paint(tail + (", cut short" if result["truncated"] else ""), "dim", screen)]


def _evidence(screen: Screen, evidence: dict) -> list[str]:
    margin = "       "
    value, passage = evidence["v"], evidence.get("snippet")
    label = fit(f"{margin}{name_text(evidence['a'])}", screen, limits.CLI_COLUMN_LEAST + len(GAP)) + GAP
    if passage is not None and isinstance(value, str) and _bare(passage) in _bare(value):
        lines = [label + marked(fit(clean(passage), screen, cells(label)), screen)]
    else:
        lines = [label + fit(value_text(value), screen, cells(label))]
        if passage is not None:
            matched = f"{margin}matched{GAP}"
            lines.append(matched + marked(fit(clean(passage), screen, len(matched)), screen))
    who = signature(evidence.get("by"), evidence.get("source"))
    when = f"{margin}{local_time(evidence['at'])}  tx {evidence['tx']}  {who}".rstrip()
    return [*lines, paint(fit(when, screen), "dim", screen)]


def _bare(text: str) -> str:
    """A text without what marks words and cuts in an excerpt, to find the excerpt in it."""
    return text.translate(MARKS)


# -- schema -----------------------------------------------------------------------------------------------------------


def schema(screen: Screen, result: dict) -> list[str]:
    """Attributes as a table, then names that only have the form of one, then shapes."""
    rows = [_attribute_row(item) for item in result["attributes"] if _is_used(item)]
    head = ["attribute", "type", "many", "unique", "history", "facts", "doc"]
    lines = columns(rows, screen, head=head, right=[5]) if rows else ["no attributes"]
    shapes = {shape["name"] for shape in result["shapes"]}
    others = [item["name"] for item in result["attributes"] if not _is_used(item) and item["name"] not in shapes]
    if others:
        unused = "name not used as an attribute", "names not used as attributes"
        names = f"{count(len(others), *unused)}: {', '.join(map(name_text, others))}"
        lines.append(paint(fit(names, screen), "dim", screen))
    for shape in result["shapes"]:
        closed = "  closed" if shape["closed"] else ""
        name = fit(f"shape {name_text(shape['name'])}", screen, len(closed))
        lines += ["", paint(name + closed, "bold", screen)]
        for kind in ("required", "allowed"):
            if shape[kind]:
                lines.append(fit(f"{INDENT}{kind:<8}  {', '.join(map(name_text, shape[kind]))}", screen))
    return lines


def _is_used(item: dict) -> bool:
    """Whether a name is an attribute by more than its form."""
    return bool(item["declared"] or item["observed"]["live_facts"])


def _attribute_row(item: dict) -> list[str]:
    effective, observed = item["effective"], item["observed"]
    kind = effective["type"] or "/".join(observed["types"])
    if effective["dims"]:
        kind = f"{kind}({effective['dims']})"
    return [
        clean(item["name"]),
        kind,
        "many" if effective["many"] else "one",
        "unique" if effective["unique"] else "",
        "" if effective["nohistory"] else "kept",
        f"{observed['live_facts']:,}",
        clean(effective["doc"] or ""),
    ]


def drift(screen: Screen, result: dict) -> list[str]:
    """What applying a manifest would change."""
    lines = []
    for change in result["changes"]:
        sign = "+" if change["before"] is None else "-" if change["after"] is None else "~"
        style = {"+": "green", "-": "red", "~": "yellow"}[sign]
        was = f"  {value_text({'json': change['before']})} → {value_text({'json': change['after']})}" * (sign == "~")
        lines.append(paint(fit(f"{sign} {change['kind']} {name_text(change['name'])}{was}", screen), style, screen))
    return lines or ["in sync"]


def violations(screen: Screen, result: dict) -> list[str]:
    """Whether an entity fits its shape, and where not."""
    lines = [
        f"{name_text(item['entity'])}  {name_text(item['attribute'])}  {clean(item['message'])}"
        for item in result["violations"]
    ]
    return [fit(line, screen) for line in lines] or ["valid"]


# -- the file ---------------------------------------------------------------------------------------------------------


def info(screen: Screen, path: str, stats: dict, basis: int) -> list[str]:
    """What the file holds, in words."""
    log = os.path.getsize(f"{path}-wal") if os.path.exists(f"{path}-wal") else 0
    rows = [
        ["facts", f"{stats['facts']:,}", f"live {stats['live_facts']:,}"],
        ["entities", f"{stats['entities']:,}", f"attribute names {stats['attributes']:,} ({len(SYSTEM)} built in)"],
        ["transactions", f"{stats['transactions']:,}", f"newest tx {basis}"],
        ["long values", f"{stats['blobs']:,}", ""],
        ["size", size(stats["size"]), f"(+ WAL {size(log)})"],
    ]
    format_ = f"  fgraph format {stats['format_version']}"
    head = fit_end(clean(path), screen, cells(format_)) + format_
    return [paint(head, "bold", screen), *indented(columns(rows, inside(screen), right=[1]))]


def copied(screen: Screen, path: str) -> list[str]:
    """Where a backup was written."""
    return [fit(f"copied to {clean(path)}", screen)]


def written_page(screen: Screen, report: dict) -> list[str]:
    """Where the page for people was written, what it holds, and what it leaves out."""
    entities = count(report["entities"]["shown"], "entity", "entities")
    contested = count(report["contested"]["shown"], "contested value")
    head = f"{clean(report['path'])} ({size(report['bytes'])}): {entities} as of tx {report['basis_tx']}, {contested}"
    return [fit(head, screen), *(fit(f"left out: {sentence}", screen) for sentence in report["left_out"])]


def compacted(screen: Screen, result: dict) -> list[str]:
    """What compacting won."""
    after, won = size(result["bytes_after"]), size(result["bytes_won"])
    log = "" if result["log_emptied"] else "; the log is still in use by a reader"
    return [fit(f"{after} now, {won} won{log}", screen)]


def checkup(screen: Screen, result: dict) -> list[str]:
    """The doctor's report as a checklist."""
    verdict = paint("ok", "green", screen) if result["ok"] else paint("not ok", "red", screen)
    lines = [f"{verdict}  integrity {clean(result['integrity'])}, {count(len(result['problems']), 'problem')}"]
    # What helps is the same for all of them, and said below.
    told = [apart(problem) for problem in result["problems"]]
    lines += [fit(f"{INDENT}- {clean(problem)}", screen) for problem, _ in told]
    facts = [
        _check(result["fts_rows"] == result["expected_fts_rows"],
               f"full text {result['fts_rows']:,}/{result['expected_fts_rows']:,}"),
        _check(result["orphaned_blobs"] == 0, f"orphaned blobs {result['orphaned_blobs']:,}"),
        _check(result["schema_problems"] == 0, f"schema problems {result['schema_problems']:,}"),
        _check(result["shape_violations"] == 0, f"shape violations {result['shape_violations']:,}"),
    ]  # fmt: skip
    if result["unverifiable_event_hashes"]:
        redacted = f"redacted events {result['unverifiable_event_hashes']:,} (hash cannot be verified, expected)"
        facts.append(_check(True, redacted))
    if result["repaired"]:
        rebuilt, removed = result["fts_rows_rebuilt"], result["orphaned_blobs_removed"]
        facts.append(_check(True, f"repaired: {count(rebuilt, 'text row')} rebuilt, {count(removed, 'blob')} removed"))
    elif any(advice == BACKUP_NEEDED for _, advice in told):
        facts.append(_check(False, f"{BACKUP_NEEDED}: doctor --repair cannot mend this"))
    elif result["repair_needed"]:
        facts.append(_check(False, "doctor --repair can mend this"))
    facts += [_check(True, f"note: {clean(warning)}") for warning in result.get("warnings", ())]
    return [*lines, *(fit(INDENT + fact, screen) for fact in facts)]


def _check(fine: bool, text: str) -> str:
    return f"[{'x' if fine else ' '}] {text}"
