"""Views of the same memory in another shape: view, reshape, flatten, unflatten, ravel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.arguments.dims import Dims, infer, sizes, wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.ops.core.tensor_geometry import constants
from backscope.ops.shape.reinterpreting import read_as
from backscope.runtime.given import Array, Dtype, Shape, Value
from backscope.tensor import dtype as types
from backscope.tensor.tensor import Tensor


@op(
    view=True,
    symbol="view",
    latex={"self": r"\text{reshape}(g)"},
    summary={"self": "gives the incoming gradient the shape {self_shape} again"},
)
class view:
    """A view in another shape."""

    def forward(self: A, size: Dims) -> A:
        return self.reshape(size)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.reshape(g, self_shape)


@op(
    view=True,
    symbol="reshape",
    latex={"self": r"\text{reshape}(g)"},
    summary={"self": "gives the incoming gradient the shape {self_shape} again"},
)
class reshape_alias:
    """The memory of a tensor that is not row-major in another shape."""

    def forward(self: A, size: Dims) -> A:
        return self.reshape(size)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.reshape(g, self_shape)


@op(
    symbol="reshape",
    latex={"self": r"\text{reshape}(g)"},
    summary={"self": "gives the incoming gradient the shape {self_shape} again"},
)
class unsafe_view:
    """A result of an op, unshared, in another shape."""

    def forward(self: A, size: Dims) -> A:
        return self.reshape(size)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.reshape(g, self_shape)


@op(view=True, symbol="alias", latex={"self": "g"}, summary={"self": "passes the incoming gradient on to {self}"})
class alias:
    """A view of the whole tensor."""

    def forward(self: A) -> A:
        return to_array(self)[...]

    def grad_self(g: V) -> V:
        return g


@op(
    view=True,
    grad_fn="CppFunction",
    symbol="primal",
    latex={"self": "g"},
    summary={"self": "passes the incoming gradient on to {self}"},
)
class fw_primal:
    """A view of the whole tensor without its tangent."""

    def forward(self: A) -> A:
        return to_array(self)[...]

    def grad_self(g: V) -> V:
        return g


setattr(primitives["fw_primal"].node, "name", lambda node: "torch::autograd::Identity")


_VIEW, _UNSAFE_VIEW = primitives["view"], primitives["unsafe_view"]


def view_fits(array: Array, shape: Dims) -> bool:
    """True when `array` can be seen as `shape` without a copy."""
    if array.flags.c_contiguous:
        return True
    try:
        (array if array.__class__ is np.ndarray else np.asarray(array)).reshape(shape, copy=False)
    except ValueError:
        return False
    return True


@export("view", function=False)
def _view(self: Tensor, *shape: Any, dtype: Dtype = None) -> Any:
    """A view in another shape; RuntimeError where strides forbid it.  A dtype instead reinterprets the bytes."""
    if not shape or dtype is not None or shape[0].__class__ is types.dtype or isinstance(shape[0], str):
        return read_as(self, shape, dtype)
    wanted = infer(sizes(shape), self._data.size)
    if not view_fits(self._array(), wanted):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous subspaces). Use .reshape(...) instead."
        )
    return _VIEW.apply(self, wanted)


@export("reshape")
def _reshape(input: Tensor, *args: Any, shape: Shape = None) -> Any:  # noqa: A002
    """A view in another shape where strides allow it, else a copy."""
    wanted = infer(sizes(args if shape is None else (shape,)), input._data.size)
    return reshaped(input, wanted)


def reshaped(value: Tensor, shape: Dims) -> Value:
    """A view in another shape, which has as many elements, where strides allow it, else a copy."""
    array = value._array()
    if array.flags.c_contiguous:
        return _VIEW.apply(value, shape)
    if view_fits(array, shape):
        return apply(primitives["reshape_alias"], value, shape)
    return copied_as(value, shape)


def copied_as(value: Tensor, shape: Dims) -> Value:
    """A copy in another shape, as PyTorch makes it where no view can be had."""
    return _UNSAFE_VIEW.apply(primitives["clone"].apply(value, constants["contiguous_format"]), shape)


def _raw_reshaped(value: A, shape: Dims) -> A:
    return value.reshape(shape)


def _either_reshaped(value: V, shape: Shape) -> V:
    return _reshape(value, tuple(shape)) if isinstance(value, Tensor) else value.reshape(tuple(shape))


_either_reshaped.forward = _raw_reshaped  # type: ignore[attr-defined]
xp.reshape = _either_reshaped


@export(function=False)
def view_as(self: Tensor, other: Tensor) -> Value:
    """A view in the shape of `other`."""
    return _view(self, other._data.shape)


@export(function=False)
def reshape_as(self: Tensor, other: Tensor) -> Value:
    """The tensor in the shape of `other`."""
    return _reshape(self, other._data.shape)


@export()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Value:  # noqa: A002
    """The dims from start_dim to end_dim as one."""
    ndim = input._data.ndim
    first, last = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if not ndim:
        return _reshape(input, (1,))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return input
    shape = input._data.shape
    return _reshape(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


@export()
def unflatten(input: Tensor, dim: int, sizes: Shape) -> Value:  # noqa: A002
    """Split one dim into several."""
    shape = input._data.shape
    if not isinstance(dim, int):
        raise TypeError(f"unflatten(): argument 'dim' (position 1) must be int, not {type_name(dim)}")
    if not shape:
        raise RuntimeError(
            f"unflatten got an unexpected error:\nDimension specified as {dim} but tensor has no dimensions"
        )
    d = wrap_dim(dim, len(shape))
    if not len(sizes):
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        lengths = infer(tuple(sizes), shape[d])
    except RuntimeError:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {d} ({shape[d]}) in the "
            "input tensor"
        ) from None
    return _view(input, (*shape[:d], *lengths, *shape[d + 1 :]))


@export()
def ravel(input: Tensor) -> Value:  # noqa: A002
    """Flatten to one dim."""
    return _view(input.contiguous(), (-1,))  # type: ignore[attr-defined]
