"""Protects looking into the past: all values of a large tensor in slices, and curves of what is watched."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error, Page, Route, expect

PROGRAM = """\
import torch
torch.manual_seed(0)
w = torch.arange(2 * 40 * 10.0).reshape(2, 40, 10).requires_grad_()
for step in range(3):
    loss = (w * torch.rand(2, 40, 10)).sum()
    loss.backward()
"""


def test_all_values_of_a_large_tensor_are_read_in_slices(run_program: Callable[[str], Page]) -> None:
    """At the moment that is shown, by running the program again; leading indices are chosen."""
    page = run_program(PROGRAM)
    page.get_by_role("list", name="Graph").get_by_role("button", name=re.compile("^w")).first.press("Enter")
    inspector = page.get_by_role("region", name="Value", exact=True)
    inspector.get_by_role("button", name="Show all values").click()
    table = inspector.get_by_role("region", name=re.compile("all values"))
    expect(table.get_by_role("cell")).to_have_count(320)
    expect(table.get_by_role("cell").first).to_have_text("0.")
    expect(inspector.get_by_role("status")).to_contain_text("From running the program again")
    inspector.get_by_role("spinbutton", name="dim 0").fill("1")
    inspector.get_by_role("spinbutton", name="dim 0").press("Enter")
    expect(table.get_by_role("cell").first).to_have_text("400.")
    inspector.get_by_role("button", name="Later rows").click()
    expect(table.get_by_role("cell").first).to_have_text("720.")
    expect(table.get_by_role("cell")).to_have_count(80)


def test_a_watched_expression_is_drawn_over_the_whole_run(run_program: Callable[[str], Page]) -> None:
    """With its value at the step that is shown; it is in the link, and can be removed."""
    page = run_program(PROGRAM)
    page.get_by_role("button", name="Watch an expression over the whole run").click()
    field = page.get_by_role("textbox", name="Expression to watch over the whole run")
    field.fill("step")
    field.press("Enter")
    field.fill("w +")
    field.press("Enter")
    curves = page.get_by_role("region", name="Curves of watched expressions")
    step = curves.get_by_role("img", name=re.compile("^step:"))
    expect(step).to_have_attribute("aria-label", re.compile("over the run 0 to 2"))
    page.keyboard.press("Escape")
    for move, shown in (("End", "2"), ("Home", "not defined here")):
        page.keyboard.press(move)
        expect(step).to_have_attribute("aria-label", re.compile(f"^step: {shown};"))
    expect(curves.get_by_role("status")).to_contain_text("is not an expression")
    expect(page).to_have_url(re.compile("watch=step"))
    curves.get_by_role("button", name="Stop watching w +").click()
    expect(curves.get_by_role("status")).to_have_count(0)
    page.reload()
    expect(step).to_have_attribute("aria-label", re.compile("over the run 0 to 2"))


def test_curves_are_called_off(run_program: Callable[[str], Page]) -> None:
    """The row says so, and *Try again* sends the request again."""
    page = run_program(PROGRAM)
    held: list[Route] = []
    page.route("**/api/sessions/*/watch", lambda route: held.append(route))
    page.get_by_role("button", name="Watch an expression over the whole run").click()
    field = page.get_by_role("textbox", name="Expression to watch over the whole run")
    field.fill("step")
    field.press("Enter")
    curves = page.get_by_role("region", name="Curves of watched expressions")
    curves.get_by_role("button", name="Cancel").press("Enter")
    expect(curves.get_by_role("status")).to_contain_text("Cancelled.")
    expect(curves.get_by_role("button", name="Cancel")).to_have_count(0)
    page.unroute("**/api/sessions/*/watch")
    curves.get_by_role("button", name="Try again").click()
    expect(curves.get_by_role("img")).to_have_attribute("aria-label", re.compile("over the run 0 to 2"))


def test_two_values_side_by_side_are_called_off_one_by_one(run_program: Callable[[str], Page]) -> None:
    """The other one is still read and shown."""
    page = run_program(
        "import torch\nw, v = (torch.full((40, 10), x, requires_grad=True) for x in (1.0, 2.0))\n(w * v).sum()"
    )
    graph = page.get_by_role("list", name="Graph")
    graph.get_by_role("button", name=re.compile("^w")).first.press("Enter")
    inspector = page.get_by_role("region", name="Inspector")
    inspector.get_by_role("button", name="Pin", exact=True).first.click()
    held: list[Route] = []
    page.route("**/api/sessions/*/values", lambda route: held.append(route))
    graph.get_by_role("button", name=re.compile("^v")).first.press("Enter")
    inspector.get_by_role("button", name=re.compile("^Compare with")).first.click()
    both = inspector.get_by_role("region", name=re.compile(" beside "))
    stops = both.get_by_role("button", name=re.compile("^Cancel running again for"))
    expect(stops).to_have_count(2)
    stops.first.press("Enter")
    expect(stops).to_have_count(1)
    expect(both.get_by_role("status").first).to_contain_text("cancelled.")
    page.unroute("**/api/sessions/*/values")
    for route in held:
        with contextlib.suppress(Error):  # The one that was called off.
            route.continue_()
    expect(both.get_by_role("table")).to_have_count(1)
    both.get_by_role("button", name="Try again").click()
    expect(both.get_by_role("button", name="Try again")).to_have_count(0)
    expect(both.get_by_role("table")).to_have_count(3)


def _running(server: Any) -> set[int]:
    """The processes below the server's that run SLOW: those that compute and hold its ballast."""
    children: dict[int, list[int]] = {}
    running = set()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, parent = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[:2]
            children.setdefault(int(parent), []).append(int(process.name))
            resident = int((process / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            if state in "RT" and resident > BALLAST:
                running.add(int(process.name))
    found: set[int] = set()
    left = [server.process.pid]
    while left:
        below = children.get(left.pop(), [])
        found.update(below)
        left += below
    return found & running


BALLAST = 300_000_000

SLOW = f"""\
import torch
ballast = b"x" * {BALLAST}
w = torch.arange(1000.0)
for _ in range(200):
    sum(range(400_000))
v = w + 1
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds processes by /proc")
def test_cancel_ends_the_process_that_runs_the_program_again(
    page: Page, run_program: Callable[[str], Page], own_server: Any
) -> None:
    """Also where that would never come to an end by itself."""
    page.goto(own_server.address)
    expect(page.get_by_role("button", name="Play the backward pass")).to_be_visible()
    run_program(SLOW)
    page.get_by_role("heading", name="Backscope").click()
    page.keyboard.press("End")
    value = page.get_by_role("region", name="Value", exact=True)
    expect(value.get_by_role("button", name="Show all values")).to_be_visible()
    value.get_by_role("button", name="Show all values").click()
    expect(value.get_by_role("button", name="Cancel")).to_be_visible()
    end = time.monotonic() + 60
    while not (again := _running(own_server)) and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert again
    for one in again:
        os.kill(one, signal.SIGSTOP)
    value.get_by_role("button", name="Cancel").click()
    expect(value).to_contain_text("Cancelled.")
    end = time.monotonic() + 60
    while again & _running(own_server) and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert not again & _running(own_server)
