"""Records the gallery: for each example the step that teaches, its caption and, in both themes, its thumbnail.

Run as `python tests/browser/record_gallery.py [name ...]` after a change of an example or of how the stage draws;
without names it records all examples. The words that the caption of the step holds are in
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
STILL = """async () => {
  await document.fonts.ready;
  const canvas = [...document.querySelectorAll('canvas')].sort((a, b) => b.width * b.height - a.width * a.height)[0];
  let before = null;
  for (let alike = 0; alike < 3; ) {
    await new Promise(requestAnimationFrame);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const now = new Uint32Array(data.buffer);
    alike = before?.length === now.length && now.every((pixel, i) => pixel === before[i]) ? alike + 1 : 0;
    before = now;
  }
}"""
"""Waits until the stage shows the same in several frames."""
CROP = """([whole, place]) => {
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
  const least = whole ? full : Math.min(full, Math.max(600 * ratio, Math.min(880 * ratio, needed)));
  const swatch = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const grounds = ['--group', '--group-2', '--group-3', '--paper-sunken'].map((name) => {
    swatch.fillStyle = getComputedStyle(canvas).getPropertyValue(name);
    swatch.fillRect(0, 0, 1, 1);
    return swatch.getImageData(0, 0, 1, 1).data;
  });
  const isInk = (x, y) => {
    if (x < 0 || y < 0 || x >= canvas.width || y >= canvas.height) return false;
    const i = 4 * (y * canvas.width + x);
    return now[i + 3] > 0 && !grounds.some((ground) => [0, 1, 2].every((k) => Math.abs(ground[k] - now[i + k]) < 3));
  };
  // A line that only edges cross has short runs of ink, one through a card, a pill or a text long ones.
  const cutBy = (from, to, at) => {
    let [cut, run, gap] = [0, 0, 0];
    const end = () => { if (run > 9 * ratio) cut += run; run = 0; };
    for (let i = Math.round(from); i < to; i += 2) {
      if (at(i)) { run += 2 + (run > 0 ? gap : 0); gap = 0; }
      else if ((gap += 2) > 4 * ratio) end();
    }
    end();
    return cut;
  };
  const cutOf = ([x, y, wide]) => {
    const [right, bottom] = [x + wide, y + wide / 1.6].map(Math.round);
    const [left, top] = [x, y].map(Math.round);
    const sides = [left, right].map((at) => cutBy(top, bottom, (i) => isInk(at, i)));
    return [...sides, ...[top, bottom].map((at) => cutBy(left, right, (i) => isInk(i, at)))].reduce((a, b) => a + b);
  };
  // The places of a window of some size along one side: around what is to be seen, and within what is drawn.
  const PLACES = 12;
  const placesOf = (size, seenFrom, seenTo, low, high) => {
    if (high - low <= size) return [(low + high - size) / 2];
    const hold = (at) => Math.min(Math.max(at, low), high - size);
    const centre = hold((seenFrom + seenTo - size) / 2);
    if (seenTo - seenFrom >= size) return [centre];
    const [first, last] = [hold(seenTo - size), hold(seenFrom)];
    const made = Array.from({ length: PLACES + 1 }, (_, k) => first + ((last - first) * k) / PLACES);
    return [centre, ...made.sort((a, b) => Math.abs(a - centre) - Math.abs(b - centre))];
  };
  let best = null;
  for (let wide = least; !place; wide = Math.min(full, wide * 1.05)) {
    const xs = placesOf(wide, seen.left - pad, seen.right + pad, drawn.left - pad, drawn.right + pad);
    const ys = placesOf(wide / 1.6, seen.top - pad, seen.bottom + pad, drawn.top - pad, drawn.bottom + pad);
    for (const x of xs) for (const y of ys) {
      if (best?.cut === 0) continue;
      const cut = cutOf([x, y, wide]);
      if (!best || cut < best.cut) best = { x, y, wide, cut };
    }
    if (best.cut === 0 || wide >= full || wide > 1.6 * least) break;
  }
  const [x, y, wide] = place ?? [best.x, best.y, best.wide];
  const high = wide / 1.6;
  const made = document.createElement('canvas');
  made.width = 448;
  made.height = 280;
  const ctx = made.getContext('2d');
  ctx.imageSmoothingQuality = 'high';
  ctx.drawImage(canvas, x, y, wide, high, 0, 0, made.width, made.height);
  return { picture: made.toDataURL('image/webp', 0.72).split(',')[1], place: [x, y, wide] };
}"""
"""A small picture of the stage around what the step changed, with no box cut where that can be, or of its whole."""


def digest(source: str) -> str:
    """Return the beginning of the hash of a program, which another version of it does not have."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def _at(page: Page, address: str, at: int) -> None:
    page.goto("about:blank")
    page.goto(f"{address}&at={at}")
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_attribute("aria-valuenow", str(at + 1))
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()
    page.get_by_role("heading", name="Backscope").click()


def _settle(page: Page) -> None:
    page.evaluate(STILL)


def _record(
    page: Page, address: str, source: str, words: str, recorded: dict[str, Any] | None, path: Path
) -> dict[str, Any]:
    from stage_view import OPEN

    if not words:
        # An example to look around in: all of it.
        page.goto("about:blank")
        page.goto(address)
        page.evaluate(OPEN, source)
        page.get_by_role("heading", name="Backscope").click()
        _settle(page)
        # A large model is shown as a whole by itself.
        if page.get_by_role("button", name="Fit the graph").is_visible():
            page.keyboard.press("0")
        page.evaluate("() => { window.keptStage = document.createElement('canvas'); }")
        _settle(page)
        _crop(page, path, True, None)
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
    # Both themes show the same: only in one of them are grounds and cards of different colours.
    return {**recorded, "place": _crop(page, path, False, recorded.get("place"))}


def _crop(page: Page, path: Path, whole: bool, place: list[float] | None) -> list[float]:
    cropped = page.evaluate(CROP, [whole, place])
    path.write_bytes(base64.b64decode(cropped["picture"]))
    found: list[float] = cropped["place"]
    return found


def main(names: list[str]) -> None:
    """Record the examples of these names, or all."""
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
                    # So large that no example of a few passes is cut by the rim of the stage.
                    viewport={"width": 2560, "height": 1440},
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
                    recorded = _record(page, address, programs[name], words[name], recorded, picture)
                moments[name] = {**(recorded or {}), "source": digest(programs[name])}
                moments[name].pop("place", None)
                kept = {one: moments[one] for one in sorted(moments) if one in programs}
                target.write_text(json.dumps(kept, ensure_ascii=False, indent=2) + "\n")
                print(name, moments[name]["at"], moments[name]["caption"].replace("\n", " ")[:100], flush=True)
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
