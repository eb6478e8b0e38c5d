"""The gradients that a backward pass starts from: one for each root, checked or made of ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from backscope.autograd.edge import GradientEdge, inner_node
from backscope.autograd.node import described
from backscope.runtime.error_facts import blame
from backscope.runtime.given import Value
from backscope.tensor.size import Size
from backscope.tensor.tensor import Tensor, make
from backscope.torch_dispatch.mode_stack import watched


def _index(items: Sequence[Any], item: Value) -> int:
    return next(i for i, x in enumerate(items) if x is item)


def _check_given(outputs: Sequence[Any], given: Sequence[Any], i: int, *, are_batched: bool) -> None:
    """Check shape and type of the gradient for output `i`."""
    out, gradient = outputs[i], given[i]
    shape, kind = _described(out)
    if are_batched and gradient.ndim and not len(gradient):
        raise IndexError("index 0 is out of bounds for dimension 0 with size 0")
    if are_batched and not gradient.ndim:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    own = gradient._data.shape[1:] if are_batched else gradient._data.shape
    if own != tuple(shape):
        at = f"grad_output[{_index(given, gradient)}]"
        if are_batched and isinstance(out, GradientEdge):
            raise RuntimeError("Batched grads are not supported with GradientEdge")
        if are_batched:
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                "dimension. The sizes of the remaining dimensions are expected to match the shape of corresponding "
                f"output, but a mismatch was detected: {at} has a shape of {Size(own[1:])} and "
                f"output[{_index(outputs, out)}] has a shape of {Size(shape)}. If you only want some tensors in "
                "`grad_output` to be considered batched, consider using vmap."
            )
        raise blame(
            RuntimeError(
                f"Mismatch in shape: {at} has a shape of {Size(own)} and output[{_index(outputs, out)}] has a shape of "
                f"{Size(shape)}."
            ),
            "wrong_gradient",
            tensor=out if isinstance(out, Tensor) else None,
            wanted=shape,
            given=own,
        )
    if kind.is_complex != gradient._dtype.is_complex:
        raise RuntimeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{_index(given, gradient)}] has a dtype of {gradient._dtype} and "
            f"output[{_index(outputs, out)}] has a dtype of {kind}."
        )


def compared_shapes(output: Value, gradient: Value, is_grads_batched: bool) -> tuple[Any, Any]:
    """Return the shape of an output or an edge, and that of its gradient without the batch dim."""
    own = gradient.shape if isinstance(output, GradientEdge) or not is_grads_batched else gradient.shape[1:]
    return Size(_described(output)[0]), own


def _described(out: Value) -> tuple[Any, Any]:
    if isinstance(out, GradientEdge):
        shape, kind = described(inner_node(out.node), out.output_nr)
        return shape, kind
    return out._data.shape, out._dtype


def first_gradients(outputs: Sequence[Any], given: Sequence[Any], *, are_batched: bool = False) -> tuple[Any, ...]:
    """Return the checked gradient for each root: the given one, or 1 for a scalar."""
    if len(outputs) == 1 and given == (None,) and outputs[0].__class__ is Tensor:
        (root,) = outputs
        if root._requires_grad and root._dtype.wide and not root._data.shape:
            return (make(root._dtype.scalar(1), root._dtype),)
    started: list[Any] = []
    for i, (out, gradient) in enumerate(zip(outputs, given, strict=False)):
        if not isinstance(out, (Tensor, GradientEdge)):
            raise AssertionError("Expected output to be a torch.Tensor")
        if isinstance(gradient, Tensor):
            _check_given(outputs, given, i, are_batched=are_batched)
            started.append(gradient)
        elif gradient is None:
            if isinstance(out, Tensor) and not out._requires_grad:
                started.append(None)
                continue
            shape, kind = _described(out)
            if shape and any(n != 1 for n in shape):
                raise blame(
                    RuntimeError("grad can be implicitly created only for scalar outputs"),
                    "not_scalar",
                    tensor=out if isinstance(out, Tensor) else None,
                    shape=shape,
                )
            if not kind.is_floating_point:
                text = f"grad can be implicitly created only for real scalar outputs but got {kind}"
                raise blame(RuntimeError(text), "not_real", tensor=out if isinstance(out, Tensor) else None)
            started.append(make(np.ones(tuple(shape), kind.np)[()] if shape else kind.scalar(1), kind))
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(gradient).__name__}")
    return tuple(started)


def through_modes(roots: Sequence[Any], given: Sequence[Any], started: tuple[Any, ...]) -> tuple[Any, ...]:
    """Call the entered __torch_dispatch__ modes for the gradients of ones; return all gradients to start from."""
    if not watched:
        return started
    from backscope.torch_dispatch.pass_below import seed

    return tuple(
        [
            seed(s, root) if g is None and s is not None and isinstance(root, Tensor) else s
            for root, g, s in zip(roots, given, started, strict=False)
        ]
    )
