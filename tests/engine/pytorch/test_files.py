"""A program of several files has its lines in each of them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from backscope.protocol import commands as c, events as ev
from backscope.protocol.transport import Script

MODEL = """import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 2)

    def forward(self, x):
        hidden = self.inner(x)
        return hidden.relu()
"""

MAIN = """import model_of_a_test
import torch


def main(record):
    net = model_of_a_test.Net()
    with record() as trace:
        net(torch.ones(1, 2)).sum().backward()
    return trace
"""


def test_lines_are_in_their_files(room: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model_of_a_test.py").write_text(MODEL)
    (tmp_path / "main_of_a_test.py").write_text(MAIN)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    try:
        trace = importlib.import_module("main_of_a_test").main(room.record)
    finally:
        for name in ("main_of_a_test", "model_of_a_test"):
            sys.modules.pop(name, None)
    (added,) = [e for e in trace.events if isinstance(e, ev.SourceAdded)]
    assert (added.filename, added.source) == ("model_of_a_test.py", MODEL)
    ops = [(e.op, e.line, e.file or 0) for e in trace.events if isinstance(e, ev.OpApplied)]
    assert ops == [("t", 10, 1), ("addmm", 10, 1), ("relu", 11, 1), ("sum", 8, 0)]
    names = {e.name: (e.line, e.file or 0) for e in trace.events if isinstance(e, ev.TensorNamed)}
    assert names["hidden"] == (10, 1)
    assert "net.inner.weight" in names


def test_the_debugger_stops_in_a_file_that_is_imported(
    room: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backscope.pytorch.debugger import program

    (tmp_path / "parts_of_a_net.py").write_text(MODEL + "\n\nclass Unused:\n    pass\n")
    (tmp_path / "empty_of_a_net.py").write_text("")
    source = (
        "import torch\nimport empty_of_a_net\nfrom parts_of_a_net import Net\nnet = Net()\n"
        "for k in range(3):\n    loss = net(torch.ones(1, 2) * k).sum()\n    loss.backward()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    main, finders = sys.modules["__main__"], list(sys.meta_path)
    file = "parts_of_a_net.py"
    breakpoints = [
        c.LineBreakpoint(id=1, line=11, file=file, condition="x.sum() > 1"),
        c.LineBreakpoint(id=2, line=99, file=file),
        c.LineBreakpoint(id=3, line=13, file=file),
        c.LineBreakpoint(id=4, line=1, file="nothing.py"),
    ]
    script = Script(
        [c.SetBreakpoints(id=0, breakpoints=breakpoints)],
        [c.Resume(id=1), c.Step(id=2, to="out"), c.Step(id=3, to="into"), *[c.Resume(id=0)] * 9],
    )
    written: list[bytes] = []
    try:
        status = program.run(
            source, lambda part: written.extend(part.splitlines()), filename=str(tmp_path / "train.py"), seed=0,
            transport=script,
        )  # fmt: skip
    finally:
        sys.modules["__main__"] = main
    assert status == "ok" and sys.meta_path == finders and "parts_of_a_net" not in sys.modules
    stops = [event for event in map(ev.decode, written) if isinstance(event, ev.Paused)]
    assert [(stop.file or 0, stop.line, stop.breakpoints) for stop in stops] == [
        (1, 14, [3]), (1, 11, [1]), (0, 7, []), (0, 6, []), (1, 11, [1]),
    ]  # fmt: skip
    assert [(frame.file or 0, frame.function) for frame in stops[1].stack] == [(0, "<module>"), (1, "forward")]
    answer = script.answers[0]
    assert isinstance(answer, c.BreakpointsSet)
    assert [one.id for one in answer.unusable] == [2, 4] and [one.id for one in answer.pending] == [1, 3]
