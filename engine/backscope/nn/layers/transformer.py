"""Transformer: an encoder and a decoder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from backscope.nn import init
from backscope.nn.layers.layer_normalization import LayerNorm
from backscope.nn.layers.transformer_layers import TransformerDecoderLayer, TransformerEncoderLayer
from backscope.nn.layers.transformer_stacks import TransformerDecoder, TransformerEncoder, square_subsequent_mask
from backscope.nn.module.module import Module
from backscope.ops.core.namespace import functional
from backscope.runtime.given import Device, Dtype, Option, Value
from backscope.tensor.typename import belongs


class Transformer(Module):
    """An encoder of one sequence and a decoder of another that attends to it."""

    encoder: Module
    decoder: Module

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[..., Any] = functional["relu"],
        custom_encoder: Module | None = None,
        custom_decoder: Module | None = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Device = None,
        dtype: Dtype = None,
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
        src: Value,
        tgt: Value,
        src_mask: Value = None,
        tgt_mask: Value = None,
        memory_mask: Value = None,
        src_key_padding_mask: Value = None,
        tgt_key_padding_mask: Value = None,
        memory_key_padding_mask: Value = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: Option = None,
        memory_is_causal: bool = False,
    ) -> Value:
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
    def generate_square_subsequent_mask(sz: int, device: Device = None, dtype: Dtype = None) -> Value:
        """Return a mask: 0 for the position itself and earlier ones, -inf for later ones."""
        return square_subsequent_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        """Draw all matrices by Glorot's rule."""
        for p in self.parameters():
            if p.dim() > 1:
                init.xavier_uniform_(p)


belongs("torch.nn.modules.transformer", Transformer)
