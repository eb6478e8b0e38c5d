"""Records the gallery: for each example the step that teaches, its caption and, in both themes, its thumbnail.

Run as `python tests/browser/record_gallery.py [name ...]` after a change of an example or of how the stage draws;
without names it records all examples. The words that the caption of the step holds stand in
`web/src/examples/topics.json`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect, sync_playwright

from backscope_server.api import example

FOLDER = Path(__file__).parents[2] / "web" / "src" / "examples"
THEMES = ("light", "dark")
MOST_STEPS = 150
FIND = """async ([words, most]) => {
  const slider = document.querySelector('[role=slider][aria-label=Timeline]');
  for (let step = 1; step <= most; step++) {
    const pressed = { key: 'ArrowRight', code: 'ArrowRight', bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent('keydown', pressed));
    do await new Promise(requestAnimationFrame); while (slider.getAttribute('aria-valuenow') !== String(step));
    const told = document.querySelector('[data-testid=caption]').innerText;
    if (told.includes(words)) return [step, told];
  }
  return null;
}"""
"""Steps forward from the beginning until the caption holds some words."""
KEEP = """() => {
  const canvas = [...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0];
  const kept = document.createElement('canvas');
  kept.width = canvas.width;
  kept.height = canvas.height;
  kept.getContext('2d').drawImage(canvas, 0, 0);
  window.keptStage = kept;
}"""
"""Keeps what the stage shows, to find what the next step changes."""
CROP = """(whole) => {
  const canvas = [...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0];
  const pixels = (from) => from.getContext('2d').getImageData(0, 0, from.width, from.height).data;
  const now = pixels(canvas);
  const before = window.keptStage.width === canvas.width ? pixels(window.keptStage) : new Uint8Array(now.length);
  const box = (holds) => {
    let [left, top, right, bottom] = [canvas.width, canvas.height, 0, 0];
    for (let y = 0; y < canvas.height; y += 2) for (let x = 0; x < canvas.width; x += 2) {
      if (!holds(4 * (y * canvas.width + x))) continue;
      left = Math.min(left, x); right = Math.max(right, x); top = Math.min(top, y); bottom = Math.max(bottom, y);
    }
    return { left, top, right, bottom };
  };
  const drawn = box((i) => now[i + 3] > 0);
  const changed = box((i) => [0, 1, 2, 3].some((k) => Math.abs(now[i + k] - before[i + k]) > 24));
  const seen = changed.right > changed.left ? changed : drawn;
  const ratio = window.devicePixelRatio;
  const pad = 14 * ratio;
  const full = Math.max(drawn.right - drawn.left + 2 * pad, (drawn.bottom - drawn.top + 2 * pad) * 1.6);
  const needed = Math.max(seen.right - seen.left + 2 * pad, (seen.bottom - seen.top + 2 * pad) * 1.6);
  const wide = whole ? full : Math.min(full, Math.max(600 * ratio, Math.min(880 * ratio, needed)));
  const high = wide / 1.6;
  const fit = (centre, size, low, high) =>
    high - low <= size ? (low + high - size) / 2 : Math.min(Math.max(centre - size / 2, low), high - size);
  const x = fit((seen.left + seen.right) / 2, wide, drawn.left - pad, drawn.right + pad);
  const y = fit((seen.top + seen.bottom) / 2, high, drawn.top - pad, drawn.bottom + pad);
  const made = document.createElement('canvas');
  made.width = 448;
  made.height = 280;
  const ctx = made.getContext('2d');
  ctx.imageSmoothingQuality = 'high';
  ctx.drawImage(canvas, x, y, wide, high, 0, 0, made.width, made.height);
  return made.toDataURL('image/webp', 0.72).split(',')[1];
}"""
"""The stage around what the step changed, or the whole of it, as a small picture on nothing."""


def digest(source: str) -> str:
    """What tells one version of a program from another."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def _at(page: Page, address: str, at: int) -> None:
    page.goto("about:blank")
    page.goto(f"{address}&at={at}")
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_attribute("aria-valuenow", str(at + 1))
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    page.get_by_role("heading", name="Backscope").click()


def _settle(page: Page) -> None:
    page.evaluate("() => document.fonts.ready")
    page.evaluate("async () => { for (let i = 0; i < 30; i++) await new Promise(requestAnimationFrame); }")


def _record(page: Page, address: str, words: str, recorded: dict[str, Any] | None, path: Path) -> dict[str, Any]:
    if not words:
        # An example to look around in: all of it.
        page.goto("about:blank")
        page.goto(address)
        expect(page.get_by_role("slider", name="Timeline")).not_to_have_attribute("aria-valuemax", "0")
        expect(page.get_by_role("slider", name="Timeline")).to_have_attribute("aria-busy", "false", timeout=120_000)
        page.get_by_role("heading", name="Backscope").click()
        # What is still being placed comes into view by itself.
        page.wait_for_timeout(3000)
        page.keyboard.press("0")
        page.evaluate("() => { window.keptStage = document.createElement('canvas'); }")
        _settle(page)
        path.write_bytes(base64.b64decode(page.evaluate(CROP, True)))
        return {"at": None, "caption": page.get_by_test_id("caption").inner_text()}
    if recorded is None:
        _at(page, address, -1)
        found = page.evaluate(FIND, [words, MOST_STEPS])
        if found is None:
            raise SystemExit(f"No step of {address} says “{words}”.")
        recorded = {"at": found[0] - 1, "caption": found[1]}
    _at(page, address, recorded["at"] - 1)
    _settle(page)
    page.evaluate(KEEP)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("caption")).to_contain_text(words)
    _settle(page)
    path.write_bytes(base64.b64decode(page.evaluate(CROP)))
    return recorded


def main(names: list[str]) -> None:
    """Records the examples of these names, or all."""
    sys.path.insert(0, str(Path(__file__).parent))
    from conftest import launch
    from page_server import Server

    target = FOLDER / "moments.json"
    moments: dict[str, dict[str, Any]] = json.loads(target.read_text()) if target.exists() else {}
    programs = {one.name: one.source for one in example.load()}
    words = {
        one["name"]: one["moment"]
        for topic in json.loads((FOLDER / "topics.json").read_text())
        for one in topic["examples"]
    }
    (FOLDER / "thumbnails").mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "server.log", BACKSCOPE_STORAGE="off")
        server.start()
        browser = launch(playwright)
        try:
            pages = {}
            for theme in THEMES:
                context = browser.new_context(
                    viewport={"width": 1440, "height": 900},
                    device_scale_factor=2,
                    color_scheme=theme,
                    reduced_motion="reduce",
                )
                context.add_cookies(server.cookies)
                pages[theme] = context.new_page()
                pages[theme].goto(server.address)
            for name in names or sorted(words):
                recorded = None
                for theme, page in pages.items():
                    address = f"{server.address}/#example={name}"
                    picture = FOLDER / "thumbnails" / f"{name}.{theme}.webp"
                    recorded = _record(page, address, words[name], recorded, picture)
                moments[name] = {**(recorded or {}), "source": digest(programs[name])}
                kept = {one: moments[one] for one in sorted(moments) if one in programs}
                target.write_text(json.dumps(kept, ensure_ascii=False, indent=2) + "\n")
                print(name, moments[name]["at"], moments[name]["caption"].replace("\n", " ")[:100], flush=True)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
