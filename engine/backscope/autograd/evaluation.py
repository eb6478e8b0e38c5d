"""`in_formula`, which is set while a formula runs on Tensors, and the numbers that formulas get from saved slots."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from backscope.runtime.given import Value
from backscope.runtime.process import process_wide

in_formula: list[bool] = process_wide([])
"""Not empty while a formula runs on Tensors."""


class WrappedFloat(float):
    """A number that a node saved: in PyTorch it is a tensor, also within a formula."""


class WrappedInt(int):
    """An integer that a node saved."""


def wrapped(value: Value) -> Value:
    """Return a saved number in the class that marks it as saved for a recorded formula; other values as they are."""
    if value.__class__ is float:
        return WrappedFloat(value)
    return WrappedInt(value) if value.__class__ is int else value


def composed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that PyTorch composes below Python, so that numbers in it count as in a formula."""

    @functools.wraps(function)
    def call(*args: Value, **kwargs: Any) -> Any:
        in_formula.append(True)
        try:
            return function(*args, **kwargs)
        finally:
            in_formula.pop()

    return call
