"""Protects large models on the stage: they open as boxes that say what is in them, and are stepped by what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import backscope
from backscope import torch

Open = Callable[[str], Page]

WRITTEN = """() => {
  const paint = CanvasRenderingContext2D.prototype;
  const { fillText } = paint;
  window.written = [];
  paint.fillText = function (text, ...place) {
    window.written.push(String(text));
    return fillText.call(this, text, ...place);
  };
}"""
"""Keeps the texts that are drawn on canvases."""


SAID = """() => {
  window.said = [];
  const note = () => window.said.push(...[...document.querySelectorAll('[role=status]')].map((one) => one.textContent));
  new MutationObserver(note).observe(document, { childList: true, subtree: true, characterData: true });
}"""
"""Keeps what the page says of its state."""


@pytest.fixture
def context_options() -> dict[str, object]:
    """Without motion a view rests at once."""
    return {"viewport": {"width": 1440, "height": 900}, "color_scheme": "light", "reduced_motion": "reduce"}


@pytest.fixture
def noting(page: Page) -> Iterator[None]:
    """Keep the texts that are drawn from the first one on; the tab, which goes on keeping them, is closed."""
    page.add_init_script(f"({WRITTEN})()")
    yield
    page.close()


def drawn(page: Page, text: str) -> None:
    """Wait until a text that matches is drawn."""
    page.wait_for_function("(text) => window.written.some((one) => new RegExp(text).test(one))", arg=text)


def written(page: Page, text: str) -> bool:
    """Whether a text that matches was drawn."""
    found: list[str] = page.evaluate("() => window.written")
    return any(re.search(text, one) for one in found)


def place(page: Page) -> int:
    """The step that is shown, from 1."""
    value = page.get_by_role("slider", name="Timeline").get_attribute("aria-valuenow")
    assert value is not None
    return int(value)


@pytest.mark.usefixtures("noting")
def test_a_large_model_opens_as_boxes_and_is_stepped_by_modules(open_page: Open) -> None:
    """Each box has its name, ops, shape and, once it has come, the norm of its gradient; a step by node goes nearer."""
    page = open_page("#example=53_gpt")
    expect(page.get_by_role("button", name="Back to this step")).to_be_visible()
    for text in (r"^blocks\.0$", "^123 ops$", r"^\[8, 48\]$"):
        drawn(page, text)
    assert not written(page, "Backward0$")
    page.get_by_role("heading", name="Backscope").click()
    expect(page.get_by_label("Step by")).to_have_value("module")
    before = place(page)
    steps = []
    while len(steps) < 24:
        page.keyboard.press("ArrowRight")
        steps.append(place(page))
    assert steps[-1] - before > 2 * len(steps)
    drawn(page, "^‖grad‖ ")
    expect(page.get_by_role("button", name="Back to this step")).to_be_visible()
    assert not written(page, "Backward0$")
    while page.get_by_label("Step by").input_value() != "node":
        page.keyboard.press("u")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Fit the graph")).to_be_visible()
    drawn(page, "Backward0$")


def test_a_link_into_a_large_model_steps_by_modules(open_page: Open) -> None:
    """A step of it is shown near, and yet the play unit is that of the model."""
    page = open_page("#example=53_gpt&at=500")
    expect(page.get_by_role("button", name="Fit the graph")).to_be_visible()
    expect(page.get_by_label("Step by")).to_have_value("module")


def test_a_graph_of_rounds_is_stepped_by_rounds_until_a_key_changes_that(open_page: Open) -> None:
    page = open_page("#example=51_lstm")
    chosen = page.get_by_label("Step by")
    expect(chosen).to_have_value("round")
    page.get_by_role("heading", name="Backscope").click()
    seen = []
    for _ in range(3):
        page.keyboard.press("u")
        seen.append(chosen.input_value())
    assert seen == ["node", "module", "round"]
    open_page("#example=01_first_backward")
    expect(chosen).to_have_count(0)


@pytest.mark.usefixtures("noting")
def test_boxes_without_room_for_names_are_one_that_has_it(open_page: Open, run_program: Callable[[str], Any]) -> None:
    """Of 400 rounds each would be too slim for its number: stretches of them are boxes, the one that acts is open."""
    lines = ["import torch", "", "w = torch.tensor(0.5, requires_grad=True)", "h = torch.tensor(1.0)"]
    lines += ["for t in range(400):", "    h = torch.tanh(w * h + torch.sin(h) - w)", "h.backward()"]
    page = open_page("#example=01_first_backward")
    run_program("\n".join(lines))
    expect(page.get_by_label("Step by")).to_have_value("round")
    drawn(page, r"^(rounds )?1–\d+$")


def test_a_long_list_of_statements_is_boxes_of_lines(open_page: Open, run_program: Callable[[str], Any]) -> None:
    lines = ["import torch", "", "x = torch.tensor(0.5, requires_grad=True)", "y = x"]
    lines += [f"y = y * 1.001 + {i}" for i in range(300)]
    page = open_page("#example=01_first_backward")
    page.evaluate(f"({WRITTEN})()")
    run_program("\n".join([*lines, "y.backward()"]))
    expect(page.get_by_role("button", name="Back to this step")).to_be_visible()
    drawn(page, r"^(lines )?\d+–\d+$")
    drawn(page, r"^\d+ ops( |$)")


def test_the_stage_says_that_it_lays_out_a_large_graph(
    open_page: Open, drop: Callable[[str, bytes], None], tmp_path: Path
) -> None:
    """A dropped trace comes all at once: until something of it is placed, the stage says what it is doing."""
    page = open_page("#example=01_first_backward")
    page.evaluate(f"({SAID})()")
    with backscope.record() as trace:
        x = w = torch.tensor(0.5, requires_grad=True)
        for _ in range(2000):
            x = torch.sin(x * w)
        x.backward()
    trace.save(tmp_path / "run.backscope")
    drop("run.backscope", (tmp_path / "run.backscope").read_bytes())
    page.wait_for_function("() => window.said.some((one) => /^Laying out [\\d,]+ nodes$/.test(one))")
    expect(page.get_by_role("status").filter(has_text="Laying out")).to_have_count(0)
    expect(page.get_by_role("button", name="Back to this step")).to_be_visible()
