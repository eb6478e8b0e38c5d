"""Breakpoints on names that nothing of a program on PyTorch has so far."""

from __future__ import annotations

from functools import cache

import torch

from backscope.debugger.breakpoints.pending import Pending


class TorchPending(Pending):
    """Finds the breakpoints on names that neither PyTorch, nor the program's source, nor its run so far has."""

    def _known_ops(self) -> set[str]:
        return ops() | {name for name in dir(torch.Tensor) if not name.startswith("_")} | set(dir(torch.nn.functional))

    def _known_nodes(self) -> set[str]:
        return nodes()


@cache
def ops() -> set[str]:
    """Return the names of PyTorch's ops."""
    return {
        name.partition("::")[2].partition(".")[0]
        for name in torch._C._dispatch_get_all_op_names()
        if name.startswith("aten::")
    }


@cache
def nodes() -> set[str]:
    """Return the names of PyTorch's nodes."""
    return {name for name in dir(torch._C._functions) if not name.startswith("_")} | {"AccumulateGrad"}
