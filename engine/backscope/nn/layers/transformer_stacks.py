"""Stacks of transformer layers: encoder and decoder."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from backscope.autograd.modes.grad_mode import mode
from backscope.nn.layers.transformer_layers import TransformerEncoderLayer
from backscope.nn.module.containers import ModuleList
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import torch_functions
from backscope.ops.layers.multi_head_attention import canonical_mask, type_of
from backscope.runtime.given import Device, Dtype, Option, Shape, Value
from backscope.runtime.warning import warn, warn_once
from backscope.tensor.tensor import of_raw
from backscope.tensor.typename import belongs


def square_subsequent_mask(size: int, device: Device = None, dtype: Dtype = None) -> Value:
    """Return a mask: 0 for the position itself and earlier ones, -inf for later ones."""
    full = torch_functions["full"]((size, size), float("-inf"), dtype=dtype, device=device)
    return torch_functions["triu"](full, diagonal=1)


def _length(value: Value, batch_first: bool) -> int:
    shape = value.size()
    return int(shape[0] if len(shape) == 2 or not batch_first else shape[1])


def _is_causal(mask: Value, is_causal: bool | None, size: int) -> bool:
    """Return `is_causal`, or where that is None whether the mask is the one of square_subsequent_mask."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = square_subsequent_mask(size, dtype=mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def clones(module: Module, count: int) -> ModuleList:
    """Return `count` copies of a module."""
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


def _why_not_nested(layer: Module) -> str:
    """Return the reason why a stack of such layers never skips padding in evaluation; empty where it may."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention: Any = layer.self_attn
    reasons = {
        "encoder_layer.norm_first was True": layer.norm_first,
        "encoder_layer.self_attn.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        "encoder_layer.self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        "encoder_layer.self_attn was passed bias=False": attention.in_proj_bias is None,
        "encoder_layer.activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        "encoder_layer.norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        "encoder_layer.self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


class TransformerEncoder(Module):
    """A stack of encoder layers."""

    layers: ModuleList

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _why_not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}")
            self.use_nested_tensor = False

    def _kept_lengths(self, src: Value, mask: Value, padding: Shape) -> Any:
        """Return the length of each sequence that PyTorch computes where it skips padding; None where it does not."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or padding is None or mask is not None:
            return None
        hidden = padding._data != 0
        aligned = not (hidden[:, :-1] & ~hidden[:, 1:]).any()
        tracked = mode.enabled and (src.requires_grad or any(p.requires_grad for p in first.parameters()))
        return None if tracked or (self.mask_check and not aligned) else (~hidden).sum(1)

    def forward(
        self, src: Value, mask: Value = None, src_key_padding_mask: Value = None, is_causal: Option = None
    ) -> Value:
        """The output of the last layer, normalized."""
        padding = canonical_mask(src_key_padding_mask, "src_key_padding_mask", type_of(mask), "mask", src.dtype)
        mask = canonical_mask(mask, "mask", None, "", src.dtype, check_other=False)
        kept = self._kept_lengths(src, mask, padding)
        if kept is not None:  # The first elements are taken, even where others are masked.
            beyond = of_raw(np.arange(padding.shape[1]) >= kept[:, None])
            padding = torch_functions["zeros_like"](padding).masked_fill(beyond, float("-inf"))
        causal = _is_causal(mask, is_causal, _length(src, self.layers[0].self_attn.batch_first))
        out = src
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if kept is not None:
            warn_once(
                "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We "
                "recommend specifying layout=torch.jagged when constructing a nested tensor, as this layout receives "
                "active development, has better operator coverage, and works with torch.compile. (Triggered "
                "internally at /__w/pytorch/pytorch/aten/src/ATen/NestedTensorImpl.cpp:177.)"
            )
            out = out.masked_fill(beyond.unsqueeze(-1), 0.0)
        return out if self.norm is None else self.norm(out)


class TransformerDecoder(Module):
    """A stack of decoder layers."""

    layers: ModuleList

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Value,
        memory: Value,
        tgt_mask: Value = None,
        memory_mask: Value = None,
        tgt_key_padding_mask: Value = None,
        memory_key_padding_mask: Value = None,
        tgt_is_causal: Option = None,
        memory_is_causal: bool = False,
    ) -> Value:
        """The output of the last layer, normalized."""
        causal = _is_causal(tgt_mask, tgt_is_causal, _length(tgt, self.layers[0].self_attn.batch_first))
        out = tgt
        for layer in self.layers:
            out = layer(
                out,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return out if self.norm is None else self.norm(out)


belongs("torch.nn.modules.transformer", TransformerEncoder, TransformerDecoder)
