"""Views: the same memory in another shape, another order of dims, or by strides."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.ops.core.arguments.argument_types import type_name
from backscope.ops.core.arguments.dims import Dims, infer, sizes, wrap_dim, wrap_dims
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.ops.core.tensor_geometry import constants
from backscope.ops.shape.reinterpreting import read_as
from backscope.runtime.given import Array, Dim, Dtype, Shape, Value
from backscope.runtime.warning import warn_once
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


@op(
    view=True,
    symbol="permute",
    latex={"self": r"\text{permute}^{-1}(g)"},
    summary={"self": "puts the dims of the incoming gradient back in order"},
)
class permute:
    """The dims in another order."""

    def forward(self: A, dims: Dims) -> A:
        return self.transpose(dims) if self.ndim else to_array(self).transpose(dims)

    def grad_self(g: V, dims: V) -> V:
        n = len(dims)
        back = [0] * n
        for i, d in enumerate(dims):
            back[d % n] = i
        return xp.permute(g, tuple(back))


@op(
    view=True,
    symbol="transpose",
    latex={"self": "g^T"},
    summary={"self": "swaps dims {dim0} and {dim1} of the incoming gradient back"},
)
class transpose:
    """Two dims swapped."""

    def forward(self: A, dim0: int, dim1: int) -> A:
        return self.swapaxes(dim0, dim1) if self.ndim else to_array(self)[...]

    def grad_self(g: V, dim0: V, dim1: V) -> V:
        return xp.transpose(g, dim0, dim1)


@op(view=True, symbol="T", latex={"self": "g^T"}, summary={"self": "transposes the incoming gradient back"})
class t:
    """A matrix transposed."""

    def forward(self: A) -> A:
        return self.T if self.ndim else to_array(self)[...]

    def grad_self(g: V) -> V:
        return xp.t(g)


@op(
    name="squeeze",
    view=True,
    symbol="squeeze",
    latex={"self": r"\text{unsqueeze}(g)"},
    summary={"self": "puts the dims of length 1 back"},
)
class squeeze_all:
    """All dims of length 1 removed."""

    def forward(self: A) -> A:
        return to_array(self).squeeze()

    def grad_self(g: V, self_shape: V) -> V:
        return _unsqueezed(g, self_shape, range(len(self_shape)))


def _unsqueezed(g: V, shape: Shape, dims: Dim) -> V:
    """A gradient with those dims of length 1 put back, one after the other, which `shape` has among `dims`."""
    for d in sorted(dims):
        if shape[d] == 1:
            g = xp.unsqueeze(g, d)
    return g


def _squeezed(value: A, dims: Dims) -> A:
    array = to_array(value)
    return array.squeeze(tuple([d for d in wrap_dims(dims, array.ndim) if array.shape[d] == 1]) if dims else ())


@op(
    grad_fn="SqueezeBackward1",
    view=True,
    symbol="squeeze",
    latex={"self": r"\text{unsqueeze}(g)"},
    summary={"self": "puts dim {dim} of length 1 back"},
)
class squeeze_dim:
    """One dim of length 1 removed."""

    def forward(self: A, dim: int) -> A:
        return _squeezed(self, (dim,))

    def grad_self(g: V, self_shape: V, dim: V) -> V:
        return xp.unsqueeze(g, dim) if len(g.shape) < len(self_shape) else g


@op(
    grad_fn="SqueezeBackward2",
    view=True,
    symbol="squeeze",
    latex={"self": r"\text{unsqueeze}(g)"},
    summary={"self": "puts the dims {dim} of length 1 back"},
)
class squeeze_dims:
    """Several dims of length 1 removed."""

    def forward(self: A, dim: Dims) -> A:
        return _squeezed(self, dim)

    def grad_self(g: V, self_shape: V, dim: V) -> V:
        return _unsqueezed(g, self_shape, wrap_dims(dim, len(self_shape)) if dim else ())


@op(
    view=True,
    symbol="unsqueeze",
    latex={"self": r"\text{squeeze}(g)"},
    summary={"self": "removes dim {dim} of length 1 again"},
)
class unsqueeze:
    """A dim of length 1 added."""

    def forward(self: A, dim: int) -> A:
        array = to_array(self)
        at = dim if dim >= 0 else dim + array.ndim + 1
        if not array.size:
            steps = array.strides
            step = array.itemsize if at == array.ndim else array.shape[at] * steps[at]
            shape = (*array.shape[:at], 1, *array.shape[at:])
            return np.lib.stride_tricks.as_strided(array, shape, (*steps[:at], step, *steps[at:]))
        return array.reshape(*array.shape[:at], 1, *array.shape[at:])

    def grad_self(g: V, dim: V) -> V:
        return xp.squeeze_dim(g, dim)


_VIEW, _UNSAFE_VIEW, _TRANSPOSE = primitives["view"], primitives["unsafe_view"], primitives["transpose"]


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


def reshaped(value: Tensor, shape: Dims) -> Any:
    """A view in another shape, which has as many elements, where strides allow it, else a copy."""
    array = value._array()
    if array.flags.c_contiguous:
        return _VIEW.apply(value, shape)
    if view_fits(array, shape):
        return apply(primitives["reshape_alias"], value, shape)
    return copied_as(value, shape)


def copied_as(value: Tensor, shape: Dims) -> Any:
    """A copy in another shape, as PyTorch makes it where no view can be had."""
    return _UNSAFE_VIEW.apply(primitives["clone"].apply(value, constants["contiguous_format"]), shape)


def _raw_reshaped(value: A, shape: Dims) -> A:
    return value.reshape(shape)


def _either_reshaped(value: V, shape: Shape) -> V:
    return _reshape(value, tuple(shape)) if isinstance(value, Tensor) else value.reshape(tuple(shape))


_either_reshaped.forward = _raw_reshaped  # type: ignore[attr-defined]
xp.reshape = _either_reshaped


@export(function=False)
def view_as(self: Tensor, other: Tensor) -> Any:
    """A view in the shape of `other`."""
    return _view(self, other._data.shape)


@export(function=False)
def reshape_as(self: Tensor, other: Tensor) -> Any:
    """The tensor in the shape of `other`."""
    return _reshape(self, other._data.shape)


@export()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Any:  # noqa: A002
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
def unflatten(input: Tensor, dim: int, sizes: Shape) -> Any:  # noqa: A002
    """One dim as several."""
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
def ravel(input: Tensor) -> Any:  # noqa: A002
    """One dim."""
    return _view(input.contiguous(), (-1,))  # type: ignore[attr-defined]


@export("permute")
def _permute(input: Tensor, *args: Any, dims: Dim = None, copied: str = "") -> Any:  # noqa: A002
    """The dims in the order given."""
    if not args and dims is None:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    order = sizes(args if dims is None else (dims,))
    ndim = input._data.ndim
    if len(order) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(order)}"
        )
    if len({wrap_dim(d, ndim) for d in order}) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return apply(primitives["permute" + copied], input, order)


@export("transpose", "swapaxes", "swapdims")
def _transpose(input: Tensor, dim0: int, dim1: int, *, copied: str = "") -> Any:  # noqa: A002
    """Two dims swapped."""
    ndim = input._data.ndim
    if not (-ndim <= dim0 < ndim and -ndim <= dim1 < ndim):
        wrap_dim(dim0, ndim)
        wrap_dim(dim1, ndim)
    return (primitives["transpose" + copied] if copied else _TRANSPOSE).apply(input, dim0, dim1)


@export("t")
def _t(input: Tensor, *, copied: str = "") -> Any:  # noqa: A002
    """A matrix transposed; RuntimeError above two dims."""
    if input._data.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {input._data.ndim}D")
    return apply(primitives["t" + copied], input)


@export("movedim", "moveaxis")
def _movedim(input: Tensor, source: Value, destination: Any) -> Any:  # noqa: A002
    """Dims moved to other places."""
    ndim = input._data.ndim
    if not ndim:
        wrap_dims(source, ndim)
        wrap_dims(destination, ndim)
        return apply(primitives["alias"], input)
    given = [[d] if isinstance(d, int) else list(d) for d in (source, destination)]
    if len(given[0]) != len(given[1]):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({given[0]} dims) should contain the same number of "
            f"dims as destination ({given[1]} dims)"
        )
    for name, dims in zip(("source", "destination"), given, strict=True):
        if len({wrap_dim(d, ndim) for d in dims}) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({dims})")
    from_ = wrap_dims(source, ndim)
    placed = dict(zip(wrap_dims(destination, ndim), from_, strict=True))
    rest = iter([d for d in range(ndim) if d not in from_])
    return apply(primitives["permute"], input, tuple(placed[i] if i in placed else next(rest) for i in range(ndim)))


def _reversed(self: Tensor) -> Any:
    if not self._data.ndim:
        warn_once("Tensor.T is deprecated on 0-D tensors. This function is the identity in these cases.")
    elif self._data.ndim != 2:
        warn_once(REVERSED)
    return _permute(self, tuple(range(self._data.ndim))[::-1])


REVERSED = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or "
    "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor."
)


def _matrices_swapped(name: str, *, conjugated: bool) -> Any:
    def swapped(self: Tensor) -> Any:
        ndim = self._data.ndim
        if name == "H" and ndim not in (0, 2):
            more = " For batches of matrices, consider using tensor.mH" if ndim > 2 else ""
            raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {ndim}-D tensor.{more}")
        if ndim == 1:
            raise RuntimeError(f"tensor.{name} is only supported on matrices or batches of matrices. Got 1-D tensor.")
        if not ndim:
            if name == "mT":
                warn_once("Tensor.mT is deprecated on 0-D tensors. This function is the identity in these cases.")
                return self
            warn_once(f"Tensor.{name} is deprecated on 0-D tensors. Consider using x.conj().")
            return self.conj()  # type: ignore[attr-defined]
        found = _transpose(self, -2, -1)
        return found.conj() if conjugated and self._dtype.is_complex else found

    return property(swapped)


setattr(Tensor, "T", property(_reversed))
setattr(Tensor, "mT", _matrices_swapped("mT", conjugated=False))
setattr(Tensor, "H", _matrices_swapped("H", conjugated=True))
setattr(Tensor, "mH", _matrices_swapped("mH", conjugated=True))


@export("squeeze")
def _squeeze(input: Tensor, dim: Dim = None, *, copied: str = "") -> Any:  # noqa: A002
    """Without its dims of length 1: all, or just those given."""
    if dim is None:
        return apply(primitives["squeeze" + copied], input)
    if isinstance(dim, int):
        wrap_dim(dim, input._data.ndim)
        return apply(primitives["squeeze_dim" + copied], input, dim)
    wrap_dims(dim, input._data.ndim)
    return apply(primitives["squeeze_dims" + copied], input, tuple(dim))


@export("unsqueeze")
def _unsqueeze(input: Tensor, dim: int, *, copied: str = "") -> Any:  # noqa: A002
    """With a dim of length 1 at `dim`."""
    wrap_dim(dim, input._data.ndim + 1)
    return apply(primitives["unsqueeze" + copied], input, dim)
