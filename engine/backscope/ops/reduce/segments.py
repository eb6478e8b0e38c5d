"""Reductions over stretches of a dim, given by their lengths or by where they begin and end."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, torch_functions
from backscope.runtime.given import Value
from backscope.tensor.tensor import Tensor

_STARTS = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}


def _stretches(offsets: A) -> Any:
    """Yield for each segment its index among the results, its start and its end."""
    count = offsets.shape[-1] - 1
    for place in np.ndindex(offsets.shape[:-1]):
        for k in range(count):
            yield (*place, k), place, slice(int(offsets[(*place, k)]), int(offsets[(*place, k + 1)]))


def _reduced(part: A, reduce: str, initial: float | None) -> A:
    """Reduce one segment along its first dim, starting from `initial`."""
    if reduce == "mean":
        if not len(part):
            return np.nan if initial is None else initial
        return (part.sum(0) + (initial or 0.0)) / len(part)
    start = _STARTS[reduce] if initial is None else initial
    function = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[reduce]
    return function.reduce(part, axis=0, initial=start) if part.size or part.ndim > 1 else start


@op(
    symbol="by segment",
    latex={"data": r"\frac{\partial\,\text{result}}{\partial\,\text{data}}\, g"},
    summary={"data": "shares the incoming gradient of each stretch out as the reduction {reduce} does"},
)
class segment_reduce:
    """Stretches of a dim, each reduced to one element."""

    def forward(data: A, reduce: str, offsets: K, axis: int, initial: float | None) -> A:
        count = offsets.shape[-1] - 1
        out = np.empty((*data.shape[:axis], count, *data.shape[axis + 1 :]), data.dtype)
        for at, place, stretch in _stretches(offsets):
            out[at] = _reduced(data[(*place, stretch)], reduce, initial)
        return out

    def grad_data(g: V, data: V, result: V, reduce: V, offsets: V, axis: V, initial: V) -> V:
        return xp.segment_reduce_backward(g, result, data, reduce, offsets, axis, initial)


@op(name="segment_reduce_backward", underivable=True, symbol="by segment′")
class segment_reduce_backward:
    """The gradient of the elements that stretches were reduced from."""

    def forward(grad: A, output: A, data: A, reduce: str, offsets: K, axis: int, initial: float | None) -> A:
        found = np.zeros_like(data)
        for at, place, stretch in _stretches(offsets):
            part, g = data[(*place, stretch)], grad[at]
            if not len(part):
                continue
            if reduce in ("max", "min"):
                hits = (part == output[at]) | np.isnan(part)
                share = hits * (g / np.maximum(hits.sum(0), 1))
            elif reduce == "prod":
                others = _products_of_others(part) * (1.0 if initial is None else initial)
                share = g * others
            else:
                share = np.broadcast_to(g / len(part) if reduce == "mean" else g, part.shape)
            found[(*place, stretch)] = share
        return found


def _products_of_others(part: A) -> A:
    """Return for each element along the first dim the product of all others."""
    ones = np.ones_like(part[:1])
    before = np.cumprod(np.concatenate([ones, part[:-1]]), axis=0)
    after = np.cumprod(np.concatenate([ones, part[:0:-1]]), axis=0)[::-1]
    return before * after


@export("segment_reduce", "_segment_reduce", method=False)
def _segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Value = None,
) -> Any:
    """Stretches of a dim, of the lengths given or between the offsets given, each reduced to one element."""
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if reduce not in _STARTS:
        raise RuntimeError(f"unsupported reduction given! {reduce}")
    d = axis % max(data._data.ndim, 1)
    bounds: Any = offsets
    if lengths is not None:
        if not unsafe:
            if lengths._data.size and lengths._data.min() < 0:
                raise RuntimeError("lengths contains negative value!")
            if np.any(lengths._data.sum(-1) != data._data.shape[d]):
                raise RuntimeError(f"segment_reduce(): Expected all rows of lengths along axis to sum to "
                                   f"data.size({axis}) when !unsafe.")  # fmt: skip
        first = lengths.new_zeros((*lengths.shape[:-1], 1))  # type: ignore[attr-defined]
        bounds = torch_functions["cat"]([first, lengths.cumsum(-1)], -1)  # type: ignore[attr-defined]
    start = None if initial is None else float(initial)
    return apply(primitives["segment_reduce"], data, reduce, bounds.contiguous(), d, start)
