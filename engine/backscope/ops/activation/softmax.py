"""softmax, log_softmax and logsumexp along a dim."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.ones import ones
from backscope.ops.core.arguments.dims import as_dims, restore, wrap_dim, wrap_dims
from backscope.ops.core.channels_last import row_major
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export, internal
from backscope.ops.core.unsupported import no_kernel
from backscope.runtime.given import Dim, Dtype, Value
from backscope.tensor.dtype import FLOATING, cast, dtype
from backscope.tensor.tensor import Tensor

_NEAR = 10.0
"""Largest spread of the numbers in an array for which their distances from the maximum keep all digits."""


def _rows(value: A, dim: int) -> A | None:
    """Return a contiguous array of real numbers as rows along its last dim `dim`; None for any other array."""
    if dim % value.ndim != value.ndim - 1 or value.dtype.kind != "f" or not value.flags.c_contiguous:
        return None
    return value.reshape(-1, value.shape[-1])


def _shifted(value: A, dim: int) -> A:
    """Subtract the maximum along dim, or the maximum of all elements where they are so close that no digit is lost."""
    rows = _rows(value, dim) if value.size > 256 else None
    if rows is None:
        return value - value.max(axis=dim, keepdims=True)
    top = rows.max()
    if top - rows.min() < _NEAR:
        return value - top
    return (rows - np.ascontiguousarray(rows.T).max(axis=0)[:, None]).reshape(value.shape)


_MOST, _MOST_INVERSE = 1e30, 1e10
"""Bounds of the squares of sums of powers and of the squares of their inverses, for all rows together."""


def powers(rows: A) -> tuple[A, A] | None:
    """Return exp of the rows and its sums without subtracting maxima, or None where a sum is too small or too large.

    With all sums in range, no power overflowed, and those that underflowed make no difference to their row.
    """
    e = np.exp(rows)
    total = e.dot(ones(rows.shape[1], rows.dtype))
    inverse = np.reciprocal(total)
    if not (total.dot(total) < _MOST and inverse.dot(inverse) < _MOST_INVERSE):
        return None
    return e, total[:, None]


def _low_quotient(e: A, total: A, dim: int, kind: Dtype) -> A:
    """Compute e / total in low precision: except along the last dim, PyTorch rounds e itself in whole blocks."""
    exact = (e / total).astype(kind)
    inner = int(np.prod(e.shape[dim % e.ndim + 1 :]))
    if dim % e.ndim == e.ndim - 1 or inner % 64 == 0:
        return exact
    rounded: A = (e.astype(kind).astype(np.float32) / total).astype(kind)
    if inner < 64:
        return rounded
    rows = exact.reshape(-1, inner)
    rows[:, 32:] = rounded.reshape(-1, inner)[:, 32:]
    return rows.reshape(e.shape)


def _sum_along(value: A, dim: int) -> A:
    rows = _rows(value, dim) if value.size > 256 else None
    if rows is not None:
        return rows.dot(ones(rows.shape[1], rows.dtype)).reshape(*value.shape[:-1], 1)
    return value.sum(axis=dim, keepdims=True)


@op(
    symbol="softmax",
    latex={"self": r"\text{result} \cdot (g - \textstyle\sum g \cdot \text{result})"},
    summary={
        "self": "multiplies each entry of the saved result by g minus the weighted sum of g along dim {dim}",
    },
)
class softmax:
    """exp(self) normalised to sum 1 along `dim`."""

    def forward(self: A, dim: int) -> A:
        if not self.size or not self.ndim:
            return np.ones_like(self)
        value = row_major(wide(self))
        if value is self and value.size > 256:
            rows = _rows(value, dim)
            found = None if rows is None else powers(rows)
            if found is not None:
                e, total = found
                e /= total
                return e.reshape(value.shape)
        e = np.exp(_shifted(value, dim))
        if e.dtype != self.dtype:
            return _low_quotient(e, _sum_along(e, dim), dim, self.dtype)
        e /= _sum_along(e, dim)
        return e

    def grad_self(g: V, result: V, dim: V) -> V:
        return xp.softmax_backward(g, result, dim)


@op(
    grad_fn="SoftmaxBackwardDataBackward0",
    symbol="softmax′",
    latex={
        "grad_output": r"\text{output} \cdot (g - \textstyle\sum g \cdot \text{output})",
        "output": r"g \cdot (\text{grad\_output} - \textstyle\sum \text{grad\_output} \cdot \text{output}) "
        r"- \text{grad\_output} \textstyle\sum g \cdot \text{output}",
    },
    summary={
        "grad_output": "multiplies each entry of the saved output by g minus the weighted sum of g along dim {dim}",
        "output": "combines g with the saved gradient and their weighted sums along dim {dim}",
    },
)
class softmax_backward:
    """The gradient of softmax as an op of its own."""

    def forward(grad_output: A, output: A, dim: int) -> A:
        if not output.ndim:
            return np.zeros_like(output)
        weighted = wide(grad_output) * wide(output)
        total = _sum_along(weighted, dim)
        weighted -= wide(output) * total
        return weighted.astype(output.dtype, copy=False)

    def grad_grad_output(g: V, output: V, dim: V) -> V:
        return xp.softmax_backward(g, output, dim)

    def grad_output(g: V, grad_output: V, output: V, dim: V) -> V:
        weighted = xp.sum(grad_output * output, dim, True)
        return g * (grad_output - weighted) - grad_output * xp.sum(g * output, dim, True)


@op(
    symbol="log softmax",
    latex={"self": r"g - e^{\text{result}} \cdot \textstyle\sum g"},
    summary={"self": "subtracts from g the sum of g along dim {dim} times exp of the saved result"},
)
class log_softmax:
    """log(softmax(self)) along `dim`."""

    def forward(self: A, dim: int) -> A:
        if not self.size or not self.ndim:
            return np.zeros_like(self)
        shifted = _shifted(row_major(wide(self)), dim)
        total = _sum_along(np.exp(shifted), dim)
        if shifted.dtype == self.dtype:
            shifted -= np.log(total)
            return shifted
        if dim % self.ndim == self.ndim - 1:
            total = np.log(total.astype(self.dtype).astype(np.float32)).astype(self.dtype).astype(np.float32)
        else:
            total = np.log(total)
        return (shifted - total).astype(self.dtype)

    def grad_self(g: V, result: V, dim: V) -> V:
        return xp.log_softmax_backward(g, result, dim)


@op(
    grad_fn="LogSoftmaxBackwardDataBackward0",
    symbol="log softmax′",
    latex={
        "grad_output": r"g - \textstyle\sum g \cdot e^{\text{output}}",
        "output": r"-g \cdot e^{\text{output}} \cdot \textstyle\sum \text{grad\_output}",
    },
    summary={
        "grad_output": "subtracts from g its sum along dim {dim}, weighted by exp of the saved output",
        "output": "multiplies g by minus exp of the saved output and the sum of the saved gradient",
    },
)
class log_softmax_backward:
    """The gradient of log_softmax as an op of its own."""

    def forward(grad_output: A, output: A, dim: int) -> A:
        if not output.ndim:
            return np.zeros_like(output)
        values = wide(grad_output)
        shares = np.exp(wide(output))
        shares *= _sum_along(values, dim)
        return np.subtract(values, shares, out=shares).astype(output.dtype, copy=False)

    def grad_grad_output(g: V, output: V, dim: V) -> V:
        return g - xp.sum(g * xp.exp(output), dim, True)

    def grad_output(g: V, grad_output: V, output: V, dim: V) -> V:
        return -xp.sum(grad_output, dim, True) * xp.exp(output) * g


def check_kernel(name: str, self: Tensor, dim: int) -> None:
    """Raise IndexError for a missing dim, NotImplementedError for elements of a type that is not floating point."""
    place = wrap_dim(dim, self._data.ndim)
    if self._dtype.category != FLOATING and self._data.size:
        last = place in (self._data.ndim - 1, 0 if not self._data.ndim else -1)
        raise no_kernel(f"{name}_{'lastdim_' if last else ''}kernel_impl", self._dtype)


def _normalised(name: str, self: Tensor, dim: int | None, kind: dtype | None) -> Any:
    if kind is not None:
        self = self.to(kind)  # type: ignore[attr-defined]
    if dim is None:
        dim = _implicit_dim(name, self._data.ndim)
    check_kernel(name, self, dim)
    return primitives[name].apply(self, dim)


def _implicit_dim(name: str, ndim: int) -> int:
    from backscope.runtime.warning import warn

    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


@export("softmax", function=False, method=False, nn=True)
def _softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Any:  # noqa: A002
    """exp(input) normalised to sum 1 along `dim`; IndexError for a dim out of range."""
    return _normalised("softmax", input, dim, dtype)


@export("log_softmax", function=False, method=False, nn=True)
def _log_softmax(
    input: Tensor,  # noqa: A002
    dim: int | None = None,
    _stacklevel: int = 3,
    dtype: dtype | None = None,
) -> Any:
    """log(softmax(input)) along `dim`, computed without overflow; IndexError for a dim out of range."""
    return _normalised("log_softmax", input, dim, dtype)


@export("softmax", "special_softmax")
def _softmax_along(input: Tensor, dim: int, dtype: dtype | None = None) -> Any:  # noqa: A002
    """exp(input) normalised to sum 1 along `dim`; IndexError for a dim out of range."""
    return _normalised("softmax", input, dim, dtype)


@export("log_softmax")
def _log_softmax_along(input: Tensor, dim: int, dtype: dtype | None = None) -> Any:  # noqa: A002
    """log(softmax(input)) along `dim`, computed without overflow; IndexError for a dim out of range."""
    return _normalised("log_softmax", input, dim, dtype)


@export(method=False, function=False, nn=True)
def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: dtype | None = None) -> Value:  # noqa: A002
    """softmax of the negated input."""
    if dim is None:
        dim = _implicit_dim("softmin", input._data.ndim)
    return _normalised("softmax", input.neg(), dim, dtype)  # type: ignore[attr-defined]


@op(
    symbol="ln Σ eˣ",
    latex={"self": r"g \cdot e^{\text{self} - \text{result}}"},
    summary={"self": "multiplies the incoming gradient by exp({self} − {result}), the softmax"},
)
class logsumexp:
    """log of the sum of exp(self) along dims, without overflow."""

    def forward(self: A, dim: Dim, keepdim: bool = False) -> A:
        axes = wrap_dims(dim, self.ndim)
        values = wide(self)
        if values.dtype != self.dtype and self.size:
            return _low_logsumexp(self, axes, keepdim)
        if not self.size:
            return np.log(np.sum(np.exp(values), axis=axes, keepdims=keepdim)).astype(self.dtype)
        if values.dtype.kind == "c":
            top = values.real.max(axis=axes, keepdims=True)
        else:
            top = values.max(axis=axes, keepdims=True)
        top = np.where(np.isfinite(top), top, 0).astype(values.real.dtype)
        found = np.log(np.sum(np.exp(values - top), axis=axes, keepdims=True)) + top
        return row_major(cast(found if keepdim else found.squeeze(axes)[()], dtype.table[self.dtype]))

    def grad_self(g: V, self: V, result: V, dim: V, keepdim: V) -> V:
        shape = tuple(self.shape)
        weights = xp.exp(self - restore(result, shape, dim, keepdim))
        if hasattr(weights, "conj"):
            weights = weights.conj()
        return restore(g, shape, dim, keepdim) * weights


def _low_logsumexp(self: A, axes: Dim, keepdim: bool) -> A:
    """logsumexp of a low precision type, which PyTorch composes of ops that each round."""

    def rounded(value: A) -> A:
        return np.asarray(value).astype(self.dtype)

    top = np.asarray(self.max(axis=axes, keepdims=True))
    top = np.where(np.isfinite(top.astype(np.float32)), top, rounded(0))
    powers = rounded(np.exp((self - top).astype(np.float32)))
    total = rounded(powers.astype(np.float32).sum(axis=axes, keepdims=True))
    found = rounded(np.log(total.astype(np.float32))) + top
    return found if keepdim else found.squeeze(axes)[()]


@export("logsumexp", "special_logsumexp")
def _logsumexp(input: Tensor, dim: Dim, keepdim: bool = False) -> Any:  # noqa: A002
    """log of the sum of exp along dims."""
    wrap_dims(dim, input._data.ndim)
    if input._dtype.category < 2:
        from backscope.tensor.dtype import default

        input = input.to(default.floating)  # type: ignore[attr-defined]  # noqa: A001
    return apply(primitives["logsumexp"], input, as_dims(dim), bool(keepdim))


def _backward_data(name: str, primitive: str) -> None:
    def call(grad_output: Tensor, output: Tensor, dim: int, input_dtype: Dtype) -> Any:
        found = apply(primitives[primitive], grad_output, output, dim)
        return found if found._dtype is input_dtype else found.to(input_dtype)

    call.__name__ = name
    call.__doc__ = f"The gradient of {primitive.removesuffix('_backward')} from that of its result."
    internal(call)


_backward_data("_softmax_backward_data", "softmax_backward")
_backward_data("_log_softmax_backward_data", "log_softmax_backward")
