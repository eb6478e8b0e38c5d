"""Max pooling finds the element that PyTorch finds: the first of equal ones, a NaN before any number."""

from __future__ import annotations

import numpy as np
import pytest

from backscope import torch
from backscope.ops.layers.pooling.max_windows import largest, windows_over


def first_largest(value, kernel, stride, padding, dilation):
    """Window by window, in the order of memory."""
    windows = windows_over(value.shape[-2:], kernel, stride, padding, dilation, False)
    rows, columns = value.shape[-2:]
    best = np.full((len(value), *windows.out), -np.inf, value.dtype)
    where = np.full((len(value), *windows.out), -1)
    for n in range(len(value)):
        for y, x in np.ndindex(*windows.out):
            for i, j in np.ndindex(*kernel):
                r, c = y * stride[0] - padding[0] + i * dilation[0], x * stride[1] - padding[1] + j * dilation[1]
                if 0 <= r < rows and 0 <= c < columns:
                    v = value[n, r, c]
                    if v > best[n, y, x] or np.isnan(v) or where[n, y, x] < 0:
                        best[n, y, x], where[n, y, x] = v, r * columns + c
    return best, where


@pytest.mark.parametrize(
    ("lengths", "kernel", "stride", "padding", "dilation"),
    [
        ((8, 8), (2, 2), (2, 2), (0, 0), (1, 1)),
        ((9, 7), (3, 2), (2, 1), (1, 1), (1, 1)),
        ((9, 9), (3, 3), (1, 1), (1, 1), (2, 2)),
        ((6, 6), (5, 5), (1, 1), (2, 2), (1, 1)),
        ((4, 300), (3, 2), (1, 2), (1, 0), (1, 1)),
        ((3, 33_000), (2, 2), (1, 999), (1, 0), (1, 1)),
        ((3, 70_000), (2, 2), (1, 999), (0, 1), (1, 1)),
        ((5, 5), (1, 1), (2, 2), (0, 0), (1, 1)),
    ],
    ids=str,
)
@pytest.mark.parametrize("content", ["few values", "NaN", "-inf"])
def test_the_first_of_equal_elements_is_found(lengths, kernel, stride, padding, dilation, content):
    value = np.random.default_rng(0).integers(0, 3, (2, *lengths)).astype(np.float32)
    if content != "few values":
        value[:, ::2, ::3] = float(content)
    found = largest(value, windows_over(lengths, kernel, stride, padding, dilation, False))
    for one, other in zip(found, first_largest(value, kernel, stride, padding, dilation), strict=True):
        np.testing.assert_array_equal(one, other)
    assert found[1].dtype == np.int64


def test_no_images_have_a_gradient():
    x = torch.zeros(0, 3, 8, 8, requires_grad=True)
    torch.nn.functional.max_pool2d(x, 2).sum().backward()
    assert x.grad.shape == x.shape
