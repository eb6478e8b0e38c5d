"""One backward pass for a whole batch of gradients: `is_grads_batched` of torch.autograd.grad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.autograd.transforms.level import Level, opened
from backscope.autograd.transforms.transform_tensor import TransformTensor, wrapped
from backscope.func.randomness import LEGACY
from backscope.runtime.given import Dim, Option, Value
from backscope.tensor.tensor import Tensor


def batched(
    run: Callable[..., tuple[Any, ...]],
    roots: tuple[Any, ...],
    given: tuple[Any, ...],
    retain_graph: Option,
    create_graph: Option,
    inputs: tuple[Any, ...],
    allow_unused: Option,
) -> tuple[Any, ...]:
    """Compute the gradients of `inputs` for each entry of the leading dim of the gradients `given`, stacked.

    Raises PyTorch's errors of vmap for gradients without a leading dim, or with leading dims of different sizes.
    """
    count = _length(given)
    if count == 0:
        raise RuntimeError("The fallback path does not support vmap over dims of size 0")
    with opened("vmap") as level:
        level.size, level.randomness = count, LEGACY
        gradients = tuple([wrapped(g, level, 0) for g in given])
        rows = run(roots, gradients, retain_graph, create_graph, inputs, allow_unused)
        return tuple([None if g is None else unwrapped(g, level) for g in rows])


def legacy_vmap(function: Callable[..., Any], in_dims: Dim = 0, out_dims: Dim = 0) -> Callable[..., Any]:
    """Return a function that maps `function` over the dims `in_dims` of its tensors, by the vmap of `is_grads_batched`.

    `in_dims` and `out_dims` are one number, or one for each argument or result; None for an argument that is not
    mapped over.
    """

    def mapped(*args: Value) -> Any:
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


def unwrapped(gradient: Value, level: Level) -> Value:
    """Return the gradients of all entries of the batch, stacked in a leading dim."""
    if gradient.__class__ is not TransformTensor or gradient.level is not level:
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
