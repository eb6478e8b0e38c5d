"""Protects hidden panels: what a lesson hides is not there beside the moment, and the graph has its room."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lesson_files import LESSON, export
from page_server import Server
from playwright.sync_api import Browser, Page, expect
from shown_lesson import PHONE, said

HIDING = LESSON.replace('at="after y is set"', 'at="after y is set" hide="code, console, inspector, timeline"').replace(
    'ask="x.grad"', 'ask="x.grad" hide="inspector"'
)
ALL = ("Code", "Console", "Inspector", "Debugger")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "two_paths.md"
    written.write_text(HIDING, encoding="utf-8")
    return written


def expect_panels(page: Page, names: tuple[str, ...]) -> None:
    """Wait until the panels with these names are there, and no other ones."""
    for name in ALL:
        expect(page.get_by_role("region", name=name, exact=True)).to_have_count(int(name in names))


def width_of_stage(page: Page) -> float:
    box = page.get_by_role("region", name="Stage").bounding_box()
    assert box
    return box["width"]


def test_panels_are_hidden_beside_a_moment(page: Page, guest_with: Callable[..., Server], path: Path) -> None:
    server = guest_with(lessons=path)
    page.goto(f"{server.address}/?preview=on#lesson=two_paths")
    timeline = page.get_by_role("slider", name="Timeline")
    expect(timeline).to_be_visible()
    expect_panels(page, ("Code", "Console", "Inspector"))
    before = width_of_stage(page)
    page.get_by_role("button", name="Begin").click()
    expect(said(page)).to_contain_text("Two arrows leave x.")
    expect(timeline).to_have_count(0)
    expect_panels(page, ())
    assert width_of_stage(page) > before

    # A reader who wants a panel gets it, until the next page.
    page.keyboard.press("e")
    expect(page.get_by_role("textbox", name="Program")).to_be_focused()
    page.get_by_role("button", name="Next", exact=True).click()
    expect(timeline).to_be_visible()
    expect_panels(page, ("Code", "Console", "Inspector"))
    page.get_by_role("button", name="Back", exact=True).click()
    expect(timeline).to_have_count(0)
    page.get_by_role("button", name="Close the lesson").click()
    expect(timeline).to_be_visible()
    expect(page.get_by_role("region", name="Code", exact=True)).to_be_visible()


def test_a_frame_has_no_tabs_of_hidden_panels(page: Page, guest_with: Callable[..., Server], path: Path) -> None:
    server = guest_with(lessons=path)
    page.goto(f"{server.address}/embed?preview=on#lesson=two_paths")
    tabs = page.get_by_role("group", name="Rooms").get_by_role("button")
    expect(tabs).to_have_text(["Lesson", "Timeline", "Code", "Inspect", "Console"])
    page.get_by_role("button", name="Begin").click()
    expect(said(page)).to_contain_text("Two arrows leave x.")
    expect(tabs).to_have_text(["Lesson"])
    page.get_by_role("button", name="Next", exact=True).click()
    expect(tabs).to_have_text(["Lesson", "Timeline", "Code", "Inspect", "Console"])


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(**PHONE, offline=True)  # type: ignore[arg-type]
    yield context.new_page()
    context.close()


def test_one_file_hides_them_too_on_a_phone(phone: Page, tmp_path: Path) -> None:
    phone.goto(export(tmp_path, HIDING).as_uri())
    tabs = phone.get_by_role("group", name="Rooms").get_by_role("button")
    expect(tabs).to_have_text(["Code", "Inspect", "Steps", "Console"])
    phone.get_by_role("button", name="Begin").click()
    expect(said(phone)).to_contain_text("Two arrows leave x.")
    expect(tabs).to_have_text(["Steps"])
    expect(phone.get_by_role("slider", name="Timeline")).to_have_count(0)
    phone.get_by_role("button", name="Next", exact=True).click()
    expect(tabs).to_have_text(["Code", "Inspect", "Steps", "Console"])
