"""group_norm: groups of channels standardized within each sample."""

from __future__ import annotations

import math
from typing import Any

from backscope.ops.core.channels_last import channels_last, is_channels_last
from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.low_precision import wide
from backscope.ops.core.namespace import export
from backscope.ops.layers.normalized import projected, standardized, standardized_rows, statistics_dtype
from backscope.runtime.given import Option, Value
from backscope.tensor.dtype import LOW_PRECISION, cast, dtype
from backscope.tensor.tensor import Tensor


@op(
    grad_fn="NativeGroupNormBackward0",
    fused=True,
    outputs=3,
    returns=("result0", "result1", "result2"),
    symbol="group norm",
    latex={
        "input": r"\frac{1}{\sigma}(wg - \overline{wg} - \hat{x}\, \overline{wg \hat{x}})",
        "weight": r"\textstyle\sum g \cdot \hat{x}",
        "bias": r"\textstyle\sum g",
    },
    summary={
        "input": "takes off each group's mean of g × {weight} and its part along the normalized values, over σ",
        "weight": "sums the incoming gradient times the normalized values of each channel",
        "bias": "sums the incoming gradient of each channel",
    },
)
class native_group_norm:
    """Groups of channels of each sample standardized, then each channel scaled and shifted."""

    def forward(
        input: A,  # noqa: A002
        weight: A | None,
        bias: A | None,
        N: int,
        C: int,
        HxW: int,
        group: int,
        eps: float,
    ) -> tuple[A, ...]:
        normal, mean, scale = standardized_rows(wide(input).reshape(N * group, C // group * HxW), eps)
        normal = normal.reshape(N, C, HxW)
        if weight is not None:
            normal *= wide(weight)[:, None]
        if bias is not None:
            normal += wide(bias)[:, None]
        kind, kept = dtype.table[input.dtype], statistics_dtype(input, weight, bias)
        result = cast(normal, kind).reshape(input.shape)
        return (
            channels_last(result) if is_channels_last(input) else result,
            mean.reshape(N, group).astype(kept, copy=False),
            scale.reshape(N, group).astype(kept, copy=False),
        )

    def grad(
        g: V,
        input: V,  # noqa: A002
        weight: V,
        result1: V,
        result2: V,
        N: V,
        C: V,
        HxW: V,
        group: V,
        eps: V,
        needs: Option,
    ) -> V:
        of_values, of_mean, of_scale = g
        if of_values is None:
            return None, None, None
        rows = xp.reshape(input, (N * group, C // group * HxW))
        low = not isinstance(of_values, Tensor) and dtype.table[input.dtype] in LOW_PRECISION
        if low:
            of_parameters = input.dtype if weight is None else weight.dtype
            of_values, rows, weight = (x if x is None else wide(x) for x in (of_values, rows, weight))
        if isinstance(of_values, Tensor):
            normal, scale = standardized(rows, (1,), eps)
        else:
            scale = xp.reshape(wide(result2), (-1, 1))
            normal = (rows - xp.reshape(wide(result1), (-1, 1))) * scale
        for_input = for_weight = for_bias = None
        if needs[0]:
            for_input = _through_statistics(of_mean, of_scale, normal, scale, tuple(input.shape))
        channels = xp.reshape(of_values, (N, C, HxW))
        if needs[0]:
            h = channels if weight is None else channels * xp.reshape(weight, (1, C, 1))
            h = xp.reshape(h, (N * group, C // group * HxW))
            through = xp.reshape(scale * projected(h, normal, (1,)), tuple(input.shape))
            for_input = through if for_input is None else through + for_input
        if needs[1]:
            for_weight = xp.sum(channels * xp.reshape(normal, (N, C, HxW)), (0, 2), False)
        if needs[2]:
            for_bias = xp.sum(channels, (0, 2), False)
        found = (for_input, for_weight, for_bias)
        if not low:
            return found
        kinds = (input.dtype, of_parameters, of_parameters)
        return tuple([None if x is None else cast(x, dtype.table[k]) for x, k in zip(found, kinds, strict=True)])


def _through_statistics(of_mean: V, of_scale: V, normal: V, scale: V, shape: tuple[int, ...]) -> V:
    """Return the input's gradient through the groups' means and through one over their standard deviations."""
    n = normal.shape[1]
    total = None
    if of_mean is not None:
        total = xp.reshape(of_mean, (-1, 1)) / n + xp.zeros_like(normal)
    if of_scale is not None:
        along = xp.reshape(of_scale, (-1, 1)) * (-1 / n) * scale * scale * normal
        total = along if total is None else total + along
    return None if total is None else xp.reshape(total, shape)


def _group_norm(input: Tensor, num_groups: int, weight: Value, bias: Value, eps: float) -> Any:  # noqa: A002
    shape = input._data.shape
    n, c = shape[0], shape[1]
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if c % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and num_groups={num_groups}"
        )
    for name, part in (("weight", weight), ("bias", bias)):
        if part is not None and part._data.shape != (c,):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list((part if weight is None else weight)._data.shape)} and input of shape {list(shape)}"
            )
    if input._dtype.category < 2:
        raise NotImplementedError(f"\"GroupNormKernelImpl\" not implemented for '{input._dtype.type_name}'")
    given: Any = input
    if not given._data.flags.c_contiguous and not is_channels_last(given._data):
        given = given.contiguous()
    size = math.prod(shape[2:])
    return apply(primitives["native_group_norm"].giving(1), given, weight, bias, n, c, size, num_groups, float(eps))[0]


@export("native_group_norm", method=False)
def _native_group_norm(
    input: Tensor,  # noqa: A002
    weight: Value,
    bias: Value,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> Any:
    """Groups of channels standardized, their means, and one over their standard deviations."""
    given: Any = input if input._data.flags.c_contiguous else input.contiguous()  # type: ignore[attr-defined]
    return apply(primitives["native_group_norm"], given, weight, bias, N, C, HxW, group, float(eps))


@export("group_norm", method=False, nn=True)
def _checked_group_norm(
    input: Tensor,  # noqa: A002
    num_groups: int,
    weight: Value = None,
    bias: Value = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Any:
    """Groups of channels standardized; ValueError for groups of one element."""
    shape = input._data.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if shape[0] * (shape[1] // num_groups) * math.prod(shape[2:]) == 1:
        listed = [shape[0] * shape[1] // num_groups, num_groups, *shape[2:]]
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {listed}")
    return _group_norm(input, num_groups, weight, bias, eps)
