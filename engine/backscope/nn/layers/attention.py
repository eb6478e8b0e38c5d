"""MultiheadAttention as a module."""

from __future__ import annotations

from typing import Any

from backscope.nn import init
from backscope.nn.layers.linear import NonDynamicallyQuantizableLinear
from backscope.nn.module.module import Module
from backscope.ops.layers.multi_head_attention import canonical_mask, multi_head_attention_forward, type_of
from backscope.runtime.given import Device, Dtype, Value
from backscope.tensor.parameter import new_parameter
from backscope.tensor.typename import belongs


class MultiheadAttention(Module):
    """Attention with several heads and projections of queries, keys and values.

    Shape: query [L, N, E], key [S, N, kdim], value [S, N, vdim]; N first where `batch_first`; or all without N.
    """

    in_proj_weight: Value
    in_proj_bias: Value
    q_proj_weight: Value
    k_proj_weight: Value
    v_proj_weight: Value
    bias_k: Value
    bias_v: Value
    out_proj: Module

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Device = None,
        dtype: Dtype = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and num_heads={num_heads} "
                "instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        separate = {"q_proj_weight": embed_dim, "k_proj_weight": self.kdim, "v_proj_weight": self.vdim}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = new_parameter((3 * embed_dim, embed_dim), dtype, device)
            for name in separate:
                self.register_parameter(name, None)
        else:
            for name, size in separate.items():
                setattr(self, name, new_parameter((embed_dim, size), dtype, device))
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = new_parameter((3 * embed_dim,), dtype, device)
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        if add_bias_kv:
            self.bias_k = new_parameter((1, 1, embed_dim), dtype, device)
            self.bias_v = new_parameter((1, 1, embed_dim), dtype, device)
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Draw the projections by Glorot's rule; biases 0."""
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def merge_masks(self, attn_mask: Value, key_padding_mask: Value, query: Value) -> tuple[Any, int | None]:
        """Merge both masks; return the mask and its kind: 1 for padding alone, 2 with an attention mask, else None."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(batch, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2

    def forward(
        self,
        query: Value,
        key: Value,
        value: Value,
        key_padding_mask: Value = None,
        need_weights: bool = True,
        attn_mask: Value = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Value, Value]:
        """Return the attended values projected back, and the attention weights with `need_weights`."""
        batched = query.dim() == 3
        key_padding_mask = canonical_mask(
            key_padding_mask, "key_padding_mask", type_of(attn_mask), "attn_mask", query.dtype
        )
        attn_mask = canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        if self.batch_first and batched:
            query, key, value = _time_first(query, key, value)
        separate = {}
        if not self._qkv_same_embed_dim:
            separate = {
                "use_separate_proj_weight": True,
                "q_proj_weight": self.q_proj_weight,
                "k_proj_weight": self.k_proj_weight,
                "v_proj_weight": self.v_proj_weight,
            }
        out, weights = multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
            **separate,
        )
        return (out.transpose(1, 0), weights) if self.batch_first and batched else (out, weights)


def _time_first(query: Value, key: Any, value: Value) -> tuple[Any, Any, Any]:
    """Return batches with the time first; arguments that are one tensor remain one."""
    if key is not value:
        return query.transpose(1, 0), key.transpose(1, 0), value.transpose(1, 0)
    if query is key:
        turned = query.transpose(1, 0)
        return turned, turned, turned
    query, key = query.transpose(1, 0), key.transpose(1, 0)
    return query, key, key


belongs("torch.nn.modules.activation", MultiheadAttention)
