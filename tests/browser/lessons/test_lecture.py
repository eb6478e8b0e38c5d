"""Protects lecture mode: moments are collected, ordered, played as slides, saved as a file and opened from a link."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from accessibility import Checker
from lecture_sheet import HOST, add, ask_first, incompressible, open_sheet
from page_server import Server
from playwright.sync_api import Browser, Page, expect
from shown_lesson import said, slide_said

from backscope_server.lessons import lesson_file
from backscope_server.lessons.lesson import ProgramBlock, StepBlock


def names(page: Page) -> list[str]:
    """Return the moments of the list in their order."""
    return [text.lstrip("0123456789") for text in page.locator("ol[aria-label=Moments] .name").all_inner_texts()]


def collect(page: Page) -> None:
    """Collect three moments of the first example, and bring the last one to the top by the keyboard."""
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    add(page, 1, "Both leaves are **ready**.")
    page.keyboard.press("End")
    add(page, 2, "")
    page.keyboard.press("ArrowLeft")
    add(page, 3, "The gradients have arrived.")
    page.get_by_label("Title").fill("Where gradients land")
    grip = page.get_by_label(re.compile("^Move moment 3:"))
    grip.focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label(re.compile("^Move moment 2:"))).to_be_focused()
    page.get_by_role("button", name="Move moment 2 up").click()
    assert names(page)[0] == "after a pass"
    expect(page.get_by_role("status").filter(has_text="after a pass is moment 1 of 3 now.")).to_be_attached()


def kept(page: Page) -> dict[str, Any]:
    """Return the lesson as the browser keeps it."""
    found: dict[str, Any] = json.loads(page.evaluate("() => localStorage.getItem('backscope.lecture')"))
    return found


def reopen(page: Page, moments: int, lecture: dict[str, Any] | None = None) -> None:
    """Reload the page, which then keeps `lecture` where it is given, and collect one more moment than these."""
    if lecture is not None:
        page.evaluate("(text) => localStorage.setItem('backscope.lecture', text)", json.dumps(lecture))
    page.reload()
    expect(page.get_by_role("slider", name="Timeline")).not_to_have_attribute("aria-valuemax", "0")
    page.keyboard.press("m")
    expect(page.get_by_label(f"Sentence of moment {moments + 1}")).to_be_visible()


def test_moments_become_slides_a_file_and_a_link(
    open_page: Callable[..., Page],
    checker: Checker,
    tmp_path: Path,
) -> None:
    page = open_page("")
    collect(page)
    checker.check("moments are collected")
    sheet = open_sheet(page)
    expect(sheet).to_contain_text("nobody else can open a link to it")
    checker.check("the sheet to share a lesson")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    sheet.get_by_role("button", name="Copy the iframe").click()
    expect(sheet.get_by_role("status")).to_have_text("The iframe is copied.")
    assert '<iframe src="where_gradients_land.html" title="Backscope: a lesson, Where gradients land"' in page.evaluate(
        "navigator.clipboard.readText()"
    )
    with page.expect_download() as download:
        sheet.get_by_role("button", name="Lesson file").click()
    assert download.value.suggested_filename == "where_gradients_land.md"
    path = tmp_path / "where_gradients_land.md"
    download.value.save_as(path)
    lesson = lesson_file.read(path)
    assert lesson.title == "Where gradients land"
    program, *steps = lesson.blocks
    assert isinstance(program, ProgramBlock)
    assert all(isinstance(step, StepBlock) for step in steps)
    assert [step.text for step in steps if isinstance(step, StepBlock)][:2] == [
        "The gradients have arrived.",
        "Both leaves are **ready**.",
    ]
    page.keyboard.press("Escape")
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("button", name="Share", exact=True)).to_be_focused()
    page.get_by_role("button", name="Play slides").click()
    expect(page.get_by_text("The gradients have arrived.").first).to_be_visible()
    expect(slide_said(page)).to_have_text("Slide 1 of 4. The gradients have arrived.")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".body strong")).to_have_text("ready")
    checker.check("a slide")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".body").get_by_text("The gradients have arrived.")).to_be_visible()
    link = page.url
    assert re.search(r"#lesson=-1[\w-]+", link)
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Play slides")).to_be_focused()
    assert len(names(page)) == 3

    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto("about:blank")
    page.goto(link)
    expect(page.get_by_role("heading", name="Where gradients land")).to_be_visible()
    expect(page.get_by_role("button", name="Run and begin")).to_be_visible()
    assert page.evaluate("() => document.querySelector('.lesson')") is None
    checker.check("a link to a lesson")
    page.get_by_role("button", name="Run and begin").click()
    expect(page.get_by_text("The gradients have arrived.").first).to_be_visible()
    expect(page.get_by_role("slider", name="Timeline")).to_have_attribute(
        "aria-valuetext", re.compile("backward pass done")
    )


def test_code_beside_slides_grows_with_the_window(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    collect(page)
    page.set_viewport_size({"width": 1440, "height": 945})
    page.get_by_role("button", name="Play slides").click()
    rooms = page.locator("main.slides")
    expect(rooms).to_have_attribute("style", re.compile(r"--talk: ?1\.225;"))
    page.set_viewport_size({"width": 1440, "height": 1080})
    expect(rooms).to_have_attribute("style", re.compile(r"--talk: ?1\.4;"))


def test_a_moment_is_dragged_removed_and_brought_back(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    collect(page)
    before = names(page)
    grip = page.get_by_label(re.compile("^Move moment 1:"))
    grip.scroll_into_view_if_needed()
    box = grip.bounding_box()
    target = page.get_by_label("Sentence of moment 2").bounding_box()
    assert box and target
    page.mouse.move(box["x"] + 8, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 8, target["y"] + target["height"] - 2, steps=5)
    page.mouse.up()
    expect(page.get_by_role("status").filter(has_text="after a pass is moment 2 of 3 now.")).to_be_attached()
    assert names(page) == [before[1], before[0], before[2]]
    page.get_by_role("button", name="Remove moment 1").click()
    assert names(page) == [before[0], before[2]]
    page.get_by_role("button", name="Undo").click()
    assert names(page) == [before[1], before[0], before[2]]
    reopen(page, 3)
    assert names(page)[:3] == [before[1], before[0], before[2]]


def test_a_moment_is_predicted_before_it_is_seen(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    collect(page)
    ask_first(page)
    page.get_by_role("button", name="Move moment 1 down").click()
    page.get_by_role("button", name="Play slides").click()
    expect(slide_said(page)).to_contain_text("Slide 1 of 4")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".body").get_by_text("What will")).to_be_visible()
    answer = page.get_by_label("w.grad, your answer")
    answer.fill("3")
    answer.press("Enter")
    expect(page.locator(".body").get_by_text("The gradients have arrived.")).to_be_visible()
    expect(page.locator(".body").get_by_text("Right.")).to_be_visible()


def test_what_was_answered_outlasts_a_reload_and_not_the_slides(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    collect(page)
    ask_first(page)
    page.get_by_role("button", name="Play slides").click()
    answer = page.get_by_label("w.grad, your answer")
    answer.fill("4")
    answer.press("Enter")
    expect(page.locator(".body").get_by_text("Not quite.")).to_be_visible()
    page.reload()
    expect(page.locator(".body").get_by_text("Not quite.")).to_be_visible()
    expect(answer).to_have_value("4")
    # Once the run is there the field is on the stage.
    expect(page.get_by_text("on the stage.")).to_be_visible()
    answer.fill("3")
    answer.press("Enter")
    expect(page.locator(".body").get_by_text("Right.")).to_be_visible()
    page.reload()
    expect(page.locator(".body").get_by_text("Right.")).to_be_visible()
    expect(page.get_by_role("slider", name="Timeline")).to_have_attribute(
        "aria-valuetext", re.compile("backward pass done")
    )
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play slides").click()
    expect(answer).to_have_value("")


def test_the_link_beside_slides_that_no_link_holds_is_in_the_sheet(open_page: Callable[..., Page]) -> None:
    page = open_page("")
    collect(page)
    lecture = kept(page)
    lecture["moments"] += [{**lecture["moments"][0], "text": incompressible(number, 1999)} for number in range(5)]
    reopen(page, 8, lecture)
    page.get_by_role("button", name="Play slides").click()
    expect(slide_said(page)).to_contain_text("Slide 1 of 10")
    assert page.url.endswith("#lesson=-draft")
    page.keyboard.press("Control+k")
    page.keyboard.type("Copy a link to this moment")
    expect(page.get_by_role("option", name="Copy a link to this moment")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Share this lesson")).to_contain_text("nobody else can open a link to it")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog", name="Share this lesson")).to_have_count(0)
    expect(slide_said(page)).to_contain_text("Slide 1 of 10")


def test_a_damaged_link_says_so(page: Page, server: Server) -> None:
    page.goto(f"{server.address}/#lesson=-1AAAA")
    expect(page.get_by_role("alert")).to_contain_text("The lesson in this link is damaged.")
    page.get_by_role("button", name="Close the lesson").click()
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()


def test_a_web_page_of_the_lesson_plays_without_a_server(
    open_page: Callable[..., Page], browser: Browser, tmp_path: Path
) -> None:
    page = open_page("")
    collect(page)
    ask_first(page)
    sheet = open_sheet(page)
    with page.expect_download() as download:
        sheet.get_by_role("button", name="Web page").click()
    assert download.value.suggested_filename == "where_gradients_land.html"
    expect(sheet.get_by_role("status")).to_contain_text("Saved where_gradients_land.html, ")
    path = tmp_path / "where_gradients_land.html"
    download.value.save_as(path)
    context = browser.new_context(offline=True, viewport={"width": 1440, "height": 900})
    try:
        offline = context.new_page()
        offline.goto(path.as_uri())
        expect(offline).to_have_title("Where gradients land – Backscope")
        expect(said(offline)).to_contain_text("Page 1 of 4")
        answer = offline.get_by_label("w.grad, your answer")
        answer.fill("4")
        answer.press("Enter")
        expect(said(offline)).to_contain_text("Not quite.")
        answer.fill("3")
        answer.press("Enter")
        expect(said(offline)).to_contain_text("The gradients have arrived.")
        offline.get_by_role("button", name="Begin", exact=True).click()
        expect(offline.locator(".body strong")).to_have_text("ready")
    finally:
        context.close()


class TestWhatDoesNotHold:
    @pytest.fixture
    def expected_console(self) -> list[str]:
        return ["422"]

    def test_a_web_page_is_refused_by_the_moment_that_does_not_hold(self, open_page: Callable[..., Page]) -> None:
        page = open_page("")
        collect(page)
        lecture = kept(page)
        lecture["moments"][1]["at"] = "after z is set"
        reopen(page, 3, lecture)
        sheet = open_sheet(page)
        sheet.get_by_role("button", name="Web page").click()
        expect(sheet.get_by_role("alert")).to_contain_text("Moment 2, after z is set: There is no moment")


@pytest.fixture
def elsewhere(guest_with: Callable[..., Server]) -> Callable[..., tuple[Server, str]]:
    """Starts a server with these settings whose page is not on the reader's own machine; the address is its page's."""

    def start(**settings: Any) -> tuple[Server, str]:
        server = guest_with(public_host=HOST, **settings)
        return server, f"http://{HOST}:{server.port}/?token={server.token}"

    return start


class TestAnotherMachine:
    @pytest.fixture
    def expected_console(self) -> list[str]:
        # Without https, browsers ignore these headers.
        return ["Cross-Origin-Opener-Policy", "Origin-Agent-Cluster", "404"]

    def test_the_sheet_of_a_public_server_says_where_its_link_leads(
        self,
        page: Page,
        elsewhere: Callable[..., tuple[Server, str]],
        checker: Checker,
    ) -> None:
        server, address = elsewhere()
        page.goto(address)
        collect(page)
        sheet = open_sheet(page)
        for fact in (
            f"{HOST}:{server.port}",
            "3 moments and one program",
            "Everybody who has it.",
            "In the link itself",
        ):
            expect(sheet).to_contain_text(fact)
        checker.check("the sheet with a link")
        link = sheet.get_by_label("The link to the lesson").input_value()
        assert re.match(rf"http://{HOST}:\d+/#lesson=-1[\w-]+$", link)
        sheet.get_by_role("button", name="Copy the element").click()
        element = sheet.get_by_label("The HTML for your page").input_value()
        assert re.search(
            r'<backscope-run lesson="-1[\w-]+" title="Backscope: a lesson, Where gradients land">', element
        )
        # The page has no clipboard where it is not secure.
        sheet.get_by_role("button", name="Copy link").click()
        expect(sheet.get_by_role("alert")).to_contain_text("Select the link and copy it.")
        page.evaluate("() => localStorage.clear()")
        page.goto("about:blank")
        page.goto(link)
        expect(page.get_by_role("heading", name="Where gradients land")).to_be_visible()

    def test_a_lesson_that_is_too_long_for_its_link_is_kept_by_the_server(
        self, page: Page, elsewhere: Callable[..., tuple[Server, str]], tmp_path: Path
    ) -> None:
        _server, address = elsewhere(storage=str(tmp_path / "storage"), storage_kept=9)
        page.goto(address)
        collect(page)
        for number in range(1, 4):
            page.get_by_label(f"Sentence of moment {number}").fill(incompressible(number, 1999))
        page.get_by_label("To take home").fill(incompressible(9, 200))
        lecture = kept(page)
        first = lecture["moments"][0]
        lecture["moments"] += [{**first, "text": incompressible(number, 1999)} for number in range(4, 9)]
        reopen(page, 8, lecture)
        sheet = open_sheet(page)
        expect(sheet).to_contain_text("some programs cut those of more than")
        sheet.get_by_role("button", name="Keep it and make a link").click()
        expect(sheet).to_contain_text("keeps the 9 lessons that were shared or opened last")
        link = sheet.get_by_label("The link to the lesson").input_value()
        assert re.match(rf"http://{HOST}:\d+/#lesson=-s[\w-]{{16}}$", link)
        sheet.get_by_role("button", name="Copy the iframe").click()
        frame = sheet.get_by_label("The HTML for your page").input_value()
        assert re.search(
            rf'src="http://{HOST}:\d+/embed#lesson=-s[\w-]{{16}}" title="Backscope: a lesson, Where', frame
        )
        page.evaluate("() => localStorage.clear()")
        page.goto("about:blank")
        page.goto(link)
        expect(page.get_by_role("heading", name="Where gradients land")).to_be_visible()
        (stored,) = (tmp_path / "storage" / "lectures").glob("*.lecture")
        stored.unlink()
        page.goto("about:blank")
        page.goto(link)
        expect(page.get_by_role("alert")).to_contain_text("any more")
