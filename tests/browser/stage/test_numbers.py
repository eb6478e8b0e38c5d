"""Protects: numbers in the code are dragged, and changed by keys, while the run follows at the step that is shown."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

PROGRAM = """import torch

x = torch.ones(3, 2, requires_grad=True)
y = (x * 2.0).sum(dim=1)  # not 9
y.sum().backward()
"""
UNIT = 6
"""CSS pixels that change a number by one unit."""


def number(page: Page, text: str) -> Locator:
    return page.locator(".cm-number").filter(has_text=re.compile(rf"^{re.escape(text)}$"))


def line(page: Page, text: str) -> Locator:
    return page.locator(".cm-line").filter(has_text=text)


def middle(place: Locator) -> tuple[float, float]:
    box = place.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_number_is_dragged_and_the_run_follows(run_program: Callable[[str], Page]) -> None:
    page = run_program(PROGRAM)
    slider = page.get_by_role("slider", name="Timeline")
    caption = page.get_by_test_id("caption")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(caption).to_contain_text("x × 2")
    expect(page.locator(".cm-number")).to_have_text(["3", "2", "2.0", "1"])
    step = slider.get_attribute("aria-valuenow") or ""
    x, y = middle(number(page, "2.0"))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5 * UNIT, y, steps=5)
    # The run follows while the button is held, and the page is at the same step.
    expect(line(page, "x * 2.5")).to_be_visible()
    expect(caption).to_contain_text("x × 2.5")
    expect(slider).to_have_attribute("aria-valuenow", step)
    expect(page.get_by_text("Edited since this run")).to_have_count(0)
    page.mouse.move(x - 30 * UNIT, y, steps=3)
    expect(caption).to_contain_text("x × −1")
    page.keyboard.press("Escape")
    expect(line(page, "x * 2.0")).to_be_visible()
    expect(caption).to_contain_text("x × 2 ")
    page.mouse.up()
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5 * UNIT, y, steps=5)
    page.mouse.up()
    expect(caption).to_contain_text("x × 2.5")
    expect(page.get_by_text("Differs first at line 4: mul, other=2.0 → other=2.5.")).to_be_visible()
    # One step for undo.
    page.get_by_role("textbox", name="Program").focus()
    page.keyboard.press("Control+z")
    expect(line(page, "x * 2.0")).to_be_visible()
    page.keyboard.press("Control+y")
    # By keys at the cursor; an error on the way is shown and left again.
    number(page, "1").click()
    page.keyboard.press("Alt+ArrowUp")
    expect(line(page, "dim=2")).to_be_visible()
    expect(page.get_by_role("log", name="Console")).to_contain_text("Nothing printed up to this step")
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    expect(caption).to_contain_text("There is no dim 2")
    number(page, "2").last.click()
    page.keyboard.press("Alt+ArrowDown")
    expect(line(page, "dim=1")).to_be_visible()
    expect(caption).not_to_contain_text("There is no dim 2")
    # By a tenth of its last digit, as long as the cursor stays.
    number(page, "2.5").click()
    page.keyboard.press("Control+Alt+ArrowUp")
    page.keyboard.press("Control+Alt+ArrowUp")
    expect(line(page, "x * 2.52")).to_be_visible()


class TestByTouch:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        """A phone."""
        return {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

    def test_a_finger_drags_a_number(self, open_page: Callable[[str], Page]) -> None:
        page = open_page("#example=01_first_backward")
        page.get_by_role("button", name="Code", exact=True).tap()
        x, y = middle(number(page, "3.0"))
        touch = page.context.new_cdp_session(page)
        touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
        for at in range(1, 11):
            points = [{"x": x + at * UNIT, "y": y}]
            touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points})
        touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        expect(line(page, "x = torch.tensor(4.0)")).to_be_visible()
        expect(page.get_by_test_id("caption")).to_contain_text("y = 9")
