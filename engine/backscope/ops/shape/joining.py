"""Joining, splitting, repeating, flipping and rolling."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.arguments.dims import Dims, sizes, wrap_dim, wrap_dims
from backscope.ops.core.arguments.signatures import check
from backscope.ops.core.channels_last import channels_last, is_channels_last, row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.mixed_types import in_common, in_own, mixed
from backscope.ops.core.namespace import argument_error, export
from backscope.runtime.given import Dim, Dtype, Shape, Value, Values
from backscope.runtime.warning import warn_once
from backscope.tensor.dtype import INTEGER
from backscope.tensor.strides import arranged
from backscope.tensor.tensor import Tensor


@op(
    symbol="cat",
    latex={"tensors": r"g[\ldots]"},
    summary={"tensors": "cuts the incoming gradient into the parts that were joined along dim {dim}"},
)
class cat:
    """Tensors joined along an existing dim."""

    def forward(tensors: list[A], dim: int, dtype: Dtype = None) -> A:  # type: ignore[misc]
        parts = in_common([x for x in tensors if x.shape != (0,)] or tensors[:1], dtype)
        joined = np.concatenate(parts, axis=dim)
        return channels_last(joined) if all(map(is_channels_last, parts)) else row_major(joined)

    def grad(g: V, tensors_shape: V, tensors_dtype: V, dim: V) -> V:
        parts, at = [], 0
        for shape, kind in zip(tensors_shape, tensors_dtype, strict=True):
            if shape == (0,):
                parts.append(in_own(xp.zeros_of(g, (0,)), kind))
                continue
            parts.append(in_own(xp.narrow(g, dim, at, shape[dim]), kind))
            at += shape[dim]
        return parts


@op(
    symbol="stack",
    latex={"tensors": r"g[\ldots]"},
    summary={"tensors": "cuts the incoming gradient into the parts that were stacked along dim {dim}"},
)
class stack:
    """Tensors of one shape joined along a new dim."""

    def forward(tensors: list[A], dim: int, dtype: Dtype = None) -> A:  # type: ignore[misc]
        return row_major(np.stack(in_common(tensors, dtype), axis=dim))

    def grad(g: V, tensors_dtype: V, dim: V) -> V:
        return [in_own(xp.select(g, dim, i), kind) for i, kind in enumerate(tensors_dtype)]


def _along(dim: int, part: Value) -> tuple[Any, ...]:
    return (*(slice(None),) * dim, part)


@op(
    view=True,
    outputs=None,
    symbol="unbind",
    latex={"self": r"\text{stack}(g)"},
    summary={"self": "stacks the incoming gradients along dim {dim}"},
)
class unbind:
    """The slices along a dim."""

    def forward(self: A, dim: int) -> A:
        array = to_array(self)
        return [array[(*_along(dim, i), ...)] for i in range(array.shape[dim])]

    def grad_self(g: V, dim: V, self_shape: V) -> V:
        return xp.stack(_complete(g, [self_shape[:dim] + self_shape[dim + 1 :]] * len(g)), dim)


def _complete(g: V, shapes: Shape) -> V:
    """The gradients of several outputs, zeros for those that got none."""
    like = next(x for x in g if x is not None)
    return [xp.zeros_of(like, shape) if x is None else x for x, shape in zip(g, shapes, strict=True)]


def _pieces(array: A, lengths: Dims, dim: int) -> list[A]:
    at, parts = 0, []
    for n in lengths:
        parts.append(array[_along(dim, slice(at, at + n))])
        at += n
    return parts


def _joined(g: V, shape: Shape, lengths: Dims, dim: int) -> V:
    if not any(x is None for x in g):
        # Gradients of images may be channels last.
        return np.concatenate(g, axis=dim) if g[0].__class__ is np.ndarray and len(shape) < 4 else xp.cat(g, dim)
    return xp.cat(_complete(g, [(*shape[:dim], n, *shape[dim + 1 :]) for n in lengths]), dim)


def _even(length: int, piece: int) -> Dims:
    return tuple([min(piece, length - i) for i in range(0, length, piece)]) if length else (0,)


@op(
    view=True,
    outputs=None,
    symbol="split",
    latex={"self": r"\text{cat}(g)"},
    summary={"self": "joins the incoming gradients along dim {dim}"},
)
class split:
    """Pieces of one length along a dim."""

    def forward(self: A, split_size: int, dim: int) -> A:
        return _pieces(to_array(self), _even(self.shape[dim], split_size), dim)

    def grad_self(g: V, self_shape: V, split_size: V, dim: V) -> V:
        return _joined(g, self_shape, _even(self_shape[dim], split_size), dim)


@op(
    view=True,
    outputs=None,
    symbol="split",
    latex={"self": r"\text{cat}(g)"},
    summary={"self": "joins the incoming gradients along dim {dim}"},
)
class split_with_sizes:
    """Pieces of given lengths along a dim."""

    def forward(self: A, split_sizes: Dims, dim: int) -> A:
        return _pieces(to_array(self), split_sizes, dim)

    def grad_self(g: V, self_shape: V, split_sizes: V, dim: V) -> V:
        return _joined(g, self_shape, split_sizes, dim)


@op(
    symbol="flip",
    latex={"self": r"\text{flip}(g)"},
    summary={"self": "reverses the incoming gradient along the dims {dims}"},
)
class flip:
    """Reversed along dims."""

    def forward(self: A, dims: Dims) -> A:
        return arranged(np.flip(to_array(self), dims).copy(), [self]) if self.ndim else self[()]

    def grad_self(g: V, dims: V) -> V:
        return xp.flip(g, dims)


@op(
    symbol="roll",
    latex={"self": r"\text{roll}^{-1}(g)"},
    summary={"self": "rolls the incoming gradient back by {shifts}"},
)
class roll:
    """Shifted along dims, what leaves at the end coming in at the front; all elements in a row without dims."""

    def forward(self: A, shifts: Dims, dims: Dims) -> A:
        if not self.ndim:
            return self[()]
        return row_major(np.roll(self, shifts, dims) if dims else np.roll(self, shifts[0]))

    def grad_self(g: V, shifts: V, dims: V) -> V:
        return xp.roll(g, tuple([-s for s in shifts]), dims)


@op(
    symbol="repeat",
    latex={"self": r"\textstyle\sum g"},
    summary={"self": "sums the incoming gradient over the copies"},
)
class repeat:
    """Copies along each dim."""

    def forward(self: A, repeats: Dims) -> A:
        return row_major(np.tile(self, repeats)) if repeats else np.array(self)

    def grad_self(g: V, self_shape: V, repeats: V) -> V:
        if 0 in repeats:
            return xp.zeros_of(g, self_shape)
        padded = (1,) * (len(repeats) - len(self_shape)) + tuple(self_shape)
        parts = tuple([n for pair in zip(repeats, padded, strict=True) for n in pair])
        if not parts:
            return g
        summed = xp.sum(xp.reshape(g, parts), tuple(range(0, len(parts), 2)), False)
        return xp.reshape(summed, self_shape)


@export("cat", "concat", "concatenate", method=False)
def _cat(tensors: Values, dim: int = 0, *, axis: int | None = None, out: Value = None) -> Any:
    """Tensors joined along `dim`, in their common dtype; RuntimeError for sizes that don't match elsewhere."""
    if isinstance(tensors, Tensor):
        raise argument_error("cat", "tensors", 1, tensors, "tuple of Tensors")
    found = list(tensors)
    if not found:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    for i, x in enumerate(found):
        if not x._data.ndim:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    skipped = all(x._data.shape == (0,) for x in found)  # PyTorch asks nothing of the dim then.
    d = 0 if skipped else wrap_dim(dim if axis is None else axis, max(x._data.ndim for x in found))
    first: Any = None
    for i, x in enumerate(found):
        shape = x._data.shape
        if shape == (0,):
            continue
        if first is None:
            first = shape
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        for a, b, where in zip(first, shape, range(len(first)), strict=True):
            if a != b and where != d:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {d}. Expected size {a} but got size {b} for "
                    f"tensor number {i} in the list."
                )
    return apply(primitives["cat"], found, d, mixed(found))


@export("stack", method=False)
def _stack(tensors: Values, dim: int = 0, *, out: Value = None) -> Any:
    """Tensors of one shape joined along a new dim."""
    if isinstance(tensors, Tensor):
        raise argument_error("stack", "tensors", 1, tensors, "tuple of Tensors")
    found = list(tensors)
    if not found:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = found[0]._data.shape
    for i, x in enumerate(found):
        if x._data.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(x._data.shape)} at entry {i}"
            )
    return apply(primitives["stack"], found, wrap_dim(dim, len(first) + 1), mixed(found))


xp.stack = lambda values, dim: _stack(values, dim) if isinstance(values[0], Tensor) else np.stack(values, dim)


@export("unbind")
def _unbind(input: Tensor, dim: int = 0, *, copied: str = "") -> Any:  # noqa: A002
    """The slices along `dim` as a tuple."""
    if not input._data.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    d = wrap_dim(dim, input._data.ndim)
    return apply(primitives["unbind" + copied], input, d) if input._data.shape[d] else ()


@export("split")
def _split(
    tensor: Tensor, split_size_or_sections: Shape = None, dim: int = 0, *, split_size: Shape = None, kind: str = "{}"
) -> Any:
    """Pieces along `dim`, of one length or of the lengths given."""
    pieces = split_size_or_sections if split_size is None else split_size
    if isinstance(pieces, Tensor) and not pieces._data.ndim and pieces._dtype.category == INTEGER:
        pieces = pieces.item()
    if isinstance(pieces, (float, complex, str, Tensor)):
        kind_given = type_name(pieces)
        raise TypeError(
            f"split_with_sizes(): argument 'split_sizes' (position 2) must be tuple of ints, not {kind_given}"
        )
    if not isinstance(pieces, int):
        return _split_with_sizes(tensor, pieces, dim, kind=kind)
    if not tensor._data.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    d = wrap_dim(dim, tensor._data.ndim)
    n = tensor._data.shape[d]
    if pieces < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={pieces}")
    if pieces == 0 and n:
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {n}")
    return apply(primitives[kind.format("split")], tensor, pieces, d)


@export("split_with_sizes")
def _split_with_sizes(input: Tensor, split_sizes: Shape, dim: int = 0, *, kind: str = "{}") -> Any:  # noqa: A002
    """Pieces along `dim`, of the lengths given."""
    d = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[d]
    lengths = sizes((tuple(split_sizes),))
    if any(length < 0 for length in lengths):
        raise RuntimeError(
            f"split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes={list(lengths)}"
        )
    if sum(lengths) != n:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but "
            f"got split_sizes={list(lengths)}"
        )
    return apply(primitives[kind.format("split_with_sizes")], input, lengths, d)


@export()
def chunk(input: Tensor, chunks: int, dim: int = 0, *, kind: str = "{}") -> Any:  # noqa: A002
    """At most `chunks` pieces of equal length along `dim`, the last one shorter."""
    if not input._data.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    n = input._data.shape[wrap_dim(dim, input._data.ndim)]
    if not n:
        return _split_with_sizes(input, (0,) * chunks, dim, kind=kind)
    return _split(input, max(1, -(-n // chunks)), dim, kind=kind)


@export("flip")
def _flip(input: Tensor, *args: Any, dims: Dim = None) -> Any:  # noqa: A002
    """Reversed along dims."""
    if not args and dims is None:
        check("torch", "flip", (input,), {})
    given = sizes(args if dims is None else (dims,))
    return apply(primitives["flip"], input, wrap_dims(given, input._data.ndim) if given else ())


@export()
def fliplr(input: Tensor) -> Any:  # noqa: A002
    """Reversed along dim 1."""
    if input._data.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return _flip(input, 1)


@export()
def flipud(input: Tensor) -> Any:  # noqa: A002
    """Reversed along dim 0."""
    if not input._data.ndim:
        raise RuntimeError("Input must be >= 1-d.")
    return _flip(input, 0)


@export("roll")
def _roll(input: Tensor, shifts: Value, dims: Dim = ()) -> Any:  # noqa: A002
    """Shifted along dims, or in a row without them."""
    shifts = (int(shifts),) if hasattr(shifts, "__index__") else tuple(shifts)
    dims = () if dims is None else (int(dims),) if hasattr(dims, "__index__") else tuple(dims)
    if not shifts:
        raise RuntimeError("`shifts` required")
    for d in dims:
        _check_dim(d, input._data.ndim)
    if len(shifts) != len(dims) and (dims or len(shifts) > 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:{len(dims)}")
    return apply(primitives["roll"], input, shifts, dims)


def _check_dim(dim: int, ndim: int) -> None:
    """IndexError for a dim that a tensor does not have; one without dims has none at all."""
    if not ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    wrap_dim(dim, ndim)


def _stacked(name: str, dim: int, rank: int) -> None:
    def join(tensors: Values) -> Any:
        if not tensors:
            raise RuntimeError(f"{name} expects a non-empty TensorList")
        lifted = [_at_least(x, rank) for x in tensors]
        return _cat(lifted, 0 if name == "hstack" and lifted[0]._data.ndim == 1 else dim)

    join.__doc__ = f"Tensors of at least {rank} dims joined along dim {dim}."
    export(name, method=False)(join)


def _at_least(x: Tensor, rank: int) -> Any:
    shape = x._data.shape
    if len(shape) >= rank:
        return x
    if rank == 3:
        if not shape:
            return x.reshape(1, 1, 1)  # type: ignore[attr-defined]
        return x.unsqueeze(0).unsqueeze(-1) if len(shape) == 1 else x.unsqueeze(-1)  # type: ignore[attr-defined]
    return x.unsqueeze(0) if shape else x.reshape((1,) * rank)  # type: ignore[attr-defined]


_stacked("hstack", 1, 1)
_stacked("vstack", 0, 2)
_stacked("dstack", 2, 3)


def _lifted(rank: int) -> None:
    def lift(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return _at_least(tensors[0], rank)
        given = tensors[0] if len(tensors) == 1 else tensors
        return tuple([_at_least(x, rank) for x in given])

    lift.__doc__ = f"Tensors with at least {rank} dims."
    export(f"atleast_{rank}d", method=False)(lift)


for _rank in (1, 2, 3):
    _lifted(_rank)


@export(method=False)
def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Any, ...]:
    """Coordinates of a grid: each tensor expanded over the dims of the others."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    if not given:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for i, x in enumerate(given):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {x.__class__.__name__}")
    if mixed(list(given)) is not None:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    for x in given:
        if x._data.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {x!r}")
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
    elif indexing not in ("ij", "xy"):
        raise RuntimeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if indexing == "xy" and len(given) > 1:
        first, second, *rest = given
        swapped = meshgrid(second, first, *rest, indexing="ij")
        return swapped[1], swapped[0], *swapped[2:]
    shape = [math.prod(x._data.shape) for x in given]
    return tuple([x.view([n if j == i else 1 for j, n in enumerate(shape)]).expand(shape) for i, x in enumerate(given)])
