"""Runs many command lines in one process: a JSON list of argument lists in, a JSON list of [status, out, err] out."""

import io
import json
import os
import sys

from fgraph.cli.main import main


def run(words: list[str]) -> tuple[int, str, str]:
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    with open(os.devnull) as empty:
        sys.stdin = empty
        texts = sys.stdout, sys.stderr = io.TextIOWrapper(out, "utf-8"), io.TextIOWrapper(err, "utf-8")
        try:
            status = main(words)
        finally:
            sys.stdin, sys.stdout, sys.stderr = streams
    for text in texts:
        text.flush()
        text.detach()
    return status, out.getvalue().decode(), err.getvalue().decode()


if __name__ == "__main__":
    json.dump([run(words) for words in json.load(sys.stdin)], sys.stdout)
