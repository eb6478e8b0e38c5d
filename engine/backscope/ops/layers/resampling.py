"""interpolate: images resampled to another size."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, Signature
from typing import Any

import numpy as np

from backscope.ops.core.axis_map import AxisMap
from backscope.ops.core.channels_last import following
from backscope.ops.core.declaration import op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export, functional, internal
from backscope.ops.layers.interpolation_map import interpolating
from backscope.runtime.given import Option, Shape, Value
from backscope.runtime.warning import warn
from backscope.tensor.dtype import LOW_PRECISION, cast, dtype, float64, uint8
from backscope.tensor.tensor import Tensor

_SCALES = {1: ("scales",), 2: ("scales_h", "scales_w"), 3: ("scales_d", "scales_h", "scales_w")}


_ROUNDING_WEIGHTS = frozenset({"upsample_linear1d", "upsample_trilinear3d", "upsample_bicubic2d"})
"""Kernels that keep the weights of their pixels in the type of the image."""


def _signed(function: Callable[..., Any], *names: str) -> Callable[..., Any]:
    """Give a function of any arguments a signature with its parameter names; a star marks tensors."""
    made = [
        Parameter(n.lstrip("*"), Parameter.POSITIONAL_OR_KEYWORD, annotation="A" if n[0] == "*" else Parameter.empty)
        for n in names
    ]
    function.__signature__ = Signature(made)  # type: ignore[attr-defined]
    return function


def _bytes_resampled(value: Value, kind: str, image: Value, out: Value, align: bool, scales: Any) -> Any:
    """Images of bytes resampled as PyTorch does: the weights are whole numbers of 16 bits, each pass gives bytes."""
    result = value
    for d in (1, 0):
        found = interpolating(kind, image[d], out[d], align, scales[d], True, None)
        exact: Any = found.weights
        largest = float(np.max(np.abs(exact), initial=0))
        bits = next((b for b in range(22) if int(0.5 + largest * (1 << (b + 1))) >= 1 << 15), 22)
        weights = np.trunc(exact * (1 << bits) + np.where(exact < 0, -0.5, 0.5))
        sums = AxisMap(found.rows, found.columns, weights, found.lengths).apply(result.astype(np.float64), d - 2)
        result = np.clip((sums.astype(np.int64) + (1 << (bits - 1))) >> bits, 0, 255).astype(np.uint8)
    return result


def _declare(name: str, title: str, dims: int, kind: str, aligned: bool) -> None:
    """Declare a resampling of the last `dims` dims and its gradient as an op of its own."""
    settings = ("align_corners", *_SCALES[dims]) if aligned else _SCALES[dims]

    def resample(value: Value, shape: Shape, out: Value, given: tuple[Any, ...], transposed: bool) -> Any:
        align = given[0] if aligned else False
        scales = given[1:] if aligned else given
        own = dtype.table[value.dtype]
        rounded = own if own in LOW_PRECISION and not transposed and name in _ROUNDING_WEIGHTS else None
        image = tuple(shape)[-dims:]
        if own is uint8 and dims == 2 and not kind.startswith("nearest"):
            return following(_bytes_resampled(value, kind, image, out, align, scales), value)
        result = wide(value)
        for d in reversed(range(dims)):
            found = interpolating(kind, image[d], out[d], align, scales[d], own is float64, rounded)
            result = (found.transposed if transposed else found).apply(result, d - dims)
        return following(cast(result, own), value)

    def forward(self: Value, output_size: Shape, *given: Any) -> Any:
        return resample(self, self.shape, output_size, given, False)

    def grad_self(g: Value, self_shape: Shape, output_size: Shape, *given: Any) -> Any:
        return getattr(xp, name + "_backward")(g, output_size, tuple(self_shape), *given)

    def backward(grad_output: Value, output_size: Shape, input_size: Shape, *given: Any) -> Any:
        return resample(grad_output, input_size, output_size, given, True)

    def grad_grad_output(g: Value, output_size: Shape, *given: Any) -> Any:
        return getattr(xp, name)(g, output_size, *given)

    forward_op = {
        "forward": _signed(forward, "*self", "output_size", *settings),
        "grad_self": _signed(grad_self, "g", "self_shape", "output_size", *settings),
        "__doc__": f"The last {dims} dims resampled.",
    }
    backward_op = {
        "forward": _signed(backward, "*grad_output", "output_size", "input_size", *settings),
        "grad_grad_output": _signed(grad_grad_output, "g", "output_size", *settings),
        "__doc__": f"The gradient of {name} as an op of its own.",
    }
    op(
        name=name,
        grad_fn=f"{title}Backward0",
        symbol="resample",
        latex={"self": r"\text{resample}^T(g)"},
        summary={"self": "sends the incoming gradient back with the weights that each pixel was read with"},
    )(type(name, (), forward_op))
    op(
        name=name + "_backward",
        grad_fn=f"{title}BackwardBackward0",
        symbol="resample′",
        latex={"grad_output": r"\text{resample}(g)"},
        summary={"grad_output": "resamples the incoming gradient"},
    )(type(name, (), backward_op))
    _publish(name, dims, aligned)


def _publish(name: str, dims: int, aligned: bool) -> None:
    """Make an op of `torch.ops.aten`, given sizes and factors one by one, or one list of either."""
    marked = name.endswith(("_aa", "exact1d", "exact2d", "exact3d"))

    def call(input: Tensor, output_size: Shape, *rest: Any, **named: Any) -> Any:  # noqa: A002
        given = [*rest, *named.values()]
        align = (bool(given.pop(0)),) if aligned else ()
        if len(given) == 1 and (given[0] is None or isinstance(given[0], (list, tuple))):
            given = list(given[0] or [])
        scales = given + [None] * (dims - len(given))
        size = output_size
        if size is None:
            size = [int(n * s) for n, s in zip(input._data.shape[-dims:], scales, strict=True)]
        out = tuple(int(n) for n in size)
        _check_sizes(input, out)
        return apply(primitives[name], input, out, *align, *scales)

    call.__name__ = f"_{name}" if marked else name
    call.__doc__ = f"{name} by its internal name."
    internal(call)


for _dims in (1, 2, 3):
    _declare(f"upsample_nearest{_dims}d", f"UpsampleNearest{_dims}D", _dims, "nearest", False)
    _declare(f"upsample_nearest_exact{_dims}d", f"UpsampleNearestExact{_dims}D", _dims, "nearest_exact", False)
    _word = ("", "linear", "bilinear", "trilinear")[_dims]
    _declare(f"upsample_{_word}{_dims}d", f"Upsample{_word.capitalize()}{_dims}D", _dims, "linear", True)
_declare("upsample_bicubic2d", "UpsampleBicubic2D", 2, "cubic", True)
_declare("upsample_bilinear2d_aa", "UpsampleBilinear2DAa", 2, "linear_aa", True)
_declare("upsample_bicubic2d_aa", "UpsampleBicubic2DAa", 2, "cubic_aa", True)
_declare("upsample_lanczos2d_aa", "UpsampleLanczos2DAa", 2, "lanczos_aa", True)

_NAMES = {
    (3, "nearest"): "upsample_nearest1d",
    (4, "nearest"): "upsample_nearest2d",
    (5, "nearest"): "upsample_nearest3d",
    (3, "nearest-exact"): "upsample_nearest_exact1d",
    (4, "nearest-exact"): "upsample_nearest_exact2d",
    (5, "nearest-exact"): "upsample_nearest_exact3d",
    (3, "linear"): "upsample_linear1d",
    (4, "bilinear"): "upsample_bilinear2d",
    (5, "trilinear"): "upsample_trilinear3d",
    (4, "bicubic"): "upsample_bicubic2d",
}
_NEEDS = {"linear": 3, "bilinear": 4, "trilinear": 5}


def _op_name(ndim: int, mode: str, align_corners: Option, antialias: bool) -> str:
    """Return the op of a mode; NotImplementedError for inputs of a rank without one."""
    if ndim == 4 and mode == "lanczos":
        if align_corners:
            raise ValueError("Lanczos mode does not support align_corners=True")
        if not antialias:
            raise ValueError("Lanczos mode requires antialias=True")
        return "upsample_lanczos2d_aa"
    name = _NAMES.get((ndim, mode))
    if name is not None:
        return name + "_aa" if antialias else name
    if ndim in (3, 4, 5) and mode in _NEEDS:
        raise NotImplementedError(f"Got {ndim}D input, but {mode} mode needs {_NEEDS[mode]}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: nearest | linear | "
        f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
    )


def _wanted(input: Value, size: Shape, scale_factor: Value) -> tuple[Any, Any]:  # noqa: A002
    """Return the output size or the factors; ValueError and TypeError for invalid ones."""
    dims = input.dim() - 2
    own = list(input.shape[2:])
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        if not isinstance(size, (list, tuple)):
            return [size] * dims, None
        if len(size) != dims:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial "
                f"dimensions of {own} and output size of {size}. Please provide input tensor in (N, C, d1, d2, "
                "...,dK) format and output size in (o1, o2, ...,oK) format."
            )
        if not all(isinstance(x, int) for x in size):
            raise TypeError(
                "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got "
                f"size with types {[type(x) for x in size]}"
            )
        return list(size), None
    if not isinstance(scale_factor, (list, tuple)):
        return None, [scale_factor] * dims
    if len(scale_factor) != dims:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial "
            f"dimensions of {own} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, "
            "d2, ...,dK) format and scale_factor in (s1, s2, ...,sK) format."
        )
    return None, list(scale_factor)


def _check_sizes(input: Value, out: tuple[int, ...]) -> None:  # noqa: A002
    shape = input._data.shape
    axes = ("D", "H", "W")[3 - len(out) :] if len(out) > 1 else ("W",)
    if min(shape[2:], default=1) <= 0 or min(out, default=1) <= 0:
        own, made = (", ".join(f"{a}: {n}" for a, n in zip(axes, lengths, strict=True)) for lengths in (shape[2:], out))
        between = " and" if len(out) == 1 else ""
        raise RuntimeError(
            f"Input and output sizes should be greater than 0, but got input ({own}){between} output ({made})"
        )
    if 0 in shape[1:]:
        raise RuntimeError(f"Non-empty {len(shape)}D data tensor expected but got a tensor with sizes {list(shape)}")


@export("interpolate", function=False, method=False, nn=True)
def interpolate(
    input: Tensor,  # noqa: A002
    size: Shape = None,
    scale_factor: Value = None,
    mode: str = "nearest",
    align_corners: Option = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Value:
    """The input resampled to a size, or by factors; errors for modes that do not go with its rank.

    Shape: [N, C, ...] -> [N, C, *size].
    """
    simple = mode in ("nearest", "area", "nearest-exact")
    if simple and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    wanted, factors = _wanted(input, size, scale_factor)
    if recompute_scale_factor and size is not None:
        raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    ndim = input._data.ndim
    if (mode == "area" and wanted is None) or recompute_scale_factor:
        wanted = [int(n * f) for n, f in zip(input._data.shape[2:], factors, strict=True)]
        factors = None
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and ndim == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode == "area" and ndim in (3, 4, 5):
        return functional[f"adaptive_avg_pool{ndim - 2}d"](input, wanted)
    name = _op_name(ndim, mode, align_corners, antialias)
    scales = [None] * (ndim - 2) if factors is None else [float(f) for f in factors]
    if wanted is None:
        wanted = [int(n * f) for n, f in zip(input._data.shape[2:], factors, strict=True)]
    out = tuple([int(n) for n in wanted])
    _check_sizes(input, out)
    settings = scales if simple else [bool(align_corners), *scales]
    return apply(primitives[name], input, out, *settings)


@export("upsample", function=False, method=False, nn=True)
def _upsample(
    input: Tensor,  # noqa: A002
    size: Shape = None,
    scale_factor: Value = None,
    mode: str = "nearest",
    align_corners: Option = None,
) -> Any:
    """interpolate, by an old name."""
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


@export("upsample_nearest", function=False, method=False, nn=True)
def _upsample_nearest(input: Tensor, size: Shape = None, scale_factor: Value = None) -> Any:  # noqa: A002
    """interpolate by the nearest pixel, by an old name."""
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "nearest")


@export("upsample_bilinear", function=False, method=False, nn=True)
def _upsample_bilinear(input: Tensor, size: Shape = None, scale_factor: Value = None) -> Any:  # noqa: A002
    """interpolate between pixels with aligned corners, by an old name."""
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "bilinear", True)
