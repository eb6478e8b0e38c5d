"""Layers that are a loss of classes or labels: NLLLoss, CrossEntropyLoss, CTCLoss, ..."""

from __future__ import annotations

from backscope.nn.losses.loss import _Loss, _PlainLoss, _PlainWeightedLoss, _WeightedLoss
from backscope.ops.core.namespace import functional as F
from backscope.runtime.given import Option, Value
from backscope.runtime.warning import warn
from backscope.tensor.typename import belongs


class NLLLoss(_WeightedLoss):
    """Minus the log probability of the target class."""

    def __init__(
        self,
        weight: Value = None,
        size_average: Option = None,
        ignore_index: int = -100,
        reduce: Option = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Value, target: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["nll_loss"](
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction
        )


class NLLLoss2d(NLLLoss):
    """NLLLoss for images under its deprecated name; gives a warning."""

    def __init__(
        self,
        weight: Value = None,
        size_average: Option = None,
        ignore_index: int = -100,
        reduce: Option = None,
        reduction: str = "mean",
    ) -> None:
        warn(
            "`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
            "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.",
            FutureWarning,
        )
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """Minus the log probability of the target class, from logits."""

    def __init__(
        self,
        weight: Value = None,
        size_average: Option = None,
        ignore_index: int = -100,
        reduce: Option = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Value, target: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["cross_entropy"](
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


class CTCLoss(_Loss):
    """Minus the log probability of label sequences, summed over alignments."""

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Value, targets: Value, input_lengths: Value, target_lengths: Value) -> Value:
        """The loss."""
        return F["ctc_loss"](
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )


class SoftMarginLoss(_PlainLoss):
    """log(1 + exp(-target * input))."""

    _function = "soft_margin_loss"


class MultiLabelSoftMarginLoss(_PlainWeightedLoss):
    """Binary cross entropy of each class."""

    _function = "multilabel_soft_margin_loss"


belongs(
    "torch.nn.modules.loss",
    CTCLoss, CrossEntropyLoss, MultiLabelSoftMarginLoss, NLLLoss, NLLLoss2d, SoftMarginLoss,
)  # fmt: skip
