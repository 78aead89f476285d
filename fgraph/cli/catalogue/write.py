"""Commands that write facts."""

from fgraph import limits
from fgraph.cli.catalogue.common import ATTR, GUARDED, REF, SIGNED, TX, WRITE
from fgraph.cli.table import WRITES, Argument, Command, flag, integer, text

COMMANDS = (
    Command(
        "init", WRITE, "Create the database file, or show what it holds", "file:init", WRITES,
        examples=("init", "--db project.db init"),
    ),
    Command(
        "add", WRITE, "Add facts", "adding:add", WRITES,
        arguments=(Argument("data", "JSON text, @FILE, or - for standard input; one document or one per line"),),
        options=(
            *SIGNED,
            integer(
                "--batch-size", f"read a document per line and commit every N of them (1 to {limits.ADD_BATCH})", "N"
            ),
            text("--operation-id-prefix", "with --batch-size: batch n is the request PREFIX:n", "PREFIX"),
        ),
        examples=(
            """add '{"id": "skerry", "light/range": 18}'""",
            """add '["cas", "skerry", "light/range", 21, 24]' --by mara""",
            "add @facts.ndjson --batch-size 500 --operation-id-prefix import-1",
        ),
    ),
    Command(
        "retract", WRITE, "End facts: of an entity, an attribute, or one value", "writing:retract", WRITES,
        arguments=(REF, ATTR, Argument("value", "only this value, as JSON", required=False)),
        options=SIGNED,
        examples=("""retract skerry light/tags '"remote"'""",),
    ),
    Command(
        "undo", WRITE, "Reverse one transaction by a new one", "writing:undo", WRITES,
        arguments=(TX,),
        options=(*SIGNED, flag("--strict", "refuse where a later value would be overwritten")),
        examples=("undo 73",),
        notes=(
            "What it asserted and still holds is retracted, what it ended is asserted again. Where nothing of that is "
            "left to do, the new transaction records only that it was asked for, and a terminal says so."
        ),
    ),
    Command(
        "excise", WRITE, "Erase an entity and all its history for good", "writing:excise", WRITES,
        arguments=(REF,),
        options=tuple(option._replace(required=True) for option in GUARDED),
        examples=("excise mara --operation-id forget-mara --if-basis-tx 73",),
    ),
)  # fmt: skip
