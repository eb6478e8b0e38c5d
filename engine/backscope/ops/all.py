"""Declares every op and puts the methods on Tensor, by importing the pages of ops."""

from backscope.ops import (
    activation,
    arithmetic,
    comparison,
    conversion,
    creation,
    indexing,
    loss,
    matmul,
    operators,
    reduction,
    shape,
    transcendental,
)
from backscope.ops.declaration import catalogue

__all__ = [
    "activation",
    "arithmetic",
    "catalogue",
    "comparison",
    "conversion",
    "creation",
    "indexing",
    "loss",
    "matmul",
    "operators",
    "reduction",
    "shape",
    "transcendental",
]
