"""Discrete Fourier transforms."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.ops.core.arguments.dims import wrap_dim
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import functional, torch_functions
from backscope.ops.linalg.matrices import constant
from backscope.runtime.given import Dim, Dtype, Shape, Value, Values
from backscope.tensor.tensor import Tensor

fft: dict[str, Callable[..., Any]] = {}
"""The functions of torch.fft."""

NONE, ROOT, WHOLE = 0, 1, 2
"""The divisors of a result: none, the square root of the number of elements, that number."""


def _scaled(values: Values, count: int, normalization: int) -> Any:
    if normalization == NONE:
        return values
    return values * values.real.dtype.type(1 / (math.sqrt(count) if normalization == ROOT else count))


def _count(shape: Shape, dim: Dim) -> int:
    return math.prod(shape[d] for d in dim)


def _laid_out(out: Value, source: Value, dim: tuple[int, ...], exact: int = 0) -> Any:
    """The result in the memory order of PyTorch's transforms: other dims by stride, then those transformed.

    The last `exact` of `dim` stay last, the others of them are in the order of their strides too.
    """
    if not dim:
        return out
    dims = [d % out.ndim for d in dim]
    head, tail = dims[: len(dims) - exact], dims[len(dims) - exact :]
    head.sort(key=lambda d: -source.strides[d])
    rest = sorted([d for d in range(out.ndim) if d not in dims], key=lambda d: -source.strides[d])
    order = [*rest, *head, *tail]
    return np.ascontiguousarray(out.transpose(order)).transpose(np.argsort(order))


@op(
    name="fft_c2c",
    grad_fn="FftC2CBackward0",
    symbol="fft",
    latex={"self": r"\text{fft}^{-1}(g)"},
    summary={"self": "transforms the incoming gradient the other way"},
)
class fft_c2c:
    """The transform of complex values over dims, forward or back."""

    def forward(self: A, dim: tuple[int, ...], normalization: int, forward: bool) -> A:
        out = np.fft.fftn(self, axes=dim) if forward else np.fft.ifftn(self, axes=dim, norm="forward")
        return _laid_out(_scaled(out.astype(self.dtype, copy=False), _count(self.shape, dim), normalization), self, dim)

    def grad_self(g: V, dim: V, normalization: V, forward: V) -> V:
        return xp.fft_c2c(g, dim, normalization, not forward)


@op(
    name="fft_r2c",
    grad_fn="FftR2CBackward0",
    symbol="rfft",
    latex={"self": r"\text{Re}\,\text{fft}^{-1}(g)"},
    summary={"self": "transforms the incoming gradient back and keeps the real part"},
)
class fft_r2c:
    """The transform of real values over dims; only one half of it where `onesided`."""

    def forward(self: A, dim: tuple[int, ...], normalization: int, onesided: bool) -> A:
        out = np.fft.rfftn(self, axes=dim) if onesided else np.fft.fftn(self, axes=dim)
        kind = np.complex64 if self.dtype == np.float32 else np.complex128
        return _laid_out(_scaled(out.astype(kind, copy=False), _count(self.shape, dim), normalization), self, dim, 1)

    def grad_self(g: V, self_shape: V, dim: V, normalization: V, onesided: V) -> V:
        if onesided:
            g = _padded(g, dim[-1], self_shape[dim[-1]])
        return xp.fft_c2c(g, dim, normalization, False).real


def _padded(value: V, dim: int, length: int) -> V:
    """A complex value with zeros after it along a dim."""
    missing = length - value.shape[dim]
    if missing <= 0:
        return value
    shape = list(value.shape)
    shape[dim] = missing
    return xp.cat([value, xp.zeros_of(value, tuple(shape))], dim)


@op(
    name="fft_c2r",
    grad_fn="FftC2RBackward0",
    symbol="irfft",
    latex={"self": r"\text{rfft}(g)"},
    summary={"self": "transforms the incoming gradient and counts twice what stood for two halves"},
)
class fft_c2r:
    """The real values that have this one-sided transform."""

    def forward(self: A, dim: tuple[int, ...], normalization: int, last_dim_size: int) -> A:
        lengths = [self.shape[d] for d in dim[:-1]] + [last_dim_size]
        out = np.fft.irfftn(self, s=lengths, axes=dim, norm="forward")
        kind = np.float32 if self.dtype == np.complex64 else np.float64
        return _laid_out(
            _scaled(out.astype(kind, copy=False), math.prod(lengths), normalization),
            self if len(dim) == 1 else _laid_out(self, self, dim[:-1]),
            dim[-1:],
        )

    def grad_self(g: V, dim: V, normalization: V) -> V:
        half = xp.fft_r2c(g, dim, normalization, True)
        last = dim[-1] % len(g.shape)
        doubled = g.shape[last] - half.shape[last]
        factors = np.ones(half.shape[last], dtype=(half._data if isinstance(half, Tensor) else half).real.dtype)
        factors[1 : 1 + doubled] = 2
        shape = [1] * len(g.shape)
        shape[last] = -1
        return half * constant(factors.reshape(shape), half)


def _normalization(norm: str | None, forward: bool) -> int:
    if norm in (None, "backward"):
        return NONE if forward else WHOLE
    if norm == "forward":
        return WHOLE if forward else NONE
    if norm == "ortho":
        return ROOT
    raise RuntimeError(f'Invalid normalization mode: "{norm}"')


def _resized(x: Value, dims: tuple[int, ...], lengths: Values) -> Any:
    """Cut the input, or pad it with zeros, to the given lengths."""
    for d, n in zip(dims, lengths, strict=True):
        if n is None or n == -1:
            continue
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
        if n < x.shape[d]:
            x = x.narrow(d, 0, n)
        elif n > x.shape[d]:
            x = functional["pad"](x, [0, 0] * (x.dim() - 1 - d) + [0, n - x.shape[d]])
    return x


def _floating(x: Value, name: str, *, to_complex: bool) -> Any:
    kind = x.dtype
    if kind.name in ("float16", "bfloat16"):
        raise RuntimeError(f"Unsupported dtype {kind.type_name}")
    if not kind.is_complex and not kind.is_floating_point:
        x = x.to(torch_functions["tensor"](0.0).dtype)
    if to_complex and not x.dtype.is_complex:
        x = x.to(_complex_of(x.dtype))
    return x


def _complex_of(kind: Dtype) -> Any:
    from backscope.tensor import dtype as types

    return types.complex128 if kind.name == "float64" else types.complex64


def _dims(x: Value, s: Value, dim: Dim) -> tuple[tuple[int, ...], Any]:
    s = (s,) if isinstance(s, int) else s
    if dim is not None:
        first = dim if isinstance(dim, int) else next(iter(dim), None)
        if not x.dim() and first is not None:
            raise IndexError(f"Dimension specified as {first} but tensor has no dimensions")
        dims = tuple(wrap_dim(d, x.dim()) for d in ((dim,) if isinstance(dim, int) else dim))
        if len(set(dims)) != len(dims):
            raise RuntimeError("FFT dims must be unique")
    elif s is not None:
        dims = tuple(range(x.dim() - len(s), x.dim()))
    else:
        dims = tuple(range(x.dim()))
    if s is not None and len(s) != len(dims):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    return dims, [None] * len(dims) if s is None else list(s)


def _many(name: str, forward: bool, default_dim: Any) -> None:
    def transform(input: Value, s: Value = None, dim: Dim = default_dim, norm: str | None = None) -> Any:  # noqa: A002
        x = _floating(input, name, to_complex=True)
        dims, lengths = _dims(x, s, dim)
        x = _resized(x, dims, lengths)
        return apply(primitives["fft_c2c"], x, dims, _normalization(norm, forward), forward) if dims else x

    def real(input: Value, s: Value = None, dim: Dim = default_dim, norm: str | None = None) -> Any:  # noqa: A002
        if input.dtype.is_complex:
            raise RuntimeError(f"r{name} expects a real-valued input tensor, but got {input.dtype.type_name}")
        x = _floating(input, name, to_complex=False)
        dims, lengths = _dims(x, s, dim)
        x = _resized(x, dims, lengths)
        return apply(primitives["fft_r2c"], x, dims, _normalization(norm, True), True)

    def to_real(input: Value, s: Value = None, dim: Dim = default_dim, norm: str | None = None) -> Any:  # noqa: A002
        x = _floating(input, name, to_complex=True)
        dims, lengths = _dims(x, s, dim)
        last = lengths[-1] if lengths[-1] not in (None, -1) else 2 * (x.shape[dims[-1]] - 1)
        x = _resized(x, dims, [*lengths[:-1], last // 2 + 1])
        return apply(primitives["fft_c2r"], x, dims, _normalization(norm, False), last)

    def hermitian(input: Value, s: Value = None, dim: Dim = default_dim, norm: str | None = None) -> Any:  # noqa: A002
        x = _floating(input, name, to_complex=True)
        dims, lengths = _dims(x, s, dim)
        if not dims:
            raise RuntimeError(f"h{name} must transform at least one axis")
        last = lengths[-1] if lengths[-1] not in (None, -1) else 2 * (x.shape[dims[-1]] - 1)
        if last < 1:
            raise RuntimeError(f"Invalid number of data points ({last}) specified")
        x = _resized(x, dims, [*lengths[:-1], last // 2 + 1])
        normalization = _normalization(norm, True)
        x = apply(primitives["fft_c2c"], x, dims[:-1], normalization, True) if len(dims) > 1 else x
        return apply(primitives["fft_c2r"], x.conj(), dims[-1:], normalization, last)

    def half_of_hermitian(input: Value, s: Value = None, dim: Dim = default_dim, norm: str | None = None) -> Any:  # noqa: A002
        if input.dtype.is_complex:
            raise RuntimeError(f"ih{name[1:]} expects a real-valued input tensor, but got {input.dtype.type_name}")
        x = _floating(input, name, to_complex=False)
        dims, lengths = _dims(x, s, dim)
        if not dims:
            raise RuntimeError(f"ih{name[1:]} must transform at least one axis")
        x = _resized(x, dims, lengths)
        normalization = _normalization(norm, False)
        half = apply(primitives["fft_r2c"], x, dims[-1:], normalization, True)
        if len(dims) == 1:
            return half.conj()
        return apply(primitives["fft_c2c"], half.conj_physical(), dims[:-1], normalization, False)

    fft[name] = transform
    fft["h" + name if forward else "ih" + name[1:]] = hermitian if forward else half_of_hermitian
    fft["r" + name if forward else "ir" + name[1:]] = real if forward else to_real
    for f in (transform, real, to_real, hermitian, half_of_hermitian):
        f.__name__ = f.__qualname__ = name


def _one(x: Value, n: int | None, dim: int) -> tuple[Any, int]:
    if x.dim() == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    d = wrap_dim(dim, x.dim())
    return _resized(x, (d,), [n]), d


def _single(name: str, forward: bool) -> None:
    def transform(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:  # noqa: A002
        x, d = _one(_floating(input, name, to_complex=False), n, dim)
        normalization = _normalization(norm, forward)
        if x.dtype.is_complex:
            return apply(primitives["fft_c2c"], x, (d,), normalization, forward)
        found = apply(primitives["fft_r2c"], x, (d,), normalization, False)
        return found if forward else found.conj()

    transform.__name__ = transform.__qualname__ = name
    fft[name] = transform


def _rfft(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:  # noqa: A002
    """The one-sided transform of real values."""
    if input.dtype.is_complex:
        raise RuntimeError(f"rfft expects a real input tensor, but got {input.dtype.type_name}")
    x, d = _one(_floating(input, "rfft", to_complex=False), n, dim)
    return apply(primitives["fft_r2c"], x, (d,), _normalization(norm, True), True)


def _ihfft(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:  # noqa: A002
    """The inverse of hfft: one half of a Hermitian signal."""
    if input.dtype.is_complex:
        raise RuntimeError(f"ihfft expects a real input tensor, but got {input.dtype.type_name}")
    x, d = _one(_floating(input, "ihfft", to_complex=False), n, dim)
    return apply(primitives["fft_r2c"], x, (d,), _normalization(norm, False), True).conj()


def _to_real(name: str, forward: bool) -> None:
    def transform(input: Value, n: int | None = None, dim: int = -1, norm: str | None = None) -> Any:  # noqa: A002
        x = _floating(input, name, to_complex=True)
        if not x.dim():
            raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
        d = wrap_dim(dim, x.dim())
        length = 2 * (x.shape[d] - 1) if n is None else n
        if length < 1:
            raise RuntimeError(f"Invalid number of data points ({length}) specified")
        x = _resized(x, (d,), [length // 2 + 1])
        if forward:
            x = x.conj()
        return apply(primitives["fft_c2r"], x, (d,), _normalization(norm, forward), length)

    transform.__name__ = transform.__qualname__ = name
    fft[name] = transform


def _shifted(sign: int) -> Callable[..., Any]:
    def shift(input: Value, dim: Dim = None) -> Any:  # noqa: A002
        dims = tuple(range(input.dim())) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
        shifts = [(n // 2 if sign > 0 else (n + 1) // 2) for n in (input.shape[d] for d in dims)]
        return input.roll(shifts, dims)

    return shift


def _frequencies(n: int, d: float = 1.0, *, dtype: Dtype = None, requires_grad: bool = False) -> Any:
    """The frequencies of fft's results, in cycles per unit of the spacing d."""
    steps = np.concatenate([np.arange((n + 1) // 2), np.arange(-(n // 2), 0)])
    made = _spaced(steps, n, d, dtype)
    made.requires_grad = requires_grad
    return made


def _real_frequencies(n: int, d: float = 1.0, *, dtype: Dtype = None, requires_grad: bool = False) -> Any:
    """The frequencies of rfft's results."""
    made = _spaced(np.arange(n // 2 + 1), n, d, dtype)
    made.requires_grad = requires_grad
    return made


def _spaced(steps: Any, n: int, d: float, dtype: Dtype) -> Any:
    scale = np.float64(n) * d
    return torch_functions["tensor"]((steps * np.divide(1.0, scale)).tolist(), dtype=dtype)


for _name, _forward in (("fft", True), ("ifft", False)):
    _single(_name, _forward)
    _many(_name + "n", _forward, None)
    _many(_name + "2", _forward, (-2, -1))
_to_real("irfft", False)
_to_real("hfft", True)
fft.update(
    rfft=_rfft,
    ihfft=_ihfft,
    fftshift=_shifted(1),
    ifftshift=_shifted(-1),
    fftfreq=_frequencies,
    rfftfreq=_real_frequencies,
)
