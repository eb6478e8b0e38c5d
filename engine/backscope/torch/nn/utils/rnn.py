"""The names of `torch.nn.utils.rnn`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.packed_sequence import (
    PackedSequence,
    invert_permutation,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
    unpad_sequence,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.utils.rnn", name, globals())
