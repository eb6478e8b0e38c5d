"""Classes and modes of a program that override functions: which are called, in which order, and when none is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from forked import failures

from backscope.protocol import events as ev

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

COUNTED = """
import threading
import torch
from torch.overrides import TorchFunctionMode
seen = []
class Counted(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})
class Seen(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen.append("mode " + func.__name__)
        return func(*args, **(kwargs or {}))
t = torch.ones(2).as_subclass(Counted)
x = torch.ones(2, requires_grad=True)
hooks = torch.autograd.graph.saved_tensors_hooks
def during(work):
    seen.clear()
    work()
    return list(seen)
def elsewhere(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
"""

BUSY = """
inside, go = threading.Event(), threading.Event()
def wait(saved):
    inside.set()
    go.wait(10)
    return saved
def work():
    with hooks(wait, wait):
        x.exp()
thread = threading.Thread(target=work)
thread.start()
inside.wait(10)
found = during(lambda: [t + 1 for _ in range(300)])
go.set()
thread.join()
assert len(found) == 300, len(found)
"""

ENTERED = """
def mode():
    with Seen():
        elsewhere(lambda: torch.ones(1) + 1)
def left_alone():
    with torch._C.DisableTorchFunctionSubclass():
        elsewhere(lambda: t + 1)
        t + 1
assert during(mode) == [], seen
assert during(left_alone) == ["add"], seen
"""

CALLED_BACK = """
def pack(saved):
    t + 1
    return saved
def unpack(saved):
    t * 2
    return saved
def packed():
    with hooks(pack, unpack):
        y = x.exp()
    seen.append("backward")
    y.sum().backward()
def distance(a, b):
    t - 1
    return (a - b).abs().sum(-1)
def measured():
    ones = torch.ones(2, 2)
    torch.nn.functional.triplet_margin_with_distance_loss(ones, ones, ones + 1, distance_function=distance)
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value):
        t + 1
        return value * 2
    @staticmethod
    def backward(ctx, grad):
        t - 1
        return grad * 2
def custom():
    y = Twice.apply(x)
    y.register_hook(lambda grad: t * 3)
    y.sum().backward()
def in_modes():
    with Seen(), Seen(), hooks(pack, unpack):
        x.exp()
assert during(packed) == ["add", "backward", "mul"], seen
assert during(measured) == ["sub", "sub"], seen
assert during(custom) == ["add", "mul", "sub", "mul"], seen
assert during(in_modes) == ["mode exp", "mode exp", "add"], seen
"""

QUIET = """
# There is no __torch_function__ and no TorchFunctionMode in this program.
import torch
assert not hasattr(torch.exp, "overridable")
"""


RUN = """
from backscope.program.runner import run
moments = []
status = run({source!r}, moments.append)
assert status == "ok", b"".join(moments[-3:]).decode()
"""

PROGRAMS = {
    "a class": DUCK,
    "steps": STEPS,
    "busy": COUNTED + BUSY,
    "entered": COUNTED + ENTERED,
    "called back": COUNTED + CALLED_BACK,
    "quiet": QUIET,
    "fails": "import torch\nassert torch.ones(1) == 2\n",
}


@pytest.fixture(scope="module")
def failed() -> dict[str, str]:
    """What went wrong in programs in processes of their own: what they take over stays so."""
    return failures({name: RUN.format(source=source) for name, source in PROGRAMS.items()})


def test_a_class_that_is_no_tensor_takes_functions_over(failed: dict[str, str]) -> None:
    assert "a class" not in failed, failed["a class"]


def test_a_mode_sees_what_the_program_calls_and_not_the_steps_inside(failed: dict[str, str]) -> None:
    assert "steps" not in failed, failed["steps"]


def test_what_another_thread_runs_hides_nothing(failed: dict[str, str]) -> None:
    assert "busy" not in failed, failed["busy"]


def test_modes_and_leaving_alone_are_of_one_thread(failed: dict[str, str]) -> None:
    assert "entered" not in failed, failed["entered"]


def test_what_a_function_calls_back_is_the_programs_own(failed: dict[str, str]) -> None:
    assert "called back" not in failed, failed["called back"]


def test_a_comment_takes_nothing_over(failed: dict[str, str]) -> None:
    assert "quiet" not in failed, failed["quiet"]


def test_a_program_that_fails_is_noticed(failed: dict[str, str]) -> None:
    assert "AssertionError" in failed["fails"]


def test_a_program_whose_ops_are_logged_below_autograd_is_recorded_as_without(record: Callable[..., Any]) -> None:
    source = (
        "from torch.utils._python_dispatch import TorchDispatchMode\n"
        "class Log(TorchDispatchMode):\n"
        "    def __torch_dispatch__(self, func, types, args=(), kwargs=None):\n"
        "        return func(*args, **(kwargs or {}))\n"
        "x = torch.ones(3, requires_grad=True)\n"
        "with MODE:\n"
        "    y = (x.view(3, 1) * 2).exp().sum()\n"
        "    torch.zeros(2).mul_(2)\n"
        "y.backward()\n"
    )
    told = [
        [(e.op, e.in_place, e.is_view, e.node is None) for e in record(source.replace("MODE", mode)).of(ev.OpApplied)]
        for mode in ("Log()", "__import__('contextlib').nullcontext()")
    ]
    assert told[0] == told[1]
    assert len(told[0]) > 4
