"""Commands that move and copy a database."""

from fgraph import limits
from fgraph.cli.catalogue.common import MOVE, STREAM
from fgraph.cli.table import WRITES, Argument, Command, flag, integer

COMMANDS = (
    Command(
        "tail", MOVE, "Print transactions as event/1 lines", "streams:tail",
        options=(
            integer("--since", "only those after this transaction", "TX", default=limits.GENESIS_TX),
            integer("--until", "only those up to this transaction", "TX"),
            integer("--limit", "stop after N events", "N"),
            flag("--follow", "keep waiting for new ones", "follow", True, toggle=True),
            flag("--no-follow", "the default", "follow", False, toggle=True),
        ),
        examples=("tail", "tail --since 72"),
        takes_json=False,
    ),
    Command(
        "watch", MOVE, "Show facts as they are written, one line a fact", "streams:watch",
        options=(
            integer("--since", "begin after this transaction instead of now", "TX"),
            integer("--limit", "stop after N transactions", "N"),
        ),
        examples=("watch --since 72 --limit 1",),
    ),
    Command(
        "apply", MOVE, "Take in event/1 lines of another database", "streams:apply", WRITES,
        arguments=(STREAM,),
        options=(integer("--batch-size", "commit every N events instead of all at once", "N"),),
        examples=("--db other.db apply events.ndjson",),
    ),
    Command(
        "snapshot", MOVE, "Print the whole database as snapshot/1 lines", "streams:snapshot",
        examples=("snapshot",),
        takes_json=False,
    ),
    Command(
        "restore", MOVE, "Fill an empty database from snapshot/1 lines", "streams:restore", WRITES,
        arguments=(STREAM,),
        examples=("--db fresh.db restore snapshot.ndjson",),
    ),
    Command(
        "backup", MOVE, "Copy the file while it is in use", "file:backup", WRITES,
        arguments=(Argument("dest", "the new file; it must not exist", files=True),),
        examples=("backup copy.db",),
    ),
)  # fmt: skip
