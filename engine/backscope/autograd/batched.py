"""One backward pass for a whole batch of gradients: `is_grads_batched` of torch.autograd.grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.level import Level, Lifted, opened, wrapped
from backscope.autograd.randomness import LEGACY
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
    count = _length(given)
    if count == 0:
        raise RuntimeError("The fallback path does not support vmap over dims of size 0")
    with opened("vmap") as level:
        level.size, level.randomness = count, LEGACY
        gradients = tuple([wrapped(g, level, 0) for g in given])
        rows = run(roots, gradients, retain_graph, create_graph, inputs, allow_unused)
        return tuple([None if g is None else unwrapped(g, level) for g in rows])


def unwrapped(gradient: Any, level: Level) -> Any:
    """A gradient for every entry of the batch, in a leading dim."""
    if gradient.__class__ is not Lifted or gradient.level is not level:
        return gradient.unsqueeze(0).expand(level.size, *gradient.shape)
    return gradient.inner if gradient.batch_dim == 0 else gradient.inner.movedim(gradient.batch_dim, 0)


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
