"""Tensors handed to other libraries through DLPack: the memory is shared, and what would be lost is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest


def test_memory_is_shared_both_ways(torch: Any) -> None:
    x = torch.arange(6.0).reshape(2, 3)
    array = np.from_dlpack(x.t())
    assert array.shape == (3, 2) and array.strides == (4, 12) and array.dtype == np.float32
    x[0, 1] = 9
    array[0, 0] = 7
    assert array[1, 0] == 9 and x[0, 0] == 7


@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "uint8", "int64", "bool", "complex64"])
def test_dtypes_stay(torch: Any, dtype: str) -> None:
    array = np.from_dlpack(torch.ones(2, dtype=getattr(torch, dtype)))
    assert array.dtype == dtype and array.tolist() == [1, 1]


def test_tracked_tensors_are_refused_in_any_mode(torch: Any) -> None:
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad(), pytest.raises(BufferError, match=r"Can't export .* require gradient, use tensor.detach\(\)"):
        np.from_dlpack(x)
    assert np.from_dlpack(x.detach()).tolist() == [1, 1]


def test_what_a_capsule_cant_hold_is_refused(torch: Any) -> None:
    with pytest.raises(BufferError, match="conjugate bit set"):
        np.from_dlpack(torch.ones(2, dtype=torch.complex64).conj())
    with pytest.raises(BufferError, match=r"layout other than torch.strided"):
        torch.eye(2).to_sparse().__dlpack__()
    with pytest.raises(BufferError, match="Cannot pack tensors on meta"):
        torch.ones(2, device="meta").__dlpack__()
    with pytest.raises(ValueError, match="Unknown device type meta for Dlpack"):
        torch.ones(2, device="meta").__dlpack_device__()
    with pytest.raises(RuntimeError, match=r"Unsupported dtype in DLTensor."):
        np.from_dlpack(torch.ones(2, dtype=torch.bfloat16))


def test_streams_are_refused(torch: Any) -> None:
    with pytest.raises(TypeError, match="stream must be ``int`` or ``none``"):
        torch.ones(2).__dlpack__(stream="0")
    with pytest.raises(AssertionError, match=r"stream should be None on cpu."):
        torch.ones(2).__dlpack__(stream=1)
    assert torch.ones(2).__dlpack_device__() == (1, 0)
