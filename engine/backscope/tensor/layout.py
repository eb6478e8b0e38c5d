"""torch.layout: how a tensor keeps its elements."""

from __future__ import annotations


class layout:  # noqa: N801 - PyTorch's own name
    """`torch.strided` for dense tensors, others for sparse ones."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


layout.__module__ = "torch"
strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
