"""One backward pass for a whole batch of gradients: `is_grads_batched` of torch.autograd.grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.transform_level import Level, Lifted, opened, wrapped
from backscope.func.randomness import LEGACY
from backscope.tensor.tensor import Tensor


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


def legacy_vmap(function: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0) -> Callable[..., Any]:
    """`function` over the examples along `in_dims` of its tensors, by the vmap that autograd itself maps with.

    Both dims are one number, or one for each argument or result; None for an argument that is not mapped over.
    """

    def mapped(*args: Any) -> Any:
        dims = in_dims if isinstance(in_dims, tuple) else (in_dims,) * len(args)
        sizes = {a.shape[d] for a, d in zip(args, dims, strict=True) if d is not None}
        if len(sizes) != 1:
            raise ValueError(
                f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sorted(sizes)} "
                "for the mapped dimension"
            )
        with opened("vmap") as level:
            level.size, level.randomness = sizes.pop(), LEGACY
            given = [a if d is None else wrapped(a, level, d % a.ndim) for a, d in zip(args, dims, strict=True)]
            result = function(*given)
            several = isinstance(result, (tuple, list))
            results = tuple(result) if several else (result,)
            places = out_dims if isinstance(out_dims, tuple) else (out_dims,) * len(results)
            found = [unwrapped(r, level) for r in results]
        moved = tuple([f if p == 0 else f.movedim(0, p) for f, p in zip(found, places, strict=True)])
        return moved if several else moved[0]

    return mapped


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
