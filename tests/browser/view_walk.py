"""Walks through the steps of examples and prints each thing that a step is about and the view does not show.

Run as `python tests/browser/view_walk.py [name ...]`; without names it walks through all examples, and a name that ends
in `.py` is a file with a program.  `--size 390x844` takes one window instead of all of them, `--kinds` adds up the
misses by their kind, and `--answers` asks questions, goes by links and drops traces instead of stepping.
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

sys.path.append(str(Path(__file__).parents[1]))  # What is beside the tests of all suites.

from stage_view import LOOK, SIZES, open_at
from view_answers import answers, arrivals

MOST_STEPS = 1000
SAMPLED = 200
"""Steps of a run that is longer than MOST_STEPS."""
SETTLING = 10
"""Frames after a step in which the view may still move for what has come to lie over the stage."""

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
  const found = [];
  const note = async () => {
    let seen = await look();
    while (seen.cursor !== step() - 1) { await turn(); seen = await look(); }
    // The page measures what lies over the stage in the frames after a step.
    for (let i = 0; i < FRAMES && seen.misses.length > 0; i += 1) {
      await new Promise(requestAnimationFrame);
      seen = await look();
    }
    for (const miss of seen.misses) found.push({ step: step(), said: slider.getAttribute('aria-valuetext'), ...miss });
  };
  const go = async (key) => {
    const before = step();
    press(key);
    while (step() === before) await turn();
  };
  const moved = async (to) => {
    await look(to - 1);
    while (step() !== to) await turn();
  };
  await note();
  await go('Home');
  let walked = 1;
  const goOn = async (isByNode) => {
    const before = step();
    await go('ArrowRight');
    // Units follow each other, and by nodes each step is one.
    for (let units = 0; isByNode && step() > before + 1 && units < 3; units += 1) {
      press('u');
      await moved(before);
      await go('ArrowRight');
    }
    await note();
    walked += 1;
  };
  // A large model opens as boxes, which are stepped through one by one; the second time it is stepped by nodes.
  for (const isByNode of [false, true]) {
    if (walked === last) break;
    await moved(1);
    while (last <= most && step() < last) await goOn(isByNode);
    for (let i = 1; last > most && i <= sampled; i += 1) {
      await moved(Math.max(1, Math.round((last * i) / sampled) - 1));
      await goOn(isByNode);
    }
  }
  return { steps: last, walked, found };
}""".replace("LOOK", LOOK).replace("FRAMES", str(SETTLING))
"""Steps through the run from its beginning, and gives the misses of each step."""


def walk(page: Page, most: int = MOST_STEPS, sampled: int = SAMPLED) -> dict[str, Any]:
    """Walk through the run that a page shows; return its `steps`, how many were `walked`, and the misses `found`."""
    found: dict[str, Any] = page.evaluate(WALK, {"most": most, "sampled": sampled})
    return found


def _new_page(browser: Browser, cookies: list[Any]) -> Page:
    context = browser.new_context(reduced_motion="reduce")
    context.add_cookies(cookies)
    # The page would lay out made-up models in idle time, which slows the walk.
    context.add_init_script("delete globalThis.requestIdleCallback")
    return context.new_page()


def main() -> None:
    """Walk through examples and print each miss."""
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
            own = {name: Path(name).read_text("utf-8") for name in given.names if name.endswith(".py")}
            page = _new_page(browser, server.cookies)
            page.set_default_timeout(300_000)
            for size in given.size or SIZES:
                for name in given.names or programs:
                    source = own[name] if name in own else programs[name]
                    open_at(page, server.address, size, name, source)
                    if given.answers:
                        asked = answers(page)
                        came = arrivals(page, server.address, size, name, source)
                        misses = [*asked["found"], *came["found"]]
                        total += len(misses)
                        for miss in misses:
                            print(name, size, *(f"{key}={value!r}" for key, value in miss.items()))
                        counts = " ".join(
                            f"{kind}:{count}" for kind, count in {**asked["counts"], **came["counts"]}.items()
                        )
                        print(f"{name} {size}: {len(misses)} misses; {counts}", flush=True)
                        continue
                    walked = walk(page, given.most, given.sampled)
                    total += len(walked["found"])
                    for miss in walked["found"]:
                        kinds[f"{size} {miss['what'].split(' ')[0]} {miss['how']}"] += 1
                        if not given.kinds:
                            of = " / ".join(miss["of"].split("\n"))
                            print(name, size, miss["step"], miss["what"], miss["how"], of, "|", miss["said"])
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
