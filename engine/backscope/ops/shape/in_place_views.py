"""Views of a tensor's own memory that the tensor itself becomes: t_, transpose_, squeeze_, unsqueeze_, as_strided_."""

from __future__ import annotations

from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.transform_refusals import refuse_captured
from backscope.autograd.transforms.transform_tensor import TransformTensor, synchronize
from backscope.autograd.views.view_history import check_in_place, requires_grad, set_history
from backscope.func.lifting import become_transform_tensor
from backscope.ops.core.arguments.dims import sizes, wrap_dim, wrap_dims
from backscope.ops.core.declaration import Op, primitives
from backscope.ops.core.dispatch import track
from backscope.ops.core.namespace import export
from backscope.ops.core.writing import announce
from backscope.ops.shape import dim_order, squeezing  # noqa: F401 - declare the ops that get in-place forms
from backscope.ops.shape.striding import check_strides
from backscope.runtime.given import Dim, Shape, Value
from backscope.runtime.listening import hub
from backscope.tensor.tensor import Tensor


def _changing(name: str, grad_fn: str) -> None:
    """Declare the in-place form of a view op: the same formula under the name of another node."""
    op = primitives[name]
    body = {"forward": op.forward, **{f"grad_{k}": f for k, f in op.formulas.items()}}
    options = {"grad_fn": grad_fn, "symbol": op.symbol, "latex": op.latex, "summary": op.summary}
    primitives[name + "_"] = Op(name + "_", type(name + "_", (), body), options)


_changing("t", "TBackward1")
_changing("transpose", "TransposeBackward1")
_changing("squeeze", "SqueezeBackward3")
_changing("squeeze_dim", "SqueezeBackward4")
_changing("squeeze_dims", "SqueezeBackward5")
_changing("unsqueeze", "UnsqueezeBackward1")
_changing("as_strided", "AsStridedBackward1")


def _check(tensor: Tensor, name: str) -> bool:
    """Return True when the change by `aten::name` is recorded; RuntimeError where PyTorch refuses it."""
    refuse_captured(tensor, name)
    tracked = mode.enabled and requires_grad(tensor) and not tensor.is_inference()
    check_in_place(tensor, tracked)
    announce(tensor)
    return tracked


def become(reported_as: str, name: str, self: Tensor, *args: Value) -> Tensor:
    """Turn a tensor into a view of its former self; its base, if it has one, keeps its history."""
    if self.__class__ is TransformTensor:
        become_transform_tensor(primitives[name], self, args)
        if self.batch_dim is not None:
            return self
    op = primitives[name + "_"]
    tracked = _check(self, reported_as)
    before = self._array()
    was = self._grad_fn, self._output_nr, self._requires_grad
    if self.__class__ is TransformTensor and self.inner is not None:
        synchronize(self)
    else:
        self._data = op.forward(before, *args)
    self._counter()[0] += 1
    node = None
    if tracked:
        after, self._data = self._data, before
        node = track(op, [self], (self, *args), (self,), in_place=True)
        self._data = after
        node.shape = after.shape
        self._grad_fn, self._output_nr, self._requires_grad = was
        set_history(self, node)
        if self._view is not None:
            self._view.version = self._counter()[0]
    if hub.listener is not None:
        hub.listener.op(reported_as, op, (self, *args), (self,), node, in_place=True)
    return self


@export(function=False)
def t_(self: Tensor) -> Tensor:
    """Transpose a matrix in place; RuntimeError above two dims."""
    _check(self, "t_")
    if self._data.ndim > 2:
        raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {self._data.ndim}D")
    return become("t_", "t", self)


def _transposing(name: str) -> None:
    def change(self: Tensor, dim0: int, dim1: int) -> Tensor:
        _check(self, name)
        wrap_dim(dim0, self._data.ndim)
        wrap_dim(dim1, self._data.ndim)
        return become(name, "transpose", self, dim0, dim1)

    change.__doc__ = "Swap two dims in place."
    change.__name__ = change.__qualname__ = name
    export(name, function=False)(change)


for _name in ("transpose_", "swapaxes_", "swapdims_"):
    _transposing(_name)


@export(function=False)
def squeeze_(self: Tensor, dim: Dim = None) -> Tensor:
    """Remove dims of length 1 in place: all, or just those given."""
    _check(self, "squeeze_" if dim is None else "squeeze_.dim" if isinstance(dim, int) else "squeeze_.dims")
    if dim is None:
        return become("squeeze_", "squeeze", self)
    if isinstance(dim, int):
        wrap_dim(dim, self._data.ndim)
        return become("squeeze_", "squeeze_dim", self, dim)
    wrap_dims(dim, self._data.ndim)
    return become("squeeze_", "squeeze_dims", self, tuple(dim))


@export(function=False)
def unsqueeze_(self: Tensor, dim: int) -> Tensor:
    """Add a dim of length 1 in place."""
    _check(self, "unsqueeze_")
    wrap_dim(dim, self._data.ndim + 1)
    return become("unsqueeze_", "unsqueeze", self, dim)


@export()
def as_strided_(input: Tensor, size: Shape, stride: Shape, storage_offset: int | None = None) -> Tensor:  # noqa: A002
    """Become a view by shape, strides and offset in elements."""
    shape, strides = sizes((size,)), sizes((stride,))
    _check(input, "as_strided_")
    check_strides(input, shape, strides, storage_offset)
    return become("as_strided_", "as_strided", input, shape, strides, storage_offset)
