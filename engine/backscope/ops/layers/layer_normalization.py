"""layer_norm, rms_norm and local_response_norm: values standardized within each sample."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.autograd.ones import number, ones
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import argument_error, export, functional
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.layers.normalized import second, standardized, standardized_rows, statistics_dtype
from backscope.ops.layers.padding import constant_pad
from backscope.runtime.given import Option, Shape, Value
from backscope.tensor.dtype import FLOATING, LOW_PRECISION, cast, dtype, float32
from backscope.tensor.tensor import Tensor

Lengths = tuple[int, ...]


def _rows(value: A, dims: int) -> A:
    """`value` row after row, with its last dims as one and those before as another."""
    shape = value.shape
    if not value.flags.c_contiguous:
        value = np.ascontiguousarray(value)
    if dims == 1 and value.size:
        return value.reshape(-1, shape[-1])
    size = math.prod(shape[len(shape) - dims :])
    return value.reshape(math.prod(shape[: len(shape) - dims]), size)


def _parameter_gradient(total: A, parameter: Value) -> A:
    """Sums over the samples in the shape and dtype of weight or bias."""
    total = total.reshape(parameter.shape)
    return total if total.dtype is parameter.dtype else cast(total, dtype.table[parameter.dtype])


@op(
    grad_fn="NativeLayerNormBackward0",
    outputs=3,
    differentiable=1,
    returns=("result0", "result1", "result2"),
    symbol="layer norm",
    latex={
        "input": r"\frac{1}{\sigma}(wg - \overline{wg} - \hat{x}\, \overline{wg \hat{x}})",
        "weight": r"\textstyle\sum g \cdot \hat{x}",
        "bias": r"\textstyle\sum g",
    },
    summary={
        "input": "takes off the mean of g × {weight} and its part along the normalized values, over σ",
        "weight": "sums the incoming gradient times the normalized values over the samples",
        "bias": "sums the incoming gradient over the samples",
    },
)
class native_layer_norm:
    """The last dims standardized by their own mean and variance, then scaled and shifted."""

    def forward(
        input: A,  # noqa: A002
        normalized_shape: Lengths,
        weight: A | None,
        bias: A | None,
        eps: float,
    ) -> tuple[A, ...]:
        dims = len(normalized_shape)
        normal, mean, scale = standardized_rows(_rows(wide(input), dims), eps)
        if weight is not None:
            normal *= wide(weight).reshape(-1)
        if bias is not None:
            normal += wide(bias).reshape(-1)
        shape = input.shape
        lead = (*shape[: len(shape) - dims], *(1,) * dims)
        given, kept = input.dtype, statistics_dtype(input, weight, bias)
        if given is kept is normal.dtype:
            return normal.reshape(shape), mean.reshape(lead), scale.reshape(lead)
        return (
            cast(normal, dtype.table[given]).reshape(shape),
            mean.reshape(lead).astype(kept, copy=False),
            scale.reshape(lead).astype(kept, copy=False),
        )

    def grad(
        g: V,
        input: V,  # noqa: A002
        normalized_shape: V,
        weight: V,
        bias: V,
        result1: V,
        result2: V,
        eps: V,
        needs: Option,
    ) -> V:
        return xp.native_layer_norm_backward(g, input, normalized_shape, result1, result2, weight, bias, needs, eps)


@op(
    grad_fn="NativeLayerNormBackwardBackward0",
    outputs=3,
    symbol="layer norm′",
    latex={
        "grad_out": r"\frac{w}{\sigma} P(g_\text{input}) + g_\text{weight} \hat{x} + g_\text{bias}",
        "input": r"\frac{1}{\sigma} P(u) - \hat{x}\,\frac{\ldots}{\sigma^2}",
        "weight": r"\textstyle\sum \text{grad\_out} \cdot P(g_\text{input}) / \sigma",
        "bias": "0",
        "mean": "0",
        "rstd": "0",
    },
    summary={
        "grad_out": "standardizes the gradients that come in for {input}, {weight} and the bias",
        "input": "combines the incoming gradients with {grad_out} through mean and variance of {input}",
        "weight": "sums {grad_out} times the standardized gradient that comes in for {input}",
        "bias": "sends nothing: no gradient depends on the {bias}",
        "mean": "sends nothing: the mean counts as part of {input}",
        "rstd": "sends nothing: the deviation counts as part of {input}",
    },
)
class native_layer_norm_backward:
    """The gradients of input, weight and bias of a layer norm: those marked in `output_mask`."""

    def forward(
        grad_out: A,
        input: A,  # noqa: A002
        normalized_shape: Lengths,
        mean: A,
        rstd: A,
        weight: A | None,
        bias: A | None,
        output_mask: tuple[bool, ...],
        eps: float,
    ) -> tuple[A, ...]:
        dims = len(normalized_shape)
        rows, g = _rows(wide(input), dims), _rows(wide(grad_out), dims)
        scale = wide(rstd).reshape(-1, 1)
        centred = rows - wide(mean).reshape(-1, 1)
        found: list[Any] = [None, None, None]
        product: Any = g * centred if output_mask[0] or output_mask[1] else None
        if output_mask[1]:
            found[1] = _parameter_gradient(scale.reshape(-1).dot(product), weight)
        if output_mask[2]:
            found[2] = _parameter_gradient(ones(len(g), g.dtype).dot(g), bias)
        if output_mask[0]:
            n = number(rows.shape[1] or 1, g.dtype)
            factor = ones(rows.shape[1], g.dtype) if weight is None else wide(weight).reshape(-1)
            # Sums over each row of g * weight, and of that times the centred values, are products with the weight.
            along = product.dot(factor)[:, None]
            along *= scale
            along *= scale
            along /= n
            mean_g = g.dot(factor)[:, None]
            mean_g /= n
            centred *= along
            centred += mean_g
            h = np.multiply(g, factor, out=product)
            h -= centred
            h *= scale
            found[0] = (h if h.dtype is input.dtype else cast(h, dtype.table[input.dtype])).reshape(input.shape)
        return tuple(found)

    def grad(
        g: V,
        grad_out: V,
        input: V,  # noqa: A002
        normalized_shape: V,
        weight: V,
        bias: V,
        eps: V,
        needs: Option,
    ) -> V:
        ndim = len(input.shape)
        dims = tuple(range(ndim - len(normalized_shape), ndim))
        of_input, of_weight, of_bias = g
        normal, scale = standardized(input, dims, eps)
        extra = None if of_weight is None else of_weight * grad_out
        factor = 1.0 if weight is None else weight
        inner = for_input = for_weight = for_g = None
        if of_input is not None or extra is not None:
            inner, for_input = second(of_input, grad_out * factor, extra, normal, scale, dims)
        if inner is not None:
            for_g = inner * factor
            if weight is not None:
                for_weight = xp.sum_to_size(grad_out * inner, tuple(weight.shape))
        for part in (
            None if of_weight is None else of_weight * normal,
            None if of_bias is None else of_bias + xp.zeros_like(grad_out),
        ):
            if part is not None:
                for_g = part if for_g is None else for_g + part
        return for_g, for_input, None, None, for_weight, None


def _lengths(name: str, value: Value) -> Lengths:
    if isinstance(value, int) or not hasattr(value, "__iter__"):
        raise TypeError(
            f"{name}(): argument 'normalized_shape' (position 2) must be tuple of ints, not {type(value).__name__}"
        )
    for n in value:
        if n.__class__ is not int:
            return tuple([int(n) for n in value])
    return tuple(value)


def _check(input: Tensor, shape: Lengths, weight: Value, bias: Value, star: str) -> None:  # noqa: A002
    if not shape:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )
    for name, part in (("weight", weight), ("bias", bias)):
        if part is not None and part._data.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(part._data.shape)} and normalized_shape = {list(shape)}"
            )
    given = input._data.shape
    if len(given) < len(shape) or given[len(given) - len(shape) :] != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*{star}"
            f"{', '.join(str(n) for n in shape)}], but got input of size{list(given)}"
        )


def _check_tensors(name: str, input: Value, *parts: Any) -> None:  # noqa: A002
    """Raise TypeError for an input, weight or bias that is no tensor."""
    if not isinstance(input, Tensor):
        raise argument_error(name, "input", 1, input)
    for place, (what, part) in enumerate(zip(("weight", "bias"), parts, strict=False), 3):
        if part is not None and not isinstance(part, Tensor):
            raise argument_error(name, what, place, part)


@export("layer_norm", method=False, nn=True)
def _layer_norm(
    input: Tensor,  # noqa: A002
    normalized_shape: Shape,
    weight: Value = None,
    bias: Value = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Any:
    """The last dims standardized; RuntimeError where they are not `normalized_shape`."""
    _check_tensors("layer_norm", input, weight, bias)
    shape = _lengths("layer_norm", normalized_shape)
    _check(input, shape, weight, bias, ", ")
    kind = input._dtype
    if kind.category < 2:
        raise NotImplementedError(f"\"LayerNormKernelImpl\" not implemented for '{kind.type_name}'")
    for part in (weight, bias):
        if part is not None and part._dtype is not kind:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    return _NORM_ALONE.apply(input, shape, weight, bias, float(eps))[0]


_NORM = primitives["native_layer_norm"]
_NORM_ALONE = _NORM.giving(1)


@export("native_layer_norm", method=False)
def _native_layer_norm(input: Tensor, normalized_shape: Shape, weight: Value, bias: Value, eps: float) -> Any:  # noqa: A002
    """The last dims standardized, their means, and one over their standard deviations."""
    _check(input, tuple(normalized_shape), weight, bias, ", ")
    return _NORM.apply(input, tuple(normalized_shape), weight, bias, float(eps))


@export("rms_norm", method=False, nn=True)
def _rms_norm(input: Value, normalized_shape: Shape, weight: Value = None, eps: float | None = None) -> Any:  # noqa: A002
    """The last dims divided by the root of their mean square."""
    _check_tensors("rms_norm", input, weight)
    if input._dtype.category < FLOATING:
        raise no_kernel("rms_norm", input._dtype)
    shape = _lengths("rms_norm", normalized_shape)
    if input._data.ndim < len(shape):
        raise ValueError(f"Input tensor must have at least {len(shape)} dimensions, but got {input._data.ndim}")
    _check(input, shape, weight, None, "")
    kind = input._dtype
    values = input.to(float32) if kind in LOW_PRECISION else input
    if eps is None:
        eps = float(np.finfo(values._dtype.np).eps)
    dims = tuple(range(values._data.ndim - len(shape), values._data.ndim))
    square = values.pow(2).mean(dims, keepdim=True)
    out = values * xp.add_scalar(square, float(eps)).rsqrt()
    if weight is not None:
        out = out * weight
    return out.to(kind) if out._dtype is not kind else out


@export("local_response_norm", function=False, method=False, nn=True)
def _local_response_norm(
    input: Value,  # noqa: A002
    size: int,
    alpha: float = 0.0001,
    beta: float = 0.75,
    k: float = 1.0,
) -> Any:
    """Divide each channel by a power of the mean square of its neighbours."""
    ndim = input._data.ndim
    if ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {ndim} dimensions)")
    if not input._data.size:
        return input
    square = input * input
    around = (size // 2, (size - 1) // 2)
    if ndim == 3:
        framed = constant_pad(square.unsqueeze(1), (0, 0, *around))
        means = functional["avg_pool2d"](framed, (size, 1), 1).squeeze(1)
    else:
        shape = input._data.shape
        framed = constant_pad(square.view(shape[0], 1, shape[1], shape[2], -1), (0, 0, 0, 0, *around))
        means = functional["avg_pool3d"](framed, (size, 1, 1), 1).squeeze(1).view(shape)
    return input / means.mul(alpha).add(k).pow(beta)
