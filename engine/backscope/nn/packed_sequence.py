"""torch.nn.utils.rnn: PackedSequence, and packing and padding sequences of different lengths."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from backscope.ops.core.namespace import torch_functions
from backscope.ops.layers.packing import pad_sequence as _pad
from backscope.runtime.given import Option, Value, Values
from backscope.tensor.dtype import int64
from backscope.tensor.tensor import Tensor, of_raw


class PackedSequence_(NamedTuple):  # noqa: N801 - PyTorch's own name
    """The four parts of a packed sequence."""

    data: Value
    batch_sizes: Value
    sorted_indices: Value
    unsorted_indices: Value


class PackedSequence(PackedSequence_):
    """The steps of a batch of sequences one after another in `data`, and in `batch_sizes` the sequences at each step.

    `sorted_indices` are the original positions of the sequences sorted by length, `unsorted_indices` their new
    positions.
    """

    def __new__(
        cls, data: Value, batch_sizes: Value = None, sorted_indices: Value = None, unsorted_indices: Value = None
    ) -> PackedSequence:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Option, **kwargs: Option) -> PackedSequence:
        """This sequence with its data converted."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        return type(self)(data, self.batch_sizes, self.sorted_indices, self.unsorted_indices)

    def cpu(self, *args: object, **kwargs: object) -> PackedSequence:
        """This sequence itself: all data is on the CPU."""
        return self

    def cuda(self, *args: Option, **kwargs: Option) -> PackedSequence:
        """PyTorch's error of a build without CUDA."""
        return self.to(*args, **{**kwargs, "device": "cuda"})

    def pin_memory(self) -> PackedSequence:
        """PyTorch's error of a machine without an accelerator."""
        raise RuntimeError("Cannot access accelerator device when none is available.")

    def double(self) -> PackedSequence:
        """The data as float64."""
        return self.to(dtype=_kind("float64"))

    def float(self) -> PackedSequence:
        """The data as float32."""
        return self.to(dtype=_kind("float32"))

    def half(self) -> PackedSequence:
        """The data as float16."""
        return self.to(dtype=_kind("float16"))

    def long(self) -> PackedSequence:
        """The data as int64."""
        return self.to(dtype=_kind("int64"))

    def int(self) -> PackedSequence:
        """The data as int32."""
        return self.to(dtype=_kind("int32"))

    def short(self) -> PackedSequence:
        """The data as int16."""
        return self.to(dtype=_kind("int16"))

    def char(self) -> PackedSequence:
        """The data as int8."""
        return self.to(dtype=_kind("int8"))

    def byte(self) -> PackedSequence:
        """The data as uint8."""
        return self.to(dtype=_kind("uint8"))

    @property
    def is_cuda(self) -> bool:
        """False: all data is on the CPU."""
        return False

    def is_pinned(self) -> bool:
        """False: no memory is pinned."""
        return False


def _kind(name: str) -> Any:
    from backscope.tensor import dtype

    return getattr(dtype, name)


def invert_permutation(permutation: Value) -> Value:
    """Return the inverse of a permutation; None for None."""
    if permutation is None:
        return None
    inverse = np.empty_like(permutation._data)
    inverse[permutation._data] = np.arange(len(inverse))
    return of_raw(inverse)


def pack_padded_sequence(
    input: Value,  # noqa: A002
    lengths: Values,
    batch_first: bool = False,
    enforce_sorted: bool = True,
) -> PackedSequence:
    """Pack sequences that are padded to one length; RuntimeError for lengths that do not fit.

    Shape: [T, B, ...], or [B, T, ...] where `batch_first`.
    """
    if not isinstance(lengths, Tensor):
        lengths = torch_functions["as_tensor"](lengths, dtype=int64)
    else:
        lengths = lengths.to(int64)  # type: ignore[attr-defined]
    order = None
    if not enforce_sorted:
        lengths, order = lengths.sort(descending=True)
        input = input.index_select(0 if batch_first else 1, order)  # noqa: A001
    data, sizes = torch_functions["_pack_padded_sequence"](input, lengths, batch_first)
    return PackedSequence(data, sizes, order, None)


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: Value = None
) -> tuple[Any, Any]:
    """The padded sequences and their lengths; ValueError for a total length that is too small."""
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    out, lengths = torch_functions["_pad_packed_sequence"](
        sequence.data, sequence.batch_sizes, batch_first, padding_value, longest
    )
    order = sequence.unsorted_indices
    if order is None:
        return out, lengths
    return out.index_select(0 if batch_first else 1, order), lengths[order]


def pad_sequence(
    sequences: Values, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Value:
    """Pad sequences of different lengths to one tensor; RuntimeError for no sequences.

    Shape: several [L, ...] -> [T, B, ...], or [B, T, ...] where `batch_first`.
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    return _pad(tuple(sequences), batch_first, padding_value, padding_side)


def unpad_sequence(padded_sequences: Value, lengths: Values, batch_first: bool = False) -> list[Any]:
    """Return padded sequences, each with its own length."""
    if not batch_first:
        padded_sequences.transpose_(0, 1)
    steps = torch_functions["arange"](padded_sequences.shape[1])
    return [s[steps < n] for s, n in zip(padded_sequences, lengths, strict=True)]


def pack_sequence(sequences: Values, enforce_sorted: bool = True) -> PackedSequence:
    """Pack sequences of different lengths."""
    lengths = torch_functions["as_tensor"]([s.size(0) for s in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Any]:
    """The sequences of a packed one."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


PackedSequence.__module__ = PackedSequence_.__module__ = "torch.nn.utils.rnn"
