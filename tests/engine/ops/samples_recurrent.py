"""Samples of the ops of recurrent layers: the fused LSTM layer, and packing."""

from __future__ import annotations

from typing import Any

from backscope_op_samples import Sample, gradient_of, values

STEPS = values(3, 2, 2, low=-1.0, seed=40)
WEIGHTS = (
    values(8, 2, low=-1.0, seed=41), values(8, 2, low=-1.0, seed=42), values(8, low=-1.0, seed=43),
    values(8, low=-1.0, seed=44), values(2, 2, low=-1.0, seed=45), values(2, 2, low=-1.0, seed=46),
)  # fmt: skip


def layer(output: int, reverse: bool) -> Any:
    """A call of the fused layer that gives one of its outputs; PyTorch has none of float64, and composes it."""

    def call(t: Any, *inputs: Any) -> Any:
        if t.__name__ == "torch":
            x, w_ih, w_hh, b_ih, b_hh, h, c = inputs
            steps = x.flip(0) if reverse else x
            found = t.lstm(steps, (h[None], c[None]), [w_ih, w_hh, b_ih, b_hh], True, 1, 0.0, False, False, False)
            return (found[0].flip(0) if reverse else found[0]) if not output else found[output][0]
        from backscope.ops.core.declaration import primitives
        from backscope.ops.core.dispatch import apply

        settings = (reverse, (), 2, 2, 1, True, False, False, True)
        return apply(primitives["mkldnn_rnn_layer"], *inputs, *settings)[output]

    return call


def packed(t: Any, x: Any) -> Any:
    """Three steps of two sequences, of which one is shorter."""
    return t._pack_padded_sequence(x, t.tensor([3, 2]), False)[0]


SAMPLES = [
    Sample("mkldnn_rnn_layer", layer(0, False), (STEPS, *WEIGHTS), kinds=("float32",)),
    Sample("mkldnn_rnn_layer", layer(0, True), (STEPS, *WEIGHTS), kinds=()),
    Sample("mkldnn_rnn_layer", layer(2, False), (STEPS, *WEIGHTS), kinds=()),
    Sample("pack_padded_sequence", packed, (STEPS,)),
    Sample("unpack_steps", gradient_of(packed), (values(5, 2, seed=47), STEPS)),
]
