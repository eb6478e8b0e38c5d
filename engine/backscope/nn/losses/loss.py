"""Layers that are a loss of numbers or probabilities: MSELoss, BCELoss, ..."""

from __future__ import annotations

from typing import Any

from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional as F
from backscope.ops.loss.reducing_loss import legacy_reduction
from backscope.runtime.given import Option, Value
from backscope.tensor.typename import belongs


class _Loss(Module):
    """The base of all losses, with the reduction of element losses to one number."""

    def __init__(self, size_average: Option = None, reduce: Option = None, reduction: str = "mean") -> None:
        super().__init__()
        legacy = size_average is not None or reduce is not None
        self.reduction = legacy_reduction(size_average, reduce) if legacy else reduction


class _WeightedLoss(_Loss):
    """A loss with weights in a buffer."""

    weight: Any

    def __init__(
        self, weight: Value = None, size_average: Option = None, reduce: Option = None, reduction: str = "mean"
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class _PlainLoss(_Loss):
    """A loss of an input and a target without options of its own."""

    _function = ""

    def forward(self, input: Value, target: Value) -> Any:  # noqa: A002
        """The loss."""
        return F[self._function](input, target, reduction=self.reduction)


class _PlainWeightedLoss(_WeightedLoss):
    """A loss of an input and a target with weights and no other options."""

    _function = ""

    def forward(self, input: Value, target: Value) -> Any:  # noqa: A002
        """The loss."""
        return F[self._function](input, target, weight=self.weight, reduction=self.reduction)


class L1Loss(_PlainLoss):
    """The absolute difference."""

    _function = "l1_loss"


class MSELoss(_PlainLoss):
    """The squared difference."""

    _function = "mse_loss"


class SmoothL1Loss(_Loss):
    """The absolute difference, quadratic below beta."""

    def __init__(
        self, size_average: Option = None, reduce: Option = None, reduction: str = "mean", beta: float = 1.0
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Value, target: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["smooth_l1_loss"](input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """Half the squared difference, linear beyond delta."""

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        if not isinstance(delta, (float, int)):
            raise TypeError(f"delta must be a float or int, got: {type(delta)}")
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Value, target: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["huber_loss"](input, target, reduction=self.reduction, delta=self.delta)


class PoissonNLLLoss(_Loss):
    """Minus the log probability of counts."""

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: Option = None,
        eps: float = 1e-8,
        reduce: Option = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Value, target: Value) -> Value:
        """The loss."""
        return F["poisson_nll_loss"](
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


class GaussianNLLLoss(_Loss):
    """Minus the log probability under normal distributions."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Value, target: Value, var: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["gaussian_nll_loss"](input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class KLDivLoss(_Loss):
    """The Kullback-Leibler divergence of a target from log probabilities."""

    def __init__(
        self, size_average: Option = None, reduce: Option = None, reduction: str = "mean", log_target: bool = False
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Value, target: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["kl_div"](input, target, reduction=self.reduction, log_target=self.log_target)


class BCELoss(_PlainWeightedLoss):
    """Binary cross entropy of probabilities."""

    _function = "binary_cross_entropy"


class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of logits."""

    weight: Value
    pos_weight: Value

    def __init__(
        self,
        weight: Value = None,
        size_average: Option = None,
        reduce: Option = None,
        reduction: str = "mean",
        pos_weight: Value = None,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Value, target: Value) -> Value:  # noqa: A002
        """The loss."""
        return F["binary_cross_entropy_with_logits"](
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


belongs(
    "torch.nn.modules.loss",
    BCELoss, BCEWithLogitsLoss, GaussianNLLLoss, HuberLoss, KLDivLoss, L1Loss, MSELoss, PoissonNLLLoss, SmoothL1Loss,
    _Loss, _WeightedLoss,
)  # fmt: skip
