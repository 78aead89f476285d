"""Every command with its arguments, options and examples: what the parser, the help, the docs and completion read.

A command line loads the descriptions of one group only.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module

from fgraph.cli.table import Command

# The module of each group, in the order of the help, and the commands it describes.
MODULES = {
    "agents": "mcp setup remember recall forget import-memory",
    "write": "init add retract undo excise",
    "read": "get history why log tx diff view q explain datoms search",
    "describe": "schema declare shape validate schema-export schema-check schema-apply",
    "move": "tail watch apply snapshot restore backup",
    "care": "info doctor compact completion version",
}


class Catalogue(Mapping[str, Command]):
    """The commands by name, in the order of the help; a group is loaded when one of its commands is asked for."""

    def __init__(self) -> None:
        self._module_of = {name: module for module, names in MODULES.items() for name in names.split()}
        self._loaded: dict[str, Command] = {}

    def __getitem__(self, name: str) -> Command:
        if name not in self._loaded:
            module = import_module(f"fgraph.cli.catalogue.{self._module_of[name]}")
            self._loaded |= {command.name: command for command in module.COMMANDS}
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._module_of)

    def __len__(self) -> int:
        return len(self._module_of)


COMMANDS = Catalogue()
