"""Protects: the address holds the moment, and a trace file brings a run back without the server's help."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

DROP = """async ([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  for (const type of ['dragover', 'drop']) {
    window.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }
}"""


def slider(page: Page):  # type: ignore[no-untyped-def]
    return page.get_by_role("slider", name="Timeline")


def drop(page: Page, name: str, data: bytes) -> None:
    import base64

    page.evaluate(DROP, [name, base64.b64encode(data).decode()])


def test_a_reload_keeps_the_moment(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    slider(page).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    now = slider(page).get_attribute("aria-valuenow") or ""
    expect(page).to_have_url(re.compile(rf"at={int(now) - 1}\b"))
    page.reload()
    expect(slider(page)).to_have_attribute("aria-valuenow", now)


def test_the_address_carries_an_own_program(run_program: Callable[..., Page]) -> None:
    page = run_program("print('carried by the link')\n")
    expect(page).to_have_url(re.compile(r"#code="))
    page.reload()
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("carried by the link")
    expect(page.get_by_role("log", name="Console")).to_contain_text("carried by the link")


def test_a_program_in_a_link_is_read_before_it_runs(run_program: Callable[..., Page]) -> None:
    """A page elsewhere can lead a reader to any link; nothing of it runs until the reader says so."""
    page = run_program("print('from elsewhere')\n")
    expect(page).to_have_url(re.compile(r"#code="))
    page.evaluate("sessionStorage.clear()")
    page.reload()
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("from elsewhere")
    expect(page.get_by_text("This link brings a program. Read it, then press Run.")).to_be_visible()
    expect(page.get_by_role("log", name="Console")).not_to_contain_text("from elsewhere")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_role("log", name="Console")).to_contain_text("from elsewhere")


def test_going_back_opens_the_program_before(
    open_page: Callable[[str], Page], examples: list[dict[str, str]], expected_console: list[str]
) -> None:
    # A program may be left while its connection is still being made.
    expected_console.append("WebSocket is closed before the connection is established")
    page = open_page("")
    expect(page).to_have_url(re.compile("example="))
    page.get_by_role("button", name="Examples").click()
    page.get_by_role("option").nth(1).click()
    expect(page).to_have_url(re.compile(f"example={examples[1]['name']}"))
    page.go_back()
    expect(page.get_by_role("button", name=f"Examples: {examples[0]['title']}")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("button", name=f"Examples: {examples[1]['title']}")).to_be_visible()


def test_a_damaged_link_is_told(page: Page, server) -> None:  # type: ignore[no-untyped-def]
    page.goto(f"{server.address}/#code=abc")
    expect(page.get_by_text("The program in this link is damaged")).to_be_visible()
    page.get_by_role("button", name="Close this message").click()
    expect(page.get_by_text("damaged")).to_have_count(0)


def test_a_trace_goes_out_and_comes_back(open_page: Callable[[str], Page], tmp_path: Path) -> None:
    page = open_page("")
    steps = slider(page).get_attribute("aria-valuemax") or ""
    with page.expect_download() as download:
        page.get_by_role("button", name="Export the trace").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.suffix == ".backscope"
    page.route("**/api/**", lambda route: route.abort())
    drop(page, path.name, path.read_bytes())
    expect(page.get_by_role("button", name="Examples: Your program")).to_be_visible()
    expect(slider(page)).to_have_attribute("aria-valuemax", steps)
    slider(page).focus()
    page.keyboard.press("End")
    expect(slider(page)).to_have_attribute("aria-valuenow", steps)


def test_another_file_is_refused_with_the_reason(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    drop(page, "notes.txt", b"print(1)")
    expect(page.get_by_text("notes.txt: This file is not a Backscope trace")).to_be_visible()


def test_the_filter_says_when_nothing_matches(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    page.get_by_role("button", name="Examples").click()
    page.get_by_placeholder("Filter examples").fill("qqqqq")
    expect(page.get_by_text("No example matches “qqqqq”")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_placeholder("Filter examples")).to_have_count(0)
