"""Samples of the losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from backscope_op_samples import NUMBER, SIGNED, SMALL, WIDE, Sample, gradient_of, integers, values

INPUT = values(3, 4, low=-1.8, high=1.7, seed=40)
AIM = values(3, 4, low=-1.5, high=1.9, seed=41)
CHANCE = values(3, 4, low=0.15, high=0.85, seed=42)
LIKELY = values(3, 4, low=0.2, high=0.8, seed=43)
WEIGHT = values(3, 4, low=0.4, high=1.6, seed=44)
IMAGE = values(2, 3, 2, 2, low=-1.5, high=1.4, seed=45)
TENSOR = values(2, 4, 4, low=-0.9, high=0.8, seed=47)
LENGTHS = values(3, 1, low=0.5, high=1.5, seed=48)
SPEECH = values(5, 2, 4, low=-2.5, high=-0.4, seed=46)


def classes(t: Any) -> Any:
    """A class for each of three rows."""
    return t.tensor([0, 3, 1])


def pixels(t: Any) -> Any:
    """A class for each pixel of two images; one is ignored."""
    return t.tensor([[[0, 1], [2, 1]], [[-100, 0], [1, 2]]])


def signs(t: Any) -> Any:
    """A sign for each element."""
    return t.tensor([[1.0, -1, 1, -1], [1, 1, -1, -1], [-1, 1, 1, -1]])


def several(t: Any) -> Any:
    """Several classes for each row, up to the first -1."""
    return t.tensor([[3, 0, -1, 1], [0, -1, 1, 2], [1, 2, 3, -1]])


def loss(op: str, call: Callable[..., Any], *inputs: np.ndarray[Any, Any], twice: bool = True) -> list[Sample]:
    """A loss of torch.nn.functional, averaged and by element, and the op that its gradient is."""

    def averaged(t: Any, *xs: Any) -> Any:
        return call(t.nn.functional, t, *xs, "mean")

    def apart(t: Any, *xs: Any) -> Any:
        return call(t.nn.functional, t, *xs, "none")

    def sloped(t: Any, g: Any, *xs: Any) -> Any:
        return gradient_of(averaged)(t, g, *xs)

    return [
        Sample(op, averaged, inputs, kinds=WIDE, twice=twice),
        Sample(op, apart, inputs, kinds=WIDE, twice=twice),
        Sample(op + "_backward", sloped, (NUMBER, *inputs), kinds=WIDE, differentiable=twice),
    ]


def chunked(t, x, w, b):  # type: ignore[no-untyped-def]
    """The cross entropy of a linear layer that leaves its gradients for the backward pass."""
    options = t.nn.LinearCrossEntropyOptions(allow_retain_graph=True)
    target = t.tensor([1, 0, 3], dtype=t.int64)
    return t.nn.functional.linear_cross_entropy(x, w, target, linear_bias=b, options=options)


CHUNKED = [
    Sample(
        "linear_cross_entropy_batch_chunked",
        chunked,
        (values(3, 2, seed=90), values(4, 2, seed=91), values(4, seed=92)),
        kinds=WIDE,
        twice=False,
    )
]

PROBABILITIES = values(2, 3, low=0.2, high=0.8, seed=9)

BASIC = [
    Sample("mse_loss", lambda t, a, b: t.nn.functional.mse_loss(a, b), (SIGNED, SMALL)),
    Sample("mse_loss_backward", gradient_of(lambda t, x, y: t.nn.functional.mse_loss(x, y)), (NUMBER, SIGNED, SMALL)),
    Sample("smooth_l1_loss", lambda t, a, b: t.nn.functional.smooth_l1_loss(a, b), (SIGNED, SMALL)),
    Sample("huber_loss", lambda t, a, b: t.nn.functional.huber_loss(a, b, reduction="sum"), (SIGNED, SMALL)),
    Sample("binary_cross_entropy", lambda t, a, b: t.nn.functional.binary_cross_entropy(a, b), (SMALL, PROBABILITIES)),
    Sample("binary_cross_entropy_with_logits",
           lambda t, a, b: t.nn.functional.binary_cross_entropy_with_logits(a, b), (SIGNED, PROBABILITIES)),
    Sample("nll_loss", lambda t, a: t.nn.functional.nll_loss(a, integers(t, 2, 0)), (SIGNED,), kinds=WIDE),
    Sample("nll_loss_backward", gradient_of(lambda t, x: t.nn.functional.nll_loss(x, integers(t, 2, 0))),
           (NUMBER, SIGNED), kinds=WIDE),
]  # fmt: skip

SAMPLES = [
    *loss("smooth_l1_loss", lambda F, t, a, b, r: F.smooth_l1_loss(a, b, reduction=r, beta=0.7), INPUT, AIM),
    *loss("huber_loss", lambda F, t, a, b, r: F.huber_loss(a, b, reduction=r, delta=0.7), INPUT, AIM),
    *loss(
        "binary_cross_entropy",
        lambda F, t, a, b, r: F.binary_cross_entropy(a, b, t.as_tensor(WEIGHT).to(a.dtype), reduction=r),
        CHANCE,
        LIKELY,
    ),
    *loss("soft_margin_loss", lambda F, t, a, r: F.soft_margin_loss(a, signs(t).to(a.dtype), reduction=r), INPUT),
    *loss(
        "multi_margin_loss",
        lambda F, t, a, r: F.multi_margin_loss(a, classes(t), 2, 0.8, t.as_tensor(WEIGHT[0]).to(a.dtype), reduction=r),
        INPUT,
        twice=False,
    ),
    *loss(
        "multilabel_margin_loss",
        lambda F, t, a, r: F.multilabel_margin_loss(a, several(t), reduction=r),
        INPUT,
        twice=False,
    ),
    *loss("nll_loss2d", lambda F, t, a, r: F.nll_loss(a, pixels(t), reduction=r), IMAGE),
    Sample("ctc_loss", lambda t, a: t.nn.functional.ctc_loss(
        a.log_softmax(2), t.tensor([[1, 2, 2], [3, 1, 0]]), (5, 4), (3, 2), reduction="none"),
        (SPEECH,), kinds=WIDE, twice=False),
    Sample("trilinear", lambda t, a, w, b: t._trilinear(a, w, b, [1, 3], [0], [1, 2], [2, 3]), (INPUT, TENSOR, AIM),
           kinds=WIDE),
    Sample("ctc_loss_backward", lambda t, a: t.nn.functional.ctc_loss(a, t.tensor([[1]] * 2), (5, 4), (1, 1)),
           (SPEECH,), differentiable=False),
    Sample("norm_all", lambda t, a: t.norm_except_dim(a, 2, -1), (INPUT,), kinds=WIDE),
    Sample("weight_norm_interface", lambda t, v, g: t._weight_norm(v, g, 0), (INPUT, LENGTHS), kinds=WIDE, twice=False),
    Sample("norm_dim", lambda t, a, b: t.pairwise_distance(a, b, p=3.0), (INPUT, AIM), kinds=WIDE),
    *CHUNKED,
    *BASIC,
]  # fmt: skip
