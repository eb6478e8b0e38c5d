"""Causal masks for attention that are not made until they are needed."""

from __future__ import annotations

from enum import IntEnum, auto
from typing import Any, Self

import numpy as np

from backscope.runtime.given import Device, Option, Value
from backscope.runtime.warning import warn
from backscope.tensor.tensor import Tensor, of_raw


class CausalVariant(IntEnum):
    """The corner of the mask that the diagonal starts from."""

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(Tensor):
    """A causal mask for numbers of queries and keys, as an attn_mask of scaled_dot_product_attention."""

    variant: CausalVariant
    seq_len_q: int
    seq_len_kv: int

    def __new__(cls, variant: Option, seq_len_q: int, seq_len_kv: int) -> Self:
        """Make a tensor of the shape that PyTorch gives it; its elements are undefined."""
        self: Any = of_raw(np.zeros((int(variant), seq_len_q, seq_len_kv), np.float32))
        self.__class__ = cls
        found: Self = self
        return found

    def __init__(self, variant: Option, seq_len_q: int, seq_len_kv: int) -> None:
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        self.variant = variant
        self.seq_len_q = seq_len_q
        self.seq_len_kv = seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warn("Lower right causal bias will produce NaNs in the output when seq_len_q > seq_len_kv!")

    def _materialize(self, device: Device = None) -> Any:
        """Return the mask, True where a query attends to a key."""
        ahead = self.seq_len_kv - self.seq_len_q if self.variant == CausalVariant.LOWER_RIGHT else 0
        return of_raw(np.tril(np.ones((self.seq_len_q, self.seq_len_kv), bool), ahead))

    def resolved(self, is_causal: bool) -> tuple[Any, bool]:
        """Return the mask or the is_causal flag for attention to use; ValueError where is_causal was given as well."""
        if is_causal:
            raise ValueError("CausalBias should not be used with causal=True")
        if self.seq_len_q == self.seq_len_kv or self.variant == CausalVariant.UPPER_LEFT:
            return None, True
        return self._materialize(), False

    def __repr__(self, *, tensor_contents: Value = None) -> str:  # type: ignore[override]
        return repr(self._materialize())


def causal_upper_left(*size: int) -> CausalBias:
    """Return the mask with which query i attends to keys up to i; AssertionError for other than two sizes."""
    return _of("causal_upper_left", CausalVariant.UPPER_LEFT, size)


def causal_lower_right(*size: int) -> CausalBias:
    """Return the mask with which the last query attends to all keys; AssertionError for other than two sizes."""
    return _of("causal_lower_right", CausalVariant.LOWER_RIGHT, size)


def _of(name: str, variant: CausalVariant, size: tuple[int, ...]) -> CausalBias:
    if len(size) != 2:
        raise AssertionError(f"{name} only supports 2D tensors")
    return CausalBias(variant, *size)


for _class in (CausalVariant, CausalBias):
    _class.__module__ = "torch.nn.attention.bias"
