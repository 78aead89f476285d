"""The entry point of the command line; a plain `version` is answered before anything else is loaded."""

import os
import sys

INTERRUPTED = 130


def main(words: list[str] | None = None) -> int:
    """Run one command line (without the program's name) and return its exit status."""
    words = sys.argv[1:] if words is None else words
    if words == ["version"] and not os.environ.get("FGRAPH_QUERY_BUDGET") and sys.stdout is not None:
        from fgraph import __version__

        try:
            sys.stdout.write(f"{__version__}\n")
            sys.stdout.flush()
            return 0
        except OSError:
            pass  # said properly below
    try:
        from fgraph.cli.dispatch import run  # loads the parser and the table, and later the database

        return run(words)
    except KeyboardInterrupt:
        return INTERRUPTED  # before anything was begun
