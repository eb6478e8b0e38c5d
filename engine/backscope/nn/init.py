"""nn.init: the first values of parameters, drawn as PyTorch draws them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import no_grad
from backscope.ops.core.namespace import torch_functions as F
from backscope.runtime.given import Option, Value
from backscope.runtime.listening import hub
from backscope.runtime.warning import warn
from backscope.tensor.dtype import LOW_PRECISION


def _filled(tensor: Value, fill: Callable[[], Any]) -> Any:
    """Call `fill()` and return the tensor; a new tensor is reported to the listener after it has its values."""
    listener = hub.listener
    with no_grad():
        if listener is None or tensor._token is not None or tensor._view is not None:
            return fill()
        hub.listener = None
        try:
            found = fill()
        finally:
            hub.listener = listener
    listener.created(tensor, type(tensor).__name__)
    return found


_UNIT_GAIN = ("linear", "sigmoid", *(f"conv{kind}{n}d" for kind in ("", "_transpose") for n in (1, 2, 3)))


def calculate_gain(nonlinearity: str, param: Value = None) -> float:
    """Return the factor that preserves the variance through a nonlinearity; ValueError for an unknown one."""
    if nonlinearity in _UNIT_GAIN:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is not None and (isinstance(param, bool) or not isinstance(param, (int, float))):
            raise ValueError(f"negative_slope {param} not a valid number")
        slope = 0.01 if param is None else param
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Value, a: float = 0.0, b: float = 1.0, generator: Option = None) -> Value:
    """Fill with uniform numbers in [a, b)."""
    return _filled(tensor, lambda: tensor.uniform_(a, b, generator=generator))


def normal_(tensor: Value, mean: float = 0.0, std: float = 1.0, generator: Option = None) -> Value:
    """Fill with normal numbers."""
    return _filled(tensor, lambda: tensor.normal_(mean, std, generator=generator))


def trunc_normal_(
    tensor: Value, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Option = None
) -> Value:
    """Fill with normal numbers, those outside [a, b] drawn again."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
        )

    def share_below(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    inside = share_below((b - mean) / std) - share_below((a - mean) / std)
    draw = _redraw_outside if inside > 0.3 else _draw_by_rejection
    return _filled(tensor, lambda: draw(tensor, mean, std, a, b, generator))


def _redraw_outside(tensor: Value, mean: float, std: float, a: float, b: float, generator: Option) -> Any:
    low, high = tensor.new_tensor(a).item(), tensor.new_tensor(b).item()
    result = tensor.normal_(mean, std, generator=generator)
    while True:
        outside = (result < low) | (result > high)
        if not outside.any():
            break
        again = F["empty_like"](result).normal_(mean, std, generator=generator)
        result = F["where"](outside, again, result)
    if result is not tensor:
        tensor.copy_(result)
    return tensor


def _draw_by_rejection(tensor: Value, mean: float, std: float, a: float, b: float, generator: Option) -> Any:
    """Draw uniform numbers and accept them by the density: quick where most normal numbers are out of bounds."""
    mode = max(a, min(mean, b))
    peak = -0.5 * ((mode - mean) / std) ** 2

    def rejected(candidates: Any) -> Any:
        density = candidates.sub_(mean).div_(std).pow_(2).mul_(-0.5).sub_(peak)
        return F["empty_like"](tensor).uniform_(generator=generator).log_().gt(density)

    tensor.uniform_(a, b, generator=generator)
    pending = rejected(tensor.clone())
    result = tensor
    while pending.any():
        candidates = F["empty_like"](tensor).uniform_(a, b, generator=generator)
        result = F["where"](pending, candidates, result)
        pending = F["where"](pending, rejected(candidates.clone()), pending)
    if result is not tensor:
        tensor.copy_(result)
    return tensor


def constant_(tensor: Value, val: float) -> Value:
    """Fill with one number."""
    return _filled(tensor, lambda: tensor.fill_(val))


def ones_(tensor: Value) -> Value:
    """Fill with 1."""
    return _filled(tensor, lambda: tensor.fill_(1.0))


def zeros_(tensor: Value) -> Value:
    """Fill with 0."""
    return _filled(tensor, lambda: tensor.zero_())


def eye_(tensor: Value) -> Value:
    """Make a matrix the identity; ValueError for anything but a matrix."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _filled(tensor, lambda: tensor.copy_(F["eye"](*tensor.shape, dtype=tensor.dtype)))


def dirac_(tensor: Value, groups: int = 1) -> Value:
    """Make the weight of a convolution pass its input channels on, as many as there are outputs."""
    if tensor.ndimension() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    outputs, inputs, *window = tensor.shape
    if outputs % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    each = outputs // groups
    centre = tuple(n // 2 for n in window)

    def fill() -> Any:
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(each, inputs)):
                tensor[(group * each + channel, channel, *centre)] = 1
        return tensor

    return _filled(tensor, fill)


def _calculate_fan_in_and_fan_out(tensor: Value) -> tuple[int, int]:
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    outputs, inputs, *window = tensor.shape
    return inputs * math.prod(window), outputs * math.prod(window)


def _calculate_correct_fan(tensor: Value, mode: str) -> int:
    mode = mode.lower()
    modes = ["fan_in", "fan_out"]
    if mode not in modes:
        raise ValueError(f"Mode {mode} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode)]


def _xavier_spread(tensor: Value, gain: float) -> float:
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


def xavier_uniform_(tensor: Value, gain: float = 1.0, generator: Option = None) -> Value:
    """Fill with uniform numbers with a variance from the sum of the inputs and outputs (Glorot)."""
    bound = math.sqrt(3.0) * _xavier_spread(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Value, gain: float = 1.0, generator: Option = None) -> Value:
    """Fill with normal numbers with a variance from the sum of the inputs and outputs (Glorot)."""
    return normal_(tensor, 0.0, _xavier_spread(tensor, gain), generator)


def _kaiming_spread(tensor: Value, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor.shape:
        warn("Initializing zero-element tensors is a no-op")
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Value, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Option = None
) -> Value:
    """Fill with uniform numbers with a variance from the inputs (or outputs) and the nonlinearity (He)."""
    spread = _kaiming_spread(tensor, a, mode, nonlinearity)
    return tensor if spread is None else uniform_(tensor, -math.sqrt(3.0) * spread, math.sqrt(3.0) * spread, generator)


def kaiming_normal_(
    tensor: Value, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu", generator: Option = None
) -> Value:
    """Fill with normal numbers with a variance from the inputs (or outputs) and the nonlinearity (He)."""
    spread = _kaiming_spread(tensor, a, mode, nonlinearity)
    return tensor if spread is None else normal_(tensor, 0, spread, generator)


def orthogonal_(tensor: Value, gain: float = 1, generator: Option = None) -> Value:
    """Fill with a matrix of orthogonal rows or columns, times `gain`; dims after the first count as columns."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows

    def fill() -> Any:
        matrix = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        if tensor._dtype in LOW_PRECISION:
            raise NotImplementedError(f"\"geqrf_cpu\" not implemented for '{tensor._dtype.type_name}'")
        drawn = matrix.numpy()
        q, r = np.linalg.qr(drawn.T if rows < columns else drawn)
        q = q * np.sign(np.diag(r))
        tensor.copy_(F["from_numpy"](np.ascontiguousarray(q.T if rows < columns else q)).view(tensor.shape))
        return tensor.mul_(gain)

    return _filled(tensor, fill)


def sparse_(tensor: Value, sparsity: float, std: float = 0.01, generator: Option = None) -> Value:
    """Fill a matrix with normal numbers of which a share in each column is 0."""
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)

    def fill() -> Any:
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[F["randperm"](rows)[:zeros], column] = 0
        return tensor

    return _filled(tensor, fill)


def _deprecated(current: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function without the underscore in its name, which gives a deprecation warning."""
    name = current.__name__[:-1]

    def old(*args: Any, **kwargs: Any) -> Any:
        warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{current.__name__}`.", FutureWarning)
        return current(*args, **kwargs)

    old.__name__ = old.__qualname__ = name
    old.__doc__ = f"The old name of {current.__name__}, which warns."
    return old


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)
