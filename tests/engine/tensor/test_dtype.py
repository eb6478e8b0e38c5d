"""Data types: names, categories, PyTorch's promotion between tensors with dims, 0-d tensors and Python numbers."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from backscope.tensor.dtype import dtype

NAMES = sorted(dtype.by_name)


def values(name: str, *, dims: int, torch: Any) -> Any:
    """A tensor of ones of a type."""
    return torch.ones((2,) * dims, dtype=getattr(torch, name))


@pytest.mark.parametrize("name", NAMES)
def test_attributes(torch: Any, name: str) -> None:
    """Names, sizes and kinds; pickling and copying keep the identity."""
    kind = getattr(torch, name)
    assert repr(kind) == f"torch.{name}"
    assert kind.itemsize == torch.ones(1, dtype=kind).element_size()
    assert kind.is_floating_point == (name.startswith(("float", "bfloat")))
    assert kind.is_complex == name.startswith("complex")
    assert kind.is_signed == (not name.startswith(("u", "bool")))
    assert copy.deepcopy(kind) is kind
    assert pickle.loads(pickle.dumps(kind)) is kind


def test_aliases(torch: Any) -> None:
    """The short names are the same objects."""
    assert (torch.float, torch.double, torch.half) == (torch.float32, torch.float64, torch.float16)
    assert (torch.long, torch.int, torch.short) == (torch.int64, torch.int32, torch.int16)
    assert (torch.cfloat, torch.cdouble) == (torch.complex64, torch.complex128)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:ComplexHalf support")
def test_promotion_is_pytorchs(ours: Any) -> None:
    """For every pair of types, of tensors with dims and 0-d ones, and for Python numbers.

    Where PyTorch gives complex32, which numpy lacks, Backscope gives complex64.
    """
    import torch

    def told(product: Callable[[], Any]) -> str:
        try:
            return repr(product().dtype)
        except RuntimeError as error:
            return str(error)

    def promoted(space: Any, a: str, b: str, dims: tuple[int, int]) -> str:
        return told(lambda: values(a, dims=dims[0], torch=space) * values(b, dims=dims[1], torch=space))

    def scaled(space: Any, a: str, number: Any, dims: int) -> str:
        return told(lambda: values(a, dims=dims, torch=space) * number)

    for a, b in itertools.product(NAMES, NAMES):
        for dims in ((1, 1), (1, 0), (0, 1), (0, 0)):
            expected = promoted(torch, a, b, dims).replace("complex32", "complex64")
            assert promoted(ours, a, b, dims) == expected, (a, b, dims)
    for a, number in itertools.product(NAMES, (True, 2, 2.5, 1j)):
        for dims in (0, 1):
            expected = scaled(torch, a, number, dims).replace("complex32", "complex64")
            assert scaled(ours, a, number, dims) == expected, (a, number, dims)


def test_promotion_of_tiers(torch: Any) -> None:
    """A 0-d tensor or a number raises the category, never the size within one."""
    ints, floats = torch.ones(2, dtype=torch.int32), torch.ones(2, dtype=torch.float16)
    assert (ints * 2.5).dtype is torch.float32
    assert (ints * torch.tensor(2, dtype=torch.int64)).dtype is torch.int32
    assert (floats * torch.tensor(2.0, dtype=torch.float64)).dtype is torch.float16
    assert (floats * torch.ones(2, dtype=torch.bfloat16)).dtype is torch.float32
    assert (torch.ones(2, dtype=torch.uint8) + torch.ones(2, dtype=torch.int8)).dtype is torch.int16


def test_default_dtype(torch: Any) -> None:
    """What Python floats become, and with it complex numbers."""
    try:
        torch.set_default_dtype(torch.float64)
        assert torch.get_default_dtype() is torch.float64
        assert torch.tensor(1.0).dtype is torch.zeros(1).dtype is torch.float64
        assert torch.tensor(1j).dtype is torch.complex128
        assert repr(torch.tensor(1.5)) == "tensor(1.5000)"
    finally:
        torch.set_default_dtype(torch.float32)
    with pytest.raises(TypeError, match="only floating-point types are supported as the default type"):
        torch.set_default_dtype(torch.int64)
