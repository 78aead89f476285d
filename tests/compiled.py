"""The environment of second processes: compiled modules are kept, so that only the first of them pays for compiling."""

import atexit
import os
import tempfile
from functools import cache


@cache
def _folder() -> str:
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name


def cached_environment() -> dict[str, str]:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**env, "PYTHONPYCACHEPREFIX": _folder()}
