"""`python -m fgraph` is the command line, and so is `python path/to/fgraph`, from any folder."""

import sys

if not __package__:  # run by its path: what holds the package is not on Python's path then
    import os

    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from fgraph.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
