"""Windows that a signal is multiplied by before its transform, symmetric or one period of many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from backscope.ops.core.namespace import export, torch_functions as f
from backscope.runtime.given import Device, Dtype, MemoryFormat, Value, Values
from backscope.tensor.dtype import default
from backscope.tensor.layout import strided

windows: dict[str, Callable[..., Any]] = {}
"""The functions of torch.signal.windows."""


def _window(M: int, start: Value, last: Value, made: dict[str, Any], value: Callable[[Any], Any]) -> Any:
    """`value` at M places from `start` to `last`."""
    return value(f["linspace"](start, last, M, **made)) if M else f["empty"]((0,), **made)


def _made(name: str, M: int, dtype: Dtype, layout: MemoryFormat, device: Device, requires_grad: bool) -> dict[str, Any]:
    """Return the options of a new window; ValueError for lengths, dtypes and layouts that windows can't have."""
    kind = default.floating if dtype is None else dtype
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if kind.name not in ("float32", "float64"):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
    return {"dtype": kind, "device": device, "requires_grad": requires_grad}


def _declare(words: str, called: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Publish a window: a function of its length, how often it is sampled in a period, and its own parameters.

    Errors have it as it is `called`, by default its name.
    """

    def decorate(shape: Callable[..., Any]) -> Callable[..., Any]:
        name = shape.__name__.strip("_")

        def window(
            M: int,
            *,
            sym: bool = True,
            dtype: Dtype = None,
            layout: MemoryFormat = strided,
            device: Device = None,
            requires_grad: bool = False,
            **parameters: Any,
        ) -> Any:
            made = _made(called or name, M, dtype, layout, device, requires_grad)
            return shape(M, M if not sym else M - 1, made, **parameters)

        window.__name__ = window.__qualname__ = name
        window.__doc__ = words
        windows[name] = window
        return window

    return decorate


@_declare("Falls off exponentially on both sides.")
def _exponential(M: int, period: int, made: Value, *, center: float | None = None, tau: float = 1.0) -> Any:
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if period == M - 1 and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    middle = (period if M > 1 else 0) / 2 if center is None else center
    scale = 1 / tau
    return _window(M, -middle * scale, (M - 1 - middle) * scale, made, lambda k: f["exp"](-k.abs()))


@_declare("Half a period of the sine.")
def _cosine(M: int, period: int, made: Value) -> Any:
    scale = math.pi / (period + 1 if M > 1 else max(M, 1))
    return _window(M, 0.5 * scale, (0.5 + (M - 1)) * scale, made, f["sin"])


@_declare("The bell curve.")
def _gaussian(M: int, period: int, made: Value, *, std: float = 1.0) -> Any:
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    start, scale = -(period if M > 1 else 0) / 2, 1 / (std * math.sqrt(2))
    return _window(M, start * scale, (start + (M - 1)) * scale, made, lambda k: f["exp"](-(k**2)))


@_declare("The Kaiser window: a Bessel function of a half circle.")
def _kaiser(M: int, period: int, made: Value, *, beta: float = 12.0) -> Any:
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    if M == 1:
        return f["ones"]((1,), **made)
    top = f["tensor"](beta, dtype=made["dtype"])
    last = f["minimum"](top, -top + (M - 1) * (2.0 * top / max(period, 1))) if M else top
    return _window(M, -top, last, made, lambda k: f["i0"](f["sqrt"](top * top - k**2)) / f["i0"](top))


@_declare("A triangle.")
def _bartlett(M: int, period: int, made: Value) -> Any:
    if M == 1:
        return f["ones"]((1,), **made)
    return _window(M, -1, -1 + (M - 1) * (2 / max(period, 1)), made, lambda k: 1 - k.abs())


def _cosines(M: int, period: int, made: Value, weights: Values) -> Any:
    """A sum of cosines of 0, 1, 2, ... periods with weights of changing sign."""
    if M == 1:
        return f["ones"]((1,), **made)
    signed = [(-1) ** i * w for i, w in enumerate(weights)]

    def value(k: Value) -> Any:
        own = {"dtype": made["dtype"], "requires_grad": made["requires_grad"]}
        factors, periods = f["tensor"](signed, **own), f["arange"](len(signed), **own)
        return (factors.unsqueeze(-1) * f["cos"](periods.unsqueeze(-1) * k)).sum(0)

    return _window(M, 0, (M - 1) * (2 * math.pi / max(period, 1)), made, value)


@_declare("A sum of cosines.")
def _general_cosine(M: int, period: int, made: Value, *, a: Value) -> Any:
    if M > 1 and not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if M > 1 and not a:
        raise ValueError("Coefficients cannot be empty")
    return _cosines(M, period, made, a)


@_declare("A raised cosine.", "general_cosine")
def _general_hamming(M: int, period: int, made: Value, *, alpha: float = 0.54) -> Any:
    return _cosines(M, period, made, (alpha, 1.0 - alpha))


@_declare("A cosine that does not fall to 0.", "general_cosine")
def _hamming(M: int, period: int, made: Value) -> Any:
    return _cosines(M, period, made, (0.54, 1.0 - 0.54))


@_declare("A cosine that falls to 0.", "general_cosine")
def _hann(M: int, period: int, made: Value) -> Any:
    return _cosines(M, period, made, (0.5, 0.5))


@_declare("Two cosines that fall to 0.")
def _blackman(M: int, period: int, made: Value) -> Any:
    return _cosines(M, period, made, (0.42, 0.5, 0.08))


@_declare("Three cosines that fall to 0.", "general_cosine")
def _nuttall(M: int, period: int, made: Value) -> Any:
    return _cosines(M, period, made, (0.3635819, 0.4891775, 0.1365995, 0.0106411))


def _old(name: str, shape: Callable[..., Any], *defaults: float) -> None:
    """Publish a window of `torch`: periodic by default, its parameters by position."""

    def window(
        window_length: int,
        periodic: bool = True,
        *parameters: float,
        dtype: Dtype = None,
        layout: MemoryFormat = strided,
        device: Device = None,
        requires_grad: bool = False,
        **named: float,
    ) -> Any:
        n, kind = window_length, default.floating if dtype is None else dtype
        if not kind.is_floating_point:
            raise RuntimeError(f"{name} expects floating point dtypes, got: {kind}")
        if n < 0:
            raise RuntimeError(f"{name} requires non-negative window_length, got window_length={n}")
        values = (*parameters, *named.values())
        values = (*values, *defaults[len(values) :])
        made = f["ones"](n, dtype=kind, device=device) if n < 2 else _sampled(n, periodic, kind, shape, values)
        made.requires_grad = requires_grad
        return made

    window.__name__ = window.__qualname__ = name
    window.__doc__ = "One of the windows that a signal is multiplied by before its transform."
    export(name, method=False)(window)


def _sampled(n: int, periodic: bool, kind: Dtype, shape: Callable[..., Any], values: Values) -> Any:
    count = n + 1 if periodic else n
    wide = f["arange"](count, dtype=kind)
    return shape(wide, count - 1, *values)[:n].clone()


def _raised(k: Value, last: int, alpha: float, beta: float) -> Any:
    return (k * (2 * math.pi / last)).cos() * -beta + alpha


def _two_cosines(k: Value, last: int) -> Any:
    turns = k * (math.pi / last)
    return (turns * 4).cos() * 0.08 - (turns * 2).cos() * 0.5 + 0.42


def _triangle(k: Value, last: int) -> Any:
    rising = k * (2 / last)
    return f["where"](rising <= 1, rising, 2 - rising)


def _bessel(k: Value, last: int, beta: float) -> Any:
    place = (k - last / 2) / (last / 2)
    return f["i0"](beta * f["sqrt"]((1 - place**2).clamp(min=0))) / f["i0"](f["tensor"](beta, dtype=k.dtype))


_old("hann_window", lambda k, last: _raised(k, last, 0.5, 0.5))
_old("hamming_window", _raised, 0.54, 0.46)
_old("blackman_window", _two_cosines)
_old("bartlett_window", _triangle)
_old("kaiser_window", _bessel, 12.0)
