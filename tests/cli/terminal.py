"""A command line on a terminal of fixed size: a real pseudo-terminal, read until the process ends."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from pathlib import Path

ROWS = 40


def on_terminal(words: list[str], folder: Path, env: dict[str, str], *, columns: int = 80) -> tuple[int, str]:
    """The exit status and everything that came to the terminal, from both streams, with plain line feeds."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    process = subprocess.Popen(words, cwd=folder, env=env, stdin=follower, stdout=follower, stderr=follower)
    os.close(follower)
    seen = bytearray()
    while True:
        try:
            chunk = os.read(leader, 65_536)
        except OSError:  # Linux says so when the last writer is gone
            break
        if not chunk:
            break
        seen += chunk
    os.close(leader)
    return process.wait(timeout=60), seen.decode().replace("\r\n", "\n")
