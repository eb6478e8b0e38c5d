"""Dropout and its kin as modules: active in training only."""

from __future__ import annotations

from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional
from backscope.runtime.given import Value
from backscope.tensor.typename import belongs


class _DropoutNd(Module):
    """A probability to drop with, and whether to drop in place."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        """The settings."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Elements set to 0 at random."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """Return the input, in training with elements set to 0."""
        return functional["dropout"](input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Whole lines set to 0 at random."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """Return the input, in training with elements set to 0."""
        return functional["dropout1d"](input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Whole images set to 0 at random."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """Return the input, in training with elements set to 0."""
        return functional["dropout2d"](input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Whole volumes set to 0 at random."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """Return the input, in training with elements set to 0."""
        return functional["dropout3d"](input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of selu's outputs."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """Return the input, in training with elements set to 0."""
        return functional["alpha_dropout"](input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels."""

    def forward(self, input: Value) -> Value:  # noqa: A002
        """Return the input, in training with elements set to 0."""
        return functional["feature_alpha_dropout"](input, self.p, self.training)


belongs(
    "torch.nn.modules.dropout",
    _DropoutNd, Dropout, Dropout1d, Dropout2d, Dropout3d, AlphaDropout, FeatureAlphaDropout,
)  # fmt: skip
