"""Protects: a step that teaches says so on the stage, in the code and in the inspector, with its numbers."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

IN_PLACE = """\
import torch
x = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = torch.sigmoid(x)
y.mul_(2)
z = y * 3
z.sum().backward()
"""


def _step_until(page: Page, words: str) -> None:
    """From the first step on by the arrow key, until the caption says so."""
    page.keyboard.press("Home")
    caption = page.get_by_test_id("caption")
    slider = page.get_by_role("slider", name="Timeline")
    for step in range(int(slider.get_attribute("aria-valuemax") or 0) + 1):
        expect(slider).to_have_attribute("aria-valuenow", str(step))
        if words in caption.inner_text():
            return
        page.keyboard.press("ArrowRight")
    raise AssertionError(f"No step says “{words}”.")


def test_a_write_over_what_was_saved_lights_both_lines(run_program: Callable[[str], Page]) -> None:
    """At the write itself and at the error; in between the code is quiet."""
    page = run_program(IN_PLACE)
    page.get_by_role("heading", name="Backscope").click()
    code = page.get_by_role("textbox", name="Program")
    saved = code.locator(".cm-line", has_text="torch.sigmoid(x)")
    wrote = code.locator(".cm-line", has_text="y.mul_(2)")
    tags = code.locator(".cm-version")

    _step_until(page, "mul_ changes y in place")
    expect(tags).to_have_text(["saved v0", "made v1"])
    expect(saved).to_contain_text("saved v0")
    expect(wrote).to_contain_text("made v1")
    page.keyboard.press("ArrowRight")
    expect(tags).to_have_count(0)
    page.keyboard.press("End")
    expect(page.get_by_test_id("caption")).to_contain_text("Stopped at line 6")
    expect(saved).to_contain_text("saved v0")
    expect(wrote).to_contain_text("made v1")
