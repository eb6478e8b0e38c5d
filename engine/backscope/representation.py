"""How a Tensor prints: its values by `printing`, then what PyTorch adds about its gradient."""

from __future__ import annotations

import numpy as np

from backscope.dtype import default
from backscope.printing import format_tensor
from backscope.tensor import Tensor


def represent(tensor: Tensor) -> str:
    """PyTorch's text for a tensor, `tensor([1., 2.], requires_grad=True)`."""
    suffixes: list[str] = []
    parameter = tensor.__class__ is not Tensor
    try:
        grad_fn = tensor.grad_fn
        name = None if grad_fn is None else type(grad_fn).__name__
    except RuntimeError:
        name = "Invalid"
    if name is not None:
        suffixes.append(f"grad_fn=<{name}>")
    elif tensor._requires_grad and not parameter:
        suffixes.append("requires_grad=True")
    data = tensor._data if isinstance(tensor._data, np.ndarray) else np.asarray(tensor._data)
    text = format_tensor(data, prefix="tensor(", suffixes=suffixes, default_dtype=default.floating.name)
    return f"Parameter containing:\n{represent_plain(text, tensor)}" if parameter else text


def represent_plain(text: str, tensor: Tensor) -> str:
    """The inner text of a Parameter."""
    return text[:-1] + ", requires_grad=True)" if tensor._requires_grad else text
