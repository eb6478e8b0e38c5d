"""Differences, slopes and areas of sampled functions: diff, gradient, trapezoid and their kin."""

from __future__ import annotations

from typing import Any

from backscope.ops.core.arguments.dims import wrap_dims
from backscope.ops.core.declaration import xp
from backscope.ops.core.namespace import export, torch_functions as f
from backscope.runtime.given import Dim, Value, Values
from backscope.tensor.dtype import bool_, uint8
from backscope.tensor.tensor import Tensor


@export()
def diff(input: Tensor, n: int = 1, dim: int = -1, prepend: Value = None, append: Value = None) -> Value:  # noqa: A002
    """The n-th differences of neighbours along a dim."""
    if input.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [x for x in (prepend, input, append) if x is not None]
    given: Any = input
    if any(x.ndim != input.ndim for x in parts):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    if n == 0:
        return f["zeros_like"](given).copy_(given)
    out: Any = f["cat"](parts, dim) if len(parts) > 1 else given
    for _ in range(min(n, out.shape[dim])):
        length = out.shape[dim]
        later, earlier = out.narrow(dim, 1, length - 1), out.narrow(dim, 0, length - 1)
        out = f["logical_xor"](later, earlier) if out.dtype.category == 0 else later - earlier
    return out


def _heights(y: Value, dim: int) -> Any:
    n = y.shape[dim]
    return y.narrow(dim, 0, n - 1) + y.narrow(dim, 1, n - 1)


def _times(value: Value, factor: float) -> Any:
    """A value times a number; whole numbers become floating point."""
    return value * factor if value.dtype.category < 2 else xp.mul_scalar(value, factor)


def _over(value: Value, divisor: Any) -> Any:
    """A value divided by a number; whole numbers become floating point."""
    return value / divisor if value.dtype.category < 2 else xp.div_scalar(value, divisor)


def _areas(name: str, y: Value, x: Value, dim: int) -> Any:
    n = y.shape[dim]
    if x.ndim == 1 and y.ndim > 1:
        if x.shape[0] != n:
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        shape = [1] * y.ndim
        shape[dim] = n
        x = x.view(shape)
    widths = diff(x, 1, dim)
    return _heights(y, dim) * widths


def _refuse_truth(name: str, y: Tensor, x: Value) -> None:
    if y._dtype is bool_ or (isinstance(x, Tensor) and x._dtype is bool_):
        which = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {which}, but bool is not supported")


def _refuse_spacing(name: str, x: Value, dx: Value) -> None:
    if x is None and isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


@export("trapezoid", "trapz")
def _trapezoid(y: Tensor, x: Value = None, *, dx: Value = 1, dim: int = -1) -> Any:
    """The area under samples joined by straight lines."""
    _refuse_truth("trapezoid", y, x)
    if isinstance(x, (int, float)):
        x, dx = None, x
    _refuse_spacing("trapezoid", x, dx)
    if not y.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    d = wrap_dims(dim, y.ndim)[0]
    if y.shape[d] == 0:
        return f["zeros"]([s for i, s in enumerate(y.shape) if i != d], dtype=y.dtype)
    if x is None:
        ends = y.select(dim, 0) + y.select(dim, -1)  # type: ignore[attr-defined]
        return _times(y.sum(dim) - _times(ends, 0.5), dx)  # type: ignore[attr-defined]
    return _over(_areas("trapezoid", y, x, dim).sum(dim), 2.0)


@export()
def cumulative_trapezoid(y: Tensor, x: Value = None, *, dx: Value = 1, dim: int = -1) -> Value:
    """The area up to each sample but the first."""
    _refuse_truth("cumulative_trapezoid", y, x)
    _refuse_spacing("cumulative_trapezoid", x, dx)
    if not y.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if y.shape[wrap_dims(dim, y.ndim)[0]] == 0:
        return y.clone()  # type: ignore[attr-defined]
    if x is None:
        return _times(_heights(y, dim), dx / 2.0).cumsum(dim)
    return _over(_areas("cumulative_trapezoid", y, x, dim).cumsum(dim), 2.0)


@export(method=False)
def gradient(input: Tensor, *, spacing: Value = 1, dim: Dim = None, edge_order: int = 1) -> Values:  # noqa: A002
    """The slopes of samples along dims by central differences, one-sided at the ends."""
    if input._dtype is uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    dims = list(range(input.ndim)) if dim is None else [dim] if isinstance(dim, int) else list(dim)
    spacing = 1 if spacing is None else spacing
    steps = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if len(steps) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the "
            f"same length, but got a spacing argument of length {len(steps)} and a dim argument of length {len(dims)}."
        )
    wrap_dims(dims, input.ndim)
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    return tuple(_slope(input, d % input.ndim, s, edge_order) for d, s in zip(dims, steps, strict=True))


def _slope(y: Value, dim: int, step: Value, order: int) -> Any:
    n = y.shape[dim]
    if n < order + 1:
        raise RuntimeError("torch.gradient expected each dimension size to be at least edge_order+1")

    def at(i: int, count: int = 1) -> Any:
        return y.narrow(dim, i, count)

    if isinstance(step, Tensor):
        return _uneven_slope(y, dim, step, order)
    inner = _over(_over(at(2, n - 2) - at(0, n - 2), 2), step)
    if order == 1:
        first, last = _over(at(1) - at(0), step), _over(at(n - 1) - at(n - 2), step)
    else:
        first = _over(_times(at(0), -1.5) + _times(at(1), 2) - _times(at(2), 0.5), step)
        last = _over(_times(at(n - 1), 1.5) - _times(at(n - 2), 2) + _times(at(n - 3), 0.5), step)
    return f["cat"]([first, inner, last], dim)


def _uneven_slope(y: Value, dim: int, x: Value, order: int) -> Any:
    n = y.shape[dim]
    shape = [1] * y.ndim
    shape[dim] = -1
    gaps = diff(x)

    def at(i: int, count: int = 1) -> Any:
        return y.narrow(dim, i, count)

    left, right = gaps[:-1].view(shape), gaps[1:].view(shape)
    a, b, c = -right / (left * (left + right)), (right - left) / (left * right), left / (right * (left + right))
    inner = a * at(0, n - 2) + b * at(1, n - 2) + c * at(2, n - 2)
    if order == 1:
        first, last = (at(1) - at(0)) / gaps[0], (at(n - 1) - at(n - 2)) / gaps[-1]
    else:
        p, q = gaps[0], gaps[1]
        first = -(2 * p + q) / (p * (p + q)) * at(0) + (p + q) / (p * q) * at(1) + -p / (q * (p + q)) * at(2)
        p, q = gaps[-2], gaps[-1]
        last = q / (p * (p + q)) * at(n - 3) + -(p + q) / (p * q) * at(n - 2) + (2 * q + p) / (q * (p + q)) * at(n - 1)
    return f["cat"]([first, inner, last], dim)
