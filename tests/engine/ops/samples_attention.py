"""Samples of the ops of attention: the fused form and its softmax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope_op_samples import SIGNED, Sample, gradient_of, values

QUERY, KEY, VALUE = (values(1, 2, 3, 2, low=-1.0, seed=n) for n in (50, 51, 52))
FEW_KEYS, FEW_VALUES = (values(1, 1, 4, 2, low=-1.0, seed=n) for n in (53, 54))
NAME = "scaled_dot_product_flash_attention_for_cpu"


def attention(**options: Any) -> Callable[..., Any]:
    """A call of scaled_dot_product_attention."""
    return lambda t, q, k, v: t.nn.functional.scaled_dot_product_attention(q, k, v, **options)


def masked(t: Any, q: Any, k: Any, v: Any) -> Any:
    """Attention with a mask of numbers."""
    mask = t.tensor([[0.0, -1.0, float("-inf")], [0.5, 0.0, 0.3], [float("-inf")] * 3])
    return t.nn.functional.scaled_dot_product_attention(q, k, v, mask.to(q.dtype), scale=0.7)


def softmax_of_hidden(t: Any, x: Any) -> Any:
    """softmax of rows, in one of which an entry is hidden and in another all are."""
    hidden = t.tensor([[False, True, False], [True, True, True]])
    return t._safe_softmax(x.masked_fill(hidden, float("-inf")), -1)


SAMPLES = [
    Sample(NAME, attention(), (QUERY, KEY, VALUE), twice=False),
    Sample(NAME, attention(is_causal=True), (QUERY, KEY, VALUE), twice=False),
    Sample(NAME, attention(enable_gqa=True), (QUERY, FEW_KEYS, FEW_VALUES), twice=False),
    Sample(NAME, masked, (QUERY, KEY, VALUE), twice=False),
    Sample(NAME + "_backward", gradient_of(attention()), (QUERY, QUERY, KEY, VALUE), differentiable=False),
    Sample("safe_softmax", softmax_of_hidden, (SIGNED,)),
]
