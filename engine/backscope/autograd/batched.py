"""A backward pass for each entry of a batch of gradients: `is_grads_batched` of torch.autograd.grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.tensor import Tensor


def batched(
    run: Callable[..., tuple[Any, ...]],
    roots: tuple[Any, ...],
    given: tuple[Any, ...],
    retain_graph: Any,
    create_graph: Any,
    inputs: tuple[Any, ...],
    allow_unused: Any,
) -> tuple[Any, ...]:
    """The gradients of `inputs` for each entry of the leading dim of the gradients `given`, stacked.

    Raises what PyTorch's vmap raises for gradients that have no such dim, or different ones.
    """
    from backscope.ops.joining import _stack as stack

    count = _length(given)
    rows = [
        run(roots, tuple([g[i] for g in given]), retain_graph or i < count - 1, create_graph, inputs, allow_unused)
        for i in range(count)
    ]
    return tuple([None if column[0] is None else stack(list(column)) for column in zip(*rows, strict=True)])


def _length(given: tuple[Any, ...]) -> int:
    for gradient in given:
        if not isinstance(gradient, Tensor):
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for an input but the input is of type "
                f"{type(gradient)}. We cannot vmap over non-Tensor arguments, please use None as the respective in_dim"
            )
        if not gradient.ndim:
            raise ValueError(
                "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of "
                "dimensionality 0 so expected in_dim to satisfy 0 <= in_dim < 0."
            )
    sizes = [len(g) for g in given]
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    return sizes[0]
