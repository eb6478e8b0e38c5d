"""Moments into events: one function for each kind of moment that the recorder keeps."""

from backscope.narration.backward import (
    backward_finished,
    backward_started,
    grad_accumulated,
    grad_cleared,
    gradient_captured,
    hook_ran,
    node_ran,
    node_started,
    node_told,
    optimizer_stepped,
)
from backscope.narration.forward import (
    applied,
    frozen,
    graph_rebased,
    node_created,
    op_applied,
    requires_grad_changed,
    tensor_created,
    tensor_mutated,
    tensor_named,
    text,
)
from backscope.narration.narrator import Narrator, node_released, tensor_released
from backscope.narration.program import error_raised, output_printed, program_finished, program_started, warning_raised

__all__ = [
    "Narrator",
    "applied",
    "backward_finished",
    "backward_started",
    "error_raised",
    "frozen",
    "grad_accumulated",
    "grad_cleared",
    "gradient_captured",
    "graph_rebased",
    "hook_ran",
    "node_created",
    "node_ran",
    "node_released",
    "node_started",
    "node_told",
    "op_applied",
    "optimizer_stepped",
    "output_printed",
    "program_finished",
    "program_started",
    "requires_grad_changed",
    "tensor_created",
    "tensor_mutated",
    "tensor_named",
    "tensor_released",
    "text",
    "warning_raised",
]
