"""Summaries made together have the numbers of those made one by one, whatever comes with them."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import msgspec
import numpy as np

from backscope.summary.summary import capture, summarize
from backscope.summary.summary_batch import texts
from backscope.tensor.meta import meta_array
from backscope.tensor.sparse_values import Sparse

TYPES = "float32 float64 float16 bfloat16 int64 int32 uint8 int8 bool complex64 complex128 uint64"
SHAPES = [(), (0,), (0, 3), (2, 0, 4), (1,), (8,), (3, 5), (256,), (257,), (4096,), (4097,), (100, 50)]


def values() -> list[Any]:
    """Captured values of every type, size and layout, with and without non-finite elements."""
    draw = np.random.default_rng(0)
    found: list[Any] = []
    for name in TYPES.split():
        kind = np.dtype(getattr(ml_dtypes, name, name))
        for shape in SHAPES:
            for variant in range(4):
                array = np.asarray(np.abs(draw.standard_normal(shape)) * 10.0 ** draw.integers(-3, 3)).astype(kind)
                if variant == 1 and array.dtype.kind in "fVc" and array.size > 1:
                    array.flat[1] = np.nan if array.size % 2 else np.inf
                if variant == 2:
                    array = array.T
                if variant == 3:
                    array = -array if kind.kind in "fVci" else array
                found.append(capture(array))
                found += [array.reshape(-1)[0]] if array.size else []
    return [
        *found,
        np.float32("nan"),
        np.float64("-inf"),
        np.uint64(2**64 - 1),
        np.float32(-0.0),
        capture(meta_array(np.zeros((2, 3), np.float32))),
        Sparse(np.array([[1]]), np.array([2.0], np.float32), (3,)),
    ]


def read(text: bytes) -> str:
    """Return the fields of a summary in order; unlike ==, the text distinguishes 1 from 1.0 and 0.0 from -0.0."""
    return repr(msgspec.json.decode(text))


def test_together_is_as_one_by_one() -> None:
    """In one batch, in batches of every size, and in another order."""
    every = values()
    wanted = [read(msgspec.json.encode(summarize(v))) for v in every]
    assert list(map(read, texts(every))) == wanted
    assert list(map(read, texts(every[::-1]))) == wanted[::-1]
    for size in (1, 2, 7):
        assert [read(t) for at in range(0, len(every), size) for t in texts(every[at : at + size])] == wanted


def test_nothing() -> None:
    """No values, no texts."""
    assert texts([]) == []


def test_strides_without_elements_are_those_that_the_tensor_has(torch: Any) -> None:
    """numpy drops them; the summary has those of stride()."""
    for shape, strides in (((0, 3), (3, 1)), ((2, 0, 4), (4, 4, 1)), ((0,), (1,))):
        x = torch.zeros(shape)
        assert x.stride() == strides
        if isinstance(getattr(x, "_data", None), np.ndarray):
            assert tuple(summarize(capture(x._data)).strides) == strides
