"""Protects `backscope debug --page`: terminal and page command one program, and both see where it stops."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

PROGRAM = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * w
loss = y.sum()
loss.backward()
print("grad", w.grad.tolist())
"""


LAYERS = """\
import torch

def scaled(x, k):
    y = x * k

    return y.exp()
"""
OF_TWO_FILES = """\
import torch
from layers import scaled
w = torch.tensor([1.0, 2.0], requires_grad=True)
for k in range(3):
    loss = scaled(w, k).sum()
    loss.backward()
"""


class Terminal:
    """The terminal side: what is typed, and what has been printed."""

    def __init__(self, folder: Path, *arguments: str, program: str = PROGRAM) -> None:
        (folder / "program.py").write_text(program)
        (folder / "layers.py").write_text(LAYERS)
        self._said = ""
        self._more = threading.Condition()
        command = [sys.executable, "-m", "backscope_server", "debug", "--page", "--no-browser", *arguments]
        environment = {**os.environ, "BACKSCOPE_STORAGE": "off", "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*command, "program.py"], cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            with self._more:
                self._said += line
                self._more.notify_all()

    def close(self) -> None:
        """End the program and the debugger."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            pipe.close()

    def type(self, command: str) -> None:
        """Type a command."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()

    def says(self, pattern: str) -> str:
        """Wait for a text and return its first group, or all of it."""
        with self._more:
            found = self._more.wait_for(lambda: re.search(pattern, self._said), timeout=180)
            assert found, (pattern, self._said)
            return found[found.re.groups and 1]

    def asks(self, command: str, pattern: str) -> None:
        """Type a command until it says a text: what was done in the page arrives here a moment later."""
        for _ in range(60):
            self.type(command)
            with self._more:
                if self._more.wait_for(lambda: re.search(pattern, self._said), timeout=3):
                    return
        self.says(pattern)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    """Start a Terminal."""
    made: list[Terminal] = []

    def start(*arguments: str, **program: str) -> Terminal:
        made.append(Terminal(tmp_path, *arguments, **program))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.mark.parametrize("on", ["engine", pytest.param("torch", marks=pytest.mark.torch)])
def test_terminal_and_page_command_one_program(terminal: Callable[..., Terminal], browser: Browser, on: str) -> None:
    """A stop that one side made is seen on the other, a value that the page changes is the terminal's too."""
    if on == "torch":
        pytest.importorskip("torch")
    person = terminal(*(["--torch"] if on == "torch" else []))
    page = browser.new_page()
    page.goto(person.says(r"The page is at (\S+)"))
    bar = page.get_by_role("group", name="Debugger")
    expect(bar.get_by_role("status")).to_contain_text("Paused before line 1")
    person.type("b MulBackward0")
    person.type("c")
    person.says(r"breakpoint 1001 \(op MulBackward0\)")
    expect(bar.get_by_role("status")).to_contain_text("Paused at line 5, before MulBackward0")
    if on == "torch":
        panel = page.get_by_role("region", name="Debugger")
        panel.get_by_role("button", name=re.compile("^Change grad, now ")).click()
        panel.get_by_label("New value").fill("grad * 10")
        page.keyboard.press("Enter")
        expect(panel.get_by_role("button", name="Change grad, now tensor([10., 10.])")).to_be_visible()
        person.type("print grad.tolist()")
        person.says(r"\[10.0, 10.0\]")
    bar.get_by_role("button", name="Step", exact=True).click()
    person.says(r"MulBackward0 multiplies the\s+incoming")
    bar.get_by_role("button", name="Resume", exact=True).click()
    person.says(r"grad \[20.0, 40.0\]" if on == "torch" else r"grad \[2.0, 4.0\]")
    person.says("The program is over, with exit status 0.")
    expect(bar).to_have_count(0)
    person.type("quit")
    assert person.process.wait(60) == 0
    page.close()


@pytest.mark.parametrize("on", ["engine", pytest.param("torch", marks=pytest.mark.torch)])
def test_the_gutter_of_another_file_takes_breakpoints(
    terminal: Callable[..., Terminal], browser: Browser, on: str
) -> None:
    """A stop there shows the file; Run, which has one file, says how the program is run."""
    if on == "torch":
        pytest.importorskip("torch")
    person = terminal(*(["--torch"] if on == "torch" else []), program=OF_TWO_FILES)
    page = browser.new_page()
    page.goto(person.says(r"The page is at (\S+)"))
    status = page.get_by_role("group", name="Debugger").get_by_role("status")
    expect(status).to_contain_text("Paused before line 1")
    person.type("b 3")
    person.type("c")
    expect(status).to_contain_text("Paused before line 3")
    files = page.get_by_role("navigation", name="Files of the program")
    files.get_by_role("button", name="layers.py").click()
    gutter = page.locator(".cm-lineNumbers .cm-gutterElement:visible")
    gutter.filter(has_text=re.compile("^5$")).click()
    listed = page.get_by_role("region", name="Debugger").get_by_role(
        "checkbox", name="line 6 of layers.py return y.exp()"
    )
    expect(listed).to_be_checked()
    files.get_by_role("button", name="program.py").click()
    page.get_by_role("button", name="Resume", exact=True).click()
    expect(status).to_contain_text("Paused before line 6 of layers.py in scaled()")
    expect(files.locator("[aria-current=true]")).to_have_text("layers.py")
    expect(page.locator(".cm-line-paused:visible")).to_contain_text("return y.exp()")
    person.says(r"layers.py:6 in scaled, event")
    person.type("b layers.py:4 if k == 2")
    person.says(r"1001: line 3\s+1002: layers.py:4|1002: layers.py:4 if k == 2")
    gutter.filter(has_text=re.compile("^6$")).click()
    expect(listed).to_have_count(0)
    page.get_by_role("button", name="Resume", exact=True).click()
    person.says(r"layers.py:4 in scaled, event \d+, breakpoint 1002")
    expect(status).to_contain_text("Paused before line 4 of layers.py")
    page.get_by_role("button", name="Resume", exact=True).click()
    person.says("The program is over, with exit status 0.")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("This program imports layers.py, and Run runs one file alone.")).to_be_visible()
    expect(files.get_by_role("button")).to_have_text(["program.py", "layers.py"])
    page.close()


@pytest.mark.parametrize("on", ["engine", pytest.param("torch", marks=pytest.mark.torch)])
def test_each_side_lists_the_breakpoints_of_the_other(
    terminal: Callable[..., Terminal], browser: Browser, on: str
) -> None:
    """Those of the terminal are in the page's list and gutter; either side removes them, and those of the page."""
    if on == "torch":
        pytest.importorskip("torch")
    person = terminal(*(["--torch"] if on == "torch" else []), program=OF_TWO_FILES)
    page = browser.new_page()
    page.goto(person.says(r"The page is at (\S+)"))
    status = page.get_by_role("group", name="Debugger").get_by_role("status")
    expect(status).to_contain_text("Paused before line 1")
    listed = page.get_by_role("region", name="Breakpoints").get_by_role("listitem")
    in_gutter = page.locator(".cm-lineNumbers .cm-breakpoint:visible")
    person.type("b 5 if k == 1")
    expect(listed).to_have_count(1)
    expect(listed).to_contain_text("line 5 loss = scaled(w, k).sum() set in the terminal")
    expect(listed).to_contain_text("k == 1")
    expect(in_gutter).to_have_attribute("title", "Breakpoint of the terminal, where k == 1")
    person.type("b SumBackward0")
    expect(listed).to_have_count(2)
    page.reload()
    expect(listed).to_have_count(2)
    page.locator(".cm-lineNumbers .cm-gutterElement:visible").filter(has_text=re.compile("^4$")).click()
    expect(listed).to_have_count(3)
    person.asks("bl", r"1: line 4 \(set in the page\)\s+1001: line 5 if k == 1\s+1002: op SumBackward0")
    page.get_by_role("button", name="Remove the breakpoint: SumBackward0, wherever it runs").click()
    expect(listed).to_have_count(2)
    in_gutter.get_by_text("5").click()
    expect(listed).to_have_count(1)
    person.type("del 1002")
    person.says("There is no breakpoint 1002.")
    person.type("b 6")
    expect(listed).to_have_count(2)
    person.type("del")
    person.says(r"Deleted: 1, 1003\.")
    expect(listed).to_have_count(0)
    expect(in_gutter).to_have_count(0)
    person.type("c")
    person.says("The program is over, with exit status 0.")
    page.close()
