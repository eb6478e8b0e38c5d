"""conv1d to conv_transpose3d: the calls, with PyTorch's checks of their arguments."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from backscope.ops.core.declaration import primitives
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import argument_error, export, functional, torch_functions
from backscope.ops.core.unsupported import no_kernel
from backscope.ops.layers.convolution import transposed_lengths
from backscope.ops.layers.im2col import Lengths, Window
from backscope.ops.layers.padding import constant_pad
from backscope.runtime.given import Shape, Value, Values
from backscope.runtime.warning import warn_once
from backscope.tensor.dtype import C_NAMES, FLOATING, INTEGER, int64
from backscope.tensor.tensor import Tensor


def lengths_of(value: Value, dims: int, name: str) -> Lengths:
    """Return a length for each dim, given one for all or one for each; RuntimeError for another count."""
    if value.__class__ is int:
        return (value,) * dims
    found = (value,) if isinstance(value, int) else tuple([int(v) for v in value])
    if len(found) == 1:
        return found * dims
    if len(found) != dims:
        raise RuntimeError(
            f"expected {name} to be a single integer value or a list of {dims} values to match the convolution "
            f"dimensions, but got {name}={list(found)}"
        )
    return found


_DIMS = ("depth", "height", "width")


def _check_types(
    input: Tensor,  # noqa: A002
    weight: Tensor,
    bias: Tensor | None,
    dilation: Lengths,
    transposed: bool,
) -> None:
    given, kernels = input._dtype, weight._dtype
    if given is not kernels:
        if given.category < 2 or kernels.category < 2:
            raise RuntimeError(f"expected scalar type {given.type_name} but found {kernels.type_name}")
        raise RuntimeError(
            f"Input type (torch.{given.type_name}Tensor) and weight type (torch.{kernels.type_name}Tensor) should be "
            "the same or input should be a MKLDNN tensor and weight is a dense tensor"
        )
    if bias is not None and bias._dtype is not given:
        raise RuntimeError(
            f"Input type ({C_NAMES[given.name]}) and bias type ({C_NAMES[bias._dtype.name]}) should be the same"
        )
    if given.category < FLOATING:
        dims = weight._data.ndim - 2
        if transposed:
            made, kernel = given is int64, f"slow_conv_transpose{max(dims, 2)}d_out_cpu"
        elif max(dilation) > 1:
            made, kernel = given is int64, "slow_conv_dilated<>"
        else:
            made, kernel = given.category == INTEGER, "compute_columns3d" if dims == 3 else "slow_conv2d_cpu"
        if not made:
            raise no_kernel(kernel, given)


def _check_settings(stride: Lengths, padding: Lengths, dilation: Lengths, output_padding: Lengths, groups: int) -> None:
    if min(padding, default=0) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding, default=0) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride, default=1) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation, default=1) < 0:
        raise RuntimeError("dilation should be greater than zero")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")


def _by(lengths: Values) -> str:
    return "(" + " x ".join(str(n) for n in lengths) + ")"


@lru_cache(1024)
def _check_geometry(
    shape: Lengths,
    kernels: Lengths,
    bias: Lengths | None,
    stride: Lengths,
    padding: Lengths,
    dilation: Lengths,
    transposed: bool,
    output_padding: Lengths,
    groups: int,
) -> None:
    """Raise RuntimeError for invalid settings and for shapes that don't fit; results are cached by arguments."""
    _check_settings(stride, padding, dilation, output_padding, groups)
    _check_shapes(list(shape), list(kernels), bias, padding, dilation, transposed, groups)
    if 0 in dilation:
        gaps = (1,) * (2 - len(dilation)) + dilation
        named = ", ".join(f"dilation_{d}: {n}" for d, n in zip(_DIMS[-len(gaps) :], gaps, strict=True))
        raise RuntimeError(f"dilation should be greater than zero, but got {named if transposed else list(gaps)}")
    if transposed:
        window = Window(kernels[2:], stride, padding, dilation)
        _check_result(shape[2:], transposed_lengths(shape[2:], window, output_padding))


def _check_result(image: Lengths, result: Lengths) -> None:
    """Raise RuntimeError where a transposed convolution's padding takes off more than there is."""
    if min(result) < 0:
        ones = (1,) * (2 - len(image))  # PyTorch convolves rows as images.
        raise RuntimeError(
            f"Given input size per channel: {_by(ones + image)}. Calculated output size per channel: "
            f"{_by(ones + result)}. Output size is too small"
        )


def _check_shapes(
    shape: list[int],
    kernels: list[int],
    bias: Lengths | None,
    padding: Lengths,
    dilation: Lengths,
    transposed: bool,
    groups: int,
) -> None:
    if len(kernels) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(kernels) != len(shape):
        raise RuntimeError(
            f"Expected {len(kernels)}-dimensional input for {len(kernels)}-dimensional weight {kernels}, but got "
            f"{len(shape)}-dimensional input of size {shape} instead"
        )
    if kernels[0] < groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got weight of size "
            f"{kernels} instead"
        )
    if kernels[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size [{kernels}] instead"
        )
    expected = kernels[0] if transposed else kernels[1] * groups
    given = f"transposed={int(transposed)}" if transposed else f"groups={groups}"
    if shape[1] != expected:
        raise RuntimeError(
            f"Given {given}, weight of size {kernels}, expected input{shape} to have {expected} channels, but got "
            f"{shape[1]} channels instead"
        )
    elements = kernels[1] * groups if transposed else kernels[0]
    if bias is not None and bias != (elements,):
        raise RuntimeError(
            f"Given {'transposed=1, ' if transposed else ''}weight of size {kernels}, expected bias to be "
            f"1-dimensional with {elements} elements, but got bias of size {list(bias)} instead"
        )
    framed = [n + 2 * p for n, p in zip(shape[2:], padding, strict=True)]
    reach = [d * (k - 1) + 1 for k, d in zip(kernels[2:], dilation, strict=True)]
    if not transposed and any(f < r for f, r in zip(framed, reach, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: {_by(framed)}. Kernel size: {_by(reach)}. Kernel size can't "
            "be greater than actual input size"
        )


def convolve(
    input: Tensor,  # noqa: A002
    weight: Tensor,
    bias: Value,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    transposed: bool,
    output_padding: Shape,
    groups: int,
) -> Value:
    """Convolve a batch; RuntimeError for shapes and settings that do not fit together."""
    dims = weight._data.ndim - 2
    stride = lengths_of(stride, dims, "stride")
    padding = lengths_of(padding, dims, "padding")
    dilation = lengths_of(dilation, dims, "dilation")
    output_padding = lengths_of(output_padding, dims, "output_padding")
    _check_geometry(
        input._data.shape,
        weight._data.shape,
        None if bias is None else bias._data.shape,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
    )
    _check_types(input, weight, bias, dilation, transposed)
    if input._dtype.is_complex:
        return _complex(input, weight, bias, (stride, padding, dilation, transposed, output_padding, groups))
    if transposed:
        _check_output_padding(output_padding, stride, dilation)
    return apply(
        primitives["convolution"], input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
    )


def _complex(input: Value, weight: Value, bias: Value, window: Value) -> Any:  # noqa: A002
    """Compute a convolution of complex numbers from three real ones, as PyTorch does."""

    def parts(value: Value) -> tuple[Any, Any]:
        pairs = torch_functions["view_as_real"](value.resolve_conj())
        return pairs.select(-1, 0), pairs.select(-1, 1)

    def real(image: Value, kernels: Any, offset: Value) -> Any:
        return convolve(image, kernels, offset, *window)

    (real_image, image), (real_kernels, kernels) = parts(input), parts(weight)
    real_bias = both = None
    if bias is not None:
        real_bias, imaginary = parts(bias)
        both = real_bias + imaginary
    a, b = real(real_image, real_kernels, real_bias), real(image, kernels, None)
    c = real(real_image + image, real_kernels + kernels, both)
    return a - b + (c - a - b) * 1j


def _check_output_padding(output_padding: Lengths, stride: Lengths, dilation: Lengths) -> None:
    if all(o < s or o < d for o, s, d in zip(output_padding, stride, dilation, strict=True)):
        return
    axes = ("depth", "height", "width")
    parts = [
        " ".join(
            f"{name}_{axis}: {n}"
            for axis, n in zip(axes[3 - max(len(v), 2) :], (row,) * (2 - len(v)) + v, strict=False)
        )
        for name, v, row in (("output_padding", output_padding, 0), ("stride", stride, 1), ("dilation", dilation, 1))
    ]
    raise RuntimeError("output padding must be smaller than either stride or dilation, but got " + " ".join(parts))


def _batched(name: str, input: Tensor, weight: Value, dims: int) -> tuple[Any, bool]:  # noqa: A002
    for value, parameter, position in ((input, "input", 1), (weight, "weight", 2)):
        if not isinstance(value, Tensor):
            raise argument_error(name, parameter, position, value)
    ndim = input._data.ndim
    if ndim not in (dims + 1, dims + 2):
        raise RuntimeError(
            f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
            f"{list(input._data.shape)}"
        )
    batched = ndim == dims + 2
    return (input if batched else input.unsqueeze(0)), batched  # type: ignore[attr-defined]


def _padded_same(input: Value, weight: Tensor, stride: Shape, dilation: Shape, groups: int) -> tuple[Any, Lengths]:  # noqa: A002
    """Return the input and the padding that keeps its lengths; an odd remainder is padded in advance."""
    shape, kernels = list(input._data.shape), list(weight._data.shape)
    dims = len(kernels) - 2
    if dims < 1:
        raise RuntimeError("weight should have at least three dimensions")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    if len(shape) != len(kernels):
        raise RuntimeError(
            f"Expected {len(kernels)}-dimensional input for {len(kernels)}-dimensional weight{kernels}, but got "
            f"{len(shape)}-dimensional input of size {shape} instead"
        )
    for name, value in (("stride", stride), ("dilation", dilation)):
        if isinstance(value, (list, tuple)) and len(value) not in (1, dims):
            raise RuntimeError(f"{name} cannot broadcast to {dims} dimensions")
    if any(s != 1 for s in lengths_of(stride, dims, "stride")):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    totals = [d * (k - 1) for d, k in zip(lengths_of(dilation, dims, "dilation"), weight._data.shape[2:], strict=True)]
    if any(t % 2 for t in totals):
        warn_once(
            "Using padding='same' with even kernel lengths and odd dilation may require a zero-padded copy of the "
            "input be created (Triggered internally at "
            "/__w/pytorch/pytorch/aten/src/ATen/native/Convolution.cpp:1101.)"
        )
        pad: list[int] = []
        for t in reversed(totals):
            pad += [0, t % 2]
        input = constant_pad(input, tuple(pad))  # noqa: A001
    return input, tuple([int(t / 2) for t in totals])


def _declare(dims: int) -> None:
    name = f"conv{dims}d"

    def conv(
        input: Tensor,  # noqa: A002
        weight: Tensor,
        bias: Value = None,
        stride: Shape = 1,
        padding: Shape = 0,
        dilation: Shape = 1,
        groups: int = 1,
    ) -> Any:
        given, batched = _batched(name, input, weight, dims)
        if isinstance(padding, str):
            if padding == "same":
                given, padding = _padded_same(given, weight, stride, dilation, groups)
            elif padding == "valid":
                padding = 0
            else:
                raise RuntimeError(f"Invalid padding string: '{padding}'")
        if weight._data.ndim != dims + 2:
            stride, padding, dilation = (lengths_of(v, dims, "") for v in (stride, padding, dilation))
        out = convolve(given, weight, bias, stride, padding, dilation, False, 0, groups)
        return out if batched else out.squeeze(0)

    transposed_name = f"conv_transpose{dims}d"

    def conv_transpose(
        input: Tensor,  # noqa: A002
        weight: Tensor,
        bias: Value = None,
        stride: Shape = 1,
        padding: Shape = 0,
        output_padding: Shape = 0,
        groups: int = 1,
        dilation: Shape = 1,
    ) -> Any:
        given, batched = _batched(transposed_name, input, weight, dims)
        out = convolve(given, weight, bias, stride, padding, dilation, True, output_padding, groups)
        return out if batched else out.squeeze(0)

    conv.__name__ = conv.__qualname__ = name
    conv_transpose.__name__ = conv_transpose.__qualname__ = transposed_name
    conv.__doc__ = f"Kernels slid over the last {dims} dims; RuntimeError for what does not fit together."
    conv_transpose.__doc__ = f"The transpose of {name}; RuntimeError for what does not fit together."
    export(name, method=False, nn=True)(conv)
    export(transposed_name, method=False, nn=True)(conv_transpose)


for _dims in (1, 2, 3):
    _declare(_dims)


@export("convolution", method=False)
def _convolution(
    input: Tensor,  # noqa: A002
    weight: Tensor,
    bias: Value,
    stride: Shape,
    padding: Shape,
    dilation: Shape,
    transposed: bool,
    output_padding: Shape,
    groups: int,
) -> Any:
    """A convolution, plain or transposed, of a batch."""
    return convolve(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


@export(method=False, nn=True)
def conv_tbc(input: Value, weight: Value, bias: Value, pad: int = 0) -> Value:  # noqa: A002
    """conv1d over time, batch and channels in this order; the weight has kernel, input and output channels.

    Shape: [T, B, C_in], [K, C_in, C_out] -> [T_out, B, C_out].
    """
    found = functional["conv1d"](input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return found.permute(2, 0, 1)
