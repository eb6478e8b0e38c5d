"""Protects: in the page a program is stopped, looked into, changed and let go on, with clicks and with keys."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from conftest import finished
from playwright.sync_api import Browser, Locator, Page, expect
from websockets.sync.client import connect

PROGRAM = """\
import torch

w = torch.tensor([2.0, 3.0], requires_grad=True)

def scale(a, k):
    b = a * k
    return b.exp()

for i in range(3):
    loss = scale(w, 0.5 + i).sum()
    loss.backward()
print(w.grad)
"""

Run = Callable[..., Page]


class Debugger:
    """Somebody who debugs in the page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.bar = page.get_by_role("group", name="Debugger")
        self.panel = page.get_by_role("region", name="Debugger")
        self.caption = page.get_by_test_id("caption")

    def number(self, line: int) -> Locator:
        """The number of a line in the gutter."""
        return self.page.locator(".cm-lineNumbers .cm-gutterElement").filter(has_text=re.compile(rf"^{line}$")).last

    def stands(self, where: str | re.Pattern[str]) -> None:
        """The program is paused there."""
        expect(self.bar.get_by_role("status")).to_contain_text(where)

    def press(self, name: str) -> None:
        """Presses a button of the bar."""
        self.bar.get_by_role("button", name=name, exact=True).click()

    def ends(self) -> None:
        """The run is over."""
        expect(self.page.get_by_role("button", name="Run", exact=True)).to_be_visible()
        expect(self.bar).to_have_count(0)

    def variable(self, name: str) -> Locator:
        """The value of a variable, which opens what changes it."""
        return self.panel.get_by_role("button", name=re.compile(rf"^Change {name}, now "))

    def set(self, name: str, expression: str) -> None:
        """Changes a variable."""
        self.variable(name).click()
        self.panel.get_by_label("New value").fill(expression)
        self.page.keyboard.press("Enter")

    def add(self, kind: str, label: str = "", text: str = "") -> None:
        """Adds a breakpoint in the list."""
        form = self.panel.get_by_role("form", name="New breakpoint")
        form.get_by_label("Stop at").select_option(kind)
        if label:
            form.get_by_label(label).fill(text)
        form.get_by_role("button", name="Add").click()

    def box(self, place: str) -> Locator:
        """The check box of a breakpoint in the list."""
        return self.panel.get_by_role("checkbox", name=re.compile(rf"^{re.escape(place)}(?!\w)"))

    def unfold(self) -> None:
        """Opens the panel."""
        self.page.get_by_role("button", name="Unfold debugger").click()


def overlap(one: Locator, other: Locator) -> bool:
    """Return whether two elements that are shown cover a common part of the window."""
    a, b = one.bounding_box(), other.bounding_box()
    assert a and b
    return all(a[at] < b[at] + b[size] and b[at] < a[at] + a[size] for at, size in (("x", "width"), ("y", "height")))


@pytest.fixture
def debug(run_program: Run) -> Callable[[str], Debugger]:
    """Types a program, without running it."""

    def typed(source: str) -> Debugger:
        page = run_program("x = 1\n")
        page.get_by_role("textbox", name="Program").click()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        page.keyboard.insert_text(source)
        return Debugger(page)

    return typed


def test_from_the_gutter_to_a_changed_value_and_on_to_the_end(debug: Callable[[str], Debugger]) -> None:
    debugger = debug(PROGRAM)
    page = debugger.page
    debugger.number(7).click()
    page.keyboard.press("Control+Enter")
    debugger.stands("Paused before line 7")
    expect(page.locator(".cm-line-paused")).to_contain_text("return b.exp()")
    expect(debugger.variable("b")).to_contain_text("[1, 1.5]")
    # The caller's frame has other variables.
    debugger.panel.get_by_role("button", name=re.compile(r"^10 the program")).click()
    expect(page.locator(".cm-line-paused")).to_contain_text("loss = scale")
    expect(debugger.variable("i")).to_have_text("0")
    debugger.panel.get_by_role("button", name=re.compile(r"^7 scale\(\)")).click()
    # One element, then what is refused, with its reason in place.
    debugger.variable("b").click()
    debugger.panel.get_by_role("group", name="Elements of b").get_by_role("button").nth(1).click()
    debugger.panel.get_by_label("New value").fill("0.")
    page.keyboard.press("Enter")
    expect(debugger.caption).to_have_text("You set b.data[1] to 0.")
    expect(page.get_by_role("log")).to_contain_text("You set b.data[1] = 0.")
    expect(page.get_by_role("region", name="Inspector")).to_contain_text("You changed b.data[1]")
    debugger.set("k", "nothing")
    expect(debugger.panel.get_by_role("alert")).to_have_text("NameError: name 'nothing' is not defined")
    page.keyboard.press("Escape")
    # Out of the function, to the backward pass, over its nodes.
    debugger.press("Out")
    debugger.stands("Paused before line 11")
    expect(debugger.variable("loss")).to_contain_text("3.718")
    for node in ("SumBackward0", "ExpBackward0", "MulBackward0"):
        debugger.press("Node")
        debugger.stands(f"Paused at line 11, before {node}")
    graph = page.get_by_role("list", name="Graph")
    waits = graph.get_by_role("button", name=re.compile("MulBackward0")).first
    expect(waits).to_have_attribute("title", re.compile("the program is paused here"))
    # The past is there meanwhile.
    page.get_by_role("button", name="Step back").click()
    runs_to, resume = (debugger.bar.get_by_role("button", name=name) for name in ("Run to this step", "Resume"))
    assert not overlap(runs_to, resume)
    debugger.bar.get_by_role("button", name="Back to now").click()
    expect(debugger.bar.get_by_role("button", name="Back to now")).to_have_count(0)
    debugger.press("Resume")
    debugger.stands("Paused before line 7")
    debugger.press("End")
    debugger.ends()
    expect(debugger.panel).to_contain_text("stopped 2 times")


def test_the_line_of_the_pause_comes_into_view(debug: Callable[[str], Debugger]) -> None:
    """Also where the last step was made by a line far above."""
    somebody = debug("import torch\nw = torch.ones(2)\n" + "\n" * 60 + "n = 1\nm = 2\n")
    somebody.page.keyboard.press("Control+End")
    somebody.number(63).click()
    somebody.page.keyboard.press("Control+Enter")
    somebody.stands("line 63")
    expect(somebody.page.locator(".cm-line-paused")).to_be_in_viewport()
    expect(somebody.page.get_by_text("Nothing is drawn yet")).to_be_visible()
    somebody.page.keyboard.press("F10")
    somebody.stands("line 64")
    expect(somebody.page.locator(".cm-line-paused")).to_be_in_viewport()


def test_a_condition_and_a_hit_number(debug: Callable[[str], Debugger]) -> None:
    debugger = debug("total = 0\nfor i in range(100):\n    total += i\nprint(total)\n")
    debugger.unfold()
    debugger.number(3).click()
    debugger.panel.get_by_role("button", name="Condition of the breakpoint: line 3").click()
    debugger.panel.get_by_label("where").fill("i % 10 == 0")
    debugger.panel.get_by_label("from hit").fill("4")
    debugger.panel.get_by_label("from hit").press("Tab")
    debugger.page.keyboard.press("Control+Enter")
    debugger.stands("Paused before line 3")
    expect(debugger.variable("i")).to_have_text("30")
    # Lines that are written above move it along; what is not in the running program waits for the next run.
    program = debugger.page.get_by_role("textbox", name="Program")
    program.press("Control+Home")
    program.press("Enter")
    expect(debugger.box("line 4")).to_be_checked()
    debugger.press("Resume")
    expect(debugger.variable("i")).to_have_text("40")
    debugger.box("line 4").uncheck()
    debugger.press("Resume")
    debugger.ends()


def test_a_node_that_is_selected_and_a_breakpoint_that_is_not_met(debug: Callable[[str], Debugger]) -> None:
    debugger = debug(PROGRAM)
    page = debugger.page
    page.keyboard.press("Control+Enter")
    expect(page.get_by_text("Edited since this run")).to_have_count(0)
    debugger.ends()
    graph = page.get_by_role("list", name="Graph")
    graph.get_by_role("button", name=re.compile("MulBackward0")).first.focus()
    page.keyboard.press("Enter")
    # A key sets a breakpoint at what is selected, the stage marks it, and the key takes it away again.
    marked = graph.locator('button[title*="has a breakpoint"]')
    page.keyboard.press("F9")
    expect(marked).to_have_count(1)
    expect(page.get_by_role("region", name="Stop when").get_by_label("before it runs", exact=True)).to_be_checked()
    page.keyboard.press("F9")
    expect(marked).to_have_count(0)
    page.get_by_role("region", name="Stop when").get_by_label("after it ran").check()
    expect(marked).to_have_count(1)
    debugger.unfold()
    debugger.add("hook")
    page.get_by_role("button", name="Run", exact=True).click()
    debugger.stands("Paused at line 11, after MulBackward0")
    expect(debugger.caption).to_contain_text("w.grad was None; it is now")
    debugger.press("Resume")
    debugger.ends()
    expect(debugger.panel.get_by_role("listitem").filter(has_text="a hook ran")).to_contain_text("not met in this run")
    # Any step of a run that is over can be stopped at: the program is run again up to it.
    debugger.box("after MulBackward0 runs").uncheck()
    page.get_by_role("slider", name="Timeline").focus()
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    told = debugger.caption.inner_text()
    debugger.panel.get_by_role("button", name="Run to this step").click()
    expect(debugger.variable("b")).to_be_visible()
    expect(debugger.caption).to_have_text(told)
    debugger.press("End")
    debugger.ends()
    hook = debugger.panel.get_by_role("listitem").filter(has_text="a hook ran")
    expect(hook).to_contain_text("not met before the run went on to its end, past all breakpoints")


def test_a_breakpoint_on_an_unknown_name_says_so_in_its_row(debug: Callable[[str], Debugger]) -> None:
    debugger = debug("import torch\nw = torch.ones(2, requires_grad=True)\nloss = (w * 2).sum()\nloss.backward()\n")
    debugger.unfold()
    debugger.add("op", "Its name", "mull")
    debugger.number(3).click()
    debugger.page.keyboard.press("Control+Enter")
    debugger.stands("Paused before line 3")
    row = debugger.panel.get_by_role("listitem")
    unknown = "No op or grad_fn is named mull so far; the breakpoint waits for one. Did you mean mul?"
    expect(row.filter(has_text="mull")).to_contain_text(unknown)
    # What is added while the program is paused is answered at once.
    debugger.add("op", "Its name", "mul")
    debugger.add("tensor", "Its variable", "los")
    expect(row.filter(has_text="los gets its gradient")).to_contain_text("Did you mean loss?")
    expect(row.filter(has_text="waits for one")).to_have_count(2)
    debugger.press("Resume")
    debugger.stands("Paused at line 3")
    debugger.press("Resume")
    debugger.ends()
    expect(row.filter(has_text=unknown)).to_contain_text("not met in this run")


def test_the_first_bad_number_and_an_exception(debug: Callable[[str], Debugger]) -> None:
    debugger = debug(
        "import torch\nx = torch.tensor([0.0, 1.0], requires_grad=True)\ny = x.log()\n"
        "z = (y * 0).sum()\nz.backward()\nint('x')\n"
    )
    debugger.unfold()
    debugger.add("non_finite")
    debugger.add("exception", "Its type", "ValueError")
    debugger.page.keyboard.press("Control+Enter")
    debugger.stands("Paused at line 3. The op log made a NaN or an infinity of finite numbers.")
    debugger.press("Resume")
    debugger.stands("LogBackward0 made a NaN or an infinity of a finite gradient.")
    debugger.press("Resume")
    debugger.stands("Paused before line 6. ValueError was raised: ")
    debugger.press("Resume")
    debugger.ends()


def test_a_running_loop_is_paused_and_goes_on(debug: Callable[[str], Debugger]) -> None:
    debugger = debug("going = True\ni = 0\nwhile going:\n    i += 1\nprint('over')\n")
    debugger.page.keyboard.press("Control+Enter")
    debugger.press("Pause")
    debugger.stands("Paused before line")
    expect(debugger.variable("i")).not_to_have_text("0")
    debugger.set("going", "False")
    debugger.page.keyboard.press("F8")
    debugger.ends()
    expect(debugger.page.get_by_role("log")).to_contain_text("over")


def test_a_paused_program_that_gave_its_place_is_run_again_to_where_it_stood(
    page: Page, guest_with: Callable[..., Any]
) -> None:
    server = guest_with(running=1, notice_seconds=0.5)
    page.goto(f"{server.address}/#example=01_first_backward")
    debugger = Debugger(page)
    finished(page)
    page.get_by_role("textbox", name="Program").click()
    for key in ("Control+a", "Delete"):
        page.keyboard.press(key)
    page.keyboard.insert_text(PROGRAM)
    expect(page.get_by_role("textbox", name="Program")).to_contain_text(PROGRAM.splitlines()[-1])
    for key in ("Control+End", *["ArrowUp"] * 2, "F9"):
        page.keyboard.press(key)
    expect(page.locator(".cm-lineNumbers .cm-breakpoint:visible")).to_have_text("11")
    page.keyboard.press("Control+Enter")
    debugger.stands("Paused before line 11")
    stood = debugger.caption.inner_text()
    with connect(f"ws://127.0.0.1:{server.port}/api/run", additional_headers=server.headers) as other:
        other.send(json.dumps({"command": "run", "source": "print('let in')\n"}))
        debugger.ends()
        while "end" not in json.loads(other.recv(timeout=120)):
            pass
    notice = page.get_by_text("paused while other programs waited").locator("visible=true").first
    expect(notice).to_be_visible()
    again = page.get_by_role("button", name="Run again to there")
    again.click()
    debugger.stands("Paused at line 10")
    expect(debugger.caption).to_have_text(stood)
    expect(again).to_have_count(0)
    debugger.press("Resume")
    debugger.stands("Paused before line 11")
    debugger.press("End")
    debugger.ends()


def test_a_link_brings_breakpoints_and_watches(page: Page, server, browser: Browser) -> None:  # type: ignore[no-untyped-def]
    """And what they evaluate does not run before it was read."""
    breaks = "&".join(f"break={quote(b)}" for b in ("line:5", "!op:mul", "norm:100:*2?True"))
    page.goto(f"{server.address}/#example=01_first_backward&{breaks}&watch={quote('1 + 1')}")
    debugger = Debugger(page)
    expect(page.get_by_text("This link brings expressions that the debugger evaluates.")).to_be_visible()
    debugger.unfold()
    expect(debugger.box("line 5")).to_be_checked()
    expect(debugger.box("mul, wherever it runs")).not_to_be_checked()
    expect(debugger.box("gradient norm above 100")).to_be_checked()
    page.get_by_role("button", name="Run", exact=True).click()
    debugger.stands("Paused")
    expect(debugger.panel.get_by_role("region", name="Watch").get_by_role("listitem")).to_contain_text("2")
    expect(page).to_have_url(re.compile(r"run=.*break=line%3A5.*watch=1%20%2B%201"))
    # A reload finds the paused program again.
    page.reload()
    debugger.stands("Paused")
    debugger.press("End")
    debugger.ends()


def test_with_the_keyboard_alone(debug: Callable[[str], Debugger]) -> None:
    debugger = debug(PROGRAM)
    keys = debugger.page.keyboard
    for key in ("Control+End", *["ArrowUp"] * 3, "F9", "Control+Enter"):
        keys.press(key)
    debugger.stands("Paused before line 10")
    for key, where in (
        ("F11", "before line 6"),
        ("F10", "before line 7"),
        ("Shift+F11", "before line 11"),
        ("F7", "before SumBackward0"),
        ("Shift+F7", re.compile(r"Paused at line 11\s*$")),
        ("F8", "before line 10"),
        ("Shift+F8", "Paused at line 11"),
    ):
        keys.press(key)
        debugger.stands(where)
    keys.press("Shift+F10")
    debugger.ends()


class TestOnAPhone:
    @pytest.fixture
    def context_options(self) -> dict[str, object]:
        return {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

    def test_it_is_stepped_and_looked_into(self, page: Page, server) -> None:  # type: ignore[no-untyped-def]
        page.goto(f"{server.address}/#example=01_first_backward&break=line%3A5")
        debugger = Debugger(page)
        debugger.stands("Paused before line 5")
        page.get_by_role("button", name="Debug", exact=True).click()
        sheet = page.get_by_role("region", name="Debug")
        expect(
            sheet.get_by_role("region", name="Variables").get_by_role("button", name=re.compile("^Change w, now"))
        ).to_be_visible()
        for name in ("Resume", "Line", "Into", "Out", "Node", "Step", "Pass", "End"):
            box = debugger.bar.get_by_role("button", name=name, exact=True).bounding_box()
            assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390 and box["height"] >= 44
        debugger.bar.get_by_role("button", name="End", exact=True).tap()
        debugger.ends()


def test_a_parameter_as_python_writes_it_is_stopped_at_and_told_by_its_name(debug: Callable[[str], Debugger]) -> None:
    """Bar, caption and stage say whose gradient arrives, though nothing has landed yet."""
    debugger = debug(
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(2, 1))\nnet(torch.ones(1, 2)).sum().backward()\n"
    )
    debugger.unfold()
    form = debugger.panel.get_by_role("form", name="New breakpoint")
    form.get_by_label("Stop at").select_option("tensor")
    form.locator("input").fill("net[0].weight")
    form.get_by_role("button", name="Add").click()
    debugger.page.keyboard.press("Control+Enter")
    debugger.stands("Paused at line 3, before AccumulateGrad of net.0.weight")
    expect(debugger.caption).to_contain_text("AccumulateGrad is to bring [[1, 1]] to net.0.weight.grad.")
    debugger.press("Step")
    expect(debugger.caption).to_contain_text("net.0.weight.grad")
    debugger.press("End")
    debugger.ends()
    expect(debugger.panel).to_contain_text("stopped once")
