"""Protects the frame: both themes, a phone, folding and dividers, nothing wider than the window, names for controls."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

OVERFLOW = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
UNNAMED = """() => [...document.querySelectorAll('button, select, input, [role=slider], [role=separator]')]
  .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML)"""
OVERLAPS = """() => {
  // What is scrolled away lies over nothing.
  const seen = (e) => {
    let { left, top, right, bottom } = e.getBoundingClientRect();
    for (let p = e.parentElement; p; p = p.parentElement) {
      if (getComputedStyle(p).overflowY === 'visible') continue;
      const r = p.getBoundingClientRect();
      left = Math.max(left, r.left), top = Math.max(top, r.top);
      right = Math.min(right, r.right), bottom = Math.min(bottom, r.bottom);
    }
    return { left, top, right, bottom };
  };
  const boxes = [...document.querySelectorAll('h1, h2, button, select, [data-testid=caption]')]
    .filter((e) => e.checkVisibility() && !e.closest('.visually-hidden'))
    .map((e) => [e, seen(e)]).filter(([, r]) => r.right > r.left && r.bottom > r.top);
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const found = [];
  for (const [e, a] of boxes) for (const [f, b] of boxes)
    if (e !== f && !e.contains(f) && !f.contains(e) && over(a, b)) found.push(e.outerHTML + ' over ' + f.outerHTML);
  return found;
}"""

SIZES = {
    "wide": {"viewport": {"width": 1440, "height": 900}},
    "laptop": {"viewport": {"width": 1024, "height": 700}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
    "small phone": {"viewport": {"width": 340, "height": 640}, "has_touch": True, "is_mobile": True},
}


@pytest.fixture
def context_options(request: pytest.FixtureRequest) -> dict[str, object]:
    size, scheme = getattr(request, "param", ("wide", "light"))
    return {**SIZES[size], "color_scheme": scheme}


@pytest.mark.parametrize(
    "context_options", [(size, scheme) for size in SIZES for scheme in ("light", "dark")], indirect=True, ids=str
)
def test_nothing_spills_or_overlaps(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    assert page.evaluate(OVERFLOW) == 0
    assert page.evaluate(UNNAMED) == []
    assert page.evaluate(OVERLAPS) == []


def test_the_theme_is_chosen_and_remembered(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    page.get_by_role("button", name="Dark theme").click()
    expect(root).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(root).to_have_attribute("data-theme", "dark")
    page.emulate_media(color_scheme="dark")
    page.get_by_role("button", name="Light theme").click()
    page.reload()
    expect(root).to_have_attribute("data-theme", "light")


def test_rooms_fold_and_dividers_move(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    room = page.get_by_role("region", name="Inspector")
    before = room.bounding_box()
    divider = page.get_by_role("separator", name="Width of the inspector")
    divider.focus()
    page.keyboard.press("ArrowLeft")
    after = room.bounding_box()
    assert before and after
    assert after["width"] > before["width"]
    page.get_by_role("button", name="Fold inspector").click()
    expect(divider).to_have_count(0)
    page.reload()
    page.get_by_role("button", name="Unfold inspector").click()
    expect(divider).to_be_visible()


def test_the_code_only_grows_while_a_program_is_edited_and_its_line_is_marked_by_a_bar(
    open_page: Callable[[str], Page],
) -> None:
    page = open_page("#example=03_cube")
    code = page.get_by_role("region", name="Code")
    width = "(region) => Math.round(region.getBoundingClientRect().width)"
    bar = code.locator(".cm-moment-forward").bounding_box()
    line = code.locator(".cm-line-forward").bounding_box()
    assert bar and line
    assert bar["height"] == pytest.approx(line["height"], abs=2)
    assert bar["width"] <= bar["height"] / 3
    opened = code.evaluate(width)

    def run(source: str) -> int:
        page.get_by_role("textbox", name="Program").focus()
        page.keyboard.press("ControlOrMeta+a")
        page.keyboard.insert_text(source)
        page.keyboard.press("Control+Enter")
        expect(code.get_by_text("Edited since this run.")).to_have_count(0)
        return int(code.evaluate(width))

    wider = run(f"x = 1  # {'wide ' * 12}")
    assert wider > opened
    assert run("x = 2") == wider
    page.goto("about:blank")
    open_page("#example=03_cube")
    assert code.evaluate(width) == opened


@pytest.mark.parametrize("context_options", [("phone", "light")], indirect=True, ids=str)
def test_a_phone_has_sheets_and_a_stepper_in_reach(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    forward = page.get_by_role("button", name="Step forward")
    box = forward.bounding_box()
    assert box
    assert box["y"] > 844 / 2
    assert min(box["width"], box["height"]) >= 44
    slider = page.get_by_role("slider", name="Timeline")
    now = int(slider.get_attribute("aria-valuenow") or 0)
    for name in ("Code", "Inspect", "Console"):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.get_by_role("region", name=name, exact=True)).to_be_visible()
        assert page.evaluate(OVERFLOW) == 0
    forward.click()
    expect(slider).to_have_attribute("aria-valuenow", str(now + 1))
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("region", name="Console", exact=True)).to_have_count(0)


def test_reduced_motion_steps_at_once(open_page: Callable[[str], Page], page: Page) -> None:
    page.emulate_media(reduced_motion="reduce")
    opened = open_page("")
    slider = opened.get_by_role("slider", name="Timeline")
    slider.focus()
    now = int(slider.get_attribute("aria-valuenow") or 0)
    opened.keyboard.press("ArrowRight")
    expect(slider).to_have_attribute("aria-valuenow", str(now + 1))
