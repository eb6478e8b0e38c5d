"""Protects: the address holds the moment, and a trace file brings a run back without the server's help."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

from conftest import finished
from link_text import packed
from page_server import Server
from playwright.sync_api import Browser, Page, Route, expect

from backscope.protocol.events import PROTOCOL_VERSION


def slider(page: Page):  # type: ignore[no-untyped-def]
    return page.get_by_role("slider", name="Timeline")


def test_a_reload_keeps_the_moment(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    slider(page).focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    now = slider(page).get_attribute("aria-valuenow") or ""
    expect(page).to_have_url(re.compile(rf"step={now}\b"))
    page.reload()
    expect(slider(page)).to_have_attribute("aria-valuenow", now)


def test_a_link_that_comes_while_the_page_starts_is_opened(page: Page, server: Server) -> None:
    held: list[Route] = []
    page.route("**/api/examples", lambda route: held.append(route))
    with page.expect_request("**/api/examples"):
        page.goto(server.address)
    page.evaluate("location.hash = '#example=03_cube'")
    for route in held:
        route.continue_()
    finished(page)
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("A**3")


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
    link = re.sub(r"&run=[^&]*", "", page.url)
    page.evaluate("sessionStorage.clear()")
    page.goto("about:blank")
    page.goto(link)
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
    page.get_by_role("dialog").get_by_role("option", name=examples[1]["title"]).first.click()
    expect(page).to_have_url(re.compile(f"example={examples[1]['name']}"))
    page.go_back()
    expect(page.get_by_role("button", name=f"Examples: {examples[0]['title']}")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("button", name=f"Examples: {examples[1]['title']}")).to_be_visible()


def test_a_link_brings_another_person_to_the_same_view(
    open_page: Callable[[str], Page], browser: Browser, context_options: dict[str, object]
) -> None:
    """Program, moment, selection, what is folded, the part of the stage and the rooms that are open."""
    page = open_page("#example=17_mlp")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    graph = page.get_by_role("list", name="Graph")
    graph.get_by_role("button").nth(2).focus()
    page.keyboard.press("Enter")
    page.keyboard.press("t")
    # It leaves less of the stage.
    expect(page.get_by_role("region", name="Steps as a table")).to_be_visible()
    for _ in range(3):
        page.keyboard.press("+")
    expect(page).to_have_url(re.compile(r"&view=[-\d.,]+&open=table$"))
    page.get_by_role("button", name="Copy a link to this moment").click()
    expect(page.get_by_text("Link copied.")).to_be_attached()
    link = page.evaluate("navigator.clipboard.readText()")
    assert "run=" not in link
    context = browser.new_context(**context_options, storage_state=page.context.storage_state())  # type: ignore[arg-type]
    try:
        other = context.new_page()
        other.goto(link)
        expect(other.get_by_role("region", name="Steps as a table")).to_be_visible()
        # The other page says of itself what it shows, to the rounding of a screen.
        before, wanted = re.fullmatch(r".*?(&step=.*&view=)([-\d.,]+)&open=table", link).groups()  # type: ignore[union-attr]
        expect(other).to_have_url(re.compile(rf"&run=[^&]+{re.escape(before)}[-\d.,]+&open=table$"))
        other.wait_for_function(
            """(wanted) => {
                const shown = /&view=([-\\d.,]+)/.exec(location.href)[1].split(',').map(Number);
                return wanted.every((number, i) => Math.abs(number - shown[i]) <= 1);
            }""",
            arg=[float(part) for part in wanted.split(",")],
        )
    finally:
        context.close()


def test_a_link_that_is_long_or_too_long_is_told(run_program: Callable[..., Page]) -> None:
    numbers = ", ".join(str(i * i * 7919 % 1_000_003) for i in range(6000))
    page = run_program(f"numbers = [{numbers}]\n")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy a link to this moment").click()
    expect(page.get_by_text("some apps cut links that long")).to_be_visible()


def test_run_waits_for_the_program_of_the_link(page: Page, server: Server) -> None:
    held: list[Route] = []
    page.route("**/api/examples", lambda route: held.append(route))
    page.goto(f"{server.address}/#code={packed('print(6 * 7)')}")
    run = page.get_by_role("button", name="Run", exact=True)
    expect(run).to_be_disabled()
    page.get_by_role("textbox", name="Program").press("ControlOrMeta+Enter")
    held[0].continue_()
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("print(6 * 7)")
    # Somebody else's program runs once its reader has seen it.
    expect(page.get_by_text("then press Run")).to_be_visible()
    run.click()
    expect(page.get_by_role("log", name="Console")).to_contain_text("42")


def test_a_damaged_link_is_told(page: Page, server) -> None:  # type: ignore[no-untyped-def]
    page.goto(f"{server.address}/#code=abc")
    expect(page.get_by_text("The program in this link is damaged")).to_be_visible()
    page.get_by_role("button", name="Close this message").click()
    expect(page.get_by_text("damaged")).to_have_count(0)


def test_a_trace_goes_out_and_comes_back(
    open_page: Callable[[str], Page],
    tmp_path: Path,
    drop: Callable[[str, bytes], None],
    expected_console: list[str],
) -> None:
    # What the page was still asking of the run before is refused, too.
    expected_console.append("Failed to load resource")
    page = open_page("")
    # The notice with its button is fetched ahead; a busy machine may open the file before it comes.
    # A function: the page's policy refuses text that is evaluated.
    page.wait_for_function(
        "() => performance.getEntriesByType('resource').some(({ name }) => name.includes('RunNotices'))"
    )
    steps = slider(page).get_attribute("aria-valuemax") or ""
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Trace (.backscope)").click()
    page.keyboard.press("Escape")
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    assert path.suffix == ".backscope"
    page.route("**/api/**", lambda route: route.abort())
    drop(path.name, path.read_bytes())
    expect(page.get_by_role("button", name="Examples: Your program")).to_be_visible()
    expect(slider(page)).to_have_attribute("aria-valuemax", steps)
    slider(page).focus()
    page.keyboard.press("End")
    expect(slider(page)).to_have_attribute("aria-valuenow", steps)


CALL_OFF = """(press) => {
  globalThis.calledOff = null;
  const notices = document.querySelector('.notices');
  const seen = new MutationObserver(() => {
    const bar = notices.querySelector('progress');
    if (!bar) return;
    seen.disconnect();
    globalThis.calledOff = [bar.previousElementSibling.textContent, bar.ariaLabel];
    [...document.querySelectorAll('button')].find((one) => one.textContent.trim() === press).click();
  });
  seen.observe(notices, { childList: true, subtree: true });
}"""


def test_a_large_trace_can_be_called_off_while_it_is_opened(
    open_page: Callable[[str], Page], drop: Callable[[str, bytes], None]
) -> None:
    """What was read of it stays, with the reason, or gives way to a run; and the file opens the next time."""
    page = open_page("")
    steps = slider(page).get_attribute("aria-valuemax") or ""
    lines = [json.dumps({"backscope_trace": 1, "protocol": PROTOCOL_VERSION})]
    printed = {"kind": "output_printed", "line": 1, "stream": "stdout", "text": "x\n"}
    lines += [json.dumps({**printed, "seq": seq}) for seq in range(250_000)]
    lines.append(json.dumps({"kind": "program_finished", "seq": 250_000, "line": None, "status": "ok"}))
    large = gzip.compress("\n".join([*lines, ""]).encode(), 1)
    # A fast machine opens it before a test could press anything.
    for press in ("Cancel", "Run"):  # A run that is asked for later than a file is what is wanted.
        page.evaluate(CALL_OFF, press)
        drop("large.backscope", large)
        page.wait_for_function("() => globalThis.calledOff")
        assert page.evaluate("calledOff") == ["Opening large.backscope", "Progress"]
        expect(page.get_by_text("Opening large.backscope")).to_have_count(0)
        if press == "Cancel":
            expect(page.get_by_text("The rest of large.backscope was not read.").first).to_be_visible()
    expect(slider(page)).to_have_attribute("aria-valuemax", steps)
    drop("large.backscope", large)
    expect(slider(page)).to_have_attribute("aria-valuemax", "250000")
    expect(page.get_by_text("Opening large.backscope")).to_have_count(0)


def test_another_file_is_refused_with_the_reason(
    open_page: Callable[[str], Page], drop: Callable[[str, bytes], None]
) -> None:
    page = open_page("")
    drop("notes.txt", b"print(1)")
    expect(page.get_by_text("notes.txt: This file is not a Backscope trace")).to_be_visible()


def test_the_filter_says_when_nothing_matches(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    page.get_by_role("button", name="Examples").click()
    page.get_by_placeholder("Filter examples").fill("qqqqq")
    expect(page.get_by_text("No example matches “qqqqq”")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_placeholder("Filter examples")).to_have_count(0)


def test_escape_closes_the_menu_and_keys_leave_the_run_alone(open_page: Callable[[str], Page]) -> None:
    page = open_page("")
    menu = page.get_by_role("button", name="Examples")
    menu.click()
    expect(page.get_by_placeholder("Filter examples")).to_be_visible()
    menu.focus()
    expect(page).to_have_url(re.compile("step="))  # The address follows a moment later.
    before = page.evaluate("location.hash")
    page.keyboard.press("End")
    page.keyboard.press("Escape")
    expect(page.get_by_placeholder("Filter examples")).to_have_count(0)
    assert page.evaluate("location.hash") == before


FOLDING = """import torch
from torch import nn

model = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
model(torch.ones(1, 2)).sum().backward()
"""


def test_what_was_folded_stays_after_a_reload_and_goes_with_its_program(run_program: Callable[..., Page]) -> None:
    page = run_program(FOLDING)
    graph = page.get_by_role("list", name="Graph")
    module = graph.get_by_role("button", name="module model", exact=False).first
    op = graph.get_by_role("button", name="tanh TanhBackward0")
    expect(op).to_have_count(1)
    module.press("Enter")
    module.press("Enter")
    expect(module).to_have_attribute("aria-expanded", "false")
    expect(op).to_have_count(0)
    expect(page).to_have_url(re.compile(r"fold=module"))
    page.reload()
    expect(module).to_have_attribute("aria-expanded", "false")
    # With an edit that was not run, too.
    editor = page.get_by_role("textbox", name="Program")
    editor.click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("print('edited')\n")
    expect(page.get_by_text("Edited since this run")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Edited since this run")).to_be_visible()
    expect(module).to_have_attribute("aria-expanded", "false")
    editor.click()
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Edited since this run")).to_have_count(0)
    expect(module).to_have_attribute("aria-expanded", "true")
    expect(op).to_have_count(1)
    expect(page).not_to_have_url(re.compile(r"fold="))
