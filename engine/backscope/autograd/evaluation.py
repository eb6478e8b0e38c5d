"""Whether a formula is being evaluated on Tensors, and is thereby itself recorded."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from backscope.runtime.process import process_wide

in_formula: list[bool] = process_wide([])
"""Not empty while one is."""


class WrappedFloat(float):
    """A number that a node saved: to PyTorch it is a tensor, also within a formula."""


class WrappedInt(int):
    """A whole number that a node saved."""


def wrapped(value: Any) -> Any:
    """A number as a formula that is recorded takes it where it was saved."""
    if value.__class__ is float:
        return WrappedFloat(value)
    return WrappedInt(value) if value.__class__ is int else value


def composed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that PyTorch composes below Python: there a number in it is a number, as within a formula."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        in_formula.append(True)
        try:
            return function(*args, **kwargs)
        finally:
            in_formula.pop()

    return call
