"""Functions of torch.special with another name in torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.ops.activation import activation, softmax  # noqa: F401 - declare the functions that are named here
from backscope.ops.core.namespace import torch_functions
from backscope.ops.pointwise import exponential, rounding  # noqa: F401

special: dict[str, Callable[..., Any]] = {
    "expit": torch_functions["sigmoid"],
    "exp2": torch_functions["exp2"],
    "expm1": torch_functions["expm1"],
    "log1p": torch_functions["log1p"],
    "logsumexp": torch_functions["logsumexp"],
    "round": torch_functions["round"],
    "softmax": torch_functions["softmax"],
    "log_softmax": torch_functions["log_softmax"],
    "xlogy": torch_functions["xlogy"],
}
