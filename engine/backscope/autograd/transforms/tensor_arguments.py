"""The tensors among the arguments of a call, and a copy of the arguments with each tensor changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from backscope.runtime.given import Values
from backscope.tensor.tensor import Tensor


def tensors_in(values: Values) -> Iterator[Tensor]:
    """Yield the tensors among arguments, also those in lists and tuples."""
    for v in values:
        if isinstance(v, Tensor):
            yield v
        elif isinstance(v, (list, tuple)):
            yield from tensors_in(v)


def replaced(values: Values, change: Callable[[Any], Any]) -> list[Any]:
    """Return the arguments with `change` applied to each tensor, also to those in lists and tuples."""
    return [
        change(v)
        if isinstance(v, Tensor)
        else type(v)(replaced(v, change))
        if v.__class__ is list or v.__class__ is tuple
        else v
        for v in values
    ]
