"""Numbers assigned to elements: which of them a tensor takes, and what becomes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("kind", "value", "error", "text"),
    [
        ("float32", 1j, RuntimeError, "value cannot be converted to type float without overflow"),
        ("float32", 1e300, RuntimeError, "value cannot be converted to type float without overflow"),
        ("int8", 300, RuntimeError, "value cannot be converted to type int8_t without overflow"),
        ("int64", float("nan"), RuntimeError, "value cannot be converted to type int64_t without overflow"),
        ("complex64", 1e300, RuntimeError, r"value cannot be converted to type c10::complex<float> without overflow"),
        ("float16", 2j, RuntimeError, "value cannot be converted to type double without overflow"),
        ("float64", 2**63, ValueError, "Overflow when unpacking long long"),
        ("float32", np.float32(1), TypeError, r"can't assign a numpy\.float32 to a torch\.FloatTensor"),
        ("float32", np.zeros(()), TypeError, r"can't assign a numpy\.ndarray to a torch\.FloatTensor"),
        ("float32", None, TypeError, "can't assign a NoneType to a"),
    ],
)
def test_numbers_that_an_element_cannot_be(torch: Any, kind: str, value: Any, error: type, text: str) -> None:
    """Assigning a number that the dtype can't hold, or no number, is refused."""
    x = torch.zeros(2, dtype=getattr(torch, kind))
    with pytest.raises(error, match=text):
        x[0] = value
    assert x.tolist() == torch.zeros(2, dtype=getattr(torch, kind)).tolist()


def test_numbers_that_are_rounded(torch: Any) -> None:
    """What an element can be is cast as PyTorch does."""
    x = torch.zeros(3, dtype=torch.float16)
    x[0], x[1] = 1e10, np.float64(2)
    assert x.tolist() == [float("inf"), 2.0, 0.0]
    b = torch.zeros(3, dtype=torch.bool)
    b[0], b[1] = 2j, np.int64(3)
    assert b.tolist() == [True, True, False]
    u = torch.zeros(2, dtype=torch.uint8)
    u[0] = -1
    assert u.tolist() == [255, 0]
