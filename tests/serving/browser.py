"""A headless Chromium that is told what to do over a pipe, in the words of its DevTools protocol."""

import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
FLAGS = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--disable-extensions", "--hide-scrollbars",
    "--no-proxy-server", "--remote-debugging-pipe",
]  # fmt: skip


class Chromium:
    """One page of a browser: `tell` sends a command and waits for its answer, `events` keeps what it says unasked."""

    def __init__(self, width: int = 1280) -> None:
        self._home = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        there, self._write = os.pipe()
        self._read, back = os.pipe()
        shell = f'exec "$@" 3<&{there} 4>&{back}'
        command = ["bash", "-c", shell, "bash", str(BROWSER), *FLAGS, f"--user-data-dir={self._home.name}"]
        self._process = subprocess.Popen(command, pass_fds=(there, back), stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(back)
        self._count, self._left, self._session = 0, b"", ""
        self.events: list[dict[str, Any]] = []
        target = self.tell("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.tell("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Network", "Log", "DOM"):
            self.tell(f"{part}.enable")
        self.tell("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._write)
        os.close(self._read)
        self._home.cleanup()

    def tell(self, method: str, **words: Any) -> dict[str, Any]:
        self._count += 1
        message = {"id": self._count, "method": method, "params": words}
        whole = message | ({"sessionId": self._session} if self._session else {})
        os.write(self._write, json.dumps(whole).encode() + b"\0")
        while (found := self._next()).get("id") != self._count:
            self.events.append(found)
        assert "error" not in found, found
        return found["result"]

    def run(self, script: str) -> Any:
        """The value of a piece of JavaScript."""
        found = self.tell("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def until(self, script: str, seconds: float = 20.0) -> Any:
        """The value, as soon as it is true."""
        end = time.monotonic() + seconds
        while not (found := self.run(script)):
            assert time.monotonic() < end, f"never true: {script}\n{self.run('document.body.innerText')}"
            time.sleep(0.05)
        return found

    def choose(self, selector: str, file: Path) -> None:
        """Puts a file into a field, as a person would choose it."""
        root = self.tell("DOM.getDocument")["root"]["nodeId"]
        node = self.tell("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.tell("DOM.setFileInputFiles", files=[str(file)], nodeId=node)

    def complaints(self) -> list[str]:
        """What stands on its console."""
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event) for event in self.events if event.get("method") in kinds]

    def fetched(self) -> set[str]:
        """Every address that the page asked for."""
        asked = [event["params"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return {event["request"]["url"] for event in asked}

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._left:
            ready, _, _ = select.select([self._read], [], [], 60)
            part = os.read(self._read, 1 << 16) if ready else b""
            assert part, "the browser is gone"
            self._left += part
        line, _, self._left = self._left.partition(b"\0")
        return json.loads(line)
