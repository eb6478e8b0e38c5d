"""`%%backscope`: a cell is recorded with its own lines and names, on the engine or on PyTorch, and shown."""

from __future__ import annotations

import linecache
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import backscope
from backscope import torch
from backscope.notebook import magic
from backscope.protocol import events as ev

README = Path(__file__).parents[3] / "engine" / "README.md"


class Shell:
    """As much of IPython's shell as the magic uses."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user_ns: dict[str, Any] = {"__name__": "__main__"}
        self.execution_count = 2
        self.displayhook = SimpleNamespace(exec_result=SimpleNamespace(execution_count=1))
        self.shown: list[Any] = []
        self.compile = SimpleNamespace(cache=self._cache)
        self.magics: dict[str, Any] = {}
        self.magics_manager = SimpleNamespace(magics={"cell": self.magics})
        display = ModuleType("IPython.display")
        setattr(display, "display", lambda value, raw=False: self.shown.append(value))
        monkeypatch.setitem(sys.modules, "IPython", ModuleType("IPython"))
        monkeypatch.setitem(sys.modules, "IPython.display", display)

    def transform_cell(self, text: str) -> str:
        return text

    def _cache(self, source: str, number: int, raw_code: str) -> str:
        name = f"<ipython-input-{number}>"
        linecache.cache[name] = (len(source), time.time(), source.splitlines(keepends=True), name)  # type: ignore[assignment]
        return name

    def register_magic_function(self, function: Any, kind: str, name: str) -> None:
        self.magics[name] = function

    def run(self, line: str, text: str) -> None:
        self.magics["backscope"](line, text)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    made = Shell(monkeypatch)
    backscope.load_ipython_extension(made)
    return made


def test_a_cell_is_recorded_with_its_lines_and_names(shell: Shell) -> None:
    shell.user_ns["w"] = torch.ones(2, requires_grad=True)
    shell.run(
        "--name run",
        "# a comment\nimport torch\nimport torch.nn.functional as F\ny = F.relu(w)\ny.sum().backward()\nw.grad\n",
    )
    run = shell.user_ns["run"]
    assert isinstance(run, backscope.Recording)
    named = [(event.line, event.name) for event in run.events if isinstance(event, ev.TensorNamed)]
    assert (4, "y") in named and "w" in {name for _, name in named}
    assert "w.grad" in run.why("w")
    assert str(shell.shown[0]) == "tensor([1., 1.])", "the last value, as IPython shows it"
    assert "text/plain" in shell.shown[1]
    assert shell.user_ns["torch"] is torch
    assert {"__backscope_recording__", "__backscope_last__"}.isdisjoint(shell.user_ns)


def test_an_error_is_shown_and_goes_on(shell: Shell) -> None:
    with pytest.raises(RuntimeError, match="does not require grad"):
        shell.run("", "import torch\ntorch.ones(2).sum().backward()\n")
    assert "ended with RuntimeError" in shell.shown[0]["text/plain"]


def test_a_step_that_is_not_there_is_said(shell: Shell, capsys: pytest.CaptureFixture[str]) -> None:
    """What opens is the recording as without the option, with its picture."""
    text = "import torch\ntorch.ones(2, requires_grad=True).sum().backward()\n"
    shell.run("", text)
    shell.run("--step 99", text)
    assert re.search(r"%%backscope: no step 99: there are \d+ steps, from 1 on", capsys.readouterr().err)
    assert shell.shown[1].keys() == shell.shown[0].keys()
    assert shell.shown[1].get("image/png") == shell.shown[0].get("image/png")
    with pytest.raises(magic.BadOption, match="--step is a number from 1 on, not 0"):
        shell.run("--step 0", text)


IN_IPYTHON = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "NoColor")
for cell in ("%load_ext backscope", "%%backscope\\n1 / 0", "1 / 0"):
    shell.run_cell(cell, store_history=True)
"""


def test_a_cell_has_its_number_in_errors(tmp_path: Path) -> None:
    pytest.importorskip("IPython")
    variables = {**os.environ, "IPYTHONDIR": str(tmp_path)}
    run = subprocess.run([sys.executable, "-c", IN_IPYTHON], env=variables, capture_output=True, text=True, check=True)
    assert re.findall(r"In\[(\d+)\]", run.stdout) == ["2", "3"]


ERRORS_IN_IPYTHON = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
shell.run_line_magic("colors", "NoColor")
shell.run_line_magic("load_ext", "backscope")
cell = "import torch\\nw = torch.ones(2, requires_grad=True)\\ny = w.exp()\\ny.add_(1)\\ny.sum().backward()"
shell.run_cell("%%backscope\\n" + cell)
"""


def test_an_error_shows_the_lines_of_the_cell(tmp_path: Path) -> None:
    """The frames of the engine and of the magic are left out."""
    pytest.importorskip("IPython")
    variables = {**os.environ, "IPYTHONDIR": str(tmp_path)}
    run = subprocess.run(
        [sys.executable, "-c", ERRORS_IN_IPYTHON], env=variables, capture_output=True, text=True, check=True
    )
    assert "----> 5 y.sum().backward()" in run.stdout
    assert "RuntimeError: one of the variables needed for gradient computation" in run.stdout
    assert "backscope/" not in run.stdout and "<backscope" not in run.stdout and "run_cell_magic" not in run.stdout


@pytest.mark.torch
def test_on_pytorch(shell: Shell) -> None:
    """By the option, and where the notebook has imported it before."""
    text = "w = torch.ones(2, requires_grad=True)\nw.sum().backward()\n"
    shell.run("--torch --name run", f"import torch\n{text}")
    assert type(shell.user_ns["run"]).__name__ == "TorchRecording"
    shell.run("--name again", text)
    assert type(shell.user_ns["again"]).__name__ == "TorchRecording"
    assert "w.grad" in shell.user_ns["again"].why("w")


def test_what_it_does_not_know_is_refused(shell: Shell) -> None:
    with pytest.raises(magic.BadOption, match=r"unrecognized arguments: --stop"):
        shell.run("--stop 3", "1\n")
    assert shell.shown == []
    shell.run("", "")
    backscope.unload_ipython_extension(shell)
    assert shell.magics == {}


def test_every_option_is_documented() -> None:
    section = README.read_text(encoding="utf-8").split("\n## In notebooks\n")[1].split("\n## ")[0]
    known = [action.option_strings[-1] for action in magic.options()._actions]
    assert len(known) == 4 and [name for name in known if f"`{name}" not in section] == []


def test_a_live_cell_has_a_widget_for_its_recording(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    entered: list[Any] = []

    class Widget:
        def __init__(self, recording: backscope.Recording) -> None:
            self.recording = recording

        def __enter__(self) -> None:
            entered.append(self)
            self.recording.__enter__()

        def __exit__(self, *error: Any) -> None:
            self.recording.__exit__(*error)

    room = ModuleType("backscope.notebook.widget")
    setattr(room, "Widget", Widget)
    monkeypatch.setitem(sys.modules, room.__name__, room)
    monkeypatch.setattr(magic, "why_missing", lambda what, extra: None)
    shell.run("--live --step 3 --name run", "import torch\ntorch.ones(2, requires_grad=True).sum().backward()\n")
    assert entered == [shell.user_ns["run"]] and entered[0].step == 3
    assert entered[0].recording.status == "ok"
    assert shell.shown == [], "the widget shows itself"


def test_a_live_cell_names_the_extra_that_it_needs(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(magic, "why_missing", lambda what, extra: f"{what} needs {extra}")
    with pytest.raises(magic.BadOption, match=r"--live needs notebook"):
        shell.run("--live", "1")
