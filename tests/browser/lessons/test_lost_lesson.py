"""Protects: where a server forgets a run or goes away, nothing that was collected or answered in lessons is lost."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest
from page_server import Server
from playwright.sync_api import Page, expect
from shown_lesson import lesson, said

TRACES = Path(__file__).parents[2] / "traces"

OWN = """\
import torch

x = torch.tensor(3.0)
w = torch.tensor(2.0, requires_grad=True)
y = w * x
y.backward()
"""


@pytest.fixture
def expected_console() -> list[str]:
    return ["WebSocket connection", "ERR_CONNECTION_REFUSED", "Failed to load resource"]


CHANGED = """\
import torch

w = torch.tensor(1.0, requires_grad=True)
for x in [1.0, 3.0]:
    w.grad = None
    loss = w * x
    loss.backward()
"""


def kill(server: Server) -> None:
    """End the server as a machine that fails does."""
    assert server.process is not None
    server.process.kill()
    server.process.wait()
    server.process = None


def write(page: Page, source: str) -> None:
    """Put a program into the editor."""
    page.get_by_role("textbox", name="Program").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text(source)


def add(page: Page, number: int) -> None:
    """Add the moment that is shown, and wait until it is there."""
    page.get_by_role("button", name="Add this moment").click()
    expect(page.get_by_label(f"Sentence of moment {number}")).to_be_visible()


def run_own(page: Page, server: Server) -> None:
    """Run a program and collect its first moment, with a sentence."""
    page.goto(server.address)
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    write(page, OWN)
    page.keyboard.press("ControlOrMeta+Enter")
    expect(page.get_by_test_id("caption")).to_contain_text("y = 6")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("m")
    page.get_by_label("Sentence of moment 1").fill("Both leaves are ready.")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("End")


def test_moments_are_collected_on_after_the_server_was_gone(page: Page, own_server: Server) -> None:
    run_own(page, own_server)
    own_server.stop()
    page.get_by_role("button", name="Add this moment").click()
    alert = page.get_by_role("alert").filter(has_text="Nothing of your lesson is lost")
    expect(alert).to_be_visible()
    expect(page.get_by_label("Sentence of moment 1")).to_have_value("Both leaves are ready.")
    # What was written meanwhile is kept too.
    page.get_by_label("Title").fill("Two leaves")
    own_server.start()
    add(page, 2)
    expect(alert).to_have_count(0)
    second = page.locator("li[data-moment]").last
    second.get_by_role("button", name="Ask for a value first").click()
    second.get_by_label("An expression that readers predict").fill("w.grad")
    page.keyboard.press("Enter")
    expect(second).to_contain_text("Readers predict w.grad")
    page.reload()
    # The server has forgotten the run; the lesson is there without it.
    expect(page.get_by_role("button", name="Run it again")).to_be_visible()
    page.keyboard.press("m")
    expect(page.get_by_label("Title")).to_have_value("Two leaves")
    expect(page.get_by_label("Sentence of moment 1")).to_have_value("Both leaves are ready.")
    expect(second).to_contain_text("Readers predict w.grad")


def test_a_run_that_the_server_removed_is_collected_on(page: Page, guest_with: Callable[..., Server]) -> None:
    server = guest_with(kept=1)
    run_own(page, server)
    # Another run takes the only place.
    body = (TRACES / "protocol_1" / "training.backscope").read_bytes()
    request = urllib.request.Request(f"{server.address}/api/traces", data=body, headers=server.headers)
    urllib.request.urlopen(request).close()
    add(page, 2)
    expect(page.locator("section[aria-label='Your lesson'] [role=alert]")).to_have_count(0)


@pytest.mark.parametrize("name", ["protocol_1/training", "protocol_2/without_source"])
def test_a_moment_of_a_recording_is_collected(
    page: Page, server: Server, drop: Callable[[str, bytes], None], name: str
) -> None:
    page.goto(server.address)
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    slider = page.get_by_role("slider", name="Timeline")
    steps = slider.get_attribute("aria-valuemax")
    drop("run.backscope", (TRACES / f"{name}.backscope").read_bytes())
    expect(slider).not_to_have_attribute("aria-valuemax", steps or "")
    expect(slider).to_have_attribute("aria-busy", "false")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("m")
    if "without" in name:
        expect(page.get_by_role("alert")).to_contain_text("This recording does not have its program.")
    else:
        expect(page.get_by_label("Sentence of moment 1")).to_be_visible()


def test_a_lesson_goes_on_after_the_server_was_gone(page: Page, own_server: Server) -> None:
    page.goto(f"{own_server.address}/#lesson=09_in_place&page=3")
    field = page.get_by_label("b._version, your answer")
    expect(field).to_be_visible()
    own_server.stop()
    # Answers are compared in the page, and the run of the page is there.
    field.fill("1")
    field.press("Enter")
    expect(said(page)).to_contain_text("Right.")
    page.evaluate("location.hash = 'lesson=09_in_place&page=7'")
    expect(lesson(page)).to_contain_text("The program of this page could not be run.")
    own_server.start()
    lesson(page).get_by_role("button", name="Run it again").click()
    expect(lesson(page)).not_to_contain_text("The program of this page could not be run.")
    expect(page.get_by_role("textbox", name="Program")).to_contain_text("torch.sin")
    expect(page.get_by_test_id("caption")).to_contain_text("changes y in place")
    page.evaluate("location.hash = 'lesson=09_in_place&page=3'")
    expect(said(page)).to_contain_text("Right.")


def test_answers_outlast_a_server_that_is_killed_while_a_program_starts(page: Page, own_server: Server) -> None:
    page.goto(f"{own_server.address}/#lesson=06_accumulation&page=3")
    field = page.get_by_label("w.grad, your answer")
    field.fill("4")
    field.press("Enter")
    expect(said(page)).to_contain_text("Right.")
    kill(own_server)
    page.evaluate("location.hash = 'lesson=06_accumulation&page=7'")
    again = lesson(page).get_by_role("button", name="Run it again")
    expect(again).to_be_visible()
    own_server.start()
    again.click()
    expect(again).to_have_count(0)
    # The question is asked where it belongs, and can be answered.
    expect(page.get_by_test_id("caption")).to_contain_text("gives loss = 0.5")
    field.fill("1.5")
    field.press("Enter")
    expect(said(page)).to_contain_text("Not quite.")
    field.fill("2")
    field.press("Enter")
    expect(said(page)).to_contain_text("Right.")
    kill(own_server)
    own_server.start()
    page.reload()
    expect(page.get_by_text("You answered 2")).to_be_visible()
    page.evaluate("location.hash = 'lesson=06_accumulation&page=3'")
    expect(page.get_by_text("You answered 4")).to_be_visible()


def test_a_change_that_was_written_without_a_server_is_run_again(page: Page, own_server: Server) -> None:
    page.goto(f"{own_server.address}/#lesson=06_accumulation&page=5")
    expect(page.get_by_test_id("caption")).to_have_text("Before the first step.")
    kill(own_server)
    page.evaluate("location.hash = 'lesson=06_accumulation&page=4'")
    again = lesson(page).get_by_role("button", name="Run it again")
    expect(again).to_be_visible()
    program = page.get_by_role("textbox", name="Program")
    expect(program).to_contain_text("loss = w * x")
    expect(program).not_to_contain_text("window")
    write(page, CHANGED)
    own_server.start()
    again.click()
    expect(said(page)).to_contain_text("Reached.")
    expect(program).to_contain_text("w.grad = None")
