"""Recorded gradients of conversions from real to complex numbers: their graph, and that nothing is warned of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest


def _names(node: Any) -> list[str]:
    found = []
    while node is not None and len(found) < 3:
        found.append(node.name())
        node = node.next_functions[0][0]
    return found


@pytest.mark.parametrize(
    ("convert", "names", "strides"),
    [
        (lambda torch, x: x.to(torch.complex64), ["SelectBackward0", "ViewAsRealBackward0", "AddBackward0"], (6, 2)),
        (
            lambda torch, x: x.to(torch.complex128),
            ["ToCopyBackward0", "SelectBackward0", "ViewAsRealBackward0"],
            (3, 1),
        ),
        (
            lambda torch, x: torch.zeros(2, 3, dtype=torch.complex64).copy_(x),
            ["SelectBackward0", "ViewAsRealBackward0", "AddBackward0"],
            (6, 2),
        ),
    ],
)
def test_real_numbers_get_the_real_part(
    torch: Any, convert: Callable[[Any, Any], Any], names: list[str], strides: tuple[int, ...]
) -> None:
    """The real part is a view of the complex gradient, converted where the precision differs."""
    x = torch.ones(2, 3, requires_grad=True)
    made = convert(torch, x)
    torch.set_warn_always(True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            (grad,) = torch.autograd.grad((made * made.conj()).real.sum(), x, create_graph=True)
    finally:
        torch.set_warn_always(False)
    assert grad.tolist() == [[2.0] * 3] * 2
    assert (grad.dtype, grad.stride()) == (torch.float32, strides)
    assert _names(grad.grad_fn) == names
