"""Tensors without elements: which ops refuse their dtype all the same, as PyTorch does."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.mark.parametrize("name", ["softmax", "log_softmax"])
@pytest.mark.parametrize("dim", [0, 1])
def test_softmax_of_nothing_has_the_dtype_it_was_given(ours: Any, name: str, dim: int) -> None:
    """Its kernel, which is made for floating point alone, is not called."""
    for kind in (ours.int64, ours.bool, ours.complex64):
        found = getattr(ours, name)(ours.zeros(0, 2, dtype=kind), dim)
        assert (found.shape, found.dtype) == ((0, 2), kind)
    with pytest.raises(NotImplementedError, match=r"softmax.*not implemented for 'Long'"):
        getattr(ours, name)(ours.zeros(1, 2, dtype=ours.int64), dim)


def test_distances_of_nothing(ours: Any) -> None:
    """Low precision is refused where there is a distance to compute."""
    x = ours.zeros(0, 2, dtype=ours.bfloat16, requires_grad=True)
    found = ours.cdist(x, x.detach())
    assert (found.shape, found.dtype, found.grad_fn.name()) == ((0, 0), ours.bfloat16, "CdistBackward0")
    assert (
        ours.cdist(ours.zeros(2, 0, dtype=ours.bfloat16), ours.zeros(2, 0, dtype=ours.bfloat16)).tolist()
        == [[0.0, 0.0]] * 2
    )
    assert ours.pdist(ours.zeros(2, 0, dtype=ours.bfloat16)).dtype is ours.bfloat16
    with pytest.raises(NotImplementedError, match="\"cdist\" not implemented for 'BFloat16'"):
        ours.cdist(ours.zeros(1, 2, dtype=ours.bfloat16), ours.zeros(1, 2, dtype=ours.bfloat16))


@pytest.mark.parametrize(
    ("name", "dim", "error", "text"),
    [
        ("amax", (), RuntimeError, "amax(): Expected reduction dim to be specified for input.numel() == 0"),
        ("amax", (0,), IndexError, "amax(): Expected reduction dim 0 to have non-zero size."),
        ("amin", (-2,), IndexError, "amin(): Expected reduction dim -2 to have non-zero size."),
        ("max", (), RuntimeError, "max(): Expected reduction dim to be specified for input.numel() == 0"),
        ("max", (0,), IndexError, "max(): Expected reduction dim 0 to have non-zero size."),
        ("min", (1,), RuntimeError, "min(): does not support complex input"),
        ("median", (0,), IndexError, "median(): Expected reduction dim 0 to have non-zero size."),
        ("nanmedian", (1,), NotImplementedError, "\"median_out\" not implemented for 'ComplexFloat'"),
        ("topk", (0,), RuntimeError, " topk does not support complex dtypes on CPU"),
        ("kthvalue", (1, 0), IndexError, "kthvalue(): Expected reduction dim 0 to have non-zero size."),
        ("kthvalue", (1, 1), NotImplementedError, "\"kthvalue_cpu\" not implemented for 'ComplexFloat'"),
        ("unique", (), NotImplementedError, "\"unique\" not implemented for 'ComplexFloat'"),
    ],
)
def test_the_first_thing_wrong_is_said(ours: Any, name: str, dim: Any, error: type[Exception], text: str) -> None:
    """Of a dim without elements and a dtype that is not supported, PyTorch looks at one or the other first."""
    with pytest.raises(error) as raised:
        getattr(ours, name)(ours.zeros(0, 2, dtype=ours.complex64), *dim)
    assert str(raised.value).startswith(text)


def test_what_needs_no_kernel(ours: Any) -> None:
    """Empty inputs of a dtype without a kernel give an empty result, or a fixed number."""
    z = ours.zeros(0, 2, dtype=ours.complex64)
    assert ours.amax(z, 1).shape == (0,)
    assert ours.cummax(z, 0).values.shape == (0, 2)
    assert ours.median(ours.zeros(0, dtype=ours.bool)).item() is True
    median = ours.median(z)
    assert median.dtype is ours.complex64 and median.isnan().item()


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("amax", (1,), "amax"),
        ("median", (), "median"),
        ("nanmedian", (), "nanmedian"),
        ("softmax", (0,), "_softmax"),
        ("log_softmax", (1,), "_log_softmax"),
        ("cummax", (1,), "cummax"),
    ],
)
def test_their_gradients_are_for_real_numbers(ours: Any, name: str, args: Any, said: str) -> None:
    """What computes nothing from complex numbers is not differentiated all the same."""
    z = ours.zeros(0, 2, dtype=ours.complex64, requires_grad=True)
    with pytest.raises(RuntimeError) as raised:
        getattr(ours, name)(z, *args)
    assert str(raised.value) == f"{said} does not support automatic differentiation for outputs with complex dtype."
