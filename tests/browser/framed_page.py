"""Pages of an author that show frames of Backscope, and what these frames fetched."""

from __future__ import annotations

import gzip
from pathlib import Path

from page_server import Server
from playwright.sync_api import Page, WebSocket, expect

_ICON = '<link rel="icon" href="data:,">'
SHARE = """() => {
  const edge = (name) => document.querySelector(name).getBoundingClientRect();
  return Math.round((100 * edge('.stage .caption-place').bottom) / innerHeight);
}"""
"""Returns the part of the height that graph and caption take, in percent."""

_FETCHED = """() => performance.getEntries()
  .filter(({ entryType, transferSize }) => /navigation|resource/.test(entryType) && transferSize > 300)
  .map(({ name }) => new URL(name).pathname)"""
"""Returns the paths whose content a frame did not find in the browser's cache: headers alone count as 300 bytes."""


def write_page(folder: Path, body: str, name: str = "index.html", head: str = "") -> None:
    """Write a page of the author with this body."""
    text = (
        f'<!doctype html><html lang="en"><head>{_ICON}{head}<title>A tutorial</title></head><body>{body}</body></html>'
    )
    (folder / name).write_text(text, encoding="utf-8")


def script(address: str) -> str:
    """Return the script element that defines <backscope-run>."""
    return f'<script src="{address}/backscope-run.js" defer></script>'


def copy_both(page: Page) -> dict[str, str]:
    """Return the `iframe` and the `element` that the open sheet of the export copies."""
    copied: dict[str, str] = {}
    for kind in ("iframe", "element"):
        page.evaluate("navigator.clipboard.writeText('')")
        page.get_by_role("button", name=f"Copy the {kind}").click()
        expect(page.get_by_text("Copied.", exact=True)).to_be_visible()
        # Both may hold a recording: they are copied when that has come.
        page.wait_for_function("async () => (await navigator.clipboard.readText()) !== ''")
        copied[kind] = page.evaluate("navigator.clipboard.readText()")
    return copied


def weigh(page: Page, server: Server) -> list[tuple[str, int]]:
    """Return what the frames of a page fetched: the path and the size of each body, gzipped but for typefaces."""
    found = []
    for frame in page.frames:
        if frame.url.startswith(server.address):
            for path in frame.evaluate(_FETCHED):
                body = server.get(path)
                found.append((path, len(body if path.endswith("woff2") else gzip.compress(body))))
    return found


class Received:
    """Counts the bytes that the WebSockets of a page receive, as they are, not compressed."""

    def __init__(self, page: Page) -> None:
        self.nbytes = 0
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", self._count)

    def _count(self, payload: str | bytes) -> None:
        self.nbytes += len(payload)
