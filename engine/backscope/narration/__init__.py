"""Moments into events: one function for each kind of moment that the recorder keeps."""

from backscope.narration.backward import (
    backward_finished,
    backward_started,
    grad_accumulated,
    grad_cleared,
    gradient_captured,
    hook_ran,
    node_started,
)
from backscope.narration.forward import (
    PLAIN,
    Shown,
    frozen,
    frozen_all,
    function_applied,
    graph_rebased,
    node_created,
    op_applied,
    requires_grad_changed,
    tensor_created,
    tensor_mutated,
    tensor_named,
    text,
)
from backscope.narration.frequent import applied, node_ran, node_told
from backscope.narration.narrator import Narrator, node_released, tensor_released
from backscope.narration.optimization import optimizer_stepped
from backscope.narration.program import error_raised, output_printed, program_finished, program_started, warning_raised
from backscope.narration.saving import (
    checkpoint_entered,
    checkpoint_left,
    recomputation_finished,
    recomputation_started,
    saved_tensor_packed,
    saved_tensor_unpacked,
    tangent_computed,
)
from backscope.narration.surroundings import grad_mode_changed, hook_registered, hook_removed
from backscope.narration.whereabouts import module_described, module_entered, module_left

__all__ = [
    "PLAIN",
    "Narrator",
    "Shown",
    "applied",
    "backward_finished",
    "backward_started",
    "checkpoint_entered",
    "checkpoint_left",
    "error_raised",
    "frozen",
    "frozen_all",
    "function_applied",
    "grad_accumulated",
    "grad_cleared",
    "grad_mode_changed",
    "gradient_captured",
    "graph_rebased",
    "hook_ran",
    "hook_registered",
    "hook_removed",
    "module_described",
    "module_entered",
    "module_left",
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
    "recomputation_finished",
    "recomputation_started",
    "requires_grad_changed",
    "saved_tensor_packed",
    "saved_tensor_unpacked",
    "tangent_computed",
    "tensor_created",
    "tensor_mutated",
    "tensor_named",
    "tensor_released",
    "text",
    "warning_raised",
]
