"""Protects the questions of lessons: each kind is answered wrongly and rightly, and gives its answer away nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from accessibility import Checker
from page_server import Server
from playwright.sync_api import Locator, Page, expect
from shown_lesson import PHONE, check, lesson, said

Block: TypeAlias = dict[str, Any]
Ask: TypeAlias = Callable[..., tuple[Page, Block]]


@pytest.fixture
def ask(page: Page, server: Server, open_page: Callable[[str], Page]) -> Ask:
    """Return a function that opens the page of a lesson with its first question of a form, or change, and its block."""

    def opened(name: str, form: str, about: str = "") -> tuple[Page, Block]:
        blocks = page.request.get(f"{server.address}/api/lessons/{name}").json()["blocks"]
        pages = [block for block in blocks if block["kind"] not in ("program", "aside")]
        for number, block in enumerate(pages, 1):
            asked = block.get("question", {"form": block["kind"], "ask": ""})
            if asked["form"] == form and about in (block["at"]["text"] if "at" in block else ""):
                return open_page(f"#lesson={name}&page={number}"), block
        raise AssertionError(f"The lesson {name} has no {form}.")

    return opened


def feedback(block: Block, answer: str) -> str:
    """Return the first words of what a lesson says about a wrong answer."""
    text: str = next(one["text"] for one in block["wrong"] if one["answer"] == answer)
    return text.split(":")[0].split("`")[0].split(".")[0].strip()


def stage(page: Page) -> Locator:
    return page.get_by_role("region", name="Stage")


def outline(page: Page) -> list[str]:
    """Return the things on the stage with their descriptions."""
    things = page.get_by_role("list", name="Graph").get_by_role("button")
    return [f"{one.get_attribute('aria-label')}: {one.get_attribute('title')}" for one in things.all()]


def test_a_value_is_typed_at_its_tensor_and_compared(ask: Ask, checker: Checker) -> None:
    page, block = ask("02_chain_rule", "value", "after a pass")
    field = stage(page).get_by_role("textbox", name="x.grad, your answer")
    expect(field).to_be_focused()
    expect(lesson(page)).to_contain_text("Type your answer at x on the stage")
    assert "leaf; requires grad; .grad None" in " ".join(outline(page))
    checker.check("a value is asked for")
    page.keyboard.type("2 *")
    page.keyboard.press("Enter")
    expect(stage(page).get_by_text("Something is missing at the end")).to_be_visible()
    expect(said(page)).not_to_contain_text("Not quite")
    page.keyboard.type(" 2")
    expect(stage(page).get_by_text("Read as 4")).to_be_visible()
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text(f"Not quite. {feedback(block, '4')}")
    assert "leaf; requires grad; .grad None" in " ".join(outline(page))
    checker.check("a value is wrong")
    field.fill("7")
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Right.")
    expect(stage(page).get_by_text("7", exact=True)).to_be_visible()
    expect(page.get_by_role("list", name="Graph").get_by_title(".grad 7")).to_have_count(1)
    checker.check("a value is right")


def test_the_field_moves_with_the_view(page: Page, ask: Ask) -> None:
    page.emulate_media(reduced_motion="reduce")
    ask("02_chain_rule", "value", "after a pass")
    field = stage(page).get_by_role("textbox")
    expect(field).to_be_focused()
    before = field.bounding_box()
    assert before is not None
    canvas = stage(page).locator("canvas").first.bounding_box()
    assert canvas is not None
    x, y = canvas["x"] + 60, canvas["y"] + canvas["height"] - 60
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 80, y - 40, steps=4)
    page.mouse.up()
    page.wait_for_function(
        "([x, y]) => { const box = document.querySelector('[aria-label^=\"x.grad\"]').getBoundingClientRect();"
        " return Math.abs(box.x - x) < 1 && Math.abs(box.y - y) < 1; }",
        arg=[before["x"] + 80, before["y"] - 40],
    )


def test_an_option_is_chosen_by_its_number_and_by_pointer(ask: Ask, checker: Checker) -> None:
    page, block = ask("01_graph", "choice")
    options = lesson(page).get_by_role("radio")
    expect(options).to_have_count(3)
    expect(check(page)).to_be_disabled()
    checker.check("a choice")
    page.keyboard.press("2")
    expect(options.nth(1)).to_be_checked()
    page.keyboard.press("Enter")
    expect(said(page)).to_contain_text("Not quite. " + feedback(block, "'AddBackward0'"))
    expect(lesson(page).get_by_role("radio", name="AddBackward0 not right")).to_be_checked()
    checker.check("a wrong choice")
    lesson(page).get_by_text("MulBackward0", exact=True).click()
    check(page).click()
    expect(said(page)).to_contain_text("Right.")
    expect(lesson(page).get_by_role("radio", name="MulBackward0 right")).to_be_disabled()
    checker.check("a right choice")


def test_a_node_is_pointed_at_by_pointer_by_keyboard_and_in_the_list(
    ask: Ask,
    checker: Checker,
) -> None:
    page, block = ask("01_graph", "node")
    expect(check(page)).to_be_disabled()
    nodes = lesson(page).get_by_role("combobox")
    expect(nodes.get_by_role("option", name="MulBackward0 of p")).to_have_count(1)
    checker.check("a node is asked for")
    nodes.select_option(label="MulBackward0 of p")
    expect(lesson(page).get_by_text("Chosen: MulBackward0 of p")).to_have_count(1)
    check(page).click()
    expect(said(page)).to_contain_text(f"Not quite. {feedback(block, 'MulBackward0')}")
    checker.check("a wrong node")
    # What is pointed at is not selected.
    page.get_by_role("list", name="Graph").get_by_role("button", name="w 2").focus()
    page.keyboard.press("Enter")
    expect(nodes).to_have_value(nodes.get_by_role("option", name="AccumulateGrad of w").get_attribute("value") or "")
    expect(page.get_by_role("list", name="Graph").locator("[aria-pressed=true]")).to_have_count(0)
    page.get_by_role("list", name="Graph").get_by_role("button", name="+ AddBackward0").first.focus()
    page.keyboard.press("Enter")
    expect(lesson(page).get_by_text("Chosen: AddBackward0 of y")).to_have_count(1)
    check(page).click()
    expect(said(page)).to_contain_text("Right.")
    checker.check("the right node")


def test_a_node_is_pointed_at_on_the_canvas(ask: Ask) -> None:
    page, _ = ask("03_order", "order")
    # The mark of a node is at the upper left of it.
    mark = stage(page).get_by_text("?", exact=True).first
    expect(mark).to_be_visible()
    box = mark.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] + 14, box["y"] + box["height"] + 6)
    expect(stage(page).get_by_text("1", exact=True)).to_be_visible()
    expect(page.get_by_role("list", name="Graph").locator("[aria-pressed=true]")).to_have_count(0)


@pytest.mark.parametrize("way", ["keys", "stage"])
def test_nodes_are_put_in_order(ask: Ask, checker: Checker, way: str) -> None:
    page, _ = ask("03_order", "order")
    rows = lesson(page).get_by_role("list", name="Order").get_by_role("listitem")
    expect(rows).to_have_count(4)
    expect(rows.first).to_contain_text("AccumulateGrad of x")
    if way == "keys":
        checker.check("an order is asked for")
        for _ in range(4):
            lesson(page).get_by_role("button", name="no number yet").first.focus()
            page.keyboard.press("Enter")
        check(page).click()
        expect(said(page)).to_contain_text("Not quite.")
        checker.check("a wrong order")
        for name, up in (("MulBackward0", 3), ("SinBackward0", 2), ("ExpBackward0", 1)):
            lesson(page).get_by_role("button", name=f"{name} of").first.focus()
            for _ in range(up):
                page.keyboard.press("ArrowUp")
        expect(lesson(page).get_by_role("button", name="AccumulateGrad of x is number 4 of 4")).to_have_count(1)
    else:
        graph = page.get_by_role("list", name="Graph")
        for name in ("× MulBackward0", "sin SinBackward0", "exp ExpBackward0", "x 1"):
            graph.get_by_role("button", name=name).first.focus()
            page.keyboard.press("Enter")
    for number in "1234":
        expect(stage(page).get_by_text(number, exact=True)).to_be_visible()
    check(page).click()
    expect(said(page)).to_contain_text("Right.")
    checker.check(f"the right order, by {way}")


def test_the_steps_that_answer_a_question_are_not_listed_before(ask: Ask) -> None:
    page, _ = ask("03_order", "order")
    lesson(page).get_by_role("list", name="Order").wait_for()
    page.get_by_role("button", name="Steps as a table").click()
    table = page.get_by_role("region", name="Steps")
    expect(table.get_by_role("status")).to_contain_text("4")
    expect(table).not_to_contain_text("SinBackward0 runs")
    lesson(page).get_by_role("button", name="Skip").click()
    expect(table).to_contain_text("SinBackward0")


SHOWN = [
    ("07_broadcasting", 4, "b [1, 1]", "leaf; requires grad; .grad None", "b.grad"),
    ("09_in_place", 4, "x [0, 1]", "leaf; requires grad; .grad None", "error"),
    ("15_memory", 8, "x 2", "leaf; requires grad; .grad None", "12"),
]
"""Questions after another about the same moment, or before an error: what the stage says, and the caption does not."""


@pytest.mark.parametrize(("name", "number", "leaf", "shown", "hidden"), SHOWN)
def test_an_open_question_is_not_answered_beside_it(
    open_page: Callable[[str], Page], name: str, number: int, leaf: str, shown: str, hidden: str
) -> None:
    page = open_page(f"#lesson={name}&page={number}")
    expect(stage(page).get_by_role("textbox")).to_be_in_viewport(ratio=1)
    graph = page.get_by_role("list", name="Graph")
    expect(graph.get_by_role("button", name=leaf, exact=True).first).to_have_attribute("title", shown)
    expect(page.get_by_test_id("caption")).not_to_contain_text(hidden)


def test_a_change_is_marked_tried_and_solved(ask: Ask, checker: Checker) -> None:
    page, _ = ask("02_chain_rule", "change")
    program = page.get_by_role("textbox", name="Program")
    expect(program.locator(".cm-part-number")).to_have_text(["2.0", "2", "3"])
    run = lesson(page).get_by_role("button", name="Run it")
    expect(run).to_be_disabled()
    checker.check("a change is asked for")
    program.click()
    page.keyboard.press("Control+Home")
    page.keyboard.press("End")
    page.keyboard.type("  # note")
    run.click()
    expect(said(page)).to_contain_text("The program is still the same", timeout=60_000)
    lesson(page).get_by_role("button", name="Start over").click()
    expect(program).not_to_contain_text("# note")
    lesson(page).get_by_role("button", name="Show a solution").click()
    expect(said(page)).to_contain_text("Reached.", timeout=60_000)
    checker.check("a change that is reached")


class TestOnAPhone:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return PHONE

    def test_a_value_is_typed_in_the_panel_and_its_place_is_marked(
        self,
        ask: Ask,
        checker: Checker,
    ) -> None:
        page, _ = ask("02_chain_rule", "value", "after a pass")
        field = lesson(page).get_by_role("textbox", name="x.grad, your answer")
        expect(stage(page).get_by_text(".grad ?")).to_be_in_viewport()
        checker.check("a value is asked for on a phone")
        field.fill("4")
        check(page).tap()
        expect(said(page)).to_contain_text("Not quite.")
        field.fill("7")
        check(page).tap()
        expect(said(page)).to_contain_text("Right.")
        checker.check("a value is right on a phone")
