"""Views between complex tensors and pairs of real numbers: view_as_real, view_as_complex, real, imag."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.views import lazy_views
from backscope.ops.core.arguments.assigned_value import assigned
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply, to_array
from backscope.ops.core.namespace import export
from backscope.ops.pointwise.complex_numbers import _conj, _neg_view
from backscope.runtime.given import Value
from backscope.tensor.dtype import bfloat16, dtype, float16
from backscope.tensor.tensor import Tensor


@op(
    view=True,
    replays=True,
    symbol="re, im",
    conjugates=False,
    latex={"self": r"g_0 + i\, g_1"},
    summary={"self": "joins the two parts of the incoming gradient to complex numbers"},
)
class view_as_real:
    """Complex numbers as pairs of real ones in a new last dim, over the same memory."""

    def forward(self: A) -> A:
        array = to_array(self)
        return array[..., None].view(array.real.dtype)

    def grad_self(g: V) -> V:
        return xp.view_as_complex(xp.contiguous(g))


@op(
    view=True,
    replays=True,
    symbol="complex",
    conjugates=False,
    latex={"self": r"(\operatorname{Re} g, \operatorname{Im} g)"},
    summary={"self": "splits the incoming gradient into its real and imaginary part"},
)
class view_as_complex:
    """Pairs of real numbers in the last dim as complex ones, over the same memory."""

    def forward(self: A) -> A:
        array = to_array(self)
        return array.view(dtype.table[array.dtype].to_complex().np)[..., 0]

    def grad_self(g: V) -> V:
        return xp.view_as_real(xp.contiguous(g))


def _contiguous(value: V) -> V:
    return value.contiguous() if isinstance(value, Tensor) else np.asarray(value, order="C")  # type: ignore[attr-defined]


xp.contiguous = _contiguous


@export("view_as_real")
def _view_as_real(input: Tensor, *, copied: str = "") -> Any:  # noqa: A002
    """A view with real and imaginary parts in a new last dim."""
    if not input._dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if lazy_views.is_conj(input):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return apply(primitives["view_as_real" + copied], input)


@export("view_as_complex")
def _view_as_complex(input: Tensor) -> Any:  # noqa: A002
    """A complex view of pairs of real numbers in the last dim."""
    if not input._dtype.is_floating_point or input._dtype is bfloat16:
        raise RuntimeError(
            f"view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{input._dtype.type_name}"
        )
    if not input._data.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input._data.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    steps = input.stride()  # type: ignore[attr-defined]
    if steps[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % 2 and n != 1 for s, n in zip(steps[:-1], input._data.shape, strict=False)):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if input.storage_offset() % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    if input._dtype is float16:
        raise NotImplementedError(
            "Backscope does not have complex32, which pairs of float16 make: convert with float()."
        )
    return apply(primitives["view_as_complex"], input)


def _part(index: int, name: str) -> Any:
    def part(self: Tensor) -> Any:
        if not self._dtype.is_complex:
            if name == "imag":
                raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
            return self
        if not lazy_views.is_conj(self):
            return _view_as_real(self).select(-1, index)
        pairs = _view_as_real(_conj(self))
        return (_neg_view(pairs) if index else pairs).select(-1, index)

    part.__doc__ = f"The {name} part as a view."
    return part


real = export("real", method=False)(_part(0, "real"))

imag = export("imag", method=False)(_part(1, "imag"))


def _setter(part: Value) -> Any:
    def write(self: Tensor, value: Value) -> None:
        target = part(self)
        target.copy_(assigned(target, value))

    return write


setattr(Tensor, "real", property(real, _setter(real)))

setattr(Tensor, "imag", property(imag, _setter(imag)))
