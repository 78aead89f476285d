"""Every command with its arguments, options and examples: what the parser, the help, the docs and completion read."""

from fgraph import limits
from fgraph.cli.table import (
    INTEGER,
    NOTHING,
    WRITES,
    Argument,
    Command,
    flag,
    integer,
    text,
)

WRITE, READ, SCHEMA = "Write facts", "Read facts", "Describe facts"
MOVE, CARE, AGENTS = "Move and copy", "Care for the file", "Agents and memory"
GROUPS = (AGENTS, WRITE, READ, SCHEMA, MOVE, CARE)

TYPES = ("bool", "bytes", "float", "instant", "int", "json", "ref", "text", "vector")
SHELLS = ("bash", "zsh", "fish")
CLIENTS = (
    "claude-code", "codex", "opencode", "antigravity", "copilot", "vscode", "cursor", "gemini",
)  # fmt: skip

OPERATION_ID = text("--operation-id", "name of this request; repeating it changes nothing")
IF_BASIS_TX = integer("--if-basis-tx", "write only if this is still the newest transaction", "TX")
BY = text("--by", "who says so")
AUTHOR = text("--by", "who says so (default: cli: and your login name)")
SOURCE = text("--source", "where it comes from")
META = text("--meta", "any JSON value to keep with the transaction", "JSON")
GUARDED = (OPERATION_ID, IF_BASIS_TX)
SIGNED = (*GUARDED, BY, SOURCE, META)

REF = Argument("ref", 'an entity: its name, its id, {"eid": …} or [attribute, value]')
ATTR = Argument("attr", "only this attribute", required=False)
TX = Argument("tx", "a transaction id", kind=INTEGER)
QUERY = Argument("query", "the query as JSON text, @FILE, or - for standard input")
MANIFEST = Argument("manifest", "a schema/1 manifest as JSON text, @FILE, or - for standard input")
STREAM = Argument("source", "a file, or - for standard input", required=False, default="-", files=True)
ARGS = text("--args", 'values of the inputs, as in {"?min": 10}', "JSON")
AT = text("--at", "read as of this transaction id, microsecond time or RFC 3339 time", "WHEN")
EMBED = text("--embed-cmd", "program that turns text on its standard input into a JSON array of numbers")

_AGENTS = (
    Command(
        "mcp", AGENTS, "Serve an agent over MCP on standard input and output", "agents:mcp",
        options=(flag("--write", "let the agent write as well"), EMBED),
        examples=("--db project.db mcp --write",),
        takes_json=False,
    ),
    Command(
        "setup", AGENTS, "Print how to connect an agent program; changes nothing", "agents:setup", NOTHING,
        arguments=(Argument("client", "the agent program", choices=CLIENTS),),
        options=(
            flag("--write", "let the agent write as well"),
            text("--name", "what the client calls the server", "NAME", default="memory"),
        ),
        examples=("setup codex --write", "--db project.db setup vscode"),
    ),
    Command(
        "remember", AGENTS, "Keep a note, as the tool of that name does", "memory:remember", WRITES,
        arguments=(Argument("text", "the note, or - for standard input"),),
        options=(
            text("--key", "name of the note; a later note with this key replaces it", "NAME"),
            SOURCE, AUTHOR, *GUARDED, EMBED,
        ),
        examples=("remember 'Deploys happen on Tuesday' --key deploy-day --source handbook",),
    ),
    Command(
        "recall", AGENTS, "Find notes and other text, as the tool of that name does", "memory:recall",
        arguments=(Argument("query", "words or a question"),),
        options=(
            integer("--k", "how many hits", default=10),
            integer("--expand", "also show what lies this many references away", default=0),
            text("--attribute", "search only this text attribute (repeatable)", "ATTR", repeat=True),
            text("--filter", "only entities with this [attribute, value] (repeatable)", "JSON", repeat=True),
            EMBED,
        ),
        examples=("recall 'when do we deploy'",),
    ),
    Command(
        "forget", AGENTS, "Retract a note, an attribute or one value; history keeps it", "memory:forget", WRITES,
        arguments=(
            REF,
            Argument("attr", "only this attribute", required=False),
            Argument("value", "only this value: its exact text, else JSON", required=False),
        ),
        options=(AUTHOR, *GUARDED),
        examples=("forget deploy-day",),
    ),
    Command(
        "import-memory", AGENTS, "Take over the file of the knowledge-graph memory server", "importing:import_memory",
        WRITES,
        arguments=(Argument("file", "its JSONL file, or - for standard input", files=True),),
        options=(text("--source", "where it comes from (default: the name of the file)"), AUTHOR),
        examples=("import-memory memory.jsonl --source old-memory",),
        notes=(
            "Entity names become identities; the type becomes memory/kind, each observation a value of "
            "memory/observation, each relation a reference under relation/<type>. docs/cli.md states how names that "
            "do not fit are mapped. Doing it again changes nothing."
        ),
    ),
)  # fmt: skip

_WRITE = (
    Command(
        "init", WRITE, "Create the database file, or show what it holds", "file:init", WRITES,
        examples=("init", "--db project.db init"),
    ),
    Command(
        "add", WRITE, "Add facts", "adding:add", WRITES,
        arguments=(Argument("data", "JSON text, @FILE, or - for standard input; one document or one per line"),),
        options=(
            *SIGNED,
            integer("--batch-size", "read a document per line and commit every N of them (1 to 10000)", "N"),
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
        options=(*GUARDED, BY, flag("--strict", "refuse where a later value would be overwritten")),
        examples=("undo 73",),
    ),
    Command(
        "excise", WRITE, "Erase an entity and all its history for good", "writing:excise", WRITES,
        arguments=(REF,),
        options=tuple(option._replace(required=True) for option in GUARDED),
        examples=("excise mara --operation-id forget-mara --if-basis-tx 73",),
    ),
)  # fmt: skip

_READ = (
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
        "tx", READ, "Show the receipt of a transaction", "reading:tx",
        arguments=(TX,),
        examples=("tx 73",),
    ),
    Command(
        "diff", READ, "Show what changed between two points in time", "reading:diff",
        arguments=(
            Argument("t1", "a transaction id, else a time in microseconds", kind=INTEGER),
            Argument("t2", "a later one", kind=INTEGER),
        ),
        examples=("diff 72 73",),
    ),
    Command(
        "view", READ, "Write one HTML page that shows people what the file holds", "page:view",
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
            integer("--limit", "datoms on a page, 1 to 1000", default=100),
            text("--cursor", "where the page before ended"),
        ),
        examples=("""datoms avet --components '["light/range"]'""",),
    ),
    Command(
        "search", READ, "Rank entities by words, by a vector, or by both", "querying:search",
        options=(
            text("--text", "words to look for"),
            text("--vector", "array of numbers to be near to", "JSON"),
            integer("--k", "how many hits, 1 to 100", default=10),
            integer("--expand", "also show what lies this many references away, 0 to 3", default=0),
            text("--vector-attribute", "the attribute that holds the vectors", "ATTR"),
            text("--text-attribute", "search only this text attribute (repeatable)", "ATTR", repeat=True),
            text("--filter", "only entities with this [attribute, value] (repeatable)", "JSON", repeat=True),
            EMBED,
            text("--match", "any: every word counts; all: every word is required", "any|all", default="any",
                 choices=("any", "all")),
        ),
        examples=("search --text 'range of the light'", "search --text gale --match all --k 3"),
    ),
)  # fmt: skip

_SCHEMA = (
    Command(
        "schema", SCHEMA, "Show attributes and shapes", "schema:schema",
        arguments=(Argument("prefix", "only names that begin so", required=False),),
        options=(flag("--system", "the 18 built-in attributes as well"),),
        examples=("schema", "schema light/"),
    ),
    Command(
        "declare", SCHEMA, "Say what an attribute may hold", "schema:declare", WRITES,
        arguments=(Argument("attr", "the attribute, as in light/range"),),
        options=(
            text("--type", "type of its values", "TYPE", choices=TYPES),
            flag("--ref", "short for --type ref", "ref", toggle=True),
            flag("--no-ref", "the default", "ref", False, toggle=True),
            flag("--many", "an entity may have many values", "many", True, default=None),
            flag("--one", "an entity has one value", "many", False, default=None),
            flag("--unique", "no two entities share a value", "unique", True, default=None),
            flag("--not-unique", "they may", "unique", False, default=None),
            flag("--nohistory", "keep only the present value", "nohistory", True, default=None),
            flag("--history", "keep every value", "nohistory", False, default=None),
            integer("--dims", "length of its vectors", "N"),
            text("--doc", "what it means"),
            text("--vector-model", "model that makes its vectors"),
            *SIGNED,
        ),
        examples=("declare light/keeper --ref --doc 'Who tends the lamp'",),
    ),
    Command(
        "shape", SCHEMA, "Say what an entity of a kind must and may have", "schema:shape", WRITES,
        arguments=(Argument("name", "the shape, as in shape/light; its definition is replaced"),),
        options=(
            text("--required", "an attribute it must have (repeatable)", "ATTR", repeat=True),
            text("--allowed", "an attribute it may have (repeatable)", "ATTR", repeat=True),
            flag("--closed", "and no others", "closed", True),
            flag("--open", "others are fine (the default)", "closed", False),
            *SIGNED,
        ),
        examples=("shape shape/light --required light/range --closed",),
    ),
    Command(
        "validate", SCHEMA, "Check an entity against its shape", "schema:validate",
        arguments=(REF,),
        options=(flag("--strict", "exit with status 1 when it does not fit"),),
        examples=("validate skerry",),
    ),
    Command(
        "schema-export", SCHEMA, "Print all declarations as a schema/1 manifest", "schema:schema_export",
        examples=("schema-export",),
    ),
    Command(
        "schema-check", SCHEMA, "Compare the declarations with a manifest", "schema:schema_check",
        arguments=(MANIFEST,),
        options=(flag("--strict", "exit with status 1 when they differ"),),
        examples=("schema-check @schema.json",),
    ),
    Command(
        "schema-apply", SCHEMA, "Make the declarations equal to a manifest", "schema:schema_apply", WRITES,
        arguments=(MANIFEST,),
        options=SIGNED,
        examples=("schema-apply @schema.json",),
    ),
)  # fmt: skip

_MOVE = (
    Command(
        "tail", MOVE, "Print transactions as event/1 lines", "streams:tail",
        options=(
            integer("--since", "only those after this transaction", "TX", default=64),
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
        "backup", MOVE, "Copy the file while it is in use", "file:backup",
        arguments=(Argument("dest", "the new file; it must not exist", files=True),),
        examples=("backup copy.db",),
    ),
)  # fmt: skip

_CARE = (
    Command("info", CARE, "Show what the file holds", "file:info", examples=("info",)),
    Command(
        "doctor", CARE, "Check every rule the file must obey", "file:doctor",
        options=(
            flag("--repair", "rebuild what can be rebuilt"),
            flag("--strict", "exit with status 1 when something is wrong"),
        ),
        examples=("doctor",),
    ),
    Command(
        "compact", CARE, "Give unused space back", "file:compact", WRITES,
        examples=("compact",),
    ),
    Command(
        "completion", CARE, "Print the completion script of a shell", "about:completion", NOTHING,
        arguments=(Argument("shell", "bash, zsh or fish", choices=SHELLS),),
        examples=("completion bash",),
    ),
    Command(
        "version", CARE, "Print the version", "about:version", NOTHING,
        examples=("version",), takes_json=False, takes_db=False,
    ),
)  # fmt: skip

COMMANDS = {command.name: command for command in (*_AGENTS, *_WRITE, *_READ, *_SCHEMA, *_MOVE, *_CARE)}
