"""What is kept of lengths that were met stays within its bound, however many there are."""

from __future__ import annotations

import numpy as np

from backscope import torch
from backscope.ops.core import cache
from backscope.ops.core.cache import recalled


def test_the_same_lengths_give_the_same_object():
    made = recalled(lambda n: np.arange(n))
    assert made(1000) is made(1000)
    assert made(1001) is not made(1000)


def test_large_results_are_made_anew():
    made = recalled(lambda n: np.arange(n))
    assert made(cache.KEPT_BYTES // 8) is not made(cache.KEPT_BYTES // 8)


def test_many_lengths_stay_within_the_bound():
    F = torch.nn.functional
    for n in range(50_000, 50_040):
        x = torch.zeros(1, 1, n, requires_grad=True)
        F.pad(x, (1, 1), mode="reflect").sum().backward()
        F.adaptive_avg_pool1d(x, 7).sum().backward()
        F.interpolate(x, scale_factor=0.5, mode="linear").sum().backward()
        F.max_pool1d(x, 3, padding=1).sum().backward()
    total = sum(cache.nbytes(kept) for kept, _ in cache._kept.values())
    assert 0 < total <= cache.KEPT_BYTES
