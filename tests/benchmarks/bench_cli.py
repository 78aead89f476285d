"""Times the start of commands against an empty interpreter: `python3 tests/benchmarks/bench_cli.py`."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 25
FACT = '{"id":"skerry","light/range":18,"light/tags":["granite"]}'


def shortest(lines: dict[str, list[str]], folder: str, env: dict[str, str]) -> dict[str, float]:
    """Seconds of the fastest of several runs, the commands taking turns."""
    best = dict.fromkeys(lines, float("inf"))
    for _ in range(ROUNDS):
        for name, words in lines.items():
            began = time.perf_counter()
            subprocess.run(words, cwd=folder, env=env, stdout=subprocess.DEVNULL, check=True)
            best[name] = min(best[name], time.perf_counter() - began)
    return best


def main() -> None:
    program = [sys.executable, str(ROOT / "fgraph.py")]
    with tempfile.TemporaryDirectory() as folder:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        env |= {"FGRAPH_DB": "s.db", "PYTHONPYCACHEPREFIX": str(Path(folder) / "cache")}
        for words in (["declare", "light/tags", "--many"], ["add", FACT]):
            subprocess.run([*program, *words], cwd=folder, env=env, stdout=subprocess.DEVNULL, check=True)
        lines = {
            "python3 -c pass": [sys.executable, "-c", "pass"],
            "version": [*program, "version"],
            "get": [*program, "get", "skerry"],
            "info": [*program, "info"],
            "history": [*program, "history", "skerry"],
            "q": [*program, "q", '{"find":["?v"],"where":[["skerry","light/range","?v"]]}'],
            "search": [*program, "search", "--text", "granite"],
            "add (nothing new)": [*program, "add", FACT],
            "--help": [*program, "--help"],
        }
        shortest(lines, folder, env)  # compiles what was not compiled
        took = shortest(lines, folder, env)
    floor = took["python3 -c pass"]
    for name, seconds in took.items():
        print(f"{name:<18} {seconds * 1000:7.1f} ms  {seconds / floor:5.2f}x")


if __name__ == "__main__":
    main()
