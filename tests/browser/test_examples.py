"""Protects: every example runs, and its moments can be stepped to with a sentence and without a broken page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from stepping import UNTIL, step_by_nodes

MOST_STEPS = 60
"""Every moment that the gallery opens comes earlier; the longer examples go on in loops."""
GALLERY = Path(__file__).parents[2] / "web" / "src" / "examples"
MOMENTS = json.loads((GALLERY / "moments.json").read_text(encoding="utf-8"))
"""The step at which the gallery opens an example, and its caption."""
TOPICS = json.loads((GALLERY / "topics.json").read_text(encoding="utf-8"))
WORDS = {card["name"]: card["moment"] for topic in TOPICS for card in topic["examples"]}
"""What that caption holds."""
STEPS = """async (last) => {
  UNTIL
  const slider = document.querySelector('[role=slider][aria-label=Timeline]');
  const told = [];
  for (let step = 1; step <= last; step++) {
    const pressed = { key: 'ArrowRight', code: 'ArrowRight', bubbles: true, cancelable: true };
    document.body.dispatchEvent(new KeyboardEvent('keydown', pressed));
    // The browser draws no frames of a page in the background: then each second is looked at.
    const frame = () => new Promise((resume) => { requestAnimationFrame(resume); setTimeout(resume, 1000); });
    await frame();
    await until(() => slider.getAttribute('aria-valuenow') === String(step), `step ${step} is shown`, frame);
    told.push(document.querySelector('[data-testid=caption]').innerText);
  }
  return told;
}""".replace("UNTIL", UNTIL)
"""Steps forward as fast as the page draws, and gives the sentence of each step."""
WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each example of the package."""
    folder = Path(__file__).parents[2] / "server" / "backscope_server" / "examples"
    metafunc.parametrize("name", sorted(path.stem for path in folder.glob("[!_]*.py")))


def test_an_example_runs_to_its_end(
    name: str, open_page: Callable[[str], Page], examples: list[dict[str, str]]
) -> None:
    assert name in [one["name"] for one in examples]
    page = open_page(f"#example={name}&at=-1")
    slider = page.get_by_role("slider", name="Timeline")
    last = int(slider.get_attribute("aria-valuemax") or 0)
    expect(slider).to_have_attribute("aria-valuenow", "0")
    assert last > 3
    step_by_nodes(page)
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuenow", "0")
    told = page.evaluate(STEPS, min(last, MOST_STEPS))
    assert len(told) == min(last, MOST_STEPS)
    for step, text in enumerate(told, 1):
        assert text.strip(), f"step {step} has no sentence"
        assert "undefined" not in text and "NaN to" not in text and "[object" not in text, text
    if (at := MOMENTS.get(name, {}).get("at")) is not None and at < len(told):
        assert WORDS[name] in told[at]
    page.keyboard.press("End")
    expect(slider).to_have_attribute("aria-valuenow", str(last))
    assert page.evaluate(WIDE) == 0
