"""Times the MCP server from start to cancel: `python3 tests/benchmarks/bench_mcp.py`."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from fgraph.database import connect  # noqa: E402

ROUNDS = 21
CALLS = 200
NOTES = 2_000
HELLO = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
ENDLESS = {"find": [["count", "?a"]], "where": [[f"?{name}", "memory/text", f"?{name}{name}"] for name in "abcd"]}


class Server:
    """The server as a client sees it, one request after the other."""

    def __init__(self, path: Path, env: dict[str, str], *before: str) -> None:
        command = [sys.executable, str(ROOT / "fgraph.py"), *before, "--db", str(path), "mcp", "--write"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)
        self.request("initialize", HELLO)

    def send(self, method: str, params: dict, id: object = 1) -> None:
        line = json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method: str, params: dict) -> bytes:
        self.send(method, params)
        return self.process.stdout.readline()

    def call(self, name: str, **arguments: object) -> bytes:
        return self.request("tools/call", {"name": name, "arguments": arguments})

    def resident(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))

    def close(self) -> None:
        self.process.kill()
        self.process.wait()


def median(times: list[float]) -> float:
    return sorted(times)[len(times) // 2]


def seconds(work: object, *arguments: object) -> float:
    began = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - began


def start(path: Path, env: dict[str, str]) -> None:
    floor = [sys.executable, "-c", "import sqlite3, json"]
    bare, ours = [], []
    for _ in range(ROUNDS):
        bare.append(seconds(lambda: subprocess.run(floor, env=env, check=True)))
        began = time.perf_counter()
        server = Server(path, env)
        ours.append(time.perf_counter() - began)
        server.close()
    ratio = median(ours) / median(bare)
    print(f"start to first answer   {median(ours) * 1000:7.1f} ms  {ratio:.2f} x import sqlite3, json")


def calls(path: Path, env: dict[str, str]) -> None:
    server = Server(path, env)
    server.request("tools/list", {})
    print(f"resident after tools/list {server.resident() / 1024:5.1f} MB")
    ping = median([seconds(server.request, "ping", {}) for _ in range(CALLS)])
    print(f"ping                    {ping * 1000:7.2f} ms")
    for name, arguments in (
        ("about", {"entity": "note-7"}),
        ("history", {"entity": "note-7"}),
        ("recall", {"query": "which service owns the ledger"}),
        ("query", {"q": {"find": ["?e"], "where": [["?e", "note/rank", 77]]}}),
    ):
        server.call(name, **arguments)
        took = median([seconds(lambda: server.call(name, **arguments)) for _ in range(CALLS)])  # noqa: B023
        print(f"{name:23} {took * 1000:7.2f} ms  {took / ping:.1f} x ping")
    server.close()


def under_load(path: Path, env: dict[str, str]) -> None:
    server = Server(path, env, "--query-budget", str(10**12))
    server.send("tools/call", {"name": "query", "arguments": {"q": ENDLESS}}, id="endless")
    time.sleep(0.5)
    worst = max(seconds(server.request, "ping", {}) for _ in range(50))
    print(f"slowest of 50 pings while a query runs {worst * 1000:.1f} ms")
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "endless"}}
    server.process.stdin.write(json.dumps(cancel).encode() + b"\n")
    print(f"next answer after its cancel {seconds(lambda: server.call('about', entity='note-7')) * 1000:.1f} ms")
    server.close()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        env["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "cache")
        path = Path(folder) / "bench.db"
        words = "service ledger owner deploy billing queue shard".split()
        with connect(path) as db:
            notes = [
                {"id": f"note-{n}", "memory/text": f"{words[n % 7]} {words[n % 5]} number {n}", "note/rank": n}
                for n in range(NOTES)
            ]
            db.transact(notes)
        Server(path, env).close()
        start(path, env)
        calls(path, env)
        under_load(path, env)


if __name__ == "__main__":
    main()
