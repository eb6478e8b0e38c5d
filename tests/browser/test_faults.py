"""Protects what a reader sees when something is lost: the page says so, goes on, and is at the same moment."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from dropping import packed
from playwright.sync_api import Page, expect
from shown_run import ended, slider

# A program's clock stands still while it sleeps, so it takes its time by working.
PACED = "for i in range(300):\n    print('line', i)\n    sum(range(500_000))\n"
ENDLESS = "while True:\n    print('still here')\n    sum(range(2_000_000))\n"
OWN = """import torch

a = torch.tensor(2.0, requires_grad=True)
b = a * a
b.backward()
print("gradient", a.grad)
"""


@pytest.fixture
def expected_console() -> list[str]:
    return ["WebSocket connection", "ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "Failed to load resource"]


@pytest.fixture
def keeper(server_with: Callable[..., Any], tmp_path: Path) -> Any:
    """A server of the test that keeps its runs on disk."""
    return server_with(storage=tmp_path / "data")


def console(page: Page):  # type: ignore[no-untyped-def]
    return page.get_by_role("log", name="Console")


def write(page: Page, source: str, *, shown: bool = True) -> None:
    """Types a program and runs it; with `shown` waits until the page shows its run."""
    page.get_by_role("textbox", name="Program").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.insert_text(source)
    page.keyboard.press("Control+Enter")
    if shown:
        expect(page.get_by_text("Edited since this run")).to_have_count(0)


def sockets(page: Page) -> list[str]:
    """The WebSockets that the page opens from now on, by their paths."""
    opened: list[str] = []
    page.on("websocket", lambda socket: opened.append(re.sub(r"^ws://[^/]*", "", socket.url)))
    return opened


NOTE_LOSS = """() => {
    const lost = 'The connection was lost. Reconnecting; nothing is missed.';
    const look = () => { window.toldOfLoss ||= document.body.textContent.includes(lost); };
    new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""
"""Has the page note that it said so: it may be for a moment only."""


def test_a_connection_that_is_cut_twenty_times_shows_it_and_loses_nothing(page: Page, server: Any, lossy: Any) -> None:
    chance = random.Random(1)
    # First before the program has arrived, so that the page has nothing of the run to show; then three refusals, so
    # that it waits long enough to be seen waiting; then once the run is on the page.
    cuts = iter([-8000, 0, 0, 0, 6000, *(chance.randint(200, 1500) for _ in range(15))])
    noise = "".join(f"# {chance.randbytes(50).hex()}\n" for _ in range(240))  # What does not compress.
    armed: list[bool] = []
    proxy = lossy(server.port, iter(lambda: next(cuts, None) if armed else None, 0.5))
    page.goto(server.address)
    ended(page)
    for cookie in page.context.cookies():  # The proxy's port is another place for the browser.
        if cookie["name"] == f"backscope-{server.port}":
            page.context.add_cookies([{**cookie, "name": f"backscope-{proxy.port}"}])
    page.goto(f"{proxy.address}/#{page.url.partition('#')[2]}")
    ended(page)
    armed.append(True)
    page.evaluate(NOTE_LOSS)
    write(page, PACED + noise, shown=False)
    page.wait_for_function("() => window.toldOfLoss")
    expect(page.get_by_text("Edited since this run")).to_have_count(0)
    ended(page)
    assert proxy.made == 20
    expect(page.get_by_text("Reconnecting")).to_have_count(0)
    page.keyboard.press("Escape")
    slider(page).focus()
    page.keyboard.press("End")
    expect(console(page).locator("li .text").last).to_contain_text("line 299")
    printed = console(page).locator("li .text").all_inner_texts()
    assert [text.strip() for entry in printed for text in entry.splitlines()] == [f"line {i}" for i in range(300)]


def address_follows(page: Page) -> None:
    """Waits until the address names the moment that the timeline shows: it does so when the page has rested."""
    page.wait_for_function("""() => {
        const now = document.querySelector('[role=slider][aria-label=Timeline]').ariaValueNow;
        return new URLSearchParams(location.hash.slice(1)).get('step') === now;
    }""")


def moment(page: Page) -> tuple[str, str, str]:
    """Where the page is: the step, what is selected, and the program."""
    expect(page).to_have_url(re.compile("run="))
    selected = page.get_by_role("region", name="Inspector").get_by_text(re.compile("which made"))
    expect(selected).to_be_visible()
    address_follows(page)
    return (
        slider(page).get_attribute("aria-valuenow") or "",
        selected.inner_text(),
        page.get_by_role("textbox", name="Program").inner_text(),
    )


def at_own_moment(page: Page, address: str) -> tuple[str, str, str]:
    page.goto(address)
    ended(page)
    write(page, OWN)
    ended(page)
    slider(page).focus()
    page.keyboard.press("Home")
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    page.get_by_text("b = a * a").click()
    expect(page).to_have_url(re.compile("select="))
    return moment(page)


def test_reload_back_and_a_second_tab_show_the_same_run_at_the_same_moment(page: Page, server: Any) -> None:
    before = at_own_moment(page, server.address)
    opened = sockets(page)
    page.reload()
    ended(page)
    assert moment(page) == before
    second = page.context.new_page()
    opened_there = sockets(second)
    second.goto(page.url)
    ended(second)
    assert moment(second) == before
    second.close()
    write(page, "print('something else')\n")
    ended(page)
    expect(page).not_to_have_url(re.compile("select="))
    page.go_back()
    expect(console(page)).not_to_contain_text("something else")
    expect(slider(page)).to_have_attribute("aria-valuenow", before[0])
    assert moment(page) == before
    # Nothing but the second program was run.
    assert opened.count("/api/run") == 1
    assert opened_there.count("/api/run") == 0


def test_text_that_was_edited_since_the_run_outlives_a_reload(page: Page, server: Any) -> None:
    at_own_moment(page, server.address)
    page.get_by_role("textbox", name="Program").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("# a thought\n")
    expect(page.get_by_text("Edited since this run")).to_be_visible()
    page.wait_for_function("() => Object.values(sessionStorage).some((kept) => kept.includes('# a thought'))")
    page.reload()
    ended(page)
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("# a thought")
    expect(page.get_by_text("Edited since this run")).to_be_visible()


def test_a_reload_while_the_program_runs_finds_it_running(page: Page, server: Any) -> None:
    page.goto(server.address)
    ended(page)
    expect(page).to_have_url(re.compile("run="))
    example = re.search("run=[^&]+", page.url)
    assert example
    write(page, ENDLESS)
    expect(console(page)).to_contain_text("still here")
    expect(page).not_to_have_url(re.compile(re.escape(example[0])))
    opened = sockets(page)
    page.reload()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.get_by_text("so far, the last at line")).to_be_visible()
    page.get_by_role("button", name="Stop").click()
    ended(page)
    assert "/api/run" not in opened


def test_a_run_that_is_gone_is_said_and_offered_again(page: Page, own_server: Any) -> None:
    before = at_own_moment(page, own_server.address)
    own_server.stop()
    own_server.start()  # It keeps nothing on disk.
    page.reload()
    expect(page.get_by_text("This run is gone: the server does not have it any more.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("b = a * a")
    page.get_by_role("button", name="Run it again").click()
    ended(page)
    assert moment(page) == before


def test_a_killed_server_comes_back_and_so_does_the_page(page: Page, keeper: Any, tmp_path: Path) -> None:
    before = at_own_moment(page, keeper.address)
    own = page.url
    write(page, ENDLESS)
    expect(console(page)).to_contain_text("still here")
    deadline = time.monotonic() + 60
    while not any(part.stat().st_size for part in (tmp_path / "data" / "runs").glob("*.part")):
        assert time.monotonic() < deadline, "Nothing of the run was written."
        page.wait_for_timeout(50)
    keeper.process.kill()
    keeper.process.wait()
    expect(page.get_by_text("The connection was lost. Reconnecting")).to_be_visible()
    keeper.start()
    ended(page)
    said = re.compile("The server was ended while this program ran|This run is cut off")
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.get_by_text("stepped through")).to_be_visible()
    page.reload()
    expect(page.get_by_text("This run is cut off after event")).to_be_visible()
    page.goto("about:blank")
    page.goto(own)
    ended(page)
    assert moment(page) == before


def test_a_server_that_is_told_to_stop_ends_the_run_with_a_sentence(page: Page, keeper: Any) -> None:
    page.goto(keeper.address)
    ended(page)
    write(page, ENDLESS)
    expect(console(page)).to_contain_text("still here")
    keeper.stop()
    ended(page)
    slider(page).focus()
    page.keyboard.press("End")
    expect(console(page)).to_contain_text("The server was stopped while this program ran.")


def test_a_run_that_could_not_be_kept_is_said(page: Page, keeper: Any, tmp_path: Path) -> None:
    page.goto(keeper.address)
    ended(page)
    (tmp_path / "data" / "runs").rename(tmp_path / "away")
    write(page, OWN)
    expect(page.get_by_text("This run could not be kept on disk")).to_be_visible()
    with page.expect_download() as saved:
        page.locator(".notices").get_by_role("button", name="Export the trace").click()
    assert saved.value.suggested_filename == "program.backscope"
    expect(slider(page)).not_to_have_attribute("aria-valuemax", "0")


def test_what_waits_is_there_when_the_server_is_gone(
    page: Page, own_server: Any, recorded: list[bytes], drop: Callable[[str, bytes], None]
) -> None:
    """A trace file can be opened, an example looked for and the signs read, though none of it was used before."""
    with page.expect_response(re.compile(r"/assets/trace-worker")):
        page.goto(own_server.address)
        ended(page)
    page.wait_for_load_state("networkidle")
    own_server.stop()
    page.get_by_role("button", name="Examples:").click()
    expect(page.get_by_role("combobox", name="Filter examples")).to_be_focused()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Keys and signs").click()
    expect(page.get_by_text("Play or pause")).to_be_visible()
    page.keyboard.press("Escape")
    drop("run.backscope", packed(recorded))
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("class Cell")
    ended(page)


def test_a_part_whose_styles_were_missing_comes_back_with_them(page: Page, server: Any) -> None:
    sheets = re.compile(r"/assets/(Palette|Graph)-[^/]*\.css")
    page.route(sheets, lambda route: route.abort())
    page.goto(server.address)
    ended(page)
    missing = page.get_by_role("alert").filter(has_text="The graph could not be loaded.")
    expect(missing).to_be_visible()
    page.keyboard.press("Control+k")
    expect(page.get_by_text("The list of commands could not be loaded.")).to_be_visible()
    page.unroute(sheets)
    missing.get_by_role("button", name="Try again").click()
    expect(missing).to_have_count(0)
    # With its styles the canvas fills the stage.
    expect(page.locator("canvas").first).to_have_css("position", "absolute")
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="All commands")).to_have_css("height", "48px")


def test_a_refusal_goes_with_the_program_that_was_refused(
    page: Page, run_program: Callable[..., Page], guest_with: Callable[..., Any]
) -> None:
    """A program that is too long is refused; once it is edited, that is said no more."""
    page.goto(guest_with(source_bytes=2000).address)
    ended(page)
    run_program("# " + "long " * 500, wait=False)
    refusal = page.get_by_text("The last run is still shown.")
    expect(refusal).to_be_visible()
    page.get_by_role("textbox", name="Program").click()
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    expect(refusal).to_have_count(0)
