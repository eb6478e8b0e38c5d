"""The names of `torch.nn.modules.transformer`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.transformer", name, globals())
