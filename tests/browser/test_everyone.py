"""Protects that everyone can use the page: axe finds no violation in any main state and theme, on a phone, at 200 %."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from accessibility import Checker, violations
from playwright.sync_api import Page, expect


def thing(page: Page, label: str) -> Any:
    """The first thing on the stage that is called so, as the keyboard reaches it."""
    return page.get_by_role("list", name="Graph").get_by_role("button", name=label).first


def select(page: Page, label: str) -> None:
    thing(page, label).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="clear", exact=True)).to_be_visible()


def test_no_violation_from_the_first_screen_to_the_table(open_page: Callable[[str], Page], checker: Checker) -> None:
    page = open_page("#example=01_first_backward")
    checker.check("first screen")
    page.keyboard.press("End")
    checker.check("after the run")
    select(page, "w ")
    checker.check("a tensor")
    select(page, "× MulBackward0")
    checker.check("a node")
    page.get_by_role("button", name="Who holds it?").click()
    expect(page.get_by_role("region", name="Who holds the memory")).to_be_visible()
    checker.check("who holds the memory")
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("/")
    expect(page.get_by_role("textbox", name="Find on the stage")).to_be_focused()
    page.keyboard.type("mul")
    expect(page.get_by_role("list", name="Hits")).to_be_visible()
    checker.check("search")
    page.keyboard.press("Escape")
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="All commands")).to_be_visible()
    checker.check("palette")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys and signs").click()
    expect(page.get_by_role("heading", name="Signs")).to_be_visible()
    page.get_by_text("Licenses of what this page carries").click()
    page.get_by_text("katex").click()
    expect(page.get_by_text("Khan Academy")).to_be_visible()
    checker.check("keys and signs, with licenses")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Examples").click()
    expect(page.get_by_role("listbox", name="Examples")).to_be_visible()
    checker.check("examples")
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Steps as a table").click()
    expect(page.get_by_role("grid")).to_be_focused()
    page.get_by_role("button", name="Lives of saved tensors").click()
    expect(page.get_by_role("region", name="Lives of saved tensors")).to_be_visible()
    checker.check("table and rows")


def test_no_violation_in_training_with_modules_and_loops(open_page: Callable[[str], Page], checker: Checker) -> None:
    page = open_page("#example=50_scalar_mlp")
    page.keyboard.press("End")
    select(page, "loop for x, y in zip(points, wanted)")
    checker.check("a loop")
    page.get_by_role("button", name="Loss and gradient norms over the run").click()
    expect(page.get_by_role("region", name="Loss and gradient norms")).to_be_visible()
    checker.check("loss and norms")


def test_no_violation_on_the_other_pages_and_in_what_takes_a_run_away(
    open_page: Callable[[str], Page], checker: Checker
) -> None:
    for state, link, shown in (
        ("an edge", "#example=01_first_backward&at=99&select=edge:16/0", "AddBackward0"),
        ("a saved tensor", "#example=01_first_backward&at=99&select=saved:10/_saved_other", "MulBackward0"),
        ("a function", "#example=25_checkpoint&at=99&select=function:1", "block()"),
        ("a module", "#example=22_module_hooks&at=99&select=module:8", "layer"),
        ("a step of an optimizer", "#example=42_optimizer_step&at=12", "SGD"),
    ):
        page = open_page(link)
        expect(page.get_by_role("region", name="Inspector")).to_contain_text(shown)
        checker.check(state)
    page.get_by_role("button", name="Compare with another run").click()
    page.get_by_role("button", name="Keep this run").click()
    checker.check("compare")
    page.get_by_role("button", name="Export", exact=True).click()
    expect(page.get_by_role("button", name="Copy the element")).to_be_visible()
    checker.check("export")


def test_no_violation_in_an_error_and_a_paused_program(
    open_page: Callable[[str], Page], run_program: Callable[..., Page], checker: Checker
) -> None:
    page = open_page("#example=15_in_place_error")
    page.keyboard.press("End")
    questions = page.get_by_role("list", name="Questions")
    questions.get_by_role("button", name="Why did the RuntimeError happen?").click()
    expect(page.get_by_text("Often advised, and wrong here").or_(page.get_by_text("What to do"))).not_to_have_count(0)
    checker.check("error")
    page.keyboard.press("Control+k")
    page.keyboard.type("pause before the first line")
    expect(page.get_by_role("option", name="Run, and pause before the first line")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Paused before line")).to_be_visible()
    expect(page.get_by_role("region", name="Variables")).to_be_visible()
    checker.check("paused")
    page.keyboard.press("Shift+F10")
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_visible()


class TestPhone:
    """On a phone."""

    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"viewport": {"width": 390, "height": 844}, "has_touch": True, "color_scheme": "light"}

    def test_it_is_stepped_read_and_looked_into_by_thumb(
        self, open_page: Callable[[str], Page], checker: Checker
    ) -> None:
        page = open_page("#example=01_first_backward")
        checker.check("first screen")
        small = page.evaluate(
            """() => [...document.querySelectorAll('button, select, summary, [role=slider]')]
              .filter((one) => one.checkVisibility() && !one.closest('.visually-hidden, .cm-editor'))
              .map((one) => [one.getAttribute('aria-label') ?? one.textContent, one.getBoundingClientRect()])
              .filter(([, { width, height }]) => Math.min(width, height) < 43.5)
              .map(([name, { width, height }]) => `${name} ${width}x${height}`)"""
        )
        assert small == []
        for sheet in ("Code", "Inspect", "Steps", "Console", "Debug"):
            page.get_by_role("group", name="Rooms").get_by_role("button", name=sheet).tap()
            expect(page.get_by_role("region", name=sheet, exact=True)).to_be_visible()
            checker.check(sheet)
        page.get_by_role("group", name="Rooms").get_by_role("button", name="Steps").tap()
        rows = page.get_by_role("grid").get_by_role("row")
        rows.filter(has_text="op ran").first.tap()
        page.get_by_role("button", name="Close", exact=True).tap()
        card = page.get_by_role("region", name="Selected")
        expect(card).to_contain_text("MulBackward0")
        checker.check("card")
        page.get_by_role("button", name="Go to the end").tap()
        card.get_by_role("button", name="To what takes it").tap()
        expect(card).to_contain_text("AddBackward0")
        card.get_by_role("button", name="Look inside").tap()
        expect(page.get_by_role("region", name="Inspect")).to_contain_text("AddBackward0")
        page.keyboard.press("Escape")
        expect(page.get_by_role("region", name="Inspect")).to_have_count(0)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def test_what_looks_out_above_a_sheet_can_be_used(
        self, open_page: Callable[[str], Page], run_program: Callable[[str], Page]
    ) -> None:
        """A tap there does what it does without the sheet, and puts the sheet away."""
        page = open_page("#example=01_first_backward")
        page.get_by_role("group", name="Rooms").get_by_role("button", name="Code").tap()
        sheet = page.get_by_role("region", name="Code", exact=True)
        run_program("import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\nz = y.reshape(3)\n")
        expect(sheet).to_be_visible()
        page.get_by_role("button", name="Go to the start").tap()
        page.get_by_role("button", name="Go to the error").tap()
        expect(sheet).to_have_count(0)
        expect(page.get_by_text("Stopped at line 4").last).to_be_visible()
        page.get_by_role("group", name="Rooms").get_by_role("button", name="Code").tap()
        page.touchscreen.tap(195, 150)
        expect(sheet).to_have_count(0)

    @pytest.mark.parametrize("size", [(390, 844), (360, 640), (844, 390)])
    def test_a_step_is_shown_at_the_size_of_its_texts_and_the_whole_graph_on_demand(
        self, open_page: Callable[[str], Page], size: tuple[int, int]
    ) -> None:
        page = open_page("#example=17_mlp&at=60")
        page.set_viewport_size({"width": size[0], "height": size[1]})
        view = page.get_by_role("group", name="View")
        view.get_by_role("button", name="Fit the graph").tap()
        view.get_by_role("button", name="Back to this step").tap()
        expect(view.get_by_role("button", name="Fit the graph")).to_be_visible()

    def test_no_violation_in_what_covers_the_stage(self, open_page: Callable[[str], Page], checker: Checker) -> None:
        page = open_page("#example=17_mlp&at=99")
        page.get_by_role("button", name="All commands").tap()
        expect(page.get_by_role("combobox", name="All commands")).to_be_visible()
        checker.check("palette")
        page.keyboard.type("export files")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Copy the element")).to_be_visible()
        checker.check("export")
        page.get_by_role("region", name="Export").get_by_role("button", name="Close").tap()
        page.get_by_role("button", name="Keys and signs").tap()
        expect(page.get_by_role("heading", name="Signs")).to_be_visible()
        checker.check("keys and signs")
        spilt = page.evaluate(
            """() => [...document.querySelectorAll('.help dt, .help dd, .help li, .help li > i')]
              .filter(({ scrollWidth, clientWidth, tagName, offsetWidth }) =>
                scrollWidth > clientWidth + 1 || (tagName === 'I' && offsetWidth > 60))
              .map(({ textContent }) => textContent)"""
        )
        assert spilt == []
        page.get_by_text("Licenses of what this page carries").tap()
        page.get_by_text("@fontsource-variable/inter").tap()
        expect(page.get_by_text("SIL OPEN FONT LICENSE", exact=False).first).to_be_visible()
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        checker.check("licenses")


def test_no_violation_in_a_frame_of_another_page(page: Page, server: Any, checker: Checker) -> None:
    for width in (1000, 390):
        page.set_viewport_size({"width": width, "height": 700})
        page.goto(f"{server.address}/embed#example=01_first_backward&step=7")
        expect(page.get_by_role("list", name="Graph").get_by_role("button").first).to_be_attached()
        checker.check(f"a frame, {width} wide")
        page.get_by_role("button", name="Console").click()
        checker.check(f"a frame with its console, {width} wide")
        page.goto("about:blank")


_SQUEEZED = """() => {
  const shown = (name) => document.querySelector(name)?.getBoundingClientRect() ?? { width: 0, height: 0 };
  return { stage: shown('canvas').height, wide: document.documentElement.scrollWidth - innerWidth };
}"""


_ENHANCED = """async () => {
  const { violations } = await axe.run(document, { runOnly: ['color-contrast-enhanced'] });
  return violations.flatMap(({ nodes }) => nodes.map(({ target, any }) => `${target.join(' ')}: ${any[0]?.message}`));
}"""


def test_more_contrast_where_the_system_asks_for_it(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=01_first_backward&at=99&select=node:10")
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme, contrast="more")  # type: ignore[arg-type]
        expect(page.locator(f"html[data-theme={theme}]")).to_have_count(1)
        assert violations(page, _ENHANCED) == []


def test_colours_of_the_system_keep_the_current_line_and_the_main_button(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=01_first_backward")
    page.emulate_media(forced_colors="active")
    highlight, text = page.evaluate(
        """() => ['Highlight', 'HighlightText'].map((colour) => {
          const probe = document.body.appendChild(document.createElement('i'));
          probe.style.cssText = `forced-color-adjust: none; color: ${colour}`;
          const found = getComputedStyle(probe).color;
          probe.remove();
          return found;
        })"""
    )
    main = page.get_by_role("button", name="Play the backward pass")
    expect(main).to_have_css("background-color", highlight)
    expect(main).to_have_css("color", text)
    line = page.locator(".cm-line-forward")
    expect(line).to_have_css("outline-style", "solid")
    expect(line).to_have_css("outline-color", highlight)
    # What is chosen has a rim, as grounds and shadows go.
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Steps as a table")).to_have_css("outline-color", highlight)
    # What is drawn has no colours of the system: it has those of more contrast.
    muted = "() => getComputedStyle(document.documentElement).getPropertyValue('--muted')"
    forced = page.evaluate(muted)
    page.emulate_media(forced_colors="none", contrast="more")
    assert page.evaluate(muted) == forced
    page.emulate_media(contrast="no-preference")
    assert page.evaluate(muted) != forced


def test_a_leaf_says_whether_it_requires_grad(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=01_first_backward")
    expect(thing(page, "w ")).to_have_accessible_description(re.compile(r"leaf; requires grad; \.grad None"))
    expect(thing(page, "x ")).to_have_accessible_description(re.compile(r"leaf; does not require grad"))


@pytest.mark.parametrize(("width", "height"), [(720, 450), (640, 360), (844, 390)])
def test_twice_the_size_and_a_phone_on_its_side_keep_the_stage(
    open_page: Callable[[str], Page], width: int, height: int
) -> None:
    page = open_page("#example=01_first_backward")
    page.set_viewport_size({"width": width, "height": height})
    expect(page.get_by_role("group", name="Rooms")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_in_viewport(ratio=1)
    measured = page.evaluate(_SQUEEZED)
    assert measured["stage"] >= height / 2
    assert measured["wide"] <= 0
    for sheet in ("Code", "Inspect", "Steps", "Console", "Debug"):
        page.get_by_role("group", name="Rooms").get_by_role("button", name=sheet).click()
        expect(page.get_by_role("region", name=sheet, exact=True)).to_be_in_viewport(ratio=0.99)


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 720), (390, 844), (720, 450), (640, 360)])
def test_what_is_offered_next_has_room_below_the_sentence(
    open_page: Callable[[str], Page], width: int, height: int
) -> None:
    page = open_page("#example=01_first_backward&at=99")
    page.set_viewport_size({"width": width, "height": height})
    offered = page.get_by_role("group", name="What next").get_by_role("button")
    expect(offered.filter(has_text="First lesson")).to_be_visible()
    expect(offered).to_have_count(3)
    room = page.locator(".caption").evaluate("(one) => one.getBoundingClientRect().toJSON()")
    sentence = page.get_by_test_id("caption").evaluate("(one) => one.getBoundingClientRect().toJSON()")
    for box in offered.evaluate_all("(all) => all.map((one) => one.getBoundingClientRect().toJSON())"):
        assert room["top"] <= box["top"] and box["bottom"] <= room["bottom"], (room, box)
        assert box["left"] >= sentence["right"] or box["top"] >= sentence["bottom"], (sentence, box)
        assert box["left"] >= 0 and box["right"] <= width


@pytest.mark.parametrize(("width", "height"), [(720, 450), (640, 360)])
def test_a_question_of_a_lesson_at_twice_the_size(open_page: Callable[[str], Page], width: int, height: int) -> None:
    page = open_page("#lesson=01_graph&page=3")
    page.set_viewport_size({"width": width, "height": height})
    for name in ("True", "False"):
        page.get_by_role("radio", name=name).check()
    expect(page.get_by_role("button", name="Step forward")).to_be_in_viewport(ratio=1)
    caption, lesson, canvas = (
        page.locator(place).first.evaluate("(one) => one.getBoundingClientRect().toJSON()")
        for place in (".caption", "form", "canvas")
    )
    # The sentence is under the graph, the lesson beside both.
    assert canvas["bottom"] <= caption["top"] and caption["bottom"] <= height
    assert lesson["left"] >= caption["right"]


@pytest.mark.parametrize("name", ["10_retain_graph", "18_hooks_on_nodes", "27_history_cut", "42_optimizer_step"])
def test_what_is_spoken_is_the_caption_at_each_step(open_page: Callable[[str], Page], name: str) -> None:
    """One polite sentence for a step, word for word the one that is seen."""
    page = open_page(f"#example={name}&at=0")
    page.get_by_role("heading", name="Backscope").click()
    slider = page.get_by_role("slider", name="Timeline")
    for step in range(2, min(12, int(slider.get_attribute("aria-valuemax") or 0))):
        page.keyboard.press("ArrowRight")
        expect(slider).to_have_attribute("aria-valuenow", str(step))
        expect(page.get_by_test_id("spoken")).to_have_text(page.get_by_test_id("caption").inner_text())
