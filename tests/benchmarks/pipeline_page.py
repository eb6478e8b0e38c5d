"""Runs programs in the page for `pipeline.py`, in a Chromium that is driven over its debugging protocol.

Playwright makes the page report every message of its WebSockets, which costs the page's process as much as the events
themselves and would be counted with them.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import tempfile
import time
import urllib.request
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from websockets.sync.client import connect

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
    "--remote-debugging-port=0",
    "--window-size=1440,900",
]

MESSAGES = """
globalThis.seen = { events: 0, first: 0, last: 0, moved: 0, over: false };
globalThis.WebSocket = class extends WebSocket {
    constructor(...given) {
        super(...given);
        this.addEventListener('close', () => (seen.over = true));
        this.addEventListener('message', ({ data }) => {
            if (!data.startsWith('{"events"')) return;
            seen.last = performance.now();
            seen.first ||= seen.last;
        });
    }
};
"""
"""Notes when messages come, before the page's own code runs."""

WATCH = """(() => {
    const slider = document.querySelector('[role=slider][aria-label=Timeline]');
    const list = document.querySelector('ul[aria-label="Graph"]');
    Object.assign(seen, { first: 0, last: 0, moved: 0, node: 0, over: false, begun: performance.now() });
    const placed = () => list.children.length > 0 && (seen.node ||= performance.now());
    new MutationObserver(placed).observe(list, { childList: true, subtree: true });
    new MutationObserver(() => (seen.moved = performance.now())).observe(slider, { attributes: true });
})()"""

RUN = "[...document.querySelectorAll('button')].find((b) => b.textContent.trim() === 'Run').click()"

FILE = """(data) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    globalThis.dropped = new DataTransfer();
    dropped.items.add(new File([bytes], 'run.backscope'));
}"""

DROP = """for (const type of ['dragover', 'drop']) {
    window.dispatchEvent(new DragEvent(type, { dataTransfer: dropped, bubbles: true, cancelable: true }));
}"""

OPENED = "seen.moved > 0 && document.querySelector('[role=slider][aria-label=Timeline]').ariaBusy !== 'true'"

READY = """!!document.querySelector('ul[aria-label="Graph"] li')"""


TASKS = {"transferMode": "ReportEvents", "traceConfig": {"includedCategories": ["toplevel"]}}
TASK = "ThreadControllerImpl::RunTask"
LONG_MS = 50


class Shown(NamedTuple):
    """What a run takes in the page: processor time, memory; seconds from Run to what a reader sees; and its long tasks.

    `longest` is the processor time of the longest task in ms, `long` the number of those that took longer than 50 ms.
    """

    seconds: float
    memory: float
    node: float
    arrived: float
    last: float
    longest: float
    long: int


class Browser:
    """A Chromium with one page, spoken to by its own protocol."""

    def __init__(self, url: str) -> None:
        self._socket = connect(url, max_size=None, compression=None)
        self._numbers = itertools.count(1)
        self._traced: list[dict[str, Any]] = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._page: str | None = None
        self._page = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def call(self, method: str, **given: Any) -> dict[str, Any]:
        """Call a method of the browser, or of the page once there is one."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": given}
        if getattr(self, "_page", None) and not method.startswith(("Target.", "SystemInfo.", "Tracing.")):
            message["sessionId"] = self._page
        self._socket.send(json.dumps(message))
        while True:
            answer = json.loads(self._socket.recv())
            self._note(answer)
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                found: dict[str, Any] = answer["result"]
                return found

    def _note(self, message: dict[str, Any]) -> None:
        """Keep the tasks of which a message tells."""
        if message.get("method") == "Tracing.dataCollected":
            self._traced += (one for one in message["params"]["value"] if one["name"] == TASK and "tdur" in one)

    def value(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def until(self, expression: str, seconds: float = 600) -> None:
        """Wait until an expression is true in the page."""
        end = time.monotonic() + seconds
        while not self.value(expression):
            if time.monotonic() > end:
                raise TimeoutError(expression)
            time.sleep(0.2)

    def used(self) -> float:
        """Return the processor time of the page's process."""
        processes = self.call("SystemInfo.getProcessInfo")["processInfo"]
        return float(sum(one["cpuTime"] for one in processes if one["type"] == "renderer"))

    def at_rest(self) -> float:
        """Wait until the page works no more, and return the processor time that its process has used."""
        before, quiet = self.used(), 0
        while quiet < 3:
            time.sleep(0.5)
            now = self.used()
            quiet = quiet + 1 if now - before < 0.02 else 0
            before = now
        return before

    def tasks(self) -> list[float]:
        """End the tracing of tasks; return the milliseconds of processor time of those of the busiest thread."""
        self.call("Tracing.end")
        while json.loads(message := self._socket.recv()).get("method") != "Tracing.tracingComplete":
            self._note(json.loads(message))
        threads: dict[tuple[int, int], list[float]] = {}
        for one in self._traced:
            threads.setdefault((one["pid"], one["tid"]), []).append(one["tdur"] / 1000)
        self._traced = []
        return max(threads.values(), key=sum)

    def memory(self) -> float:
        """Return the bytes of the page's objects and of the memory of its typed arrays, without garbage."""
        for _ in range(3):
            self.call("HeapProfiler.collectGarbage")
        usage = self.call("Runtime.getHeapUsage")
        return float(usage["usedSize"] + usage.get("backingStorageSize", 0))

    def show(self, address: str, source: str) -> Shown:
        """Run a program in the page and wait until all of it is there."""
        self._load(address)
        self.value("document.querySelector('.cm-content').focus(); document.execCommand('selectAll')")
        self.call("Input.insertText", text=source)
        return self._watch(RUN, "seen.over && seen.last > 0")

    def open(self, address: str, trace: bytes) -> Shown:
        """Drop a trace file on the page and wait until all of it is there; no message brings it."""
        self._load(address)
        self.value(f"({FILE})({json.dumps(b64encode(trace).decode())})")
        return self._watch(DROP, OPENED)._replace(arrived=float("nan"))

    def _load(self, address: str) -> None:
        self.call("Page.enable")
        self.call("Page.addScriptToEvaluateOnNewDocument", source=MESSAGES)
        self.call("Page.navigate", url=address)
        self.until(READY, 60)
        self.at_rest()

    def _watch(self, act: str, over: str) -> Shown:
        """Do something in the page and measure until it is over and the page at rest."""
        began, memory = self.at_rest(), self.memory()
        self.call("Tracing.start", **TASKS)
        self.value(f"{WATCH}; {act}")
        self.until(over)
        seconds = self.at_rest() - began
        tasks = self.tasks()
        seen = self.value("seen")
        begun = seen["begun"]
        node, arrived, last = ((seen[name] - begun) / 1000 for name in ("node", "last", "moved"))
        return Shown(
            seconds,
            self.memory() - memory,
            node,
            arrived,
            max(arrived, last),
            max(tasks),
            sum(one > LONG_MS for one in tasks),
        )


@contextmanager
def browser(chromium: str) -> Iterator[Browser]:
    """Yield a new browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen([chromium, *FLAGS, f"--user-data-dir={profile}"], stderr=subprocess.DEVNULL)
        try:
            port = Path(profile, "DevToolsActivePort")
            while not port.exists() or not port.read_text().count("\n"):
                time.sleep(0.1)
            number = port.read_text().split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{number}/json/version") as answer:
                url = json.load(answer)["webSocketDebuggerUrl"]
            yield Browser(url)
        finally:
            process.terminate()
            process.wait()
