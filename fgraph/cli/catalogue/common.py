"""The groups of commands, and the arguments and options that several of them share."""

from fgraph import limits
from fgraph.cli.table import INTEGER, Argument, integer, text

WRITE, READ, SCHEMA = "Write facts", "Read facts", "Describe facts"
MOVE, CARE, AGENTS = "Move and copy", "Care for the file", "Agents and memory"
GROUPS = (AGENTS, WRITE, READ, SCHEMA, MOVE, CARE)

TYPES = ("bool", "bytes", "float", "instant", "int", "json", "ref", "text", "vector")
SHELLS = ("bash", "zsh", "fish")
CLIENTS = (
    "claude-code", "codex", "opencode", "antigravity", "copilot", "vscode", "cursor", "gemini",
)  # fmt: skip

OPERATION_ID = text("--operation-id", "name of this request; repeating it changes nothing")
IF_BASIS_TX = integer(
    "--if-basis-tx", "write only if this is still the newest transaction, which info shows on a terminal", "TX"
)
BY = text("--by", "who says so")
AUTHOR = text("--by", "who says so (default: cli: and your login name)")
SOURCE = text("--source", "where it comes from")
META = text("--meta", "any JSON value to keep with the transaction", "JSON")
GUARDED = (OPERATION_ID, IF_BASIS_TX)
SIGNED = (*GUARDED, BY, SOURCE, META)

REF = Argument("ref", 'an entity: its name, its id, {"id": …}, {"eid": …} or [attribute, value]')
ATTR = Argument("attr", "only this attribute", required=False)
TX = Argument("tx", "a transaction id", kind=INTEGER)
QUERY = Argument("query", "the query as JSON text, @FILE, or - for standard input")
MANIFEST = Argument("manifest", "a schema/1 manifest as JSON text, @FILE, or - for standard input")
STREAM = Argument("source", "a file, or - for standard input", required=False, default="-", files=True)
ARGS = text("--args", 'values of the inputs, as in {"?min": 10}', "JSON")
TIMES = "as in 2026-01-31T12:00:00Z, as tables show it, or in microseconds"
AT = text("--at", f"read as of this transaction id, or time {TIMES}", "WHEN")
HITS = integer("--k", f"how many hits, 1 to {limits.SEARCH_K}", default=limits.SEARCH_HITS)
EXPAND = integer("--expand", f"also show what lies this many references away, 0 to {limits.SEARCH_EXPAND}", default=0)
FILTER = text("--filter", "only entities with this [attribute, value] (repeatable)", "JSON", repeat=True)
EMBED = text(
    "--embed-cmd",
    "program, or JSON array of a program and its arguments, that turns text on its standard input into a JSON array "
    "of numbers",
)
