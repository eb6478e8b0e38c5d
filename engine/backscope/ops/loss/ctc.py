"""ctc_loss: minus the log probability of a sequence of labels, summed over all its alignments with longer input."""

from __future__ import annotations

from typing import Any

import numpy as np

from backscope.autograd.evaluation import composed
from backscope.ops.activation.activation import require_floating
from backscope.ops.core.declaration import A, K, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export, torch_functions
from backscope.ops.loss.reducing_loss import reduction_number
from backscope.runtime.given import Value
from backscope.tensor.dtype import int64
from backscope.tensor.tensor import Tensor

_NONE = -np.inf


def _labels(targets: A, batch: int, lengths: tuple[int, ...], blank: int) -> list[A]:
    """The labels of each sequence with blanks before, between and after them."""
    found, start = [], 0
    for b in range(batch):
        own = targets[start : start + lengths[b]] if targets.ndim == 1 else targets[b, : lengths[b]]
        start += lengths[b]
        spread = np.full(2 * lengths[b] + 1, blank, np.int64)
        spread[1::2] = own
        found.append(spread)
    return found


def _skips(labels: A) -> A:
    """Mark where an alignment may skip a blank: between two labels that differ."""
    allowed = np.zeros(len(labels), bool)
    allowed[2:] = labels[2:] != labels[:-2]
    allowed[::2] = False
    return allowed


def _forward_sums(log_probs: A, labels: A) -> A:
    """log of the summed probability of all ways to reach each place at each time."""
    alpha = np.full((len(log_probs), len(labels)), _NONE, log_probs.dtype)
    if not len(log_probs):
        return alpha
    alpha[0, :2] = log_probs[0, labels[:2]]
    skips = _skips(labels)
    ways = np.full((3, len(labels)), _NONE, log_probs.dtype)
    for t in range(1, len(log_probs)):
        ways[0] = alpha[t - 1]
        ways[1, 1:] = ways[0, :-1]
        ways[2, 2:] = np.where(skips[2:], ways[0, :-2], _NONE)
        alpha[t] = _log_sum(ways) + log_probs[t, labels]
    return alpha


def _log_sum(values: A) -> A:
    """Compute the log of a sum along the first dim, given the logs of its terms."""
    top = values.max(0)
    top = np.where(top == _NONE, 0, top)
    return np.log(np.exp(values - top).sum(0)) + top


@op(
    outputs=2,
    differentiable=1,
    returns=("neg_log_likelihood", "log_alpha"),
    hidden=("log_alpha",),
    grad_fn="CtcLossBackward0",
    symbol="ctc",
    latex={"log_probs": r"g \cdot (e^{\text{log\_probs}} - \text{share of the alignments})"},
    summary={
        "log_probs": "compares the probability of each label with its share in all alignments, times the gradient"
    },
)
class ctc_loss:
    """Minus the log probability of each target, and the sums over alignments up to each time."""

    def forward(
        log_probs: A, targets: K, input_lengths: Value, target_lengths: Value, blank: int, zero_infinity: bool
    ) -> A:
        require_floating(log_probs, "ctc_loss_cpu")
        _, batch, _ = log_probs.shape
        labels = _labels(targets, batch, target_lengths, blank)
        width = 2 * max([0, *target_lengths]) + 1
        sums = np.full((batch, max([0, *input_lengths]), width), _NONE, log_probs.dtype)
        losses = np.zeros(batch, log_probs.dtype)
        for b in range(batch):
            alpha = _forward_sums(log_probs[: input_lengths[b], b], labels[b])
            sums[b, : alpha.shape[0], : alpha.shape[1]] = alpha
            if not len(alpha):
                losses[b] = -0.0 if target_lengths[b] == 0 else np.inf
            else:
                losses[b] = -np.logaddexp.reduce(alpha[-1, -2:])
        return losses, sums

    def grad_log_probs(
        g: V,
        log_probs: V,
        targets: V,
        input_lengths: V,
        target_lengths: V,
        neg_log_likelihood: V,
        log_alpha: V,
        blank: V,
        zero_infinity: V,
    ) -> V:
        return xp.ctc_loss_backward(
            g, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha, blank, zero_infinity
        )


def _ctc_backward(
    grad: A,
    log_probs: A,
    targets: A,
    input_lengths: Value,
    target_lengths: Value,
    neg_log_likelihood: A,
    log_alpha: A,
    blank: int,
    zero_infinity: bool,
) -> A:
    batch = log_probs.shape[1]
    out = np.zeros_like(log_probs)
    for b, labels in enumerate(_labels(targets, batch, target_lengths, blank)):
        steps = input_lengths[b]
        lost = neg_log_likelihood[b]
        if zero_infinity and np.isinf(lost):
            continue
        own = log_probs[:steps, b]
        alpha = log_alpha[b, :steps, : len(labels)]
        beta = _forward_sums(own[::-1], labels[::-1])[::-1, ::-1]
        through = alpha + beta
        shares = np.full(own.shape, _NONE, own.dtype)
        for place, label in reversed([*enumerate(labels)]):
            shares[:, label] = _log_sum(np.stack([shares[:, label], through[:, place]]))
        out[:steps, b] = (np.exp(own) - np.exp(shares + lost - own)) * grad[b]
    return out


def _no_derivative(g: V) -> V:
    raise RuntimeError("derivative for aten::_ctc_loss_backward is not implemented")


_ctc_backward.__annotations__ = {
    "grad": "A", "log_probs": "A", "targets": "K", "neg_log_likelihood": "K", "log_alpha": "K",
}  # fmt: skip
op(
    name="ctc_loss_backward",
    grad_fn="NotImplemented",
    symbol="ctc′",
    latex=dict.fromkeys(("grad", "log_probs"), r"\text{not implemented}"),
    summary=dict.fromkeys(("grad", "log_probs"), "raises an error: PyTorch has no derivative for this op"),
)(
    type(
        "ctc_loss_backward",
        (),
        {"forward": _ctc_backward, "grad_grad": _no_derivative, "grad_log_probs": _no_derivative},
    )
)


def _lengths(value: Value) -> tuple[int, ...]:
    if isinstance(value, Tensor):
        return tuple(np.atleast_1d(value._data).astype(int).tolist())
    return tuple([int(n) for n in value]) if isinstance(value, (list, tuple)) else (int(value),)


def _check(log_probs: Value, targets: Value, input_lengths: Value, target_lengths: Value, blank: int) -> None:
    steps, batch, classes = log_probs._data.shape
    if not 0 <= blank < classes:
        raise RuntimeError("blank must be in label range")
    for name, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if len(lengths) != batch:
            raise RuntimeError(f"{name} must be of size batch_size")
    checked = " (while checking arguments for ctc_loss_allocate_outputs)"
    for n in target_lengths:
        if n < 0:
            raise RuntimeError(f"Expected target_lengths to have value at least 0, but got value {n}{checked}")
    longest = max([0, *target_lengths])
    if targets._data.ndim > 1 and targets._data.shape[1] < longest:
        raise RuntimeError(
            f"Expected tensor to have size at least {longest} at dimension 1, but got size {targets._data.shape[1]} "
            f"for argument #2 'targets'{checked}"
        )
    for n in input_lengths:
        if n < 0:
            raise RuntimeError(f"Expected input_lengths to have value at least 0, but got value {n}{checked}")
        if n > steps:
            raise RuntimeError(f"Expected input_lengths to have value at most {steps}, but got value {n}{checked}")


@composed
def _ctc(
    log_probs: Value,
    targets: Value,
    input_lengths: tuple[int, ...],
    target_lengths: tuple[int, ...],
    blank: int,
    reduction: int,
    zero_infinity: bool,
) -> Any:
    batched = log_probs._data.ndim == 3
    if not batched:
        log_probs = log_probs.unsqueeze(1)
    _check(log_probs, targets, input_lengths, target_lengths, blank)
    given = (log_probs, targets.to(int64), input_lengths, target_lengths, blank, zero_infinity)
    found = apply(primitives["ctc_loss"], *given)[0]
    if zero_infinity:
        found = torch_functions["where"](found == float("inf"), torch_functions["zeros_like"](found), found)
    if reduction == 1:
        counts = torch_functions["tensor"](target_lengths, dtype=found._dtype).clamp_min(1)
        return (found / counts).mean()
    if reduction == 2:
        return found.sum()
    return found if batched else found.squeeze(0)


@export("ctc_loss", function=False, method=False, nn=True)
def _ctc_loss(
    log_probs: Tensor,
    targets: Tensor,
    input_lengths: Value,
    target_lengths: Value,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Minus the log probability of label sequences; RuntimeError for lengths that don't fit.

    Shape: log_probs [time, batch, classes] or [time, classes]; targets [batch, labels] or all labels one after the
    other.
    """
    number = reduction_number(reduction)
    return _ctc(log_probs, targets, _lengths(input_lengths), _lengths(target_lengths), blank, number, zero_infinity)
