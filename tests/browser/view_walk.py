"""Walks through the steps of examples and prints each thing that a step is about and the view does not show.

Run as `python tests/browser/view_walk.py [name ...]`; without names it walks through all examples.  `--size 390x844`
takes one window instead of all of them, `--kinds` adds up the misses by their kind, and `--answers` asks questions,
goes by links and drops traces instead of stepping.
"""

from __future__ import annotations

import argparse
import base64
import json
import re
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from dropping import DROP
from playwright.sync_api import Browser, Page, WebSocket, sync_playwright

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
SETTLING = 10
"""Frames after a step in which the view may still move for what has come to lie over the stage."""

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
  if (last <= most) {
    while (step() < last) {
      await go('ArrowRight');
      await note();
      walked += 1;
    }
    return { steps: last, walked, found };
  }
  // A large model opens as boxes, which are stepped through one by one; the second time it is stepped by nodes.
  for (const isByNode of [false, true]) {
    for (let i = 1; i <= sampled; i += 1) {
      const before = Math.max(1, Math.round((last * i) / sampled) - 1);
      await moved(before);
      await go('ArrowRight');
      for (let units = 0; isByNode && step() > before + 1 && units < 3; units += 1) {
        press('u');
        await moved(before);
        await go('ArrowRight');
      }
      await note();
      walked += 1;
    }
  }
  return { steps: last, walked, found };
}""".replace("LOOK", LOOK).replace("FRAMES", str(SETTLING))
"""Steps through the run from its beginning, and gives the misses of each step."""


ANSWERS = """async (most) => {
  const look = LOOK;
  const rest = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));
  const press = (key) => document.body.dispatchEvent(new KeyboardEvent('keydown', { key, code: key, bubbles: true }));
  const all = (selector) => [...document.querySelectorAll(selector)];
  const textOf = (element) => element.textContent.trim();
  const named = (text) => all('button').filter((one) => textOf(one).match(text));
  const found = [];
  const counts = {};
  const until = async (condition) => {
    let seen = await look();
    for (let i = 0; i < 200 && !condition(seen); i += 1) { await rest(25); seen = await look(); }
    return condition(seen) ? seen : null;
  };
  // On a phone the inspector is a sheet over the stage.
  const inspect = async () => {
    document.querySelector('button[aria-label="Unfold inspector"]')?.click();
    all('.tabs button[aria-pressed=false]').find((one) => textOf(one) === 'Inspect')?.click();
    await rest(50);
  };
  const leave = async () => {
    all('.sheet > header button').at(-1)?.click();
    await rest(100);
  };
  // A sheet leaves a strip of the stage, but on a phone on its side.
  const isHidden = () => {
    const sheet = document.querySelector('.sheet')?.getBoundingClientRect();
    return sheet !== undefined && sheet.top <= document.querySelector('.view canvas').getBoundingClientRect().top;
  };
  const note = (kind, about, seen, misses) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
    if (!seen) found.push({ kind, about, what: 'view', how: 'nowhere', of: '' });
    for (const miss of seen ? misses(seen) : []) found.push({ kind, about, ...miss });
  };
  const questions = async () => {
    await inspect();
    // Questions are listed a moment after the last change; some things have none.
    const listed = () => all('.questions button:not([aria-disabled=true])');
    for (let i = 0; i < 60 && listed().length === 0; i += 1) await rest(25);
    return listed();
  };
  const names = async (about) => {
    await inspect();
    for (let i = 0; i < all('.involved button').length; i += 1) {
      await inspect();
      const name = all('.involved button')[i];
      if (!name) break;
      const text = textOf(name);
      name.click();
      const isSelected = ({ selected }) => selected === true;
      if (!isHidden()) note('name', `${about}: ${text}`, await until(isSelected), () => []);
      await leave();
      note('name', `${about}: ${text}`, await until(isSelected), () => []);
    }
  };
  const ask = async (about, follow) => {
    for (const text of (await questions()).map(textOf)) {
      const button = (await questions()).find((one) => textOf(one) === text);
      if (!button) continue;
      button.click();
      const answered = await until(({ question }) => question === text);
      if (!isHidden()) note('question', `${about}: ${text}`, answered && (await look()), ({ missed }) => missed);
      await leave();
      note('question', `${about}: ${text}`, answered && (await look()), ({ missed }) => missed);
      if (follow) await names(text);
      press('Escape');
    }
  };
  // Names in the inspector and the caption; some are of what is not on the stage.
  const mentioned = async (about) => {
    const listed = () => all('[aria-label=Inspector] button.mono, .sheet button.mono, .caption .place button');
    await inspect();
    for (let i = 0; i < 60 && listed().length === 0; i += 1) await rest(25);
    const texts = [...new Set(listed().map(textOf))].filter((text) => !/^(line|step) /.test(text));
    for (const text of texts.slice(0, most)) {
      await inspect();
      const name = listed().find((one) => textOf(one) === text);
      if (!name) continue;
      name.click();
      await rest(50);
      const seen = await until(({ selected }) => selected !== false);
      if (seen?.selected === null) continue;
      if (!isHidden()) note('mention', `${about}: ${text}`, seen, () => []);
      await leave();
      note('mention', `${about}: ${text}`, await until(({ selected }) => selected === true), () => []);
      press('Escape');
    }
  };
  press('End');
  await mentioned('the run');
  await ask('the run', true);
  const things = () => all('[aria-label=Graph] button');
  for (let i = 0; i < Math.min(most, things().length); i += 1) {
    const thing = things()[i];
    const about = textOf(thing);
    thing.click();
    note('selection', about, await until(({ selected }) => selected === true), () => []);
    await ask(about, i === 0);
    if (i === 0) {
      await mentioned(about);
      things()[i].click();
    }
    await inspect();
    const from = named(/come from\\?$/)[0];
    if (!from) continue;
    from.click();
    const seen = await until(({ evidence }) => evidence.length > 0);
    await leave();
    if (seen) note('origin', about, await look(), ({ missed }) => missed);
    press('Escape');
  }
  await leave();
  press('Home');
  await rest(200);
  const toError = named(/^Go to the error$/)[0];
  if (toError) {
    toError.click();
    const seen = await until(({ evidence }) => evidence.length > 0);
    note('error', '', seen, ({ misses, missed }) => [...misses, ...missed]);
  }
  press('End');
  await leave();
  await rest(200);
  const search = all('button[aria-label^="Find on the stage"]')[0];
  if (search) {
    search.click();
    const input = () => document.querySelector('[role=search] input');
    for (let i = 0; i < 100 && !input(); i += 1) await rest(25);
    const field = input();
    if (field) {
      field.value = 'l';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      const hits = () => all('[aria-label="Hits"] button');
      for (let i = 0; i < 100 && hits().length === 0; i += 1) await rest(25);
      for (let i = 0; i < Math.min(most, hits().length); i += 1) {
        const about = textOf(hits()[i]);
        hits()[i].click();
        note('hit', about, await until(({ selected }) => selected === true), () => []);
      }
      all('button[aria-label^="Close the search"]')[0]?.click();
    }
  }
  return { counts, found };
}""".replace("LOOK", LOOK)
"""Asks all questions at the end of a run about it and about the first things of the graph, clicks what answers name,
and goes to the error and to hits of a search."""
FIRST_ANSWER = """async () => {
  const look = LOOK;
  const rest = (milliseconds) => new Promise((resume) => setTimeout(resume, milliseconds));
  document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', code: 'End', bubbles: true }));
  document.querySelector('button[aria-label="Unfold inspector"]')?.click();
  const tabs = [...document.querySelectorAll('.tabs button[aria-pressed=false]')];
  tabs.find((one) => one.textContent.trim() === 'Inspect')?.click();
  const asked = () => document.querySelector('.questions button:not([aria-disabled=true])');
  for (let i = 0; i < 60 && !asked(); i += 1) await rest(25);
  asked()?.click();
  let seen = await look();
  for (let i = 0; i < 100 && !seen.evidence.length; i += 1) { await rest(25); seen = await look(); }
  [...document.querySelectorAll('.sheet > header button')].at(-1)?.click();
  await rest(100);
  return seen.evidence.length > 0;
}""".replace("LOOK", LOOK)
"""Asks the first question about the end of a run; returns whether its answer has evidence."""
THINGS = 4
LINKED = (0.2, 0.6, 0.9)
"""Where in a run links lead to, as arrivals() has it."""
TURNED = {
    "1920x1080": "1280x720",
    "1440x900": "1024x768",
    "1280x720": "1920x1080",
    "1024x768": "1440x900",
    "390x844": "844x390",
    "844x390": "390x844",
    "embed": "390x844",
}
"""The window that one is resized to, or turned to."""


def answers(page: Page, things: int = THINGS) -> dict[str, Any]:
    """Ask at the end of a run; return the `counts` of what was asked, and in `found` the evidence that was missed."""
    found: dict[str, Any] = page.evaluate(ANSWERS, things)
    return found


def settled(page: Page) -> list[dict[str, Any]]:
    """Return the misses of the step and of an answer once there are none, or after some seconds."""
    found: list[dict[str, Any]] = page.evaluate(
        f"""async () => {{
      let misses = [];
      for (let i = 0; i < 100; i += 1) {{
        const seen = await ({LOOK})();
        misses = seen ? [...seen.misses, ...seen.missed] : [{{ what: 'stage', how: 'nowhere', of: '' }}];
        if (misses.length === 0) break;
        await new Promise((resume) => setTimeout(resume, 30));
      }}
      return misses;
    }}"""
    )
    return found


def arrivals(
    page: Page, address: str, size: str, name: str, source: str, linked: tuple[float, ...] = LINKED
) -> dict[str, Any]:
    """Go to moments by links, resize the window there, and drop the trace; return `counts` and `found` as answers().

    `linked`: where in the run links lead to, as shares of its steps.
    """
    sessions: list[str] = []

    def received(frame: str | bytes) -> None:
        if isinstance(frame, str) and (known := re.search(r'"session": ?"([^"]+)"', frame)):
            sessions.append(known[1])

    def noted(socket: WebSocket) -> None:
        socket.on("framereceived", received)

    page.on("websocket", noted)
    open_at(page, address, size, name, source)
    steps = int(page.get_by_role("slider", name="Timeline").get_attribute("aria-valuemax") or 0)
    found: list[dict[str, Any]] = []
    counts: Counter[str] = Counter()

    def note(kind: str, about: object) -> None:
        counts[kind] += 1
        found.extend({"kind": kind, "about": about, **miss} for miss in settled(page))

    def turn(about: str) -> None:
        for turned in (TURNED[size], size):
            width, height = SIZES[turned]
            page.set_viewport_size({"width": width, "height": height})
            note("resize", f"{about} {turned}")

    for share in linked:
        at = int(steps * share)
        open_at(page, address, size, name, source, at)
        note("link", at)
        turn(f"step {at}")
    open_at(page, address, size, name, source)
    if page.evaluate(FIRST_ANSWER):
        turn("an answer")
    trace = page.request.get(f"{address}/api/sessions/{sessions[-1]}/trace").body()
    page.evaluate(DROP, [f"{name}.backscope", base64.b64encode(trace).decode()])
    page.evaluate(OPEN, source)
    note("trace", "")
    page.remove_listener("websocket", noted)
    return {"counts": dict(counts), "found": found}


def walk(page: Page, most: int = MOST_STEPS, sampled: int = SAMPLED) -> dict[str, Any]:
    """Walk through the run that a page shows; return its `steps`, how many were `walked`, and the misses `found`."""
    found: dict[str, Any] = page.evaluate(WALK, {"most": most, "sampled": sampled})
    return found


def open_at(page: Page, address: str, size: str, name: str, source: str, at: int | None = None) -> None:
    """Open an example in a window of a size, and wait until it has run and is laid out; with `at`, at that step."""
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    path = "embed" if size == "embed" else ""
    page.goto("about:blank")
    page.goto(f"{address}/{path}#example={name}{'' if at is None else f'&at={at}'}")
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
                        came = arrivals(page, server.address, size, name, programs[name])
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
