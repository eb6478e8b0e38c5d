"""Packed sequences: batches of sequences of different lengths, padded, packed by steps, and back."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from backscope.ops.core.declaration import A, V, op, primitives, xp
from backscope.ops.core.dispatch import apply
from backscope.ops.core.namespace import export
from backscope.runtime.given import Shape, Value, Values
from backscope.tensor.tensor import Tensor, make, of_raw


def _sizes(lengths: list[int]) -> list[int]:
    """Return the number of sequences at each step, for lengths in falling order."""
    return [sum(n > t for n in lengths) for t in range(lengths[0])]


@op(
    grad_fn="PackPaddedSequenceBackward0",
    outputs=2,
    differentiable=1,
    returns=("result0", "result1"),
    symbol="pack",
    latex={"input": r"g\ \text{at the steps it came from}"},
    summary={"input": "puts the incoming gradient back where each step was, 0 at the padding"},
)
class pack_padded_sequence:
    """The steps of padded sequences one after another, without the padding.

    Shape: [T, B, ...] -> [sum of lengths, ...] and batch sizes [T].
    """

    def forward(input: A, lengths: Values, batch_first: bool) -> tuple[A, ...]:  # noqa: A002
        steps = input.swapaxes(0, 1) if batch_first else input
        sizes = _sizes(lengths)
        return np.concatenate([steps[t, :n] for t, n in enumerate(sizes)]), np.array(sizes, np.int64)

    def grad_input(g: V, input_shape: V, lengths: V, batch_first: V) -> V:
        return xp.unpack_steps(g, tuple(input_shape), lengths, batch_first)


@op(
    grad_fn="PackPaddedSequenceBackwardBackward0",
    symbol="unpack",
    latex={"self": r"\text{pack}(g)"},
    summary={"self": "packs the incoming gradient"},
)
class unpack_steps:
    """Zeros with the steps of a packed sequence where they came from."""

    def forward(self: A, shape: Shape, lengths: Values, batch_first: bool) -> A:
        out = np.zeros(shape, self.dtype)
        steps = out.swapaxes(0, 1) if batch_first else out
        offset = 0
        for t, n in enumerate(_sizes(lengths)):
            steps[t, :n] = self[offset : offset + n]
            offset += n
        return out

    def grad_self(g: V, lengths: V, batch_first: V) -> V:
        return xp.pack_padded_sequence(g, lengths, batch_first)[0]


@export("_pack_padded_sequence", method=False)
def _pack(input: Tensor, lengths: Tensor, batch_first: bool) -> Any:  # noqa: A002
    """The data and the batch sizes of padded sequences; RuntimeError for lengths that do not fit."""
    given = [int(n) for n in lengths._data]
    batch = input._data.shape[0 if batch_first else 1]
    if not input._data.size:
        raise RuntimeError("Cannot pack empty tensors.")
    if len(given) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(given)} (batch_size={batch})"
        )
    if given[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(a < b for a, b in pairwise(given)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if given[0] > input._data.shape[1 if batch_first else 0]:
        raise RuntimeError(
            f"Expected sequence length to be larger than or equal to {given[0]}, but got "
            f"{input._data.shape[1 if batch_first else 0]}"
        )
    return apply(primitives["pack_padded_sequence"], input, given, bool(batch_first))


@export("_pad_packed_sequence", method=False)
def _pad_packed(data: Value, batch_sizes: Tensor, batch_first: bool, padding_value: float, total_length: int) -> Any:
    """The padded sequences and their lengths: steps copied block by block into a tensor of the padding."""
    sizes = [int(n) for n in batch_sizes._data]
    length = max(total_length, len(sizes))
    shape = (length, sizes[0], *data._data.shape[1:])
    out: Any = make(np.full(shape, padding_value, data._dtype.np), data._dtype)
    lengths = [0] * sizes[0]
    offset = start = 0
    for t in range(1, len(sizes) + 1):
        before, size = sizes[t - 1], sizes[t] if t < len(sizes) else 0
        if size != before:
            count = before * (t - start)
            block = data.narrow(0, offset, count).view(t - start, before, *shape[2:])
            out.narrow(0, start, t - start).narrow(1, 0, before).copy_(block)
            offset += count
            start = t
            for k in range(size, before):
                lengths[k] = t
    if batch_first:
        out = out.transpose(0, 1)
    return out, of_raw(np.array(lengths, np.int64))


def pad_sequence(sequences: Values, batch_first: bool, padding_value: float, padding_side: str) -> Value:
    """Sequences of different lengths side by side in a tensor of the padding."""
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    rest = sequences[0]._data.shape[1:]
    for s in sequences:
        if s._data.shape[1:] != rest:
            raise RuntimeError(
                f"The size of tensor a ({rest[0]}) must match the size of tensor b ({s._data.shape[1]}) at "
                "non-singleton dimension 1"
            )
    length = max(s._data.shape[0] for s in sequences)
    lead = (len(sequences), length) if batch_first else (length, len(sequences))
    kind = sequences[0]._dtype
    out: Any = make(np.full((*lead, *rest), padding_value).astype(kind.np), kind)
    for i, s in enumerate(sequences):
        n = s._data.shape[0]
        start = 0 if padding_side == "right" else length - n
        if batch_first:
            out.select(0, i).narrow(0, start, n).copy_(s)
        else:
            out.narrow(0, start, n).select(1, i).copy_(s)
    return out
