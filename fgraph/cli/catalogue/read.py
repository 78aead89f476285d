"""Commands that read facts."""

from fgraph import limits
from fgraph.cli.catalogue.common import ARGS, AT, ATTR, EMBED, EXPAND, FILTER, HITS, QUERY, READ, REF, TIMES, TX
from fgraph.cli.table import WRITES, Argument, Command, integer, text

COMMANDS = (
    Command(
        "get", READ, "Show the present facts of an entity", "reading:get",
        arguments=(REF,),
        options=(integer("--depth", "also show what it refers to, this deep", default=1), AT),
        examples=("get skerry", "get skerry --at 72"),
    ),
    Command(
        "history", READ, "Show every value an entity ever had", "reading:history",
        arguments=(REF, ATTR),
        options=(integer("--limit", "only the newest N facts", "N"),),
        examples=("history skerry light/range",),
    ),
    Command(
        "why", READ, "Show who said what an entity is now, and when", "reading:why",
        arguments=(REF, ATTR),
        examples=("why skerry",),
    ),
    Command(
        "log", READ, "List the latest transactions: who wrote what, when", "reading:log",
        options=(
            integer("--limit", f"how many, 1 to {limits.LOG_MOST}", "N", default=limits.LOG_SHOWN),
            integer("--before", "only those before this transaction", "TX"),
        ),
        examples=("log", "log --limit 5 --before 73"),
        notes=(
            "The newest comes first. asserted and retracted count facts, entities counts what they are about; about "
            f"names the first {limits.LOG_ABOUT} of those. tx shows the whole of one transaction."
        ),
    ),
    Command(
        "tx", READ, "Show the receipt of a transaction", "reading:tx",
        arguments=(TX,),
        examples=("tx 73",),
        notes="A terminal also shows what it changed; programs ask diff, with the basis_tx and the tx of the receipt.",
    ),
    Command(
        "diff", READ, "Show what changed between two points in time", "reading:diff",
        arguments=(
            Argument("t1", f"from here: a transaction id, or a time {TIMES}"),
            Argument("t2", "to here: a later one"),
        ),
        examples=("diff 72 73", "diff 72 '2026-01-31 12:00:00'"),
    ),
    Command(
        "view", READ, "Write one HTML page that shows people what the file holds", "page:view", WRITES,
        options=(
            AT,
            text("--output", "the page; an earlier page is replaced", "FILE", default="memory.html", files=True),
            integer("--entities", "only the N entities changed last", "N", default=limits.VIEW_ENTITIES),
            integer("--facts", "only the newest N present facts of each", "N", default=limits.VIEW_FACTS),
            integer("--history", "only the N facts of each that ended last", "N", default=limits.VIEW_HISTORY),
            integer("--value-bytes", "only the first N bytes of a value", "N", default=limits.VIEW_VALUE_BYTES),
            integer("--transactions", "only the newest N transactions", "N", default=limits.VIEW_TRANSACTIONS),
        ),
        examples=("view", "view --at 68 --output before.html"),
        notes="The page loads nothing and sends nothing. It says what it leaves out; docs/view.md describes it.",
    ),
    Command(
        "q", READ, "Answer a Datalog query", "querying:q",
        arguments=(QUERY,),
        options=(ARGS, AT),
        examples=("""q '{"find": ["?e", "?r"], "where": [["?e", "light/range", "?r"]]}'""",),
    ),
    Command(
        "explain", READ, "Show how a query would be answered", "querying:explain",
        arguments=(QUERY,),
        options=(ARGS,),
        examples=("""explain '{"find": ["?e"], "where": [["?e", "light/range", 21]]}'""",),
    ),
    Command(
        "datoms", READ, "Walk an index, page by page", "querying:datoms",
        arguments=(
            Argument("index", "eavt, avet or vaet", required=False, default="eavt", choices=("eavt", "avet", "vaet")),
        ),
        options=(
            text("--components", "leading parts of the index to fix", "JSON-ARRAY", default="[]"),
            text("--source", "current or history", "SOURCE", default="current", choices=("current", "history")),
            integer("--limit", f"datoms on a page, 1 to {limits.DATOMS_PAGE}", default=limits.DATOMS_SHOWN),
            text("--cursor", "where the page before ended"),
        ),
        examples=("""datoms avet --components '["light/range"]'""",),
    ),
    Command(
        "search", READ, "Rank entities by words, by a vector, or by both", "querying:search",
        options=(
            text("--text", "words to look for"),
            text("--vector", "array of numbers to be near to", "JSON"),
            HITS,
            EXPAND,
            text("--vector-attribute", "the attribute that holds the vectors", "ATTR"),
            text("--text-attribute", "search only this text attribute (repeatable)", "ATTR", repeat=True),
            FILTER,
            EMBED,
            text("--match", "any: every word counts; all: every word is required", "any|all", default="any",
                 choices=("any", "all")),
        ),
        examples=("search --text 'range of the light'", "search --text gale --match all --k 3"),
    ),
)  # fmt: skip
