"""Steps through a run inside the page: a key pressed from outside takes several messages to the browser and back."""

from __future__ import annotations

from playwright.sync_api import Page, expect

UNTIL = """const until = async (holds, wanted, turn = () => new Promise((resume) => setTimeout(resume))) => {
  const end = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Two minutes have passed, and not: ${wanted}`);
    await turn();
  }
};"""
"""A function of the page that waits until something holds, and fails after two minutes, where Playwright would not."""

_STEPS = """async ({ key, titles, text, nth }) => {
  UNTIL
  const slider = document.querySelector('[role=slider][aria-label=Timeline]');
  const caption = document.querySelector('[data-testid=caption]');
  const step = () => slider.getAttribute('aria-valuenow');
  const pressed = { key, code: key, bubbles: true, cancelable: true };
  const said = [];
  for (;;) {
    said.push(titles ? slider.getAttribute('aria-valuetext') : caption.innerText);
    if (said.at(-1).includes(text) && --nth === 0) return { found: true, said };
    const before = step();
    if (before === slider.getAttribute('aria-valuemax')) return { found: false, said };
    slider.dispatchEvent(new KeyboardEvent('keydown', pressed));
    await until(() => step() !== before, `${key} leaves step ${before}`);
  }
}""".replace("UNTIL", UNTIL)


def step_until(page: Page, text: str, *, key: str = "ArrowRight", titles: bool = False, nth: int = 1) -> str:
    """Step on, from where the timeline is, to the `nth` caption that has the text; gives that caption.

    `titles`: what the timeline is called at a step, instead of the caption.  `key`: steps, or "ArrowUp" for moments.

    Raises: AssertionError, with all that was said.
    """
    steps = page.evaluate(_STEPS, {"key": key, "titles": titles, "text": text, "nth": nth})
    assert steps["found"], f"No step says “{text}”: {steps['said']}"
    found: str = steps["said"][-1]
    return found


def step_by_nodes(page: Page) -> None:
    """Choose to step by nodes, where a finished run has other units: the list of them is there once it is not busy."""
    expect(page.get_by_role("slider", name="Timeline")).to_have_attribute("aria-busy", "false")
    units = page.get_by_label("Step by")
    if units.count():
        units.select_option("by node")
        expect(units).to_have_value("node")
        units.blur()
