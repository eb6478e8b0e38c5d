"""instance_norm: every channel of every image with mean 0 and variance 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.ops.core.namespace import export
from backscope.ops.layers.batch_normalization import normalize_batch
from backscope.runtime.given import Value
from backscope.tensor.size import Size
from backscope.tensor.tensor import Tensor


def _instance_norm(
    input: Value,  # noqa: A002
    weight: Value,
    bias: Value,
    running_mean: Value,
    running_var: Value,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Any:
    """Standardize each channel of each image by itself, as a batch of one with all channels in a row."""
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    shape = input._data.shape
    b, c = shape[0], shape[1]

    def repeated(part: Value) -> Any:
        return None if part is None else part.repeat(b)

    mean, var = repeated(running_mean), repeated(running_var)
    rows = input.contiguous().view(1, b * c, *shape[2:])
    out = normalize_batch(
        rows, repeated(weight), repeated(bias), mean, var, use_input_stats, momentum, eps, alone=True
    )[0]
    for running, moved in ((running_mean, mean), (running_var, var)):
        if running is not None:
            running.detach().copy_(moved.view(b, c).mean(0))
    return out.view(shape)


export("instance_norm", method=False)(_instance_norm)


@export("instance_norm", function=False, method=False, nn=True)
def _functional_instance_norm(
    input: Tensor,  # noqa: A002
    running_mean: Value = None,
    running_var: Value = None,
    weight: Value = None,
    bias: Value = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """Standardize each channel of each image by itself; ValueError for images of one element."""
    shape = input._data.shape
    if use_input_stats and int(np.prod(shape[2:])) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {Size(shape)}")
    return _instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps)
