"""batch_norm: every channel with mean 0 and variance 1 over the batch."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from backscope.ops.core.channels_last import following
from backscope.ops.core.declaration import A, K, Op, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export, internal
from backscope.ops.layers.normalized import projected, second, standardized
from backscope.runtime.given import Option, Value, Values
from backscope.runtime.listening import hub
from backscope.tensor.dtype import LOW_PRECISION, bfloat16, cast, dtype
from backscope.tensor.size import Size
from backscope.tensor.tensor import Tensor


def _lift(value: Value, ndim: int) -> Any:
    """Reshape one value per channel to broadcast with an input of `ndim` dims."""
    return xp.reshape(value, (1, -1, *(1,) * (ndim - 2)))


def _channel_sums(value: A) -> A:
    """Sums over everything but the channels."""
    if value.ndim == 2:
        return np.ones(len(value), value.dtype) @ value
    flat = value.reshape(*value.shape[:2], -1)
    return flat.sum(-1).sum(0)


def _channel_products(a: A, b: A) -> A:
    """Sums of products over everything but the channels."""
    if a.ndim == 2:
        return np.einsum("nc,nc->c", a, b)
    return np.einsum("ncl,ncl->c", a.reshape(*a.shape[:2], -1), b.reshape(*b.shape[:2], -1))


@op(
    grad_fn="NativeBatchNormBackward0",
    outputs=3,
    differentiable=1,
    returns=("result0", "result1", "result2"),
    symbol="batch norm",
    latex={
        "input": r"\frac{w}{\sigma}(g - \overline{g} - \hat{x}\, \overline{g \hat{x}})",
        "weight": r"\textstyle\sum g \cdot \hat{x}",
        "bias": r"\textstyle\sum g",
    },
    summary={
        "input": "takes off each channel's mean and its part along the normalized values, times {weight} / σ",
        "weight": "sums the incoming gradient times the normalized values of each channel",
        "bias": "sums the incoming gradient of each channel",
    },
)
class native_batch_norm:
    """Each channel standardized by its own mean and variance, or by running ones, then scaled and shifted."""

    def forward(
        input: A,  # noqa: A002
        weight: A | None,
        bias: A | None,
        running_mean: K | None,
        running_var: K | None,
        training: bool,
        momentum: float,
        eps: float,
    ) -> tuple[A, ...]:
        values = wide(input)
        kind = dtype.table[input.dtype]
        shape = (1, -1, *(1,) * (input.ndim - 2))
        kept = next((p.dtype for p in (weight, bias, running_mean, running_var) if p is not None), input.dtype)
        if training:
            n = input.size // max(input.shape[1], 1)
            mean = _channel_sums(values) / values.dtype.type(max(n, 1))
            centred = values - mean.reshape(shape)
            var = _channel_products(centred, centred)
            if kept == bfloat16.np:  # PyTorch stores the sum of squares, and the variance, in a tensor of this type.
                var = var.astype(kept)
            var = wide(var / var.dtype.type(max(n, 1)))
            scale = 1 / np.sqrt(var + values.dtype.type(eps))
            for running, found in ((running_mean, mean), (running_var, var * (n / max(n - 1, 1)))):
                if running is not None and n:
                    if hub.keeper is not None:
                        hub.keeper.before_change(running)
                    running[...] = momentum * found.astype(np.float64) + (1 - momentum) * running.astype(np.float64)
            statistics = mean.astype(kept, copy=False), scale.astype(kept, copy=False)
            mean, scale = (wide(s) for s in statistics)
        else:
            mean = wide(running_mean)
            scale = 1 / np.sqrt(wide(running_var) + values.dtype.type(eps))
            statistics = np.zeros(0, kept), np.zeros(0, kept)
        factor = scale if weight is None else scale * wide(weight)
        out = values * factor.reshape(shape)
        out += (-mean * factor if bias is None else wide(bias) - mean * factor).reshape(shape)
        return following(cast(out, kind), input), *statistics

    def grad(
        g: V,
        input: V,  # noqa: A002
        weight: V,
        running_mean: V,
        running_var: V,
        result1: V,
        result2: V,
        training: V,
        eps: V,
        needs: Option,
    ) -> V:
        return xp.native_batch_norm_backward(
            g, input, weight, running_mean, running_var, result1, result2, training, eps, needs
        )


@op(
    grad_fn="NativeBatchNormBackwardBackward0",
    outputs=3,
    symbol="batch norm′",
    latex={
        "grad_out": r"\frac{w}{\sigma} P(g_\text{input}) + g_\text{weight} \hat{x} + g_\text{bias}",
        "input": r"\frac{1}{\sigma} P(u) - \hat{x}\,\frac{\ldots}{\sigma^2}",
        "weight": r"\textstyle\sum g_\text{input} \cdot P(\text{grad\_out}) / \sigma",
        "save_mean": "0",
        "save_invstd": "0",
    },
    summary={
        "grad_out": "standardizes the gradients that come in for {input}, {weight} and the bias",
        "input": "combines the incoming gradients with {grad_out} through mean and variance of {input}",
        "weight": "sums the gradient that comes in for {input} times that of {input}",
        "save_mean": "sends nothing: the mean counts as part of {input}",
        "save_invstd": "sends nothing: the deviation counts as part of {input}",
    },
)
class native_batch_norm_backward:
    """The gradients of input, weight and bias of a batch norm: those marked in `output_mask`."""

    def forward(
        grad_out: A,
        input: A,  # noqa: A002
        weight: A | None,
        running_mean: K | None,
        running_var: K | None,
        save_mean: A,
        save_invstd: A,
        train: bool,
        eps: float,
        output_mask: tuple[bool, ...],
    ) -> tuple[A, ...]:
        values, g = wide(input), wide(grad_out)
        kind = dtype.table[input.dtype]
        shape = (1, -1, *(1,) * (input.ndim - 2))
        mean, scale = (
            (wide(save_mean), wide(save_invstd))
            if train
            else (wide(running_mean), 1 / np.sqrt(wide(running_var) + values.dtype.type(eps)))
        )
        normal = (values - mean.reshape(shape)) * scale.reshape(shape)
        total, along = _channel_sums(g), _channel_products(g, normal)
        found: list[Any] = [None, None, None]
        if output_mask[0]:
            factor = (scale if weight is None else scale * wide(weight)).reshape(shape)
            if train:
                n = values.dtype.type(max(input.size // max(input.shape[1], 1), 1))
                normal *= (along / n).reshape(shape)
                normal += (total / n).reshape(shape)
                g = np.subtract(g, normal, out=normal)
            found[0] = following(cast(g * factor, kind), input)
        if output_mask[1]:
            found[1] = along if weight is None else cast(along, dtype.table[weight.dtype])
        if output_mask[2]:
            found[2] = cast(total, kind if weight is None else dtype.table[weight.dtype])
        return tuple(found)

    def grad(
        g: V,
        grad_out: V,
        input: V,  # noqa: A002
        weight: V,
        running_mean: V,
        running_var: V,
        train: V,
        eps: V,
        needs: Option,
    ) -> V:
        ndim = len(input.shape)
        dims = (0, *range(2, ndim))
        of_input, of_weight, of_bias = g
        factor = 1.0 if weight is None else _lift(weight, ndim)
        if train:
            normal, scale = standardized(input, dims, eps)
        else:
            scale = _lift(xp.rsqrt(running_var + eps), ndim)
            normal = (input - _lift(running_mean, ndim)) * scale
        extra = None if of_weight is None else _lift(of_weight, ndim) * grad_out
        for_g = for_input = for_weight = None
        if train:
            if of_input is not None or extra is not None:
                inner, for_input = second(of_input, grad_out * factor, extra, normal, scale, dims)
                for_g = None if inner is None else inner * factor
        else:
            for_g = None if of_input is None else of_input * (scale * factor)
            for_input = None if extra is None else extra * scale
        if of_weight is not None:
            for_g = _plus(for_g, _lift(of_weight, ndim) * normal)
        if of_bias is not None:
            for_g = _plus(for_g, _lift(of_bias, ndim) + xp.zeros_like(grad_out))
        if of_input is not None and weight is not None:
            through = projected(grad_out, normal, dims) if train else grad_out
            for_weight = xp.reshape(xp.sum(of_input * through * scale, dims, True), tuple(weight.shape))
        return for_g, for_input, for_weight, None, None


def _plus(a: V, b: V) -> V:
    return b if a is None else a + b


def _check_channels(channels: int, **parts: Any) -> None:
    for name, part in parts.items():
        if part is not None and part._data.size != channels:
            raise RuntimeError(f"{name} should contain {channels} elements not {part._data.size}")


def _check_types(input: Tensor, *parts: Any) -> None:  # noqa: A002
    if input._dtype.category < 2:
        raise NotImplementedError(f"\"batch_norm\" not implemented for '{input._dtype.type_name}'")
    for part in parts:
        if part is not None and part._dtype is not input._dtype:
            if input._dtype in LOW_PRECISION and part._dtype.name == "float32":
                continue
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def normalize_batch(
    input: Tensor,  # noqa: A002
    weight: Value,
    bias: Value,
    running_mean: Value,
    running_var: Value,
    training: bool,
    momentum: float,
    eps: float,
    *,
    name: str = "native_batch_norm",
    alone: bool = False,
) -> Values:
    """The normalized input and statistics; in training, the running ones move towards those of the batch.

    With `alone` the program gets the normalized input only, never the statistics.
    """
    shape = input._data.shape
    channels = shape[1] if len(shape) > 1 else 0
    _check_channels(channels, running_mean=running_mean, running_var=running_var)
    for missing, part in (("running_mean", running_mean), ("running_var", running_var)):
        if part is None and not training:
            raise RuntimeError(f"{missing} must be defined in evaluation mode")
    _check_channels(channels, weight=weight, bias=bias)
    _check_types(input, weight, bias)
    if not input._data.size:
        empty: Any = input
        out = empty.clone()
        out = out if weight is None else out * weight[0]
        return out if bias is None else out + bias[0], None, None
    out = apply(
        primitives[name].giving(1) if alone else primitives[name],
        input,
        weight,
        bias,
        running_mean,
        running_var,
        bool(training),
        float(momentum),
        float(eps),
    )
    if training and hub.listener is not None:
        for running in (running_mean, running_var):
            if running is not None:
                hub.listener.mutated(running, "batch_norm")
    return out


def _renamed(name: str, grad_fn: str, outputs: int) -> None:
    """Declare batch norm under the name of another node, with an output more where PyTorch has one."""
    plain = primitives["native_batch_norm"]

    def forward(*args: Any) -> Any:
        found = plain.forward(*args)
        return (*found, np.zeros(0, np.uint8)) if outputs == 4 else found

    forward.__signature__ = inspect.signature(plain.forward)  # type: ignore[attr-defined]
    returns = ("result0", "result1", "result2", "result3")[:outputs]
    options = {"symbol": plain.symbol, "latex": plain.latex, "summary": plain.summary, "grad_fn": grad_fn}
    body = type(name, (), {"forward": forward, "grad": plain.whole})
    primitives[name] = Op(name, body, {**options, "outputs": outputs, "differentiable": 1, "returns": returns})


_renamed("native_batch_norm_legit", "NativeBatchNormLegitBackward0", 3)
_renamed("native_batch_norm_legit_no_stats", "NativeBatchNormLegitBackward1", 3)
_renamed("batch_norm_with_update", "BatchNormWithUpdateBackward0", 4)
export("native_batch_norm", method=False)(normalize_batch)


@export("_native_batch_norm_legit", method=False)
def _native_batch_norm_legit(
    input: Tensor,  # noqa: A002
    weight: Value,
    bias: Value,
    *rest: Any,
    running_mean: Value = None,
    running_var: Value = None,
    **named: Any,
) -> Any:
    """Batch norm with running statistics or, where the arguments for them are left out, without any."""
    stats = (running_mean, running_var)
    name = "native_batch_norm_legit"
    if len(rest) + len(named) > 3:
        stats, rest = rest[:2], rest[2:]
    elif running_mean is None:
        name = "native_batch_norm_legit_no_stats"
    training, momentum, eps = (*rest, *named.values())
    return normalize_batch(input, weight, bias, *stats, training, momentum, eps, name=name)


@internal
def _batch_norm_with_update(
    input: Tensor,  # noqa: A002
    weight: Value,
    bias: Value,
    running_mean: Value,
    running_var: Value,
    momentum: float,
    eps: float,
) -> Any:
    """Batch norm in training, with memory that no CPU kernel uses."""
    return normalize_batch(
        input, weight, bias, running_mean, running_var, True, momentum, eps, name="batch_norm_with_update"
    )


@export("batch_norm", method=False)
def _batch_norm(
    input: Tensor,  # noqa: A002
    weight: Value,
    bias: Value,
    running_mean: Value,
    running_var: Value,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Any:
    """Each channel standardized over the batch, then scaled and shifted."""
    return normalize_batch(input, weight, bias, running_mean, running_var, training, momentum, eps, alone=True)[0]


@export("batch_norm", function=False, method=False, nn=True)
def _functional_batch_norm(
    input: Tensor,  # noqa: A002
    running_mean: Value,
    running_var: Value,
    weight: Value = None,
    bias: Value = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Each channel standardized over the batch; ValueError for a single value per channel in training."""
    shape = input._data.shape
    if training and len(shape) > 1 and input._data.size == shape[1] != 0:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {Size(shape)}")
    if training and eps <= 0.0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0.0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return normalize_batch(input, weight, bias, running_mean, running_var, training, momentum, eps, alone=True)[0]
