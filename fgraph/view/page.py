"""From the gathered content to one HTML file that needs nothing else."""

import os
import re
import stat
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from fgraph import errors
from fgraph.file import making
from fgraph.file.reader import Reader
from fgraph.view.bounds import Bounds
from fgraph.view.gather import Count, Gathered, gather

MARK = b"<!doctype html>\n<!-- fgraph view"  # how every page begins; only such a file is overwritten
SCRIPTS = ("data.js", "dom.js", "parts.js", "entities.js", "timeline.js", "contested.js", "graph.js", "main.js")
SLOT = re.compile(r"\{\{([a-z]+)\}\}")
# Controls and format characters, which could hide or reorder text for somebody who reads the source.
HIDDEN = "\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
UNSAFE = re.compile(f"[<>&{HIDDEN}]")  # with what could end the data block


def write(reader: Reader, output: str, bounds: Bounds | None = None) -> dict:
    """Write the page for the reader's basis to the path `output`, and say what it holds.

    `{"path", "basis_tx", "bytes", "entities", "transactions", "contested", "left_out"}`: the three counts are
    `{"shown", "total"}`, `left_out` is a list of sentences. An earlier page at that path is replaced; anything else
    there is a `Conflict`. The file is readable by its owner only.
    """
    _check_target(output)
    gathered = gather(reader, bounds or Bounds())
    content = document(gathered).encode()
    _replace(output, content)
    return {
        "path": output,
        "basis_tx": gathered.basis,
        "bytes": len(content),
        "entities": _count(gathered.entities),
        "transactions": _count(gathered.transactions),
        "contested": _count(gathered.contested),
        "left_out": gathered.left_out,
    }


def document(gathered: Gathered) -> str:
    """The page as text: style, script and data inline, everything else forbidden by its own content policy."""
    style = _asset("page.css")
    script = "\n".join(_asset(name) for name in SCRIPTS)
    slots = {
        "policy": f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'",
        "title": escape(re.sub(f"[{HIDDEN}]", "\ufffd", gathered.name)),
        "style": style,
        "script": script,
        "data": UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", gathered.json),
    }
    return SLOT.sub(lambda slot: slots[slot[1]], _asset("page.html"))


def _asset(name: str) -> str:
    return files("fgraph.view").joinpath("assets", name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _count(count: Count) -> dict:
    return {"shown": count.shown, "total": count.total}


def _check_target(output: str) -> None:
    if not output:
        raise errors.TypeError("output is empty", param="output", hint="give --output a file name")
    try:
        if stat.S_ISREG(os.stat(output).st_mode) and _begins_as_a_page(output):
            return
    except FileNotFoundError:
        folder = os.path.dirname(os.path.abspath(output))
        if os.path.isdir(folder):
            return
        raise errors.FormatError(
            f"the folder {folder} does not exist", param="output", hint="create it first"
        ) from None
    except (OSError, ValueError) as fault:
        raise _not_writable(output, fault) from None
    raise errors.Conflict(
        f"{output} exists and is not a page that fgraph wrote", param="output", hint="choose another --output"
    )


def _begins_as_a_page(path: str) -> bool:
    with open(path, "rb") as there:
        return there.read(len(MARK)) == MARK


def _replace(output: str, content: bytes) -> None:
    """Put the whole file in place at once, so that nobody sees half a page."""
    try:
        with making.beside(output) as made:
            with open(made, "wb") as file:
                file.write(content)
            os.replace(made, output)
    except OSError as fault:
        raise _not_writable(output, fault) from None


def _not_writable(output: str, fault: Exception) -> errors.FGraphError:
    reason = getattr(fault, "strerror", None) or str(fault)
    return errors.ReadOnly(f"cannot write {output}: {reason}", param="output", hint="choose another --output")
