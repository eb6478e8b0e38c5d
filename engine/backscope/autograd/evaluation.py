"""Whether a formula is being evaluated on Tensors, and is thereby itself recorded."""

from __future__ import annotations

from typing import Any

in_formula: list[bool] = []
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
