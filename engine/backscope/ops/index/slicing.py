"""Single entries and ranges of a dim, as views."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.dtype import int64
from backscope.tensor.tensor import Tensor

END = 9223372036854775807
"""PyTorch's value for the end of a slice without one."""


def _key(dim: int, ndim: int, part: Value) -> tuple[Any, ...]:
    return (*(slice(None),) * (dim % ndim), part, ...)


@op(
    view=True,
    symbol="[i]",
    latex={"self": r"g\ \text{at the index}"},
    summary={"self": "puts the incoming {g} at index {index} of dim {dim}, 0 elsewhere"},
)
class select:
    """The slice at one index of a dim."""

    def forward(self: A, dim: int, index: int) -> A:
        return to_array(self)[_key(dim, self.ndim, index)]

    def grad_self(g: V, self_shape: V, dim: V, index: V) -> V:
        return xp.select_backward(g, self_shape, dim, index)


@op(
    grad_fn="SelectBackwardBackward0",
    symbol="place",
    latex={"self": r"g[\text{index}]"},
    summary={"self": "reads the incoming gradient at index {index} of dim {dim}"},
)
class select_backward:
    """Zeros with self at one index of a dim."""

    def forward(self: A, shape: Shape, dim: int, index: int) -> A:
        out = np.zeros(shape, self.dtype)
        out[_key(dim, len(shape), index)] = self
        return out

    def grad_self(g: V, dim: V, index: V) -> V:
        return xp.select(g, dim, index)


@op(
    name="slice",
    view=True,
    symbol="[a:b]",
    latex={"self": r"g\ \text{at the slice}"},
    summary={"self": "puts the incoming gradient at {start}:{end} of dim {dim}, 0 elsewhere"},
)
class range_of_dim:
    """A range of a dim."""

    def forward(self: A, dim: int, start: int, end: int, step: int) -> A:
        return to_array(self)[_key(dim, self.ndim, slice(start, end, step))]

    def grad_self(g: V, self_shape: V, dim: V, start: V, end: V, step: V) -> V:
        return xp.slice_backward(g, self_shape, dim, start, end, step)


@op(
    grad_fn="SliceBackwardBackward0",
    symbol="place",
    latex={"self": "g[a:b]"},
    summary={"self": "reads the incoming gradient at {start}:{end} of dim {dim}"},
)
class slice_backward:
    """Zeros with self at a range of a dim."""

    def forward(self: A, shape: Shape, dim: int, start: int, end: int, step: int) -> A:
        out = np.zeros(shape, self.dtype)
        out[_key(dim, len(shape), slice(start, end, step))] = self
        return out

    def grad_self(g: V, dim: V, start: V, end: V, step: V) -> V:
        return xp.slice(g, dim, start, end, step)


xp.narrow = lambda value, dim, start, length: xp.slice(value, dim, start, start + length, 1)


@export("select")
def _select(input: Tensor, dim: int, index: int, *, copied: str = "") -> Any:  # noqa: A002
    """The slice at one index of a dim; IndexError for an index out of range."""
    if not input._data.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[d]
    if not -n <= index < n:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(input._data.shape)} at dimension {d}"
        )
    return apply(primitives["select" + copied], input, dim, int(index))


@export("narrow")
def _narrow(input: Tensor, dim: int, start: Value, length: int) -> Any:  # noqa: A002
    """`length` entries of a dim from `start` on; RuntimeError where there are fewer."""
    first = _narrowed(input, dim, start, length)
    return apply(primitives["slice"], input, dim, first, first + length, 1)


def _narrowed(input: Tensor, dim: int, start: Value, length: int, *, copied: bool = False) -> int:  # noqa: A002
    """The first entry of a range, counted from the front."""
    if not input._data.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if copied and dim >= input._data.ndim:
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        )
    if length < 0 and not copied:
        raise RuntimeError("narrow(): length must be non-negative.")
    n = input._data.shape[wrap_dim(dim, input._data.ndim)]
    if isinstance(start, Tensor) and (start._data.ndim or start._dtype.category != 1):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    first = int(start)
    if not -n <= first <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got {first})")
    first = first + n if first < 0 else first
    if length < 0 or first + length > n:
        raise RuntimeError(f"start ({first}) + length ({length}) exceeds dimension size ({n}).")
    return first


@op(
    name="narrow_copy",
    symbol="[a:b]",
    latex={"self": r"g\ \text{at the range}"},
    summary={"self": "puts the incoming gradient at {length} entries of dim {dim}, 0 elsewhere"},
)
class copied_range:
    """A range of a dim, in memory of its own."""

    def forward(self: A, dim: int, start: int, length: int) -> A:
        return to_array(self)[_key(dim, self.ndim, slice(start, start + length))].copy()

    def grad_self(g: V, self_shape: V, dim: V, start: V, length: V) -> V:
        return xp.slice_backward(g, self_shape, dim, start, start + length, 1)


@export("narrow_copy")
def _narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Any:  # noqa: A002
    """`length` entries of a dim from `start` on, in memory of their own."""
    first = _narrowed(input, dim, start, length, copied=True)
    return apply(primitives["narrow_copy"], input, dim, first, length)


@op(
    view=True,
    symbol="unfold",
    latex={"self": r"\textstyle\sum g\ \text{over the windows}"},
    summary={"self": "adds up the incoming gradient of all windows that an element is in"},
)
class unfold:
    """Windows of a dim, each in a new last dim."""

    def forward(self: A, dimension: int, size: int, step: int) -> A:
        array = to_array(self)
        if not array.ndim:
            return array.reshape(1)[:size]
        windows = np.lib.stride_tricks.sliding_window_view(array, size, dimension, writeable=True)
        return windows[_key(dimension, array.ndim, slice(None, None, step))]

    def grad_self(g: V, self_shape: V, dimension: V, size: V, step: V) -> V:
        return xp.unfold_backward(g, self_shape, dimension, size, step)


@op(
    grad_fn="UnfoldBackwardBackward0",
    shows={"dim": "dimension"},
    symbol="fold",
    latex={"self": r"\text{unfold}(g)"},
    summary={"self": "takes windows of size {size} of the incoming gradient"},
)
class unfold_backward:
    """Zeros of `shape` with windows added where unfold takes them from."""

    def forward(self: A, shape: Shape, dimension: int, size: int, step: int) -> A:
        if not len(shape):
            return self.sum()
        out = np.zeros(shape, self.dtype)
        ndim = len(shape)
        for i in range(self.shape[dimension % ndim]):
            out[_key(dimension, ndim, slice(i * step, i * step + size))] += np.moveaxis(
                self[_key(dimension, ndim, i)], -1, dimension % ndim
            )
        return out

    def grad_self(g: V, dimension: V, size: V, step: V) -> V:
        return xp.unfold(g, dimension, size, step)


@export("unfold", function=False)
def _unfold(self: Tensor, dimension: int, size: int, step: int, *, copied: str = "") -> Any:
    """A view of all windows of a dim; RuntimeError where the dim is shorter than one."""
    d = wrap_dim(dimension, self._data.ndim)
    n = self._data.shape[d] if self._data.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return apply(primitives["unfold" + copied], self, dimension, size, step)


@export()
def tensor_split(input: Tensor, indices_or_sections: Shape, dim: int = 0) -> Values:  # noqa: A002
    """Pieces along `dim`: so many of nearly equal length, or cut at the places given."""
    if not input._data.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    d = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[d]
    given = indices_or_sections
    if isinstance(given, Tensor):
        given = _places(given)
    if isinstance(given, int):
        if given <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {given}")
        short, longer = divmod(n, given)
        cuts = [i * short + min(i, longer) for i in range(given + 1)]
    else:
        cuts = [0, *given, END]
    return tuple([_slice(input, dim, cuts[i], cuts[i + 1]) for i in range(len(cuts) - 1)])


def _slice(input: Tensor, dim: int, start: int, end: int) -> Any:  # noqa: A002
    """Return a slice; start and end may be negative or out of range."""
    n = input._data.shape[dim]
    begin = min(max(start + n if start < 0 else start, 0), n)
    stop = min(max(end + n if end < 0 else end, begin), n)
    return apply(primitives["slice"], input, dim, begin, stop, 1)


def _places(given: Tensor) -> Any:
    """Return the split positions in a tensor as numbers."""
    if given._dtype is not int64:
        raise RuntimeError(
            f"tensor_split expected tensor_indices_or_sections to have dtype of long, but got {given._dtype.type_name}"
        )
    if given._data.ndim > 1:
        raise RuntimeError(
            "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but "
            f"got a tensor with {given._data.ndim} dims"
        )
    return given.tolist()


def _split_along(name: str, dim: int, rank: int) -> None:
    def split(input: Tensor, indices_or_sections: Shape) -> Any:  # noqa: A002
        ndim = input._data.ndim
        if ndim < rank:
            raise RuntimeError(
                f"torch.{name} requires a tensor with at least {rank} dimension, but got a "
                f"tensor with {ndim} dimensions!"
            )
        along, given = min(dim, ndim - 1), indices_or_sections
        n = input._data.shape[along]
        if isinstance(given, int) and (given == 0 or n % given):
            raise RuntimeError(
                f"torch.{name} attempted to split along dimension {along}, but the size of the dimension {n} is not "
                f"divisible by the split_size {given}!"
            )
        return tensor_split(input, given, along)

    split.__doc__ = f"Pieces along dim {dim}."
    export(name)(split)


_split_along("hsplit", 1, 1)
_split_along("vsplit", 0, 2)
_split_along("dsplit", 2, 3)
