"""dropout and its kin: elements or whole channels set to zero, or to a saturated value, at random."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from backscope.autograd.not_implemented import no_derivative
from backscope.autograd.transforms.level import levels
from backscope.func.randomness import drawn
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import argument_error, export
from backscope.random import default_generator
from backscope.runtime.given import Dtype, Value
from backscope.runtime.listening import hub
from backscope.runtime.warning import warn
from backscope.tensor.dtype import bool_, cast
from backscope.tensor.tensor import Tensor, make
from backscope.torch_dispatch.mode_stack import stack

_SATURATED = 1.7580993408473766
"""Minus the limit of selu, which alpha dropout sets elements to."""


def _in_memory_order(flat: Value, like: Value) -> Any:
    """Numbers drawn one after another, laid out as PyTorch lays them out in a tensor with the strides of `like`."""
    out = np.empty_like(like, dtype=flat.dtype, order="K")
    order = sorted(range(out.ndim), key=lambda d: -out.strides[d])
    out.transpose(order)[...] = flat.reshape([out.shape[d] for d in order])
    return out


def _kept(input: Tensor, p: float, channels: bool, kind: Dtype = None) -> Any:  # noqa: A002
    """Draw 1 for each element, or whole channel, to keep, else 0, in the NumPy type `kind`, by default the input's."""
    data = input._data
    if not channels:
        flat = default_generator.bernoulli(1 - p, (data.size,), input._dtype.np if kind is None else kind)
        return _in_memory_order(flat, data) if isinstance(data, np.ndarray) else flat.reshape(())[()]
    if data.ndim < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return default_generator.bernoulli(1 - p, (*data.shape[:2], *(1,) * (data.ndim - 2)), input._dtype.np)


def drop(
    input: Value,  # noqa: A002
    p: float,
    train: bool,
    *,
    channels: bool = False,
    alpha: bool = False,
    in_place: bool = False,
) -> Value:
    """Drop elements of `input` with probability `p`; returns `input` itself for nothing to drop."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or not input._data.size:
        return input
    kind = input._dtype

    def scaled(factor: Value) -> Any:
        tensor = make(factor, kind)
        if hub.listener is not None:
            hub.listener.created(tensor, "dropout")
        return input.mul_(tensor) if in_place else input * tensor

    if p == 1:
        return scaled(kind.np.type(0))
    if any(x.kind == "vmap" for x in levels):
        return _drop_mapped(input, p, channels=channels, alpha=alpha, in_place=in_place)
    kept = _kept(input, p, channels)
    if kind.category < 2:
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind.type_name}")
    if not alpha:
        if stack.modes:
            _show_mask(input, kept, p)
        return scaled(cast(kept / kind.np.type(1 - p), kind))
    a = 1 / math.sqrt((_SATURATED**2 * p + 1) * (1 - p))
    shift = cast((kept - kind.np.type(1)) * kind.np.type(_SATURATED * a) + kind.np.type(_SATURATED * a * p), kind)
    out = scaled(cast(kept * kind.np.type(a), kind))
    return out.add_(make(shift, kind)) if in_place else out + make(shift, kind)


def _show_mask(input: Value, kept: Any, p: float) -> None:  # noqa: A002
    """Report to the entered modes the ops that PyTorch makes the mask with."""
    from backscope.torch_dispatch.interception import emit

    mask = make(kept, input._dtype)
    emit("empty_like" if kept.shape == input._data.shape else "new_empty", "default", (input,), {}, mask)
    emit("bernoulli_", "float", (mask,) if p == 0.5 else (mask, 1 - p), {}, mask)
    emit("div_", "Scalar", (mask, 1 - p), {}, mask)


def _drop_mapped(input: Value, p: float, *, channels: bool, alpha: bool, in_place: bool) -> Any:  # noqa: A002
    """Apply dropout inside vmap, which may keep different elements in each example."""
    kind = input._dtype
    shape = tuple(input._data.shape)
    if channels and len(shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    shape = (*shape[:2], *(1,) * (len(shape) - 2)) if channels else shape

    def make_mask(shape: tuple[int, ...]) -> Any:
        return make(np.asarray(default_generator.bernoulli(1 - p, shape, kind.np)), kind)

    kept = drawn(make_mask, shape)
    if alpha:
        a = 1 / math.sqrt((_SATURATED**2 * p + 1) * (1 - p))
        out = input * (kept * a) + ((kept - 1) * (_SATURATED * a) + _SATURATED * a * p)
    else:
        out = input * (kept / (1 - p))
    return input.copy_(out) if in_place else out


def _check(p: float) -> None:
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _declare(name: str, public: str, summary: str, training: bool, **options: bool) -> None:
    """Publish torch.NAME and NAME_ of input, p and train, and `public` of torch.nn.functional."""

    def dropped(input: Tensor, p: float, train: bool) -> Any:  # noqa: A002
        return drop(input, p, train, **options)

    def dropped_in_place(input: Tensor, p: float, train: bool) -> Any:  # noqa: A002
        return drop(input, p, train, in_place=True, **options)

    def checked(input: Tensor, p: float = 0.5, training: bool = training, inplace: bool = False) -> Any:  # noqa: A002
        _check(p)
        if not isinstance(input, Tensor):
            raise argument_error(name, "input", 1, input)
        return drop(input, p, training, in_place=inplace, **options)

    dropped.__name__, dropped_in_place.__name__, checked.__name__ = name, name + "_", public
    dropped.__doc__ = dropped_in_place.__doc__ = checked.__doc__ = summary
    export(name, method=False)(dropped)
    export(name + "_", method=False)(dropped_in_place)
    if public:
        export(public, function=False, method=False, nn=True)(checked)


_declare("dropout", "dropout", "Elements set to 0 with probability p, the others made larger.", True)
_declare("feature_dropout", "", "Channels set to 0 with probability p, the others made larger.", True, channels=True)
_declare("alpha_dropout", "alpha_dropout", "Dropout that keeps mean and variance of selu's outputs.", False, alpha=True)
_declare(
    "feature_alpha_dropout",
    "feature_alpha_dropout",
    "Dropout of channels that keeps mean and variance of selu's outputs.",
    False,
    channels=True,
    alpha=True,
)


def _drop_channels(input: Value, p: float, training: bool, inplace: bool, batched: bool) -> Any:  # noqa: A002
    given = input if batched else input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    out = drop(given, p, training, channels=True, in_place=inplace)
    return out if batched else out.squeeze_(0) if inplace else out.squeeze(0)


@export("dropout1d", function=False, method=False, nn=True)
def _dropout1d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:  # noqa: A002
    """Whole lines set to 0 with probability p."""
    _check(p)
    ndim = input._data.ndim
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that dropout1d exists to provide "
            "channel-wise dropout on inputs with 1 spatial dimension, a channel dimension, and an optional batch "
            "dimension (i.e. 2D or 3D inputs)."
        )
    return _drop_channels(input, p, training, inplace, ndim == 3)


def _warn_dims(dims: int, ndim: int) -> None:
    if ndim not in (dims + 1, dims + 2):
        warn(
            f"dropout{dims}d: Received a {ndim}-D input to dropout{dims}d, which is deprecated and will result in an "
            "error in a future release. To retain the behavior and silence this warning, please use dropout instead. "
            f"Note that dropout{dims}d exists to provide channel-wise dropout on inputs with {dims} spatial "
            f"dimensions, a channel dimension, and an optional batch dimension (i.e. {dims + 1}D or {dims + 2}D "
            "inputs)."
        )


@export("dropout2d", function=False, method=False, nn=True)
def _dropout2d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:  # noqa: A002
    """Whole images set to 0 with probability p."""
    _check(p)
    ndim = input._data.ndim
    _warn_dims(2, ndim)
    if ndim == 3:
        warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired "
            "- input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a "
            "future release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain "
            "the 1D channel-wise dropout behavior, please switch to using dropout1d instead."
        )
    return drop(input, p, training, channels=True, in_place=inplace)


@export("dropout3d", function=False, method=False, nn=True)
def _dropout3d(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:  # noqa: A002
    """Whole volumes set to 0 with probability p."""
    _check(p)
    ndim = input._data.ndim
    _warn_dims(3, ndim)
    return _drop_channels(input, p, training, inplace, ndim == 5)


@op(
    outputs=2,
    differentiable=1,
    returns=("result0", "result1"),
    symbol="dropout",
    latex={"input": r"g \cdot \text{kept} / (1 - p)"},
    summary={"input": "sends the incoming gradient, made larger, where an element was kept, 0 elsewhere"},
)
class native_dropout:
    """Elements set to 0 where the mask is false, the others scaled up."""

    def forward(input: A, kept: K, p: float, train: bool | None) -> tuple[A, ...]:  # noqa: A002
        return input * (kept * input.dtype.type(_scale(p, train))), np.asarray(kept, bool)

    def grad_input(g: V, result1: V, p: V, train: V) -> V:
        if isinstance(g, Tensor):
            return g * (result1.to(g.dtype) * _scale(p, train))
        return g * (result1 * g.dtype.type(_scale(p, train)))


@op(
    grad_fn="NativeDropoutBackwardBackward0",
    symbol="dropout′",
    latex={"grad_output": r"g \cdot \text{mask} \cdot \text{scale}", "mask": r"\text{not implemented}"},
    summary={
        "grad_output": "multiplies the incoming gradient by the mask and by {scale}",
        "mask": "raises an error: PyTorch has no derivative by this input",
    },
)
class native_dropout_backward:
    """The gradient of dropout as an op of its own."""

    def forward(grad_output: A, mask: A, scale: float) -> A:
        if grad_output.dtype.kind in "iub":
            return (grad_output * (mask * np.float32(scale))).astype(np.float32)[()]
        return (grad_output * (mask * grad_output.dtype.type(scale))).astype(grad_output.dtype)[()]

    def grad_grad_output(g: V, mask: V, scale: V) -> V:
        return xp.native_dropout_backward(g, mask, scale)

    def grad_mask(g: V) -> V:
        raise no_derivative("native_dropout_backward: mask")


def _scale(p: float, train: bool | None) -> float:
    return 1.0 if train is False else 0.0 if p == 1 else 1 / (1 - p)


@export("native_dropout", method=False)
def _native_dropout(input: Tensor, p: float, train: bool | None) -> Any:  # noqa: A002
    """Set elements to 0 with probability p and scale the others up; return them and the mask of kept ones."""
    if train is False or not input._data.size:
        kept = np.ones(input._data.shape, np.bool_)
    elif any(x.kind == "vmap" for x in levels):
        kind, shape = input._dtype, tuple(input._data.shape)
        mask = drawn(lambda n: make(np.asarray(default_generator.bernoulli(1 - p, n, kind.np)), kind), shape)
        return apply(primitives["native_dropout"], input, mask, float(p), train)
    else:
        kept = _kept(input, p, False, np.bool_)
    return apply(primitives["native_dropout"], input, make(kept, bool_), float(p), train)
