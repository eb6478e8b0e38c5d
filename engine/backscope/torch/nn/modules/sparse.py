"""The names of `torch.nn.modules.sparse`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.nn.layers.embedding import Embedding, EmbeddingBag
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "Embedding",
    "EmbeddingBag",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.nn.modules.sparse", name, globals())
