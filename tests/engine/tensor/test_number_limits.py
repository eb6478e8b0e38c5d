"""torch.finfo and torch.iinfo, and what types mix to."""

from __future__ import annotations

from typing import Any

import pytest


def test_finfo(torch: Any) -> None:
    """Ranges of floating point types, by attribute and as text."""
    assert torch.finfo(torch.float16).max == 65504.0
    assert torch.finfo(torch.float64).eps == 2.220446049250313e-16
    assert repr(torch.finfo(torch.bfloat16)) == (
        "finfo(resolution=0.01, min=-3.38953e+38, max=3.38953e+38, eps=0.0078125, smallest_normal=1.17549e-38, "
        "tiny=1.17549e-38, dtype=bfloat16)"
    )
    with pytest.raises(TypeError, match=r"torch.finfo\(\) requires a floating point input type"):
        torch.finfo(torch.int32)


def test_iinfo(torch: Any) -> None:
    """Ranges of integer types."""
    assert repr(torch.iinfo(torch.int8)) == "iinfo(min=-128, max=127, dtype=int8)"
    with pytest.raises(TypeError, match=r"torch.iinfo\(\) requires an integer input type"):
        torch.iinfo(torch.float32)


def test_mixtures(torch: Any) -> None:
    """result_type counts dims, can_cast only categories."""
    assert torch.result_type(torch.tensor([1, 2]), 1.0) is torch.float32
    assert torch.result_type(torch.tensor([1], dtype=torch.int32), torch.tensor(2)) is torch.int32
    assert (torch.can_cast(torch.float, torch.int), torch.can_cast(torch.int, torch.float)) == (False, True)


def test_legacy_types(torch: Any) -> None:
    """torch.FloatTensor and the like make tensors, convert them, and recognise them."""
    x = torch.LongTensor([1, 2])
    assert (x.dtype, isinstance(x, torch.LongTensor), isinstance(x, torch.FloatTensor)) == (torch.int64, True, False)
    assert x.type("torch.IntTensor").dtype is torch.int32
    assert x.type(torch.DoubleTensor).type() == "torch.DoubleTensor"


def test_numpy_operands(torch: Any) -> None:
    """An array on the right goes through numpy, one on the left is refused."""
    import numpy as np

    with pytest.warns(DeprecationWarning, match="__array_wrap__"):
        assert (torch.ones(2) * np.array([2.0, 3.0])).dtype is torch.float64
    with pytest.raises(TypeError, match="unsupported operand type"):
        np.ones(2) * torch.ones(2)
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        torch.ones(2, requires_grad=True) * np.ones(2)
