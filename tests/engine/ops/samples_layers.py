"""Samples of the ops of layers: normalization, embedding, sparse values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope_op_samples import SIGNED, WIDE, Sample, gradient_of, values

LINE = values(2, 4, 3, low=-1.0, seed=30)
SCALE, SHIFT = values(4, low=0.5, high=1.5, seed=31), values(4, low=-1.0, seed=32)
ROW_SCALE, ROW_SHIFT = values(3, low=0.5, high=1.5, seed=33), values(3, low=-1.0, seed=34)
WEIGHTS = values(2, 4, 3, low=-1.0, seed=35)
TABLE = values(4, 3, low=-1.0, seed=36)


def weighed_gradients(call: Callable[..., Any]) -> Callable[..., Any]:
    """The gradients of input, weight and bias of a call for the incoming gradient g, as one value each by turns."""

    def again(t: Any, g: Any, x: Any, *rest: Any) -> Any:
        return t.autograd.grad(call(t, x, *rest), (x, *rest), g, create_graph=True)

    return again


def gradient_for(call: Callable[..., Any], which: int) -> Callable[..., Any]:
    """One of those gradients."""
    return lambda t, *inputs: weighed_gradients(call)(t, *inputs)[which]


def batch_norm(training: bool) -> Callable[..., Any]:
    """A call of batch_norm in training or evaluation."""

    def call(t: Any, x: Any, w: Any = None, b: Any = None) -> Any:
        mean = t.linspace(-0.3, 0.4, 4).to(x.dtype)
        return t.nn.functional.batch_norm(x, mean, mean + 1, w, b, training, eps=0.1)

    return call


def layer_norm(t: Any, x: Any, w: Any = None, b: Any = None) -> Any:
    """A call of layer_norm over the last dim."""
    return t.nn.functional.layer_norm(x, (3,), w, b, 0.1)


def group_norm(t: Any, x: Any, w: Any = None, b: Any = None) -> Any:
    """A call of group_norm with two groups."""
    return t.nn.functional.group_norm(x, 2, w, b, 0.1)


def legit_norm(*, running: bool) -> Callable[..., Any]:
    """A call of batch norm that has running statistics or none."""

    def call(t: Any, x: Any, w: Any, b: Any) -> Any:
        mean = t.linspace(-0.3, 0.4, 4).to(x.dtype)
        return t._native_batch_norm_legit(x, w, b, *((mean, mean + 1) if running else ()), True, 0.1, 0.1)[0]

    return call


def updating_norm(t: Any, x: Any, w: Any, b: Any) -> Any:
    """A call of batch norm by its internal name."""
    mean = t.linspace(-0.3, 0.4, 4).to(x.dtype)
    return t.ops.aten._batch_norm_with_update(x, w, b, mean, mean + 1, 0.1, 0.1)[0]


NORMALIZATION = [
    *[
        sample
        for training in (True, False)
        for sample in (
            Sample("native_batch_norm", batch_norm(training), (LINE, SCALE, SHIFT), kinds=WIDE),
            Sample("native_batch_norm", batch_norm(training), (LINE,), kinds=WIDE),
            *[
                Sample("native_batch_norm_backward", gradient_for(batch_norm(training), i),
                       (WEIGHTS, LINE, SCALE, SHIFT), kinds=WIDE)
                for i in (0, 1, 2)
            ],
        )
    ],
    Sample("native_layer_norm", layer_norm, (LINE, ROW_SCALE, ROW_SHIFT), kinds=WIDE),
    Sample("native_layer_norm", layer_norm, (LINE,), kinds=WIDE),
    *[
        Sample("native_layer_norm_backward", gradient_for(layer_norm, i), (WEIGHTS, LINE, ROW_SCALE, ROW_SHIFT),
               kinds=WIDE)
        for i in (0, 1, 2)
    ],
    Sample("native_group_norm", group_norm, (LINE, SCALE, SHIFT), kinds=WIDE),
    Sample("native_group_norm", group_norm, (LINE,), kinds=WIDE),
    Sample("native_batch_norm_legit", legit_norm(running=True), (LINE, SCALE, SHIFT), kinds=WIDE),
    Sample("native_batch_norm_legit_no_stats", legit_norm(running=False), (LINE, SCALE, SHIFT), kinds=WIDE),
    Sample("batch_norm_with_update", updating_norm, (LINE, SCALE, SHIFT), kinds=WIDE),
    Sample(
        "native_dropout_backward",
        lambda t, g: t.ops.aten.native_dropout_backward(g, t.tensor([True, False, True]), 1.25),
        (SIGNED,),
    ),
]  # fmt: skip


def indices(t: Any) -> Any:
    """Indices of rows, one of them twice."""
    return t.tensor([[1, 3], [3, 0]])


EMBEDDING = [
    Sample("embedding", lambda t, w: t.nn.functional.embedding(indices(t), w, 2), (TABLE,)),
    Sample(
        "embedding_dense_backward",
        gradient_of(lambda t, w: t.nn.functional.embedding(indices(t), w, 2)),
        (values(2, 2, 3, seed=37), TABLE),
        kinds=(),
    ),
    *[
        Sample(
            "embedding_bag",
            lambda t, w, mode=mode: t.nn.functional.embedding_bag(indices(t), w, mode=mode, padding_idx=2),
            (TABLE,),
            twice=False,
        )
        for mode in ("sum", "mean", "max")
    ],
    Sample(
        "embedding_bag",
        lambda t, w, p: t.nn.functional.embedding_bag(indices(t), w, mode="sum", per_sample_weights=p),
        (TABLE, values(2, 2, seed=38)),
        twice=False,
    ),
]


DROPOUT = [
    Sample("native_dropout", lambda t, x: t.native_dropout(x, 0.3, t.manual_seed(1) is not None)[0], (SIGNED,)),
]

SAMPLES = [*DROPOUT, *NORMALIZATION, *EMBEDDING]
