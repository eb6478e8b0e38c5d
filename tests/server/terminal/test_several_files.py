"""`backscope debug` of a program of several files: breakpoints on lines of each, listings, and what is refused."""

from __future__ import annotations

import pytest

LAYERS = """import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 3)

    def forward(self, x):
        h = self.fc(x)

        return torch.tanh(h)
"""
PROGRAM = """import torch
from layers import Net
model = Net()
x = torch.ones(4, 2)
for step in range(3):
    loss = model(x).mean()
    loss.backward()
"""


@pytest.fixture(params=["", pytest.param("--torch", marks=pytest.mark.torch)], ids=["engine", "pytorch"])
def said(request, tmp_path, piped):
    """Return a function that debugs the program, on the engine and on PyTorch, and returns what is printed."""
    (tmp_path / "layers.py").write_text(LAYERS)

    def debug(commands):
        ran = piped(tmp_path, PROGRAM, commands, *filter(None, [request.param]), "program.py")
        assert ran.returncode == 0, ran.stderr
        return " ".join(ran.stdout.split())

    return debug


def test_a_session(said):
    out = said("b layers.py:11 if x.sum() > 0\nb 7\nbl\nc\nwhere\nlist 4\nlist program.py:3\nprint h.shape\nout\nc\n"
               "into\ninto\ninto\nc\nc\nclear 2\nclear all\nc\n")  # fmt: skip
    waits = "layers.py has not been imported so far; the breakpoint waits for that."
    for part in (
        f"1: layers.py:11 if x.sum() > 0 (stops at layers.py:12) {waits}", "2: line 7",
        "layers.py:12 in forward, event", "breakpoint 1 (layers.py:11 if x.sum() > 0) -> 12 return torch.tanh(h)",
        "1 line 6 in <module> loss = model(x).mean() -> 0 line 12 of layers.py in forward return torch.tanh(h)",
        "9 def forward(self, x):", "3 model = Net()", "torch.Size([4, 3])", "breakpoint 2 (line 7)",
        "-> 10 h = self.fc(x)", "Deleted: 2.", "Deleted: 1.", "The program is over, with exit status 0.",
    ):  # fmt: skip
        assert part in out, (part, out)
    assert out.count("breakpoint 1 (") == 3


def test_what_cannot_be_stopped_at_says_why(said, tmp_path):
    (tmp_path / "broken.py").write_text("def (\n")
    out = said("b layers.py:99\nb layer.py:3\nb broken.py:1\nlist nothing.py:1\nb\nc\n")
    for part in (
        "No statement begins at line 99 of layers.py or after it.",
        f"There is no file layer.py in {tmp_path}. Did you mean layers.py?",
        "broken.py cannot be read as Python: invalid syntax, line 1.",
        "The run has no file nothing.py so far; it has program.py.",
        "No breakpoints.",
    ):
        assert part in out, (part, out)


def test_breakpoints_wait_for_a_restart(said):
    out = said("b layers.py:10\nc\nrestart\nc\nclear\nc\n")
    assert out.count("breakpoint 1 (layers.py:10)") == 2
