"""A real headless Chromium, driven over the WebDriver protocol with nothing but the standard library."""

import json
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from base64 import b64decode
from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
).split()
START_SECONDS, ANSWER_SECONDS, POLL_SECONDS = 20, 60, 0.03


class Browser:
    """One browser window with a profile of its own."""

    def __init__(self, profile: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._process = subprocess.Popen([DRIVER, f"--port={port}"], **quiet)
        self._base = f"http://127.0.0.1:{port}"
        self._session = ""
        self._wait_for_driver()
        options = {"args": [*FLAGS, f"--user-data-dir={profile}"], "binary": CHROMIUM}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"/session/{answer['sessionId']}"

    def close(self) -> None:
        try:
            self._call("DELETE", self._session)
        finally:
            self._process.terminate()
            self._process.wait()

    def open(self, path: Path, view: str = "") -> None:
        """Load a file afresh and show one view of it."""
        self._call("POST", f"{self._session}/url", {"url": "about:blank"})
        self._call("POST", f"{self._session}/url", {"url": f"{path.as_uri()}{view}"})

    def go(self, view: str) -> None:
        """Follow a link inside the page, and wait until its view is there."""
        self.run("const old = main.firstChild; location.hash = arguments[0]; window.left = old", view)
        self.wait("window.left !== main.firstChild")

    def run(self, script: str, *arguments: object) -> object:
        """What a script returns."""
        body = {"script": script, "args": list(arguments)}
        return self._call("POST", f"{self._session}/execute/sync", body)

    def wait(self, condition: str) -> None:
        """Until a script's condition holds."""
        end = time.monotonic() + START_SECONDS
        while not self.run(f"return Boolean({condition})"):
            assert time.monotonic() < end, f"{condition} did not come true"
            time.sleep(POLL_SECONDS)

    def text(self, selector: str = "main") -> str:
        """The text that is rendered of an element."""
        return self.run("return document.querySelector(arguments[0]).innerText", selector)

    def type(self, selector: str, text: str) -> None:
        """Put text into a field as if typed."""
        script = "const it = document.querySelector(arguments[0]); it.value = arguments[1]; "
        self.run(script + "it.dispatchEvent(new Event('input'))", selector, text)

    def screen(self, width: int, height: int, *, mobile: bool = False, dark: bool = False) -> None:
        """The size and the colours of the device."""
        size = {"width": width, "height": height, "deviceScaleFactor": 2 if mobile else 1, "mobile": mobile}
        self._devtools("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._devtools("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path: Path) -> None:
        """A screenshot."""
        path.write_bytes(b64decode(self._call("GET", f"{self._session}/screenshot")))

    def accessible(self) -> list[tuple[str, str]]:
        """Role and name of each node, as a screen reader is told."""
        nodes = self._devtools("Accessibility.getFullAXTree")["nodes"]
        told = [node for node in nodes if not node["ignored"]]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in told]

    def complaints(self) -> list[str]:
        """What the console has logged since it was asked last."""
        return [entry["message"] for entry in self._call("POST", f"{self._session}/se/log", {"type": "browser"})]

    def _devtools(self, command: str, **parameters: object) -> dict:
        return self._call("POST", f"{self._session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def _wait_for_driver(self) -> None:
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return self._call("GET", "/status")
            except OSError:
                assert time.monotonic() < end, "chromedriver did not start"
                time.sleep(POLL_SECONDS)

    def _call(self, method: str, path: str, body: object = None) -> object:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=ANSWER_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as fault:
            raise AssertionError(fault.read().decode()[:2000]) from None
