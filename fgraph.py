"""Launcher for an uninstalled checkout: `python3 fgraph.py ...` runs the package beside this file."""

import sys

if __name__ == "__main__":
    # A folder wins over a module of the same name, so `fgraph` below is the package, not this file.
    here = __file__.rpartition("/")[0] or __file__.rpartition("\\")[0] or "."
    if sys.path[:1] != [here]:
        sys.path.insert(0, here)
    from fgraph.cli.main import main

    sys.exit(main())
