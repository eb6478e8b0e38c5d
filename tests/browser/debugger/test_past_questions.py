"""Protects questions about time in the page: back to where something happened, prints added later, notes on steps."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

PROGRAM = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
for i in range(3):
    k = i * 10
    loss = (w * k).sum()
    loss.backward()
    with torch.no_grad():
        w[0].sub_(0.25)
    w.grad = None
bad = torch.log(w - w)
worse = bad * 2
"""


def to_end(page: Page) -> None:
    """Goes to the last step by key, away from any field."""
    page.evaluate("document.activeElement?.blur()")
    page.keyboard.press("End")
    slider = timeline(page)
    expect(slider).to_have_attribute("aria-valuenow", slider.get_attribute("aria-valuemax") or "")


def timeline(page: Page) -> Locator:
    return page.get_by_role("slider", name="Timeline")


@pytest.fixture
def over(run_program: Callable[..., Page]) -> Page:
    """The program has run, and its last step is shown."""
    page = run_program(PROGRAM)
    to_end(page)
    page.get_by_role("button", name="Unfold debugger").click()
    return page


def test_back_to_a_breakpoint_with_its_condition_and_hits(over: Page) -> None:
    page = over
    page.get_by_role("region", name="Back to").get_by_role("button", name="Last breakpoint").click()
    expect(page.get_by_text("No breakpoint is set.")).to_be_visible()
    page.locator(".cm-lineNumbers .cm-gutterElement").filter(has_text=re.compile("^6$")).last.click()
    for step in ("24", "14", "4"):
        page.keyboard.press("Control+F8")
        expect(timeline(page)).to_have_attribute("aria-valuenow", step)
    expect(page.get_by_text("No breakpoint is set.")).to_have_count(0)
    page.keyboard.press("Control+F8")
    expect(page.get_by_text("This step is at a breakpoint, and before it the program was at none.")).to_be_visible()
    panel = page.get_by_role("region", name="Debugger")
    panel.get_by_role("button", name="Condition of the breakpoint: line 6").click()
    panel.get_by_label("where").fill("k > 0")
    panel.get_by_label("from hit").fill("2")
    panel.get_by_label("from hit").press("Tab")
    to_end(page)
    page.keyboard.press("Control+F8")
    expect(timeline(page)).to_have_attribute("aria-valuenow", "24")
    page.keyboard.press("Control+F8")
    expect(page.get_by_text("Before this step the program was at no breakpoint.")).to_be_visible()
    expect(timeline(page)).to_have_attribute("aria-valuenow", "24")


def test_back_to_the_first_nan_and_to_writes(over: Page) -> None:
    page = over
    back = page.get_by_role("region", name="Back to")
    back.get_by_role("button", name="First NaN").click()
    expect(page.get_by_test_id("caption")).to_contain_text("The Inf begins here")
    field = back.get_by_label("What was written")
    for typed, caption in (
        ("w[0]", "sub_ changes w[0] in place"),
        ("w[1]", "tensor() makes w"),
        ("w.grad", "w.grad is emptied"),
    ):
        to_end(page)
        field.fill(typed)
        field.press("Enter")
        expect(page.get_by_test_id("caption")).to_contain_text(caption)
    field.fill("nothing")
    field.press("Enter")
    expect(page.get_by_text("No variable nothing holds a tensor at this step.")).to_be_visible()


def test_a_print_that_is_added_once_the_program_is_over(over: Page) -> None:
    page = over
    prints = page.get_by_role("region", name="Prints added afterwards")

    def add(line: str, expression: str) -> None:
        prints.get_by_label("Line of the print").fill(line)
        prints.get_by_label("What to print").fill(expression)
        prints.get_by_role("button", name="Print", exact=True).click()

    add("5", "k")
    expect(prints.get_by_role("listitem")).to_have_text(["2 0", "12 10", "22 20"])
    prints.get_by_role("listitem").nth(1).get_by_role("button").click()
    expect(timeline(page)).to_have_attribute("aria-valuenow", "12")
    expect(prints.locator("[aria-current=step]")).to_have_text("12 10")
    add("5", "k +")
    expect(prints).to_contain_text("'k +' is not an expression")
    prints.get_by_role("button", name="Take the print of k + at line 5 away").click()
    expect(prints).not_to_contain_text("is not an expression")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(prints.get_by_role("listitem")).to_have_text(["2 0", "12 10", "22 20"])
    page.wait_for_url("**print=**")
    page.reload()
    expect(prints.get_by_role("listitem")).to_have_text(["2 0", "12 10", "22 20"])


def test_notes_on_steps_go_with_the_link(over: Page) -> None:
    page = over
    page.evaluate("document.activeElement?.blur()")
    page.keyboard.press("w")
    field = page.get_by_role("textbox", name="Note on step")
    expect(field).to_be_focused()
    field.press("Escape")
    page.get_by_role("button", name="Note", exact=True).click()
    expect(field).to_be_focused()
    field.fill("Here it is\nbad: <b>")
    field.press("Enter")
    note = page.get_by_test_id("moment-note")
    expect(note).to_contain_text("Here it is bad: <b>")
    page.keyboard.press("ArrowLeft")
    expect(note).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.wait_for_url(re.compile(r"note=\d+%3AHere"))
    page.reload()
    expect(note).to_contain_text("Here it is bad: <b>")
    note.get_by_role("button").click()
    field.fill("changed")
    field.press("Escape")
    expect(note).to_contain_text("Here it is bad: <b>")
    note.get_by_role("button").click()
    field.fill("changed")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(note).to_contain_text("changed")
    page.keyboard.press("Home")
    page.keyboard.press("Control+k")
    page.keyboard.insert_text("changed")
    page.keyboard.press("Enter")
    expect(note).to_contain_text("changed")
    note.get_by_role("button").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(note).to_have_count(0)
    page.wait_for_function("() => !location.hash.includes('note=')")


class TestOnAPhone:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

    def test_a_note_is_written_from_the_steps(self, open_page: Callable[[str], Page]) -> None:
        page = open_page("#example=12_second_derivative&at=9")
        page.get_by_role("button", name="Steps", exact=True).tap()
        write = page.get_by_role("button", name="Note on this step", exact=True)
        box = write.bounding_box()
        assert box and box["height"] >= 43.5
        write.tap()
        expect(write).to_have_count(0)
        field = page.get_by_role("textbox", name="Note on step 10", exact=True)
        expect(field).to_be_focused()
        field.fill("Here it turns")
        page.get_by_role("button", name="Save", exact=True).tap()
        expect(page.get_by_test_id("moment-note")).to_contain_text("Here it turns")

    @pytest.mark.parametrize("height", [0.05, 0.5, 0.95])
    def test_a_tap_on_the_timeline_goes_there(self, open_page: Callable[[str], Page], height: float) -> None:
        page = open_page("#example=12_second_derivative&at=1")
        box = timeline(page).bounding_box()
        assert box
        last = int(timeline(page).get_attribute("aria-valuemax") or 0)
        page.touchscreen.tap(box["x"] + 0.65 * box["width"], box["y"] + height * box["height"])
        near = [str(step) for step in range(last) if abs(step / last - 0.65) < 0.1]
        expect(timeline(page)).to_have_attribute("aria-valuenow", re.compile(f"^({'|'.join(near)})$"))
        expect(page.get_by_role("textbox", name="Note on step")).to_have_count(0)
