"""PyTorch's layout contract: the memory layout of `.grad`, and the switch that enforces it."""

from __future__ import annotations

import threading

import numpy as np

from backscope.autograd.modes.decorator import F, _DecoratorContextManager
from backscope.runtime.given import Array, Value
from backscope.runtime.process import process_wide
from backscope.runtime.warning import warn_once
from backscope.tensor.strides import element_strides, is_dense, layout as arranged
from backscope.tensor.tensor import Tensor

ndarray = np.ndarray


class _Layout(threading.local):
    """`enforced` is True where this thread's `.grad`s must follow the layout of their leaves."""

    enforced = True


layout = process_wide(_Layout(), "enforced")


def is_layout_enforced() -> bool:
    """Return True if a gradient must have the leaf's memory layout to become `.grad` without a copy."""
    return layout.enforced


class enforce_grad_layout_policy(_DecoratorContextManager):  # noqa: N801 - PyTorch's own name
    """Sets at once if a gradient must have the leaf's memory layout to become `.grad` without a copy."""

    def __init__(self, enable: bool = True) -> None:
        self.before = layout.enforced
        self.value = enable
        layout.enforced = enable

    def __call__(self, function: F) -> F:
        layout.enforced = self.before
        return super().__call__(function)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        layout.enforced = self.before

    def clone(self) -> enforce_grad_layout_policy:
        """Return a context with the same setting, for one call of a decorated function."""
        return enforce_grad_layout_policy(self.value)


def check_layout(grad: Tensor, leaf: Tensor) -> None:
    """Warn once of a `.grad` with another memory layout than its leaf's."""
    if not layout.enforced or grad._data.ndim == 0 or follows_layout(grad._data, leaf._data):
        return
    lines = [
        "grad and param do not obey the gradient layout contract. This is not an error, but may impair performance."
    ]
    for name, tensor in (("grad", grad), ("param", leaf)):
        strides = list(tensor.stride())  # type: ignore[attr-defined]
        lines.append(f"{name}.sizes() = {list(tensor.shape)}, strides() = {strides}")
    warn_once("\n".join(lines))


def follows_layout(gradient: Array, leaf: Array) -> bool:
    """Return True if a gradient has the strides of its dense leaf, is row-major for any other, and is no broadcast."""
    flags = gradient.flags
    if gradient.strides == leaf.strides and flags.forc:
        return bool(flags.writeable)
    if gradient.itemsize != leaf.itemsize:
        gradient = arranged(gradient.shape, element_strides(gradient))
        leaf = arranged(leaf.shape, element_strides(leaf))
    if not flags.writeable:
        return False
    if not isinstance(leaf, ndarray) or not is_dense(leaf):
        return bool(flags.c_contiguous)
    return all(a == b for a, b, n in zip(gradient.strides, leaf.strides, gradient.shape, strict=True) if n != 1)


def clone_in_layout(gradient: Array, leaf: Array) -> Value:
    """Copy a raw gradient so that it keeps the layout contract."""
    if isinstance(leaf, ndarray) and is_dense(leaf) and leaf.shape == gradient.shape:
        out = np.empty_like(leaf, dtype=gradient.dtype, order="K")
        wanted = tuple([s * out.itemsize for s in element_strides(leaf)])
        if out.strides != wanted and out.size:  # numpy's own choice for a dim of length 1.
            out = np.ndarray(out.shape, out.dtype, np.empty(out.size, out.dtype), strides=wanted)
        out[...] = gradient
        return out
    return np.array(gradient, order="C")


enforce_grad_layout_policy.__module__ = "torch.autograd.grad_mode"
