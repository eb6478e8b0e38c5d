"""Protects recordings of programs with modules of their own: a tab for each file, in page, single file and frame."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from backscope_server.command import cli

MAIN = """import torch
from layers import linear

w = torch.tensor(2.0, requires_grad=True)
y = linear(torch.tensor(3.0), w)
y.backward()
print(w.grad)
"""
LAYERS = """def linear(x, w):
    y = x * w
    return y + 1.0
"""


@pytest.fixture
def recording(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The trace of the program, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Path("main.py").write_text(MAIN)
    Path("layers.py").write_text(LAYERS)
    assert cli.main(["run", "main.py", "--trace", "run.backscope"]) == 0
    return tmp_path / "run.backscope"


def follows_the_files(place: Any, press: Callable[[], None]) -> None:
    """Steps from y = x * w in layers.py to the print, and looks into the other file on the way."""
    files = place.get_by_role("navigation", name="Files of the program")
    expect(files.get_by_role("button")).to_have_text(["main.py", "layers.py"])
    chosen = files.locator("[aria-current=true]")
    expect(chosen).to_have_text("layers.py")
    text = place.get_by_role("textbox", name="layers.py")
    expect(text).to_contain_text("return y + 1.0")
    expect(text).to_have_attribute("aria-readonly", "true")
    files.get_by_role("button", name="main.py").click()
    expect(chosen).to_have_text("main.py")
    expect(place.get_by_role("textbox", name="Program")).to_contain_text("from layers import linear")
    # The next step opens its own file again.
    press()
    expect(place.get_by_test_id("caption")).to_contain_text("y + 1 gives y = 7")
    expect(chosen).to_have_text("layers.py")
    for _ in range(6):
        press()
    expect(place.get_by_test_id("caption")).to_contain_text("The program prints")
    expect(chosen).to_have_text("main.py")


def test_the_files_are_tabs_in_the_page_and_in_its_one_file(
    open_page: Callable[[str], Page], drop: Callable[[str, bytes], None], recording: Path, tmp_path: Path
) -> None:
    page = open_page("")
    drop("run.backscope", recording.read_bytes())
    expect(page.get_by_role("navigation", name="Files of the program")).to_be_visible()
    slider = page.get_by_role("slider", name="Timeline")
    expect(slider).to_have_attribute("aria-valuemax", "10")
    slider.focus()
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    # No breakpoint is set in a file that the program does not run from here.
    page.keyboard.press("F9")
    expect(page.get_by_role("textbox", name="layers.py")).to_be_visible()
    page.locator(".cm-lineNumbers .cm-gutterElement:visible").filter(has_text="2").first.click()
    expect(page.get_by_text("1 breakpoint")).to_have_count(0)
    follows_the_files(page, lambda: slider.press("ArrowRight"))
    # Another number in the main file alone would not run here.
    expect(page.get_by_role("group", name="What next").get_by_role("button")).not_to_have_count(0)
    expect(page.get_by_role("button", name="Change a number and run again")).to_have_count(0)
    page.get_by_role("button", name="Export", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Web page (.html)").click()
    download.value.save_as(tmp_path / "run.html")
    kept = page.context.new_page()
    kept.goto((tmp_path / "run.html").as_uri())
    slider = kept.get_by_role("slider", name="Timeline")
    slider.focus()
    kept.keyboard.press("Home")
    for _ in range(3):
        kept.keyboard.press("ArrowRight")
    files = kept.get_by_role("navigation", name="Files of the program")
    expect(files.get_by_role("button")).to_have_text(["main.py", "layers.py"])
    expect(files.locator("[aria-current=true]")).to_have_text("layers.py")
    kept.close()


def test_the_files_are_tabs_in_a_frame(
    page: Page, guest_with: Callable[..., Any], author: tuple[str, Path], recording: Path
) -> None:
    server = guest_with(embed_from="*")
    origin, folder = author
    (folder / "run.backscope").write_bytes(recording.read_bytes())
    (folder / "index.html").write_text(
        f'<!doctype html><link rel="icon" href="data:,"><script src="{server.address}/backscope-run.js" defer></script>'
        f'<backscope-run src="run.backscope" step="3"><pre>{MAIN}</pre></backscope-run>'
    )
    page.goto(f"{origin}/index.html")
    frame = page.frame_locator("backscope-run iframe")
    frame.get_by_role("button", name="Code").click()
    follows_the_files(frame, lambda: frame.get_by_role("button", name="Step forward").click())
    expect(frame.get_by_role("button", name="Run live")).to_have_count(0)
