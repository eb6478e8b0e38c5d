"""Transformer: encoder and decoder layers, stacks of them, and both together."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import backscope.ops.activation  # noqa: F401 - the default activation below is declared there
from backscope.autograd.grad_mode import mode
from backscope.nn import init
from backscope.nn.attention import MultiheadAttention
from backscope.nn.containers import ModuleList
from backscope.nn.dropout import Dropout
from backscope.nn.layer_normalization import LayerNorm
from backscope.nn.linear import Linear
from backscope.nn.module import Module
from backscope.ops.multi_head_attention import canonical_mask, type_of
from backscope.ops.namespace import functional, torch_functions
from backscope.typename import belongs
from backscope.warning import warn, warn_once


def square_subsequent_mask(size: int, device: Any = None, dtype: Any = None) -> Any:
    """0 where a position may look, at itself and what is before it; -inf elsewhere."""
    full = torch_functions["full"]((size, size), float("-inf"), dtype=dtype, device=device)
    return torch_functions["triu"](full, diagonal=1)


def _activation(name: str) -> Callable[[Any], Any]:
    if name in ("relu", "gelu"):
        found: Callable[[Any], Any] = functional[name]
        return found
    raise RuntimeError(f"activation should be relu/gelu, not {name}")


def _length(value: Any, batch_first: bool) -> int:
    shape = value.size()
    return int(shape[0] if len(shape) == 2 or not batch_first else shape[1])


def _is_causal(mask: Any, is_causal: bool | None, size: int) -> bool:
    """Whether a mask is the one of square_subsequent_mask, where that was not said."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = square_subsequent_mask(size, dtype=mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def _clones(module: Any, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


class _Layer(Module):
    """What encoder and decoder layers share: the feedforward part, norms and dropouts."""

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

    def _feed(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feedforward network, each with a residual connection and a norm."""

    self_attn: Any
    norm1: Any
    norm2: Any
    dropout1: Any
    dropout2: Any

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional["relu"],
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, **options
        )
        self._make_feedforward(d_model, dim_feedforward, dropout, layer_norm_eps, norm_first, bias, 2, options)
        if isinstance(activation, str):
            activation = _activation(activation)
        name = type(activation).__name__
        if activation is functional["relu"] or name == "ReLU":
            self.activation_relu_or_gelu = 1
        elif activation is functional.get("gelu") or name == "GELU":
            self.activation_relu_or_gelu = 2
        else:
            self.activation_relu_or_gelu = 0
        self.activation = activation

    def forward(self, src: Any, src_mask: Any = None, src_key_padding_mask: Any = None, is_causal: bool = False) -> Any:
        """One layer's output."""
        padding = canonical_mask(src_key_padding_mask, "src_key_padding_mask", type_of(src_mask), "src_mask", src.dtype)
        mask = canonical_mask(src_mask, "src_mask", None, "", src.dtype, check_other=False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        out = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False, is_causal=is_causal
        )[0]
        return self.dropout1(out)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout2(self._feed(x))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to the encoder's output and a feedforward network, each with residual and norm."""

    self_attn: Any
    multihead_attn: Any
    norm1: Any
    norm2: Any
    norm3: Any
    dropout1: Any
    dropout2: Any
    dropout3: Any

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional["relu"],
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = {"device": device, "dtype": dtype}
        for name in ("self_attn", "multihead_attn"):
            made = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, bias=bias, **options)
            setattr(self, name, made)
        self._make_feedforward(d_model, dim_feedforward, dropout, layer_norm_eps, norm_first, bias, 3, options)
        self.activation = _activation(activation) if isinstance(activation, str) else activation

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        """One layer's output."""
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

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        out = self.self_attn(
            x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal, need_weights=False
        )[0]
        return self.dropout1(out)

    def _mha_block(self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        out = self.multihead_attn(
            x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask, is_causal=is_causal,
            need_weights=False,
        )[0]  # fmt: skip
        return self.dropout2(out)

    def _ff_block(self, x: Any) -> Any:
        return self.dropout3(self._feed(x))


def _why_not_nested(layer: Any) -> str:
    """Why a stack of such layers never leaves padding out in evaluation; empty where it may."""
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

    layers: Any

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Any = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _why_not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warn(f"enable_nested_tensor is True, but self.use_nested_tensor is False because {reason}")
            self.use_nested_tensor = False

    def _leaves_padding_out(self, src: Any, mask: Any, padding: Any) -> bool:
        """True where PyTorch computes only what is no padding, which then comes out as 0 before the last norm."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3 or padding is None or mask is not None:
            return False
        hidden = padding._data != 0
        aligned = not (hidden[:, :-1] & ~hidden[:, 1:]).any()
        tracked = mode.enabled and (src.requires_grad or any(p.requires_grad for p in first.parameters()))
        return bool(aligned or not self.mask_check) and not tracked

    def forward(self, src: Any, mask: Any = None, src_key_padding_mask: Any = None, is_causal: Any = None) -> Any:
        """The output of the last layer, normalized."""
        padding = canonical_mask(src_key_padding_mask, "src_key_padding_mask", type_of(mask), "mask", src.dtype)
        mask = canonical_mask(mask, "mask", None, "", src.dtype, check_other=False)
        nested = self._leaves_padding_out(src, mask, padding)
        causal = _is_causal(mask, is_causal, _length(src, self.layers[0].self_attn.batch_first))
        out = src
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if nested:
            warn_once(
                "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We "
                "recommend specifying layout=torch.jagged when constructing a nested tensor, as this layout receives "
                "active development, has better operator coverage, and works with torch.compile. (Triggered "
                "internally at /__w/pytorch/pytorch/aten/src/ATen/NestedTensorImpl.cpp:177.)"
            )
            out = out.masked_fill((padding != 0).unsqueeze(-1), 0.0)
        return out if self.norm is None else self.norm(out)


class TransformerDecoder(Module):
    """A stack of decoder layers."""

    layers: Any

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = _clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: Any = None,
        memory_is_causal: bool = False,
    ) -> Any:
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


class Transformer(Module):
    """An encoder of one sequence and a decoder of another that attends to it."""

    encoder: Any
    decoder: Any

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = functional["relu"],
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        layer = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias,
            device, dtype,
        )  # fmt: skip

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)

        if custom_encoder is None:
            encoder_layer, encoder_norm = TransformerEncoderLayer(*layer), norm()
            custom_encoder = TransformerEncoder(encoder_layer, num_encoder_layers, encoder_norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            decoder_layer, decoder_norm = TransformerDecoderLayer(*layer), norm()
            custom_decoder = TransformerDecoder(decoder_layer, num_decoder_layers, decoder_norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: Any = None,
        tgt_is_causal: Any = None,
        memory_is_causal: bool = False,
    ) -> Any:
        """The decoder's output; RuntimeError for sequences that do not fit together."""
        batch = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(batch) != tgt.size(batch):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """0 where a position may look, at itself and what is before it; -inf elsewhere."""
        return square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        """Draw all matrices by Glorot's rule."""
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)


belongs(
    "torch.nn.modules.transformer",
    Transformer, TransformerEncoder, TransformerDecoder, TransformerEncoderLayer, TransformerDecoderLayer,
)  # fmt: skip
