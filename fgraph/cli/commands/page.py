"""The view command: the whole file as one HTML page for people."""

from fgraph.cli import machine
from fgraph.cli.call import Call, Outcome
from fgraph.cli.call import view as view_of
from fgraph.cli.moments import reading_at
from fgraph.cli.progress import counting
from fgraph.view import page
from fgraph.view.bounds import Bounds

BOUNDS = ("entities", "facts", "history", "value_bytes", "transactions")


def view(call: Call) -> Outcome:
    bounds = Bounds(**call.given(*BOUNDS))
    with reading_at(call) as db, counting(call, "view"), db._store.reading() as reader:
        report = page.write(reader, machine.file_name(call["output"]), bounds)
        call.changed = "the page is written"
    report["path"] = machine.printable(call["output"])
    return Outcome(report, view_of("tables.written_page", report))
