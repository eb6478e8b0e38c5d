"""Layers that normalise along a dim: Softmax, Softmin, LogSoftmax, Softmax2d."""

from __future__ import annotations

from typing import Any

from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional as F
from backscope.runtime.given import Value
from backscope.tensor.typename import belongs


class _AlongDim(Module):
    """Something normalised along a dim."""

    _function = ""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Value) -> Any:  # noqa: A002
        """The input normalised."""
        return F[self._function](input, self.dim)

    def extra_repr(self) -> str:
        """The dim."""
        return f"dim={self.dim}"


class Softmax(_AlongDim):
    """exp(input) normalised to sum 1 along `dim`."""

    _function = "softmax"


class Softmin(_AlongDim):
    """The softmax of the negated input."""

    _function = "softmin"


class LogSoftmax(_AlongDim):
    """The logarithm of the softmax."""

    _function = "log_softmax"


class Softmax2d(Module):
    """The softmax over the channels of images."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """The input normalised over its channels."""
        if input.dim() not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead")
        return F["softmax"](input, -3)


belongs("torch.nn.modules.activation", Softmax, Softmin, LogSoftmax, Softmax2d)
