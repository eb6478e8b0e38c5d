"""Asks questions about a run, goes by links and drops traces, and finds what the view does not show of the evidence."""

from __future__ import annotations

import base64
import re
from collections import Counter
from typing import Any

from dropping import DROP
from playwright.sync_api import Page, WebSocket
from stage_view import LOOK, OPEN, SIZES, open_at, settled

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
    const about = thing.getAttribute('aria-label');
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
