"""Protects what can be done by keyboard alone: the palette of commands, the table and the sentence of a step."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from dropping import packed
from playwright.sync_api import Page, expect


def timeline(page: Page) -> Any:
    return page.get_by_role("slider", name="Timeline")


def test_the_palette_does_finds_and_goes(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=01_affine")
    run = page.get_by_role("button", name="Run", exact=True)
    run.focus()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="All commands")
    expect(field).to_be_focused()
    options = page.get_by_role("option")
    chosen = page.locator("[role=option][aria-selected=true]")
    expect(field).to_have_attribute("aria-activedescendant", chosen.get_attribute("id") or "")
    # Keys of the page rest, and the keyboard does not leave the dialog.
    before = timeline(page).get_attribute("aria-valuenow")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(timeline(page)).to_have_attribute("aria-valuenow", before or "")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(run).to_be_focused()

    # An action by a few letters, with its key beside it.
    page.keyboard.press("Control+k")
    page.keyboard.type("gotoend")
    expect(chosen).to_have_text(re.compile("Go to the end.*End"))
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(timeline(page)).to_have_attribute("aria-valuenow", timeline(page).get_attribute("aria-valuemax") or "")

    # A step, a line, a thing on the stage, and nothing.
    page.keyboard.press("Control+k")
    page.keyboard.type("step 4")
    expect(page.get_by_role("combobox", name="All commands")).to_have_value("step 4")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile(r"^4 of \d+$"))).to_be_visible()
    page.keyboard.press("Control+k")
    page.keyboard.type("mul")
    expect(options.filter(has_text="On the stage")).to_have_count(1)
    options.filter(has_text="On the stage").click()
    expect(page.get_by_role("region", name="Inspector")).to_contain_text("MulBackward0")
    page.keyboard.press("Control+k")
    page.keyboard.type("qqqq")
    expect(page.get_by_role("dialog").get_by_role("status")).to_have_text(re.compile("Nothing fits “qqqq”"))
    page.keyboard.press("Control+k")
    expect(page.get_by_role("dialog")).to_have_count(0)

    # An example, and a room; the keys that opened it put it away, and the keyboard is where it was.
    page.keyboard.press("Control+k")
    page.keyboard.type("GPT of 12")
    expect(chosen).to_have_text(re.compile("A GPT of 12 layers"))
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Export", exact=True).focus()
    page.keyboard.press("Control+k")
    expect(chosen).to_be_visible()
    page.keyboard.press("Control+k")
    expect(chosen).to_have_count(0)
    expect(page.get_by_role("button", name="Export", exact=True)).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.type("go to the code")
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Program")).to_be_focused()


def test_a_recording_is_chosen_among_the_commands_by_keys_and_on_a_phone(
    open_page: Callable[[str], Page], recorded: list[bytes]
) -> None:
    page = open_page("#example=01_affine")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Control+k")
        page.keyboard.type("open a rec")
        page.keyboard.press("Enter")
    chooser.value.set_files({"name": "no.backscope", "mimeType": "application/gzip", "buffer": b"print(1)"})
    refused = page.get_by_text("no.backscope: This file is not a Backscope trace")
    expect(refused).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="All commands").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("option", name="Open a recording…").click()
    chooser.value.set_files({"name": "run.backscope", "mimeType": "", "buffer": packed(recorded)})
    expect(page.get_by_role("button", name="Your program")).to_be_visible()
    expect(refused).to_have_count(0)


def test_the_table_goes_along_with_the_stage(open_page: Callable[[str], Page]) -> None:
    page = open_page("#example=01_affine")
    page.locator("body").click(position={"x": 700, "y": 120})
    page.keyboard.press("t")
    grid = page.get_by_role("grid", name="Steps as a table")
    expect(grid).to_be_focused()
    count = int(timeline(page).get_attribute("aria-valuemax") or 0)
    expect(grid).to_have_attribute("aria-rowcount", str(count + 1))
    current = grid.locator("[role=row][aria-selected=true]")
    page.keyboard.press("Home")
    expect(current).to_have_attribute("aria-rowindex", "2")
    expect(current).to_contain_text("tensor made")
    expect(grid).to_have_attribute("aria-activedescendant", current.get_attribute("id") or "")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(current).to_contain_text("w × x")
    expect(page.get_by_text(re.compile(r"^4 of \d+$"))).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Inspector")).to_contain_text("MulBackward0")

    # One sentence a step for those who listen, the same as the one that is shown.
    spoken = page.get_by_test_id("spoken")
    expect(spoken).to_have_text(page.get_by_test_id("caption").inner_text())

    # Only what changes .grad; the row of a step that is left out is the one before it.
    page.get_by_label("Show").select_option("Changes of .grad")
    grid.focus()
    page.keyboard.press("End")
    expect(current).to_contain_text("added to .grad")
    expect(page.get_by_test_id("caption")).to_contain_text(".grad")
    timeline(page).focus()
    page.keyboard.press("End")
    expect(current).to_contain_text("added to .grad")
    grid.focus()
    page.keyboard.press("Escape")
    expect(grid).to_have_count(0)


LONG = """import torch
x = torch.ones(1, requires_grad=True)
y = x
for i in range(4000):
    y = y + 1
y.backward()
"""


def test_the_last_row_of_a_long_run_is_reached_and_few_rows_are_there(run_program: Callable[..., Page]) -> None:
    page = run_program(LONG)
    page.get_by_role("button", name="Steps as a table").click()
    grid = page.get_by_role("grid", name="Steps as a table")
    expect(grid).to_be_focused()
    page.keyboard.press("End")
    current = grid.locator("[role=row][aria-selected=true]")
    expect(current).to_be_in_viewport()
    expect(current).to_have_attribute("aria-rowindex", grid.get_attribute("aria-rowcount") or "")
    assert grid.get_by_role("row").count() < 60
    # Scrolled by hand, it stays there until the step changes.
    grid.evaluate("(node) => { node.scrollTop = 0; }")
    expect(grid.locator("[aria-rowindex='2']")).to_be_in_viewport()
    page.keyboard.press("ArrowUp")
    expect(current).to_be_in_viewport()


def test_enter_on_the_way_to_the_palette_is_not_the_editors(open_page: Callable[[str], Page]) -> None:
    """What is typed after Ctrl+K, before the palette has come, chooses in it and edits nothing."""
    page = open_page("#example=01_affine")
    code = page.get_by_role("textbox", name="Program")
    code.click()
    dialog = page.get_by_role("dialog", name="All commands")
    # As one task, in which nothing can be shown: the palette has not come when the last of these keys is pressed.
    page.evaluate(
        """() => {
          const press = (key, more) =>
            document.activeElement.dispatchEvent(
              new KeyboardEvent('keydown', { key, code: key, bubbles: true, cancelable: true, ...more }));
          press('k', { ctrlKey: true });
          for (const key of ['s', 't', 'e', 'p', '5', 'Backspace', ' ', '3', 'Enter']) press(key);
        }"""
    )
    expect(page.get_by_text(re.compile(r"^3 of \d+$"))).to_be_visible()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("Edited since this run")).to_have_count(0)


def test_the_keyboard_is_never_left_nowhere(open_page: Callable[[str], Page]) -> None:
    """What a question, a panel or a field held of the focus goes to a button that is still there."""
    page = open_page("#example=40_fan_in&at=99")
    asked = page.get_by_role("region", name="Inspector").get_by_role("button", name="have this value?")
    asked.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="have this value?")).to_be_visible()
    expect(asked).to_be_focused()
    examples = page.get_by_role("button", name="Examples:")
    examples.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="Filter examples")).to_be_focused()
    page.keyboard.press("Escape")
    expect(examples).to_be_focused()
    page.keyboard.press("Control+k")
    page.keyboard.type("export files")
    expect(page.get_by_role("option", name="Export files")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="Export")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator("body")).not_to_be_focused()
