"""Starts Firefox for Playwright, and answers commands of WebDriver BiDi that a released Firefox does not have.

Playwright starts this program in place of Firefox, with its arguments, and connects to the address that it prints. Each
message goes on to Firefox, except for the commands in `ABSENT`, which Playwright sends for every page: without an
answer to them no page opens.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from functools import partial
from threading import Thread

from websockets.sync.client import connect
from websockets.sync.server import ServerConnection, serve

ABSENT = {"emulation.setMediaFeaturesOverride"}
"""Commands that this program answers itself, with an empty result."""

LISTENING = re.compile(r"WebDriver BiDi listening on (ws://\S+)")


def relay(playwright: ServerConnection, firefox: str) -> None:
    """Carry the messages of one connection in both directions until either end closes."""
    path = playwright.request.path if playwright.request else "/session"
    with connect(f"{firefox}{path}", max_size=None, compression=None, proxy=None) as browser:

        def answers() -> None:
            for message in browser:
                playwright.send(message)
            playwright.close()

        Thread(target=answers, daemon=True).start()
        for message in playwright:
            command = json.loads(message)
            if command["method"] in ABSENT:
                playwright.send(json.dumps({"type": "success", "id": command["id"], "result": {}}))
            else:
                browser.send(message)


def main() -> int:
    """Start the Firefox that BACKSCOPE_FIREFOX names, relay its connections, and return its exit status."""
    browser = subprocess.Popen(
        [os.environ["BACKSCOPE_FIREFOX"], *sys.argv[1:]], stderr=subprocess.PIPE, text=True, errors="replace"
    )
    signal.signal(signal.SIGTERM, lambda *_: browser.terminate())
    assert browser.stderr is not None
    for line in browser.stderr:
        found = LISTENING.search(line)
        if found:
            server = serve(partial(relay, firefox=found[1]), "127.0.0.1", 0, max_size=None, compression=None)
            Thread(target=server.serve_forever, daemon=True).start()
            port = server.socket.getsockname()[1]
            line = line.replace(found[1], f"ws://127.0.0.1:{port}")
        print(line, end="", file=sys.stderr, flush=True)
    return browser.wait()


if __name__ == "__main__":
    sys.exit(main())
