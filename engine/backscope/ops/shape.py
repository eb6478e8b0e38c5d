"""Shapes: views, reordering, expanding, joining and splitting."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.autograd.view import strided
from backscope.ops.declaration import A, V, op, xp
from backscope.ops.dispatch import apply, to_array
from backscope.ops.namespace import export
from backscope.size import Size
from backscope.tensor import Tensor


def wrap_dim(dim: int, ndim: int) -> int:
    """`dim` counted from the front; IndexError when out of range (a 0-d tensor counts as one dim)."""
    bound = max(ndim, 1)
    if not -bound <= dim < bound:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], but got {dim})")
    return dim % bound


def sizes(args: tuple[Any, ...]) -> tuple[int, ...]:
    """Lengths given one by one or as one sequence."""
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = tuple(args[0])
    return tuple(int(a) for a in args)


def infer(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """`shape` with its -1 worked out for `count` elements; RuntimeError when they don't fit."""
    text = f"shape '{list(shape)}' is invalid for input of size {count}"
    unknown = [i for i, n in enumerate(shape) if n == -1]
    if len(unknown) > 1:
        raise RuntimeError("only one dimension can be inferred")
    if any(n < -1 for n in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}")
    known = math.prod(n for n in shape if n != -1)
    if unknown:
        if known == 0:
            raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 can be any value and is ambiguous")
        if count % known:
            raise RuntimeError(text)
        return tuple(count // known if n == -1 else n for n in shape)
    if known != count:
        raise RuntimeError(text)
    return shape


def view_strides(array: Any, shape: tuple[int, ...]) -> bool:
    """True when `array` can be seen as `shape` without a copy."""
    try:
        np.reshape(array, shape, copy=False)
    except ValueError:
        return False
    return True


@op(symbol="view", grad_fn="ViewBackward0", view=True, latex={"self": r"\text{reshape}(g)"}, summary={"self": "gives the incoming gradient the shape {self_shape} again"})
class view:
    """The same memory in another shape."""

    def forward(self: A, size: tuple[int, ...]) -> A:
        return to_array(self).reshape(size)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.reshape(g, self_shape)


@op(symbol="reshape", grad_fn="UnsafeViewBackward0", name="unsafe_view", latex={"self": r"\text{reshape}(g)"}, summary={"self": "gives the incoming gradient the shape {self_shape} again"})
class unsafe_view:
    """A copy in another shape."""

    def forward(self: A, size: tuple[int, ...]) -> A:
        return to_array(self).reshape(size)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.reshape(g, self_shape)


@op(symbol="permute", view=True, latex={"self": r"\text{permute}^{-1}(g)"}, summary={"self": "puts the dims of the incoming gradient back in order"})
class permute:
    """The dims in another order."""

    def forward(self: A, dims: tuple[int, ...]) -> A:
        return to_array(self).transpose(dims)

    def grad_self(g: V, dims: V) -> V:
        n = len(dims)
        back = [0] * n
        for i, d in enumerate(dims):
            back[d % n] = i
        return xp.permute(g, tuple(back))


@op(symbol="transpose", view=True, latex={"self": "g^T"}, summary={"self": "swaps dims {dim0} and {dim1} of the incoming gradient back"})
class transpose:
    """Two dims swapped."""

    def forward(self: A, dim0: int, dim1: int) -> A:
        return to_array(self).swapaxes(dim0, dim1) if self.ndim else to_array(self)[...]

    def grad_self(g: V, dim0: V, dim1: V) -> V:
        return xp.transpose(g, dim0, dim1)


@op(symbol="T", grad_fn="TBackward0", view=True, latex={"self": "g^T"}, summary={"self": "transposes the incoming gradient back"})
class t:
    """A matrix transposed."""

    def forward(self: A) -> A:
        return to_array(self).T

    def grad_self(g: V) -> V:
        return xp.t(g)


@op(symbol="expand", view=True, broadcasts=True, latex={"self": r"\textstyle\sum g"}, summary={"self": "sums the incoming gradient over the repeated dims"})
class expand:
    """Dims of length 1 repeated without copying."""

    def forward(self: A, size: tuple[int, ...]) -> A:
        array = to_array(self)
        lead = len(size) - array.ndim
        strides = (0,) * lead + tuple([0 if n == 1 and size[i + lead] != 1 else s for i, (n, s) in enumerate(zip(array.shape, array.strides, strict=True))])
        return np.lib.stride_tricks.as_strided(array, size, strides)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.sum_to_size(g, self_shape)


@op(symbol="squeeze", grad_fn="SqueezeBackward0", view=True, latex={"self": r"\text{unsqueeze}(g)"}, summary={"self": "puts the dims of length 1 back"})
class squeeze_all:
    """All dims of length 1 removed."""

    def forward(self: A) -> A:
        return to_array(self).reshape(tuple([n for n in self.shape if n != 1]))

    def grad_self(g: V, self_shape: V) -> V:
        return xp.reshape(g, self_shape)


@op(symbol="squeeze", grad_fn="SqueezeBackward1", view=True, latex={"self": r"\text{unsqueeze}(g)"}, summary={"self": "puts dim {dim} of length 1 back"})
class squeeze_dim:
    """One dim of length 1 removed."""

    def forward(self: A, dim: int) -> A:
        array = to_array(self)
        return array.squeeze(dim) if array.ndim and array.shape[dim] == 1 else array[...]

    def grad_self(g: V, self_shape: V, dim: V) -> V:
        return xp.reshape(g, self_shape)


@op(symbol="unsqueeze", view=True, latex={"self": r"\text{squeeze}(g)"}, summary={"self": "removes dim {dim} of length 1 again"})
class unsqueeze:
    """A dim of length 1 added."""

    def forward(self: A, dim: int) -> A:
        return np.expand_dims(to_array(self), dim)

    def grad_self(g: V, dim: V) -> V:
        return xp.squeeze_dim(g, dim)


@op(symbol="as strided", view=True, latex={"self": r"\text{scatter}(g)"}, summary={"self": "adds the incoming gradient at the places it was taken from"})
class as_strided:
    """Any view of the memory, by shape, strides and offset in elements."""

    def forward(self: A, size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int) -> A:
        return strided(to_array(self), size, stride, storage_offset)

    def grad_self(g: V, self_shape: V, size: V, stride: V, storage_offset: V) -> V:
        return xp.as_strided_scatter_add(g, self_shape, size, stride, storage_offset)


@op(symbol="scatter", name="as_strided_scatter_add", grad_fn="AsStridedScatterBackward0", latex={"self": r"\text{as\_strided}(g)"}, summary={"self": "reads the incoming gradient where the values went"})
class as_strided_scatter_add:
    """Zeros of `shape` with self added at the places that as_strided reads."""

    def forward(self: A, shape: tuple[int, ...], size: tuple[int, ...], stride: tuple[int, ...], storage_offset: int) -> A:
        flat = np.zeros(math.prod(shape), self.dtype)
        where = strided(np.arange(flat.size), size, stride, storage_offset)
        np.add.at(flat, where, self)
        return flat.reshape(shape)

    def grad_self(g: V, size: V, stride: V, storage_offset: V) -> V:
        return xp.as_strided(g, size, stride, storage_offset)


@op(symbol="cat", latex={"tensors": r"g[\ldots]"}, summary={"tensors": "cuts the incoming gradient into the parts that were joined along dim {dim}"})
class cat:
    """Tensors joined along an existing dim."""

    def forward(tensors: list[A], dim: int) -> A:
        kept = [x for x in tensors if x.shape != (0,)] or tensors[:1]
        return np.concatenate(kept, axis=dim)

    def grad(g: V, tensors_shape: V, dim: V) -> V:
        parts, at = [], 0
        for shape in tensors_shape:
            if shape == (0,):
                parts.append(xp.zeros_like(xp.narrow(g, dim, 0, 0)).reshape((0,)))
                continue
            parts.append(xp.narrow(g, dim, at, shape[dim]))
            at += shape[dim]
        return parts


@op(symbol="stack", latex={"tensors": r"g[\ldots]"}, summary={"tensors": "cuts the incoming gradient into the parts that were stacked along dim {dim}"})
class stack_op:
    """Tensors of one shape joined along a new dim."""

    def forward(tensors: list[A], dim: int) -> A:
        return np.stack(tensors, axis=dim)

    def grad(g: V, tensors_shape: V, dim: V) -> V:
        return [xp.select(g, dim, i) for i in range(len(tensors_shape))]


stack_op.name = "stack"
stack_op.node.__name__ = stack_op.node.__qualname__ = stack_op.grad_fn = "StackBackward0"


@op(symbol="unbind", view=True, outputs=None, latex={"self": r"\text{stack}(g)"}, summary={"self": "stacks the incoming gradients along dim {dim}"})
class unbind:
    """The slices along a dim."""

    def forward(self: A, dim: int) -> A:
        array = to_array(self)
        return [array[(slice(None),) * dim + (i, ...)] for i in range(array.shape[dim])]

    def grad_self(g: V, dim: V, self_shape: V) -> V:
        shape = self_shape[:dim] + self_shape[dim + 1 :]
        like = next(x for x in g if x is not None)
        return xp.stack([xp.zeros_of(like, shape) if x is None else x for x in g], dim)


@op(symbol="split", grad_fn="SplitBackward0", view=True, outputs=None, latex={"self": r"\text{cat}(g)"}, summary={"self": "joins the incoming gradients along dim {dim}"})
class split_op:
    """Pieces along a dim, of the given lengths."""

    def forward(self: A, lengths: tuple[int, ...], dim: int) -> A:
        array = to_array(self)
        at, parts = 0, []
        for n in lengths:
            parts.append(array[(slice(None),) * dim + (slice(at, at + n),)])
            at += n
        return parts

    def grad_self(g: V, self_shape: V, lengths: V, dim: V) -> V:
        like = next(x for x in g if x is not None)
        return xp.cat([xp.zeros_of(like, self_shape[:dim] + (n,) + self_shape[dim + 1 :]) if x is None else x for x, n in zip(g, lengths, strict=True)], dim)


split_op.name = "split"


@op(symbol="flip", latex={"self": r"\text{flip}(g)"}, summary={"self": "reverses the incoming gradient along the same dims"})
class flip:
    """Reversed along dims."""

    def forward(self: A, dims: tuple[int, ...]) -> A:
        return np.ascontiguousarray(np.flip(to_array(self), dims))

    def grad_self(g: V, dims: V) -> V:
        return xp.flip(g, dims)


@op(symbol="repeat", latex={"self": r"\textstyle\sum g"}, summary={"self": "sums the incoming gradient over the copies"})
class repeat:
    """Copies along each dim."""

    def forward(self: A, repeats: tuple[int, ...]) -> A:
        return np.tile(self, repeats)

    def grad_self(g: V, self_shape: V, repeats: V) -> V:
        lead = len(repeats) - len(self_shape)
        padded = (1,) * lead + tuple(self_shape)
        parts = [n for pair in zip(repeats, padded, strict=True) for n in pair]
        summed = xp.sum(xp.reshape(g, tuple(parts)), tuple(range(0, 2 * len(repeats), 2)), False)
        return xp.reshape(summed, self_shape)


@export("view", function=False)
def _view(self: Tensor, *shape: Any, dtype: Any = None) -> Any:
    """The same memory in another shape; RuntimeError where strides forbid it."""
    wanted = infer(sizes(shape), self._data.size)
    if not view_strides(self._array(), wanted):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). "
            "Use .reshape(...) instead."
        )
    return apply(view, self, wanted)


@export("reshape")
def _reshape(self: Tensor, *shape: Any) -> Any:
    """A view in another shape where strides allow it, else a copy."""
    wanted = infer(sizes(shape), self._data.size)
    if self._data.shape == wanted and self._view is None and not shape == ():
        return apply(view, self, wanted)
    if view_strides(self._array(), wanted):
        return apply(view, self, wanted)
    from backscope.ops.conversion import _clone

    return apply(unsafe_view, _clone(self), wanted)


def _reshape_value(value: V, shape: Any) -> V:
    return _reshape(value, tuple(shape)) if isinstance(value, Tensor) else value.reshape(shape)


xp.reshape = _reshape_value


@export(function=False)
def view_as(self: Tensor, other: Tensor) -> Any:
    """The same memory in the shape of `other`."""
    return _view(self, other._data.shape)


@export(function=False)
def reshape_as(self: Tensor, other: Tensor) -> Any:
    """The tensor in the shape of `other`."""
    return _reshape(self, other._data.shape)


@export()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Any:  # noqa: A002
    """The dims from start_dim to end_dim as one."""
    ndim = input._data.ndim
    if not ndim:
        return _reshape(input, (1,))
    first, last = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if first == last:
        return input
    shape = input._data.shape
    return _reshape(input, (*shape[:first], math.prod(shape[first : last + 1]), *shape[last + 1 :]))


@export("ravel")
def _ravel(input: Tensor) -> Any:  # noqa: A002
    """One dim."""
    return _reshape(input, (-1,))


@export("permute")
def _permute(input: Tensor, *dims: Any) -> Any:  # noqa: A002
    """The dims in the order given."""
    order = sizes(dims)
    if len(order) != input._data.ndim:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {input._data.ndim} is not equal to len(dims) = {len(order)}"
        )
    if len({wrap_dim(d, len(order)) for d in order}) != len(order):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return apply(permute, input, order)


@export("transpose", "swapaxes", "swapdims")
def _transpose(input: Tensor, dim0: int, dim1: int) -> Any:  # noqa: A002
    """Two dims swapped."""
    wrap_dim(dim0, input._data.ndim)
    wrap_dim(dim1, input._data.ndim)
    return apply(transpose, input, dim0, dim1)


@export("t")
def _t(input: Tensor) -> Any:  # noqa: A002
    """A matrix transposed; RuntimeError above two dims."""
    if input._data.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._data.ndim}D")
    return apply(t, input)


@export("movedim", "moveaxis")
def _movedim(input: Tensor, source: Any, destination: Any) -> Any:  # noqa: A002
    """Dims moved to other places."""
    ndim = input._data.ndim
    from_ = [wrap_dim(d, ndim) for d in ([source] if isinstance(source, int) else source)]
    to_ = [wrap_dim(d, ndim) for d in ([destination] if isinstance(destination, int) else destination)]
    rest = iter([d for d in range(ndim) if d not in from_])
    placed = dict(zip(to_, from_, strict=True))
    return apply(permute, input, tuple(placed[i] if i in placed else next(rest) for i in range(ndim)))


def _mt(self: Tensor) -> Any:
    return _transpose(self, -2, -1)


setattr(Tensor, "T", property(lambda self: _permute(self, tuple(range(self._data.ndim))[::-1])))
setattr(Tensor, "mT", property(_mt))
setattr(Tensor, "H", property(lambda self: _mt(self).conj() if self._dtype.is_complex else _mt(self)))
setattr(Tensor, "mH", property(lambda self: _mt(self).conj() if self._dtype.is_complex else _mt(self)))


@export("expand", function=False)
def _expand(self: Tensor, *shape: Any) -> Any:
    """Dims of length 1 repeated without copying; -1 keeps a dim."""
    wanted, own = sizes(shape), self._data.shape
    lead = len(wanted) - len(own)
    if lead < 0:
        raise RuntimeError(
            f"expand(torch.{self._dtype.type_name}Tensor{{{list(own)}}}, size={list(wanted)}): the number of sizes provided ({len(wanted)}) must be greater or equal to the number of dimensions in the tensor ({len(own)})"
        )
    full = tuple(own[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(wanted))
    for i in range(len(own)):
        if own[i] not in (1, full[i + lead]):
            raise RuntimeError(
                f"The expanded size of the tensor ({full[i + lead]}) must match the existing size ({own[i]}) at non-singleton dimension {i + lead}.  Target sizes: {list(wanted)}.  Tensor sizes: {list(own)}"
            )
    return apply(expand, self, full)


xp.expand = lambda value, size: _expand(value, size) if isinstance(value, Tensor) else np.broadcast_to(value, size)


@export(function=False)
def expand_as(self: Tensor, other: Tensor) -> Any:
    """Expanded to the shape of `other`."""
    return _expand(self, other._data.shape)


@export()
def broadcast_to(input: Tensor, size: Any) -> Any:  # noqa: A002
    """Expanded to `size`."""
    return _expand(input, size)


@export()
def broadcast_tensors(*tensors: Tensor) -> tuple[Any, ...]:
    """All tensors expanded to their common shape."""
    shape = np.broadcast_shapes(*[x._data.shape for x in tensors])
    return tuple(_expand(x, shape) for x in tensors)


@export()
def squeeze(input: Tensor, dim: Any = None) -> Any:  # noqa: A002
    """Without its dims of length 1, all or just `dim`."""
    if dim is None:
        return apply(squeeze_all, input)
    if isinstance(dim, (tuple, list)):
        for d in sorted((wrap_dim(d, input._data.ndim) for d in dim), reverse=True):
            input = apply(squeeze_dim, input, d)  # noqa: A001
        return input
    wrap_dim(dim, input._data.ndim)
    return apply(squeeze_dim, input, dim)


@export("unsqueeze")
def _unsqueeze(input: Tensor, dim: int) -> Any:  # noqa: A002
    """With a dim of length 1 at `dim`."""
    ndim = input._data.ndim + 1
    if not -ndim <= dim < ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})")
    return apply(unsqueeze, input, dim)


@export("as_strided")
def _as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Any:  # noqa: A002
    """A view by shape, strides and offset in elements."""
    return apply(as_strided, input, tuple(size), tuple(stride), storage_offset or 0)


@export("cat", "concat", "concatenate", method=False)
def _cat(tensors: Any, dim: int = 0, *, out: Any = None) -> Any:
    """Tensors joined along `dim`, in their common dtype."""
    return apply(cat, _promoted("torch.cat", tensors), wrap_dim(dim, max(x._data.ndim for x in tensors)))


@export(method=False)
def stack(tensors: Any, dim: int = 0, *, out: Any = None) -> Any:
    """Tensors of one shape joined along a new dim."""
    found = _promoted("stack", tensors)
    first = found[0]._data.shape
    for i, x in enumerate(found):
        if x._data.shape != first:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(x._data.shape)} at entry {i}")
    return apply(stack_op, found, wrap_dim(dim, len(first) + 1))


xp.stack = lambda values, dim: stack(values, dim) if isinstance(values[0], Tensor) else np.stack(values, dim)


def _promoted(what: str, tensors: Any) -> list[Tensor]:
    found = list(tensors)
    if not found:
        raise RuntimeError(f"{what}(): expected a non-empty list of Tensors" if "cat" in what else "stack expects a non-empty TensorList")
    from backscope.ops.elementwise import common_dtype

    kind = common_dtype(found)
    return [x if x._dtype is kind else x.to(kind) for x in found]  # type: ignore[attr-defined]


@export("unbind")
def _unbind(input: Tensor, dim: int = 0) -> Any:  # noqa: A002
    """The slices along `dim` as a tuple."""
    if not input._data.ndim:
        raise RuntimeError("Dimension specified as 0 but tensor has no dimensions")
    return apply(unbind, input, wrap_dim(dim, input._data.ndim))


@export()
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> Any:
    """Pieces along `dim`, of one length or of the lengths given."""
    dim = wrap_dim(dim, tensor._data.ndim)
    n = tensor._data.shape[dim]
    if isinstance(split_size_or_sections, int):
        step = split_size_or_sections
        lengths = tuple(min(step, n - i) for i in range(0, n, step)) or (0,)
    else:
        lengths = tuple(int(x) for x in split_size_or_sections)
        if sum(lengths) != n:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but got split_sizes={list(lengths)}"
            )
    return apply(split_op, tensor, lengths, dim)


@export()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> Any:  # noqa: A002
    """At most `chunks` pieces of equal length along `dim`, the last one shorter."""
    n = input._data.shape[wrap_dim(dim, input._data.ndim)]
    return split(input, max(1, -(-n // chunks)), dim)


@export("flip")
def _flip(input: Tensor, *dims: Any) -> Any:  # noqa: A002
    """Reversed along dims."""
    return apply(flip, input, tuple(wrap_dim(d, input._data.ndim) for d in sizes(dims)))


@export("repeat", function=False)
def _repeat(self: Tensor, *repeats: Any) -> Any:
    """Copies along each dim."""
    return apply(repeat, self, sizes(repeats))


@export("contiguous", function=False)
def _contiguous(self: Tensor, memory_format: Any = None) -> Any:
    """The tensor itself when it is row-major, else a copy."""
    from backscope.ops.conversion import _clone

    return self if self._data.flags.c_contiguous else _clone(self)


@export(function=False)
def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    """True when the elements are row-major in memory."""
    return bool(self._data.flags.c_contiguous)


@export(function=False)
def sum_to_size(self: Tensor, *shape: Any) -> Any:
    """Summed over the dims along which `shape` was broadcast to this shape."""
    wanted = sizes(shape)
    own = self._data.shape
    if own == wanted:
        return self
    lead = len(own) - len(wanted)
    dims = (*range(lead), *(i + lead for i, n in enumerate(wanted) if n == 1 and own[i + lead] != 1))
    summed = self.sum(dims, keepdim=True) if dims else self  # type: ignore[attr-defined]
    return _reshape(summed, wanted) if lead else summed


def _sum_to_size_value(value: V, shape: Any) -> V:
    from backscope.autograd.engine import fold

    return sum_to_size(value, tuple(shape)) if isinstance(value, Tensor) else fold(value, tuple(shape))


xp.sum_to_size = _sum_to_size_value


@export(function=False)
def size(self: Tensor, dim: int | None = None) -> Any:
    """The shape, or the length of one dim."""
    return Size(self._data.shape) if dim is None else int(self._data.shape[wrap_dim(dim, self._data.ndim)])


@export(function=False)
def stride(self: Tensor, dim: int | None = None) -> Any:
    """The strides in elements."""
    array = self._data
    if not array.ndim:
        return () if dim is None else 1
    found = tuple([s // array.itemsize for s in array.strides])
    return found if dim is None else found[wrap_dim(dim, array.ndim)]


@export(function=False)
def dim(self: Tensor) -> int:
    """The number of dims."""
    return int(self._data.ndim)


@export()
def numel(input: Tensor) -> int:  # noqa: A002
    """The number of elements."""
    return int(input._data.size)


@export(function=False)
def element_size(self: Tensor) -> int:
    """Bytes of one element."""
    return self._dtype.itemsize


setattr(Tensor, "nelement", numel)
setattr(Tensor, "ndimension", dim)
