"""Dtypes that ops are not made for: PyTorch's error for each, instead of a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

BOOLS = "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator"
BOOL = "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda t: t.tensor([True]) - t.tensor([True]), RuntimeError, BOOLS),
        (lambda t: t.tensor([1.0]) - t.tensor([True]), RuntimeError, BOOL),
        (lambda t: 1 - t.tensor([True]), RuntimeError, BOOL),
        (lambda t: t.floor(t.tensor([1j])), NotImplementedError, "floor is not supported for complex inputs"),
        (lambda t: t.frac(t.tensor([1])), NotImplementedError, "\"frac_cpu\" not implemented for 'Long'"),
        (lambda t: t.maximum(t.tensor([1j]), t.tensor([2j])), RuntimeError, "maximum not implemented for complex"),
        (lambda t: t.tensor([1j]).max(), NotImplementedError, "\"max_all\" not implemented for 'ComplexFloat'"),
        (lambda t: t.tensor([True]).argmax(), RuntimeError, "argmax(): does not support bool input"),
        (lambda t: t.tensor([1j]).sort(), RuntimeError, " Sort does not support complex dtypes on CPU"),
        (lambda t: t.tensor([1j]).softmax(0), NotImplementedError, "not implemented for 'ComplexFloat'"),
        (lambda t: t.lerp(t.ones(1), t.ones(1).double(), 0.5), RuntimeError, "expected dtype float for `end` but got"),
        (
            lambda t: t.gcd(t.ones(2), t.ones(3)),
            RuntimeError,
            "The size of tensor a (2) must match the size of tensor b",
        ),
        (lambda t: t.ones(2).int().add_(t.ones(3)), RuntimeError, "The size of tensor a (2) must match the size of"),
        (lambda t: t.ones(2).lerp_(t.ones(2).double(), 0.5), RuntimeError, "expected dtype float for `end` but got"),
        (lambda t: t.special.bessel_j0(t.ones(1).half()), NotImplementedError, '"bessel_j0_cpu" not implemented for'),
        (lambda t: t.special.airy_ai(t.ones(1).cfloat()), NotImplementedError, '"airy_ai_cpu" not implemented for'),
        (lambda t: t.linspace(t.ones(1), t.ones(1), 3), RuntimeError, "linspace only supports 0-dimensional start and"),
        (
            lambda t: t.nn.functional.max_pool1d(t.ones(4), 2),
            RuntimeError,
            "max_pool1d: Expected 2D or 3D (batch",
        ),
        (lambda t: t.atan2(t.ones(1), 1), TypeError, "atan2(): argument 'other' (position 2) must be Tensor, not int"),
        (lambda t: t.ones(1).maximum(1), TypeError, "maximum(): argument 'other' (position 1) must be Tensor, not int"),
        (
            lambda t: t.hypot(t.tensor([1]), t.tensor([2])),
            NotImplementedError,
            "\"hypot_cpu\" not implemented for 'Long'",
        ),
    ],
)
def test_refused(torch: Any, call: Callable[[Any], Any], error: type[Exception], text: str) -> None:
    """Type and text are PyTorch's."""
    with pytest.raises(error) as raised:
        call(torch)
    assert text in str(raised.value)


def test_bytes_are_taken_as_bools(torch: Any) -> None:
    """any() and all() of uint8 give uint8."""
    assert torch.tensor([1, 0], dtype=torch.uint8).any().dtype is torch.uint8
    assert torch.tensor([1, 0]).any().dtype is torch.bool


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda t: t.arange(3, dtype=t.complex64), "\"arange_cpu\" not implemented for 'ComplexFloat'"),
        (lambda t: t.range(0, 3, dtype=t.complex128), "\"range_cpu\" not implemented for 'ComplexDouble'"),
        (lambda t: t._neg_view(t.tensor([True])), "\"neg_cpu\" not implemented for 'Bool'"),
    ],
)
@pytest.mark.filterwarnings("ignore:torch.range is deprecated")
def test_kernel_is_missing(torch: Any, call: Callable[[Any], Any], text: str) -> None:
    with pytest.raises(NotImplementedError) as raised:
        call(torch).tolist()
    assert str(raised.value) == text


@pytest.mark.parametrize(
    "loss", ["mse_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"]
)
def test_mean_loss_of_nothing_is_nan_without_a_warning(torch: Any, loss: str) -> None:
    nothing = torch.ones(0, 2)
    assert getattr(torch.nn.functional, loss)(nothing, nothing).isnan()


@pytest.mark.parametrize(
    ("exponent", "expected"),
    [(0, "nan+nanj"), (1, "0.-0.j"), (-1, "inf+nanj"), (1j, "nan+nanj"), (-1 + 1j, "inf+nanj")],
)
def test_complex_zero_to_a_complex_power_is_what_c_makes_of_it(torch: Any, exponent: complex, expected: str) -> None:
    found = torch.pow(torch.zeros(1, dtype=torch.complex128), torch.tensor([exponent], dtype=torch.complex128))
    assert str(found) == f"tensor([{expected}], dtype=torch.complex128)"
