"""Chromium without a screen, asked through its own protocol: one start serves all pages of a test run.

Source: Chrome DevTools Protocol, over `--remote-debugging-pipe` (messages of JSON that end in a zero byte).
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-sync",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--remote-debugging-pipe",
)


class Browser:
    """command: pipe on which it takes messages; answers: pipe on which it gives them."""

    def __init__(self, command: int, answers: int) -> None:
        self._command, self._answers = os.fdopen(command, "wb", 0), os.fdopen(answers, "rb", 0)
        self._number, self._rest = 0, b""
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str = "", **parameters: object) -> dict[str, Any]:
        """What a method answers."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        self._command.write(json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                assert "error" not in found, found
                answer: dict[str, Any] = found["result"]
                return answer
            self.events.append(found)

    def close(self) -> None:
        self.call("Browser.close")
        self._command.close()
        self._answers.close()

    def wait(self, method: str) -> None:
        """Until it tells an event."""
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self._next())

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = self._answers.read(1 << 20)
            assert more, "the browser has ended"
            self._rest += more
        text, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(text)
        return found

    @contextmanager
    def page(self, path: Path, address: str = "", width: int = 1280, scheme: str = "light") -> Iterator[Page]:
        """A page that has drawn itself.  address: behind its name.  scheme: of colours."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        self.events.clear()
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.call(f"{domain}.enable")
        page.resize(width)
        page.media("screen", scheme)
        page.call("Page.navigate", url=f"{path.as_uri()}{address}")
        self.wait("Page.loadEventFired")
        try:
            yield page
        finally:
            self.call("Target.closeTarget", targetId=target)


class Page:
    """A tab of a browser."""

    def __init__(self, browser: Browser, session: str) -> None:
        self.browser, self.session = browser, session

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        return self.browser.call(method, self.session, **parameters)

    def run(self, script: str) -> Any:
        """The value of an expression, of what it promises where that is a promise."""
        found = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def press(self, key: str, text: str = "") -> None:
        """A key goes down and up.  text: that it writes."""
        for kind in ("keyDown", "keyUp"):
            written = {"text": text} if text and kind == "keyDown" else {}
            number = _KEYS.get(key, ord(text.upper()) if text else 0)
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=number, **written)

    def click(self, selector: str) -> None:
        """The mouse, in the middle of an element."""
        self.run(f"document.querySelector({json.dumps(selector)}).scrollIntoView({{block: 'nearest'}})")
        box = self.run(
            f"(({{x, y, width, height}}) => [x + width / 2, y + height / 2])"
            f"(document.querySelector({json.dumps(selector)}).getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=box[0], y=box[1], button="left", clickCount=1)

    def resize(self, width: int, height: int = 900) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600
        )

    def media(self, kind: str, scheme: str = "light") -> None:
        """kind: screen or print."""
        wanted = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=kind, features=wanted)

    def document(self) -> str:
        text: str = self.run("document.documentElement.outerHTML")
        return text

    def complaints(self) -> list[str]:
        """Errors and warnings of its console, and all that it asked the network for besides itself."""
        found = []
        for event in self.browser.events:
            method, said = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown" or (
                method in ("Runtime.consoleAPICalled", "Log.entryAdded")
                and (said.get("type") or said["entry"]["level"]) in ("error", "warning")
            ):
                found.append(json.dumps(said))
            if method == "Network.requestWillBeSent" and said.get("type") != "Document":
                found.append(said["request"]["url"])
        return found

    def picture(self, path: Path, whole: bool = False) -> None:
        """As a PNG."""
        found = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(found["data"]))

    def printed(self) -> bytes:
        """As a PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=False)["data"])


_KEYS = {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39}


@contextmanager
def started(profile: Path) -> Iterator[Browser]:
    """A browser that runs.  profile: a folder for what it keeps."""
    taken, command = os.pipe()
    answers, given = os.pipe()

    # Its messages come in as file 3 and go out as 4, whatever numbers the pipes have here.
    begin = f'exec "$0" "$@" 3<&{taken} 4>&{given}'
    command_line = ["bash", "-c", begin, str(BROWSER), *_FLAGS, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(
        command_line, pass_fds=(taken, given), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(taken)
    os.close(given)
    browser = Browser(command, answers)
    try:
        yield browser
    finally:
        browser.close()
        process.wait(timeout=30)
