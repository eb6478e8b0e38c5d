"""`backscope debug --torch`: a program on PyTorch in the terminal debugger, with the commands of any other."""

from __future__ import annotations

import sys

import pytest

PROGRAM = """\
import torch
w = torch.tensor([1.0, 2.0], requires_grad=True)
y = w * w
loss = y.sum()
loss.backward()
print("grad", w.grad.tolist())
a = torch.log(w - 1)
torch.sigmoid(w).add_(1).sum().backward()
"""


@pytest.mark.torch
def test_a_session(piped, tmp_path):
    commands = (
        "b grad_fn MulBackward0\nb nan\nb exception\nb 4\nc\nprint y.tolist()\nc\nprint grad.tolist()\n"
        "print saved.self.tolist()\nset grad[1] = 10\nwhere\nnode\nback\nprint y.tolist()\nnow\nc\nc\nwhy\nc\nwhy\n"
    )
    ran = piped(tmp_path, PROGRAM, commands, "--torch", "program.py")
    said = ran.stdout
    for part in (
        "breakpoint 4 (line 4)", "[1.0, 4.0]", "breakpoint 1 (op MulBackward0)", "[1.0, 1.0]", "[1.0, 2.0]",
        "tensor(10.)", "#3 AccumulateGrad of w is about to run on [2, 40].", "the past: line 5", "grad [2.0, 40.0]",
        "breakpoint 2 (nan)", "is made in the forward pass by log at line 7", "breakpoint 3 (exception)",
        "SigmoidBackward0 saved its result",
    ):  # fmt: skip
        assert part in said, (part, said, ran.stderr)
    assert ran.returncode == 1


def test_without_pytorch_it_says_what_to_install(piped, tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError\n")
    path = ":".join([str(tmp_path), *filter(None, sys.path)])
    ran = piped(tmp_path, PROGRAM, "c\n", "--torch", "program.py", env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"})
    assert ran.returncode == 2 and "pip install 'backscope[pytorch]'" in ran.stderr, ran
