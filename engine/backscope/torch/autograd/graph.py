"""The names of `torch.autograd.graph`."""

from __future__ import annotations

from typing import Any as _Any

from backscope.autograd.edge import GradientEdge, get_gradient_edge
from backscope.autograd.graph_node import Node
from backscope.autograd.hooks.multi_grad import register_multi_grad_hook
from backscope.autograd.saved.allow_mutation import allow_mutation_on_saved_tensors
from backscope.autograd.saved.saved_hooks import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from backscope.autograd.views.version_access import increment_version
from backscope.torch.missing import missing_name as _missing_name

__all__ = [
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


def __getattr__(name: str) -> _Any:
    raise _missing_name("torch.autograd.graph", name, globals())
