"""Broadcasting: expanding without a copy, and its opposite, summing down to a shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.unbroadcast import fold
from backscope.ops.core.arguments.dims import Dims, sizes
from backscope.ops.core.arguments.signatures import check
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.elementwise import mismatch
from backscope.ops.core.namespace import export
from backscope.runtime.given import Shape, Value
from backscope.tensor.dtype import BOOL, COMPLEX, bfloat16
from backscope.tensor.tensor import Tensor


@op(
    view=True,
    broadcasts=True,
    symbol="expand",
    latex={"self": r"\textstyle\sum g"},
    summary={"self": "sums the incoming gradient over the repeated dims"},
)
class expand:
    """Dims of length 1 repeated without copying."""

    def forward(self: A, size: Dims) -> A:
        array = to_array(self)
        if array.shape == size:
            return array[...]
        lead = len(size) - array.ndim
        strides = []
        for i, (n, s) in enumerate(zip(array.shape, array.strides, strict=True)):
            strides.append(0 if n == 1 and size[i + lead] != 1 else s)
        for n in reversed(size[:lead]):
            strides.insert(0, size[-len(strides)] * strides[0] if n == 1 and array.ndim else 0)
        if array.flags.c_contiguous and array.dtype.isbuiltin == 1:
            return np.ndarray(size, array.dtype, array, 0, strides)  # It takes a third of as_strided's time.
        return np.lib.stride_tricks.as_strided(array, size, strides)

    def grad_self(g: V, self_shape: V) -> V:
        return xp.sum_to_size(g, self_shape)


def type_string(value: Tensor) -> str:
    """Return the name of a tensor's type as PyTorch's core writes it in errors."""
    kind = value._dtype
    if kind is bfloat16 or kind.category in (BOOL, COMPLEX):
        return f"CPU{kind.type_name}Type"
    return f"torch.{kind.type_name}Tensor"


@export("expand", function=False)
def _expand(self: Tensor, *args: Any, size: Shape = None, implicit: bool = False, copied: str = "") -> Any:
    """Dims of length 1 repeated without copying; -1 keeps a dim."""
    wanted, own = sizes(args if size is None else (size,)), self._data.shape
    lead = len(wanted) - len(own)
    if lead < 0:
        raise RuntimeError(
            f"expand({type_string(self)}{{{list(own)}}}, size={list(wanted)}): the number of sizes "
            f"provided ({len(wanted)}) must be greater or equal to the number of dimensions in the tensor ({len(own)})"
        )
    if any(n == -1 for n in wanted[:lead]):
        raise RuntimeError(
            "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension "
            f"{list(wanted).index(-1)}"
        )
    if any(n < -1 for n in wanted):
        raise RuntimeError("numel: integer multiplication overflow")
    full = tuple([own[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(wanted)])
    check_expands(own, full, wanted)
    return apply(primitives["expand" + copied], self, full)


def check_expands(own: Shape, full: Shape, wanted: Shape = None) -> None:
    """Raise RuntimeError where a shape can't be expanded to `full`; the error shows `wanted`, as the user gave it."""
    lead = len(full) - len(own)
    for i, n in reversed([*enumerate(own, lead)]):
        if i >= 0 and n not in (1, full[i]):
            raise RuntimeError(
                f"The expanded size of the tensor ({full[i]}) must match the existing size ({n}) at non-singleton "
                f"dimension {i}.  Target sizes: {list(full if wanted is None else wanted)}.  Tensor sizes: {list(own)}"
            )


def _expand_to(value: V, shape: tuple[int, ...]) -> V:
    """Expand a value to the shape of the tensor that it is a sum of."""
    if isinstance(value, Tensor):
        return apply(primitives["expand"], value, shape)
    # numpy's broadcast_to gives dims of length 1 other strides than PyTorch's expand.
    return _expanded(value, tuple(shape)) if 0 not in shape else np.empty(shape, value.dtype)


_expanded = primitives["expand"].forward
xp.expand = _expand_to


@export(function=False)
def expand_as(self: Tensor, other: Tensor) -> Value:
    """Expand to the shape of `other`."""
    return _expand(self, other._data.shape)


@export()
def broadcast_to(input: Tensor, size: Shape) -> Value:  # noqa: A002
    """Expand to `size`."""
    return _expand(input, size)


@export(method=False)
def broadcast_tensors(*tensors: Value) -> tuple[Any, ...]:
    """Expand all tensors to their common shape."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)) else tensors
    shape: tuple[int, ...] = ()
    for x in given:
        try:
            shape = np.broadcast_shapes(shape, x._data.shape)
        except ValueError:
            raise mismatch(shape, x._data.shape) from None
    return tuple([x if x._data.shape == shape else _expand(x, shape) for x in given])


def _expandable(small: Any, large: Any) -> bool:
    """Return True when a shape can be broadcast to another."""
    lead = len(large) - len(small)
    return lead >= 0 and all(n in (1, large[i + lead]) for i, n in enumerate(small))


@export(function=False)
def sum_to_size(self: Tensor, *shape: Shape) -> Value:
    """Sum over the dims along which `shape` was broadcast to this shape."""
    if not shape:
        check("Tensor", "sum_to_size", (self,), {})
    wanted = sizes(shape)
    own = self._data.shape
    if not _expandable(wanted, own):
        raise RuntimeError(f"size {{{list(wanted)}}} is not expandable to size {{{list(own)}}}.")
    if not wanted:
        return self.sum()  # type: ignore[attr-defined]
    if own == wanted:
        return self
    lead = len(own) - len(wanted)
    dims = (*range(lead), *(i + lead for i, n in enumerate(wanted) if n == 1 and own[i + lead] != 1))
    summed: Any = self.sum(dims, keepdim=True) if dims else self  # type: ignore[attr-defined]
    return summed.reshape(wanted) if lead else summed


def _raw_summed(value: A, shape: tuple[int, ...]) -> A:
    return value if value.shape == shape else fold(value, shape)


def _either_summed(value: V, shape: Shape) -> V:
    return sum_to_size(value, tuple(shape)) if isinstance(value, Tensor) else fold(value, tuple(shape))


_either_summed.forward = _raw_summed  # type: ignore[attr-defined]
xp.sum_to_size = _either_summed
