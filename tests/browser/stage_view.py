"""The view of the stage in a page: windows to see it in, what it does not show, and programs opened in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from link_text import packed
from playwright.sync_api import Page
from stepping import UNTIL

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

LOOK = """async (at) => {
  const canvas = document.querySelector('.view canvas');
  if (!canvas) return null;
  const event = new CustomEvent('backscope:look', { detail: { at } });
  canvas.dispatchEvent(event);
  return event.detail.look;
}"""
"""Goes to the step `at`, where there is one, and returns what the view does not show of the step."""
OPEN = """async (source) => {
  UNTIL
  const look = LOOK;
  const moment = () => new Promise((resume) => setTimeout(resume, 20));
  await until(async () => (await look())?.source === source, 'the program has run and is laid out', moment);
}""".replace("UNTIL", UNTIL).replace("LOOK", LOOK)
"""Waits until the run of a program is over and laid out."""


def open_at(page: Page, address: str, size: str, name: str, source: str, at: int | None = None) -> None:
    """Open a program in a window of a size, and wait until it has run and is laid out; with `at`, at that step.

    `name`: of an example, or of a file of one's own, which runs once one presses Run.
    """
    width, height = SIZES[size]
    page.set_viewport_size({"width": width, "height": height})
    is_own = Path(name).suffix == ".py"
    program = f"code={packed(source)}" if is_own else f"example={name}"
    page.goto("about:blank")
    page.goto(f"{address}/{'embed' if size == 'embed' else ''}#{program}{'' if at is None else f'&at={at}'}")
    if is_own:
        page.get_by_role("button", name="Run", exact=True).click()
    page.evaluate(OPEN, source)


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
