"""The view command: the whole file as one HTML page for people."""

import os

from fgraph.cli import place
from fgraph.cli.call import Call, Outcome
from fgraph.cli.call import view as view_of
from fgraph.cli.moments import moment_argument
from fgraph.cli.progress import waiting
from fgraph.view import page
from fgraph.view.bounds import Bounds

BOUNDS = ("entities", "facts", "history", "value_bytes", "transactions")


def view(call: Call) -> Outcome:
    at = None if call["at"] is None else moment_argument(call["at"], "--at")
    bounds = Bounds(**call.given(*BOUNDS))
    with place.reading(call) as live, waiting(call, "view"):
        db = live if at is None else live.at(at)
        with db._store.reading() as reader:
            report = page.write(reader, call["output"], bounds)
    report["path"] = os.fsencode(report["path"]).decode("utf-8", "replace")
    return Outcome(report, view_of("tables.written_page", report))
