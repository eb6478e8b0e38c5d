"""The names of `torch.nn.modules.loss`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.losses.class_loss import (
    CrossEntropyLoss,
    CTCLoss,
    MultiLabelSoftMarginLoss,
    NLLLoss,
    NLLLoss2d,
    SoftMarginLoss,
)
from backscope.nn.losses.linear_cross_entropy import LinearCrossEntropyLoss
from backscope.nn.losses.loss import (
    BCELoss,
    BCEWithLogitsLoss,
    GaussianNLLLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    PoissonNLLLoss,
    SmoothL1Loss,
    _Loss as _Loss,
    _WeightedLoss as _WeightedLoss,
)
from backscope.nn.losses.margin_loss import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultiLabelMarginLoss,
    MultiMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from backscope.ops.loss.linear_cross_entropy import LinearCrossEntropyOptions
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "BCELoss",
    "BCEWithLogitsLoss",
    "CTCLoss",
    "CosineEmbeddingLoss",
    "CrossEntropyLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "LinearCrossEntropyLoss",
    "LinearCrossEntropyOptions",
    "MSELoss",
    "MarginRankingLoss",
    "MultiLabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "NLLLoss2d",
    "PoissonNLLLoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.loss", name, globals())
