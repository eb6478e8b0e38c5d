"""Protects the lesson as one HTML file: its predictions are answered from a disk, and a change shows its solution."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from accessibility import Checker
from lesson_files import NODES, export
from playwright.sync_api import Browser, Page, expect
from shown_lesson import PHONE, check, lesson, said as lesson_said

from backscope.player import page_template


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a lesson."""
    return export(tmp_path_factory.mktemp("lesson"))


@pytest.fixture(scope="module")
def exported_nodes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a lesson about nodes."""
    return export(tmp_path_factory.mktemp("nodes"), NODES, "overwritten")


DESKTOP: dict[str, Any] = {"viewport": {"width": 1440, "height": 900}}


@pytest.fixture
def offline(browser: Browser, request: pytest.FixtureRequest) -> Iterator[tuple[Page, list[str], list[str]]]:
    """A page without a network, the addresses that it requests, and its errors and warnings."""
    context = browser.new_context(**getattr(request, "param", DESKTOP), offline=True)
    page = context.new_page()
    requested: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    yield page, requested, said
    context.close()


def test_the_page_of_a_lesson_has_a_bound_of_its_own() -> None:
    template = page_template.lesson()
    assert template is not None
    assert len(template.encode()) <= 690_000


def test_a_lesson_is_taken_from_the_disk(offline: tuple[Page, list[str], list[str]], exported: Path) -> None:
    page, requested, said = offline
    page.goto(exported.as_uri())
    expect(page).to_have_title("Two paths <b>to</b> one leaf – Backscope")
    expect(lesson_said(page)).to_contain_text("Page 1 of 6. A value is used twice.")
    # Nothing leads to lessons that the file does not have.
    expect(page.get_by_role("button", name="Close the lesson")).to_have_count(0)
    page.get_by_role("button", name="Begin").click()
    expect(lesson_said(page)).to_contain_text("Two arrows leave x.")
    expect(page.get_by_test_id("caption")).to_contain_text("y")
    page.get_by_role("button", name="Next", exact=True).click()

    expect(lesson_said(page)).to_contain_text("Your prediction: Which node runs first?")
    page.get_by_role("radio", name=re.compile("MulBackward0")).check()
    check(page).click()
    expect(lesson_said(page)).to_contain_text("Not quite. That one made a product.")
    page.get_by_role("radio", name=re.compile("AddBackward0")).check()
    check(page).click()
    expect(lesson_said(page)).to_contain_text("Right. It made y.")
    page.get_by_role("button", name="Next", exact=True).click()

    expect(lesson_said(page)).to_contain_text("What will x.grad be?")
    field = page.get_by_role("textbox", name="x.grad, your answer")
    field.fill("4")
    field.press("Enter")
    expect(lesson_said(page)).to_contain_text("Not quite. That is one path of two.")
    field.fill("7.0")
    field.press("Enter")
    expect(lesson_said(page)).to_contain_text("Right. 4 and 3 arrive.")
    page.get_by_role("button", name="Next", exact=True).click()

    expect(lesson_said(page)).to_contain_text("Your turn: Change one number so that x.grad becomes 11.")
    expect(page.get_by_text("needs a Backscope server")).to_be_visible()
    program = page.get_by_role("textbox", name="Program")
    expect(program).to_contain_text("torch.tensor(2.0")
    expect(program).to_have_attribute("aria-readonly", "true")
    page.get_by_role("button", name="Show a solution").click()
    expect(program).to_contain_text("torch.tensor(4.0")
    expect(lesson_said(page)).to_contain_text("Reached. The slope is 2x + 3.")
    slider = page.get_by_role("slider", name="Timeline")
    slider.press("End")
    expect(page.locator('button[title$=".grad 11"]')).to_have_count(1)
    page.get_by_role("button", name="Show the program as it was").click()
    expect(program).to_contain_text("torch.tensor(2.0")
    page.get_by_role("button", name=re.compile("^(Skip|Next)$")).click()
    expect(lesson_said(page)).to_contain_text("What you take home: The gradients of all paths to a value add up.")
    # A solution that was read is not one that was found.
    expect(page.get_by_text("You solved 2 of 3.")).to_be_visible()

    # A page of the lesson is a place in the history, and in a link.
    page.go_back()
    expect(lesson_said(page)).to_contain_text("The slope is 2x + 3.")
    page.goto(f"{exported.as_uri()}#lesson=two_paths&page=4")
    page.reload()
    # An answer outlasts a reload.
    expect(lesson_said(page)).to_contain_text("Right. 4 and 3 arrive.")
    assert {url.partition("#")[0] for url in requested if not url.startswith(("data:", "blob:"))} == {exported.as_uri()}
    assert said == []


@pytest.mark.parametrize("offline", [DESKTOP, PHONE], ids=["desktop", "phone"], indirect=True)
def test_nodes_are_pointed_at_and_arranged_from_the_disk_by_everyone(
    offline: tuple[Page, list[str], list[str]], exported_nodes: Path
) -> None:
    page, _, said = offline
    everyone = Checker(page)

    def turn() -> None:
        page.get_by_role("button", name=re.compile("^(Begin|Next)$")).click()

    page.goto(exported_nodes.as_uri())
    expect(lesson_said(page)).to_contain_text("Page 1 of 8.")
    everyone.check("the beginning")
    turn()
    expect(lesson_said(page)).to_contain_text("exp keeps its result.")
    turn()

    expect(lesson_said(page)).to_contain_text("Your prediction: Which node misses its value?")
    everyone.check("a node is asked for")
    nodes = lesson(page).get_by_role("combobox")
    for name, verdict in (
        ("AddBackward0", "Not quite. To add needs no value."),
        ("SumBackward0", "Not quite. Look for a chip"),
        ("ExpBackward0", "Right. exp needs its own result."),
    ):
        option = nodes.locator("option", has_text=name)
        nodes.select_option(value=option.get_attribute("value"))
        check(page).click()
        expect(lesson_said(page)).to_contain_text(verdict)
        everyone.check(f"{name} is pointed at")
    turn()
    expect(lesson_said(page)).to_contain_text("Now nothing is overwritten.")
    turn()

    expect(lesson_said(page)).to_contain_text("Your prediction: In which order do they run?")
    everyone.check("an order is asked for")
    order = lesson(page).get_by_role("list", name="Order").get_by_role("listitem")
    for name in ("AccumulateGrad", "ExpBackward0", "MulBackward0"):
        order.filter(has_text=name).get_by_role("button", name="no number yet").click()
    check(page).click()
    expect(lesson_said(page)).to_contain_text("Not quite. That is the order of the program.")
    everyone.check("a wrong order")
    for name, up in (("MulBackward0", 2), ("ExpBackward0", 1)):
        order.filter(has_text=name).get_by_role("button", name="is number").focus()
        for _ in range(up):
            page.keyboard.press("ArrowUp")
    check(page).click()
    expect(lesson_said(page)).to_contain_text("Right. From the result back to the leaf.")
    everyone.check("the right order")
    turn()

    expect(lesson_said(page)).to_contain_text("What will the gradient be?")
    field = page.get_by_role("textbox", name="maß.grad, your answer")
    field.fill("22.16")
    field.press("Enter")
    expect(lesson_said(page)).to_contain_text("Right. It is the result itself.")
    turn()

    expect(page.get_by_text("needs a Backscope server")).to_be_visible()
    everyone.check("a change without a server")
    page.get_by_role("button", name="Show a solution").click()
    expect(lesson_said(page)).to_contain_text("Reached. The gradient is as large as the result.")
    everyone.check("a solution")
    page.get_by_role("button", name=re.compile("^(Skip|Next)$")).click()
    expect(lesson_said(page)).to_contain_text("What you take home:")
    everyone.check("the end")
    assert everyone.found == []
    assert said == []


def test_a_lesson_is_taken_in_a_sandboxed_frame(
    offline: tuple[Page, list[str], list[str]], exported: Path, tmp_path: Path
) -> None:
    page, _, said = offline
    held = html.escape(exported.read_text(encoding="utf-8"))
    host = tmp_path / "host.html"
    host.write_text(f'<!doctype html><iframe sandbox="allow-scripts" width=1300 height=800 srcdoc="{held}"></iframe>')
    page.goto(host.as_uri())
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Begin").click()
    expect(lesson_said(frame)).to_contain_text("Two arrows leave x.")
    for _ in range(2):
        frame.get_by_role("button", name=re.compile("^(Next|Skip)$")).click()
    expect(lesson_said(frame)).to_contain_text("It made y.")
    assert said == []


def test_a_damaged_file_says_so(offline: tuple[Page, list[str], list[str]], exported: Path, tmp_path: Path) -> None:
    page, _, _ = offline
    text = exported.read_text(encoding="utf-8")
    damaged = tmp_path / "damaged.html"
    damaged.write_text(re.sub(r'(id="recording">\s*)\S{200}', r"\1", text), encoding="utf-8")
    page.goto(damaged.as_uri())
    expect(page.get_by_text("The lesson in this file is damaged.")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), [(390, 600), (360, 400), (720, 480)])
def test_the_graph_has_its_height_in_a_small_frame(
    offline: tuple[Page, list[str], list[str]], exported: Path, width: int, height: int
) -> None:
    page, _, said = offline
    page.set_viewport_size({"width": width, "height": height})
    page.goto(exported.as_uri())
    title = page.get_by_text("Two paths <b>to</b> one leaf").first
    expect(title).to_be_in_viewport(ratio=1)
    assert title.evaluate("one => one.scrollWidth <= one.clientWidth && one.scrollHeight <= one.clientHeight")
    page.get_by_role("button", name="Begin").click()
    expect(lesson_said(page)).to_contain_text("Two arrows leave x.")
    expect(page.get_by_role("button", name="Next", exact=True)).to_be_in_viewport(ratio=1)
    graph = page.locator("canvas").first.bounding_box()
    assert graph is not None
    assert graph["height"] >= 0.4 * height
    timeline = page.get_by_role("slider", name="Timeline")
    if width < 720:
        # Its height is the graph's until the reader opens it.
        expect(timeline).to_have_count(0)
        page.get_by_role("button", name="Timeline", exact=True).click()
    expect(timeline).to_be_in_viewport()
    assert said == []
