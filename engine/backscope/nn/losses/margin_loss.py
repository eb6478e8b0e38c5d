"""Layers that are a loss with a margin: MarginRankingLoss, TripletMarginLoss, ..."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.nn.layers.distance import PairwiseDistance
from backscope.nn.losses.loss import _Loss, _PlainLoss, _WeightedLoss
from backscope.ops.core.namespace import functional as F
from backscope.runtime.given import Option, Value
from backscope.tensor.typename import belongs


class _MarginLoss(_Loss):
    """A loss of two tensors with a margin."""

    _function = ""

    def __init__(
        self, margin: float = 0.0, size_average: Option = None, reduce: Option = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Value, input2: Value, target: Value) -> Any:
        """The loss."""
        return F[self._function](input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_MarginLoss):
    """The amount by which one input falls short of being a margin above the other, or below it."""

    _function = "margin_ranking_loss"


class CosineEmbeddingLoss(_MarginLoss):
    """One minus the cosine of vectors that should be alike; the cosine above a margin of those that should not."""

    _function = "cosine_embedding_loss"


class HingeEmbeddingLoss(_Loss):
    """The input where the target is 1, and max(0, margin - input) where it is −1."""

    def __init__(
        self, margin: float = 1.0, size_average: Option = None, reduce: Option = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Value, target: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["hinge_embedding_loss"](input, target, margin=self.margin, reduction=self.reduction)


class MultiLabelMarginLoss(_PlainLoss):
    """The amounts by which classes fall short of 1 below each target class."""

    _function = "multilabel_margin_loss"


class MultiMarginLoss(_WeightedLoss):
    """The amounts by which classes fall short of a margin below the target class."""

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Value = None,
        size_average: Option = None,
        reduce: Option = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Value, target: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["multi_margin_loss"](
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class TripletMarginLoss(_Loss):
    """The margin plus the anchor's distance to the positive minus that to the negative, at least 0."""

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: Option = None,
        reduce: Option = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Value, positive: Value, negative: Value) -> Value:
        """The loss."""
        return F["triplet_margin_loss"](
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


class TripletMarginWithDistanceLoss(_Loss):
    """TripletMarginLoss with any distance."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Any, Any], Any] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average=None, reduce=None, reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Value, positive: Value, negative: Value) -> Value:
        """The loss."""
        return F["triplet_margin_with_distance_loss"](
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


belongs(
    "torch.nn.modules.loss",
    CosineEmbeddingLoss, HingeEmbeddingLoss, MarginRankingLoss, MultiLabelMarginLoss, MultiMarginLoss,
    TripletMarginLoss, TripletMarginWithDistanceLoss,
)  # fmt: skip
