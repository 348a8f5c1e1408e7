"""A real browser for tests, driven over the loopback interface: Chromium through its own driver, without a network."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
MISSING = "no Chromium with its driver here (Debian: chromium, chromium-driver)"
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
    "--disable-lcd-text",
)  # fmt: skip
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c"}


class Browser:
    """One window."""

    def __init__(self, base: str, profile: Path) -> None:
        chrome = {"binary": CHROMIUM, "args": [*_FLAGS, f"--user-data-dir={profile}"]}
        wanted = {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self._base = base
        self._session = f"/session/{self._post('/session', {'capabilities': {'alwaysMatch': wanted}})['sessionId']}"

    def open(self, page: Path) -> None:
        self._post(f"{self._session}/url", {"url": page.as_uri()})

    def run(self, script: str, *arguments: Any) -> Any:
        """What a script of the test's own returns; it runs beside the page's policy, not under it."""
        return self._post(f"{self._session}/execute/sync", {"script": script, "args": list(arguments)})

    def press(self, *keys: str) -> None:
        """Type texts, and keys by name."""
        presses = [
            {"type": kind, "value": char}
            for key in keys
            for char in KEYS.get(key, key)
            for kind in ("keyDown", "keyUp")
        ]
        actions = [{"type": "key", "id": "keyboard", "actions": presses}]
        self._post(f"{self._session}/actions", {"actions": actions})
        self._settle()

    def _settle(self) -> None:
        """Wait until what was asked for is drawn: a jump inside a page happens some frames after its key."""
        frame = "requestAnimationFrame(() => setTimeout(next))"
        self.run(f"return new Promise(done => {{ let n = 4; const next = () => n-- ? {frame} : done(); next() }})")

    def told(self) -> list[str]:
        """What the console said since it was last asked."""
        return [each["message"] for each in self._post(f"{self._session}/se/log", {"type": "browser"})]

    def requested(self) -> list[str]:
        """Every address that was asked for since this was last asked; what a policy stopped never left."""
        log = self._post(f"{self._session}/se/log", {"type": "performance"})
        events = [json.loads(each["message"])["message"] for each in log]
        failed = [each["params"] for each in events if each["method"] == "Network.loadingFailed"]
        stopped = {each["requestId"] for each in failed if each.get("blockedReason") == "csp"}
        sent = [each["params"] for each in events if each["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent if each["requestId"] not in stopped]

    def look(self, width: int, scheme: str, *, height: int = 900, scale: float = 1) -> None:
        """Set the size of the window in CSS pixels, and light or dark."""
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)

    def picture(self, x: float, y: float, width: float, height: float) -> bytes:
        """A part of the page as PNG, given in CSS pixels from its top."""
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": 1}
        shot = self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(shot["data"])

    def printed(self) -> bytes:
        """The page as PDF."""
        return base64.b64decode(self.command("Page.printToPDF", printBackground=True)["data"])

    def command(self, name: str, **parameters: Any) -> Any:
        """A command of the browser's own protocol."""
        return self._post(f"{self._session}/goog/cdp/execute", {"cmd": name, "params": parameters})

    def close(self) -> None:
        self._send("DELETE", self._session, None)

    def _post(self, path: str, body: Any) -> Any:
        return self._send("POST", path, body)

    def _send(self, method: str, path: str, body: Any) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = Request(self._base + path, data, {"Content-Type": "application/json"}, method=method)
        with urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """A browser with a new profile below ``folder``; it is gone afterwards."""
    assert DRIVER is not None
    with subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as driver:
        try:
            assert driver.stdout is not None
            ports = (re.search(r"successfully on port (\d+)", line) for line in driver.stdout)
            port = next(found[1] for found in ports if found)
            browser = Browser(f"http://127.0.0.1:{port}", folder / "profile")
            try:
                yield browser
            finally:
                browser.close()
        finally:
            driver.terminate()
