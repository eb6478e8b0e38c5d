"""Protects what is shown of the engine in tracebacks: nothing in a user's error, all in a fault of the engine."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest

from backscope import torch
from backscope.runtime.engine_frames import is_engine, is_users_error, without_engine


def in_place() -> None:
    y = torch.ones(2, requires_grad=True).exp()
    y.add_(1)
    y.sum().backward()


def shapes() -> None:
    _ = torch.ones(2) @ torch.ones(3)


def in_hook() -> None:
    w = torch.ones(2, requires_grad=True)
    w.register_hook(lambda gradient: gradient / {}["scale"])
    w.sum().backward()


def of_engine(source: str) -> Callable[[], Any]:
    """Return a function whose code is the engine's."""
    space: dict[str, Any] = {"__name__": "backscope.ops.fault"}
    exec(compile(source, "<backscope fault>", "exec"), space)
    made = space["fault"]
    assert isinstance(made, FunctionType)
    return made


FAULTS = [
    "def fault(): return {}['missing']",
    "def fault(): assert False",
    "import numpy\ndef fault(): numpy.broadcast_shapes((2,), (3,))",
    "import json\ndef fault(): json.loads('{')",
]


@pytest.mark.parametrize("program", [in_place, shapes, in_hook])
def test_a_users_error_has_no_frame_of_the_engine(program: Callable[[], None]) -> None:
    with pytest.raises((RuntimeError, KeyError)) as caught:
        program()
    whole = caught.value.__traceback__
    assert is_users_error(caught.value, whole)
    codes = []
    at = without_engine(whole)
    while at is not None:
        codes.append(at.tb_frame.f_code)
        at = at.tb_next
    assert program.__code__ in codes and not any(is_engine(code) for code in codes)
    assert caught.value.__traceback__ is whole


@pytest.mark.parametrize("source", FAULTS)
def test_a_fault_of_the_engine_is_none_of_the_users(source: str) -> None:
    """Neither is what numpy or Python's library raised when the engine called it."""
    fault = of_engine(source)
    with pytest.raises(Exception) as caught:  # noqa: PT011
        fault()
    assert not is_users_error(caught.value, caught.value.__traceback__)
