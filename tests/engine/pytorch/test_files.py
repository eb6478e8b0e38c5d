"""A program of several files has its lines in each of them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from backscope.protocol import events as ev

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
