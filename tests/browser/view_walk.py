"""Walks through the steps of examples and prints each thing that a step is about and the view does not show.

Run as `python tests/browser/view_walk.py [name ...]`; without names it walks through all examples.  `--size 390x844`
takes one window instead of all of them, `--kinds` adds up the misses by their kind, and `--answers` asks questions
instead of stepping.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

SIZES = {
    "1920x1080": (1920, 1080),
    "1440x900": (1440, 900),
    "1280x720": (1280, 720),
    "1024x768": (1024, 768),
    "390x844": (390, 844),
    "844x390": (844, 390),
    "embed": (720, 480),
}
"""The windows; `embed` is a frame in another page."""
MOST_STEPS = 1000
SAMPLED = 200
"""Steps of a run that is longer than MOST_STEPS."""

LOOK = """async (at) => {
  const canvas = document.querySelector('.view canvas');
  if (!canvas) return null;
  const event = new CustomEvent('backscope:look', { detail: { at } });
  canvas.dispatchEvent(event);
  return event.detail.look;
}"""
"""Goes to the step `at`, where there is one, and returns what the view does not show of the step."""
OPEN = """async (source) => {
  const look = LOOK;
  for (;;) {
    if ((await look())?.source === source) return;
    await new Promise((resume) => setTimeout(resume, 20));
  }
}""".replace("LOOK", LOOK)
"""Waits until the run of a program is over and laid out."""
WALK = """async ({ most, sampled }) => {
  const slider = document.querySelector('[role=slider][aria-label=Timeline]');
  const turns = [];
  const channel = new MessageChannel();
  channel.port1.onmessage = () => turns.shift()();
  const turn = () => new Promise((resume) => { turns.push(resume); channel.port2.postMessage(null); });
  const look = LOOK;
  const press = (key) => {
    const pressed = { key, code: key, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent('keydown', pressed));
  };
  const step = () => Number(slider.getAttribute('aria-valuenow'));
  const last = Number(slider.getAttribute('aria-valuemax'));
  const stride = last > most ? Math.floor(last / sampled) : 1;
  const found = [];
  const note = async () => {
    let seen = await look();
    while (seen.cursor !== step() - 1) { await turn(); seen = await look(); }
    for (const miss of seen.misses) found.push({ step: step(), said: slider.getAttribute('aria-valuetext'), ...miss });
  };
  const go = async (key) => {
    const before = step();
    press(key);
    while (step() === before) await turn();
  };
  await note();
  await go('Home');
  let walked = 1;
  while (step() < last) {
    const next = Math.min(last, step() + stride);
    if (stride > 1) {
      await look(next - 2);
      while (step() !== next - 1) await turn();
    }
    await go('ArrowRight');
    await note();
    walked += 1;
  }
  return { steps: last, walked, found };
}""".replace("LOOK", LOOK)
"""Steps through the run from its beginning, and gives the misses of each step."""


ANSWERS = """async (most) => {
  const look = LOOK;
  const rest = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true }));
  const buttons = () => [...document.querySelectorAll('.questions button:not([aria-disabled=true])')];
  const things = () => [...document.querySelectorAll('[aria-label=Graph] button')];
  const found = [];
  let asked = 0;
  const ask = async (about) => {
    // Questions are listed a moment after the last change; some things have none.
    for (let i = 0; i < 40; i += 1) await rest(25);
    for (const text of buttons().map((button) => button.textContent.trim())) {
      buttons().find((button) => button.textContent.trim() === text)?.click();
      let seen = await look();
      for (let i = 0; i < 200 && seen.question !== text; i += 1) { await rest(25); seen = await look(); }
      if (seen.question !== text) continue;
      asked += 1;
      for (const miss of seen.missed) found.push({ about, question: text, evidence: seen.evidence.length, ...miss });
      press('Escape');
    }
  };
  document.querySelector('button[aria-label="Unfold inspector"]')?.click();
  press('End');
  await ask('the run');
  for (let i = 0; i < Math.min(most, things().length); i += 1) {
    const thing = things()[i];
    thing.click();
    await ask(thing.textContent.trim());
  }
  return { asked, found };
}""".replace("LOOK", LOOK)
"""Asks all questions at the end of a run, about the run and about the first THINGS of the graph."""
THINGS = 6


def answers(page: Page) -> dict[str, Any]:
    """Ask every question at the end of a run; return their number `asked`, and in `found` the evidence out of view."""
    found: dict[str, Any] = page.evaluate(ANSWERS, THINGS)
    return found


def walk(page: Page, most: int = MOST_STEPS, sampled: int = SAMPLED) -> dict[str, Any]:
    """Walk through the run that a page shows; return its `steps`, how many were `walked`, and the misses `found`."""
    found: dict[str, Any] = page.evaluate(WALK, {"most": most, "sampled": sampled})
    return found


def open_at(page: Page, address: str, size: str, name: str, source: str) -> None:
    """Open an example in a window of a size, and wait until it has run and is laid out."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    path = "embed" if size == "embed" else ""
    page.goto(f"{address}/{path}#example={name}")
    page.evaluate(OPEN, source)


def _new_page(browser: Browser, cookies: list[Any]) -> Page:
    context = browser.new_context(reduced_motion="reduce")
    context.add_cookies(cookies)
    # The page would lay out made-up models in idle time, which slows the walk.
    context.add_init_script("delete globalThis.requestIdleCallback")
    return context.new_page()


def main() -> None:
    """Walk through examples and print each miss."""
    sys.path.insert(0, str(Path(__file__).parent))
    from conftest import launch
    from page_server import Server

    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", action="append", choices=list(SIZES))
    parser.add_argument("--kinds", action="store_true", help="add up the misses by their kind")
    parser.add_argument(
        "--answers", action="store_true", help="ask questions at the end of each run instead of stepping"
    )
    parser.add_argument("--sampled", type=int, default=SAMPLED)
    parser.add_argument("--most", type=int, default=MOST_STEPS)
    given = parser.parse_args()
    kinds: Counter[str] = Counter()
    total = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = Server(Path(folder) / "server.log", BACKSCOPE_STORAGE="off")
        server.start()
        browser = launch(playwright)
        try:
            programs = {one["name"]: one["source"] for one in json.loads(server.get("/api/examples"))}
            page = _new_page(browser, server.cookies)
            page.set_default_timeout(300_000)
            for size in given.size or SIZES:
                for name in given.names or programs:
                    open_at(page, server.address, size, name, programs[name])
                    if given.answers:
                        asked = answers(page)
                        total += len(asked["found"])
                        for miss in asked["found"]:
                            print(name, size, miss)
                        print(f"{name} {size}: {asked['asked']} answers, {len(asked['found'])} misses", flush=True)
                        continue
                    walked = walk(page, given.most, given.sampled)
                    total += len(walked["found"])
                    for miss in walked["found"]:
                        kinds[f"{size} {miss['what'].split(' ')[0]} {miss['how']}"] += 1
                        if not given.kinds:
                            print(name, size, miss["step"], miss["what"], miss["how"], miss["of"], "|", miss["said"])
                    print(
                        f"{name} {size}: {walked['walked']} of {walked['steps']} steps, {len(walked['found'])} misses"
                    )
                    sys.stdout.flush()
        finally:
            browser.close()
            server.stop()
    for kind, count in sorted(kinds.items()):
        print(f"{count:6} {kind}")
    print(f"{total} misses")


if __name__ == "__main__":
    main()
