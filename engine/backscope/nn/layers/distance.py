"""Layers that are a distance or a similarity: PairwiseDistance, CosineSimilarity."""

from __future__ import annotations

from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional as F
from backscope.runtime.given import Value
from backscope.tensor.typename import belongs


class PairwiseDistance(Module):
    """The p-norm of the difference of vectors along the last dim."""

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Value, x2: Value) -> Value:
        """The distance."""
        return F["pairwise_distance"](x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """The cosine of the angle between vectors along a dim."""

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Value, x2: Value) -> Value:
        """The cosine."""
        return F["cosine_similarity"](x1, x2, self.dim, self.eps)


belongs("torch.nn.modules.distance", PairwiseDistance, CosineSimilarity)
