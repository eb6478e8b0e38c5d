"""Protects: any moment is reached by dragging, by keys and from the console, and the page shows that moment."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

PROGRAM = """import torch
x = torch.tensor(3.0, requires_grad=True)
for step in range(2):
    loss = x * x
    loss.backward()
    print("step", step)
"""


def slider(page: Page):  # type: ignore[no-untyped-def]
    return page.get_by_role("slider", name="Timeline")


def comes_to(page: Page, least: float, most: float) -> int:
    """Waits until the cursor is from `least` to `most`; returns where."""
    places = range(math.ceil(least), math.floor(most) + 1)
    expect(slider(page)).to_have_attribute("aria-valuenow", re.compile(f"^({'|'.join(map(str, places))})$"))
    return int(slider(page).get_attribute("aria-valuenow") or 0)


def leave_editor(page: Page) -> None:
    page.get_by_role("heading", name="Backscope").click()
    slider(page).focus()


def test_dragging_scrubs(run_program: Callable[..., Page]) -> None:
    page = run_program(PROGRAM)
    box = slider(page).bounding_box()
    assert box
    last = int(slider(page).get_attribute("aria-valuemax") or 0)
    page.mouse.move(box["x"] + 12, box["y"] + 24)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 24, steps=6)
    comes_to(page, last / 2 - 1, last / 2 + 1)
    page.mouse.move(box["x"] + box["width"] + 40, box["y"] + 24, steps=4)
    page.mouse.up()
    expect(slider(page)).to_have_attribute("aria-valuenow", str(last))


def test_keys_reach_every_place(run_program: Callable[..., Page]) -> None:
    page = run_program(PROGRAM)
    leave_editor(page)
    last = slider(page).get_attribute("aria-valuemax") or ""
    page.keyboard.press("End")
    expect(slider(page)).to_have_attribute("aria-valuenow", last)
    page.keyboard.press("Home")
    expect(slider(page)).to_have_attribute("aria-valuenow", "0")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    expect(slider(page)).to_have_attribute("aria-valuenow", "1")
    page.keyboard.press("n")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    first = int(slider(page).get_attribute("aria-valuenow") or 0)
    page.keyboard.press("n")
    comes_to(page, first + 1, int(last))
    page.keyboard.press("p")
    expect(slider(page)).to_have_attribute("aria-valuenow", str(first))
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_the_console_leads_to_its_moment(run_program: Callable[..., Page]) -> None:
    page = run_program(PROGRAM)
    leave_editor(page)
    page.keyboard.press("End")
    console = page.get_by_role("log", name="Console")
    expect(console).to_contain_text("step 1")
    console.get_by_role("button").first.click()
    expect(console).to_contain_text("step 0")
    expect(console).not_to_contain_text("step 1")


def test_a_line_selects_what_it_made_and_back(run_program: Callable[..., Page]) -> None:
    page = run_program(PROGRAM)
    page.locator(".cm-line", has_text="loss = x * x").click()
    inspector = page.get_by_role("region", name="Inspector")
    expect(inspector.get_by_role("heading", name="MulBackward0")).to_be_visible()
    expect(page.locator(".cm-line-selected")).to_contain_text("loss = x * x")
    leaf = page.get_by_role("list", name="Graph").get_by_role("button", name="x").first
    leaf.focus()
    page.keyboard.press("Enter")
    expect(inspector.get_by_role("heading", name="x", exact=True)).to_be_visible()
    expect(page.locator(".cm-line-selected")).to_contain_text("x = torch.tensor")
    page.keyboard.press("Escape")
    expect(inspector.get_by_text("Selected")).to_have_count(0)
    expect(page.locator(".cm-line-selected")).to_have_count(0)


def test_arrows_walk_along_the_edges(run_program: Callable[..., Page]) -> None:
    page = run_program(PROGRAM)
    graph = page.get_by_role("list", name="Graph")
    op = graph.get_by_role("button", name="MulBackward0").first
    op.focus()
    page.keyboard.press("ArrowUp")
    focused = page.locator(":focus")
    expect(focused).to_have_accessible_name("x 3")
    page.keyboard.press("ArrowDown")
    expect(focused).to_have_accessible_name(re.compile("MulBackward0"))


def test_a_click_on_the_stage_selects_and_dragging_does_not(run_program: Callable[..., Page]) -> None:
    page = run_program("import torch\nx = torch.tensor(3.0, requires_grad=True)\n")
    stage = page.get_by_role("region", name="Stage").locator("canvas")
    box = stage.bounding_box()
    assert box
    # One leaf alone is drawn in the middle.
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 30, middle[1], steps=4)
    page.mouse.up()
    inspector = page.get_by_role("region", name="Inspector")
    expect(inspector.get_by_text("Selected")).to_have_count(0)
    page.mouse.click(middle[0] + 30, middle[1])
    expect(inspector.get_by_text("Selected")).to_be_visible()
    expect(inspector.get_by_role("heading", name="x", exact=True)).to_be_visible()


DRAWN = """async () => {
  for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame);
  const canvas = document.querySelector('[aria-label=Stage] canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const places = [];
  for (let i = 3; i < data.length; i += 4) if (data[i] > 0) places.push((i - 3) / 4);
  const middle = (all) => (Math.min(...all) + Math.max(...all)) / 2;
  const sample = places.filter((_, i) => i % 16 === 0);
  const { left, top } = canvas.getBoundingClientRect();
  const [x, y] = [sample.map((at) => at % canvas.width), sample.map((at) => Math.floor(at / canvas.width))].map(middle);
  return [left + x / devicePixelRatio, top + y / devicePixelRatio];
}"""
"""The middle of all that is drawn on the stage."""


def test_what_is_selected_stays_put_while_one_drags(run_program: Callable[..., Page]) -> None:
    chain = "".join(f"y = y.sin()  # {i}\n" for i in range(30))
    page = run_program(f"import torch\nx = torch.tensor(0.5, requires_grad=True)\ny = x\n{chain}y.backward()\n")
    page.emulate_media(reduced_motion="reduce")
    slider(page).focus()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowUp")
    comes_to(page, 1, 1)
    track = slider(page).bounding_box()
    assert track
    middle = page.evaluate(DRAWN)
    inspector = page.get_by_role("region", name="Inspector")
    heading = inspector.get_by_role("heading", name="x", exact=True)
    page.mouse.click(*middle)
    expect(inspector.get_by_text("Selected")).to_be_visible()
    expect(heading).to_be_visible()
    # The graph grows to many times the view, and back; what moves is the graph's end, not the view.
    last = int(slider(page).get_attribute("aria-valuemax") or 0)
    y = track["y"] + 24
    page.mouse.move(track["x"] + 12, y)
    page.mouse.down()
    for share in (0.1, 0.3, 0.45):
        page.mouse.move(track["x"] + share * track["width"], y)
    comes_to(page, 0.3 * last, 0.6 * last)
    page.mouse.up()
    page.keyboard.press("Escape")
    expect(inspector.get_by_text("Selected")).to_have_count(0)
    page.mouse.click(*middle)
    expect(inspector.get_by_text("Selected")).to_be_visible()
    expect(heading).to_be_visible()
    # With the next step the view goes along again.
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    expect(inspector.get_by_text("Selected")).to_have_count(0)


def test_the_timeline_zooms_and_moves_and_shows_the_whole_run_again(run_program: Callable[..., Page]) -> None:
    page = run_program(PROGRAM.replace("range(2)", "range(40)"))
    last = int(slider(page).get_attribute("aria-valuemax") or 0)
    box = slider(page).bounding_box()
    assert box
    whole = page.get_by_role("button", name="Show the whole run")
    expect(whole).to_have_count(0)
    middle = box["x"] + box["width"] / 2
    page.mouse.move(middle, box["y"] + 24)
    page.mouse.wheel(0, -1200)
    expect(whole).to_be_visible()
    # What was under the pointer stays there, and its neighbours are far from it now.
    page.mouse.click(middle, box["y"] + 24)
    here = comes_to(page, last / 2 - 2, last / 2 + 2)
    page.mouse.click(middle + box["width"] / 4, box["y"] + 24)
    comes_to(page, here + 1, here + last / 8)
    shown = whole.inner_text()
    page.keyboard.press("End")
    expect(whole).not_to_have_text(shown)
    expect(whole).to_contain_text(f"to {last}")
    whole.click()
    expect(whole).to_have_count(0)
    slider(page).focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(whole).to_be_visible()
    page.keyboard.press("0")
    expect(whole).to_have_count(0)


LONG = """import torch

x = torch.tensor(0.5, requires_grad=True)
y = x
for i in range(8000):
    y = y * 0.999
    y = y + 0.001
print("built")
y.backward()
"""


def test_beside_the_stage_all_follows_in_a_long_run_as_well(run_program: Callable[..., Page]) -> None:
    """Where the whole page is not drawn in one frame, inspector, editor and console come with the next one."""
    page = run_program(LONG)
    inspector = page.get_by_role("region", name="Inspector")
    console = page.get_by_role("log", name="Console output")
    code = page.get_by_role("region", name="Code")
    leave_editor(page)
    page.keyboard.press("End")
    expect(console).to_contain_text("built")
    expect(inspector.get_by_role("heading", name="x", exact=True)).to_be_visible()
    page.keyboard.press("Home")
    expect(console).not_to_contain_text("built")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")  # By rounds: to the end of the first.
    expect(page.get_by_test_id("caption")).to_contain_text("AddBackward0")
    expect(inspector.get_by_role("heading", name="y", exact=True)).to_be_visible()
    expect(code.locator(".cm-moment-forward")).to_be_visible()


NOTED = """() => {
    globalThis.noted = { written: 0, asked: 0 };
    const track = document.querySelector('[role=slider] canvas');
    const write = CanvasRenderingContext2D.prototype.fillText;
    CanvasRenderingContext2D.prototype.fillText = function (...given) {
        // Layers of the timeline are canvases of its size that are on no page.
        const isLayer = ['width', 'height'].every((side) => this.canvas[side] === track[side]);
        if (this.canvas === track || (isLayer && !this.canvas.isConnected)) noted.written += 1;
        return write.apply(this, given);
    };
    const ask = Element.prototype.getBoundingClientRect;
    Element.prototype.getBoundingClientRect = function () {
        if (this.closest('.view')) noted.asked += 1;
        return ask.apply(this);
    };
}"""


FRAMES = """async () => {
    await document.fonts.ready;
    for (let frame = 0; frame < 3; frame += 1) await new Promise(requestAnimationFrame);
}"""


def test_a_step_draws_the_cursor_and_asks_nobody_where_it_stands(run_program: Callable[..., Page]) -> None:
    page = run_program(PROGRAM)
    leave_editor(page)
    page.keyboard.press("Home")
    # With a font that comes late all is drawn anew, so that the steps are seen once before.
    for step in range(1, 12):
        page.keyboard.press("ArrowRight")
        expect(slider(page)).to_have_attribute("aria-valuenow", str(step))
        page.evaluate(FRAMES)
    # The number of the step, which covers a part of the timeline, grows by a digit.
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(slider(page)).to_have_attribute("aria-valuenow", "8")
    page.evaluate(FRAMES)
    before = page.evaluate("document.querySelector('[role=slider] canvas').toDataURL()")
    page.evaluate(NOTED)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(slider(page)).to_have_attribute("aria-valuenow", "11")
    page.evaluate(FRAMES)
    assert page.evaluate("noted") == {"written": 0, "asked": 0}
    assert page.evaluate("document.querySelector('[role=slider] canvas').toDataURL()") != before
