"""An agent's memory over MCP: remember, correct by key, recall, and ask what was believed before.

    python3 docs/examples/agent_memory.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parents[2] / "fgraph.py"


class Memory:
    """One MCP session with a server that may write."""

    def __init__(self, database: Path) -> None:
        command = [sys.executable, str(LAUNCHER), "--db", str(database), "mcp", "--write"]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._number = 0
        client = {"name": "example", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def call(self, tool: str, **arguments: object) -> dict:
        """What a tool answers, with the basis it was answered at."""
        result = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return result["structuredContent"]

    def close(self) -> None:
        self._server.stdin.close()  # end of input ends the server
        self._server.wait()
        self._server.stdout.close()

    def _ask(self, method: str, parameters: dict) -> dict:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters})
        while True:
            answer = json.loads(self._server.stdout.readline())
            if answer.get("id") == self._number:  # the server may send notifications in between
                return answer["result"]

    def _send(self, message: dict) -> None:
        self._server.stdin.write(json.dumps(message).encode() + b"\n")
        self._server.stdin.flush()


def main(database: Path) -> None:
    memory = Memory(database)
    memory.call(
        "remember",
        operation_id="session-1-note-1",
        key="deploy-day",
        text="We deploy on Tuesdays.",
        source="chat with Ana",
    )
    print("asked:    ", first(memory.call("recall", query="When do we deploy?")))

    # A later session learns better. The same key replaces the note; repeating the request changes nothing.
    better = {
        "operation_id": "session-2-note-1",
        "key": "deploy-day",
        "text": "We deploy on Thursdays; on Tuesdays the backup runs.",
        "source": "handbook, section 3",
    }
    print("corrected:", memory.call("remember", **better)["data"]["status"])
    print("repeated: ", memory.call("remember", **better)["data"]["status"])
    print("asked:    ", first(memory.call("recall", query="When do we deploy?")))
    for fact in memory.call("history", entity="deploy-day")["data"]["items"]:
        state = "holds" if fact["rx"] is None else "ended"
        print(f"{state}:     {fact['v']} (by {fact['by']}, from {fact['source']})")
    memory.close()


def first(answer: dict) -> str:
    """The best hit of a recall, with its origin."""
    match = answer["data"]["hits"][0]["matched"][0]
    return f"{match['v']} (from {match['source']})"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        main(Path(folder) / "memory.db")
