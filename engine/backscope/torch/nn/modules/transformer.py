"""The names of `torch.nn.modules.transformer`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.transformer import Transformer
from backscope.nn.layers.transformer_layers import (
    TransformerDecoderLayer,
    TransformerEncoderLayer,
    activation_of as _get_activation_fn,
)
from backscope.nn.layers.transformer_stacks import TransformerDecoder, TransformerEncoder, clones as _get_clones
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
    "_get_activation_fn",
    "_get_clones",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.transformer", name, globals())
