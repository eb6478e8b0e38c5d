"""The layers of transformers: encoder and decoder layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import backscope.ops.activation.activation  # noqa: F401 - the default activation below is declared there
from backscope.nn.layers.attention import MultiheadAttention
from backscope.nn.layers.dropout import Dropout
from backscope.nn.layers.layer_normalization import LayerNorm
from backscope.nn.layers.linear import Linear
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional
from backscope.ops.layers.multi_head_attention import canonical_mask, type_of
from backscope.runtime.given import Device, Dtype, Value
from backscope.tensor.typename import belongs


def activation_of(name: str) -> Callable[[Any], Any]:
    """relu or gelu by name; RuntimeError for others."""
    if name in ("relu", "gelu"):
        found: Callable[[Any], Any] = functional[name]
        return found
    raise RuntimeError(f"activation should be relu/gelu, not {name}")


class _Layer(Module):
    """The shared parts of encoder and decoder layers: the feedforward part, norms and dropouts."""

    activation: Any
    linear1: Any
    linear2: Any
    dropout: Any

    def _make_feedforward(
        self, d_model: int, dim_feedforward: int, dropout: float, eps: float, norm_first: bool, bias: bool, norms: int,
        options: dict[str, Any],
    ) -> None:  # fmt: skip
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, **options)
        self.norm_first = norm_first
        for n in range(1, norms + 1):
            setattr(self, f"norm{n}", LayerNorm(d_model, eps=eps, bias=bias, **options))
        for n in range(1, norms + 1):
            setattr(self, f"dropout{n}", Dropout(dropout))

    def _feed(self, x: Value) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feedforward network, each with a residual connection and a norm."""

    self_attn: MultiheadAttention
    norm1: LayerNorm
    norm2: LayerNorm
    dropout1: Dropout
    dropout2: Dropout

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[..., Any] = functional["relu"],
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **options
        )
        self._make_feedforward(d_model, dim_feedforward, dropout, layer_norm_eps, norm_first, bias, 2, options)
        if isinstance(activation, str):
            activation = activation_of(activation)
        name = type(activation).__name__
        if activation is functional["relu"] or name == "ReLU":
            self.activation_relu_or_gelu = 1
        elif activation is functional.get("gelu") or name == "GELU":
            self.activation_relu_or_gelu = 2
        else:
            self.activation_relu_or_gelu = 0
        self.activation = activation

    def forward(
        self, src: Value, src_mask: Value = None, src_key_padding_mask: Value = None, is_causal: bool = False
    ) -> Value:
        """Return the output of one layer."""
        padding = canonical_mask(src_key_padding_mask, "src_key_padding_mask", type_of(src_mask), "src_mask", src.dtype)
        mask = canonical_mask(src_mask, "src_mask", None, "", src.dtype, check_other=False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x: Value, attn_mask: Value, key_padding_mask: Value, is_causal: bool = False) -> Any:
        out = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(out)

    def _ff_block(self, x: Value) -> Any:
        return self.dropout2(self._feed(x))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output and a feedforward network, each with residual and norm."""

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention
    norm1: LayerNorm
    norm2: LayerNorm
    norm3: LayerNorm
    dropout1: Dropout
    dropout2: Dropout
    dropout3: Dropout

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[..., Any] = functional["relu"],
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        for name in ("self_attn", "multihead_attn"):
            made = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, **options)
            setattr(self, name, made)
        self._make_feedforward(d_model, dim_feedforward, dropout, layer_norm_eps, norm_first, bias, 3, options)
        self.activation = activation_of(activation) if isinstance(activation, str) else activation

    def forward(
        self,
        tgt: Value,
        memory: Value,
        tgt_mask: Value = None,
        memory_mask: Value = None,
        tgt_key_padding_mask: Value = None,
        memory_key_padding_mask: Value = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Value:
        """Return the output of one layer."""
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory, memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, *other))
        return self.norm3(x + self._ff_block(x))

    def _sa_block(self, x: Value, attn_mask: Value, key_padding_mask: Value, is_causal: bool = False) -> Any:
        out = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False
        )[0]
        return self.dropout1(out)

    def _mha_block(self, x: Value, mem: Any, attn_mask: Value, key_padding_mask: Value, is_causal: bool = False) -> Any:
        out = self.multihead_attn(
            x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal,
            need_weights=False,
        )[0]  # fmt: skip
        return self.dropout2(out)

    def _ff_block(self, x: Value) -> Any:
        return self.dropout3(self._feed(x))


belongs("torch.nn.modules.transformer", TransformerEncoderLayer, TransformerDecoderLayer)
