"""`python -m fgraph` is the command line."""

import sys

from fgraph.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
