"""Protects the paths of a reader in Chromium, Firefox and WebKit, from opening the page to a lost connection."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dropping import DROP
from tab import Tab

from backscope.program import runner
from backscope.protocol import trace

PROGRAM = """import torch
w = torch.tensor(3.0, requires_grad=True)
y = w * w
y.backward()
print(w.grad)
"""
PACED = "for i in range(300): print('line', i); sum(range(100_000))\n"

SLIDER = "[role=slider][aria-label=Timeline]"
CONSOLE = "[role=log]"
LEAF = "(grad) => [...document.querySelectorAll('button[title]')].some(({ title }) => title.endsWith(`.grad ${grad}`))"
STEP = f"(step) => document.querySelector('{SLIDER}')?.ariaValueNow === String(step)"
ENDED = f"() => document.querySelector('{SLIDER}[aria-busy=false]:not([aria-valuemax=\"0\"])') !== null"

CATCH_FILES = """() => {
  globalThis.caught = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (file) => {
    caught.push(file);
    return make.call(URL, file);
  };
  // Some drivers have no place for files: the page makes them, and the browser does not save them.
  HTMLAnchorElement.prototype.click = () => {};
}"""

CAUGHT = """async () => {
  const file = caught.pop();
  return file && [...new Uint8Array(await file.arrayBuffer())].map((byte) => String.fromCharCode(byte)).join('');
}"""

ONE_STEP = """
for (const name of ['From', 'to']) {
  const label = [...document.querySelectorAll('[role=dialog] label')].find((one) => one.textContent.trim() === name);
  label.control.value = 9;
  label.control.dispatchEvent(new Event('input', { bubbles: true }));
}"""

NOTE_LOSS = """() => {
  const look = () => { globalThis.saidLost ||= document.body.textContent.includes('The connection was lost'); };
  new MutationObserver(look).observe(document.body, { childList: true, characterData: true, subtree: true });
}"""


@pytest.fixture(autouse=True)
def quiet(tab: Tab) -> Iterator[None]:
    """Fails a test in which a script of the page logs an error, where the driver has the console.

    A connection that a test cuts is such an error, in the words of each browser.
    """
    tab.errors()
    yield
    assert [error for error in tab.errors() if "WebSocket" not in error and "ws://" not in error] == []


@pytest.fixture(scope="session")
def recording() -> bytes:
    """The trace file of a run of PROGRAM."""
    lines: list[bytes] = []
    runner.run(PROGRAM, lambda batch: lines.extend(batch.splitlines()))
    return gzip.compress(b"".join(line + b"\n" for line in [trace.header(), *lines]))


def write_program(tab: Tab, source: str) -> None:
    tab.click(".cm-content")
    tab.press("Control+a")
    tab.press("Delete")
    tab.write(source)


def go_to_end(tab: Tab) -> None:
    """Goes to the last step of the run of the program that was written, once it has ended."""
    tab.miss("span", "^Edited since this run")
    tab.see("button", "^Run$")
    tab.until(ENDED)
    tab.press("Escape")
    tab.press("End")


def test_open_and_see_a_run_that_waits_for_its_backward_pass(page_of_run: Tab) -> None:
    page_of_run.until(ENDED)
    page_of_run.until(LEAF, "None")
    assert page_of_run.text("[data-testid=caption]").startswith("y = 7.")
    # The interface is drawn in the page's own fonts.
    assert page_of_run.run("async () => (await document.fonts.ready).check('13px \"Inter Variable\"')")
    assert page_of_run.run("() => document.documentElement.scrollWidth <= innerWidth")


def test_edit_and_run(page_of_run: Tab) -> None:
    write_program(page_of_run, PROGRAM)
    page_of_run.press("Control+Enter")
    go_to_end(page_of_run)
    page_of_run.see(CONSOLE, r"tensor\(6\.\)")
    page_of_run.until(LEAF, "6")


def test_a_number_is_dragged_and_the_run_follows(page_of_run: Tab) -> None:
    page_of_run.until(ENDED)
    # Six pixels are a tenth.
    page_of_run.drag_by(30, ".cm-number", r"^3\.0$")
    page_of_run.see(".cm-line", r"tensor\(3\.5")
    page_of_run.see("[data-testid=caption]", r"^y = 8\.")
    page_of_run.press("Escape")
    page_of_run.press("End")
    page_of_run.until(LEAF, "3.5")


def test_step_in_both_directions_and_play(page_of_run: Tab) -> None:
    before = page_of_run.text("[data-testid=caption]")
    page_of_run.press("ArrowRight")
    page_of_run.until(STEP, 8)
    assert page_of_run.text("[data-testid=caption]") != before
    page_of_run.click("button", "^Step back")
    page_of_run.until(STEP, 7)
    page_of_run.click("button", "^Play the backward pass$")
    page_of_run.until(STEP, 9)
    page_of_run.press("End")
    page_of_run.until(LEAF, "3")


def test_keys_work_wherever_no_text_is_edited(page_of_run: Tab) -> None:
    tab = page_of_run
    has_keyboard = "(selector) => document.activeElement?.closest(selector) != null"
    # The next run begins at another step than this one is at.
    tab.press("Home")
    tab.until(STEP, 0)
    tab.click(".cm-content")
    tab.write("#/")
    tab.see(".cm-line", "#/")
    tab.press("Control+z")
    tab.miss(".cm-line", "#/")
    # Run and Escape hand the keyboard to the stage.
    tab.press("Control+Enter")
    tab.until(has_keyboard, "section[aria-label=Stage]")
    tab.until(ENDED)
    tab.until(STEP, 7)
    tab.press("ArrowRight")
    tab.until(STEP, 8)
    tab.click(".cm-content")
    tab.press("ArrowLeft")
    # With text selected, too.
    tab.press("Control+a")
    tab.press("Escape")
    tab.until(has_keyboard, "section[aria-label=Stage]")
    tab.until(STEP, 8)
    tab.press("ArrowLeft")
    tab.until(STEP, 7)
    tab.press("Space")
    tab.see("button", "^Pause")
    tab.press("Space")
    tab.see("button", "^Play$")
    # A button that was clicked keeps no key.
    tab.press("Home")
    tab.until(STEP, 0)
    tab.click("button", "^Step forward")
    tab.until(STEP, 1)
    tab.press("ArrowRight")
    tab.until(STEP, 2)
    tab.press("/")
    tab.until(has_keyboard, "[role=search] input")
    tab.write("w")
    tab.press("ArrowLeft")
    tab.until(STEP, 2)
    tab.press("Escape")
    tab.press("End")
    tab.until(ENDED)


def test_stop_at_a_breakpoint_and_go_on(page_of_run: Tab) -> None:
    write_program(page_of_run, PROGRAM)
    page_of_run.click(".cm-lineNumbers .cm-gutterElement", "^4$")
    page_of_run.press("Control+Enter")
    page_of_run.see("[role=status]", "Paused before line 4")
    page_of_run.press("F10")
    page_of_run.see("[role=status]", "Paused before line 5")
    page_of_run.press("F8")
    go_to_end(page_of_run)
    page_of_run.see(CONSOLE, r"tensor\(6\.\)")


def test_export_a_trace_a_picture_and_a_film(page_of_run: Tab) -> None:
    page_of_run.run(CATCH_FILES)
    page_of_run.click("button", "^Export$")
    page_of_run.see("[role=dialog] button", r"^Trace \(\.backscope\)$")
    assert page_of_run.run("() => document.querySelector('[role=dialog]:popover-open').clientHeight") > 300
    page_of_run.click("[role=dialog] button", r"^Trace \(\.backscope\)$")
    lines = gzip.decompress(page_of_run.until(CAUGHT).encode("latin-1")).splitlines()
    assert lines[0] == trace.header() and b"program_finished" in lines[-1]
    page_of_run.click("[role=dialog] button", "^PNG$")
    assert page_of_run.until(CAUGHT).encode("latin-1").startswith(b"\x89PNG")
    # A film of one step, by the browser's own encoder.
    page_of_run.run(f"() => {{ {ONE_STEP} }}")
    page_of_run.click("[role=dialog] button", "^WebM$")
    assert page_of_run.until(CAUGHT).encode("latin-1").startswith(b"\x1aE\xdf\xa3")


def test_a_run_in_a_page_of_another_origin(
    tab: Tab, open_server: Any, author: tuple[str, Path], recording: bytes
) -> None:
    origin, folder = author
    (folder / "run.backscope").write_bytes(recording)
    (folder / "index.html").write_text(
        f'<!doctype html><link rel="icon" href="data:,">'
        f'<script src="{open_server.address}/backscope-run.js" defer></script>'
        f'<backscope-run src="run.backscope" step="2"><pre>{PROGRAM}</pre></backscope-run>'
    )
    tab.open(f"{origin}/index.html")
    with tab.inside("backscope-run"):
        tab.until(STEP, 2)
        tab.click("button", "^Step forward")
        tab.until(STEP, 3)
        tab.click("button", "^Run live$")
        tab.see("*", "^Live$")
        tab.until(ENDED)


def test_drop_a_trace(page_of_run: Tab, recording: bytes) -> None:
    page_of_run.run(f"(name, data) => ({DROP})([name, data])", "run.backscope", base64.b64encode(recording).decode())
    page_of_run.see("button", "Your program")
    page_of_run.see(".cm-content", r"y = w \* w")
    page_of_run.press("End")
    page_of_run.until(LEAF, "6")


def test_a_connection_that_is_cut_loses_nothing(tab: Tab, open_server: Any, lossy: Callable[..., Any]) -> None:
    # Cut once the run is on the page; then refused, so that the page waits long enough to be seen waiting.
    cuts = iter([3000, 0, 0, 0])
    armed: list[bool] = []
    proxy = lossy(open_server.port, iter(lambda: next(cuts, None) if armed else None, 0.5))
    tab.open(f"{proxy.address}/?token={open_server.token}#example=01_first_backward")
    tab.see("button", "^Play the backward pass$")
    armed.append(True)
    tab.run(NOTE_LOSS)
    write_program(tab, PACED)
    tab.press("Control+Enter")
    tab.until("() => globalThis.saidLost")
    go_to_end(tab)
    tab.see(f"{CONSOLE} li:last-of-type", "line 299")
    printed = tab.run(
        f"() => [...document.querySelectorAll('{CONSOLE} li .text')].map((one) => one.innerText).join('\\n')"
    )
    assert [line.strip() for line in printed.splitlines()] == [f"line {i}" for i in range(300)]
    assert proxy.made == 4
