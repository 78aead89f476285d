"""Commands for agents and their notes."""

from fgraph.cli.catalogue.common import AGENTS, AUTHOR, CLIENTS, EMBED, EXPAND, FILTER, GUARDED, HITS, REF, SOURCE
from fgraph.cli.table import NOTHING, WRITES, Argument, Command, flag, text

COMMANDS = (
    Command(
        "mcp", AGENTS, "Serve an agent over MCP on standard input and output", "agents:mcp",
        options=(flag("--write", "let the agent write as well"), EMBED),
        examples=("--db project.db mcp --write",),
        takes_json=False,
    ),
    Command(
        "setup", AGENTS, "Print how to connect an agent program; changes nothing", "agents:setup", NOTHING,
        arguments=(Argument("client", f"the agent program: {', '.join(CLIENTS)}", choices=CLIENTS),),
        options=(
            flag("--write", "let the agent write as well"),
            text("--name", "what the client calls the server", "NAME", default="memory"),
            EMBED,
        ),
        examples=(
            "setup codex --write",
            "--db project.db setup vscode",
            """setup cursor --embed-cmd '["python3", "embed.py"]'""",
        ),
        notes=(
            "The paths of the program, of the database, of the embedding program and of files among its arguments are "
            "made absolute, for the client starts the server from a folder of its own. An embedding program that "
            "cannot be started is refused."
        ),
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
            HITS,
            EXPAND,
            text("--attribute", "search only this text attribute (repeatable)", "ATTR", repeat=True),
            FILTER,
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
