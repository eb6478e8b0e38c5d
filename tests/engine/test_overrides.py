"""Classes and modes of a program that take over functions: who is asked, in which order, and when nobody is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import backscope

PROGRAM = """
import sys
from backscope import program
moments = []
print(program.run(sys.argv[1], moments.append))
"""

DUCK = """
import torch
class Scaled:
    def __init__(self, size): self.size = size
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return "mean" if func is torch.mean else NotImplemented
assert torch.mean(Scaled(2)) == "mean"
try:
    torch.exp(Scaled(2))
except TypeError as error:
    assert "Multiple dispatch failed for 'torch.exp'" in str(error)
else:
    raise AssertionError
"""

STEPS = """
import torch
from torch.overrides import TorchFunctionMode
seen = []
class Seen(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen.append(func.__name__)
        return func(*args, **(kwargs or {}))
w = torch.ones(2, requires_grad=True)
with Seen():
    torch.nn.functional.normalize(w, dim=0).sum().backward()
torch.ones(1) + 1
assert seen == ["normalize", "sum", "backward"], seen
"""


def _runs(source: str) -> None:
    """A program in a process of its own: what it takes over stays so."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, source],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(backscope.__file__).parents[1],
    )
    assert ran.stdout.strip() == "ok", ran.stdout + ran.stderr


def test_a_class_that_is_no_tensor_takes_functions_over() -> None:
    _runs(DUCK)


def test_a_mode_sees_what_the_program_calls_and_not_the_steps_inside() -> None:
    _runs(STEPS)
