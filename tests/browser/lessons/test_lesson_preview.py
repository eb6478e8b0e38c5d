"""Protects the preview of a lesson: the page shows what was saved where the reader was, and faults until they end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from lecture_sheet import add, ask_first, open_sheet
from lesson_files import LESSON, command
from page_server import Server
from playwright.sync_api import Page, expect
from shown_lesson import PHONE, lesson, said as lesson_said


@pytest.fixture
def path(tmp_path: Path) -> Path:
    written = tmp_path / "two_paths.md"
    written.write_text(LESSON, encoding="utf-8")
    return written


def test_a_lesson_is_shown_again_when_it_was_saved(
    page: Page, guest_with: Callable[..., Server], path: Path, expected_console: list[str]
) -> None:
    expected_console.append("Failed to load resource")
    server = guest_with(lessons=path)
    said = lesson_said(page)
    faults = page.get_by_role("alert")
    page.goto(f"{server.address}/?preview=on#lesson=two_paths")
    expect(said).to_contain_text("A value is used twice.")
    page.get_by_role("button", name="Begin").click()
    expect(said).to_contain_text("Two arrows leave x.")

    path.write_text(LESSON.replace("Two arrows leave", "Two lines leave"), encoding="utf-8")
    expect(said).to_contain_text("Page 2 of 6. Two lines leave x.")
    # The stage goes on with it.
    path.write_text(LESSON.replace("tensor(2.0", "tensor(5.0", 1), encoding="utf-8")
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("torch.tensor(5.0")
    expect(page.get_by_role("list", name="Graph").get_by_role("button", name="x 5", exact=True)).to_have_count(1)

    path.write_text(LESSON.replace("after y is set", "after z is set"), encoding="utf-8")
    expect(faults).to_contain_text("This lesson does not hold yet.")
    expect(faults).to_contain_text(f"{path}:19")
    expect(faults).to_contain_text("There is no moment 'after z is set'. The run has: x is set, y is set.")
    path.unlink()
    expect(faults).to_contain_text("The file cannot be read: it is not there. Save the lesson again.")
    path.write_text(LESSON, encoding="utf-8")
    expect(said).to_contain_text("Page 2 of 6. Two arrows leave x.")
    expect(faults).to_have_count(0)

    page.route("**/draft*", lambda route: route.abort())
    lost = page.get_by_text("The preview does not answer.")
    expect(lost).to_be_visible()
    page.unroute("**/draft*")
    expect(lost).to_have_count(0)
    expect(said).to_contain_text("Page 2 of 6. Two arrows leave x.")


def test_what_was_collected_is_checked_and_previewed_as_a_file(
    open_page: Callable[[str], Page], page: Page, guest_with: Callable[..., Server], tmp_path: Path
) -> None:
    """From moments of a run to a lesson that its author goes on writing."""
    open_page("")
    add(page, 1, "The **graph** is there.")
    page.keyboard.press("End")
    add(page, 2, "The gradient has landed.")
    page.get_by_label("Title").fill("Where gradients land")
    page.get_by_label("To take home").fill("Gradients land in leaves.")
    page.get_by_role("button", name="Move moment 2 up").click()
    ask_first(page)
    page.get_by_role("button", name="Move moment 1 down").click()
    sheet = open_sheet(page)
    with page.expect_download() as download:
        sheet.get_by_role("button", name="Lesson file").click()
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)

    checked = command("check", str(path))
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"{path}: 1 moment, 1 prediction" in checked.stdout
    broken = path.read_text(encoding="utf-8").replace("w.grad", "v.grad")
    path.write_text(broken, encoding="utf-8")
    refused = command("check", str(path))
    assert refused.returncode == 1
    assert "'v'" in refused.stdout + refused.stderr

    server = guest_with(lessons=path)
    page.goto(f"{server.address}/?preview=on#lesson={path.stem}")
    expect(page.get_by_role("alert")).to_contain_text("This lesson does not hold yet.")
    path.write_text(broken.replace("v.grad", "w.grad"), encoding="utf-8")
    said = lesson_said(page)
    expect(said).to_contain_text("Page 1 of")
    page.keyboard.press("PageDown")
    expect(said).to_contain_text("Your prediction")
    field = page.get_by_label("w.grad, your answer")
    field.fill("3")
    field.press("Enter")
    expect(said).to_contain_text("Right.")
    page.keyboard.press("PageDown")
    expect(page.get_by_text("Gradients land in leaves.", exact=True)).to_be_visible()


@pytest.mark.parametrize("context_options", [PHONE])
@pytest.mark.parametrize("steps", [18, 70])
def test_many_pages_leave_room_in_one_row_on_a_phone(
    page: Page, guest_with: Callable[..., Server], tmp_path: Path, steps: int
) -> None:
    """As dots, which get narrower, or in words where they would be too narrow."""
    head, program, *_ = LESSON.split("\n:::\n")[0].partition(":::{program}")
    step = ':::{step} at="after y is set"\nTwo arrows leave `x`.\n:::\n\n'
    code = LESSON[LESSON.index(":::{program}") : LESSON.index(":::{step}")]
    assert program
    path = tmp_path / "long.md"
    path.write_text(head + code + step * steps, encoding="utf-8")
    server = guest_with(lessons=path)
    page.goto(f"{server.address}/?preview=on#lesson=long")
    expect(lesson_said(page)).to_contain_text(f"Page 1 of {steps + 2}")
    header = lesson(page).locator("header")
    pages = header.get_by_role("img", name=f"Page 1 of {steps + 2}")
    expect(pages).to_have_count(1 if steps == 18 else 0)
    if steps == 70:
        expect(header).to_contain_text(f"Page 1 of {steps + 2}")
    for part in (header.get_by_role("heading"), header.get_by_role("button", name="Close the lesson")):
        box, whole = part.bounding_box(), header.bounding_box()
        assert box is not None
        assert whole is not None
        assert whole["height"] < 60
        assert box["x"] + box["width"] <= 390
        assert box["width"] >= 40
