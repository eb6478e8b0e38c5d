"""Conversions: to another dtype, clone, copy_, detached copies."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.grad_layout import clone_in_layout
from backscope.autograd.modes.grad_mode import mode
from backscope.autograd.transforms.transform_tensor import TransformTensor
from backscope.autograd.unbroadcast import fold
from backscope.autograd.views.view_history import check_in_place, requires_grad
from backscope.ops.core.arguments.number_casts import check_number
from backscope.ops.core.channels_last import is_channels_last
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.elementwise import broadcast_shape
from backscope.ops.core.mutation import mutate
from backscope.ops.core.namespace import export
from backscope.ops.core.writing import castable, check_overlap, check_written, is_same_memory
from backscope.runtime.given import Dtype, MemoryFormat, Option, Value
from backscope.runtime.warning import warn_once
from backscope.tensor import dtype as types, meta
from backscope.tensor.device import check_device, device, without_cuda
from backscope.tensor.dtype import cast, dtype
from backscope.tensor.number_conversion import raw_number
from backscope.tensor.sparse_values import Sparse
from backscope.tensor.strides import arranged, copied_alike, element_strides, empty_alike, is_dense, with_strides
from backscope.tensor.tensor import Tensor, make


@op(symbol="copy", latex={"self": "g"}, summary={"self": "passes the incoming {g} on to {self}"})
class clone:
    """A copy in memory of its own."""

    def forward(self: A, memory_format: MemoryFormat = None) -> A:
        if not isinstance(self, np.ndarray):
            return self
        order = "preserve_format" if memory_format is None else memory_format.name
        if order == "contiguous_format":
            return np.array(self, order="C")
        if order.startswith("channels_last") and self.ndim > 2:
            return np.moveaxis(np.array(np.moveaxis(self, 1, -1), order="C"), -1, 1)
        if order != "preserve_format":
            return np.array(self, order="C")
        if self.ndim < 2 or (self.size and 1 not in self.shape):
            if self.flags.c_contiguous:
                return np.array(self, order="C")
            if is_dense(self):
                return np.array(self, order="K")
        elif is_dense(self):
            return copied_alike(self, self.dtype)
        copied = empty_alike(self, self.dtype)
        copied[...] = self
        return copied

    def grad_self(g: V) -> V:
        return g


def _real_for(g: A, kind: Dtype) -> A:
    """Return the real part of a complex raw gradient for a real tensor: a view of it, as in PyTorch."""
    return g.real if g.dtype.kind == "c" and not kind.is_complex else g


def _sent_back(g: Value, kind: Dtype) -> Any:
    """Convert a recorded gradient to the dtype of the converted tensor; a real one gets the real part."""
    return (g.real if g._dtype.is_complex and not kind.is_complex else g).to(kind)


@op(
    symbol="to",
    latex={"self": r"\text{to}(g)"},
    summary={"self": "converts the incoming {g} back to {self_dtype}"},
)
class to_copy:
    """A copy in another dtype."""

    def forward(self: A, dtype: Dtype, memory_format: MemoryFormat = None) -> A:
        made = cast(self, dtype)
        if made is self:
            made = primitives["clone"].forward(self)
        if memory_format is not None and memory_format.name != "preserve_format" and made.__class__ is np.ndarray:
            return primitives["clone"].forward(made, memory_format)
        if made.ndim > 1 and made is not self and made.__class__ is not Sparse:
            if (1 in self.shape or not self.size) and is_dense(self):
                return copied_alike(self, made.dtype, made)
            if not (is_dense(self) or self.flags.c_contiguous):
                return arranged(made, [self])
        return made

    def grad_self(g: V, self_dtype: V) -> V:
        return _sent_back(g, self_dtype) if isinstance(g, Tensor) else cast(_real_for(g, self_dtype), self_dtype)


@op(
    grad_fn="ToCopyBackward0",
    symbol="to",
    latex={"self": "0"},
    summary={"self": "has no data to send back"},
)
class to_meta:
    """Shape, strides and dtype without data."""

    def forward(self: A, dtype: Dtype) -> A:
        return meta.meta_array(np.zeros_like(self, dtype=dtype.np))

    def grad_self(g: V) -> V:
        raise meta.no_data()


@op(
    name="copy_in_layout",
    grad_fn="CopyBackwards",
    prefix="torch::autograd::",
    symbol="copy",
    latex={"self": "g"},
    summary={"self": "passes the incoming {g} on"},
)
class layout_copy:
    """A gradient copied into the memory layout of its leaf; `over` is what the new memory held, no tensor."""

    def forward(over: A | None, self: A, like: Value) -> A:
        return clone_in_layout(self, like) if isinstance(self, np.ndarray) else self

    def grad_self(g: V) -> V:
        return g


@op(
    grad_fn="CopyBackwards",
    prefix="torch::autograd::",
    symbol="←",
    latex={"self": "0", "src": "g"},
    summary={"self": "sends 0: the old values are gone", "src": "passes the incoming {g} on to {src}"},
)
class copy:
    """src in place of self."""

    def forward(self: A, src: A) -> A:
        if (self.__class__ is Sparse) != (src.__class__ is Sparse):
            raise RuntimeError("copy_() between dense and sparse Tensors is not implemented!")
        if src.__class__ is Sparse:
            return src.astype(self.dtype).copy()
        return np.broadcast_to(castable(src, self.dtype), self.shape) if self.size else np.empty_like(self)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)

    def grad_src(g: V, src_shape: V, src_dtype: V) -> V:
        if isinstance(g, Tensor):
            folded = g if g._data.shape == tuple(src_shape) else g.sum_to_size(src_shape)  # type: ignore[attr-defined]
            return _sent_back(folded, src_dtype)
        return cast(_real_for(fold(g, src_shape), src_dtype), src_dtype)


@op(
    name="zero",
    symbol="0",
    latex={"self": "0"},
    summary={"self": "sends 0: the old values are gone"},
)
class zero:
    """All elements set to 0."""

    def forward(self: A) -> A:
        return np.zeros_like(self)

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@op(
    written_grad_fn="FillBackward2",
    symbol="fill",
    latex={"self": "0"},
    summary={"self": "sends 0: the old values are gone"},
)
class fill:
    """All elements set to one number."""

    def forward(self: A, value: Value) -> A:
        number = raw_number(value, _type_of(self))
        return np.full_like(self, number) if isinstance(self, np.ndarray) else number

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)


@op(
    grad_fn="FillBackward1",
    written_grad_fn="FillBackward3",
    symbol="fill",
    latex={"self": "0", "value": r"\textstyle\sum g"},
    summary={"self": "sends 0: the old values are gone", "value": "sums the incoming gradient"},
)
class fill_tensor:
    """All elements set to the value of a 0-d tensor."""

    def forward(self: A, value: A) -> A:
        if not self.size:
            return np.empty_like(self)
        return np.broadcast_to(castable(value, self.dtype), self.shape).astype(self.dtype)[()]

    def grad_self(g: V) -> V:
        return xp.zeros_like(g)

    def grad_value(g: V) -> V:
        return xp.sum(g, None)


def _type_of(value: A) -> dtype:
    return dtype.table[value.dtype]


def _fill_op(value: Value) -> str:
    if not isinstance(value, Tensor):
        return "fill"
    if value._data.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._data.ndim} dimensions."
        )
    return "fill_tensor"


@export("fill", method=False)
def _fill(input: Tensor, value: Value) -> Any:  # noqa: A002
    """A tensor like input with all elements set to one value."""
    return apply(primitives[_fill_op(value)], input, value)


@export(function=False)
def fill_(self: Tensor, value: Value) -> Tensor:
    """Set all elements to one value, in place."""
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError(
            f"fill_ only supports 0-dimension value tensor but got tensor with {value._data.ndim} dimensions."
        )
    check_number(value, self._dtype)
    return mutate(_fill_op(value), self, value, reported_as="fill_", expanded=not isinstance(value, Tensor), alias=True)


@export("zero_")
def _zero_in_place(input: Tensor) -> Tensor:  # noqa: A002
    """Set all elements to 0, in place."""
    return mutate("zero", input, expanded=True)


@export("clone")
def _clone(input: Tensor, *, memory_format: MemoryFormat = None) -> Any:  # noqa: A002
    """A copy of a tensor that is part of its graph."""
    return apply(primitives["clone"], input, memory_format)


def copied_in_layout(gradient: Tensor, leaf: Tensor) -> Tensor:
    """A recorded copy of a gradient in the layout of `leaf`: written into new memory, as PyTorch does it."""
    like = leaf._data
    dense = isinstance(like, np.generic) or (isinstance(like, np.ndarray) and is_dense(like))
    if type(gradient) is not Tensor or not dense or like.shape != gradient._data.shape:
        copied: Tensor = apply(primitives["copy_in_layout"], None, gradient, like)
        return copied
    new: Tensor = gradient.new_empty_strided(like.shape, element_strides(like))  # type: ignore[attr-defined]
    copy_(new, gradient)
    return new


@export(function=False)
def copy_(self: Tensor, src: Value, non_blocking: bool = False) -> Tensor:
    """Overwrite self with src, broadcast and converted; RuntimeError for shapes that don't broadcast."""
    if not isinstance(src, Tensor):
        src = make(np.asarray(src).astype(self._dtype.np)[()], self._dtype)
    lifted = isinstance(self, TransformTensor) or isinstance(src, TransformTensor)
    itself = is_same_memory(self, src)
    if not lifted:
        check_in_place(self, mode.enabled and (requires_grad(self) or requires_grad(src)))
        if not itself:
            check_written(self)
            check_overlap(self, (src,))
    shape = broadcast_shape(self._data.shape, src._data.shape)
    if shape != self._data.shape:
        raise RuntimeError(
            f"output with shape {list(self._data.shape)} doesn't match the broadcast shape {list(shape)}"
        )
    return mutate("copy", self, src, expanded=itself)


def _rearranged(tensor: Tensor, order: MemoryFormat) -> bool:
    """Return True when a memory format differs from that of a tensor's strides."""
    if order.name == "preserve_format":
        return False
    if not isinstance(tensor._data, np.ndarray):
        return not bool(tensor.is_contiguous(memory_format=order))  # type: ignore[attr-defined]
    return bool(is_channels_last(with_strides(tensor._array())) != order.name.startswith("channels_last"))


@export(function=False)
def to(self: Tensor, *args: Option, **kwargs: Option) -> Value:
    """The tensor in another dtype or on the device "meta", or itself; any other device is refused."""
    kind, where = self._dtype, self.device
    for a in (*args, *(kwargs.get(k) for k in ("dtype", "device", "other", "tensor"))):
        if isinstance(a, dtype):
            kind = a
        elif isinstance(a, Tensor):
            kind, where = a._dtype, a.device
        elif isinstance(a, (str, device, int)) and not isinstance(a, bool):
            where = check_device(a)
        elif a is not None and not isinstance(a, bool):
            raise TypeError(f"to(): neither a dtype, a device nor a tensor: {a!r}")
    if where.type != self.device.type:
        if self.is_meta:
            raise meta.no_data()
        meta.used[:] = [True]
        return apply(primitives["to_meta"], self, kind)
    order = kwargs.get("memory_format")
    flags = [a for a in args if isinstance(a, bool)]
    copied = kwargs.get("copy", False) or flags[1:] == [True]
    if kind is self._dtype and order is not None and _rearranged(self, order):
        return apply(primitives["to_copy"], self, kind, order)
    if kind is self._dtype and not copied:
        return self
    if self._dtype.is_complex and not kind.is_complex and kind is not types.bool_ and self._data.size:
        warn_once("Casting complex values to real discards the imaginary part")
    return apply(primitives["to_copy"], self, kind, order)


def _converter(kind: dtype) -> Any:
    def convert(self: Tensor, *, memory_format: MemoryFormat = None) -> Any:
        return to(self, kind, memory_format=memory_format)

    convert.__doc__ = f"The tensor as {kind.name}."
    return convert


for _name, _kind in {
    "float": types.float32, "double": types.float64, "half": types.float16, "bfloat16": types.bfloat16,
    "int": types.int32, "long": types.int64, "short": types.int16, "char": types.int8, "byte": types.uint8,
    "bool": types.bool_, "cfloat": types.complex64, "cdouble": types.complex128,
}.items():  # fmt: skip
    setattr(Tensor, _name, _converter(_kind))


@export(function=False)
def type_as(self: Tensor, other: Tensor) -> Value:
    """The tensor in the dtype of `other`."""
    return to(self, other._dtype)


@export(method=False)
def detach(input: Tensor) -> Tensor:  # noqa: A002
    """A view of the tensor's memory off the tape."""
    return input.detach()


@export(function=False)
def cpu(self: Tensor) -> Value:
    """The tensor itself; NotImplementedError for one without data."""
    return to(self, "cpu")


@export(function=False)
def cuda(self: Tensor, *args: Option, **kwargs: Option) -> Tensor:
    """PyTorch's error of a build without CUDA."""
    raise without_cuda()


@export("type", function=False)
def _type(self: Tensor, dtype: Dtype = None) -> Any:
    """The name of the tensor's type, or the tensor converted."""
    if dtype is None:
        return f"torch.{self._dtype.type_name}Tensor"
    from backscope.tensor.tensor_type import dtype_of

    return to(self, dtype_of(dtype) or dtype)
